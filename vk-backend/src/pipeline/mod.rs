//! Compute pipelines, and their cache data from earlier processes.

mod cache;
mod compute_pipeline;
mod precompile;
mod stage;
mod statistics;
mod store;

use std::sync::Arc;

use crate::device::{Device, PipelineDesc, PipelineStore};
use crate::error::Error;
use crate::pipeline::compute_pipeline::PipelineBuilder;
use crate::pipeline::stage::DeviceRef;

pub use compute_pipeline::Pipeline;

impl Device {
    /// Creates a compute pipeline.
    ///
    /// # Safety
    /// [`PipelineDesc::spirv`] is a valid module for this device: it follows the SPIR-V specification and its
    /// validation rules for Vulkan, uses no more than the device's features, declares no more push constants than
    /// the description says, and no descriptors outside [`crate::Binding`]. Drivers do not check.
    ///
    /// # Errors
    /// The driver's errors; [`Error::Unsupported`] when the push constants are too large.
    pub unsafe fn create_pipeline(
        self: &Arc<Self>,
        d: &PipelineDesc<'_>,
    ) -> Result<Arc<Pipeline>, Error> {
        self.check_lost()?;
        let fault = |call, e| self.fault(call, e);
        let (features, parts) = (&self.info().features, self.allows_parts());
        let device_ref = DeviceRef { raw: &self.raw, features, parts, fault: &fault };
        // SAFETY: the caller's promise is this function's own.
        let mut builder = unsafe { PipelineBuilder::new(self, device_ref, d) }?;
        if let Some(store) = self.pipeline_store.get() {
            return store::create(self, &mut builder, store.as_ref());
        }
        if let Some(created) = precompile::create(self, &mut builder, &[])? {
            return Ok(created.pipeline);
        }
        builder.create_compiled(self.pipeline_cache)
    }

    /// Uses `store` for all pipelines that are created from now on. Only the first call has an effect.
    ///
    /// # Safety
    /// [`PipelineStore::load`] returns data exactly as [`PipelineStore::store`] was given it: drivers trust it.
    pub unsafe fn set_pipeline_store(&self, store: Box<dyn PipelineStore>) {
        let _ = self.pipeline_store.set(store);
    }
}
