//! Conversions from and to bfloat16, which is the upper half of a float (cl_intel_bfloat16_conversions). They are
//! arithmetic of integers, so that no device flushes a denormal number.

use super::row::{Names, Row};
use super::signature::TypePattern::{Like, G};
use super::signature::{Elements, Lanes, Scalar as Name, Sig};
use super::Lowerer;
use crate::ir::{BinaryOp, IntCC, Scalar, Value};

/// The number of a float's bits that a bfloat16 does not have.
const LOST: i64 = 16;
/// The bits of an infinity; the bits of NaNs are greater.
const INFINITY: i64 = 0x7f80_0000;
/// The bit that makes a NaN of a bfloat16 quiet.
const QUIET: i64 = 0x40;

const fn narrow(names: Names, sigs: &'static [Sig]) -> Row {
    Row::unary(names, sigs, |l, _, x| l.bfloat16_of_float(x))
}

const fn widen(names: Names, sigs: &'static [Sig]) -> Row {
    Row::unary(names, sigs, |l, _, x| l.float_of_bfloat16(x))
}

const fn from_float(lanes: Lanes) -> Sig {
    Sig::new(Elements::F32, Like(Name::UShort), &[G]).lanes(lanes)
}

const fn to_float(lanes: Lanes) -> Sig {
    Sig::new(Elements::USHORT, Like(Name::Float), &[G]).lanes(lanes)
}

pub(super) const ROWS: &[Row] = &[
    narrow(&["intel_convert_bfloat16_as_ushort"], &[from_float(&[1])]),
    narrow(&["intel_convert_bfloat162_as_ushort2"], &[from_float(&[2])]),
    narrow(&["intel_convert_bfloat163_as_ushort3"], &[from_float(&[3])]),
    narrow(&["intel_convert_bfloat164_as_ushort4"], &[from_float(&[4])]),
    narrow(&["intel_convert_bfloat168_as_ushort8"], &[from_float(&[8])]),
    narrow(&["intel_convert_bfloat1616_as_ushort16"], &[from_float(&[16])]),
    widen(&["intel_convert_as_bfloat16_float"], &[to_float(&[1])]),
    widen(&["intel_convert_as_bfloat162_float2"], &[to_float(&[2])]),
    widen(&["intel_convert_as_bfloat163_float3"], &[to_float(&[3])]),
    widen(&["intel_convert_as_bfloat164_float4"], &[to_float(&[4])]),
    widen(&["intel_convert_as_bfloat168_float8"], &[to_float(&[8])]),
    widen(&["intel_convert_as_bfloat1616_float16"], &[to_float(&[16])]),
];

impl Lowerer<'_, '_> {
    /// Rounds a float to the nearest bfloat16, to even in the middle; a NaN stays a NaN.
    pub(crate) fn bfloat16_of_float(&mut self, x: Value) -> Value {
        let bits = self.b.as_bits(x);
        let upper = self.b.lshr_const(bits, LOST);
        let odd = self.b.and_const(upper, 1);
        let raised = self.b.add_const(bits, 0x7fff);
        let raised = self.b.binary(BinaryOp::IAdd, raised, odd);
        let rounded = self.b.lshr_const(raised, LOST);
        let nan = self.b.or_const(upper, QUIET);
        let magnitude = self.b.and_const(bits, 0x7fff_ffff);
        let infinity = self.b.iconst(self.b.ty(bits), INFINITY);
        let is_nan = self.b.icmp(IntCC::Ugt, magnitude, infinity);
        let result = self.b.select(is_nan, nan, rounded);
        self.b.resize_lanes(result, Scalar::I16, false)
    }

    pub(crate) fn float_of_bfloat16(&mut self, x: Value) -> Value {
        let wide = self.b.resize_lanes(x, Scalar::I32, false);
        let bits = self.b.shl_const(wide, LOST);
        let ty = self.b.ty(bits).with_scalar(Scalar::F32);
        self.b.bitcast(bits, ty)
    }
}
