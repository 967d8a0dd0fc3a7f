//! Work-item functions (OpenCL C 6.15.1).

use super::row::{LowerUnary, Names, Row};
use super::signature::{Scalar as Name, Sig, TypePattern};
use super::{Call, Lowerer};
use crate::ir::{BinaryOp, IntCC, Scalar, Value, WorkItemQuery};
use crate::options::ClStd;

const UINT: TypePattern = TypePattern::S(Name::UInt);
const SIZE: TypePattern = TypePattern::S(Name::ULong);
const OF_DIMENSION: &[Sig] = &[Sig::plain(SIZE, &[UINT])];
const PLAIN: &[Sig] = &[Sig::plain(SIZE, &[])];

pub(super) const ROWS: &[Row] = &[
    Row::call(&["get_work_dim"], &[Sig::plain(UINT, &[])], |l, c| {
        Some(l.query(WorkItemQuery::WorkDim, 0, c.result.scalar))
    }),
    dimension(&["get_global_id"], |l, c, dim| l.dimension(c, WorkItemQuery::GlobalId, dim, 0)),
    dimension(&["get_global_size"], |l, c, dim| l.dimension(c, WorkItemQuery::GlobalSize, dim, 1)),
    dimension(&["get_group_id"], |l, c, dim| l.dimension(c, WorkItemQuery::GroupId, dim, 0)),
    dimension(&["get_num_groups"], |l, c, dim| l.dimension(c, WorkItemQuery::NumGroups, dim, 1)),
    dimension(&["get_local_id"], |l, c, dim| l.dimension(c, WorkItemQuery::LocalId, dim, 0)),
    dimension(&["get_local_size"], |l, c, dim| l.dimension(c, WorkItemQuery::LocalSize, dim, 1)),
    dimension(&["get_global_offset"], |l, c, dim| {
        l.dimension(c, WorkItemQuery::GlobalOffset, dim, 0)
    })
    .since(ClStd::Cl11),
    dimension(&["get_enqueued_local_size"], |l, c, dim| {
        l.dimension(c, WorkItemQuery::EnqueuedLocalSize, dim, 1)
    })
    .since(ClStd::Cl20),
    Row::call(&["get_global_linear_id"], PLAIN, |l, c| Some(l.global_linear_id(c)))
        .since(ClStd::Cl20),
    Row::call(&["get_local_linear_id"], PLAIN, |l, c| {
        let id = l.local_linear_id();
        Some(l.b.resize_lanes(id, c.result.scalar, false))
    })
    .since(ClStd::Cl20),
];

/// A function of the number of a dimension.
const fn dimension(names: Names, lower: LowerUnary) -> Row {
    Row::unary(names, OF_DIMENSION, lower)
}

impl Lowerer<'_, '_> {
    /// Returns a query's value in dimension `dim`; `beyond` for dimensions beyond the third.
    fn dimension(
        &mut self,
        call: &Call<'_>,
        query: WorkItemQuery,
        dim: Value,
        beyond: i64,
    ) -> Value {
        let to = call.result.scalar;
        if let Some(dim) = self.b.func.as_const(dim) {
            return match dim {
                0..=2 => self.query(query, dim as u8, to),
                _ => self.b.int(to, beyond),
            };
        }
        let mut result = self.b.int(to, beyond);
        for candidate in [2, 1, 0] {
            let value = self.query(query, candidate, to);
            let here = self.b.icmp_imm(IntCC::Eq, dim, i64::from(candidate));
            result = self.b.select(here, value, result);
        }
        result
    }

    fn query(&mut self, query: WorkItemQuery, dim: u8, to: Scalar) -> Value {
        let value = self.b.work_item(query, dim);
        self.b.resize_lanes(value, to, false)
    }

    fn global_linear_id(&mut self, call: &Call<'_>) -> Value {
        let to = call.result.scalar;
        let mut sum = None;
        for dim in [2, 1, 0] {
            let id = self.query(WorkItemQuery::GlobalId, dim, to);
            let offset = self.query(WorkItemQuery::GlobalOffset, dim, to);
            let id = self.b.binary(BinaryOp::ISub, id, offset);
            sum = Some(self.horner(sum, WorkItemQuery::GlobalSize, dim, id, to));
        }
        sum.unwrap_or_else(|| self.b.int(to, 0))
    }

    /// Returns the linear local id as an I32.
    pub(super) fn local_linear_id(&mut self) -> Value {
        let mut sum = None;
        for dim in [2, 1, 0] {
            let id = self.query(WorkItemQuery::LocalId, dim, Scalar::I32);
            sum = Some(self.horner(sum, WorkItemQuery::LocalSize, dim, id, Scalar::I32));
        }
        sum.unwrap_or_else(|| self.b.int(Scalar::I32, 0))
    }

    /// Returns `sum * size(dim) + id`.
    pub(super) fn horner(
        &mut self,
        sum: Option<Value>,
        size: WorkItemQuery,
        dim: u8,
        id: Value,
        to: Scalar,
    ) -> Value {
        let Some(sum) = sum else { return id };
        let size = self.query(size, dim, to);
        let product = self.b.binary(BinaryOp::IMul, sum, size);
        self.b.binary(BinaryOp::IAdd, product, id)
    }

    /// Returns the number of work-items of this work-group as an I32.
    pub(super) fn local_count(&mut self) -> Value {
        let x = self.query(WorkItemQuery::LocalSize, 0, Scalar::I32);
        let y = self.query(WorkItemQuery::LocalSize, 1, Scalar::I32);
        let z = self.query(WorkItemQuery::LocalSize, 2, Scalar::I32);
        let xy = self.b.binary(BinaryOp::IMul, x, y);
        self.b.binary(BinaryOp::IMul, xy, z)
    }
}
