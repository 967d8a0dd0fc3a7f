//! Calls of functions of queues on the device that take no block (OpenCL C 6.15.17).

use crate::builtins::Builtin;
use crate::sema::convert::Context;
use crate::sema::hir::{Expr, ExprKind};
use crate::sema::operand::value;
use crate::sema::types::{TypeId, CLK_EVENT, QUEUE};
use crate::sema::Sema;
use crate::source::Span;
use crate::syntax::ast::AddressSpace;

impl Sema<'_> {
    /// Analyzes a call of one of these functions.
    pub(super) fn device_queue_builtin(
        &mut self,
        function: Builtin,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let (params, result) = self.device_queue_signature(function.name());
        if !self.has_count(&args, params.len(), span) {
            return self.error_value(span);
        }
        let pairs = args.into_iter().zip(params);
        let args: Vec<Expr> =
            pairs.map(|(arg, ty)| self.assign_convert(arg, ty, Context::Passing)).collect();
        if args.iter().any(|arg| self.is_error(arg.ty)) {
            return self.error_value(span);
        }
        value(ExprKind::Builtin { function, args }, result, span)
    }

    /// Returns the types of parameters and result.
    fn device_queue_signature(&mut self, name: &str) -> (Vec<TypeId>, TypeId) {
        let (queue, event) = (self.device_queue_type(QUEUE), self.device_queue_type(CLK_EVENT));
        let (void, int, uint) = (self.basic.void, self.basic.int, self.basic.uint);
        let memory = self.module.types.pointer(void, AddressSpace::Global);
        match name {
            "get_default_queue" => (vec![], queue),
            "create_user_event" => (vec![], event),
            "is_valid_event" => (vec![event], self.basic.bool_),
            "set_user_event_status" => (vec![event, int], void),
            "capture_event_profiling_info" => (vec![event, uint, memory], void),
            _ => (vec![event], void),
        }
    }
}
