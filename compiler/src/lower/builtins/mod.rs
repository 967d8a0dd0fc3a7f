//! What each built-in function means (OpenCL C 6.15): instructions where the device has them and
//! they are good enough, else a function of the built-in library.
//!
//! Each file handles a chapter; [`Lowering::builtin`] asks them in turn.

mod async_copy;
mod atomics;
mod c11_atomics;
mod collective;
mod common;
mod fast_math;
mod float_bits;
mod geometric;
mod half;
mod integer;
mod library_call;
mod math;
mod memory;
mod printf;
mod relational;
mod shuffle;
mod spaces;
mod sync;
mod work_item;

use super::function::Lowering;
use crate::ir::{Type, Value};
use crate::sema::hir::Expr;
use crate::sema::types::{Scalar as Name, TypeId};
use crate::source::Span;

/// A call of a built-in function with evaluated arguments.
pub struct BuiltinCall {
    pub name: &'static str,
    pub args: Vec<Value>,
    pub types: Vec<TypeId>,
    /// Type of the result; I32 for void.
    pub result: Type,
    pub span: Span,
}

/// `Some` when a chapter knows the function: its result, if it has one.
pub type BuiltinResult = Option<Option<Value>>;

/// Returns what a chapter gives for a function with a result.
pub fn done(value: Value) -> BuiltinResult {
    Some(Some(value))
}

impl BuiltinCall {
    /// Argument number `n`. Chapters ask for the number of arguments first (`let [x, y] = ...`).
    pub fn arg_type(&self, n: usize) -> Option<TypeId> {
        self.types.get(n).copied()
    }
}

impl Lowering<'_, '_> {
    /// Lowers a call of a built-in function.
    pub fn builtin(&mut self, name: &'static str, args: &[Expr], expr: &Expr) -> Option<Value> {
        if name == "printf" {
            return Some(self.printf(args));
        }
        let values = args.iter().map(|arg| self.value(arg)).collect();
        let call = BuiltinCall {
            name,
            args: values,
            types: args.iter().map(|arg| arg.ty).collect(),
            result: self.value_type(expr.ty),
            span: expr.span,
        };
        let lowered = self
            .work_item_builtin(&call)
            .or_else(|| self.sync_builtin(&call))
            .or_else(|| self.collective_builtin(&call))
            .or_else(|| self.space_builtin(&call))
            .or_else(|| self.memory_builtin(&call))
            .or_else(|| self.atomic_builtin(&call))
            .or_else(|| self.integer_builtin(&call))
            .or_else(|| self.relational_builtin(&call))
            .or_else(|| self.shuffle_builtin(&call))
            .or_else(|| self.async_builtin(&call))
            .or_else(|| self.half_builtin(&call))
            .or_else(|| self.common_builtin(&call))
            .or_else(|| self.geometric_builtin(&call))
            .or_else(|| self.math_builtin(&call));
        lowered.unwrap_or_else(|| {
            let message = format!("built-in function '{name}' is not supported for these types");
            self.error(expr.span, message);
            Some(self.b.undef(call.result))
        })
    }

    /// Element type of an argument.
    pub fn element(&self, call: &BuiltinCall, n: usize) -> Name {
        call.arg_type(n).map_or(Name::Int, |ty| self.numeric(ty).0)
    }

    pub fn is_float_call(&self, call: &BuiltinCall) -> bool {
        call.args.first().is_some_and(|&arg| self.b.ty(arg).scalar.is_float())
    }

    pub fn is_int_call(&self, call: &BuiltinCall) -> bool {
        call.args.first().is_some_and(|&arg| self.b.ty(arg).scalar.is_int())
    }

    /// Returns the arguments, scalars repeated to the widest vector among them.
    pub fn splat_args(&mut self, call: &BuiltinCall) -> Vec<Value> {
        let widest = call.args.iter().copied().max_by_key(|&arg| self.b.ty(arg).lanes);
        let Some(widest) = widest else { return Vec::new() };
        call.args.iter().map(|&arg| self.b.match_lanes(arg, widest)).collect()
    }
}
