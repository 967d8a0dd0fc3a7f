//! Recordings: secondary command buffers that are recorded once and executed by queues any number of times.

use std::sync::Arc;

use ash::vk;

use crate::device::Device;
use crate::error::Error;
use crate::record::batch::{Batch, Bound};
use crate::record::recorder::Recorder;

/// Commands in a secondary command buffer, with everything that they use. A recording never changes; queues execute it by
/// [`Recorder::replay`], even while earlier replays are in flight.
pub struct Recording {
    device: Arc<Device>,
    pub(super) batch: Batch,
}

impl Recording {
    /// Records the commands that `f` appends. `commands`: as how many commands a replay counts when a queue decides whether to
    /// submit.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], out of memory.
    pub fn create<R>(
        device: &Arc<Device>,
        commands: u32,
        f: impl FnOnce(&mut Recorder<'_>) -> R,
    ) -> Result<(Arc<Recording>, R), Error> {
        device.check_lost()?;
        let batch = Batch::with_level(
            device,
            device.compute_family(),
            vk::CommandBufferLevel::SECONDARY,
            false,
        )?;
        // From here on, the batch is destroyed with the recording, even on errors.
        let mut recording = Recording { device: device.clone(), batch };
        recording.batch.begin_secondary(device)?;
        recording.batch.count = commands;
        let result = f(&mut Recorder::new(device, Some(&mut recording.batch), 0));
        recording.batch.end(device, None, None)?;
        Ok((Arc::new(recording), result))
    }
}

impl Recorder<'_> {
    /// Executes a recording. Barriers before and after it order it like any other operation.
    ///
    /// # Panics
    /// When the recording is of another device.
    pub fn replay(&mut self, recording: &Arc<Recording>) {
        let same = std::ptr::eq(Arc::as_ptr(&recording.device), self.device);
        assert!(same, "a recording of another device");
        let Some(batch) = self.batch.as_deref_mut() else { return };
        let recorded = &recording.batch;
        // SAFETY: the command buffer is recording under the queue's lock; the other one is executable, was
        // begun for simultaneous use, and is retained with all that it uses.
        unsafe { self.device.raw.cmd_execute_commands(batch.commands, &[recorded.commands]) };
        // A secondary command buffer leaves the state of the primary undefined.
        batch.bound = Bound::default();
        batch.writes_host |= recorded.writes_host;
        batch.unordered |= recorded.unordered;
        batch.count = batch.count.saturating_add(recorded.count);
        batch.contents.add_replay(batch.retained.len());
        batch.retained.push(recording.clone());
    }
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").field("device", &self.device).finish_non_exhaustive()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // Batches that execute it retain it: none is in flight.
        self.batch.destroy(&self.device);
    }
}
