//! Compute pipelines, and their cache data from earlier processes.

mod compute_pipeline;
mod store;

use std::sync::Arc;

use crate::device::{Device, PipelineDesc, PipelineStore};
use crate::error::Error;

pub use compute_pipeline::Pipeline;

impl Device {
    /// Creates a compute pipeline.
    ///
    /// # Safety
    /// [`PipelineDesc::spirv`] is a valid module for this device: it follows the SPIR-V specification and its
    /// validation rules for Vulkan, uses no more than the device's features, declares no more push constants than
    /// the description says, and no descriptors. Drivers do not check.
    ///
    /// # Errors
    /// The driver's; [`Error::Unsupported`] when the push constants are too large.
    pub unsafe fn create_pipeline(
        self: &Arc<Self>,
        d: &PipelineDesc<'_>,
    ) -> Result<Arc<Pipeline>, Error> {
        // SAFETY: the caller's promise is these functions' own.
        unsafe {
            match self.pipeline_store.get() {
                Some(store) => store::create(self, d, store.as_ref()),
                None => Pipeline::create(self, d, self.pipeline_cache, 0),
            }
        }
    }

    /// Uses `store` for all pipelines that are created from now on. The first store that is set stays.
    ///
    /// # Safety
    /// [`PipelineStore::load`] returns data as [`PipelineStore::store`] was given it, unchanged and complete:
    /// drivers trust it.
    pub unsafe fn set_pipeline_store(&self, store: Box<dyn PipelineStore>) {
        let _ = self.pipeline_store.set(store);
    }
}
