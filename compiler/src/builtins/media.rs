//! Functions of cl_amd_media_ops and cl_amd_media_ops2: bytes and bits of words, lane by lane. The extensions leave out
//! vectors of three, for which clang's header has the functions as well.
//!
//! Two errors in the extensions' texts are not followed: `amd_sad4` compares the second word with the second word (the text
//! has the first one for its lowest byte), and `amd_sadd` takes the distance of unsigned numbers (the text takes C's `abs`
//! of their difference, which is not the distance).

use super::integer::{max_op, min_op};
use super::row::Row;
use super::signature::TypePattern::{self, Like, G, S, V};
use super::signature::{Elements, Scalar as Name, Sig};
use super::{Call, Lowerer, Number};
use crate::ir::{BinaryOp, IntCC, Scalar, UnaryOp, Value};

const UINTS: Elements = Elements::UINT;
const UINT: TypePattern = S(Name::UInt);
const UINT4: TypePattern = V(Name::UInt, 4);
/// `uintn f(uintn, uintn, uintn)`, and the same with two parameters.
const THREE: &[Sig] = &[Sig::new(UINTS, G, &[G, G, G])];
const TWO: &[Sig] = &[Sig::new(UINTS, G, &[G, G])];
const UNPACK: &[Sig] = &[Sig::new(UINTS, Like(Name::Float), &[G])];
const FIELD: &[Sig] = &[Sig::new(Elements::I32, G, &[G, Like(Name::UInt), Like(Name::UInt)])];
const ORDERED: &[Sig] = &[Sig::new(Elements::I32_F32, G, &[G, G, G])];
/// `ulongn f(ulongn, uintn, ulongn)`.
const QUAD: &[Sig] = &[Sig::new(Elements::ULONG, G, &[G, Like(Name::UInt), G])];

const WORD: Number = Number { scalar: Scalar::I32, signed: false };
const FLOAT: Number = Number { scalar: Scalar::F32, signed: true };

pub(super) const ROWS: &[Row] = &[
    Row::call(&["amd_pack"], &[Sig::plain(UINT, &[V(Name::Float, 4)])], |l, c| l.amd_pack(c)),
    Row::unary(&["amd_unpack0"], UNPACK, |l, _, x| l.amd_unpack(x, 0)),
    Row::unary(&["amd_unpack1"], UNPACK, |l, _, x| l.amd_unpack(x, 1)),
    Row::unary(&["amd_unpack2"], UNPACK, |l, _, x| l.amd_unpack(x, 2)),
    Row::unary(&["amd_unpack3"], UNPACK, |l, _, x| l.amd_unpack(x, 3)),
    Row::ternary(&["amd_bitalign"], THREE, |l, _, high, low, by| {
        let by = l.b.and_const(by, 31);
        l.funnel_shift(high, low, by)
    }),
    Row::ternary(&["amd_bytealign"], THREE, |l, _, high, low, by| {
        let by = l.b.and_const(by, 3);
        let by = l.b.shl_const(by, 3);
        l.funnel_shift(high, low, by)
    }),
    Row::ternary(&["amd_lerp"], THREE, |l, _, x, y, up| l.amd_lerp(x, y, up)),
    Row::ternary(&["amd_sad"], THREE, |l, _, x, y, sum| l.byte_distances(x, y, sum, false)),
    Row::ternary(&["amd_sadhi"], THREE, |l, _, x, y, sum| {
        let none = l.b.zero(l.b.ty(sum));
        let distance = l.byte_distances(x, y, none, false);
        let high = l.b.shl_const(distance, 16);
        l.b.binary(BinaryOp::IAdd, sum, high)
    }),
    Row::call(&["amd_sad4"], &[Sig::plain(UINT, &[UINT4, UINT4, UINT])], |l, c| l.amd_sad4(c)),
    Row::ternary(&["amd_msad"], THREE, |l, _, x, y, sum| l.byte_distances(x, y, sum, true)),
    Row::ternary(&["amd_qsad"], QUAD, |l, _, x, y, sum| l.quad_distances(x, y, sum, false)),
    Row::ternary(&["amd_mqsad"], QUAD, |l, _, x, y, sum| l.quad_distances(x, y, sum, true)),
    Row::ternary(&["amd_sadw"], THREE, |l, _, x, y, sum| {
        (0..2).fold(sum, |sum, half| {
            let [x, y] = [x, y].map(|it| l.part(it, 16 * half, 0xffff));
            let distance = l.abs_diff(true, x, y);
            l.b.binary(BinaryOp::IAdd, sum, distance)
        })
    }),
    Row::ternary(&["amd_sadd"], THREE, |l, _, x, y, sum| {
        let distance = l.abs_diff(false, x, y);
        l.b.binary(BinaryOp::IAdd, sum, distance)
    }),
    Row::binary(&["amd_bfm"], TWO, |l, _, width, offset| {
        let one = l.b.iconst(l.b.ty(width), 1);
        let [width, offset] = [width, offset].map(|it| l.b.and_const(it, 31));
        let beyond = l.b.binary(BinaryOp::Shl, one, width);
        let mask = l.b.add_const(beyond, -1);
        l.b.binary(BinaryOp::Shl, mask, offset)
    }),
    Row::ternary(&["amd_bfe"], FIELD, |l, c, x, offset, width| l.amd_bfe(c, x, offset, width)),
    Row::ternary(&["amd_median3"], ORDERED, |l, c, x, y, z| {
        let low = l.b.binary(min_op(c), x, y);
        let high = l.b.binary(max_op(c), x, y);
        let upper = l.b.binary(min_op(c), high, z);
        l.b.binary(max_op(c), low, upper)
    }),
    Row::ternary(&["amd_min3"], ORDERED, |l, c, x, y, z| {
        let low = l.b.binary(min_op(c), x, y);
        l.b.binary(min_op(c), low, z)
    }),
    Row::ternary(&["amd_max3"], ORDERED, |l, c, x, y, z| {
        let high = l.b.binary(max_op(c), x, y);
        l.b.binary(max_op(c), high, z)
    }),
];

impl Lowerer<'_, '_> {
    /// Returns `x >> from & mask` for each lane.
    fn part(&mut self, x: Value, from: i64, mask: i64) -> Value {
        let shifted = self.b.lshr_const(x, from);
        self.b.and_const(shifted, mask)
    }

    fn amd_pack(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[src] = call.args else { return None };
        let words = self.b.convert_number(src, (FLOAT, WORD), None, false);
        let bytes = self.b.and_const(words, 0xff);
        let mut packed = self.b.extract(bytes, 0);
        for lane in 1..4 {
            let byte = self.b.extract(bytes, lane);
            let byte = self.b.shl_const(byte, 8 * i64::from(lane));
            packed = self.b.binary(BinaryOp::Or, packed, byte);
        }
        Some(packed)
    }

    fn amd_unpack(&mut self, x: Value, byte: i64) -> Value {
        let byte = self.part(x, 8 * byte, 0xff);
        self.b.convert_number(byte, (WORD, FLOAT), None, false)
    }

    /// Returns the low word of `high:low >> by`, for fewer than 32 bits.
    fn funnel_shift(&mut self, high: Value, low: Value, by: Value) -> Value {
        // `high` is shifted in two steps, since one shift by 32, where `by` is zero, is not allowed.
        let doubled = self.b.shl_const(high, 1);
        let rest = self.b.binary_imm(BinaryOp::Xor, by, 31);
        let upper = self.b.binary(BinaryOp::Shl, doubled, rest);
        let lower = self.b.binary(BinaryOp::LShr, low, by);
        self.b.binary(BinaryOp::Or, upper, lower)
    }

    /// Returns half the sum of each two bytes, rounded up where the lowest bit of the byte in `up` is set. It is formed of the
    /// bits that both have and half of those that differ, so that no byte carries into the next.
    fn amd_lerp(&mut self, x: Value, y: Value, up: Value) -> Value {
        let common = self.b.binary(BinaryOp::And, x, y);
        let differing = self.b.binary(BinaryOp::Xor, x, y);
        let halved = self.part(differing, 1, 0x7f7f_7f7f);
        let odd = self.b.binary(BinaryOp::And, differing, up);
        let odd = self.b.and_const(odd, 0x0101_0101);
        let floor = self.b.binary(BinaryOp::IAdd, common, halved);
        self.b.binary(BinaryOp::IAdd, floor, odd)
    }

    /// Adds the distances of the bytes of two words to `sum`; with `masked`, only those of bytes that are not zero in `y`.
    fn byte_distances(&mut self, x: Value, y: Value, sum: Value, masked: bool) -> Value {
        (0..4).fold(sum, |sum, byte| {
            let [x, y] = [x, y].map(|it| self.part(it, 8 * byte, 0xff));
            let mut distance = self.abs_diff(true, x, y);
            if masked {
                let zero = self.b.zero(self.b.ty(y));
                let is_zero = self.b.icmp(IntCC::Eq, y, zero);
                distance = self.b.select(is_zero, zero, distance);
            }
            self.b.binary(BinaryOp::IAdd, sum, distance)
        })
    }

    fn amd_sad4(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[x, y, sum] = call.args else { return None };
        Some((0..4).fold(sum, |sum, lane| {
            let [x, y] = [x, y].map(|it| self.b.extract(it, lane));
            self.byte_distances(x, y, sum, false)
        }))
    }

    /// Adds to each of four sums of 16 bits the distances between the bytes of `y` and those of a word in `x`, which begins one
    /// byte further for each sum.
    fn quad_distances(&mut self, x: Value, y: Value, sums: Value, masked: bool) -> Value {
        let mut all = self.b.zero(self.b.ty(sums));
        for i in 0..4 {
            let word = self.b.lshr_const(x, 8 * i);
            let word = self.b.resize_lanes(word, Scalar::I32, false);
            let sum = self.b.lshr_const(sums, 16 * i);
            let sum = self.b.resize_lanes(sum, Scalar::I32, false);
            let sum = self.b.and_const(sum, 0xffff);
            let sum = self.byte_distances(word, y, sum, masked);
            let sum = self.b.and_const(sum, 0xffff);
            let sum = self.b.resize_lanes(sum, Scalar::I64, false);
            let sum = self.b.shl_const(sum, 16 * i);
            all = self.b.binary(BinaryOp::Or, all, sum);
        }
        all
    }

    fn amd_bfe(&mut self, call: &Call<'_>, x: Value, offset: Value, width: Value) -> Value {
        let shift = if call.is_signed() { BinaryOp::AShr } else { BinaryOp::LShr };
        let [offset, width] = [offset, width].map(|it| self.b.and_const(it, 31));
        let end = self.b.binary(BinaryOp::IAdd, offset, width);
        let above = self.b.unary(UnaryOp::INeg, end);
        let above = self.b.and_const(above, 31);
        let unused = self.b.unary(UnaryOp::INeg, width);
        let unused = self.b.and_const(unused, 31);
        let raised = self.b.binary(BinaryOp::Shl, x, above);
        let inner = self.b.binary(shift, raised, unused);
        let upper = self.b.binary(shift, x, offset);
        let thirty_two = self.b.iconst(self.b.ty(end), 32);
        let is_inner = self.b.icmp(IntCC::Ult, end, thirty_two);
        let field = self.b.select(is_inner, inner, upper);
        let zero = self.b.zero(self.b.ty(width));
        let is_empty = self.b.icmp(IntCC::Eq, width, zero);
        self.b.select(is_empty, zero, field)
    }
}
