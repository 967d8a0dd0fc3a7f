//! Barriers and fences (OpenCL C 6.15.8, 6.15.12.7).

use super::{Call, Outcome};
use crate::ir::{BarrierFlags, Value};
use crate::lower::function::Lowering;

impl Lowering<'_, '_> {
    pub fn sync_builtin(&mut self, call: &Call) -> Outcome {
        let flags = self.fence_flags(call.args.first().copied());
        match call.name {
            "barrier" | "work_group_barrier" => self.b.barrier(flags),
            "mem_fence" | "read_mem_fence" | "write_mem_fence" | "atomic_work_item_fence" => {
                self.b.fence(flags)
            }
            _ => return None,
        }
        Some(None)
    }

    /// CLK_LOCAL_MEM_FENCE is 1, CLK_GLOBAL_MEM_FENCE 2; flags not known here mean both.
    fn fence_flags(&self, flags: Option<Value>) -> BarrierFlags {
        match flags.and_then(|flags| self.b.func.as_const(flags)) {
            Some(bits) => BarrierFlags::from_bits_truncate(bits as u8),
            None => BarrierFlags::all(),
        }
    }
}
