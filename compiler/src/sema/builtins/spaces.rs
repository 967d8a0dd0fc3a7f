//! Address space qualifier functions (OpenCL C 6.15.10), which find the memory that a generic pointer points
//! to. They take pointers to any type, also to user-defined ones, so that no pattern describes them.

use crate::builtins::Builtin;
use crate::sema::hir::{Expr, ExprKind};
use crate::sema::operand::value;
use crate::sema::types::{PointerType, TypeKind};
use crate::sema::Sema;
use crate::source::Span;
use crate::syntax::ast::AddressSpace;

impl Sema<'_> {
    /// Analyzes a call of one of these functions; `space` is the address space of the result of the functions named `to_`.
    pub(super) fn space_builtin(
        &mut self,
        function: Builtin,
        space: Option<AddressSpace>,
        mut args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Expr {
        let name = function.name();
        let have = args.len();
        let (Some(arg), true) = (args.pop(), have == 1) else {
            return self.wrong_count("function", (1, have), span);
        };
        let pointer = self.module.types.as_pointer(arg.ty);
        let Some(pointer) = pointer.filter(|p| p.space != AddressSpace::Constant) else {
            let message = match space {
                Some(_) => format!(
                    "invalid argument {} to function: '{name}', expecting a generic pointer type",
                    self.quoted(arg.ty)
                ),
                None => format!("no matching function for call to '{name}'"),
            };
            return self.fail(at, message);
        };
        let ty = match space {
            Some(space) => {
                let pointer = PointerType { space, ..pointer };
                self.module.types.intern(TypeKind::Pointer(pointer))
            }
            None => self.basic.uint,
        };
        let args = vec![self.in_space(arg, AddressSpace::Generic)];
        value(ExprKind::Builtin { function, args }, ty, span)
    }
}
