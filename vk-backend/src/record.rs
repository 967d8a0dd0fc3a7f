//! Recording: what a command consists of.

use std::any::Any;
use std::sync::Arc;

use ash::vk;
use smallvec::SmallVec;

use crate::batch::{barrier, Batch, Bound, CommandTimes, Side, Timed, MAX_COMMANDS};
use crate::{Buffer, Device, Pipeline, Recording};

/// Most bytes that [`Recorder::update`] takes.
pub(crate) const MAX_UPDATE: usize = 65536;

/// Most bytes that one piece of a copy or fill has, so that no driver need count beyond 32 bits.
pub(crate) const MAX_PIECE: u64 = 1 << 31;

/// One piece of a copy between two buffers, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyRegion {
    /// Where to read in the source.
    pub src_offset: u64,
    /// Where to write in the destination.
    pub dst_offset: u64,
    /// How much.
    pub size: u64,
}

impl CopyRegion {
    /// The region in pieces of at most [`MAX_PIECE`] bytes.
    pub(crate) fn pieces(self) -> impl Iterator<Item = CopyRegion> {
        pieces(self.size).map(move |(offset, size)| CopyRegion {
            src_offset: self.src_offset + offset,
            dst_offset: self.dst_offset + offset,
            size,
        })
    }
}

/// Offsets and sizes of the pieces of `size` bytes.
fn pieces(size: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..size.div_ceil(MAX_PIECE)).map(move |i| {
        let offset = i * MAX_PIECE;
        (offset, MAX_PIECE.min(size - offset))
    })
}

/// Appends to a queue's open batch; see [`crate::Queue::record`].
///
/// Nothing orders two operations but [`Recorder::after`] and [`Recorder::barrier`]: call one before each
/// that must see what earlier ones wrote, or that overwrites what they read. An in-order queue calls it
/// first thing in every command. Ranges are the caller's to check: the methods panic on one that is out of bounds.
pub struct Recorder<'a> {
    device: &'a Device,
    /// `None` when the queue has failed: nothing is recorded then.
    batch: Option<&'a mut Batch>,
    /// Value of the command that is being recorded.
    value: u64,
    /// Index of its begin query, once begun.
    query: Option<u32>,
    /// Its end query is written.
    ended: bool,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(device: &'a Device, batch: Option<&'a mut Batch>, value: u64) -> Self {
        Recorder { device, batch, value, query: None, ended: false }
    }

    /// The value that the queue's timeline reaches when this command is complete.
    pub fn value(&self) -> u64 {
        self.value
    }

    /// Runs `groups` work-groups of a pipeline with `push` as its push constants. Nothing is done
    /// when one of `groups` is 0. The caller retains the buffers whose addresses are in `push`.
    ///
    /// # Panics
    /// When `push` is no multiple of 4 bytes or longer than the pipeline's push constants, or
    /// `groups` exceeds [`crate::Limits::max_workgroup_count`].
    pub fn dispatch(&mut self, p: &Arc<Pipeline>, push: &[u8], groups: [u32; 3]) {
        let most = self.device.info().limits.max_workgroup_count;
        assert!(groups.iter().zip(most).all(|(g, m)| *g <= m), "too many work-groups");
        assert!(push.len().is_multiple_of(4), "push constants in whole words");
        assert!(push.len() <= p.push_constant_size() as usize, "push constants too long");
        let Some(batch) = self.batch.as_deref_mut() else { return };
        if groups.contains(&0) {
            return;
        }
        let (raw, commands) = (&self.device.raw, batch.commands);
        if batch.bound.pipeline != p.raw {
            let point = vk::PipelineBindPoint::COMPUTE;
            // SAFETY: the command buffer is recording under the queue's lock; the batch retains
            // the pipeline.
            unsafe { raw.cmd_bind_pipeline(commands, point, p.raw) };
            batch.bound.pipeline = p.raw;
            batch.retained.push(p.clone());
        }
        // SAFETY: as above; sizes and counts were checked against the layout and the limits.
        unsafe {
            if batch.bound.must_push(p.layout, push) {
                let stage = vk::ShaderStageFlags::COMPUTE;
                raw.cmd_push_constants(commands, p.layout, stage, 0, push);
            }
            raw.cmd_dispatch(commands, groups[0], groups[1], groups[2]);
        }
        batch.unordered |= vk::PipelineStageFlags::COMPUTE_SHADER;
    }

    /// Copies `size` bytes.
    ///
    /// # Panics
    /// As [`Recorder::copy_regions`].
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
        batch.retained.push(src.clone());
        batch.writes_host |= dst.read_by_host();
        batch.retained.push(dst.clone());
        batch.unordered |= vk::PipelineStageFlags::TRANSFER;
    }

    /// Sets every 32-bit word of a range to `word`.
    ///
    /// # Panics
    /// When `offset` or `size` is no multiple of 4, or the range reaches beyond the buffer's end
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
        batch.retained.push(b.clone());
        batch.unordered |= vk::PipelineStageFlags::TRANSFER;
    }

    /// Writes `data`, which travels in the command buffer itself.
    ///
    /// # Panics
    /// When `offset` or the data's length is no multiple of 4, the data is longer than 65536 bytes,
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
        batch.retained.push(b.clone());
        batch.unordered |= vk::PipelineStageFlags::TRANSFER;
    }

    /// Does what was recorded. It is ordered like any other operation: by barriers before and after it.
    ///
    /// # Panics
    /// When the recording is of another device.
    pub fn replay(&mut self, recording: &Arc<Recording>) {
        assert!(recording.is_of(self.device), "a recording of another device");
        let Some(batch) = self.batch.as_deref_mut() else { return };
        let recorded = recording.batch();
        // SAFETY: the command buffer is recording under the queue's lock; the other one is complete, was
        // begun for simultaneous use, and is retained with all that it uses.
        unsafe { self.device.raw.cmd_execute_commands(batch.commands, &[recorded.commands]) };
        // A secondary command buffer leaves the state of the primary undefined.
        batch.bound = Bound::default();
        batch.writes_host |= recorded.writes_host;
        batch.unordered |= recorded.unordered;
        batch.count = batch.count.saturating_add(recorded.count);
        batch.retained.push(recording.clone());
    }

    /// The queue's commands up to `value` are complete, and their writes visible, before anything
    /// recorded from now on begins. Costs nothing when a barrier since then says so.
    pub fn after(&mut self, value: u64) {
        if self.batch.as_ref().is_some_and(|batch| value > batch.ordered) {
            self.barrier();
        }
    }

    /// Everything recorded before is complete, and its writes visible, before anything after begins.
    /// Costs nothing when nothing was recorded since the last barrier.
    pub fn barrier(&mut self) {
        let Some(batch) = self.batch.as_deref_mut() else { return };
        batch.ordered = self.value.saturating_sub(1);
        let work = std::mem::take(&mut batch.unordered);
        if !work.is_empty() {
            barrier(self.device, batch.commands, work, Side::Device);
        }
    }

    /// Takes imported memory over from whoever used it outside: commands from now on see what was written
    /// there. Waiting until they are done there is another matter (a semaphore, or the host).
    pub fn acquire(&mut self, b: &Arc<Buffer>) {
        self.transfer(b, [vk::QUEUE_FAMILY_EXTERNAL, self.device.physical.queue_family]);
    }

    /// Gives imported memory to others: they see what all commands before this one wrote there.
    pub fn release(&mut self, b: &Arc<Buffer>) {
        self.transfer(b, [self.device.physical.queue_family, vk::QUEUE_FAMILY_EXTERNAL]);
    }

    /// Moves a buffer between queue families: from, to.
    fn transfer(&mut self, b: &Arc<Buffer>, [from, to]: [u32; 2]) {
        let Some(batch) = self.batch.as_deref_mut() else { return };
        let ours = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        // The side outside has no stage here.
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

    /// Takes the time at which all that the command is ordered behind (see [`Recorder::after`]) is done.
    /// The first call in a command counts. The times appear in the result and in [`crate::Queue::timestamps`]; `None` unless the
    /// queue profiles.
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

    /// Takes the time at which the command is done. To be called once, after
    /// [`Recorder::begin_timestamp`].
    pub fn end_timestamp(&mut self) {
        let (Some(batch), Some(begin)) = (self.batch.as_deref_mut(), self.query) else { return };
        if !std::mem::replace(&mut self.ended, true) {
            let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
            write_timestamp(self.device, batch, stage, begin + 1);
        }
    }
}

/// Writes query `index` once all earlier commands are through with `stage`.
fn write_timestamp(device: &Device, batch: &Batch, stage: vk::PipelineStageFlags, index: u32) {
    // SAFETY: the command buffer is recording under the queue's lock; the query exists, was reset in
    // this batch, and is written once.
    unsafe { device.raw.cmd_write_timestamp(batch.commands, stage, batch.queries, index) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_what_is_to_be_copied() {
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
