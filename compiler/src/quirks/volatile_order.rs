//! The order of volatile accesses to work-group memory, where a driver moves a load in front of a store to another place:
//! [`Quirks::UNORDERED_VOLATILE`](hekla_device::Quirks::UNORDERED_VOLATILE).
//!
//! Programs that count on the work-items of a sub-group to run in step pass values through volatile local memory without
//! barriers. A fence in front of each volatile access keeps the accesses in the order of the program.

use crate::ir::*;
use crate::passes::cursor::rewrite_insts;

/// Puts fences in front of volatile accesses to work-group memory. Returns true if there were any.
pub fn run(func: &mut Function) -> bool {
    rewrite_insts(func, |c, inst| {
        let (InstData::Load { ptr, flags, .. } | InstData::Store { ptr, flags, .. }) =
            c.func.insts[inst]
        else {
            return None;
        };
        let is_local = c.func.ty(ptr).space() == Some(AddressSpace::Local);
        if !is_local || !flags.contains(MemFlags::VOLATILE) {
            return None;
        }
        c.fence(BarrierFlags::LOCAL, SyncSemantics::FENCE);
        Some(c.func.insts[inst].clone())
    })
}
