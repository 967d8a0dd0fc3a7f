//! Compute pipelines without descriptor sets: their arguments are push constants.

use std::ffi::CString;
use std::sync::Arc;
use std::time::Instant;

use ash::vk;

use crate::device::{Creation, Device, PipelineDesc};
use crate::error::Error;

/// A kernel that is ready to be dispatched.
pub struct Pipeline {
    device: Arc<Device>,
    pub(crate) raw: vk::Pipeline,
    pub(crate) layout: vk::PipelineLayout,
    /// Rounded up to a multiple of 4.
    push_constant_size: u32,
    creation: Creation,
}

impl Pipeline {
    /// Creates a pipeline. `cache` began with `given` bytes of data from an earlier process.
    ///
    /// # Safety
    /// As [`Device::create_pipeline`].
    pub(super) unsafe fn create(
        device: &Arc<Device>,
        d: &PipelineDesc<'_>,
        cache: vk::PipelineCache,
        given: usize,
    ) -> Result<Arc<Pipeline>, Error> {
        device.check_lost()?;
        let entry = CString::new(d.entry)
            .map_err(|_| Error::Invalid("an entry point's name contains NUL".into()))?;
        let push_constant_size = d.push_constant_size.next_multiple_of(4);
        let layout = layout(device, push_constant_size)?;
        // SAFETY: as the caller promises.
        let module = unsafe { create_module(device, d.spirv) }?;
        let start = Instant::now();
        let made = {
            let _guard = device.code.hold();
            create_raw(device, d, &entry, (module, layout), cache)
        };
        let duration = start.elapsed();
        // SAFETY: pipelines do not need their module once they are created.
        unsafe { device.raw.destroy_shader_module(module, None) };
        let (raw, found) = made?;
        let creation = Creation { given, found, duration };
        tracing::debug!("a pipeline took {creation}");
        let device = device.clone();
        Ok(Arc::new(Pipeline { device, raw, layout, push_constant_size, creation }))
    }

    /// Returns the most bytes of push constants that a dispatch may set: a multiple of 4.
    pub fn push_constant_size(&self) -> u32 {
        self.push_constant_size
    }

    /// Returns how it was created.
    pub fn creation(&self) -> Creation {
        self.creation
    }

    /// Returns the device it belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipeline").field("raw", &self.raw).finish_non_exhaustive()
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let _guard = self.device.code.hold();
        // SAFETY: this is the last owner; batches that use the pipeline own it too.
        unsafe { self.device.raw.destroy_pipeline(self.raw, None) }
    }
}

/// Returns the layout with `size` bytes of push constants and nothing else; created once.
fn layout(device: &Device, size: u32) -> Result<vk::PipelineLayout, Error> {
    let limit = device.info().limits.max_push_constants;
    if size > limit {
        return Err(Error::Unsupported(format!(
            "{size} bytes of push constants, the device has {limit}"
        )));
    }
    let mut layouts = device.layouts.lock();
    if let Some(layout) = layouts.get(&size) {
        return Ok(*layout);
    }
    let ranges =
        [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(size)];
    let ranges = if size == 0 { &ranges[..0] } else { &ranges[..] };
    let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(ranges);
    // SAFETY: the range is within the device's limit; `info` outlives the call.
    let layout = unsafe { device.raw.create_pipeline_layout(&info, None) }
        .map_err(|e| device.fault("vkCreatePipelineLayout", e))?;
    layouts.insert(size, layout);
    Ok(layout)
}

/// # Safety
/// The words are a valid module for the device, if they are a module at all.
unsafe fn create_module(device: &Device, spirv: &[u32]) -> Result<vk::ShaderModule, Error> {
    const MAGIC: u32 = 0x0723_0203;
    if spirv.len() < 5 || spirv[0] != MAGIC {
        return Err(Error::Invalid("not a SPIR-V module".into()));
    }
    let info = vk::ShaderModuleCreateInfo::default().code(spirv);
    // SAFETY: the words are a SPIR-V module, and a valid one, as the caller promises.
    unsafe { device.raw.create_shader_module(&info, None) }
        .map_err(|e| device.fault("vkCreateShaderModule", e))
}

/// Creates the pipeline; returns it with [`Creation::found`].
fn create_raw(
    device: &Device,
    d: &PipelineDesc<'_>,
    entry: &CString,
    (module, layout): (vk::ShaderModule, vk::PipelineLayout),
    cache: vk::PipelineCache,
) -> Result<(vk::Pipeline, Option<bool>), Error> {
    let mut entries = Vec::with_capacity(d.specialization.len());
    let mut values = Vec::with_capacity(d.specialization.len() * 4);
    for (id, value) in d.specialization {
        let offset = values.len() as u32;
        entries.push(vk::SpecializationMapEntry { constant_id: *id, offset, size: 4 });
        values.extend_from_slice(&value.to_ne_bytes());
    }
    let special = vk::SpecializationInfo::default().map_entries(&entries).data(&values);
    let stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module)
        .name(entry)
        .specialization_info(&special);
    let mut feedbacks = [vk::PipelineCreationFeedback::default(); 2];
    let [of_pipeline, of_stage] = &mut feedbacks;
    let mut feedback = vk::PipelineCreationFeedbackCreateInfo::default()
        .pipeline_creation_feedback(of_pipeline)
        .pipeline_stage_creation_feedbacks(std::slice::from_mut(of_stage));
    let mut info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
    if device.info().features.pipeline_creation_feedback {
        info = info.push_next(&mut feedback);
    }
    // SAFETY: module and layout are alive, the chain outlives the call; the cache synchronizes itself.
    let made = unsafe { device.raw.create_compute_pipelines(cache, &[info], None) };
    match made {
        Ok(pipelines) if !pipelines.is_empty() && pipelines[0] != vk::Pipeline::null() => {
            Ok((pipelines[0], found(&feedbacks)))
        }
        Ok(_) => Err(device.fault("vkCreateComputePipelines", vk::Result::ERROR_UNKNOWN)),
        Err((_, e)) => Err(device.fault("vkCreateComputePipelines", e)),
    }
}

/// Returns true if the pipeline or, where the driver does not report that, its only stage was found in the cache.
fn found(feedbacks: &[vk::PipelineCreationFeedback]) -> Option<bool> {
    use vk::PipelineCreationFeedbackFlags as Flags;
    let mut valid =
        feedbacks.iter().map(|t| t.flags).filter(|flags| flags.contains(Flags::VALID)).peekable();
    valid.peek()?;
    Some(valid.any(|flags| flags.contains(Flags::APPLICATION_PIPELINE_CACHE_HIT)))
}
