//! Creating pipelines with a driver that must not compile while others submit ([`crate::Quirks::SERIALIZED_PIPELINES`]): a
//! second Vulkan device compiles, while all queues continue, and hands its cache data over. The queues wait only while the
//! pipeline is created from that data.
//!
//! Measured on an H200 with a kernel that takes 1.2 s to compile: dispatches of other threads wait 4 ms at most.

use std::time::Instant;

use ash::vk;

use crate::device::{create_set_layout, Device};
use crate::error::Error;
use crate::physical::Limits;
use crate::pipeline::cache::Cache;
use crate::pipeline::compute_pipeline::{Created, PipelineBuilder};
use crate::pipeline::stage::{create_layout, Compile, DeviceRef, Stage};

/// Creates a pipeline, if other threads submit or the compile device is open, from `known`, cache data from an earlier process,
/// or from cache data that the compile device makes. Returns `None` if no other thread submits and the compile device is not
/// open, or if both kinds of data are of no use: then the device itself has to compile.
pub(super) fn create(
    device: &Device,
    builder: &mut PipelineBuilder<'_>,
    known: &[u8],
) -> Result<Option<Created>, Error> {
    if !device.code.is_shared() && !device.has_compile_device() {
        return Ok(None);
    }
    if !known.is_empty() {
        let cache = Cache::new(&device.raw, known)?;
        if let Some(pipeline) = builder.create(cache.raw, Compile::Refused)? {
            return Ok(Some(Created { pipeline, learnt: Vec::new() }));
        }
    }
    let start = Instant::now();
    let Some(data) = compile(device, builder) else { return Ok(None) };
    builder.precompiled = Some(start.elapsed());
    let cache = Cache::new(&device.raw, &data)?;
    let made = builder.create(cache.raw, Compile::Refused)?;
    Ok(made.map(|pipeline| Created { pipeline, learnt: data }))
}

/// Returns the cache data of the pipeline, made by the compile device. Failures are not reported: the device itself compiles
/// then, and reports its own failure.
fn compile(device: &Device, builder: &PipelineBuilder<'_>) -> Option<Vec<u8>> {
    let raw = device.compile_device.get(&device.physical)?;
    let (features, parts) = (&device.info().features, device.allows_parts());
    let device_ref = DeviceRef { raw, features, parts, fault: &Error::from_vk };
    // SAFETY: the words come from the builder's description, a valid module for a device with the same features.
    let data = unsafe { compile_on(device_ref, builder, &device.info().limits) };
    device.compile_device.delay();
    data.inspect_err(|e| tracing::debug!("the compile device: {e}")).ok()
}

/// # Safety
/// The builder's words are a valid module for the device.
unsafe fn compile_on(
    device_ref: DeviceRef<'_>,
    builder: &PipelineBuilder<'_>,
    limits: &Limits,
) -> Result<Vec<u8>, Error> {
    // SAFETY: as the caller promises.
    let stage = unsafe { Stage::new(device_ref, builder.desc) }?;
    let set = match builder.desc.uses_images {
        true => Some(create_set_layout(device_ref.raw, limits, device_ref.fault)?),
        false => None,
    };
    let layout = create_layout(device_ref, builder.push_constant_size, set)?;
    let cache = Cache::new(device_ref.raw, &[]);
    let made = cache.and_then(|cache| {
        let made = stage.create_pipeline(layout, cache.raw, Compile::Allowed)?;
        Ok((made.raw(), cache.data()))
    });
    let pipeline = made.as_ref().map_or(vk::Pipeline::null(), |(pipeline, _)| *pipeline);
    // SAFETY: both are known here only, and nothing was submitted; the pipeline may be null.
    unsafe {
        device_ref.raw.destroy_pipeline(pipeline, None);
        device_ref.raw.destroy_pipeline_layout(layout, None);
        device_ref.raw.destroy_descriptor_set_layout(set.unwrap_or_default(), None);
    }
    made.map(|(_, data)| data)
}
