//! Recursion, which OpenCL C does not have (OpenCL C 6.11): cycles of the call graph. Recursion whose end depends on
//! constants alone is accepted (`passes/recursion.rs`), so sema only notes cycles, and [`report`] reports those that the
//! passes refuse.

use super::hir::{Function, FunctionId, Module};
use super::Sema;
use crate::source::{Diagnostics, Span};
use cranelift_entity::SecondaryMap;

/// The state of a function in the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum VisitState {
    #[default]
    Unvisited,
    /// The function is on the current path of calls.
    OnStack,
    Done,
}

impl Sema<'_> {
    /// Notes every call that closes a cycle.
    pub(super) fn find_recursion(&mut self) {
        let mut states: SecondaryMap<FunctionId, VisitState> = SecondaryMap::new();
        let mut found: Vec<(Span, FunctionId)> = Vec::new();
        for root in self.module.functions.keys() {
            if states[root] != VisitState::Unvisited {
                continue;
            }
            states[root] = VisitState::OnStack;
            let mut path = vec![(root, 0)];
            while let Some((function, next)) = path.last_mut() {
                let Some(&(callee, span)) = self.calls[*function].get(*next) else {
                    states[*function] = VisitState::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                match states[callee] {
                    VisitState::Unvisited => {
                        states[callee] = VisitState::OnStack;
                        path.push((callee, 0));
                    }
                    VisitState::OnStack => found.push((span, callee)),
                    VisitState::Done => {}
                }
            }
        }
        found.sort();
        self.module.recursive_calls = found;
    }
}

/// Reports the calls that close a cycle among the functions with these names or symbols.
pub fn report(module: &Module, names: &[String], diags: &mut Diagnostics) {
    for &(span, callee) in &module.recursive_calls {
        let Function { name, symbol, .. } = &module.functions[callee];
        if names.contains(name) || symbol.as_ref().is_some_and(|symbol| names.contains(symbol)) {
            diags.error(span, format!("recursive call to '{name}' is not allowed in OpenCL C"));
        }
    }
}
