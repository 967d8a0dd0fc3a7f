//! Pipe types (OpenCL C 6.15.18).

use super::types::{TypeId, TypeKind};
use super::Sema;
use crate::kernel::ImageAccess;
use crate::source::Span;
use crate::syntax::ast::Access;

impl Sema<'_> {
    /// Returns true if the program may have pipes.
    pub(super) fn has_pipes(&self) -> bool {
        self.target.offers(self.options.std, "__opencl_c_pipes")
    }

    /// Returns the type of pipes with packets of a type. They are read-only unless a qualifier follows.
    pub(super) fn pipe_type(&mut self, packet: TypeId, span: Span) -> TypeId {
        if !self.has_pipes() {
            let message = "use of type 'pipe' requires pipes which this device does not offer";
            return self.fail(span, message);
        }
        let types = &self.module.types;
        let fits = match types.kind(packet) {
            TypeKind::Error => return packet,
            TypeKind::Record(_) => types.size(packet).is_some_and(|size| size > 0),
            _ => types.numeric(packet).is_some() && !self.is_storage_half(packet),
        };
        if !fits {
            let message = format!("packets of a pipe cannot be of type {}", self.quoted(packet));
            return self.fail(span, message);
        }
        self.module.types.intern(TypeKind::Pipe(packet, ImageAccess::ReadOnly))
    }

    /// Returns the type of pipes with another access.
    pub(super) fn pipe_with_access(
        &mut self,
        packet: TypeId,
        access: Access,
        span: Span,
    ) -> TypeId {
        let access = match access {
            Access::ReadOnly => ImageAccess::ReadOnly,
            Access::WriteOnly => ImageAccess::WriteOnly,
            Access::ReadWrite => {
                let message = "access qualifier 'read_write' can not be used for 'pipe'";
                return self.fail(span, message);
            }
        };
        self.module.types.intern(TypeKind::Pipe(packet, access))
    }
}
