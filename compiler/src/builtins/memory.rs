//! Vector data load and store functions (OpenCL C 6.15.7), also for half.

use super::row::{LowerCall, Names, Row};
use super::signature::TypePattern::{self, Void, G};
use super::signature::{Elements, Lanes, Scalar as Name, Sig, Spaces};
use super::{Call, Lowerer, Rounding};
use crate::ir::{Addr, AddressSpace, ConvertOp, MemFlags, Scalar, Type, Value, Within};
use crate::options::ClStd;

const SIZE: TypePattern = TypePattern::S(Name::ULong);
const READ: TypePattern = TypePattern::InElement(Spaces::READABLE);
const WRITE: TypePattern = TypePattern::OutElement(Spaces::WRITABLE);
const READ_HALF: TypePattern = TypePattern::InHalf(Spaces::READABLE);
const WRITE_HALF: TypePattern = TypePattern::OutHalf(Spaces::WRITABLE);

const fn load(lanes: Lanes) -> Sig {
    Sig::new(Elements::ALL, G, &[SIZE, READ]).lanes(lanes)
}

const fn store(lanes: Lanes) -> Sig {
    Sig::new(Elements::ALL, Void, &[G, SIZE, WRITE]).lanes(lanes)
}

const fn load_half(lanes: Lanes) -> Sig {
    Sig::new(Elements::F32, G, &[SIZE, READ_HALF]).lanes(lanes)
}

const fn store_half(lanes: Lanes) -> Sig {
    Sig::new(Elements::F32_F64, Void, &[G, SIZE, WRITE_HALF]).lanes(lanes)
}

/// The rows of the functions for each number of components, which is part of their names. Halves have twelve, for aligned
/// and unaligned accesses and for each rounding mode.
macro_rules! rows {
    (
        vectors $($plain:literal $plain_lanes:literal $plain_since:ident),*;
        halves $($n:literal $lanes:literal $since:ident),*;
    ) => {
        &[
            $(
                row(&[concat!("vload", $plain)], &[load(&[$plain_lanes])], |l, c| l.vload(c))
                    .since(ClStd::$plain_since),
                row(&[concat!("vstore", $plain)], &[store(&[$plain_lanes])], |l, c| l.vstore(c))
                    .since(ClStd::$plain_since),
            )*
            $(
                row(&[concat!("vload_half", $n)], &[load_half(&[$lanes])], |l, c| l.vload_half(c, false))
                    .since(ClStd::$since),
                row(&[concat!("vloada_half", $n)], &[load_half(&[$lanes])], |l, c| l.vload_half(c, true))
                    .since(ClStd::$since),
                row(&[concat!("vstore_half", $n), concat!("vstore_half", $n, "_rte")], &[store_half(&[$lanes])],
                    |l, c| l.vstore_half(c, false, Rounding::NearestEven)).since(ClStd::$since),
                row(&[concat!("vstore_half", $n, "_rtz")], &[store_half(&[$lanes])],
                    |l, c| l.vstore_half(c, false, Rounding::TowardZero)).since(ClStd::$since),
                row(&[concat!("vstore_half", $n, "_rtp")], &[store_half(&[$lanes])],
                    |l, c| l.vstore_half(c, false, Rounding::TowardPositive)).since(ClStd::$since),
                row(&[concat!("vstore_half", $n, "_rtn")], &[store_half(&[$lanes])],
                    |l, c| l.vstore_half(c, false, Rounding::TowardNegative)).since(ClStd::$since),
                row(&[concat!("vstorea_half", $n), concat!("vstorea_half", $n, "_rte")], &[store_half(&[$lanes])],
                    |l, c| l.vstore_half(c, true, Rounding::NearestEven)).since(ClStd::$since),
                row(&[concat!("vstorea_half", $n, "_rtz")], &[store_half(&[$lanes])],
                    |l, c| l.vstore_half(c, true, Rounding::TowardZero)).since(ClStd::$since),
                row(&[concat!("vstorea_half", $n, "_rtp")], &[store_half(&[$lanes])],
                    |l, c| l.vstore_half(c, true, Rounding::TowardPositive)).since(ClStd::$since),
                row(&[concat!("vstorea_half", $n, "_rtn")], &[store_half(&[$lanes])],
                    |l, c| l.vstore_half(c, true, Rounding::TowardNegative)).since(ClStd::$since),
            )*
        ]
    };
}

const fn row(names: Names, sigs: &'static [Sig], lower: LowerCall) -> Row {
    Row::call(names, sigs, lower)
}

pub(super) const ROWS: &[Row] = rows! {
    vectors "2" 2 Cl10, "3" 3 Cl11, "4" 4 Cl10, "8" 8 Cl10, "16" 16 Cl10;
    halves "" 1 Cl10, "2" 2 Cl10, "3" 3 Cl11, "4" 4 Cl10, "8" 8 Cl10, "16" 16 Cl10;
};

impl Lowerer<'_, '_> {
    fn vload(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[offset, ptr] = call.args else { return None };
        let addr = self.vector_address(call.result, false, offset, ptr);
        Some(self.b.read(call.result, addr))
    }

    fn vstore(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[data, offset, ptr] = call.args else { return None };
        let addr = self.vector_address(self.b.ty(data), false, offset, ptr);
        self.b.write(addr, data);
        None
    }

    fn vload_half(&mut self, call: &Call<'_>, aligned: bool) -> Option<Value> {
        let &[offset, ptr] = call.args else { return None };
        let bits = call.result.with_scalar(Scalar::I16);
        let addr = self.vector_address(bits, aligned, offset, ptr);
        let bits = self.b.read(bits, addr);
        let half = self.b.bitcast(bits, call.result.with_scalar(Scalar::F16));
        Some(self.b.convert(ConvertOp::FConvert, half, call.result))
    }

    fn vstore_half(&mut self, call: &Call<'_>, aligned: bool, rounding: Rounding) -> Option<Value> {
        let &[data, offset, ptr] = call.args else { return None };
        let bits = self.half_bits(data, rounding);
        let addr = self.vector_address(self.b.ty(bits), aligned, offset, ptr);
        self.b.write(addr, bits);
        None
    }

    /// Converts floats or doubles to halves. Returns their bits, in I16 lanes.
    fn half_bits(&mut self, data: Value, rounding: Rounding) -> Value {
        let ty = self.b.ty(data);
        let bits = ty.with_scalar(Scalar::I16);
        if rounding == Rounding::NearestEven {
            let half = self.b.convert(ConvertOp::FConvert, data, ty.with_scalar(Scalar::F16));
            return self.b.bitcast(half, bits);
        }
        let half = self.b.fptrunc_bits(data, Scalar::F16, rounding);
        self.b.convert(ConvertOp::Trunc, half, bits)
    }

    /// Returns the address of vector number `offset`. Aligned vectors of three lanes are as far apart as those of four.
    fn vector_address(&mut self, ty: Type, aligned: bool, offset: Value, ptr: Value) -> Addr {
        let element = u64::from(ty.scalar.bytes());
        let lanes = if aligned && ty.lanes == 3 { 4 } else { u64::from(ty.lanes) };
        let align = if aligned { element * lanes } else { element };
        let (stride, anywhere) = (element * lanes, Within::ANYWHERE);
        let ptr = self.b.pointer_add(ptr, (offset, false), stride, false, anywhere);
        let mut addr = Addr::new(ptr, align as u32);
        if self.b.space(ptr) == AddressSpace::Constant {
            addr.flags |= MemFlags::INVARIANT;
        }
        addr
    }
}
