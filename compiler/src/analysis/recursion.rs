//! Recursion: the functions that call themselves, directly or through other functions, and the functions that call
//! them.

use super::call_graph::callees;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// The recursion among the functions that kernels reach.
#[derive(Debug, Default)]
pub struct Recursion {
    /// The functions of each cycle of calls, or of several cycles that share functions.
    pub cycles: Vec<Vec<Func>>,
    /// The number of the cycle that a function is in.
    cycle_of: FxHashMap<Func, usize>,
    /// The functions of cycles, and all functions that call them directly or indirectly.
    leads: FxHashSet<Func>,
}

/// A function on the path of a search.
struct Frame {
    func: Func,
    callees: Vec<Func>,
    next: usize,
}

/// The state of the search for strongly connected components (Tarjan's).
#[derive(Default)]
struct Search {
    /// The number of each function that was visited, and the least number of a function on the stack that it reaches.
    numbers: FxHashMap<Func, (u32, u32)>,
    stack: Vec<Func>,
    on_stack: FxHashSet<Func>,
    callers: FxHashMap<Func, Vec<Func>>,
    found: Recursion,
}

impl Recursion {
    pub fn compute(module: &Module) -> Recursion {
        let mut search = Search::default();
        for kernel in module.kernels.iter() {
            if !search.numbers.contains_key(&kernel.func) {
                search.walk(module, kernel.func);
            }
        }
        let Search { callers, mut found, .. } = search;
        let mut pending: Vec<Func> = found.cycles.concat();
        while let Some(func) = pending.pop() {
            if found.leads.insert(func) {
                pending.extend(callers.get(&func).into_iter().flatten());
            }
        }
        found
    }

    /// Returns true if a function is recursive, or calls a recursive function directly or indirectly.
    pub fn is_led_to_by(&self, func: Func) -> bool {
        self.leads.contains(&func)
    }

    /// Returns the functions that are in a cycle of calls with a function; none if the function is not recursive.
    pub fn cycle_of(&self, func: Func) -> &[Func] {
        self.cycle_of.get(&func).map_or(&[], |&cycle| &self.cycles[cycle])
    }
}

impl Search {
    fn walk(&mut self, module: &Module, root: Func) {
        let mut path = vec![self.enter(module, root)];
        while let Some(frame) = path.last_mut() {
            let func = frame.func;
            let Some(&callee) = frame.callees.get(frame.next) else {
                path.pop();
                let low = self.leave(module, func);
                if let Some(caller) = path.last() {
                    self.lower(caller.func, low);
                }
                continue;
            };
            frame.next += 1;
            self.callers.entry(callee).or_default().push(func);
            match self.numbers.get(&callee) {
                None => path.push(self.enter(module, callee)),
                Some(&(number, _)) if self.on_stack.contains(&callee) => self.lower(func, number),
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, module: &Module, func: Func) -> Frame {
        let number = self.numbers.len() as u32;
        self.numbers.insert(func, (number, number));
        self.stack.push(func);
        self.on_stack.insert(func);
        Frame { func, callees: callees(&module.functions[func]), next: 0 }
    }

    fn lower(&mut self, func: Func, number: u32) {
        if let Some((_, low)) = self.numbers.get_mut(&func) {
            *low = number.min(*low);
        }
    }

    /// Ends the visit of a function, and of the component whose first function it is. Returns the least number that the
    /// function reaches.
    fn leave(&mut self, module: &Module, func: Func) -> u32 {
        let Some(&(number, low)) = self.numbers.get(&func) else { return u32::MAX };
        if low < number {
            return low;
        }
        let first = self.stack.iter().rposition(|&on_stack| on_stack == func).unwrap_or(0);
        let component = self.stack.split_off(first);
        for member in &component {
            self.on_stack.remove(member);
        }
        if component.len() > 1 || callees(&module.functions[func]).contains(&func) {
            let cycle = self.found.cycles.len();
            self.found.cycle_of.extend(component.iter().map(|&member| (member, cycle)));
            self.found.cycles.push(component);
        }
        low
    }
}
