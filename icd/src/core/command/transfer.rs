//! Reads and writes: copies between the application's memory and a buffer.

use crate::cl::error::Result;
use crate::core::command::host_copy::HostCopy;
use crate::core::context::host_ranges::HostRange;
use crate::core::device::open::{chunk_size, Access, ChunksInFlight, MIN_CHUNK};
use crate::core::device::staging::Staging;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::host::HostAddress;
use crate::core::memory::operand::{Operand, Parts, SharedPart};
use crate::core::memory::rect::{runs, Rect, Run};
use crate::core::process::clock;
use crate::core::queue::event::Phase;
use crate::core::queue::execute::Execution;
use crate::object::Ref;
use hekla_vk_backend as vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// The most copy regions that one call records.
pub const MAX_REGIONS: usize = 1024;

/// Returns the box without gaps between its rows and slices.
pub fn tight(rect: &Rect) -> Rect {
    let row_pitch = rect.width;
    Rect { row_pitch, slice_pitch: row_pitch * rect.height, ..*rect }
}

/// Groups of runs that each fit a piece of staging memory.
struct Chunks<I: Iterator<Item = Run>> {
    /// The most bytes of a chunk.
    most: usize,
    runs: std::iter::Peekable<I>,
    rest: Option<Run>,
}

impl<I: Iterator<Item = Run>> Iterator for Chunks<I> {
    type Item = (usize, Vec<Run>);

    /// Returns the next chunk: its number of bytes, and its runs.
    fn next(&mut self) -> Option<Self::Item> {
        let (mut bytes, mut chunk) = (0, Vec::new());
        while chunk.len() < MAX_REGIONS && bytes < self.most {
            let Some(run) = self.rest.take().or_else(|| self.runs.next()) else { break };
            let size = run.size.min(self.most - bytes);
            if size < run.size {
                let rest = Run { from: run.from + size, to: run.to + size, size: run.size - size };
                self.rest = Some(rest);
            }
            chunk.push(Run { size, ..run });
            bytes += size;
        }
        (!chunk.is_empty()).then_some((bytes, chunk))
    }
}

/// Cuts the runs of a transfer of `total` bytes.
fn chunks(
    total: usize,
    runs: impl Iterator<Item = Run>,
) -> impl Iterator<Item = (usize, Vec<Run>)> {
    Chunks { most: chunk_size(total), runs: runs.peekable(), rest: None }
}

/// Returns the number of bytes in runs.
fn bytes_in(runs: &[Run]) -> usize {
    runs.iter().map(|run| run.size).sum()
}

/// Returns the copy regions between staging memory, where runs follow one another from `base`, and a buffer.
fn staged_regions(runs: &[Run], base: u64, to_buffer: bool) -> Vec<vk::CopyRegion> {
    let mut staged = base;
    let region = |run: &Run| {
        let size = run.size as u64;
        let region = if to_buffer {
            vk::CopyRegion { src_offset: staged, dst_offset: run.to as u64, size }
        } else {
            vk::CopyRegion { src_offset: run.from as u64, dst_offset: staged, size }
        };
        staged += size;
        region
    };
    runs.iter().map(region).collect()
}

/// Returns runs that read from staging memory, where they follow one another from `base`.
fn staged_runs(mut runs: Vec<Run>, base: u64) -> SmallVec<[Run; 1]> {
    let mut staged = base as usize;
    for run in &mut runs {
        run.from = staged;
        staged += run.size;
    }
    runs.into()
}

/// Returns the copy region of a run between a buffer and device memory behind addresses that the application gave.
fn shared_region(run: &Run, range: &HostRange, access: Access) -> vk::CopyRegion {
    let (src_offset, dst_offset) = match access {
        Access::Read => (run.from as u64, range.offset_of(run.to)),
        Access::Write => (range.offset_of(run.from), run.to as u64),
    };
    vk::CopyRegion { src_offset, dst_offset, size: run.size as u64 }
}

/// Returns true if the span of the bytes that are read overlaps the span of the bytes that are written.
fn overlaps(regions: &[vk::CopyRegion]) -> bool {
    let span = |start: fn(&vk::CopyRegion) -> u64| {
        let first = regions.iter().map(start).min()?;
        let end = regions.iter().map(|region| start(region) + region.size).max()?;
        Some((first, end))
    };
    match (span(|region| region.src_offset), span(|region| region.dst_offset)) {
        (Some(source), Some(target)) => source.0 < target.1 && target.0 < source.1,
        _ => false,
    }
}

/// Records copies of any number of regions.
pub fn copy_all(
    recorder: &mut vk::Recorder,
    (source, target): (&Arc<vk::Buffer>, &Arc<vk::Buffer>),
    regions: &[vk::CopyRegion],
) {
    for some in regions.chunks(MAX_REGIONS) {
        recorder.copy_regions(source, target, some);
    }
}

/// Records copies of regions that may overlap, by way of another buffer.
fn copy_with_stop(
    recorder: &mut vk::Recorder,
    (source, target): (&Arc<vk::Buffer>, &Arc<vk::Buffer>),
    regions: &[vk::CopyRegion],
    stop: &Arc<vk::Buffer>,
) {
    let mut at = 0;
    let (mut there, mut back) = (Vec::new(), Vec::new());
    for region in regions {
        there.push(vk::CopyRegion { dst_offset: at, ..*region });
        back.push(vk::CopyRegion { src_offset: at, ..*region });
        at += region.size;
    }
    copy_all(recorder, (source, stop), &there);
    recorder.barrier();
    copy_all(recorder, (stop, target), &back);
}

impl Execution<'_> {
    /// Copies a box of a buffer, which counts from the beginning of the whole buffer, to the application's
    /// memory.
    pub fn read(&mut self, mem: &Ref<Buffer>, from: Rect, to: &Operand) -> Result<Phase> {
        let buffer = mem.on_device(self.queue.device_index)?;
        let in_view = self.queue.gpu.host_view(&buffer).is_some();
        let host_moves = self.queue.gpu.host_moves(&buffer, from.bytes(), Access::Read)
            && to.is_seen_by_host(&self.queue.gpu)
            && !to.leads_to(&buffer);
        if self.ready && host_moves && (in_view || self.blocking) {
            let (queue, after) = (self.queue, self.state.after);
            if !in_view {
                self.unlocked(|| queue.vk.wait_host_visible(after))?;
            }
            if self.blocking {
                self.wait_for(after)?;
            }
            if self.idle()? {
                let start = clock::now();
                for run in runs(&from, &to.rect) {
                    // SAFETY: the commands before it are complete; the read names the application's memory and
                    // has not completed.
                    unsafe {
                        let target = HostAddress(run.to).as_mut_ptr();
                        buffer.read_to(run.from as u64, target, run.size)
                    }?;
                }
                return Ok(self.done_by_host(start));
            }
        }
        let runs = runs(&from, &to.rect);
        let first = if to.is_own() {
            self.download(&buffer, from.bytes(), runs, to)?
        } else {
            let parts = to.divide(&self.queue.gpu, runs, |run| run.to)?;
            let shared = self.copy_shared(&buffer, &parts, Access::Read)?;
            let own = self.download(&buffer, bytes_in(&parts.own), parts.own.into_iter(), to)?;
            shared.or(own)
        };
        Ok(self.recorded(first))
    }

    /// Returns the phase of a recorded transfer. `first`: the timeline value of its first part.
    pub fn recorded(&self, first: Option<u64>) -> Phase {
        let last = self.state.last;
        Phase::Recorded { first: first.unwrap_or(last), last }
    }

    /// Copies runs, which have `total` bytes, from a buffer to the application's own memory. Returns the value
    /// of the first part.
    fn download(
        &mut self,
        buffer: &Arc<vk::Buffer>,
        total: usize,
        runs: impl Iterator<Item = Run>,
        to: &Operand,
    ) -> Result<Option<u64>> {
        let (mut first, mut pace) = (None, ChunksInFlight::default());
        for (bytes, runs) in chunks(total, runs) {
            self.keep_pace(&mut pace)?;
            let (staging, base) = self.state.readback.take(bytes as u64)?;
            let regions = staged_regions(&runs, base, false);
            let value = self.record(|recorder| {
                recorder.copy_regions(buffer, &staging.buffer, &regions);
                recorder.retain(staging.clone());
            });
            let pieces = staged_runs(runs, base);
            let copy = HostCopy::new(staging, pieces, to.write().cloned());
            self.queue.add_completion(value, Arc::new(copy));
            first.get_or_insert(value);
            self.start_chunk(&mut pace, value, bytes)?;
        }
        if self.blocking {
            // The host copies parts that have arrived while the device copies the others.
            self.waits.extend(pace.rest());
        }
        Ok(first)
    }

    /// Waits for the host's parts of earlier commands that write to a range of addresses, which this command reads.
    pub fn settle(&mut self, span: (usize, usize)) -> Result<()> {
        let after = self.state.after;
        if self.queue.will_write(after, span) {
            self.wait_for(after)?;
        }
        Ok(())
    }

    /// Submits a part of a large transfer at once, and not with the rest of the batch.
    pub fn start_chunk(&self, pace: &mut ChunksInFlight, value: u64, bytes: usize) -> Result<()> {
        if bytes >= MIN_CHUNK {
            self.queue.flush()?;
            pace.add(value);
        }
        Ok(())
    }

    /// Limits the staging memory of a large transfer: waits for the oldest part, if necessary, before another one is recorded.
    pub fn keep_pace(&mut self, pace: &mut ChunksInFlight) -> Result<()> {
        pace.make_room().map_or(Ok(()), |oldest| self.wait_for(oldest))
    }

    /// Copies a box of the application's memory to a buffer. `to` counts from the beginning of the whole
    /// buffer.
    pub fn write(&mut self, mem: &Ref<Buffer>, from: &Operand, to: Rect) -> Result<Phase> {
        self.settle(from.span())?;
        let buffer = mem.on_device(self.queue.device_index)?;
        let size = from.rect.bytes();
        // The host writes only to coherent memory: other memory is written back in whole atoms, which would overwrite bytes
        // beside these that other queues' commands write at the same time.
        let host_moves = buffer.is_coherent()
            && self.queue.gpu.host_moves(&buffer, size, Access::Write)
            && from.is_seen_by_host(&self.queue.gpu)
            && !from.leads_to(&buffer);
        if host_moves && self.idle()? {
            let start = clock::now();
            for run in runs(&from.rect, &to) {
                // SAFETY: the commands before it are complete; the write names the application's memory and has not
                // completed.
                unsafe {
                    buffer.write_from(run.to as u64, HostAddress(run.from).as_ptr(), run.size)
                }?;
            }
            return Ok(self.done_by_host(start));
        }
        let runs = runs(&from.rect, &to);
        let first = if from.is_own() {
            self.upload(&buffer, size, runs)?
        } else {
            let parts = from.divide(&self.queue.gpu, runs, |run| run.from)?;
            let shared = self.copy_shared(&buffer, &parts, Access::Write)?;
            shared.or(self.upload(&buffer, bytes_in(&parts.own), parts.own.into_iter())?)
        };
        Ok(self.recorded(first))
    }

    /// Copies runs, which have `total` bytes, from the application's own memory to a buffer. Returns the value
    /// of the first part.
    fn upload(
        &mut self,
        buffer: &Arc<vk::Buffer>,
        total: usize,
        runs: impl Iterator<Item = Run>,
    ) -> Result<Option<u64>> {
        let (mut first, mut pace) = (None, ChunksInFlight::default());
        for (bytes, runs) in chunks(total, runs) {
            self.keep_pace(&mut pace)?;
            let (staging, base) = self.state.upload.take(bytes as u64)?;
            let mut at = base;
            for run in &runs {
                // SAFETY: the staging memory is this command's alone; the write names the application's memory and
                // has not completed.
                unsafe { staging.buffer.write_from(at, HostAddress(run.from).as_ptr(), run.size) }?;
                at += run.size as u64;
            }
            let regions = staged_regions(&runs, base, true);
            let value = self.record(|recorder| {
                recorder.copy_regions(&staging.buffer, buffer, &regions);
                recorder.retain(staging.clone());
            });
            first.get_or_insert(value);
            self.start_chunk(&mut pace, value, bytes)?;
        }
        Ok(first)
    }

    /// Records copies between a buffer and the parts of the other side that are device memory; their contents count when the
    /// command runs. `access`: whether the buffer is read or written. Returns the timeline value of the first copy.
    fn copy_shared(
        &mut self,
        buffer: &Arc<vk::Buffer>,
        parts: &Parts<'_>,
        access: Access,
    ) -> Result<Option<u64>> {
        let mut first = None;
        for part in parts.shared.iter().filter(|part| !part.runs.is_empty()) {
            let SharedPart { range, buffer: other, runs } = part;
            let ends = match access {
                Access::Read => (buffer, *other),
                Access::Write => (*other, buffer),
            };
            let regions: Vec<_> =
                runs.iter().map(|run| shared_region(run, range, access)).collect();
            let value = self.copy_between(ends, regions, range.staging.as_ref())?;
            first.get_or_insert(value);
        }
        Ok(first)
    }

    /// Records a copy between buffers which may be the same one.
    fn copy_between(
        &mut self,
        (source, target): (&Arc<vk::Buffer>, &Arc<vk::Buffer>),
        mut regions: Vec<vk::CopyRegion>,
        staging: Option<&Arc<Staging>>,
    ) -> Result<u64> {
        let same = Arc::ptr_eq(source, target);
        if same {
            regions.retain(|region| region.src_offset != region.dst_offset);
        }
        let stop = if same && overlaps(&regions) {
            let size = regions.iter().map(|region| region.size).sum();
            Some(self.queue.gpu.readback.take(size)?)
        } else {
            None
        };
        Ok(self.record(|recorder| {
            match &stop {
                Some(stop) => copy_with_stop(recorder, (source, target), &regions, &stop.buffer),
                None => copy_all(recorder, (source, target), &regions),
            }
            stop.into_iter().for_each(|stop| recorder.retain(stop));
            staging.into_iter().for_each(|staging| recorder.retain(staging.clone()));
        }))
    }

    /// Records a copy from or to staging memory, which is kept until the copy is complete.
    pub fn copy_staged(
        &mut self,
        from: (&Arc<vk::Buffer>, u64),
        to: (&Arc<vk::Buffer>, u64),
        size: usize,
        staging: &Arc<Staging>,
    ) -> Phase {
        let value = self.record(|recorder| {
            recorder.copy(from.0, from.1, to.0, to.1, size as u64);
            recorder.retain(staging.clone());
        });
        Phase::Recorded { first: value, last: value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::device::open::CHUNK;

    #[test]
    fn chunks_cut_long_runs() {
        let from = Rect::linear(0, 2 * CHUNK + 5);
        let to = from.shifted(3);
        let sizes: Vec<_> =
            chunks(from.bytes(), runs(&from, &to)).map(|(bytes, _)| bytes).collect();
        assert_eq!(sizes, [CHUNK, CHUNK, 5]);
    }
}
