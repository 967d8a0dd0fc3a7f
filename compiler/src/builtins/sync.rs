//! Barriers and fences (OpenCL C 6.15.8, 6.15.12.7; cl_intel_split_work_group_barrier).

use super::c11_atomics::orders;
use super::row::{Check, Row, Synchronization};
use super::signature::TypePattern::{self, Void};
use super::signature::{Scalar as Name, Sig};
use super::{Call, Lowerer};
use crate::ir::{BarrierFlags, MemoryOrder, MemoryScope, SyncSemantics, Value};
use crate::options::ClStd;

const UINT: TypePattern = TypePattern::S(Name::UInt);
const INT: TypePattern = TypePattern::S(Name::Int);
const FENCE: &[Sig] = &[Sig::plain(Void, &[UINT])];
const FENCE_WITH_SCOPE: &[Sig] = &[Sig::plain(Void, &[UINT]), Sig::plain(Void, &[UINT, INT])];

pub(super) const ROWS: &[Row] = &[
    Row::call(&["barrier"], FENCE, |l, c| l.work_group_barrier(c)),
    Row::call(&["mem_fence", "read_mem_fence", "write_mem_fence"], FENCE, |l, c| l.legacy_fence(c)),
    Row::call(&["work_group_barrier"], FENCE_WITH_SCOPE, |l, c| l.work_group_barrier(c))
        .since(ClStd::Cl20),
    // `arrive` is nothing: what a work-item did before it is also done before the barrier, which is at `wait`.
    Row::call(&["intel_work_group_barrier_arrive"], FENCE_WITH_SCOPE, |_, _| None),
    Row::call(&["intel_work_group_barrier_wait"], FENCE_WITH_SCOPE, |l, c| l.work_group_barrier(c)),
    Row::call(&["atomic_work_item_fence"], &[Sig::plain(Void, &[UINT, INT, INT])], |l, c| {
        l.work_item_fence(c)
    })
    .since(ClStd::Cl20)
    .check(Check::Synchronization(Synchronization { is_fence: true, ..orders(1, &[]) })),
];

impl Lowerer<'_, '_> {
    /// A fence of OpenCL C 1.x. Programs hand results to other work-groups through global memory by a fence and
    /// an atomic operation ("the last work-group sums up"), so a fence of global memory has the device's scope.
    fn legacy_fence(&mut self, call: &Call<'_>) -> Option<Value> {
        let flags = self.fence_flags(call);
        let scope = match flags.contains(BarrierFlags::GLOBAL) {
            true => MemoryScope::Device,
            false => MemoryScope::WorkGroup,
        };
        self.b.fence(flags, SyncSemantics { scope, ..SyncSemantics::FENCE });
        None
    }

    fn work_item_fence(&mut self, call: &Call<'_>) -> Option<Value> {
        let flags = self.fence_flags(call);
        let &[_, order, scope] = call.args else { return None };
        let order = self.memory_order(order);
        if order != MemoryOrder::Relaxed {
            let scope = self.memory_scope(scope);
            self.b.fence(flags, SyncSemantics { order, scope });
        }
        None
    }

    /// A barrier of a wider scope is a fence on both sides too.
    fn work_group_barrier(&mut self, call: &Call<'_>) -> Option<Value> {
        let flags = self.fence_flags(call);
        let scope = call.args.get(1).map(|&scope| self.memory_scope(scope));
        let fence = SyncSemantics { order: MemoryOrder::AcqRel, scope: MemoryScope::Device };
        let wide = scope == Some(MemoryScope::Device) && flags.contains(BarrierFlags::GLOBAL);
        if wide {
            self.b.fence(flags, fence);
        }
        self.b.barrier(flags);
        if wide {
            self.b.fence(flags, fence);
        }
        None
    }

    /// Returns the flags of a fence: CLK_LOCAL_MEM_FENCE is 1, CLK_GLOBAL_MEM_FENCE 2, CLK_IMAGE_MEM_FENCE 4; all flags if
    /// they are not constant.
    pub(super) fn fence_flags(&self, call: &Call<'_>) -> BarrierFlags {
        match call.args.first().and_then(|&flags| self.b.func.as_const(flags)) {
            Some(bits) => BarrierFlags::from_bits_truncate(bits as u8),
            None => BarrierFlags::all(),
        }
    }
}
