//! Relational functions (OpenCL C 6.15.6). Classification looks at bits, so that no driver's
//! opinion of NaN matters.

use super::{done, BuiltinCall, BuiltinResult};
use crate::ir::{BinaryOp, FloatCC, IntCC, Scalar, Type, UnaryOp, Value};
use crate::lower::function::Lowering;

impl Lowering<'_, '_> {
    pub fn relational_builtin(&mut self, call: &BuiltinCall) -> BuiltinResult {
        match (call.name, call.args.as_slice()) {
            ("any" | "all", &[x]) => done(self.any_all(call, x)),
            ("select", &[a, b, c]) => {
                // Scalars by value, vectors by the sign bit of each component.
                let cond = match self.b.ty(c).is_vector() {
                    true => self.b.is_negative(c),
                    false => self.b.is_nonzero(c),
                };
                done(self.b.select(cond, b, a))
            }
            ("bitselect", &[a, b, c]) => done(self.bitselect(a, b, c)),
            (_, &[x]) if self.is_float_call(call) => {
                let truth = self.classify(call.name, x)?;
                done(self.b.int_of_bool(truth, call.result))
            }
            (_, &[x, y]) if self.is_float_call(call) => {
                let cc = match call.name {
                    "isequal" => FloatCC::Oeq,
                    "isnotequal" => FloatCC::Une,
                    "isgreater" => FloatCC::Ogt,
                    "isgreaterequal" => FloatCC::Oge,
                    "isless" => FloatCC::Olt,
                    "islessequal" => FloatCC::Ole,
                    "islessgreater" => FloatCC::One,
                    "isordered" | "isunordered" => {
                        return done(self.ordered(call, x, y));
                    }
                    _ => return None,
                };
                let truth = self.b.fcmp(cc, x, y);
                done(self.b.int_of_bool(truth, call.result))
            }
            _ => None,
        }
    }

    fn any_all(&mut self, call: &BuiltinCall, x: Value) -> Value {
        let signs = self.b.is_negative(x);
        let op = if call.name == "any" { BinaryOp::Or } else { BinaryOp::And };
        let mut result = self.b.extract(signs, 0);
        for lane in 1..self.b.ty(x).lanes {
            let sign = self.b.extract(signs, lane);
            result = self.b.binary(op, result, sign);
        }
        self.b.int_of_bool(result, call.result)
    }

    fn bitselect(&mut self, a: Value, b: Value, c: Value) -> Value {
        let ty = self.b.ty(a);
        let bits = self.b.bits_type(a);
        let [a, b, c] = [a, b, c].map(|v| self.b.bitcast(v, bits));
        // b's bits where c has ones: a ^ ((a ^ b) & c).
        let differing = self.b.binary(BinaryOp::Xor, a, b);
        let chosen = self.b.binary(BinaryOp::And, differing, c);
        let result = self.b.binary(BinaryOp::Xor, a, chosen);
        self.b.bitcast(result, ty)
    }

    fn ordered(&mut self, call: &BuiltinCall, x: Value, y: Value) -> Value {
        let (x, y) = (self.is_nan(x), self.is_nan(y));
        let mut truth = self.b.binary(BinaryOp::Or, x, y);
        if call.name == "isordered" {
            truth = self.b.unary(UnaryOp::Not, truth);
        }
        self.b.int_of_bool(truth, call.result)
    }

    fn classify(&mut self, name: &str, x: Value) -> Option<Value> {
        Some(match name {
            "isnan" => self.is_nan(x),
            "isinf" => self.compare_magnitude(IntCC::Eq, x),
            "isfinite" => self.compare_magnitude(IntCC::Ult, x),
            "isnormal" => {
                // least normal <= magnitude < infinity
                let (magnitude, infinity) = self.magnitude(x);
                let least = infinity & infinity.wrapping_neg();
                let above = self.b.compare_const(IntCC::Uge, magnitude, least);
                let below = self.b.compare_const(IntCC::Ult, magnitude, infinity);
                self.b.binary(BinaryOp::And, above, below)
            }
            "signbit" => {
                let bits = self.b.bitcast(x, self.b.bits_type(x));
                self.b.is_negative(bits)
            }
            _ => return None,
        })
    }

    /// Returns a boolean for each lane: true if it is NaN.
    pub fn is_nan(&mut self, x: Value) -> Value {
        self.compare_magnitude(IntCC::Ugt, x)
    }

    fn compare_magnitude(&mut self, cc: IntCC, x: Value) -> Value {
        let (magnitude, infinity) = self.magnitude(x);
        self.b.compare_const(cc, magnitude, infinity)
    }

    /// Returns the bits without the sign, and those of infinity.
    pub fn magnitude(&mut self, x: Value) -> (Value, i64) {
        let ty: Type = self.b.bits_type(x);
        let bits = self.b.bitcast(x, ty);
        let (mask, infinity) = match ty.scalar {
            Scalar::I16 => (0x7fff, 0x7c00),
            Scalar::I32 => (0x7fff_ffff, 0x7f80_0000),
            _ => (i64::MAX, 0x7ff0_0000_0000_0000),
        };
        (self.b.and_const(bits, mask), infinity)
    }
}
