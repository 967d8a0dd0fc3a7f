//! Calls of the built-in library, one per vector component.
//!
//! The library's function for `sin` of a float is `__sin_f32`. Pointer parameters of the library are private: a temporary
//! receives the value, which is then stored through the call's pointer.

use super::{Call, Lowerer};
use crate::ir::{Addr, ConvertOp, Scalar, Type, Value};

/// An out parameter: its target and its type there, its type in the library, which has no half, and the temporary for one
/// component.
struct Output {
    target: Addr,
    ty: Type,
    computed: Type,
    temporary: Addr,
    lanes: Vec<Value>,
}

impl Lowerer<'_, '_> {
    /// Calls the library's function `name` with the call's arguments, if there is one.
    pub(super) fn library(&mut self, name: &str, call: &Call<'_>) -> Option<Value> {
        let scalar = match call.args.first().map(|&arg| self.b.ty(arg).scalar) {
            Some(scalar) if scalar.is_float() => scalar,
            _ => return None,
        };
        let func = self.front.library_function(name, scalar)?;
        let mut outputs = self.outputs(call);
        let mut results = Vec::new();
        for lane in 0..call.result.lanes {
            let mut next_output = outputs.iter();
            let mut args = Vec::new();
            for &arg in call.args {
                args.push(match self.b.ty(arg).scalar.is_ptr() {
                    true => next_output.next().map_or(arg, |output| output.temporary.ptr),
                    false => self.b.extract(arg, lane),
                });
            }
            let result = self.b.call(func, &args, Some(call.result.lane()))?;
            results.push(result);
            for output in &mut outputs {
                let value = self.b.read(output.computed.lane(), output.temporary);
                output.lanes.push(value);
            }
        }
        for output in outputs {
            let value = self.b.build(&output.lanes);
            let value = self.b.convert(ConvertOp::FConvert, value, output.ty);
            self.b.write(output.target, value);
        }
        Some(self.b.build(&results))
    }

    /// Like [`Self::library`] for plain values: arguments and result have one type.
    pub(super) fn library_values(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        let ty = self.b.ty(*args.first()?);
        let func = self.front.library_function(name, ty.scalar)?;
        let mut results = Vec::new();
        for lane in 0..ty.lanes {
            let lanes: Vec<Value> = args.iter().map(|&arg| self.b.extract(arg, lane)).collect();
            results.push(self.b.call(func, &lanes, Some(ty.lane()))?);
        }
        Some(self.b.build(&results))
    }

    fn outputs(&mut self, call: &Call<'_>) -> Vec<Output> {
        let mut outputs = Vec::new();
        for (&arg, &pointee) in call.args.iter().zip(call.types) {
            if !self.b.ty(arg).scalar.is_ptr() {
                continue;
            }
            let (ty, (_, align)) = (pointee.value(), pointee.layout());
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
