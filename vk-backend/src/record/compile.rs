//! Compilation ahead of a timed command, where the driver compiles a pipeline in its first dispatch
//! ([`Quirks::COMPILES_IN_DISPATCH`]): a dispatch of no work-groups makes the driver compile before the timestamp.

use std::sync::Arc;

use crate::device::Device;
use crate::pipeline::Pipeline;
use crate::record::batch::Batch;
use crate::record::recorder::{bind, Recorder};
use crate::record::recording::Recording;
use hekla_device::Quirks;

/// Returns true if a device's driver compiles pipelines in their first dispatch.
fn compiles_in_dispatch(device: &Device) -> bool {
    device.info().quirks.contains(Quirks::COMPILES_IN_DISPATCH)
}

impl Recorder<'_> {
    /// Makes the driver compile a pipeline that it would otherwise compile in the first dispatch, unless a dispatch of the
    /// pipeline is known to be complete. Returns true if anything was recorded.
    pub fn compile(&mut self, p: &Arc<Pipeline>) -> bool {
        let Some(batch) = self.batch.as_deref_mut() else { return false };
        if !compiles_in_dispatch(self.device) || p.has_run() {
            return false;
        }
        bind(self.device, batch, p, &vec![0; p.push_constant_size() as usize]);
        // SAFETY: the command buffer is recording under the queue's lock; pipeline, descriptor set and push constants
        // are set.
        unsafe { self.device.raw.cmd_dispatch(batch.commands, 0, 0, 0) };
        tracing::debug!("a dispatch of no work-groups has '{}' compiled", p.name());
        true
    }

    /// Like [`Recorder::compile`] for the pipelines of a recording.
    pub fn compile_recording(&mut self, recording: &Recording) -> bool {
        let pipelines: Vec<Arc<Pipeline>> = match compiles_in_dispatch(self.device) {
            true => recording.batch.pipelines().collect(),
            false => Vec::new(),
        };
        pipelines.iter().fold(false, |any, p| self.compile(p) | any)
    }
}

impl Batch {
    /// Returns the pipelines that the batch dispatches.
    fn pipelines(&self) -> impl Iterator<Item = Arc<Pipeline>> + '_ {
        self.retained.iter().filter_map(|object| object.clone().downcast::<Pipeline>().ok())
    }

    /// Notes that the pipelines of a complete batch are compiled.
    pub(crate) fn note_compiled(&self, device: &Device) {
        if !compiles_in_dispatch(device) {
            return;
        }
        for object in &self.retained {
            if let Some(pipeline) = object.downcast_ref::<Pipeline>() {
                pipeline.note_run();
            } else if let Some(recording) = object.downcast_ref::<Recording>() {
                recording.batch.note_compiled(device);
            }
        }
    }
}
