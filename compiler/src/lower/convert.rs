//! Conversions between numeric types: plain, saturating, and with a rounding mode
//! (OpenCL C 6.4.3). All work on vectors lane by lane.

use super::function::Lowering;
use super::types;
use crate::ir::{BinaryOp, ConvertOp, FloatCC, IntCC, MathOp, Scalar, Type, UnaryOp, Value};
use crate::sema::hir::Rounding;
use crate::sema::types::Scalar as Name;

impl Lowering<'_, '_> {
    /// Emits the implicit conversion: to nearest even into floats, toward zero into integers.
    pub fn convert(&mut self, value: Value, from: Name, to: Name) -> Value {
        self.convert_with(value, from, to, None, false)
    }

    /// `convert_<to>[_sat][_rounding]`.
    pub fn convert_with(
        &mut self,
        value: Value,
        from: Name,
        to: Name,
        rounding: Option<Rounding>,
        saturate: bool,
    ) -> Value {
        let ty = self.b.ty(value).with_scalar(types::scalar(to));
        match (from, to) {
            _ if from == to => value,
            (_, Name::Bool) => self.is_nonzero(value),
            (Name::Bool, _) if to.is_float() => {
                let one_or_zero =
                    self.b.convert(ConvertOp::ZExt, value, ty.with_scalar(Scalar::I32));
                self.b.convert(ConvertOp::UToF, one_or_zero, ty)
            }
            (Name::Bool, _) => self.b.convert(ConvertOp::ZExt, value, ty),
            _ => match (from.is_float(), to.is_float()) {
                (false, false) if saturate => self.int_to_int_sat(value, from, to),
                (false, false) => self.resize(value, ty.scalar, from.is_signed()),
                (false, true) => self.int_to_float(value, from, ty, rounding),
                (true, false) => self.float_to_int(value, to, ty, rounding, saturate),
                (true, true) => self.float_to_float(value, ty, rounding),
            },
        }
    }

    fn int_to_int_sat(&mut self, value: Value, from: Name, to: Name) -> Value {
        let ty = self.b.ty(value);
        let (low, high) = (min_value(to), max_value(to));
        let mut value = value;
        // Clamp in the source's type where the target's bound lies inside the source's range.
        if from.is_signed() && min_value(from) < low {
            let low = self.b.iconst(ty, low as i64);
            value = self.b.binary(BinaryOp::SMax, value, low);
        }
        if max_value(from) > high {
            let op = if from.is_signed() { BinaryOp::SMin } else { BinaryOp::UMin };
            let high = self.b.iconst(ty, high as i64);
            value = self.b.binary(op, value, high);
        }
        self.resize(value, types::scalar(to), from.is_signed())
    }

    fn float_to_int(
        &mut self,
        value: Value,
        to: Name,
        ty: Type,
        rounding: Option<Rounding>,
        saturate: bool,
    ) -> Value {
        // Half is converted through float, which is exact.
        let wide = self.b.ty(value).scalar.bits().max(32);
        let float = if wide == 64 { Scalar::F64 } else { Scalar::F32 };
        let value_ty = self.b.ty(value).with_scalar(float);
        let value = self.b.convert(ConvertOp::FConvert, value, value_ty);
        let value = match rounding {
            None | Some(Rounding::TowardZero) => value,
            Some(Rounding::NearestEven) => self.b.math(MathOp::Rint, &[value]),
            Some(Rounding::TowardPositive) => self.b.math(MathOp::Ceil, &[value]),
            Some(Rounding::TowardNegative) => self.b.math(MathOp::Floor, &[value]),
        };
        if saturate {
            self.float_to_int_sat(value, to, ty)
        } else {
            self.float_to_int_plain(value, to, ty)
        }
    }

    /// Toward zero; narrow integers through 32 bits, so that what does not fit wraps around.
    fn float_to_int_plain(&mut self, value: Value, to: Name, ty: Type) -> Value {
        if ty.scalar.bits() < 32 {
            let wide = self.b.convert(ConvertOp::FToS, value, ty.with_scalar(Scalar::I32));
            return self.b.convert(ConvertOp::Trunc, wide, ty);
        }
        let op = if to.is_signed() { ConvertOp::FToS } else { ConvertOp::FToU };
        self.b.convert(op, value, ty)
    }

    /// Values beyond the range give its ends, NaN gives 0; the conversion itself sees only values
    /// in range.
    fn float_to_int_sat(&mut self, value: Value, to: Name, ty: Type) -> Value {
        let float = self.b.ty(value);
        // Both bounds are powers of two or zero, so exact. What lies between the lower bound and the
        // integer below it would be cut to the bound anyway.
        let low = self.b.fconst(float, min_value(to) as f64);
        let high = self.b.fconst(float, (max_value(to) + 1) as f64);
        let too_low = self.b.fcmp(FloatCC::Olt, value, low);
        let too_high = self.b.fcmp(FloatCC::Oge, value, high);
        let not_low = self.b.fcmp(FloatCC::Oge, value, low);
        let not_high = self.b.fcmp(FloatCC::Olt, value, high);
        let inside = self.b.binary(BinaryOp::And, not_low, not_high);
        let zero = self.zero(float);
        let safe = self.b.select(inside, value, zero);
        let result = self.float_to_int_plain(safe, to, ty);
        let least = self.b.iconst(ty, min_value(to) as i64);
        let most = self.b.iconst(ty, max_value(to) as i64);
        let result = self.b.select(too_low, least, result);
        self.b.select(too_high, most, result)
    }

    fn int_to_float(
        &mut self,
        value: Value,
        from: Name,
        ty: Type,
        rounding: Option<Rounding>,
    ) -> Value {
        let signed = from.is_signed();
        // Integers that do not fit float exactly overflow half, so going through float rounds once.
        if ty.scalar == Scalar::F16 {
            let float = ty.with_scalar(Scalar::F32);
            let value = self.int_to_float(value, from, float, rounding);
            return self.float_to_float(value, ty, rounding);
        }
        let digits = if ty.scalar == Scalar::F64 { 53 } else { 24 };
        let op = if signed { ConvertOp::SToF } else { ConvertOp::UToF };
        let exact = self.b.ty(value).scalar.bits() <= digits;
        match rounding {
            Some(mode) if !exact && mode != Rounding::NearestEven => {
                self.int_to_float_directed(value, signed, ty, digits, mode)
            }
            // Narrow integers go through 32 bits, as not every device converts them.
            _ if self.b.ty(value).scalar.bits() < 32 => {
                let wide = self.resize(value, Scalar::I32, signed);
                self.b.convert(ConvertOp::SToF, wide, ty)
            }
            _ => self.b.convert(op, value, ty),
        }
    }

    /// Cuts the magnitude to the float's digits, converts that exactly, and steps away from zero
    /// where the mode asks for it and something was cut.
    fn int_to_float_directed(
        &mut self,
        value: Value,
        signed: bool,
        ty: Type,
        digits: u32,
        mode: Rounding,
    ) -> Value {
        let int = self.b.ty(value);
        let width = int.scalar.bits();
        let negative = match signed {
            true => self.is_negative(value),
            false => {
                let no = self.b.func.bool_const(false);
                self.b.splat(no, int.lanes)
            }
        };
        let opposite = self.b.unary(UnaryOp::INeg, value);
        let magnitude = self.b.select(negative, opposite, value);
        // Bits below the digits: max(width - digits - clz, 0) of them.
        let leading = self.b.math(MathOp::Clz, &[magnitude]);
        let spare = self.b.iconst(int, i64::from(width - digits));
        let leading = self.b.binary(BinaryOp::UMin, leading, spare);
        let cut = self.b.binary(BinaryOp::ISub, spare, leading);
        let ones = self.b.iconst(int, -1);
        let mask = self.b.binary(BinaryOp::Shl, ones, cut);
        let kept = self.b.binary(BinaryOp::And, magnitude, mask);
        let inexact = self.b.icmp(IntCC::Ne, kept, magnitude);
        let toward_zero = self.b.convert(ConvertOp::UToF, kept, ty);
        let away = match mode {
            Rounding::TowardPositive => {
                let positive = self.b.unary(UnaryOp::Not, negative);
                self.b.binary(BinaryOp::And, inexact, positive)
            }
            Rounding::TowardNegative => self.b.binary(BinaryOp::And, inexact, negative),
            _ => {
                let no = self.b.func.bool_const(false);
                self.b.splat(no, int.lanes)
            }
        };
        let rounded = self.step_bits(toward_zero, away, 1);
        let minus = self.b.unary(UnaryOp::FNeg, rounded);
        self.b.select(negative, minus, rounded)
    }

    /// Returns the float whose bits are `by` more, where `condition` holds.
    fn step_bits(&mut self, value: Value, condition: Value, by: i64) -> Value {
        let ty = self.b.ty(value);
        let int = ty.with_scalar(Scalar::int(ty.scalar.bits()));
        let bits = self.b.bitcast(value, int);
        let by = self.b.iconst(int, by);
        let stepped = self.b.binary(BinaryOp::IAdd, bits, by);
        let bits = self.b.select(condition, stepped, bits);
        self.b.bitcast(bits, ty)
    }

    fn float_to_float(&mut self, value: Value, ty: Type, rounding: Option<Rounding>) -> Value {
        let from = self.b.ty(value);
        let mode = rounding.unwrap_or(Rounding::NearestEven);
        // Between half and double lies float: on the way up it changes nothing.
        if (from.scalar, ty.scalar) == (Scalar::F16, Scalar::F64) {
            let float = self.half_as_float(value);
            return self.b.convert(ConvertOp::FConvert, float, ty);
        }
        let narrows = ty.scalar.bits() < from.scalar.bits();
        match narrows && mode != Rounding::NearestEven {
            true => self.narrow(value, ty, mode),
            false => self.b.convert(ConvertOp::FConvert, value, ty),
        }
    }

    /// Returns a narrower float, rounded in a directed mode.
    fn narrow(&mut self, value: Value, ty: Type, mode: Rounding) -> Value {
        let bits = self.fptrunc_bits(value, ty.scalar, mode);
        let bits = self.resize(bits, Scalar::int(ty.scalar.bits()), false);
        self.b.bitcast(bits, ty)
    }
}

/// Returns the least value of an integer type.
pub fn min_value(name: Name) -> i128 {
    match name.is_signed() {
        true => -(1i128 << (8 * name.size() - 1)),
        false => 0,
    }
}

/// Returns the greatest value of an integer type.
pub fn max_value(name: Name) -> i128 {
    match name.is_signed() {
        true => (1i128 << (8 * name.size() - 1)) - 1,
        false => (1i128 << (8 * name.size())) - 1,
    }
}
