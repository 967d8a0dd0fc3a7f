//! shuffle and shuffle2 (OpenCL C 6.15.14).

use super::row::{Check, Row};
use super::Lowerer;
use crate::ir::{BinaryOp, InstData, IntCC, Scalar, Value};
use crate::options::ClStd;

pub(super) const ROWS: &[Row] = &[
    Row::binary(&["shuffle"], &[], |l, _, x, mask| l.shuffle(x, x, mask, 1))
        .since(ClStd::Cl11)
        .check(Check::Shuffle(1)),
    Row::ternary(&["shuffle2"], &[], |l, _, x, y, mask| l.shuffle(x, y, mask, 2))
        .since(ClStd::Cl11)
        .check(Check::Shuffle(2)),
];

impl Lowerer<'_, '_> {
    /// Returns the lanes of `x` (and of `y` if `sources` is 2) that the low bits of the mask's lanes number.
    fn shuffle(&mut self, x: Value, y: Value, mask: Value, sources: u8) -> Value {
        let lanes = self.b.ty(x).lanes;
        let limit = lanes.saturating_mul(sources).saturating_sub(1);
        if let Some(mask) = self.constant_lanes(mask) {
            let picks: Vec<u8> = mask.iter().map(|&lane| lane as u8 & limit).collect();
            return self.b.shuffle(x, y, &picks);
        }
        let mut results = Vec::new();
        for lane in 0..self.b.ty(mask).lanes {
            let index = self.b.extract(mask, lane);
            let index = self.b.resize_lanes(index, Scalar::I32, false);
            let index = self.b.and_const(index, i64::from(limit));
            let mut value = self.b.extract_dynamic(x, index);
            if sources == 2 {
                let rest = self.b.binary_imm(BinaryOp::ISub, index, i64::from(lanes));
                let rest = self.b.and_const(rest, i64::from(lanes) - 1);
                let other = self.b.extract_dynamic(y, rest);
                let first = self.b.icmp_imm(IntCC::Ult, index, i64::from(lanes));
                value = self.b.select(first, value, other);
            }
            results.push(value);
        }
        self.b.build(&results)
    }

    /// Returns the lanes of a vector that is built of constants; `None` for other vectors.
    fn constant_lanes(&self, vector: Value) -> Option<Vec<u64>> {
        match self.b.func.def_inst(vector)? {
            InstData::Build { args } => args.iter().map(|&arg| self.b.func.as_const(arg)).collect(),
            _ => None,
        }
    }
}
