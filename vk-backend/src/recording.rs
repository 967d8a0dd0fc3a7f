//! Recordings: commands that are recorded once and replayed by queues any number of times.

use std::sync::Arc;

use ash::vk;

use crate::batch::Batch;
use crate::{Device, Error, Recorder};

/// Commands in a secondary command buffer of their own, with all that they use. Nothing in it changes;
/// queues take it up by [`Recorder::replay`], also while earlier replays are under way.
pub struct Recording {
    device: Arc<Device>,
    batch: Batch,
}

impl Recording {
    /// Records what `f` appends. `commands`: how many commands a replay stands for when a queue decides
    /// whether it has enough to submit.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], out of memory.
    pub fn create<R>(
        device: &Arc<Device>,
        commands: u32,
        f: impl FnOnce(&mut Recorder<'_>) -> R,
    ) -> Result<(Arc<Recording>, R), Error> {
        device.check_lost()?;
        let batch = Batch::of_level(device, vk::CommandBufferLevel::SECONDARY, false)?;
        // From here on the batch is destroyed with the recording, whatever happens.
        let mut recording = Recording { device: device.clone(), batch };
        recording.batch.begin_secondary(device)?;
        recording.batch.count = commands;
        let result = f(&mut Recorder::new(device, Some(&mut recording.batch), 0));
        recording.batch.end(device, None, None)?;
        Ok((Arc::new(recording), result))
    }

    pub(crate) fn batch(&self) -> &Batch {
        &self.batch
    }

    pub(crate) fn is_of(&self, device: &Device) -> bool {
        std::ptr::eq(Arc::as_ptr(&self.device), device)
    }
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").field("device", &self.device).finish_non_exhaustive()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // Batches that replay it retain it: none is in flight.
        self.batch.destroy(&self.device);
    }
}
