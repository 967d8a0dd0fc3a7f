//! Half to float with integer operations, for devices that lack 16-bit floats, and small steps on
//! integers. Bits of halves stand in I32 lanes, zero-extended.

use super::function::Lowering;
use crate::ir::{BinaryOp, ConvertOp, IntCC, Scalar, Value};

impl Lowering<'_, '_> {
    /// Returns the float with a half's value. Exact.
    pub fn half_to_float(&mut self, half: Value) -> Value {
        let int = self.b.ty(half);
        let float = int.with_scalar(Scalar::F32);
        let sign = self.b.and_const(half, 0x8000);
        let sign = self.b.shl_const(sign, 16);
        let magnitude = self.b.and_const(half, 0x7fff);
        let shifted = self.b.shl_const(magnitude, 13);
        let normal = self.b.add_const(shifted, 112 << 23);
        let special = self.b.add_const(shifted, 224 << 23);
        // A denormal half is its integer times 2^-24, a normal float.
        let count = self.b.convert(ConvertOp::UToF, magnitude, float);
        let unit = self.b.fconst(float, 1.0 / 16_777_216.0);
        let small = self.b.binary(BinaryOp::FMul, count, unit);
        let small = self.b.bitcast(small, int);
        let is_special = self.b.compare_const(IntCC::Uge, magnitude, 0x7c00);
        let is_small = self.b.compare_const(IntCC::Ult, magnitude, 0x0400);
        let bits = self.b.select(is_special, special, normal);
        let bits = self.b.select(is_small, small, bits);
        let bits = self.b.binary(BinaryOp::Or, bits, sign);
        self.b.bitcast(bits, float)
    }
}
