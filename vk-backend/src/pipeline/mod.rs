//! Compute pipelines, and their cache data from earlier processes.

mod compute_pipeline;
mod store;

use std::sync::Arc;

use crate::device::{Device, PipelineDesc, PipelineStore};
use crate::error::Error;

pub use compute_pipeline::Pipeline;

impl Device {
    /// Creates a compute pipeline. The SPIR-V must be valid and use no more than the device's features:
    /// drivers do not check.
    ///
    /// # Errors
    /// The driver's; [`Error::Unsupported`] when the push constants are too large.
    pub fn create_pipeline(self: &Arc<Self>, d: &PipelineDesc<'_>) -> Result<Arc<Pipeline>, Error> {
        match self.pipeline_store.get() {
            Some(store) => store::create(self, d, store.as_ref()),
            None => Pipeline::create(self, d, self.pipeline_cache, 0),
        }
    }

    /// Uses `store` for all pipelines that are created from now on. The first store that is set stays.
    pub fn set_pipeline_store(&self, store: Box<dyn PipelineStore>) {
        let _ = self.pipeline_store.set(store);
    }
}
