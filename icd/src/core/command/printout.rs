//! Printouts: the output of a launch, collected as text once the device has completed the launch.

use crate::cl::error::Result;
use crate::config;
use crate::core::check;
use crate::core::command::replay::Capture;
use crate::core::device::open::Gpu;
use crate::core::printf::output::Outbox;
use crate::core::printf::record::{self, Image};
use crate::core::printf::Printer;
use crate::core::program::ProgramData;
use crate::core::queue::completion::CompletionWork;
use crate::core::queue::Queue;
use hekla_compiler::printf::HEADER_BYTES;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::sync::Arc;

/// The output of a launch, to be collected once the device has completed it.
pub struct Printout {
    printer: Arc<Printer>,
    launch: Launched,
    data: Arc<ProgramData>,
    pending: Mutex<Option<Arc<vk::Buffer>>>,
    /// What the launch kept to be run again.
    capture: Option<Arc<Capture>>,
    /// True if other launches may use the buffer once the output is collected.
    frees_buffer: bool,
}

/// Identifies a launch that was submitted: device, queue and timeline value.
struct Launched {
    gpu: Arc<Gpu>,
    /// Position of the device in the context.
    device: usize,
    queue: Arc<vk::Queue>,
    /// Where the text that the queue's commands print is collected.
    outbox: Arc<Outbox>,
    /// The launch's value on the queue's timeline.
    value: u64,
}

impl Printout {
    /// Returns a printout after which the buffer stays with its owner.
    pub fn keeping_buffer(self) -> Printout {
        Printout { frees_buffer: false, ..self }
    }

    /// Returns the printout with what the launch kept to be run again.
    pub fn with_capture(self, capture: Option<Arc<Capture>>) -> Printout {
        Printout { capture, ..self }
    }

    /// Returns the printout of a queue's command. `value`: the command's value on the queue's timeline; `buffer`: its printf
    /// buffer.
    pub fn of_command(
        queue: &Queue,
        value: u64,
        data: &Arc<ProgramData>,
        buffer: Arc<vk::Buffer>,
    ) -> Printout {
        let launch = Launched {
            gpu: queue.gpu.clone(),
            device: queue.device_index,
            queue: queue.vk.clone(),
            outbox: queue.outbox.clone(),
            value,
        };
        Printout {
            printer: queue.context.printer.clone(),
            launch,
            data: data.clone(),
            pending: Mutex::new(Some(buffer)),
            capture: None,
            frees_buffer: true,
        }
    }
}

impl CompletionWork for Printout {
    fn is_pending(&self) -> bool {
        self.pending.lock().is_some()
    }

    fn is_printout(&self) -> bool {
        true
    }

    /// Puts the text into the queue's outbox. This thread delivers the text later, since the thread may be working for another
    /// queue that waited for the launch. The device must have completed the launch.
    fn run(&self) -> Result<()> {
        let mut pending = self.pending.lock();
        let collected = pending.take().map_or(Ok(()), |buffer| self.collect(buffer));
        self.launch.outbox.deliver_soon();
        collected
    }
}

impl Printout {
    fn collect(&self, buffer: Arc<vk::Buffer>) -> Result<()> {
        let Launched { gpu, device, queue, outbox, value } = &self.launch;
        if gpu.host_view(&buffer).is_none() {
            queue.wait_host_visible(*value)?;
        }
        let mut used = [0; 4];
        gpu.read_now(&buffer, 0, &mut used)?;
        let used = u32::from_le_bytes(used).saturating_mul(4).min(self.printer.capacity());
        let mut bytes = vec![0; used as usize];
        gpu.read_now(&buffer, HEADER_BYTES.into(), &mut bytes)?;
        let (data, address) = (self.data.image(), self.data.copy()?.address);
        let image = Image { bytes: &data.bytes, size: data.size, address };
        if self.printer.has_checks() {
            let at = |low| image.at_low(low);
            let capacity = self.printer.capacity();
            let found = check::collect(gpu, &buffer, capacity, &data.bytes, at)?;
            if let Some(call) = found.call {
                outbox.push_call(call);
            }
            let capture = self.capture.as_ref().filter(|_| !found.new.is_empty());
            if let (Some(capture), Some(to)) = (capture, config::replays()) {
                capture.keep(gpu, found.new, &to)?;
            }
        }
        if self.frees_buffer {
            self.printer.free(*device, buffer);
        }
        let word = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).unwrap_or_default();
        let words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
        outbox.push(record::text(&words, image));
        Ok(())
    }
}
