//! Extents of memory, for kernels that look for their own mistakes (`HEKLA_CHECK`).

use super::reach::Object;
use super::Launch;
use crate::cl::error::{ClError, Result};
use crate::cl::*;
use crate::core::check::{self, Table};
use crate::core::memory::buffer::Buffer;
use crate::core::program::kernel::{ArgValue, KernelArguments};
use crate::core::queue::Queue;
use crate::object::Ref;
use hekla_vk_backend as vk;
use std::sync::Arc;

impl Launch {
    /// Returns the extent of each argument's memory: its address and size. The size is 0 for null and for arguments that are
    /// not memory.
    pub(super) fn extents(
        &self,
        queue: &Queue,
        arguments: &KernelArguments,
    ) -> Result<Vec<(u64, u64)>> {
        let mut extents = Vec::with_capacity(arguments.args.len());
        for arg in &arguments.args {
            extents.push(match arg {
                Some(ArgValue::Buffer(Some(mem))) => {
                    let mem = mem.upgrade().ok_or(ClError(CL_INVALID_KERNEL_ARGS))?;
                    let bytes = mem.on_device_to_read(queue.device_index)?;
                    (bytes.address() + mem.origin as u64, mem.size as u64)
                }
                Some(ArgValue::Local(size)) => (0, *size as u64),
                Some(ArgValue::Pointer(address)) => self.extent(queue, *address),
                _ => (0, 0),
            });
        }
        Ok(extents)
    }

    /// Returns the extent of the memory that contains an address.
    fn extent(&self, queue: &Queue, address: u64) -> (u64, u64) {
        if let Some((allocation, offset)) = queue.context.svm.find(address as usize) {
            return (address - offset as u64, allocation.size as u64);
        }
        let ranges = queue.context.addresses.ranges(queue.device_index);
        let found = ranges.into_iter().find(|(start, size)| address.wrapping_sub(*start) < *size);
        // A block's captured pointers may lead to the driver's own memory, which is not in the list.
        let unknown = if self.kernel.kernel.is_block { (0, u64::MAX) } else { (address, 0) };
        found.unwrap_or(unknown)
    }

    /// Returns the extents of all memory that the launch may reach. A recording may reach more when it is replayed, and a block
    /// may reach memory that it captured.
    pub(super) fn table(&self, queue: &Queue, replayed: bool) -> Table {
        let own = self.objects.iter().filter_map(|object| match object {
            Object::Buffer { bytes, .. } => Some(bytes.clone()),
            _ => None,
        });
        // The extents of shared allocations come from their own list: the buffers that hold them end later.
        let shared = &queue.context.svm;
        let others = self.others.iter().filter(|bytes| !shared.is_in(bytes)).cloned();
        let given: Vec<Arc<vk::Buffer>> = own.chain(others).collect();
        let mut ranges = queue.context.printer.give(queue.device_index, &given);
        ranges.extend(shared.ranges());
        ranges.extend(queue.context.addresses.ranges(queue.device_index));
        let is_partial = replayed || self.kernel.kernel.is_block;
        let mut table = Table::new(&self.extents, ranges, is_partial, check::wanted());
        // All commands that the launch waits for have been started, so their writes are known. A recording may be replayed
        // after further writes.
        let unwritten = self.unwritten.iter().filter(|it| !replayed && it.1.is_unwritten());
        table.unwritten =
            unwritten.map(|(number, _)| 1u32.checked_shl(*number as u32).unwrap_or(0)).sum();
        table
    }
}

/// Returns the arguments, by number, whose memory nothing has written yet.
pub(super) fn unwritten(arguments: &KernelArguments) -> Vec<(usize, Ref<Buffer>)> {
    let buffers = arguments.args.iter().enumerate().filter_map(|(number, arg)| match arg {
        Some(ArgValue::Buffer(Some(mem))) => Some((number, mem.upgrade()?)),
        _ => None,
    });
    buffers.filter(|(_, mem)| mem.is_unwritten()).collect()
}
