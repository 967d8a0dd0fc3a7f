//! Work-group collective uniform arithmetic (OpenCL C 6.15.17): reductions and scans by products, bits and truth.

use super::collective::{collective, Operation, COMBINE, VOTE};
use super::row::{Lower, Row};
use super::signature::{Elements, Sig, TypePattern::G, SCALAR};
use super::Lowerer;
use crate::ir::{BinaryOp, Type, Value};

const BITWISE: &[Sig] = &[Sig::new(Elements::I32_I64, G, &[G]).lanes(SCALAR)];

/// The reduction and the scans of one operation.
macro_rules! combinations {
    ($sigs:expr, $operation:expr, $reduce:literal, $inclusive:literal, $exclusive:literal) => {
        &[
            collective(&[$reduce], $sigs, Lower::Unary(|l, c, x| l.reduce($operation, c, x))),
            collective(
                &[$inclusive],
                $sigs,
                Lower::Unary(|l, c, x| l.inclusive_scan($operation, c, x)),
            ),
            collective(
                &[$exclusive],
                $sigs,
                Lower::Unary(|l, c, x| l.exclusive_scan($operation, c, x)),
            ),
        ]
    };
}

/// The same of truth, which goes in as 1 or 0.
macro_rules! logical {
    ($operation:expr, $reduce:literal, $inclusive:literal, $exclusive:literal) => {
        &[
            collective(
                &[$reduce],
                VOTE,
                Lower::Unary(|l, c, x| {
                    let x = l.truth(x);
                    l.reduce($operation, c, x)
                }),
            ),
            collective(
                &[$inclusive],
                VOTE,
                Lower::Unary(|l, c, x| {
                    let x = l.truth(x);
                    l.inclusive_scan($operation, c, x)
                }),
            ),
            collective(
                &[$exclusive],
                VOTE,
                Lower::Unary(|l, c, x| {
                    let x = l.truth(x);
                    l.exclusive_scan($operation, c, x)
                }),
            ),
        ]
    };
}

pub(super) const ROWS: &[&[Row]] = &[
    combinations!(
        COMBINE,
        MUL,
        "work_group_reduce_mul",
        "work_group_scan_inclusive_mul",
        "work_group_scan_exclusive_mul"
    ),
    combinations!(
        BITWISE,
        AND,
        "work_group_reduce_and",
        "work_group_scan_inclusive_and",
        "work_group_scan_exclusive_and"
    ),
    combinations!(
        BITWISE,
        OR,
        "work_group_reduce_or",
        "work_group_scan_inclusive_or",
        "work_group_scan_exclusive_or"
    ),
    combinations!(
        BITWISE,
        XOR,
        "work_group_reduce_xor",
        "work_group_scan_inclusive_xor",
        "work_group_scan_exclusive_xor"
    ),
    logical!(
        AND,
        "work_group_reduce_logical_and",
        "work_group_scan_inclusive_logical_and",
        "work_group_scan_exclusive_logical_and"
    ),
    logical!(
        OR,
        "work_group_reduce_logical_or",
        "work_group_scan_inclusive_logical_or",
        "work_group_scan_exclusive_logical_or"
    ),
    logical!(
        XOR,
        "work_group_reduce_logical_xor",
        "work_group_scan_inclusive_logical_xor",
        "work_group_scan_exclusive_logical_xor"
    ),
];

/// An operation on integers or bits.
macro_rules! operation {
    ($op:expr) => {
        Operation {
            op: |_| $op,
            identity: |b, c| b.iconst(c.result, $op.identity(c.result.scalar) as i64),
        }
    };
}

const MUL: Operation = Operation {
    op: |c| if c.number().is_float() { BinaryOp::FMul } else { BinaryOp::IMul },
    identity: |b, c| match c.number().is_float() {
        true => b.fconst(c.result, 1.0),
        false => b.iconst(c.result, 1),
    },
};
const AND: Operation = operation!(BinaryOp::And);
const OR: Operation = operation!(BinaryOp::Or);
const XOR: Operation = operation!(BinaryOp::Xor);

impl Lowerer<'_, '_> {
    /// Returns 1 for a number that is not zero.
    fn truth(&mut self, number: Value) -> Value {
        let truth = self.b.is_nonzero(number);
        self.b.int_of_bool(truth, Type::I32)
    }
}
