//! Work-group collective uniform arithmetic (OpenCL C 6.15.17): reductions and scans by products, bits and truth.

use super::collective::{collective, COMBINE, VOTE};
use super::row::{Lower, Row};
use super::signature::{Elements, Sig, TypePattern::G, SCALAR};
use super::subgroups::MUL;
use super::Lowerer;
use crate::ir::{BinaryOp, SubgroupScan, Type, Value};

const BITWISE: &[Sig] = &[Sig::new(Elements::I32_I64, G, &[G]).lanes(SCALAR)];

/// The reduction and the scans of one operation.
macro_rules! combinations {
    ($sigs:expr, $op:expr, $($name:literal $scan:ident),+) => {
        &[$(collective(
            &[$name],
            $sigs,
            Lower::Unary(|l, c, x| l.combine(SubgroupScan::$scan, $op, c, x)),
        )),+]
    };
}

/// The reduction and the scans of one logical operation, whose operands are 1 or 0.
macro_rules! logical {
    ($op:expr, $($name:literal $scan:ident),+) => {
        &[$(collective(
            &[$name],
            VOTE,
            Lower::Unary(|l, c, x| {
                let x = l.truth(x);
                l.combine(SubgroupScan::$scan, $op, c, x)
            }),
        )),+]
    };
}

pub(super) const ROWS: &[&[Row]] = &[
    combinations!(
        COMBINE,
        MUL,
        "work_group_reduce_mul" Reduce,
        "work_group_scan_inclusive_mul" Inclusive,
        "work_group_scan_exclusive_mul" Exclusive
    ),
    combinations!(
        BITWISE,
        |_| BinaryOp::And,
        "work_group_reduce_and" Reduce,
        "work_group_scan_inclusive_and" Inclusive,
        "work_group_scan_exclusive_and" Exclusive
    ),
    combinations!(
        BITWISE,
        |_| BinaryOp::Or,
        "work_group_reduce_or" Reduce,
        "work_group_scan_inclusive_or" Inclusive,
        "work_group_scan_exclusive_or" Exclusive
    ),
    combinations!(
        BITWISE,
        |_| BinaryOp::Xor,
        "work_group_reduce_xor" Reduce,
        "work_group_scan_inclusive_xor" Inclusive,
        "work_group_scan_exclusive_xor" Exclusive
    ),
    logical!(
        |_| BinaryOp::And,
        "work_group_reduce_logical_and" Reduce,
        "work_group_scan_inclusive_logical_and" Inclusive,
        "work_group_scan_exclusive_logical_and" Exclusive
    ),
    logical!(
        |_| BinaryOp::Or,
        "work_group_reduce_logical_or" Reduce,
        "work_group_scan_inclusive_logical_or" Inclusive,
        "work_group_scan_exclusive_logical_or" Exclusive
    ),
    logical!(
        |_| BinaryOp::Xor,
        "work_group_reduce_logical_xor" Reduce,
        "work_group_scan_inclusive_logical_xor" Inclusive,
        "work_group_scan_exclusive_logical_xor" Exclusive
    ),
];

impl Lowerer<'_, '_> {
    /// Returns 1 for a number that is not zero.
    fn truth(&mut self, number: Value) -> Value {
        let truth = self.b.is_nonzero(number);
        self.b.int_of_bool(truth, Type::I32)
    }
}
