//! Recursion, which OpenCL C does not have (OpenCL C 6.11): cycles of the call graph.

use super::hir::FunctionId;
use super::Sema;
use crate::source::Span;
use cranelift_entity::SecondaryMap;

/// The state of a function in the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum VisitState {
    #[default]
    Unvisited,
    /// On the current path of calls.
    OnStack,
    Done,
}

impl Sema<'_> {
    /// Reports every call that closes a cycle.
    pub(super) fn check_recursion(&mut self) {
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
        for (span, callee) in found {
            let name = &self.module.functions[callee].name;
            let message = format!("recursive call to '{name}' is not allowed in OpenCL C");
            self.diags.error(span, message);
        }
    }
}
