//! Calls of pipe functions (OpenCL C 6.15.18), whose types no pattern describes.

use crate::builtins::{Builtin, PipeArguments};
use crate::kernel::ImageAccess;
use crate::sema::convert::Context;
use crate::sema::hir::{Expr, ExprKind};
use crate::sema::operand::value;
use crate::sema::types::{TypeId, TypeKind, RESERVATION};
use crate::sema::Sema;
use crate::source::Span;

impl Sema<'_> {
    pub(in crate::sema) fn reservation_type(&mut self) -> TypeId {
        self.module.types.intern(TypeKind::Opaque(RESERVATION))
    }

    /// Analyzes a call of a function on a pipe, which must have an access qualifier if one is given.
    pub(super) fn pipe_builtin(
        &mut self,
        function: Builtin,
        (access, arguments): (Option<ImageAccess>, PipeArguments),
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let name = function.name();
        let counts: &[usize] = match arguments {
            PipeArguments::Packet => &[2, 4],
            PipeArguments::Count | PipeArguments::Reservation => &[2],
            PipeArguments::Nothing => &[1],
        };
        if !counts.contains(&args.len()) {
            return self.fail(span, format!("invalid number of arguments to function: '{name}'"));
        }
        let mut args = args.into_iter();
        let Some(pipe) = args.next() else { return self.error_value(span) };
        let TypeKind::Pipe(packet, has) = *self.module.types.kind(pipe.ty) else {
            if self.is_error(pipe.ty) {
                return self.error_value(span);
            }
            return self.fail(pipe.span, format!("first argument to '{name}' must be a pipe type"));
        };
        if let Some(access) = access.filter(|&access| access != has) {
            let access = access.name();
            let message = format!("invalid pipe access modifier (expecting {access})");
            return self.fail(pipe.span, message);
        }
        let reservation = self.reservation_type();
        let (uint, void, int) = (self.basic.uint, self.basic.void, self.basic.int);
        let rest: Vec<Expr> = args.collect();
        let (wanted, result): (&[Option<TypeId>], TypeId) = match (arguments, rest.len()) {
            (PipeArguments::Packet, 1) => (&[None], int),
            (PipeArguments::Packet, _) => (&[Some(reservation), Some(uint), None], int),
            (PipeArguments::Count, _) => (&[Some(uint)], reservation),
            (PipeArguments::Reservation, _) => (&[Some(reservation)], void),
            (PipeArguments::Nothing, _) => (&[], uint),
        };
        let mut all = vec![pipe];
        for (arg, wanted) in rest.into_iter().zip(wanted) {
            let arg = match wanted {
                Some(ty) => self.assign_convert(arg, *ty, Context::Passing),
                None => self.packet_pointer(name, packet, has, arg),
            };
            if self.is_error(arg.ty) {
                return self.error_value(span);
            }
            all.push(arg);
        }
        value(ExprKind::Builtin { function, args: all }, result, span)
    }

    /// Returns the pointer to the packet that is read or written. It is an error if it does not point to the pipe's type of
    /// packets.
    fn packet_pointer(
        &mut self,
        name: &str,
        packet: TypeId,
        access: ImageAccess,
        arg: Expr,
    ) -> Expr {
        let pointer = self.module.types.as_pointer(arg.ty);
        let writes = access == ImageAccess::ReadOnly;
        let fits = pointer.is_some_and(|p| p.pointee == packet && !(writes && p.is_const));
        if fits || self.is_error(arg.ty) {
            return arg;
        }
        let space = self.pointee_space;
        let wanted = self.module.types.pointer(packet, space);
        let (wanted, have) = (self.quoted(wanted), self.quoted(arg.ty));
        let message = format!(
            "invalid argument type to function '{name}' (expecting {wanted} having {have})"
        );
        self.fail(arg.span, message)
    }

    /// Analyzes a call of `is_valid_reserve_id`.
    pub(super) fn reservation_builtin(
        &mut self,
        function: Builtin,
        mut args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        if !self.has_count(&args, 1, span) {
            return self.error_value(span);
        }
        let Some(arg) = args.pop() else { return self.error_value(span) };
        let ty = self.reservation_type();
        let arg = self.assign_convert(arg, ty, Context::Passing);
        if self.is_error(arg.ty) {
            return self.error_value(span);
        }
        value(ExprKind::Builtin { function, args: vec![arg] }, self.basic.bool_, span)
    }
}
