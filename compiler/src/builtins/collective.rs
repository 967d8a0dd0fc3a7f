//! Work-group collective functions (OpenCL C 6.15.16): by sub-groups if the device's sub-groups combine numbers of the type
//! ([`super::collective_by_subgroups`]), else by work-items ([`super::collective_by_items`]).

use super::integer::{add_op, max_op, min_op};
use super::row::{Check, Lower, LowerUnary, Names, Row};
use super::signature::TypePattern::{self, G};
use super::signature::{Elements, Scalar as Name, Sig, SCALAR};
use super::{Call, Lowerer};
use crate::ir::{BinaryOp, IntCC, Scalar, SubgroupScan, Value, WorkItemQuery};
use crate::options::ClStd;

use SubgroupScan::{Exclusive, Inclusive, Reduce};

const INT: TypePattern = TypePattern::S(Name::Int);
const SIZE: TypePattern = TypePattern::S(Name::ULong);
pub(super) const VOTE: &[Sig] = &[Sig::plain(INT, &[INT])];
pub(super) const COMBINE: &[Sig] = &[of_value(&[G])];

const fn of_value(params: &'static [TypePattern]) -> Sig {
    Sig::new(Elements::COLLECTIVE, G, params).lanes(SCALAR)
}

pub(super) const fn collective(names: Names, sigs: &'static [Sig], lower: Lower) -> Row {
    Row::new(names, sigs, lower).since(ClStd::Cl20).check(Check::Collective)
}

/// A reduction or scan.
const fn combine(names: Names, lower: LowerUnary) -> Row {
    collective(names, COMBINE, Lower::Unary(lower))
}

pub(super) const ROWS: &[Row] = &[
    collective(&["work_group_all"], VOTE, Lower::Unary(|l, _, x| l.work_group_vote(true, x))),
    collective(&["work_group_any"], VOTE, Lower::Unary(|l, _, x| l.work_group_vote(false, x))),
    collective(
        &["work_group_broadcast"],
        &[of_value(&[G, SIZE]), of_value(&[G, SIZE, SIZE]), of_value(&[G, SIZE, SIZE, SIZE])],
        Lower::Call(|l, c| match *c.args {
            [value, ref ids @ ..] => Some(l.broadcast(value, ids)),
            _ => None,
        }),
    ),
    combine(&["work_group_reduce_add"], |l, c, x| l.combine(Reduce, add_op, c, x)),
    combine(&["work_group_reduce_min"], |l, c, x| l.combine(Reduce, min_op, c, x)),
    combine(&["work_group_reduce_max"], |l, c, x| l.combine(Reduce, max_op, c, x)),
    combine(&["work_group_scan_inclusive_add"], |l, c, x| l.combine(Inclusive, add_op, c, x)),
    combine(&["work_group_scan_inclusive_min"], |l, c, x| l.combine(Inclusive, min_op, c, x)),
    combine(&["work_group_scan_inclusive_max"], |l, c, x| l.combine(Inclusive, max_op, c, x)),
    combine(&["work_group_scan_exclusive_add"], |l, c, x| l.combine(Exclusive, add_op, c, x)),
    combine(&["work_group_scan_exclusive_min"], |l, c, x| l.combine(Exclusive, min_op, c, x)),
    combine(&["work_group_scan_exclusive_max"], |l, c, x| l.combine(Exclusive, max_op, c, x)),
];

impl Lowerer<'_, '_> {
    /// Returns true if work-groups combine numbers of a type by their sub-groups. Sub-groups that are made of several of the
    /// hardware's do not: they would go through work-group memory as well.
    pub(super) fn combines_in_subgroups(&self, scalar: Scalar) -> bool {
        self.target.combines_in_subgroups(scalar) && !self.front.has_larger_subgroups()
    }

    fn work_group_vote(&mut self, all: bool, predicate: Value) -> Value {
        match self.combines_in_subgroups(Scalar::I32) {
            true => self.vote_of_subgroups(all, predicate),
            false => self.vote_of_items(all, predicate),
        }
    }

    /// Reduces or scans.
    pub(super) fn combine(
        &mut self,
        scan: SubgroupScan,
        op: fn(&Call<'_>) -> BinaryOp,
        call: &Call<'_>,
        value: Value,
    ) -> Value {
        let op = op(call);
        match self.combines_in_subgroups(call.result.scalar) {
            true => self.combine_subgroups(scan, op, value),
            false => self.combine_items(scan, op, value),
        }
    }

    /// Returns the value of the work-item with these local ids (I64).
    fn broadcast(&mut self, value: Value, ids: &[Value]) -> Value {
        let scratch = self.scratch(self.b.ty(value));
        let mut source: Option<Value> = None;
        for (dim, &id) in ids.iter().enumerate().rev() {
            let id = self.b.resize_lanes(id, Scalar::I32, false);
            source =
                Some(self.horner(source, WorkItemQuery::LocalSize, dim as u8, id, Scalar::I32));
        }
        let zero = self.b.int(Scalar::I32, 0);
        let id = self.local_linear_id();
        let chosen = self.b.icmp(IntCC::Eq, id, source.unwrap_or(zero));
        self.local_barrier();
        self.when(chosen, |this| this.write_scratch(&scratch, zero, value));
        self.local_barrier();
        self.read_scratch(&scratch, zero)
    }
}
