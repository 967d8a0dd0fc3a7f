//! Geometric functions (OpenCL C 6.15.5).

use super::{done, Call, Outcome};
use crate::ir::{BinaryOp, FloatCC, MathOp, UnaryOp, Value};
use crate::lower::function::Lowering;

impl Lowering<'_, '_> {
    pub fn geometric_builtin(&mut self, call: &Call) -> Outcome {
        if !self.is_float_call(call) {
            return None;
        }
        match (call.name, call.args.as_slice()) {
            ("dot", &[x, y]) => done(self.dot(x, y)),
            ("cross", &[x, y]) => done(self.cross(x, y)),
            ("length" | "fast_length", &[x]) => done(self.length(x)),
            ("distance" | "fast_distance", &[x, y]) => {
                let difference = self.b.binary(BinaryOp::FSub, x, y);
                done(self.length(difference))
            }
            ("normalize" | "fast_normalize", &[x]) => done(self.normalize(x)),
            _ => None,
        }
    }

    /// Sum of the products.
    fn dot(&mut self, x: Value, y: Value) -> Value {
        let products = self.b.binary(BinaryOp::FMul, x, y);
        let mut sum = self.b.extract(products, 0);
        for lane in 1..self.b.ty(x).lanes {
            let product = self.b.extract(products, lane);
            sum = self.b.binary(BinaryOp::FAdd, sum, product);
        }
        sum
    }

    /// The cross product of the first three components; a fourth is 0.
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
        let (scaled, back) = self.scaled_down(x);
        let square = self.dot(scaled, scaled);
        let root = self.b.math(MathOp::Sqrt, &[square]);
        self.b.binary(BinaryOp::FMul, root, back)
    }

    /// `x / length(x)`, zero for zero.
    fn normalize(&mut self, x: Value) -> Value {
        let (scaled, _) = self.scaled_down(x);
        let square = self.dot(scaled, scaled);
        let zero = self.zero(self.b.ty(square));
        let root = self.b.math(MathOp::Sqrt, &[square]);
        let is_zero = self.b.fcmp(FloatCC::Oeq, square, zero);
        let one = self.b.fconst(self.b.ty(square), 1.0);
        let divisor = self.b.select(is_zero, one, root);
        let divisor = self.match_lanes(divisor, scaled);
        self.b.binary(BinaryOp::FDiv, scaled, divisor)
    }

    /// The vector multiplied by a power of two so that squares neither overflow nor vanish, and the
    /// factor that undoes it.
    fn scaled_down(&mut self, x: Value) -> (Value, Value) {
        let ty = self.b.ty(x);
        let magnitudes = self.b.math(MathOp::FAbs, &[x]);
        let mut largest = self.b.extract(magnitudes, 0);
        for lane in 1..ty.lanes {
            let magnitude = self.b.extract(magnitudes, lane);
            largest = self.b.binary(BinaryOp::FMax, largest, magnitude);
        }
        let wide = ty.scalar.bits() == 64;
        let (high, factor) = if wide { (400.0, 520.0) } else { (60.0, 80.0) };
        let (up, down) = (f64::exp2(factor), f64::exp2(-factor));
        let lane = ty.lane();
        let threshold = self.b.fconst(lane, f64::exp2(high));
        let is_large = self.b.fcmp(FloatCC::Ogt, largest, threshold);
        let threshold = self.b.fconst(lane, f64::exp2(-high));
        let is_small = self.b.fcmp(FloatCC::Olt, largest, threshold);
        let one = self.b.fconst(lane, 1.0);
        let (up, down) = (self.b.fconst(lane, up), self.b.fconst(lane, down));
        let by = self.b.select(is_small, up, one);
        let by = self.b.select(is_large, down, by);
        let back = self.b.select(is_small, down, one);
        let back = self.b.select(is_large, up, back);
        let by = self.match_lanes(by, x);
        (self.b.binary(BinaryOp::FMul, x, by), back)
    }

    /// `-x`.
    pub fn negate(&mut self, x: Value) -> Value {
        self.b.unary(UnaryOp::FNeg, x)
    }
}
