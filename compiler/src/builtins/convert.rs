//! Conversions between numeric types: plain, saturating, and with a rounding mode
//! (OpenCL C 6.4.3). All work on vectors lane by lane.

use crate::ir::{
    BinaryOp, Builder, ConvertOp, FloatCC, IntCC, MathOp, Scalar, Type, UnaryOp, Value,
};

/// A scalar type of numbers, with its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    pub scalar: Scalar,
    /// True for signed integers and for floats.
    pub signed: bool,
}

/// Rounding modes of conversions (OpenCL C 6.4.3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rounding {
    NearestEven,
    TowardZero,
    TowardPositive,
    TowardNegative,
}

impl Number {
    pub const INT: Number = Number { scalar: Scalar::I32, signed: true };

    pub fn is_float(self) -> bool {
        self.scalar.is_float()
    }

    /// Returns the least value of an integer type.
    pub fn min(self) -> i128 {
        match self.signed {
            true => -(1i128 << (self.scalar.bits() - 1)),
            false => 0,
        }
    }

    /// Returns the greatest value of an integer type.
    pub fn max(self) -> i128 {
        match self.signed {
            true => (1i128 << (self.scalar.bits() - 1)) - 1,
            false => (1i128 << self.scalar.bits()) - 1,
        }
    }
}

impl Builder<'_> {
    /// Converts a value to another number type: `convert_<to>[_sat][_rounding]`. Without a rounding mode, conversions to floats
    /// round to nearest even, conversions to integers toward zero.
    pub fn convert_number(
        &mut self,
        value: Value,
        (from, to): (Number, Number),
        rounding: Option<Rounding>,
        saturate: bool,
    ) -> Value {
        let ty = self.ty(value).with_scalar(to.scalar);
        match (from.scalar, to.scalar) {
            _ if from == to => value,
            (_, Scalar::Bool) => self.is_nonzero(value),
            (Scalar::Bool, _) if to.is_float() => {
                let one_or_zero = self.convert(ConvertOp::ZExt, value, ty.with_scalar(Scalar::I32));
                self.convert(ConvertOp::UToF, one_or_zero, ty)
            }
            (Scalar::Bool, _) => self.convert(ConvertOp::ZExt, value, ty),
            _ => match (from.is_float(), to.is_float()) {
                (false, false) if saturate => self.int_to_int_sat(value, from, to),
                (false, false) => self.resize_lanes(value, ty.scalar, from.signed),
                (false, true) => self.int_to_float(value, from, ty, rounding),
                (true, false) => self.float_to_int(value, to, ty, rounding, saturate),
                (true, true) => self.float_to_float(value, ty, rounding),
            },
        }
    }

    fn int_to_int_sat(&mut self, value: Value, from: Number, to: Number) -> Value {
        let ty = self.ty(value);
        let (low, high) = (to.min(), to.max());
        let mut value = value;
        // Clamps in the source's type if the target's bound lies inside the source's range.
        if from.signed && from.min() < low {
            let low = self.iconst(ty, low as i64);
            value = self.binary(BinaryOp::SMax, value, low);
        }
        if from.max() > high {
            let op = if from.signed { BinaryOp::SMin } else { BinaryOp::UMin };
            let high = self.iconst(ty, high as i64);
            value = self.binary(op, value, high);
        }
        self.resize_lanes(value, to.scalar, from.signed)
    }

    fn float_to_int(
        &mut self,
        value: Value,
        to: Number,
        ty: Type,
        rounding: Option<Rounding>,
        saturate: bool,
    ) -> Value {
        // Half is converted through float, which is exact.
        let wide = self.ty(value).scalar.bits().max(32);
        let float = if wide == 64 { Scalar::F64 } else { Scalar::F32 };
        let value_ty = self.ty(value).with_scalar(float);
        let value = self.convert(ConvertOp::FConvert, value, value_ty);
        let to_nearest = rounding == Some(Rounding::NearestEven);
        if to_nearest && float == Scalar::F64 && to.scalar.bits() <= 32 {
            return self.double_to_nearest(value, to, ty, saturate);
        }
        let value = match rounding {
            None | Some(Rounding::TowardZero) => value,
            Some(Rounding::NearestEven) => self.math(MathOp::Rint, &[value]),
            Some(Rounding::TowardPositive) => self.math(MathOp::Ceil, &[value]),
            Some(Rounding::TowardNegative) => self.math(MathOp::Floor, &[value]),
        };
        if saturate {
            self.float_to_int_sat(value, to, ty)
        } else {
            self.float_to_int_plain(value, to, ty)
        }
    }

    /// Converts a double to the nearest integer, to even in the middle. It adds a number so that the low word of the sum is the
    /// integer: twice as fast as to round and to convert.
    fn double_to_nearest(&mut self, value: Value, to: Number, ty: Type, saturate: bool) -> Value {
        let (float, wide) = (self.ty(value), ty.with_scalar(Scalar::I32));
        let magic = self.fconst(float, 1.5 * 52f64.exp2());
        let sum = self.binary_alone(BinaryOp::FAdd, value, magic);
        let bits = self.bitcast(sum, ty.with_scalar(Scalar::I64));
        let mut word = self.convert(ConvertOp::Trunc, bits, wide);
        if saturate {
            // NaN is not in the range.
            let magnitude = self.math(MathOp::FAbs, &[value]);
            let end = self.fconst(float, if to.signed { 31f64.exp2() } else { 32f64.exp2() });
            let within = self.fcmp(FloatCC::Ole, magnitude, end);
            let zero = self.iconst(wide, 0);
            word = self.select(within, word, zero);
            for (cc, end) in [(FloatCC::Olt, to.min()), (FloatCC::Ogt, to.max())] {
                let bound = self.fconst(float, end as f64);
                let beyond = self.fcmp(cc, value, bound);
                let end = self.iconst(wide, end as i64);
                word = self.select(beyond, end, word);
            }
        }
        self.resize_lanes(word, ty.scalar, to.signed)
    }

    /// Converts floats to integers toward zero; to narrow integers by way of 32 bits, so that too large values wrap around.
    fn float_to_int_plain(&mut self, value: Value, to: Number, ty: Type) -> Value {
        if ty.scalar.bits() < 32 {
            let wide = self.convert(ConvertOp::FToS, value, ty.with_scalar(Scalar::I32));
            return self.convert(ConvertOp::Trunc, wide, ty);
        }
        let op = if to.signed { ConvertOp::FToS } else { ConvertOp::FToU };
        self.convert(op, value, ty)
    }

    /// Converts floats to integers with saturation: values beyond the range give its ends, NaN gives 0. The conversion
    /// instruction gets only values in range.
    fn float_to_int_sat(&mut self, value: Value, to: Number, ty: Type) -> Value {
        let float = self.ty(value);
        let is_double = float.scalar == Scalar::F64;
        if !is_double && to.signed && to.scalar == Scalar::I32 {
            return self.float_to_i32_sat(value, ty);
        }
        let low = self.fconst(float, to.min() as f64);
        // The end of the range is a power of two, so exact.
        let end = (to.max() + 1) as f64;
        let high = self.fconst(float, end);
        // Devices have an instruction for the minimum of floats, but need a comparison for doubles.
        let safe = match is_double {
            true => self.in_range(value, (low, high)),
            false => {
                // The greatest number below the end may be one that float lacks.
                let exact = to.scalar.bits() <= 24;
                let greatest = if exact { end - 1.0 } else { end - end / 24f64.exp2() };
                let greatest = self.fconst(float, greatest);
                // The maximum of NaN and a number is the number.
                let safe = self.binary(BinaryOp::FMax, value, low);
                self.binary(BinaryOp::FMin, safe, greatest)
            }
        };
        // Values become narrow integers last, so that a later widening can undo it and keep all bits.
        let wide = if to.scalar.bits() < 32 { ty.with_scalar(Scalar::I32) } else { ty };
        let op = if to.signed || wide != ty { ConvertOp::FToS } else { ConvertOp::FToU };
        let mut result = self.convert(op, safe, wide);
        if is_double {
            let too_low = self.fcmp(FloatCC::Olt, value, low);
            let least = self.iconst(wide, to.min() as i64);
            result = self.select(too_low, least, result);
        }
        if is_double || to.scalar.bits() > 24 {
            let too_high = self.fcmp(FloatCC::Oge, value, high);
            let most = self.iconst(wide, to.max() as i64);
            result = self.select(too_high, most, result);
        }
        if !is_double && to.signed {
            let is_nan = self.fcmp(FloatCC::Une, value, value);
            let zero = self.iconst(wide, 0);
            result = self.select(is_nan, zero, result);
        }
        self.resize_lanes(result, ty.scalar, to.signed)
    }

    /// Like [`Self::float_to_int_sat`], for `int`: one comparison of the magnitude covers both ends, which are computed
    /// from the sign bit.
    fn float_to_i32_sat(&mut self, value: Value, ty: Type) -> Value {
        let float = self.ty(value);
        let magnitude = self.math(MathOp::FAbs, &[value]);
        let (end, zero) = (self.fconst(float, 31f64.exp2()), self.zero(float));
        let inside = self.fcmp(FloatCC::Olt, magnitude, end);
        let safe = self.select(inside, value, zero);
        let result = self.convert(ConvertOp::FToS, safe, ty);
        let bits = self.bitcast(value, ty);
        let sign = self.lshr_const(bits, 31);
        let nearest = self.add_const(sign, 0x7fff_ffff);
        // Both comparisons are false for NaN.
        let beyond = self.fcmp(FloatCC::Oge, magnitude, end);
        self.select(beyond, nearest, result)
    }

    /// Returns the value if it is in a range, its end excluded, else 0.
    fn in_range(&mut self, value: Value, (low, end): (Value, Value)) -> Value {
        let not_low = self.fcmp(FloatCC::Oge, value, low);
        let not_high = self.fcmp(FloatCC::Olt, value, end);
        let inside = self.binary(BinaryOp::And, not_low, not_high);
        let zero = self.zero(self.ty(value));
        self.select(inside, value, zero)
    }

    fn int_to_float(
        &mut self,
        value: Value,
        from: Number,
        ty: Type,
        rounding: Option<Rounding>,
    ) -> Value {
        let signed = from.signed;
        // Integers that do not fit float exactly overflow half, so going through float rounds once.
        if ty.scalar == Scalar::F16 {
            let float = ty.with_scalar(Scalar::F32);
            let value = self.int_to_float(value, from, float, rounding);
            return self.float_to_float(value, ty, rounding);
        }
        let digits = if ty.scalar == Scalar::F64 { 53 } else { 24 };
        let op = if signed { ConvertOp::SToF } else { ConvertOp::UToF };
        let exact = self.ty(value).scalar.bits() <= digits;
        match rounding {
            Some(mode) if !exact && mode != Rounding::NearestEven => {
                self.int_to_float_directed(value, signed, ty, digits, mode)
            }
            // Narrow integers go through 32 bits, as not every device converts them.
            _ if self.ty(value).scalar.bits() < 32 => {
                let wide = self.resize_lanes(value, Scalar::I32, signed);
                self.convert(ConvertOp::SToF, wide, ty)
            }
            _ => self.convert(op, value, ty),
        }
    }

    /// Converts an integer in a directed rounding mode: truncates the magnitude to the float's digits, converts
    /// it exactly, and steps away from zero if the mode asks for it and digits were lost.
    fn int_to_float_directed(
        &mut self,
        value: Value,
        signed: bool,
        ty: Type,
        digits: u32,
        mode: Rounding,
    ) -> Value {
        let int = self.ty(value);
        let width = int.scalar.bits();
        let negative = match signed {
            true => self.is_negative(value),
            false => {
                let no = self.func.bool_const(false);
                self.splat(no, int.lanes)
            }
        };
        let opposite = self.unary(UnaryOp::INeg, value);
        let magnitude = self.select(negative, opposite, value);
        // Bits below the digits: max(width - digits - clz, 0) of them.
        let leading = self.math(MathOp::Clz, &[magnitude]);
        let spare = self.iconst(int, i64::from(width - digits));
        let leading = self.binary(BinaryOp::UMin, leading, spare);
        let cut = self.binary(BinaryOp::ISub, spare, leading);
        let ones = self.iconst(int, -1);
        let mask = self.binary(BinaryOp::Shl, ones, cut);
        let kept = self.binary(BinaryOp::And, magnitude, mask);
        let inexact = self.icmp(IntCC::Ne, kept, magnitude);
        let toward_zero = self.convert(ConvertOp::UToF, kept, ty);
        let away = match mode {
            Rounding::TowardPositive => {
                let positive = self.unary(UnaryOp::Not, negative);
                self.binary(BinaryOp::And, inexact, positive)
            }
            Rounding::TowardNegative => self.binary(BinaryOp::And, inexact, negative),
            _ => {
                let no = self.func.bool_const(false);
                self.splat(no, int.lanes)
            }
        };
        let rounded = self.step_bits(toward_zero, away, 1);
        let minus = self.unary(UnaryOp::FNeg, rounded);
        self.select(negative, minus, rounded)
    }

    /// Returns the float whose bits are `by` more, where `condition` holds.
    fn step_bits(&mut self, value: Value, condition: Value, by: i64) -> Value {
        let ty = self.ty(value);
        let int = ty.with_scalar(Scalar::int(ty.scalar.bits()));
        let bits = self.bitcast(value, int);
        let by = self.iconst(int, by);
        let stepped = self.binary(BinaryOp::IAdd, bits, by);
        let bits = self.select(condition, stepped, bits);
        self.bitcast(bits, ty)
    }

    /// Returns halves as floats, and other values as they are.
    pub fn half_as_float(&mut self, value: Value) -> Value {
        let ty = self.ty(value);
        match ty.scalar {
            Scalar::F16 => self.convert(ConvertOp::FConvert, value, ty.with_scalar(Scalar::F32)),
            _ => value,
        }
    }

    fn float_to_float(&mut self, value: Value, ty: Type, rounding: Option<Rounding>) -> Value {
        let from = self.ty(value);
        let mode = rounding.unwrap_or(Rounding::NearestEven);
        // Half goes to double by way of float: widening is exact.
        if (from.scalar, ty.scalar) == (Scalar::F16, Scalar::F64) {
            let float = self.half_as_float(value);
            return self.convert(ConvertOp::FConvert, float, ty);
        }
        let narrows = ty.scalar.bits() < from.scalar.bits();
        match narrows && mode != Rounding::NearestEven {
            true => self.narrow(value, ty, mode),
            false => self.convert(ConvertOp::FConvert, value, ty),
        }
    }

    /// Returns a narrower float, rounded in a directed mode.
    fn narrow(&mut self, value: Value, ty: Type, mode: Rounding) -> Value {
        let bits = self.fptrunc_bits(value, ty.scalar, mode);
        let bits = self.resize_lanes(bits, Scalar::int(ty.scalar.bits()), false);
        self.bitcast(bits, ty)
    }
}
