//! Copies between buffers, and fills, as they are recorded by a queue or into a command buffer.

use super::transfer::MAX_REGIONS;
use crate::cl::error::Result;
use crate::core::device::staging::{Arena, Staging};
use crate::core::memory::buffer::Buffer;
use crate::core::memory::rect::{runs, Rect};
use crate::core::queue::event::Phase;
use crate::core::queue::execute::Execution;
use crate::core::queue::Queue;
use crate::object::Ref;
use hekla_vk_backend as vk;
use std::sync::Arc;

/// Bytes of staging memory that a fill covers with the repeated pattern.
const FILL_CHUNK: usize = 256 << 10;

/// A copy from buffer to buffer.
pub struct Copy<'a> {
    source: Arc<vk::Buffer>,
    from: Rect,
    target: Arc<vk::Buffer>,
    to: Rect,
    kernel: Option<&'a vk::CopyKernel>,
}

impl<'a> Copy<'a> {
    /// Prepares a copy. The rectangles count from the beginning of the whole buffers.
    pub fn prepare(
        queue: &'a Queue,
        (source, from): (&Buffer, &Rect),
        (target, to): (&Buffer, &Rect),
    ) -> Result<Copy<'a>> {
        Ok(Copy {
            source: source.on_device(queue.device_index)?,
            from: *from,
            target: target.on_device(queue.device_index)?,
            to: *to,
            kernel: queue.gpu.copy_kernel()?,
        })
    }

    pub fn append(&self, recorder: &mut vk::Recorder) {
        let mut regions = runs(&self.from, &self.to).map(|run| vk::CopyRegion {
            src_offset: run.from as u64,
            dst_offset: run.to as u64,
            size: run.size as u64,
        });
        loop {
            let some: Vec<_> = regions.by_ref().take(MAX_REGIONS).collect();
            if some.is_empty() {
                break;
            }
            match self.kernel {
                Some(kernel) => kernel.copy(recorder, &self.source, &self.target, &some),
                None => recorder.copy_regions(&self.source, &self.target, &some),
            }
        }
    }
}

/// A pattern repeated over a box of a buffer.
pub enum Fill {
    /// The pattern is a repeated word.
    Words { buffer: Arc<vk::Buffer>, offset: u64, size: u64, word: u32 },
    /// Copies from staging memory that holds the pattern many times.
    Copies { staging: Arc<Staging>, buffer: Arc<vk::Buffer>, regions: Vec<vk::CopyRegion> },
}

impl Fill {
    /// Prepares a fill. The box counts from the beginning of the whole buffer; its rows are a multiple of the pattern's length.
    pub fn prepare(
        queue: &Queue,
        upload: &mut Arena,
        mem: &Ref<Buffer>,
        at: &Rect,
        pattern: &[u8],
    ) -> Result<Fill> {
        let buffer = mem.on_device(queue.device_index)?;
        let runs: Vec<_> = runs(at, at).map(|run| (run.from, run.size)).collect();
        if let ([(offset, size)], Some(word)) = (&runs[..], word_of(pattern)) {
            if offset.is_multiple_of(4) && size.is_multiple_of(4) {
                let (offset, size) = (*offset as u64, *size as u64);
                return Ok(Fill::Words { buffer, offset, size, word });
            }
        }
        let longest = runs.iter().map(|(_, size)| *size).max().unwrap_or(0);
        let chunk = FILL_CHUNK.min(longest) / pattern.len() * pattern.len();
        let (staging, base) = upload.take(chunk as u64)?;
        // SAFETY: the piece of staging memory is this command's alone.
        unsafe { staging.buffer.write(base, &pattern.repeat(chunk / pattern.len())) }?;
        let pieces = |(offset, size): (usize, usize)| {
            (0..size).step_by(chunk).map(move |done| vk::CopyRegion {
                src_offset: base,
                dst_offset: (offset + done) as u64,
                size: chunk.min(size - done) as u64,
            })
        };
        let regions = runs.into_iter().flat_map(pieces);
        Ok(Fill::Copies { staging, buffer, regions: regions.collect() })
    }

    pub fn append(&self, recorder: &mut vk::Recorder) {
        match self {
            Fill::Words { buffer, offset, size, word } => {
                recorder.fill(buffer, *offset, *size, *word);
            }
            Fill::Copies { staging, buffer, regions } => {
                for some in regions.chunks(MAX_REGIONS) {
                    recorder.copy_regions(&staging.buffer, buffer, some);
                }
                recorder.retain(staging.clone());
            }
        }
    }
}

/// Returns the 32-bit word that repeats like the pattern, if one does.
fn word_of(pattern: &[u8]) -> Option<u32> {
    let at = |index: usize| pattern[index % pattern.len()];
    let word = [at(0), at(1), at(2), at(3)];
    let repeats = 4 % pattern.len() == 0 || pattern.chunks(4).all(|chunk| chunk == word);
    repeats.then(|| u32::from_le_bytes(word))
}

impl Execution<'_> {
    /// Copies from buffer to buffer. The boxes count from the beginning of the whole buffers.
    pub fn copy(
        &mut self,
        (source, from): (&Ref<Buffer>, &Rect),
        (target, to): (&Ref<Buffer>, &Rect),
    ) -> Result<Phase> {
        let copy = Copy::prepare(self.queue, (source, from), (target, to))?;
        let value = self.record(|recorder| copy.append(recorder));
        Ok(Phase::Recorded { first: value, last: value })
    }

    /// Repeats a pattern over a box of a buffer, which counts from the beginning of the whole buffer.
    pub fn fill(&mut self, mem: &Ref<Buffer>, at: &Rect, pattern: &[u8]) -> Result<Phase> {
        let fill = Fill::prepare(self.queue, &mut self.state.upload, mem, at, pattern)?;
        let value = self.record(|recorder| fill.append(recorder));
        Ok(Phase::Recorded { first: value, last: value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_repeat_a_word() {
        assert_eq!(word_of(&[7]), Some(0x0707_0707));
        assert_eq!(word_of(&[1, 2]), Some(0x0201_0201));
        assert_eq!(word_of(&[0; 16]), Some(0));
        assert_eq!(word_of(&[1, 2, 3, 4, 5, 6, 7, 8]), None);
    }
}
