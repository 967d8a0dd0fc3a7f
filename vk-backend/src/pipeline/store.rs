//! Creating pipelines from cache data that earlier processes stored.
//!
//! The data comes from a VkPipelineCache with this one pipeline: nothing has to be merged with the data of other processes, and
//! nothing has to be saved when the process ends.

use std::sync::Arc;

use crate::device::{Device, PipelineStore};
use crate::error::Error;
use crate::pipeline::cache::{holds_something, is_of_device, Cache};
use crate::pipeline::compute_pipeline::{Created, Pipeline, PipelineBuilder};
use crate::pipeline::precompile;

/// Creates a pipeline from the cache data that `store` has for it, and stores new data.
pub(super) fn create(
    device: &Device,
    builder: &mut PipelineBuilder<'_>,
    store: &dyn PipelineStore,
) -> Result<Arc<Pipeline>, Error> {
    let info = device.info();
    let known = store.load(info, builder.desc).filter(|data| is_of_device(info, data));
    let known = known.unwrap_or_default();
    builder.given = known.len();
    let made = precompile::create(device, builder, &known)?;
    let made = made.map_or_else(|| create_here(device, builder, &known), Ok)?;
    let Created { pipeline, learnt } = made;
    // Drivers that do not report whether they found the pipeline return the data that they were given.
    let is_new = pipeline.creation().precompiled.is_some() || learnt.len() != known.len();
    if is_new && holds_something(&learnt) && is_of_device(info, &learnt) {
        store.store(info, builder.desc, &learnt);
    }
    Ok(pipeline)
}

/// Creates a pipeline on the device itself, which compiles if the pipeline is not in `known`. In that case the cache data is
/// returned as well.
fn create_here(
    device: &Device,
    builder: &PipelineBuilder<'_>,
    known: &[u8],
) -> Result<Created, Error> {
    let cache = Cache::new(&device.raw, known)?;
    let pipeline = builder.create_compiled(cache.raw)?;
    let learnt = match pipeline.creation().found {
        Some(true) => Vec::new(),
        _ => cache.data(),
    };
    Ok(Created { pipeline, learnt })
}
