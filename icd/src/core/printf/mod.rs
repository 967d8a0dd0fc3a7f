//! `printf` of kernels: each launch that may print gets a buffer of its own, which the host turns
//! into text once the device has completed the launch.

pub mod number;
pub mod output;
pub mod record;

use super::gpu::Gpu;
use super::program::ProgramData;
use crate::core::error::Result;
use hekla_compiler::printf::{HEADER_BYTES, TRAILER_BYTES};
use hekla_vk_backend as vk;
use output::{Outbox, Sink};
use parking_lot::Mutex;
use record::Image;
use std::sync::Arc;

/// CL_DEVICE_PRINTF_BUFFER_SIZE: bytes of a buffer unless the context's properties say otherwise.
pub const DEFAULT_SIZE: usize = 1 << 20;
/// CL_PRINTF_BUFFERSIZE_ARM is kept within these.
const SIZES: std::ops::RangeInclusive<usize> = 1024..=256 << 20;
/// Launches of one queue whose output is not collected yet; the next one waits for the first.
pub const MAX_PENDING: usize = 16;

/// What the launches of one context print with.
pub struct Printer {
    pub outbox: Arc<Outbox>,
    /// Bytes for records in a buffer, a multiple of 4.
    capacity: u32,
    /// Buffers that no launch uses, for each device of the context.
    free: Vec<Mutex<Vec<Arc<vk::Buffer>>>>,
}

impl Printer {
    /// For a context of so many devices. `size` is what CL_PRINTF_BUFFERSIZE_ARM asks for.
    pub fn new(devices: usize, sink: Sink, size: Option<usize>) -> Arc<Printer> {
        let size = size.unwrap_or(DEFAULT_SIZE).clamp(*SIZES.start(), *SIZES.end());
        Arc::new(Printer {
            outbox: Outbox::new(sink),
            capacity: size.next_multiple_of(4) as u32,
            free: (0..devices).map(|_| Mutex::default()).collect(),
        })
    }

    /// A buffer for one launch on device number `device` of the context.
    pub fn buffer(&self, gpu: &Gpu, device: usize) -> Result<Arc<vk::Buffer>> {
        let free = self.free.get(device).and_then(|free| free.lock().pop());
        if let Some(buffer) = free {
            return Ok(buffer);
        }
        let size = u64::from(HEADER_BYTES + self.capacity + TRAILER_BYTES).next_multiple_of(16);
        Ok(gpu.device.create_buffer(size, vk::MemoryKind::Device)?)
    }

    /// Records what makes a buffer ready for a launch.
    pub fn clear(&self, recorder: &mut vk::Recorder, buffer: &Arc<vk::Buffer>) {
        let header = [0, self.capacity / 4].map(u32::to_le_bytes);
        recorder.update(buffer, 0, &header.concat());
        recorder.barrier();
    }
}

/// What a launch has printed: to be collected once the device has completed it. Several queues may
/// share it; the first to run it does the work.
pub struct Printout {
    printer: Arc<Printer>,
    launch: Launched,
    data: Arc<ProgramData>,
    due: Mutex<Option<Arc<vk::Buffer>>>,
    /// Whether other launches may have the buffer afterwards.
    frees_buffer: bool,
}

/// Where a launch went.
pub struct Launched {
    pub gpu: Arc<Gpu>,
    /// Position of the device in the context.
    pub device: usize,
    pub queue: Arc<vk::Queue>,
    /// The launch's value on the queue's timeline.
    pub value: u64,
}

impl Printout {
    /// What the launch writes to `buffer`, with the data of its program.
    pub fn new(
        printer: Arc<Printer>,
        launch: Launched,
        data: Arc<ProgramData>,
        buffer: Arc<vk::Buffer>,
    ) -> Printout {
        Printout { printer, launch, data, due: Mutex::new(Some(buffer)), frees_buffer: true }
    }

    /// The same for a buffer that is kept for more launches of its owner's.
    pub fn keeping_buffer(self) -> Printout {
        Printout { frees_buffer: false, ..self }
    }

    pub fn is_due(&self) -> bool {
        self.due.lock().is_some()
    }

    /// Puts the text into the context's outbox unless that is done. The device must have completed
    /// the launch.
    pub fn run(&self) -> Result<()> {
        let mut due = self.due.lock();
        let Some(buffer) = due.take() else { return Ok(()) };
        let Launched { gpu, device, queue, value } = &self.launch;
        if gpu.host_view(&buffer).is_none() {
            queue.wait_host_visible(*value)?;
        }
        let mut used = [0; 4];
        gpu.read_now(&buffer, 0, &mut used)?;
        let used = u32::from_le_bytes(used).saturating_mul(4).min(self.printer.capacity);
        let mut bytes = vec![0; used as usize];
        gpu.read_now(&buffer, HEADER_BYTES.into(), &mut bytes)?;
        if let Some(free) = self.printer.free.get(*device).filter(|_| self.frees_buffer) {
            let mut free = free.lock();
            if free.len() < MAX_PENDING {
                free.push(buffer);
            }
        }
        let word = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).unwrap_or_default();
        let words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
        let (data, address) = (self.data.image(), self.data.copy()?.address);
        let image = Image { bytes: &data.bytes, size: data.size, address };
        self.printer.outbox.push(record::text(&words, image));
        Ok(())
    }
}
