//! The order of volatile accesses to work-group memory, where a driver moves a load in front of a store to another place:
//! [`Quirks::UNORDERED_VOLATILE`](hekla_device::Quirks::UNORDERED_VOLATILE).
//!
//! Programs for GPUs whose work-items run in step, as many as a sub-group has, pass values through volatile local memory without
//! barriers. A fence in front of each volatile access keeps the accesses in the order of the program.

use crate::ir::*;
use crate::passes::cursor::rewrite_insts;

/// Puts fences in front of volatile accesses to work-group memory. Returns true if there were any.
pub fn run(func: &mut Function) -> bool {
    rewrite_insts(func, |c, inst| {
        let data = c.func.insts[inst].clone();
        let is_volatile = match data {
            InstData::Load { flags, .. } | InstData::Store { flags, .. } => {
                flags.contains(MemFlags::VOLATILE)
            }
            _ => false,
        };
        let space = c.func.access(inst).and_then(|(ptr, _)| c.func.ty(ptr).space());
        if !is_volatile || space != Some(AddressSpace::Local) {
            return None;
        }
        c.fence(BarrierFlags::LOCAL, SyncSemantics::FENCE);
        Some(data)
    })
}
