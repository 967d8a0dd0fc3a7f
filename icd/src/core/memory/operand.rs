//! Operands of commands that are host pointers: they lead to the application's own memory, or to device memory that
//! is mapped or shared at those addresses.

use super::host::HostAddress;
use super::rect::{Rect, Run};
use crate::cl::error::Result;
use crate::core::context::host_ranges::{HostRange, RangeList};
use crate::core::context::host_writes::HostWrite;
use crate::core::context::Context;
use crate::core::device::open::Gpu;
use smallvec::SmallVec;
use std::sync::Arc;

/// A box in the application's address space; its offset is an address.
pub struct Operand {
    pub rect: Rect,
    /// The parts that are device memory, as of the enqueue: a later unmap does not affect the command.
    shared: RangeList,
    /// The pending write to the box, if the command writes.
    write: Option<Arc<HostWrite>>,
}

/// The runs of a transfer by the memory that their addresses lead to.
pub struct Parts<'a> {
    /// In the application's own memory.
    pub own: Vec<Run>,
    /// In device memory.
    pub shared: SmallVec<[(&'a HostRange, Vec<Run>); 1]>,
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

    /// Returns the host's own memory that a command reads, even if the addresses stand for device memory as well.
    pub fn own_source(rect: Rect) -> Operand {
        Operand { rect, shared: RangeList::new(), write: None }
    }

    /// Returns the host's own memory that a command writes.
    pub fn own_target(context: &Context, rect: Rect) -> Operand {
        let (start, end) = span(&rect);
        let write = Some(context.host_writes.add(start, end));
        Operand { rect, shared: RangeList::new(), write }
    }

    /// Returns the address of the first byte, and the one after the last.
    pub fn span(&self) -> (usize, usize) {
        span(&self.rect)
    }

    /// Returns true if no part is device memory.
    pub fn is_own(&self) -> bool {
        self.shared.is_empty()
    }

    /// Returns true if the host may read and write the bytes at their addresses once all commands on them are
    /// complete.
    pub fn is_seen_by_host(&self, gpu: &Gpu) -> bool {
        self.shared.iter().all(|range| range.in_place && gpu.host_view(&range.buffer).is_some())
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

    /// Divides the runs of a transfer by the memory that they lead to; `address` selects the box's side of a run.
    /// Memory of another device counts as the application's own: commands that write there are complete before a
    /// command of this device starts that is ordered behind them.
    pub fn divide(
        &self,
        gpu: &Gpu,
        runs: impl Iterator<Item = Run>,
        address: fn(&Run) -> usize,
    ) -> Parts<'_> {
        let of_device = |range: &&HostRange| Arc::ptr_eq(range.buffer.device(), &gpu.device);
        let shared = self.shared.iter().filter(of_device).map(|range| (range, Vec::new()));
        let mut parts = Parts { own: Vec::new(), shared: shared.collect() };
        for run in runs {
            parts.add(run, address);
        }
        parts
    }
}

impl Parts<'_> {
    /// Adds a run, cut where its memory changes.
    fn add(&mut self, mut rest: Run, address: fn(&Run) -> usize) {
        for (range, runs) in &mut self.shared {
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
    /// Cuts `size` bytes off the beginning.
    fn take(&mut self, size: usize) -> Run {
        let first = Run { size, ..*self };
        *self = Run { from: self.from + size, to: self.to + size, size: self.size - size };
        first
    }
}

/// Returns the `size` bytes that the application means by an address, where the host does not see all of them
/// there: some are shared virtual memory whose shadow is not mapped.
pub fn behind_shadow(context: &Context, host: HostAddress, size: usize) -> Result<Option<Vec<u8>>> {
    let ranges = context.host_ranges.find(host.0, host.0.saturating_add(size));
    let ([gpu], true) = (&context.gpus[..], ranges.iter().any(|range| !range.in_place)) else {
        return Ok(None);
    };
    let mut bytes = vec![0; size];
    // SAFETY: clCreateBuffer requires `size` bytes at host_ptr, and has not returned yet.
    unsafe { host.copy_to(&mut bytes) };
    for range in ranges.iter().filter(|range| !range.in_place) {
        let part = &mut bytes[range.start - host.0..range.end - host.0];
        gpu.read_now(&range.buffer, range.offset, part)?;
    }
    Ok(Some(bytes))
}

fn span(rect: &Rect) -> (usize, usize) {
    (rect.offset, rect.end().unwrap_or(usize::MAX))
}

impl HostAddress {
    /// Returns `size` bytes from here on.
    pub fn range(self, size: usize) -> Rect {
        Rect::linear(self.0, size)
    }
}
