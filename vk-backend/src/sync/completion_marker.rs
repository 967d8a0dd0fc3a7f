//! Completion markers: words of host memory to which the device writes the progress of a queue.
//!
//! Waiting for a semaphore has a price even if the host only polls it: its signal interrupts one of the host's processors.
//! Measured on an H200, that takes 30 us, longer than most kernels run, and often hits the processor of the waiting thread,
//! since a thread that once slept for the device is woken there. A marker is a write to memory and nothing more. So where a
//! device writes markers, batches signal no semaphore; one is signalled by a submission of its own when a thread must sleep or
//! another queue must wait.
//!
//! A marker is written when everything before it in its queue is complete, so the objects that this used may be freed or used
//! again. By the specification the command buffer that ends with the marker stays pending until a fence or semaphore says
//! otherwise. It is therefore not reused until two more are complete, only drivers that are known to allow this get markers
//! ([`crate::Quirks::COMPLETION_MARKERS`]), and the validation layer turns them off.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use ash::vk;

use crate::device::{Device, MarkerWriter};
use crate::error::Error;
use crate::memory::Buffer;
use crate::physical::MemoryKind;
use crate::sync::barrier::{barrier, Commands, Scope};

/// The completion marker of one queue.
pub(crate) struct CompletionMarker {
    buffer: Arc<Buffer>,
}

impl CompletionMarker {
    /// Makes a marker; `None` where the device writes no markers.
    pub(crate) fn create(device: &Arc<Device>) -> Result<Option<CompletionMarker>, Error> {
        if device.functions.completion_markers.is_none() {
            return Ok(None);
        }
        let buffer = device.create_buffer(4, MemoryKind::Readback)?;
        let marker = CompletionMarker { buffer };
        Ok(marker.word().map(|word| word.store(0, Ordering::Relaxed)).map(|()| marker))
    }

    /// Returns the marker's word; `None` where the host would have to invalidate the memory before each read.
    fn word(&self) -> Option<&AtomicU32> {
        let word = self.buffer.mapped().filter(|_| self.buffer.is_coherent())?;
        // SAFETY: the mapping is aligned and lives as long as the buffer; the host accesses it as this
        // atomic only.
        Some(unsafe { AtomicU32::from_ptr(word.as_ptr().cast()) })
    }

    /// Records the write of the marker: `value` is reached when everything before the write is complete.
    pub(crate) fn write(&self, device: &Device, commands: Commands, value: u64) {
        let (buffer, word) = (self.buffer.raw, value as u32);
        match &device.functions.completion_markers {
            // SAFETY: the command buffer is recording, under the queue's lock; the queue, which owns the
            // buffer, lives until all that it submitted is complete.
            Some(MarkerWriter::BufferMarker(functions)) => unsafe {
                functions.cmd_write_buffer_marker(
                    commands.raw,
                    MarkerWriter::STAGE,
                    buffer,
                    0,
                    word,
                );
            },
            _ => {
                // Earlier writes must have reached the host when the fill begins: a barrier that only orders later commands
                // leaves them in the device's caches (on an H200, one read of some 100,000 had old bytes).
                barrier(device, commands, commands.stages, Scope::DeviceAndHost);
                // SAFETY: the command buffer is recording, under the queue's lock; the queue, which owns the buffer, lives
                // until all that it submitted is complete.
                unsafe { device.raw.cmd_fill_buffer(commands.raw, buffer, 0, 4, word) };
                barrier(device, commands, vk::PipelineStageFlags::TRANSFER, Scope::Host);
            }
        }
    }

    /// Returns the newest value that is reached; `submitted` is the newest submitted value. (The marker has the lower 32 bits
    /// of a value, and fewer than 2^32 values are in flight.)
    pub(crate) fn value(&self, submitted: u64) -> u64 {
        let marker = self.word().map_or(0, |word| word.load(Ordering::Acquire));
        submitted - u64::from((submitted as u32).wrapping_sub(marker))
    }

    /// Returns true if a value that was submitted is reached.
    pub(crate) fn reached(&self, value: u64) -> bool {
        let marker = self.word().map_or(0, |word| word.load(Ordering::Acquire));
        marker.wrapping_sub(value as u32) as i32 >= 0
    }
}
