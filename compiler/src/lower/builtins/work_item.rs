//! Work-item functions (OpenCL C 6.15.1).

use super::{done, BuiltinCall, BuiltinResult};
use crate::ir::{BinaryOp, IntCC, Scalar, Value, WorkItemQuery};
use crate::lower::function::Lowering;

impl Lowering<'_, '_> {
    pub fn work_item_builtin(&mut self, call: &BuiltinCall) -> BuiltinResult {
        use WorkItemQuery::*;
        // The query and what a dimension beyond the third gives.
        let (query, beyond) = match call.name {
            "get_global_id" => (GlobalId, 0),
            "get_global_size" => (GlobalSize, 1),
            "get_global_offset" => (GlobalOffset, 0),
            "get_group_id" => (GroupId, 0),
            "get_num_groups" => (NumGroups, 1),
            "get_local_id" => (LocalId, 0),
            "get_local_size" => (LocalSize, 1),
            "get_enqueued_local_size" => (EnqueuedLocalSize, 1),
            "get_work_dim" => return done(self.query(WorkDim, 0, call.result.scalar)),
            "get_global_linear_id" => return done(self.global_linear_id(call)),
            "get_local_linear_id" => {
                let id = self.local_linear_id();
                return done(self.b.resize(id, call.result.scalar, false));
            }
            _ => return None,
        };
        let &[dim] = call.args.as_slice() else { return None };
        let to = call.result.scalar;
        if let Some(dim) = self.b.func.as_const(dim) {
            return done(match dim {
                0..=2 => self.query(query, dim as u8, to),
                _ => self.b.int(to, beyond),
            });
        }
        let mut result = self.b.int(to, beyond);
        for candidate in [2, 1, 0] {
            let value = self.query(query, candidate, to);
            let here = self.b.compare_const(IntCC::Eq, dim, i64::from(candidate));
            result = self.b.select(here, value, result);
        }
        done(result)
    }

    fn query(&mut self, query: WorkItemQuery, dim: u8, to: Scalar) -> Value {
        let value = self.b.work_item(query, dim);
        self.b.resize(value, to, false)
    }

    fn global_linear_id(&mut self, call: &BuiltinCall) -> Value {
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
    pub fn local_linear_id(&mut self) -> Value {
        let mut sum = None;
        for dim in [2, 1, 0] {
            let id = self.query(WorkItemQuery::LocalId, dim, Scalar::I32);
            sum = Some(self.horner(sum, WorkItemQuery::LocalSize, dim, id, Scalar::I32));
        }
        sum.unwrap_or_else(|| self.b.int(Scalar::I32, 0))
    }

    /// `sum * size(dim) + id`.
    pub fn horner(
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
    pub fn local_count(&mut self) -> Value {
        let x = self.query(WorkItemQuery::LocalSize, 0, Scalar::I32);
        let y = self.query(WorkItemQuery::LocalSize, 1, Scalar::I32);
        let z = self.query(WorkItemQuery::LocalSize, 2, Scalar::I32);
        let xy = self.b.binary(BinaryOp::IMul, x, y);
        self.b.binary(BinaryOp::IMul, xy, z)
    }
}
