//! The call graph: the functions that kernels reach, callees first, and the number of calls of each.

use crate::ir::sparse_map::SparseMap;
use crate::ir::*;
use cranelift_entity::SecondaryMap;

/// The functions that kernels reach.
pub struct CallGraph {
    /// The functions, each after the functions that it calls. A kernel's entry that nothing calls comes after all
    /// functions that only it reaches.
    pub order: Vec<Func>,
    /// Number of calls of each function in the reachable ones.
    pub call_sites: SecondaryMap<Func, u32>,
}

impl CallGraph {
    /// Errors: recursion.
    pub fn compute(module: &Module) -> Result<CallGraph, String> {
        let order = bottom_up(module, module.kernels.iter().map(|kernel| kernel.func))?;
        let mut call_sites = SecondaryMap::new();
        for &func in &order {
            for (callee, _) in calls(&module.functions[func]) {
                call_sites[callee] += 1;
            }
        }
        Ok(CallGraph { order, call_sites })
    }
}

/// Returns the calls in a function: callees and arguments.
pub fn calls(func: &Function) -> impl Iterator<Item = (Func, &[Value])> {
    func.layout_insts().filter_map(|inst| match &func.insts[inst] {
        InstData::Call { func, args } => Some((*func, &args[..])),
        _ => None,
    })
}

/// Returns the functions that a function calls, each once.
pub fn callees(func: &Function) -> Vec<Func> {
    let mut out: Vec<Func> = calls(func).map(|(callee, _)| callee).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Returns the connected component of each function in the graph of calls, named by one of the component's functions.
/// Kernels in different components share no function.
pub fn components(module: &Module) -> SecondaryMap<Func, Func> {
    let mut component: SecondaryMap<Func, Func> = SecondaryMap::with_default(Func::from_u32(0));
    for func in module.functions.keys() {
        component[func] = func;
    }
    fn root(component: &mut SecondaryMap<Func, Func>, mut func: Func) -> Func {
        while component[func] != func {
            // Each second link is made shorter.
            let next = component[func];
            component[func] = component[next];
            func = next;
        }
        func
    }
    for (func, data) in module.functions.iter() {
        for (callee, _) in calls(data) {
            let (a, b) = (root(&mut component, func), root(&mut component, callee));
            component[a.max(b)] = a.min(b);
        }
    }
    for func in module.functions.keys() {
        component[func] = root(&mut component, func);
    }
    component
}

/// Returns the functions that `roots` reach, each after the functions that it calls.
///
/// Errors: recursion.
pub fn bottom_up(
    module: &Module,
    roots: impl IntoIterator<Item = Func>,
) -> Result<Vec<Func>, String> {
    #[derive(Clone, Copy, PartialEq, Default)]
    enum State {
        #[default]
        Unvisited,
        OnStack,
        Done,
    }
    let mut state: SparseMap<Func, State> = SparseMap::new();
    let mut order = Vec::new();
    for root in roots {
        let mut stack = vec![(root, None::<Vec<Func>>)];
        while let Some((func, pending)) = stack.last_mut() {
            let func = *func;
            let pending = match pending {
                Some(pending) => pending,
                None if state[func] == State::Done => {
                    stack.pop();
                    continue;
                }
                None if state[func] == State::OnStack => {
                    let name = &module.functions[func].name;
                    return Err(format!("recursion is not supported: '{name}' calls itself"));
                }
                None => {
                    state[func] = State::OnStack;
                    pending.insert(callees(&module.functions[func]))
                }
            };
            match pending.pop() {
                Some(callee) => stack.push((callee, None)),
                None => {
                    state[func] = State::Done;
                    order.push(func);
                    stack.pop();
                }
            }
        }
    }
    Ok(order)
}
