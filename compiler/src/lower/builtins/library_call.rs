//! Calls of the built-in library, one per vector component.
//!
//! The library's function for `sin` of a float is `__sin_f32`. Its pointer parameters are private;
//! other pointers get what was written to a temporary.

use super::BuiltinCall;
use crate::ir::Addr;
use crate::ir::{ConvertOp, Scalar, Type, Value};
use crate::library::{self, Unit};
use crate::lower::function::Lowering;
use crate::lower::{types, Origin};
use crate::sema::types::TypeKind;
use crate::source::Span;

/// Out parameter: where it goes, its type there (and in the library, which has no half), and the
/// temporary of a component.
struct Output {
    target: Addr,
    ty: Type,
    computed: Type,
    temporary: Addr,
    lanes: Vec<Value>,
}

impl Lowering<'_, '_> {
    /// Calls the library's function `name` with the call's arguments, if there is one.
    pub fn library_math(&mut self, name: &str, call: &BuiltinCall) -> Option<Value> {
        let scalar = match call.args.first().map(|&arg| self.b.ty(arg).scalar) {
            Some(scalar) if scalar.is_float() => scalar,
            _ => return None,
        };
        let (origin, id) = self.library_function(name, scalar)?;
        let mut outputs = self.outputs(call);
        let mut results = Vec::new();
        for lane in 0..call.result.lanes {
            let mut next_output = outputs.iter();
            let mut args = Vec::new();
            for &arg in &call.args {
                args.push(match self.b.ty(arg).scalar.is_ptr() {
                    true => next_output.next().map_or(arg, |output| output.temporary.ptr),
                    false => self.b.extract(arg, lane),
                });
            }
            let func = self.context.function(origin, id, call.span);
            let result = self.b.call(func, &args, Some(call.result.lane()))?;
            results.push(result);
            for output in &mut outputs {
                let value = self.b.read(output.computed.lane(), output.temporary);
                output.lanes.push(value);
            }
        }
        for output in outputs {
            let value = self.b.join_lanes(&output.lanes);
            let value = self.b.convert(ConvertOp::FConvert, value, output.ty);
            self.b.write(output.target, value);
        }
        Some(self.b.join_lanes(&results))
    }

    /// As [`Self::library_math`] for plain values: arguments and result have one type.
    pub fn library_values(&mut self, name: &str, args: &[Value], span: Span) -> Option<Value> {
        let ty = self.b.ty(*args.first()?);
        let (origin, id) = self.library_function(name, ty.scalar)?;
        let mut results = Vec::new();
        for lane in 0..ty.lanes {
            let lanes: Vec<Value> = args.iter().map(|&arg| self.b.extract(arg, lane)).collect();
            let func = self.context.function(origin, id, span);
            results.push(self.b.call(func, &lanes, Some(ty.lane()))?);
        }
        Some(self.b.join_lanes(&results))
    }

    fn library_function(
        &self,
        name: &str,
        scalar: Scalar,
    ) -> Option<(Origin, crate::sema::hir::FunctionId)> {
        let (unit, suffix) = match scalar {
            Scalar::F64 => (Unit::Double, "f64"),
            _ => (Unit::Float, "f32"),
        };
        let library = library::unit(unit, self.context.target);
        let id = library.functions.get(&format!("__{name}_{suffix}"))?;
        Some((Origin::Library(unit), *id))
    }

    fn outputs(&mut self, call: &BuiltinCall) -> Vec<Output> {
        let mut outputs = Vec::new();
        for (&arg, &ty) in call.args.iter().zip(&call.types) {
            let TypeKind::Pointer(pointer) = *self.types().kind(ty) else { continue };
            let ty = self.value_type(pointer.pointee);
            let align = types::layout(self.types(), pointer.pointee).1;
            let computed = match ty.scalar {
                Scalar::F16 => ty.with_scalar(Scalar::F32),
                _ => ty,
            };
            let size = computed.scalar.bytes();
            outputs.push(Output {
                target: Addr::new(arg, align),
                ty,
                computed,
                temporary: self.b.private_memory(u64::from(size), size),
                lanes: Vec::new(),
            });
        }
        outputs
    }
}
