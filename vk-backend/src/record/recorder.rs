//! The recorder: the operations that commands consist of.

use std::any::Any;
use std::sync::Arc;

use ash::vk;
use smallvec::SmallVec;

use crate::device::Device;
use crate::memory::Buffer;
use crate::pipeline::Pipeline;
use crate::record::batch::{Batch, Timed, MAX_COMMANDS};
use crate::record::timestamps::CommandTimes;
use crate::sync::{barrier, Scope};

/// The most bytes that [`Recorder::update`] takes.
pub(crate) const MAX_UPDATE: usize = 65536;

/// The most bytes of one piece of a copy or fill, so that no driver has to count beyond 32 bits.
pub(crate) const MAX_PIECE: u64 = 1 << 31;

/// One piece of a copy between two buffers, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyRegion {
    /// Offset in the source.
    pub src_offset: u64,
    /// Offset in the destination.
    pub dst_offset: u64,
    /// Size.
    pub size: u64,
}

impl CopyRegion {
    /// Splits the region into pieces of at most [`MAX_PIECE`] bytes.
    pub(crate) fn pieces(self) -> impl Iterator<Item = CopyRegion> {
        pieces(self.size).map(move |(offset, size)| CopyRegion {
            src_offset: self.src_offset + offset,
            dst_offset: self.dst_offset + offset,
            size,
        })
    }
}

/// Returns the offsets and the sizes of the pieces of `size` bytes.
fn pieces(size: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..size.div_ceil(MAX_PIECE)).map(move |i| {
        let offset = i * MAX_PIECE;
        (offset, MAX_PIECE.min(size - offset))
    })
}

/// Appends operations to a queue's open batch; see [`crate::Queue::record`].
///
/// Only [`Recorder::after`] and [`Recorder::barrier`] order operations: call one of them before each operation that must see
/// the writes of earlier operations, or that overwrites memory which these read. An in-order queue calls one at the beginning
/// of every command. The methods panic on ranges that are out of bounds.
pub struct Recorder<'a> {
    pub(super) device: &'a Device,
    /// `None` when the queue has failed: nothing is recorded then.
    pub(super) batch: Option<&'a mut Batch>,
    /// Value of the command that is being recorded.
    value: u64,
    /// Index of the command's begin query; `None` before [`Recorder::begin_timestamp`].
    query: Option<u32>,
    /// True if the command's end query is written.
    ended: bool,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(device: &'a Device, batch: Option<&'a mut Batch>, value: u64) -> Self {
        Recorder { device, batch, value, query: None, ended: false }
    }

    /// Returns the value that the queue's timeline reaches when this command is complete.
    pub fn value(&self) -> u64 {
        self.value
    }

    /// Runs `groups` work-groups of a pipeline with `push` as its push constants. Does nothing when one of `groups` is 0. The
    /// caller retains the buffers whose addresses are in `push`, and the slots whose numbers are in `push`.
    ///
    /// # Safety
    /// With these push constants the kernel accesses only memory of buffers that live until the command is complete,
    /// within their bounds, and no command that is not ordered with it nor the host accesses that memory in a way that
    /// conflicts.
    ///
    /// # Panics
    /// When `push` is not a multiple of 4 bytes or longer than the pipeline's push constants, or
    /// `groups` exceeds [`crate::Limits::max_workgroup_count`].
    pub unsafe fn dispatch(&mut self, p: &Arc<Pipeline>, push: &[u8], groups: [u32; 3]) {
        // SAFETY: as the caller promises.
        unsafe { self.dispatch_part(p, push, [0; 3], groups) }
    }

    /// Like [`Recorder::dispatch`], for a part of a larger grid: the first work-group has the ids `first`. If `first` is not
    /// zero, the pipeline was created after [`Device::allow_parts`].
    ///
    /// # Safety
    /// Like [`Recorder::dispatch`].
    ///
    /// # Panics
    /// Like [`Recorder::dispatch`], for the whole grid up to the part's end.
    pub unsafe fn dispatch_part(
        &mut self,
        p: &Arc<Pipeline>,
        push: &[u8],
        first: [u32; 3],
        groups: [u32; 3],
    ) {
        let most = self.device.info().limits.max_workgroup_count;
        let ends = first.iter().zip(groups).map(|(first, count)| first.checked_add(count));
        let fits = ends.zip(most).all(|(end, most)| end.is_some_and(|end| end <= most));
        assert!(fits, "too many work-groups");
        assert!(push.len().is_multiple_of(4), "push constants in whole words");
        assert!(push.len() <= p.push_constant_size() as usize, "push constants too long");
        let Some(batch) = self.batch.as_deref_mut() else { return };
        if groups.contains(&0) {
            return;
        }
        bind(self.device, batch, p, push);
        // SAFETY: the command buffer is recording under the queue's lock; the counts were checked against the limits.
        unsafe {
            let (raw, [x, y, z]) = (&self.device.raw, groups);
            match first {
                [0, 0, 0] => raw.cmd_dispatch(batch.commands, x, y, z),
                [a, b, c] => raw.cmd_dispatch_base(batch.commands, a, b, c, x, y, z),
            }
        }
        batch.contents.add_dispatch(batch.bound.retained, groups);
        batch.unordered |= vk::PipelineStageFlags::COMPUTE_SHADER;
    }

    /// Copies `size` bytes.
    ///
    /// # Panics
    /// Like [`Recorder::copy_regions`].
    pub fn copy(
        &mut self,
        src: &Arc<Buffer>,
        src_offset: u64,
        dst: &Arc<Buffer>,
        dst_offset: u64,
        size: u64,
    ) {
        self.copy_regions(src, dst, &[CopyRegion { src_offset, dst_offset, size }]);
    }

    /// Copies pieces of `src` to `dst`; empty ones are skipped. Destinations must not overlap each
    /// other, nor any source.
    ///
    /// # Panics
    /// When a piece reaches beyond a buffer's end.
    pub fn copy_regions(&mut self, src: &Arc<Buffer>, dst: &Arc<Buffer>, regions: &[CopyRegion]) {
        let fits = |r: &CopyRegion| {
            src.contains(r.src_offset, r.size) && dst.contains(r.dst_offset, r.size)
        };
        assert!(regions.iter().all(fits), "a copy reaches beyond a buffer's end");
        let Some(batch) = self.batch.as_deref_mut() else { return };
        let regions: SmallVec<[vk::BufferCopy; 4]> = regions
            .iter()
            .flat_map(|r| r.pieces())
            .map(|r| vk::BufferCopy {
                src_offset: r.src_offset,
                dst_offset: r.dst_offset,
                size: r.size,
            })
            .collect();
        if regions.is_empty() {
            return;
        }
        // SAFETY: the command buffer is recording under the queue's lock, the ranges are checked,
        // the batch retains both buffers.
        unsafe { self.device.raw.cmd_copy_buffer(batch.commands, src.raw, dst.raw, &regions) };
        batch.writes_host |= dst.read_by_host();
        batch.add_transfer("copy", [src.clone(), dst.clone()]);
    }

    /// Sets every 32-bit word of a range to `word`.
    ///
    /// # Panics
    /// When `offset` or `size` is not a multiple of 4, or the range reaches beyond the buffer's end
    /// (rounded up to 4).
    pub fn fill(&mut self, b: &Arc<Buffer>, offset: u64, size: u64, word: u32) {
        assert!(offset.is_multiple_of(4) && size.is_multiple_of(4), "a fill of whole words");
        assert!(b.contains(offset, size), "a fill reaches beyond a buffer's end");
        let Some(batch) = self.batch.as_deref_mut() else { return };
        if size == 0 {
            return;
        }
        for (start, size) in pieces(size) {
            let (raw, start) = (&self.device.raw, offset + start);
            // SAFETY: the command buffer is recording under the queue's lock, the range is checked,
            // the batch retains the buffer.
            unsafe { raw.cmd_fill_buffer(batch.commands, b.raw, start, size, word) };
        }
        batch.writes_host |= b.read_by_host();
        batch.add_transfer("fill", [b.clone()]);
    }

    /// Writes `data`, which is copied into the command buffer.
    ///
    /// # Panics
    /// When `offset` or the data's length is not a multiple of 4, the data is longer than 65536 bytes,
    /// or reaches beyond the buffer's end (rounded up to 4).
    pub fn update(&mut self, b: &Arc<Buffer>, offset: u64, data: &[u8]) {
        assert!(offset.is_multiple_of(4) && data.len().is_multiple_of(4), "whole words");
        assert!(data.len() <= MAX_UPDATE, "more than {MAX_UPDATE} bytes");
        assert!(b.contains(offset, data.len() as u64), "a write beyond a buffer's end");
        let Some(batch) = self.batch.as_deref_mut() else { return };
        if data.is_empty() {
            return;
        }
        // SAFETY: the command buffer is recording under the queue's lock, the range is checked, the
        // batch retains the buffer.
        unsafe { self.device.raw.cmd_update_buffer(batch.commands, b.raw, offset, data) };
        batch.writes_host |= b.read_by_host();
        batch.add_transfer("update", [b.clone()]);
    }

    /// Orders everything recorded from now on behind the queue's commands up to `value`: these are complete, and their writes
    /// visible. Records nothing when an earlier barrier suffices.
    pub fn after(&mut self, value: u64) {
        if self.batch.as_ref().is_some_and(|batch| value > batch.ordered) {
            self.barrier();
        }
    }

    /// Orders everything recorded from now on behind everything recorded before. Records nothing when nothing was
    /// recorded since the last barrier.
    pub fn barrier(&mut self) {
        let Some(batch) = self.batch.as_deref_mut() else { return };
        batch.ordered = self.value.saturating_sub(1);
        let stages = std::mem::take(&mut batch.unordered);
        if !stages.is_empty() {
            barrier(self.device, batch.commands(), stages, Scope::Device);
        }
    }

    /// Orders everything recorded from now on behind everything that the queue was given before, including commands of other
    /// batches, and commands before a replay.
    pub fn barrier_behind_all(&mut self) {
        if let Some(batch) = self.batch.as_deref_mut() {
            batch.unordered |= batch.stages;
        }
        self.barrier();
    }

    /// Acquires ownership of imported memory from the external queue family: commands from now on see the writes made there. A
    /// semaphore, or the host, must wait until the external writes are complete.
    pub fn acquire(&mut self, b: &Arc<Buffer>) {
        self.transfer_ownership(b, [vk::QUEUE_FAMILY_EXTERNAL, self.device.owning_family()]);
    }

    /// Releases ownership of imported memory to the external queue family, which sees the writes of all commands before this
    /// one.
    pub fn release(&mut self, b: &Arc<Buffer>) {
        self.transfer_ownership(b, [self.device.owning_family(), vk::QUEUE_FAMILY_EXTERNAL]);
    }

    /// Records a queue family ownership transfer of a buffer (Vulkan specification, 7.7.4) between two families.
    fn transfer_ownership(&mut self, b: &Arc<Buffer>, [from, to]: [u32; 2]) {
        let Some(batch) = self.batch.as_deref_mut() else { return };
        let ours = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        // Accesses of the external queue family are ignored.
        let access =
            |family| if family == vk::QUEUE_FAMILY_EXTERNAL { Default::default() } else { ours };
        let barrier = vk::BufferMemoryBarrier::default()
            .src_access_mask(access(from))
            .dst_access_mask(access(to))
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .buffer(b.raw)
            .offset(0)
            .size(vk::WHOLE_SIZE);
        let (all, none) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
        // SAFETY: the command buffer is recording under the queue's lock; the batch retains the buffer.
        unsafe {
            let (raw, commands) = (&self.device.raw, batch.commands);
            raw.cmd_pipeline_barrier(commands, all, all, none, &[], &[barrier], &[]);
        }
        batch.retained.push(b.clone());
    }

    /// Keeps `r` alive until the batch completes.
    pub fn retain(&mut self, r: Arc<dyn Any + Send + Sync>) {
        if let Some(batch) = self.batch.as_deref_mut() {
            batch.retained.push(r);
        }
    }

    /// Keeps all of `objects` alive until the batch completes.
    pub fn retain_all(&mut self, objects: impl Iterator<Item = Arc<dyn Any + Send + Sync>>) {
        if let Some(batch) = self.batch.as_deref_mut() {
            batch.retained.extend(objects);
        }
    }

    /// Records the timestamp at which everything that the command is ordered behind (see [`Recorder::after`]) is complete. The
    /// first call in a command counts. The times appear in the returned slot and in [`crate::Queue::timestamps`]; `None` unless
    /// the queue profiles.
    pub fn begin_timestamp(&mut self) -> Option<Arc<CommandTimes>> {
        let batch = self.batch.as_deref_mut()?;
        let full = batch.query_count + 2 > 2 * MAX_COMMANDS;
        if batch.queries == vk::QueryPool::null() || self.query.is_some() || full {
            return None;
        }
        let begin = batch.query_count;
        batch.query_count += 2;
        self.query = Some(begin);
        let times = Arc::new(CommandTimes::default());
        let (value, behind) = (self.value, batch.ordered);
        batch.timed.push(Timed { value, behind, begin, times: times.clone() });
        let stage = match behind + 1 == value {
            true => vk::PipelineStageFlags::BOTTOM_OF_PIPE,
            // Earlier commands may still run.
            false => vk::PipelineStageFlags::TOP_OF_PIPE,
        };
        write_timestamp(self.device, batch, stage, begin);
        Some(times)
    }

    /// Records the timestamp at which the command is complete. Only the first call after [`Recorder::begin_timestamp`] has an
    /// effect.
    pub fn end_timestamp(&mut self) {
        let (Some(batch), Some(begin)) = (self.batch.as_deref_mut(), self.query) else { return };
        if !std::mem::replace(&mut self.ended, true) {
            let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
            write_timestamp(self.device, batch, stage, begin + 1);
        }
    }
}

/// Sets the state that a dispatch depends on: the pipeline, the descriptor set if the pipeline uses it, and the push constants,
/// which are no more than the pipeline has.
pub(super) fn bind(device: &Device, batch: &mut Batch, p: &Arc<Pipeline>, push: &[u8]) {
    let (raw, commands) = (&device.raw, batch.commands);
    let point = vk::PipelineBindPoint::COMPUTE;
    if batch.bound.pipeline != p.raw {
        // SAFETY: the command buffer is recording under the queue's lock; the batch retains the pipeline.
        unsafe { raw.cmd_bind_pipeline(commands, point, p.raw) };
        batch.bound.pipeline = p.raw;
        batch.bound.retained = batch.retained.len();
        batch.retained.push(p.clone());
    }
    if let Some(set) = p.set.filter(|_| batch.bound.must_bind_set(p.layout)) {
        // SAFETY: as above; the set lives as long as the device and was made for this layout.
        unsafe { raw.cmd_bind_descriptor_sets(commands, point, p.layout, 0, &[set], &[]) };
    }
    if batch.bound.must_push(p.layout, push) {
        let stage = vk::ShaderStageFlags::COMPUTE;
        // SAFETY: as above; the layout has as many bytes.
        unsafe { raw.cmd_push_constants(commands, p.layout, stage, 0, push) };
    }
}

/// Records a timestamp into query `index` once all earlier commands have completed `stage`.
fn write_timestamp(device: &Device, batch: &Batch, stage: vk::PipelineStageFlags, index: u32) {
    // SAFETY: the command buffer is recording under the queue's lock; the query exists, was reset in
    // this batch, and is written once.
    unsafe { device.raw.cmd_write_timestamp(batch.commands, stage, batch.queries, index) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_region() {
        assert_eq!(pieces(0).count(), 0);
        assert_eq!(pieces(5).collect::<Vec<_>>(), [(0, 5)]);
        assert_eq!(pieces(MAX_PIECE).collect::<Vec<_>>(), [(0, MAX_PIECE)]);
        let whole = CopyRegion { src_offset: 3, dst_offset: 7, size: 2 * MAX_PIECE + 9 };
        let last =
            CopyRegion { src_offset: 3 + 2 * MAX_PIECE, dst_offset: 7 + 2 * MAX_PIECE, size: 9 };
        assert_eq!(whole.pieces().count(), 3);
        assert_eq!(whole.pieces().last(), Some(last));
    }
}
