//! Reads and writes: copies between the application's memory and a buffer.

use crate::cl::error::Result;
use crate::core::command::host_copy::{HostCopy, Piece};
use crate::core::device::open::{chunk_size, Access, Pace, MIN_CHUNK};
use crate::core::device::staging::Staging;
use crate::core::memory::host::HostAddress;
use crate::core::memory::rect::{runs, Rect, Run};
use crate::core::memory::Mem;
use crate::core::process::clock;
use crate::core::queue::event::Phase;
use crate::core::queue::execute::Execution;
use crate::object::Ref;
use hekla_vk_backend as vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// Copy regions recorded in one call.
pub const MAX_REGIONS: usize = 1024;

/// Returns the box without gaps between its rows and slices.
pub fn tight(rect: &Rect) -> Rect {
    let row_pitch = rect.width;
    Rect { row_pitch, slice_pitch: row_pitch * rect.height, ..*rect }
}

/// Runs cut into groups that fit a staging piece.
struct Chunks<I: Iterator<Item = Run>> {
    /// Most bytes of a chunk.
    most: usize,
    runs: std::iter::Peekable<I>,
    rest: Option<Run>,
}

impl<I: Iterator<Item = Run>> Iterator for Chunks<I> {
    type Item = (usize, Vec<Run>);

    /// Returns bytes of the next chunk, and its runs.
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

fn chunks(from: &Rect, to: &Rect) -> impl Iterator<Item = (usize, Vec<Run>)> {
    Chunks { most: chunk_size(from.bytes()), runs: runs(from, to).peekable(), rest: None }
}

/// Regions between staging memory, where runs follow one another from `base`, and a buffer.
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

impl Execution<'_> {
    /// Copies a box of a buffer, which counts from the beginning of the whole buffer, to the application's
    /// memory. The offset of `to` is an address.
    pub fn read(&mut self, mem: &Ref<Mem>, from: Rect, to: &Rect) -> Result<Phase> {
        let buffer = mem.on_device(self.queue.device_index, Access::Read)?;
        let in_view = self.queue.gpu.host_view(&buffer).is_some();
        let host_moves = self.queue.gpu.host_moves(&buffer, from.bytes(), Access::Read);
        if self.ready && host_moves && (in_view || self.blocking) {
            let (queue, after) = (self.queue, self.state.after);
            if !in_view {
                self.unlocked(|| queue.vk.wait_shown(after))?;
            }
            if self.blocking {
                self.wait_for(after)?;
            }
            if self.idle()? {
                let start = clock::now();
                for run in runs(&from, to) {
                    // SAFETY: the read names this memory and has not completed.
                    let target = unsafe { HostAddress(run.to).bytes_mut(0, run.size) };
                    buffer.read(run.from as u64, target)?;
                }
                return Ok(self.done_by_host(start));
            }
        }
        if let Some((staging, at)) = self.shown(to, &from) {
            let size = from.bytes();
            return self.copy_staged(
                mem,
                (&buffer, from.offset as u64),
                (&staging.buffer, at),
                size,
                &staging,
            );
        }
        let (mut first, mut pace) = (0, Pace::default());
        for (bytes, runs) in chunks(&from, to) {
            self.keep_pace(&mut pace)?;
            let (staging, base) = self.state.readback.take(bytes as u64)?;
            let regions = staged_regions(&runs, base, false);
            let value = self.record(|recorder| {
                recorder.copy_regions(&buffer, &staging.buffer, &regions);
                recorder.retain(staging.clone());
            });
            let pieces: SmallVec<[Piece; 1]> = runs.iter().map(|r| (r.to, r.size)).collect();
            let copy = HostCopy::new(staging, base, pieces);
            self.queue.add_completion(value, Arc::new(copy));
            first = if first == 0 { value } else { first };
            self.start_chunk(&mut pace, value, bytes)?;
        }
        self.used(mem);
        if self.blocking {
            // Parts that have arrived are copied while the device brings the others.
            self.waits.extend(pace.rest());
        }
        Ok(Phase::Recorded { first, last: self.state.last })
    }

    /// Gives the device a part of a large transfer early.
    fn start_chunk(&self, pace: &mut Pace, value: u64, bytes: usize) -> Result<()> {
        if bytes >= MIN_CHUNK {
            self.queue.flush()?;
            pace.add(value);
        }
        Ok(())
    }

    /// Bounds the staging memory of a large transfer, before another part.
    fn keep_pace(&mut self, pace: &mut Pace) -> Result<()> {
        pace.make_room().map_or(Ok(()), |oldest| self.wait_for(oldest))
    }

    /// Returns the staging memory that the application sees where a linear transfer begins or ends, and the
    /// offset there: the device reads or writes it directly.
    fn shown(&self, host: &Rect, device: &Rect) -> Option<(Arc<Staging>, u64)> {
        let linear = [host, device].iter().all(|rect| rect.height == 1 && rect.depth == 1);
        linear.then(|| self.queue.gpu.readback.find(host.offset, host.width))?
    }

    /// Copies a box of the application's memory to a buffer. The offset of `from` is an address; `to`
    /// counts from the beginning of the whole buffer.
    pub fn write(&mut self, mem: &Ref<Mem>, from: &Rect, to: Rect) -> Result<Phase> {
        // A read before this one may still owe the bytes that are to be written.
        if self.queue.will_write(self.state.after, (from.offset, from.end().unwrap_or(usize::MAX)))
        {
            let after = self.state.after;
            self.wait_for(after)?;
        }
        let buffer = mem.on_device(self.queue.device_index, Access::Write)?;
        let host_moves = self.queue.gpu.host_moves(&buffer, from.bytes(), Access::Write);
        if host_moves && self.idle()? {
            let start = clock::now();
            for run in runs(from, &to) {
                // SAFETY: the write names this memory and has not completed.
                let source = unsafe { HostAddress(run.from).bytes(0, run.size) };
                buffer.write(run.to as u64, source)?;
            }
            return Ok(self.done_by_host(start));
        }
        if let Some((staging, at)) = self.shown(from, &to) {
            let (size, to) = (from.bytes(), (&buffer, to.offset as u64));
            let phase = self.copy_staged(mem, (&staging.buffer, at), to, size, &staging)?;
            if self.blocking {
                // The application may change its memory when the call returns.
                let last = self.state.last;
                self.waits.push(last);
            }
            return Ok(phase);
        }
        let (mut first, mut pace) = (0, Pace::default());
        for (bytes, runs) in chunks(from, &to) {
            self.keep_pace(&mut pace)?;
            let (staging, base) = self.state.upload.take(bytes as u64)?;
            let mut at = base;
            for run in &runs {
                // SAFETY: as above.
                let source = unsafe { HostAddress(run.from).bytes(0, run.size) };
                staging.buffer.write(at, source)?;
                at += run.size as u64;
            }
            let regions = staged_regions(&runs, base, true);
            let value = self.record(|recorder| {
                recorder.copy_regions(&staging.buffer, &buffer, &regions);
                recorder.retain(staging.clone());
            });
            first = if first == 0 { value } else { first };
            self.start_chunk(&mut pace, value, bytes)?;
        }
        self.used(mem);
        Ok(Phase::Recorded { first, last: self.state.last })
    }

    /// Records a copy one side of which is staging memory, which is kept until then.
    pub fn copy_staged(
        &mut self,
        mem: &Ref<Mem>,
        from: (&Arc<vk::Buffer>, u64),
        to: (&Arc<vk::Buffer>, u64),
        size: usize,
        staging: &Arc<Staging>,
    ) -> Result<Phase> {
        let value = self.record(|recorder| {
            recorder.copy(from.0, from.1, to.0, to.1, size as u64);
            recorder.retain(staging.clone());
        });
        self.used(mem);
        Ok(Phase::Recorded { first: value, last: value })
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
        let sizes: Vec<_> = chunks(&from, &to).map(|(bytes, _)| bytes).collect();
        assert_eq!(sizes, [CHUNK, CHUNK, 5]);
    }
}
