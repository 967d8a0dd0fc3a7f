//! Operands of commands that are host pointers: they lead to the application's own memory, or to device memory that is mapped
//! or shared at these addresses.

use super::host::HostAddress;
use super::rect::{Rect, Run};
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::{CL_INVALID_HOST_PTR, CL_INVALID_VALUE};
use crate::core::context::host_ranges::{HostRange, RangeList};
use crate::core::context::host_writes::HostWrite;
use crate::core::context::svm::Allocation;
use crate::core::context::Context;
use crate::core::device::open::Gpu;
use crate::core::device::pages::Pages;
use hekla_vk_backend as vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// A box in the application's address space; its offset is an address.
pub struct Operand {
    pub rect: Rect,
    /// The parts of the box that were device memory at enqueue: a later unmap does not affect the command.
    shared: RangeList,
    /// The pending write to the box, if the command writes.
    write: Option<Arc<HostWrite>>,
    /// The pages that hold the box, if they belong to the command.
    _pages: Option<Arc<Pages>>,
}

/// The runs of a transfer, grouped by the memory behind their addresses.
pub struct Parts<'a> {
    /// The runs in the application's own memory.
    pub own: Vec<Run>,
    /// The runs in device memory.
    pub shared: SmallVec<[SharedPart<'a>; 1]>,
}

/// The runs of a transfer that lead to one range of device memory.
pub struct SharedPart<'a> {
    pub range: &'a HostRange,
    /// The memory on the command's device.
    pub buffer: &'a Arc<vk::Buffer>,
    pub runs: Vec<Run>,
}

impl Operand {
    /// Returns memory that a command reads.
    pub fn source(context: &Context, rect: Rect) -> Operand {
        let (start, end) = span(&rect);
        Operand { shared: context.host_ranges.find(start, end), ..Operand::own_source(rect) }
    }

    /// Returns memory that a command writes.
    pub fn target(context: &Context, rect: Rect) -> Operand {
        let (start, end) = span(&rect);
        let shared = context.host_ranges.find(start, end);
        Operand { shared, ..Operand::own_target(context, rect) }
    }

    /// Returns the host's own memory that a command reads, even if the addresses are also registered as device memory.
    pub fn own_source(rect: Rect) -> Operand {
        Operand { rect, shared: RangeList::new(), write: None, _pages: None }
    }

    /// Returns the first `size` bytes of `pages` for a command that reads them. The command keeps the pages until it has
    /// started.
    pub fn of_pages(pages: &Arc<Pages>, size: usize) -> Operand {
        let source = Operand::own_source(HostAddress(pages.address()).range(size));
        Operand { _pages: Some(pages.clone()), ..source }
    }

    /// Returns the host's own memory that a command writes.
    pub fn own_target(context: &Context, rect: Rect) -> Operand {
        let (start, end) = span(&rect);
        let write = Some(context.host_writes.add(start, end));
        Operand { rect, shared: RangeList::new(), write, _pages: None }
    }

    /// Returns the address of the first byte, and the one after the last.
    pub fn span(&self) -> (usize, usize) {
        span(&self.rect)
    }

    /// Returns true if some bytes of the box are in an allocation.
    pub fn reaches(&self, memory: &Allocation) -> bool {
        let (start, end) = self.span();
        let address = memory.block.address;
        start < address + memory.size && address < end
    }

    /// Returns true if no part is device memory.
    pub fn is_own(&self) -> bool {
        self.shared.is_empty()
    }

    /// Returns true if the host may read and write the bytes at their addresses once all commands that use them are complete.
    pub fn is_seen_by_host(&self, gpu: &Gpu) -> bool {
        let seen = |buffer: &Arc<vk::Buffer>| gpu.host_view(buffer).is_some();
        self.shared.iter().all(|range| range.in_place && range.buffers.iter().all(seen))
    }

    /// Returns true if some bytes of the box are in a buffer: the device must copy them, since it knows the overlap.
    pub fn leads_to(&self, buffer: &Arc<vk::Buffer>) -> bool {
        let is_it = |other: &Arc<vk::Buffer>| Arc::ptr_eq(other, buffer);
        self.shared.iter().any(|range| range.buffers.iter().any(is_it))
    }

    /// Returns the pending write.
    pub fn write(&self) -> Option<&Arc<HostWrite>> {
        self.write.as_ref()
    }

    /// Prevents all further writes, since the command has failed.
    pub fn cancel(&self) {
        if let Some(write) = &self.write {
            write.cancel();
        }
    }

    /// Groups the runs of a transfer by the memory behind their addresses; `address` returns the side of a run that is in the
    /// box. Memory of another device counts as the application's own: commands that write it are complete before a command of
    /// this device that is ordered behind them starts.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for memory of another device that the host does not see.
    pub fn divide(
        &self,
        gpu: &Gpu,
        runs: impl Iterator<Item = Run>,
        address: fn(&Run) -> usize,
    ) -> Result<Parts<'_>> {
        let reached = |range: &HostRange| range.in_place || range.on(&gpu.device).is_some();
        ensure!(self.shared.iter().all(reached), CL_INVALID_VALUE);
        let shared = self.shared.iter().filter_map(|range| {
            let buffer = range.on(&gpu.device)?;
            Some(SharedPart { range, buffer, runs: Vec::new() })
        });
        let mut parts = Parts { own: Vec::new(), shared: shared.collect() };
        for run in runs {
            parts.add(run, address);
        }
        Ok(parts)
    }
}

impl Parts<'_> {
    /// Adds a run, cut into parts where the memory behind its addresses changes.
    fn add(&mut self, mut rest: Run, address: fn(&Run) -> usize) {
        for SharedPart { range, runs, .. } in &mut self.shared {
            let (start, end) = (address(&rest), address(&rest) + rest.size);
            if rest.size == 0 || range.end <= start || end <= range.start {
                continue;
            }
            if start < range.start {
                self.own.push(rest.take(range.start - start));
            }
            runs.push(rest.take(end.min(range.end) - address(&rest)));
        }
        if rest.size > 0 {
            self.own.push(rest);
        }
    }
}

impl Run {
    /// Cuts `size` bytes off the beginning of the run, and returns them as a run.
    fn take(&mut self, size: usize) -> Run {
        let first = Run { size, ..*self };
        *self = Run { from: self.from + size, to: self.to + size, size: self.size - size };
        first
    }
}

/// Returns a copy of the `size` bytes at an address if the host does not see all of them there: some are shared virtual memory
/// whose shadow is not mapped, or memory of a device alone.
pub fn behind_shadow(context: &Context, host: HostAddress, size: usize) -> Result<Option<Vec<u8>>> {
    let ranges = context.host_ranges.find(host.0, host.0.saturating_add(size));
    if ranges.iter().all(|range| range.in_place) {
        return Ok(None);
    }
    let (mut bytes, mut at) = (vec![0; size], 0);
    // Bytes between the ranges are the host's own.
    let own = |from: usize, part: &mut [u8]| {
        // SAFETY: clCreateBuffer requires `size` bytes at host_ptr, and has not returned yet.
        unsafe { HostAddress(host.0 + from).copy_to(part) }
    };
    for range in ranges.iter().filter(|range| !range.in_place) {
        let (start, end) = (range.start - host.0, range.end - host.0);
        own(at, &mut bytes[at..start]);
        let owner = |gpu: &&Arc<Gpu>| range.on(&gpu.device).is_some();
        let gpu = context.gpus.iter().find(owner).ok_or(ClError(CL_INVALID_HOST_PTR))?;
        gpu.read_now(&range.buffers[0], range.offset, &mut bytes[start..end])?;
        at = end;
    }
    own(at, &mut bytes[at..]);
    Ok(Some(bytes))
}

fn span(rect: &Rect) -> (usize, usize) {
    (rect.offset, rect.end().unwrap_or(usize::MAX))
}

impl HostAddress {
    /// Returns the box of `size` bytes from this address on.
    pub fn range(self, size: usize) -> Rect {
        Rect::linear(self.0, size)
    }
}
