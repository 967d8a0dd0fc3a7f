//! Dot products of 8-bit integers (OpenCL C 6.15.3), on words of four, which are the same bits as vectors of four. Also the
//! functions of cl_arm_integer_dot_product, which are these dot products under other names, and with sums.

use super::row::{LowerCall, Names, Row};
use super::signature::TypePattern::{self, S, V};
use super::signature::{Scalar as Name, Sig};
use super::{Call, Lowerer, Number};
use crate::ir::{BinaryOp, MathOp, Scalar, Type, Value};

const SIGNED: TypePattern = V(Name::Char, 4);
const UNSIGNED: TypePattern = V(Name::UChar, 4);
const INT: TypePattern = S(Name::Int);
const UINT: TypePattern = S(Name::UInt);

/// The patterns of `dot`: the result is signed if one of the operands is.
pub(super) const OF_UNSIGNED: Sig = Sig::plain(UINT, &[UNSIGNED, UNSIGNED]);
pub(super) const OF_SIGNED: Sig = Sig::plain(INT, &[SIGNED, SIGNED]);
pub(super) const OF_MIXED: [Sig; 2] =
    [Sig::plain(INT, &[UNSIGNED, SIGNED]), Sig::plain(INT, &[SIGNED, UNSIGNED])];

const ACCUMULATING: &[Sig] = &[
    Sig::plain(UINT, &[UNSIGNED, UNSIGNED, UINT]),
    Sig::plain(INT, &[SIGNED, SIGNED, INT]),
    Sig::plain(INT, &[UNSIGNED, SIGNED, INT]),
    Sig::plain(INT, &[SIGNED, UNSIGNED, INT]),
];

/// The functions of cl_arm_integer_dot_product, whose operands are both signed or both unsigned.
const ARM: &[Sig] = &[OF_UNSIGNED, OF_SIGNED];
const ARM_ACCUMULATING: &[Sig] = &[
    Sig::plain(UINT, &[UNSIGNED, UNSIGNED, UINT]),
    Sig::plain(INT, &[SIGNED, SIGNED, INT]),
    Sig::plain(UINT, &[V(Name::UShort, 2), V(Name::UShort, 2), UINT]),
    Sig::plain(INT, &[V(Name::Short, 2), V(Name::Short, 2), INT]),
];
const ARM_SATURATING: &[Sig] =
    &[Sig::plain(UINT, &[UNSIGNED, UNSIGNED, UINT]), Sig::plain(INT, &[SIGNED, SIGNED, INT])];

const fn packed(names: Names, sigs: &'static [Sig], lower: LowerCall) -> Row {
    Row::call(names, sigs, lower)
}

const UNSIGNED_WORDS: &[Sig] = &[Sig::plain(UINT, &[UINT, UINT])];
const SIGNED_WORDS: &[Sig] = &[Sig::plain(INT, &[UINT, UINT])];
const UNSIGNED_WORDS_AND_SUM: &[Sig] = &[Sig::plain(UINT, &[UINT, UINT, UINT])];
const SIGNED_WORDS_AND_SUM: &[Sig] = &[Sig::plain(INT, &[UINT, UINT, INT])];

pub(super) const ROWS: &[Row] = &[
    Row::call(&["dot_acc_sat"], ACCUMULATING, |l, c| l.integer_dot(c)),
    packed(&["dot_4x8packed_uu_uint"], UNSIGNED_WORDS, |l, c| l.packed_dot(c, [false, false])),
    packed(&["dot_4x8packed_ss_int"], SIGNED_WORDS, |l, c| l.packed_dot(c, [true, true])),
    packed(&["dot_4x8packed_us_int"], SIGNED_WORDS, |l, c| l.packed_dot(c, [false, true])),
    packed(&["dot_4x8packed_su_int"], SIGNED_WORDS, |l, c| l.packed_dot(c, [true, false])),
    packed(&["dot_acc_sat_4x8packed_uu_uint"], UNSIGNED_WORDS_AND_SUM, |l, c| {
        l.packed_dot(c, [false, false])
    }),
    packed(&["dot_acc_sat_4x8packed_ss_int"], SIGNED_WORDS_AND_SUM, |l, c| {
        l.packed_dot(c, [true, true])
    }),
    packed(&["dot_acc_sat_4x8packed_us_int"], SIGNED_WORDS_AND_SUM, |l, c| {
        l.packed_dot(c, [false, true])
    }),
    packed(&["dot_acc_sat_4x8packed_su_int"], SIGNED_WORDS_AND_SUM, |l, c| {
        l.packed_dot(c, [true, false])
    }),
    Row::call(&["arm_dot"], ARM, |l, c| l.integer_dot(c)),
    Row::call(&["arm_dot_acc"], ARM_ACCUMULATING, |l, c| l.wrapping_dot(c)),
    Row::call(&["arm_dot_acc_sat"], ARM_SATURATING, |l, c| l.integer_dot(c)),
];

impl Lowerer<'_, '_> {
    /// Lowers a dot product of vectors, to which the third argument, if there is one, is added.
    pub(super) fn integer_dot(&mut self, call: &Call<'_>) -> Option<Value> {
        let [a, b, ..] = call.types else { return None };
        self.packed_dot(call, [a.number.signed, b.number.signed])
    }

    /// Lowers a dot product that is added to a number; the sum wraps around.
    fn wrapping_dot(&mut self, call: &Call<'_>) -> Option<Value> {
        let (&[a, b, acc], [first, ..]) = (call.args, call.types) else { return None };
        let product = match self.b.ty(a).lanes {
            4 => self.integer_dot(&Call { args: &[a, b], ..*call })?,
            _ => {
                let [a, b] =
                    [a, b].map(|it| self.b.resize_lanes(it, Scalar::I32, first.number.signed));
                let products = self.b.binary(BinaryOp::IMul, a, b);
                let [x, y] = [0, 1].map(|lane| self.b.extract(products, lane));
                self.b.binary(BinaryOp::IAdd, x, y)
            }
        };
        Some(self.b.binary(BinaryOp::IAdd, product, acc))
    }

    /// Returns a dot product. `signed` says which operands are signed; if only one is, it becomes the first one.
    fn packed_dot(&mut self, call: &Call<'_>, signed: [bool; 2]) -> Option<Value> {
        let [a, b, ref rest @ ..] = *call.args else { return None };
        let [a, b] = [a, b].map(|vector| self.b.bitcast(vector, Type::I32));
        let (op, [a, b]) = match signed {
            [true, true] => (MathOp::SDot, [a, b]),
            [false, false] => (MathOp::UDot, [a, b]),
            [true, false] => (MathOp::SUDot, [a, b]),
            [false, true] => (MathOp::SUDot, [b, a]),
        };
        let product = self.b.math(op, &[a, b]);
        let number = Number { scalar: Scalar::I32, signed: signed != [false, false] };
        // The device's instruction with a sum is not used: lavapipe of Mesa 25.0 computes it wrong for constants.
        Some(rest.first().map_or(product, |&acc| self.add_sat(number, product, acc)))
    }
}
