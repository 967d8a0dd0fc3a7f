//! Creating pipelines from cache data that earlier processes stored.
//!
//! The data is that of a VkPipelineCache that saw this one pipeline: nothing has to be merged with what other
//! processes wrote, and nothing has to be saved when the process ends.

use std::sync::Arc;

use crate::device::{Device, PipelineStore};
use crate::error::Error;
use crate::pipeline::apart;
use crate::pipeline::cache::{holds_something, is_of_device, Cache};
use crate::pipeline::compute_pipeline::{Created, Draft, Pipeline};

/// Creates a pipeline from the cache data that `store` has for it, and stores new data.
pub(super) fn create(
    device: &Device,
    draft: &mut Draft<'_>,
    store: &dyn PipelineStore,
) -> Result<Arc<Pipeline>, Error> {
    let info = device.info();
    let known = store.load(info, draft.desc).filter(|data| is_of_device(info, data));
    let known = known.unwrap_or_default();
    draft.given = known.len();
    let made = match device.code.is_shared() {
        true => apart::create(device, draft, &known)?,
        false => None,
    };
    let made = made.map_or_else(|| create_here(device, draft, &known), Ok)?;
    let Created { pipeline, learnt } = made;
    // Drivers that do not tell what they found give the same data back.
    let is_new = pipeline.creation().compiled_apart.is_some() || learnt.len() != known.len();
    if is_new && holds_something(&learnt) && is_of_device(info, &learnt) {
        store.store(info, draft.desc, &learnt);
    }
    Ok(pipeline)
}

/// Creates a pipeline on the device itself, which compiles what it does not find in `known`. Returns it with the
/// cache data if it was not found.
fn create_here(device: &Device, draft: &Draft<'_>, known: &[u8]) -> Result<Created, Error> {
    let cache = Cache::new(&device.raw, known)?;
    let pipeline = draft.create_compiled(cache.raw)?;
    let learnt = match pipeline.creation().found {
        Some(true) => Vec::new(),
        _ => cache.data(),
    };
    Ok(Created { pipeline, learnt })
}
