//! Geometric functions (OpenCL C 6.15.5).

use super::dot_product;
use super::math::FLOATS;
use super::row::Row;
use super::signature::TypePattern::{E, G};
use super::signature::{Elements, Lanes, Sig, TypePattern};
use super::{Call, Lowerer};
use crate::ir::{BinaryOp, FloatCC, MathOp, Value};

/// Geometric functions take up to four components.
const LANES: Lanes = &[1, 2, 3, 4];

const fn geometric(elements: Elements, ret: TypePattern, params: &'static [TypePattern]) -> Sig {
    Sig::new(elements, ret, params).lanes(LANES)
}

/// The patterns of `dot`: of floats and, as an integer function (6.15.3), of 8-bit integers.
const DOT: &[Sig] = &[
    geometric(FLOATS, E, &[G, G]),
    dot_product::OF_UNSIGNED,
    dot_product::OF_SIGNED,
    dot_product::OF_MIXED[0],
    dot_product::OF_MIXED[1],
];

pub(super) const ROWS: &[Row] = &[
    Row::binary(&["cross"], &[Sig::new(FLOATS, G, &[G, G]).lanes(&[3, 4])], |l, _, x, y| {
        l.cross(x, y)
    })
    .in_float(),
    Row::call(&["dot"], DOT, |l, c| match c.number().is_float() {
        true => l.float_dot(c),
        false => l.integer_dot(c),
    })
    .in_float(),
    Row::binary(&["distance"], &[geometric(FLOATS, E, &[G, G])], |l, _, x, y| {
        let difference = l.b.binary(BinaryOp::FSub, x, y);
        l.length(difference)
    })
    .in_float(),
    Row::unary(&["length"], &[geometric(FLOATS, E, &[G])], |l, _, x| l.length(x)).in_float(),
    Row::unary(&["normalize"], &[geometric(FLOATS, G, &[G])], |l, _, x| l.normalize(x)).in_float(),
    Row::binary(&["fast_distance"], &[geometric(Elements::F32, E, &[G, G])], |l, _, x, y| {
        let difference = l.b.binary(BinaryOp::FSub, x, y);
        l.fast_length(difference)
    }),
    Row::unary(&["fast_length"], &[geometric(Elements::F32, E, &[G])], |l, _, x| l.fast_length(x)),
    Row::unary(&["fast_normalize"], &[geometric(Elements::F32, G, &[G])], |l, _, x| {
        l.fast_normalize(x)
    }),
];

impl Lowerer<'_, '_> {
    fn float_dot(&mut self, call: &Call<'_>) -> Option<Value> {
        match *self.splat_args(call) {
            [x, y] => Some(self.dot(x, y)),
            _ => None,
        }
    }

    /// Returns the sum of the products of components.
    fn dot(&mut self, x: Value, y: Value) -> Value {
        let [first, second] = [x, y].map(|vector| self.b.extract(vector, 0));
        let mut sum = self.b.binary(BinaryOp::FMul, first, second);
        for lane in 1..self.b.ty(x).lanes {
            let [a, b] = [x, y].map(|vector| self.b.extract(vector, lane));
            sum = self.mad(a, b, sum);
        }
        sum
    }

    /// Returns the cross product of the first three components; a fourth is 0.
    fn cross(&mut self, x: Value, y: Value) -> Value {
        let ty = self.b.ty(x);
        let (x1, y1) = (self.b.swizzle(x, &[1, 2, 0]), self.b.swizzle(y, &[2, 0, 1]));
        let (x2, y2) = (self.b.swizzle(x, &[2, 0, 1]), self.b.swizzle(y, &[1, 2, 0]));
        let first = self.b.binary(BinaryOp::FMul, x1, y1);
        let second = self.b.binary(BinaryOp::FMul, x2, y2);
        let product = self.b.binary(BinaryOp::FSub, first, second);
        if ty.lanes != 4 {
            return product;
        }
        let mut lanes: Vec<Value> = (0..3).map(|lane| self.b.extract(product, lane)).collect();
        lanes.push(self.b.fconst(ty.lane(), 0.0));
        self.b.build(&lanes)
    }

    fn length(&mut self, x: Value) -> Value {
        if self.b.ty(x).lanes == 1 {
            return self.b.math(MathOp::FAbs, &[x]);
        }
        let range = self.range(x);
        let (by, back) =
            (range.pick(self, range.up, range.down), range.pick(self, range.down, range.up));
        let by = self.b.match_lanes(by, x);
        let scaled = self.b.binary(BinaryOp::FMul, x, by);
        let root = self.fast_length(scaled);
        self.b.binary(BinaryOp::FMul, root, back)
    }

    /// Returns the length where squares neither overflow nor vanish.
    fn fast_length(&mut self, x: Value) -> Value {
        if self.b.ty(x).lanes == 1 {
            return self.b.math(MathOp::FAbs, &[x]);
        }
        let square = self.dot(x, x);
        self.b.math(MathOp::Sqrt, &[square])
    }

    /// Returns `x / length(x)`, and zero for zero. If components are infinite, only they count
    /// (OpenCL C 7.5.1).
    fn normalize(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        let range = self.range(x);
        let infinity = self.b.fconst(ty.lane(), f64::INFINITY);
        let any_infinite = self.b.fcmp(FloatCC::Oeq, range.largest, infinity);
        let x = self.or_directions(x, any_infinite);
        let by = range.pick(self, range.up, range.down);
        let by = self.b.select(any_infinite, range.one, by);
        let by = self.b.match_lanes(by, x);
        let scaled = self.b.binary(BinaryOp::FMul, x, by);
        let length = self.fast_length(scaled);
        let zero = self.b.zero(ty.lane());
        let is_zero = self.b.fcmp(FloatCC::Oeq, length, zero);
        let divisor = self.b.select(is_zero, range.one, length);
        let divisor = self.b.match_lanes(divisor, x);
        // To scale down a large vector would make its small components denormal, so its quotient is
        // scaled instead, after rounding.
        let is_large = self.b.match_lanes(range.is_large, x);
        let dividend = self.b.select(is_large, x, scaled);
        let quotient = self.b.binary(BinaryOp::FDiv, dividend, divisor);
        let back = self.b.select(range.is_large, range.down, range.one);
        let back = self.b.select(any_infinite, range.one, back);
        let back = self.b.match_lanes(back, x);
        self.b.binary(BinaryOp::FMul, quotient, back)
    }

    /// Returns `x` times the reciprocal of its length; `x` itself if its squares are zero.
    fn fast_normalize(&mut self, x: Value) -> Value {
        let square = self.dot(x, x);
        let ty = self.b.ty(square);
        let (zero, one) = (self.b.zero(ty), self.b.fconst(ty, 1.0));
        let is_zero = self.b.fcmp(FloatCC::Oeq, square, zero);
        let square = self.b.select(is_zero, one, square);
        let by = match ty.scalar.bits() {
            64 => {
                let root = self.b.math(MathOp::Sqrt, &[square]);
                self.b.binary(BinaryOp::FDiv, one, root)
            }
            _ => self.b.math(MathOp::RSqrt, &[square]),
        };
        let by = self.b.match_lanes(by, x);
        self.b.binary(BinaryOp::FMul, x, by)
    }

    /// Returns `x`; where `any_infinite` holds, infinite components become ones and the others zeros (or stay NaN), with
    /// their signs.
    fn or_directions(&mut self, x: Value, any_infinite: Value) -> Value {
        let ty = self.b.ty(x);
        let infinity = self.b.fconst(ty, f64::INFINITY);
        let (one, zero) = (self.b.fconst(ty, 1.0), self.b.zero(ty));
        let magnitude = self.b.math(MathOp::FAbs, &[x]);
        let is_infinite = self.b.fcmp(FloatCC::Oeq, magnitude, infinity);
        let sign = self.copysign(one, x);
        // Drivers are free to make 0 * NaN a zero.
        let rest = self.copysign(zero, x);
        let is_nan = self.b.math(MathOp::IsNan, &[x]);
        let rest = self.b.select(is_nan, x, rest);
        let direction = self.b.select(is_infinite, sign, rest);
        let any_infinite = self.b.match_lanes(any_infinite, x);
        self.b.select(any_infinite, direction, x)
    }

    /// Returns the range of a vector: whether its squares would overflow or become zero, and the powers of two
    /// that prevent it.
    fn range(&mut self, x: Value) -> Range {
        let ty = self.b.ty(x);
        let magnitudes = self.b.math(MathOp::FAbs, &[x]);
        let mut largest = self.b.extract(magnitudes, 0);
        for lane in 1..ty.lanes {
            let magnitude = self.b.extract(magnitudes, lane);
            largest = self.b.binary(BinaryOp::FMax, largest, magnitude);
        }
        // Every square that is not negligible beside the largest one must be normal, before scaling and after,
        // since devices may flush denormal numbers: so the bounds are half the exponents, less the precision.
        let wide = ty.scalar.bits() == 64;
        let (high, factor) = if wide { (400.0, 600.0) } else { (50.0, 100.0) };
        let lane = ty.lane();
        let threshold = self.b.fconst(lane, f64::exp2(high));
        let is_large = self.b.fcmp(FloatCC::Ogt, largest, threshold);
        let threshold = self.b.fconst(lane, f64::exp2(-high));
        let is_small = self.b.fcmp(FloatCC::Olt, largest, threshold);
        let mut power = |exponent| self.b.fconst(lane, f64::exp2(exponent));
        let (up, one, down) = (power(factor), power(0.0), power(-factor));
        Range { largest, is_large, is_small, up, one, down }
    }
}

/// The result of [`Lowerer::range`].
struct Range {
    largest: Value,
    is_large: Value,
    is_small: Value,
    /// Powers of two: for small vectors, for ordinary and for large ones.
    up: Value,
    one: Value,
    down: Value,
}

impl Range {
    /// Returns a factor by size: 1 for ordinary vectors.
    fn pick(&self, lowerer: &mut Lowerer<'_, '_>, small: Value, large: Value) -> Value {
        let factor = lowerer.b.select(self.is_small, small, self.one);
        lowerer.b.select(self.is_large, large, factor)
    }
}
