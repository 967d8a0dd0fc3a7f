//! Pipelines in the cache: for each pipeline what the Vulkan driver gave to make it faster again.
//!
//! An entry is the data of a VkPipelineCache that saw this one pipeline: nothing has to be merged
//! with what other processes wrote, and nothing to be saved when the process ends.

use super::cache;
use super::digest::Digest;
use crate::core::error::Result;
use hekla_vk_backend as vk;
use std::sync::Arc;

/// As [`vk::Device::create_pipeline`], with what an earlier process learnt.
pub fn create(device: &Arc<vk::Device>, desc: &vk::PipelineDesc<'_>) -> Result<Arc<vk::Pipeline>> {
    let Some(cache) = cache() else { return Ok(device.create_pipeline(desc)?) };
    let key = key(device.info(), desc);
    let known = cache.load(key);
    let (pipeline, learnt) = device.create_pipeline_from(desc, known.as_deref())?;
    match (learnt, known) {
        (Some(data), _) => cache.store(key, &data),
        (None, Some(_)) => tracing::debug!("cache: a pipeline was found"),
        // The driver has nothing to keep.
        (None, None) => {}
    }
    Ok(pipeline)
}

fn key(info: &vk::DeviceInfo, desc: &vk::PipelineDesc<'_>) -> Digest {
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let constants: Vec<u32> = desc.specialization.iter().flat_map(|&(id, v)| [id, v]).collect();
    Digest::of(&[
        b"pipeline",
        &info.pipeline_cache_uuid,
        &info.driver_uuid,
        &words(&[info.vendor_id, info.device_id, info.driver_version, info.driver_id]),
        info.driver_info.as_bytes(),
        &words(desc.spirv),
        desc.entry.as_bytes(),
        &words(&constants),
        &desc.push_constant_size.to_le_bytes(),
    ])
}
