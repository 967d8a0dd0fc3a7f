//! Integer functions (OpenCL C 6.15.3).

use super::{done, BuiltinCall, BuiltinResult};
use crate::ir::{BinaryOp, ConvertOp, IntCC, MathOp, Scalar, UnaryOp, Value};
use crate::lower::convert::{max_value, min_value};
use crate::lower::function::Lowering;
use crate::sema::types::Scalar as Name;

impl Lowering<'_, '_> {
    pub fn integer_builtin(&mut self, call: &BuiltinCall) -> BuiltinResult {
        if !self.is_int_call(call) {
            return None;
        }
        let name = self.element(call, 0);
        let args = self.splat_args(call);
        match *args.as_slice() {
            [x] => self.integer_unary(call, name, x),
            [x, y] => self.integer_binary(call, name, x, y),
            [x, y, z] => self.integer_ternary(call, name, x, y, z),
            _ => None,
        }
    }

    fn integer_unary(&mut self, call: &BuiltinCall, name: Name, x: Value) -> BuiltinResult {
        done(match call.name {
            "abs" if name.is_signed() => {
                // Also right for the least value, whose magnitude is unsigned.
                let negated = self.b.unary(UnaryOp::INeg, x);
                self.b.binary(BinaryOp::SMax, x, negated)
            }
            "abs" => x,
            "clz" => self.b.math(MathOp::Clz, &[x]),
            "ctz" => self.b.math(MathOp::Ctz, &[x]),
            "popcount" => self.b.math(MathOp::PopCount, &[x]),
            "bit_reverse" => self.b.math(MathOp::BitReverse, &[x]),
            _ => return None,
        })
    }

    fn integer_binary(
        &mut self,
        call: &BuiltinCall,
        name: Name,
        x: Value,
        y: Value,
    ) -> BuiltinResult {
        let signed = name.is_signed();
        done(match call.name {
            "min" => self.b.binary(if signed { BinaryOp::SMin } else { BinaryOp::UMin }, x, y),
            "max" => self.b.binary(if signed { BinaryOp::SMax } else { BinaryOp::UMax }, x, y),
            "abs_diff" => {
                let cc = if signed { IntCC::Sgt } else { IntCC::Ugt };
                let greater = self.b.icmp(cc, x, y);
                let down = self.b.binary(BinaryOp::ISub, x, y);
                let up = self.b.binary(BinaryOp::ISub, y, x);
                self.b.select(greater, down, up)
            }
            "add_sat" => self.add_sat(name, x, y),
            "sub_sat" => self.sub_sat(name, x, y),
            "hadd" | "rhadd" => {
                let down = call.name == "hadd";
                let common = self.b.binary(if down { BinaryOp::And } else { BinaryOp::Or }, x, y);
                let differing = self.b.binary(BinaryOp::Xor, x, y);
                let shift = if signed { BinaryOp::AShr } else { BinaryOp::LShr };
                let halved = self.b.binary_const(shift, differing, 1);
                self.b.binary(if down { BinaryOp::IAdd } else { BinaryOp::ISub }, common, halved)
            }
            "mul_hi" => self.mul_hi(name, x, y),
            "mul24" => self.b.binary(BinaryOp::IMul, x, y),
            "rotate" => {
                let mask = i64::from(self.b.ty(x).scalar.bits() - 1);
                let left = self.b.and_const(y, mask);
                let back = self.b.unary(UnaryOp::INeg, y);
                let right = self.b.and_const(back, mask);
                let high = self.b.binary(BinaryOp::Shl, x, left);
                let low = self.b.binary(BinaryOp::LShr, x, right);
                self.b.binary(BinaryOp::Or, high, low)
            }
            "upsample" => {
                let to = call.result.scalar;
                let high = self.b.resize(x, to, false);
                let high = self.b.shl_const(high, i64::from(to.bits() / 2));
                let low = self.b.resize(y, to, false);
                self.b.binary(BinaryOp::Or, high, low)
            }
            _ => return None,
        })
    }

    fn integer_ternary(
        &mut self,
        call: &BuiltinCall,
        name: Name,
        x: Value,
        y: Value,
        z: Value,
    ) -> BuiltinResult {
        let signed = name.is_signed();
        done(match call.name {
            "clamp" => {
                let (max, min) = match signed {
                    true => (BinaryOp::SMax, BinaryOp::SMin),
                    false => (BinaryOp::UMax, BinaryOp::UMin),
                };
                let raised = self.b.binary(max, x, y);
                self.b.binary(min, raised, z)
            }
            "mad_hi" => {
                let high = self.mul_hi(name, x, y);
                self.b.binary(BinaryOp::IAdd, high, z)
            }
            "mad24" => {
                let product = self.b.binary(BinaryOp::IMul, x, y);
                self.b.binary(BinaryOp::IAdd, product, z)
            }
            "mad_sat" if name.size() < 4 => self.mad_sat_narrow(name, x, y, z),
            "mad_sat" => self.mad_sat(name, x, y, z),
            _ => return None,
        })
    }

    fn add_sat(&mut self, name: Name, x: Value, y: Value) -> Value {
        let sum = self.b.binary(BinaryOp::IAdd, x, y);
        if !name.is_signed() {
            let wrapped = self.b.icmp(IntCC::Ult, sum, x);
            let most = self.b.iconst(self.b.ty(x), -1);
            return self.b.select(wrapped, most, sum);
        }
        // Overflow: the sum's sign differs from both operands'.
        let a = self.b.binary(BinaryOp::Xor, x, sum);
        let b = self.b.binary(BinaryOp::Xor, y, sum);
        let both = self.b.binary(BinaryOp::And, a, b);
        self.saturate_by_sign(name, both, x, sum)
    }

    fn sub_sat(&mut self, name: Name, x: Value, y: Value) -> Value {
        let difference = self.b.binary(BinaryOp::ISub, x, y);
        if !name.is_signed() {
            let wrapped = self.b.icmp(IntCC::Ult, x, y);
            let zero = self.b.zero(self.b.ty(x));
            return self.b.select(wrapped, zero, difference);
        }
        let a = self.b.binary(BinaryOp::Xor, x, y);
        let b = self.b.binary(BinaryOp::Xor, x, difference);
        let both = self.b.binary(BinaryOp::And, a, b);
        self.saturate_by_sign(name, both, x, difference)
    }

    /// `value`, or where `overflow` is negative the bound on the side of `sign`.
    fn saturate_by_sign(
        &mut self,
        name: Name,
        overflow: Value,
        sign: Value,
        value: Value,
    ) -> Value {
        let ty = self.b.ty(value);
        let least = self.b.iconst(ty, min_value(name) as i64);
        let most = self.b.iconst(ty, max_value(name) as i64);
        let negative = self.b.is_negative(sign);
        let bound = self.b.select(negative, least, most);
        let overflow = self.b.is_negative(overflow);
        self.b.select(overflow, bound, value)
    }

    fn mul_hi(&mut self, name: Name, x: Value, y: Value) -> Value {
        let signed = name.is_signed();
        let ty = self.b.ty(x);
        let bits = ty.scalar.bits();
        if bits >= 32 {
            let op = if signed { BinaryOp::SMulHi } else { BinaryOp::UMulHi };
            return self.b.binary(op, x, y);
        }
        let (x, y) = (self.b.resize(x, Scalar::I32, signed), self.b.resize(y, Scalar::I32, signed));
        let product = self.b.binary(BinaryOp::IMul, x, y);
        let high = self.b.lshr_const(product, i64::from(bits));
        self.b.convert(ConvertOp::Trunc, high, ty)
    }

    /// 8 and 16 bits: `x * y + z` fits 32 bits.
    fn mad_sat_narrow(&mut self, name: Name, x: Value, y: Value, z: Value) -> Value {
        let signed = name.is_signed();
        let [x, y, z] = [x, y, z].map(|v| self.b.resize(v, Scalar::I32, signed));
        let product = self.b.binary(BinaryOp::IMul, x, y);
        let sum = self.b.binary(BinaryOp::IAdd, product, z);
        let wide = if signed { Name::Int } else { Name::UInt };
        self.convert_with(sum, wide, name, None, true)
    }

    /// `x * y + z` in twice the width: `high:low`, which fits if the high half is the low half's
    /// sign (or zero).
    fn mad_sat(&mut self, name: Name, x: Value, y: Value, z: Value) -> Value {
        let signed = name.is_signed();
        let ty = self.b.ty(x);
        let product = self.b.binary(BinaryOp::IMul, x, y);
        let high = self.mul_hi(name, x, y);
        let low = self.b.binary(BinaryOp::IAdd, product, z);
        let carry = self.b.icmp(IntCC::Ult, low, product);
        let carry = self.b.convert(ConvertOp::ZExt, carry, ty);
        let high = self.b.binary(BinaryOp::IAdd, high, carry);
        if !signed {
            let overflow = self.b.is_nonzero(high);
            let most = self.b.iconst(ty, -1);
            return self.b.select(overflow, most, low);
        }
        let top = i64::from(ty.scalar.bits() - 1);
        let extension = self.b.binary_const(BinaryOp::AShr, z, top);
        let high = self.b.binary(BinaryOp::IAdd, high, extension);
        let expected = self.b.binary_const(BinaryOp::AShr, low, top);
        let overflow = self.b.icmp(IntCC::Ne, high, expected);
        let least = self.b.iconst(ty, min_value(name) as i64);
        let most = self.b.iconst(ty, max_value(name) as i64);
        let negative = self.b.is_negative(high);
        let bound = self.b.select(negative, least, most);
        self.b.select(overflow, bound, low)
    }
}
