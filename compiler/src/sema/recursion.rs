//! Recursion, which OpenCL C does not have (OpenCL C 6.11): cycles of the call graph.

use super::hir::FunctionId;
use super::Sema;
use crate::source::Span;
use cranelift_entity::SecondaryMap;

/// The state of a function in the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mark {
    #[default]
    New,
    /// On the current path of calls.
    Open,
    Done,
}

impl Sema<'_> {
    /// Reports every call that closes a cycle.
    pub(super) fn check_recursion(&mut self) {
        let mut marks: SecondaryMap<FunctionId, Mark> = SecondaryMap::new();
        let mut found: Vec<(Span, FunctionId)> = Vec::new();
        for root in self.module.functions.keys() {
            if marks[root] != Mark::New {
                continue;
            }
            marks[root] = Mark::Open;
            let mut path = vec![(root, 0)];
            while let Some((function, next)) = path.last_mut() {
                let Some(&(callee, span)) = self.calls[*function].get(*next) else {
                    marks[*function] = Mark::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                match marks[callee] {
                    Mark::New => {
                        marks[callee] = Mark::Open;
                        path.push((callee, 0));
                    }
                    Mark::Open => found.push((span, callee)),
                    Mark::Done => {}
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
