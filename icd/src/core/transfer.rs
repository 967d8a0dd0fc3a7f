//! What commands do: copies between the application's memory and the device's, between buffers,
//! fills, maps; launches are in [`super::launch`].

use super::clock;
use super::command_buffer::recorded::Recorded;
use super::due::Due;
use super::event::Phase;
use super::external::Handover;
use super::gpu::{chunk_size, Pace, MIN_CHUNK};
use super::host::{HostAddress, HostCopy, Pages, Piece};
use super::launch::Launch;
use super::memory::{Access, Mapping, Mem};
use super::operation::{Copy, Fill, MAX_REGIONS};
use super::queue::{Queue, State};
use super::rect::{runs, Rect, Run};
use super::semaphore::Operation;
use super::staging::Staging;
use crate::core::error::Result;
use crate::object::Ref;
use hekla_vk_backend as vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// A command with everything it needs: the objects it uses stay alive until it has started, and
/// the device memory until it is complete.
pub enum Command {
    /// Nothing but its place in the order: markers, barriers, migrations, empty launches.
    Marker,
    /// Device to application. The offset of `to` is an address.
    Read {
        mem: Ref<Mem>,
        from: Rect,
        to: Rect,
    },
    /// Application to device. The offset of `from` is an address.
    Write {
        mem: Ref<Mem>,
        from: Rect,
        to: Rect,
    },
    /// The same from bytes that were copied at enqueue, tightly packed.
    WriteOwned {
        mem: Ref<Mem>,
        bytes: Vec<u8>,
        to: Rect,
    },
    /// Buffer to buffer.
    Copy {
        source: Ref<Mem>,
        from: Rect,
        target: Ref<Mem>,
        to: Rect,
    },
    /// A repeated pattern; `size` is a multiple of its length.
    Fill {
        mem: Ref<Mem>,
        offset: usize,
        size: usize,
        pattern: SmallVec<[u8; 16]>,
    },
    /// Device to the staging memory of a mapping.
    Map {
        mem: Ref<Mem>,
        mapping: Mapping,
    },
    /// Staging memory of a mapping to the device.
    Unmap {
        mem: Ref<Mem>,
        mapping: Mapping,
    },
    Launch(Box<Launch>),
    /// All of a command buffer.
    Replay(Arc<Recorded>),
    /// Memory of other APIs, to or from them.
    HandOver {
        mems: Vec<Ref<Mem>>,
        way: Handover,
    },
    /// Semaphores that other APIs share.
    Semaphores {
        operation: Operation,
        semaphores: Vec<Arc<vk::Semaphore>>,
    },
}

impl Command {
    /// The application's memory, or what it maps, that starting the command reads: first address and end.
    pub fn reads_host(&self) -> Option<(usize, usize)> {
        match self {
            Command::Write { from, .. } => Some((from.offset, from.end().unwrap_or(usize::MAX))),
            Command::Unmap { mapping, .. } if mapping.pages.is_some() => {
                Some((mapping.pointer.0, mapping.pointer.0 + mapping.size))
            }
            _ => None,
        }
    }

    /// For the trace: what it does, or the kernel that it runs.
    pub fn name(&self) -> &str {
        match self {
            Command::Marker => "marker",
            Command::Read { .. } => "read",
            Command::Write { .. } | Command::WriteOwned { .. } => "write",
            Command::Copy { .. } => "copy",
            Command::Fill { .. } => "fill",
            Command::Map { .. } => "map",
            Command::Unmap { .. } => "unmap",
            Command::Launch(launch) => launch.name(),
            Command::Replay(_) => "command buffer",
            Command::HandOver { way: Handover::Acquire, .. } => "acquire",
            Command::HandOver { way: Handover::Release, .. } => "release",
            Command::Semaphores { operation: Operation::Wait, .. } => "wait",
            Command::Semaphores { operation: Operation::Signal, .. } => "signal",
        }
    }

    /// Whether the command brings bytes of the application to the device.
    pub fn is_write(&self) -> bool {
        matches!(self, Command::Write { .. } | Command::WriteOwned { .. })
    }

    /// Copies the bytes of a write, so that the application has its memory back.
    pub fn take_host_bytes(&mut self) {
        if let Command::Write { mem, from, to } = self {
            let packed = Rect { offset: 0, ..tight(from) };
            let mut bytes = vec![0; from.bytes()];
            for run in runs(from, &packed) {
                // SAFETY: clEnqueueWriteBuffer, which has not returned, names this memory.
                let source = unsafe { HostAddress(run.from).bytes(0, run.size) };
                bytes[run.to..run.to + run.size].copy_from_slice(source);
            }
            *self = Command::WriteOwned { mem: mem.clone(), bytes, to: *to };
        }
    }
}

/// The box without gaps.
fn tight(rect: &Rect) -> Rect {
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

    /// Bytes of the next chunk, and its runs.
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

impl Queue {
    /// Starts a command. `ready`: nothing in another queue is still to be waited for. `blocking`:
    /// the caller will wait anyway.
    pub fn run(
        &self,
        state: &mut State,
        command: &Command,
        ready: bool,
        blocking: bool,
    ) -> Result<Phase> {
        match command {
            Command::Marker => self.mark(state, ready),
            Command::Read { mem, from, to } => {
                self.read(state, mem, from.shifted(mem.origin), to, ready, blocking)
            }
            Command::Write { mem, from, to } => {
                self.write(state, mem, from, to.shifted(mem.origin), ready, blocking)
            }
            Command::WriteOwned { mem, bytes, to } => {
                let from = tight(&Rect { offset: bytes.as_ptr() as usize, ..*to });
                self.write(state, mem, &from, to.shifted(mem.origin), ready, blocking)
            }
            Command::Copy { source, from, target, to } => {
                let (from, to) = (from.shifted(source.origin), to.shifted(target.origin));
                self.copy(state, source, &from, target, &to)
            }
            Command::Fill { mem, offset, size, pattern } => {
                self.fill(state, mem, mem.origin + offset, *size, pattern)
            }
            Command::Map { mem, mapping } => match &mapping.pages {
                Some(pages) => self.map_pages(state, mem, mapping, pages, (ready, blocking)),
                None => self.map(state, mem, mapping, ready),
            },
            Command::Unmap { mem, mapping } => match &mapping.pages {
                Some(pages) => self.unmap_pages(state, mem, mapping, pages, ready),
                None => self.unmap(state, mem, mapping, ready),
            },
            Command::Launch(launch) => self.launch(state, launch),
            Command::Replay(recorded) => self.replay(state, recorded),
            Command::HandOver { mems, way } => self.hand_over(state, mems, *way),
            Command::Semaphores { operation, semaphores } => {
                self.exchange(state, *operation, semaphores)
            }
        }
    }

    /// Whether everything that the command is ordered behind is done, so that the host may touch device
    /// memory itself.
    fn idle(&self, state: &State, ready: bool) -> Result<bool> {
        Ok(ready && self.reached(state.after)?)
    }

    /// Whether the host itself does a command if it is blocking and the queue is out of order.
    pub fn host_reads(&self, command: &Command) -> bool {
        let Command::Read { mem, from, .. } = command else { return false };
        let moves =
            |buffer: &Arc<vk::Buffer>| self.gpu.host_moves(buffer, from.bytes(), Access::Read);
        mem.only_buffer().is_some_and(moves)
    }

    fn mark(&self, state: &mut State, ready: bool) -> Result<Phase> {
        if self.idle(state, ready)? {
            return Ok(self.done_by_host(state, clock::now()));
        }
        // Its value on the timeline is behind all before; only a time is taken behind a barrier.
        if !state.timed {
            state.after = 0;
        }
        let value = self.record(state, |_| {});
        Ok(Phase::Recorded { first: value, last: value })
    }

    fn used(&self, mem: &Mem, state: &State) {
        mem.used(self.device_index, &self.vk, state.last);
    }

    fn read(
        &self,
        state: &mut State,
        mem: &Ref<Mem>,
        from: Rect,
        to: &Rect,
        ready: bool,
        blocking: bool,
    ) -> Result<Phase> {
        let buffer = mem.on_device(self.device_index, Access::Read)?;
        let in_view = self.gpu.host_view(&buffer).is_some();
        let host_moves = self.gpu.host_moves(&buffer, from.bytes(), Access::Read);
        if ready && host_moves && (in_view || blocking) {
            if !in_view {
                self.vk.wait_host_visible(state.after)?;
            }
            if blocking {
                self.wait_for(state.after)?;
            }
            if self.idle(state, ready)? {
                let start = clock::now();
                for run in runs(&from, to) {
                    // SAFETY: the read names this memory and has not completed.
                    let target = unsafe { HostAddress(run.to).bytes_mut(0, run.size) };
                    buffer.read(run.from as u64, target)?;
                }
                return Ok(self.done_by_host(state, start));
            }
        }
        if let Some((staging, at)) = self.shown(to, &from) {
            let size = from.bytes();
            return self.copy_staged(
                state,
                mem,
                (&buffer, from.offset as u64),
                (&staging.buffer, at),
                size,
                &staging,
            );
        }
        let (mut first, mut pace) = (0, Pace::default());
        for (bytes, runs) in chunks(&from, to) {
            let (staging, base) = state.readback.take(bytes as u64)?;
            let regions = staged_regions(&runs, base, false);
            let value = self.record(state, |recorder| {
                recorder.copy_regions(&buffer, &staging.buffer, &regions);
                recorder.retain(staging.clone());
            });
            let pieces: SmallVec<[Piece; 1]> = runs.iter().map(|r| (r.to, r.size)).collect();
            let copy = HostCopy::new(staging, base, pieces);
            self.owe(value, Due::Copy(Arc::new(copy)));
            first = if first == 0 { value } else { first };
            self.keep_pace(&mut pace, value, bytes)?;
        }
        self.used(mem, state);
        if blocking {
            // Parts that have arrived are copied while the device brings the others.
            pace.rest().try_for_each(|value| self.wait_for(value))?;
        }
        Ok(Phase::Recorded { first, last: state.last })
    }

    /// Bounds the staging memory of a large transfer, and gives the device its parts early.
    fn keep_pace(&self, pace: &mut Pace, value: u64, bytes: usize) -> Result<()> {
        if bytes < MIN_CHUNK {
            return Ok(());
        }
        self.flush()?;
        match pace.next(value) {
            Some(oldest) => self.wait_for(oldest),
            None => Ok(()),
        }
    }

    /// The staging memory that the application sees where a linear transfer begins or ends, and the
    /// offset there: the device reads or writes it directly.
    fn shown(&self, host: &Rect, device: &Rect) -> Option<(Arc<Staging>, u64)> {
        let linear = [host, device].iter().all(|rect| rect.height == 1 && rect.depth == 1);
        linear.then(|| self.gpu.readback.find(host.offset, host.width))?
    }

    fn write(
        &self,
        state: &mut State,
        mem: &Ref<Mem>,
        from: &Rect,
        to: Rect,
        ready: bool,
        blocking: bool,
    ) -> Result<Phase> {
        // A read before this one may still owe the bytes that are to be written.
        if self.will_write(state.after, (from.offset, from.end().unwrap_or(usize::MAX))) {
            self.wait_for(state.after)?;
        }
        let buffer = mem.on_device(self.device_index, Access::Write)?;
        let host_moves = self.gpu.host_moves(&buffer, from.bytes(), Access::Write);
        if host_moves && self.idle(state, ready)? {
            let start = clock::now();
            for run in runs(from, &to) {
                // SAFETY: the write names this memory and has not completed.
                let source = unsafe { HostAddress(run.from).bytes(0, run.size) };
                buffer.write(run.to as u64, source)?;
            }
            return Ok(self.done_by_host(state, start));
        }
        if let Some((staging, at)) = self.shown(from, &to) {
            let (size, to) = (from.bytes(), (&buffer, to.offset as u64));
            let phase = self.copy_staged(state, mem, (&staging.buffer, at), to, size, &staging)?;
            if blocking {
                // The application may change its memory when the call returns.
                self.wait_for(state.last)?;
            }
            return Ok(phase);
        }
        let (mut first, mut pace) = (0, Pace::default());
        for (bytes, runs) in chunks(from, &to) {
            let (staging, base) = state.upload.take(bytes as u64)?;
            let mut at = base;
            for run in &runs {
                // SAFETY: as above.
                let source = unsafe { HostAddress(run.from).bytes(0, run.size) };
                staging.buffer.write(at, source)?;
                at += run.size as u64;
            }
            let regions = staged_regions(&runs, base, true);
            let value = self.record(state, |recorder| {
                recorder.copy_regions(&staging.buffer, &buffer, &regions);
                recorder.retain(staging.clone());
            });
            first = if first == 0 { value } else { first };
            self.keep_pace(&mut pace, value, bytes)?;
        }
        self.used(mem, state);
        Ok(Phase::Recorded { first, last: state.last })
    }

    fn copy(
        &self,
        state: &mut State,
        source: &Ref<Mem>,
        from: &Rect,
        target: &Ref<Mem>,
        to: &Rect,
    ) -> Result<Phase> {
        let copy = Copy::prepare(self, (source, from), (target, to))?;
        let value = self.record(state, |recorder| copy.append(recorder));
        self.used(source, state);
        self.used(target, state);
        Ok(Phase::Recorded { first: value, last: value })
    }

    fn fill(
        &self,
        state: &mut State,
        mem: &Ref<Mem>,
        offset: usize,
        size: usize,
        pattern: &[u8],
    ) -> Result<Phase> {
        let fill = Fill::prepare(self, &mut state.upload, mem, (offset, size), pattern)?;
        let value = self.record(state, |recorder| fill.append(recorder));
        self.used(mem, state);
        Ok(Phase::Recorded { first: value, last: value })
    }

    fn map(
        &self,
        state: &mut State,
        mem: &Ref<Mem>,
        mapping: &Mapping,
        ready: bool,
    ) -> Result<Phase> {
        let Some(staging) = mapping.staging.as_ref().filter(|_| mapping.reads()) else {
            return self.mark(state, ready);
        };
        let buffer = mem.on_device(self.device_index, Access::Read)?;
        let from = (mem.origin + mapping.offset) as u64;
        self.copy_staged(state, mem, (&buffer, from), (&staging.buffer, 0), mapping.size, staging)
    }

    fn unmap(
        &self,
        state: &mut State,
        mem: &Ref<Mem>,
        mapping: &Mapping,
        ready: bool,
    ) -> Result<Phase> {
        let Some(staging) = mapping.staging.as_ref().filter(|_| mapping.writes()) else {
            return self.mark(state, ready);
        };
        let buffer = mem.on_device(self.device_index, Access::Write)?;
        let to = (mem.origin + mapping.offset) as u64;
        self.copy_staged(state, mem, (&staging.buffer, 0), (&buffer, to), mapping.size, staging)
    }

    /// Device to the ordinary memory of a mapping, which stays at least as long as that takes.
    fn map_pages(
        &self,
        state: &mut State,
        mem: &Ref<Mem>,
        mapping: &Mapping,
        pages: &Arc<Pages>,
        (ready, blocking): (bool, bool),
    ) -> Result<Phase> {
        if !mapping.reads() {
            return self.mark(state, ready);
        }
        let from = Rect::linear(mem.origin + mapping.offset, mapping.size);
        let to = Rect::linear(pages.address().0, mapping.size);
        let phase = self.read(state, mem, from, &to, ready, blocking)?;
        if let Phase::Recorded { last, .. } = phase {
            self.owe(last, Due::Keep(pages.clone()));
        }
        Ok(phase)
    }

    fn unmap_pages(
        &self,
        state: &mut State,
        mem: &Ref<Mem>,
        mapping: &Mapping,
        pages: &Pages,
        ready: bool,
    ) -> Result<Phase> {
        if !mapping.writes() {
            return self.mark(state, ready);
        }
        let from = Rect::linear(pages.address().0, mapping.size);
        let to = Rect::linear(mem.origin + mapping.offset, mapping.size);
        self.write(state, mem, &from, to, ready, false)
    }

    fn copy_staged(
        &self,
        state: &mut State,
        mem: &Ref<Mem>,
        from: (&Arc<vk::Buffer>, u64),
        to: (&Arc<vk::Buffer>, u64),
        size: usize,
        staging: &Arc<Staging>,
    ) -> Result<Phase> {
        let value = self.record(state, |recorder| {
            recorder.copy(from.0, from.1, to.0, to.1, size as u64);
            recorder.retain(staging.clone());
        });
        self.used(mem, state);
        Ok(Phase::Recorded { first: value, last: value })
    }
}

#[cfg(test)]
mod tests {
    use super::super::gpu::CHUNK;
    use super::*;

    #[test]
    fn chunks_cut_long_runs() {
        let from = Rect::linear(0, 2 * CHUNK + 5);
        let to = from.shifted(3);
        let sizes: Vec<_> = chunks(&from, &to).map(|(bytes, _)| bytes).collect();
        assert_eq!(sizes, [CHUNK, CHUNK, 5]);
    }
}
