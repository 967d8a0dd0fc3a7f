//! Marks: words of the host's memory in which the device writes down how far it is.
//!
//! Waiting for a semaphore has a price even if the host only polls: its signal interrupts a processor of
//! the host. Measured on an H200, that processor is busy with it for 30 us, longer than most kernels
//! run, and it is often the one that waits, since a thread that once slept for the device is woken there.
//! A mark is a write to memory and nothing more. So where the device writes marks, batches signal no
//! semaphore; one is signalled by a submission of its own when somebody must sleep, or another queue wait.
//!
//! A mark is written when all before it in its queue is complete, so what that used may be freed or used
//! again. What is beyond Vulkan's letter is that the command buffer that ends with the mark counts as
//! pending until a fence or semaphore says otherwise. It is therefore left alone until two more are
//! complete, and with the validation layer there are no marks.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use ash::{amd, vk};

use crate::batch::{barrier, Side, WORK};
use crate::{Buffer, Device, DeviceType, Error, MemoryKind, PhysicalDevice};

/// How a device writes marks.
pub(crate) enum Writer {
    /// VK_AMD_buffer_marker: when all before it is complete.
    Marker(amd::buffer_marker::Device),
    /// As a fill behind a barrier, which any device can; slower.
    Fill,
}

impl Writer {
    /// The way for a device that is to write marks: one that can without a barrier and is not the host
    /// itself, or any if the environment has `HEKLA_MARKS=1`; none with `HEKLA_MARKS=0`.
    pub(crate) fn of(p: &PhysicalDevice, raw: &ash::Device) -> Option<Writer> {
        let wish = std::env::var("HEKLA_MARKS").ok();
        let wanted = match wish.as_deref() {
            Some("0") => false,
            Some("1") => true,
            _ => p.info.device_type != DeviceType::Cpu && p.info.features.buffer_marker,
        };
        if !wanted || crate::validation::wanted().is_some() {
            return None;
        }
        let marker = || Writer::Marker(amd::buffer_marker::Device::new(&p.instance.raw, raw));
        Some(p.info.features.buffer_marker.then(marker).unwrap_or(Writer::Fill))
    }
}

/// The word of one queue.
pub(crate) struct Marks {
    buffer: Arc<Buffer>,
}

impl Marks {
    /// `None` where the device writes none.
    pub(crate) fn create(device: &Arc<Device>) -> Result<Option<Marks>, Error> {
        if device.marks.is_none() {
            return Ok(None);
        }
        let buffer = device.create_buffer(4, MemoryKind::Readback)?;
        let marks = Marks { buffer };
        Ok(marks.word().map(|word| word.store(0, Ordering::Relaxed)).map(|()| marks))
    }

    fn word(&self) -> Option<&AtomicU32> {
        let word = self.buffer.mapped().filter(|_| self.buffer.is_coherent())?;
        // SAFETY: the mapping is aligned and lives as long as the buffer; the host reaches it as this
        // atomic only.
        Some(unsafe { AtomicU32::from_ptr(word.as_ptr().cast()) })
    }

    /// Appends to a command buffer: `value` is reached when all before is complete.
    pub(crate) fn write(&self, device: &Device, commands: vk::CommandBuffer, value: u64) {
        let (buffer, word) = (self.buffer.raw, value as u32);
        match &device.marks {
            // SAFETY: the command buffer is recording, under the queue's lock; the queue, which owns the
            // buffer, lives until all that it submitted is complete.
            Some(Writer::Marker(functions)) => unsafe {
                let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
                functions.cmd_write_buffer_marker(commands, stage, buffer, 0, word);
            },
            _ => {
                barrier(device, commands, WORK, Side::Device);
                // SAFETY: as above.
                unsafe { device.raw.cmd_fill_buffer(commands, buffer, 0, 4, word) };
                barrier(device, commands, vk::PipelineStageFlags::TRANSFER, Side::Host);
            }
        }
    }

    /// The newest value that is reached, when `submitted` is the newest on its way. (A mark has the lower
    /// 32 bits of a value, and fewer are on their way.)
    pub(crate) fn value(&self, submitted: u64) -> u64 {
        let mark = self.word().map_or(0, |word| word.load(Ordering::Acquire));
        submitted - u64::from((submitted as u32).wrapping_sub(mark))
    }

    /// Whether a value that is on its way is reached.
    pub(crate) fn reached(&self, value: u64) -> bool {
        let mark = self.word().map_or(0, |word| word.load(Ordering::Acquire));
        mark.wrapping_sub(value as u32) as i32 >= 0
    }
}
