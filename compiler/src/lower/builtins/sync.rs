//! Barriers and fences (OpenCL C 6.15.8, 6.15.12.7).

use super::{BuiltinCall, BuiltinResult};
use crate::ir::{BarrierFlags, MemoryOrder, MemoryScope, SyncSemantics, Value};
use crate::lower::function::Lowering;

impl Lowering<'_, '_> {
    pub fn sync_builtin(&mut self, call: &BuiltinCall) -> BuiltinResult {
        let flags = self.fence_flags(call.args.first().copied());
        match call.name {
            "barrier" | "work_group_barrier" => self.work_group_barrier(flags, call),
            "mem_fence" | "read_mem_fence" | "write_mem_fence" => self.legacy_fence(flags),
            "atomic_work_item_fence" => {
                let &[_, order, scope] = call.args.as_slice() else { return None };
                let order = self.memory_order(order);
                if order != MemoryOrder::Relaxed {
                    let scope = self.memory_scope(scope);
                    self.b.fence(flags, SyncSemantics { order, scope });
                }
            }
            _ => return None,
        }
        Some(None)
    }

    /// A fence of OpenCL C 1.x. Programs hand results to other work-groups through global memory by it and
    /// an atomic operation ("the last work-group sums up"), so that it is of the device's scope there.
    fn legacy_fence(&mut self, flags: BarrierFlags) {
        let scope = match flags.contains(BarrierFlags::GLOBAL) {
            true => MemoryScope::Device,
            false => MemoryScope::WorkGroup,
        };
        self.b.fence(flags, SyncSemantics { scope, ..SyncSemantics::FENCE });
    }

    /// A barrier of a wider scope is a fence on both sides too.
    fn work_group_barrier(&mut self, flags: BarrierFlags, call: &BuiltinCall) {
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
    }

    /// CLK_LOCAL_MEM_FENCE is 1, CLK_GLOBAL_MEM_FENCE 2; flags not known here mean both.
    fn fence_flags(&self, flags: Option<Value>) -> BarrierFlags {
        match flags.and_then(|flags| self.b.func.as_const(flags)) {
            Some(bits) => BarrierFlags::from_bits_truncate(bits as u8),
            None => BarrierFlags::all(),
        }
    }
}
