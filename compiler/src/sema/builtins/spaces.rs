//! Address space qualifier functions (OpenCL C 6.15.10): where a generic pointer points. They take
//! pointers to any type, user-defined ones too, so that no pattern describes them.

use crate::sema::hir::{Expr, ExprKind};
use crate::sema::operand::value;
use crate::sema::types::{PointerType, TypeKind};
use crate::sema::Sema;
use crate::source::Span;
use crate::syntax::ast::AddressSpace;

/// The functions, with the address space that those named `to_` convert to.
const FUNCTIONS: &[(&str, Option<AddressSpace>)] = &[
    ("to_global", Some(AddressSpace::Global)),
    ("to_local", Some(AddressSpace::Local)),
    ("to_private", Some(AddressSpace::Private)),
    ("get_fence", None),
];

impl Sema<'_> {
    /// Returns true if this is the name of one of these functions and the program has them.
    pub(super) fn has_space_builtin(&self, name: &str) -> bool {
        let generic = self.pointee_space == AddressSpace::Generic;
        generic && FUNCTIONS.iter().any(|(known, _)| *known == name)
    }

    /// Analyzes a call of one of these functions.
    pub(super) fn space_builtin(
        &mut self,
        name: &str,
        mut args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Expr {
        let Some(&(name, space)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
            return self.error_value(span);
        };
        let (have, few) = (args.len(), if args.is_empty() { "few" } else { "many" });
        let (Some(arg), true) = (args.pop(), have == 1) else {
            let message = format!("too {few} arguments to function call, expected 1, have {have}");
            self.error(span, message);
            return self.error_value(span);
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
            self.error(at, message);
            return self.error_value(span);
        };
        let ty = match space {
            Some(space) => {
                let pointer = PointerType { space, ..pointer };
                self.module.types.intern(TypeKind::Pointer(pointer))
            }
            None => self.basic.uint,
        };
        let args = vec![self.in_space(arg, AddressSpace::Generic)];
        value(ExprKind::Builtin { name, args }, ty, span)
    }
}
