//! The shader stage of a pipeline on one Vulkan device, and the call of vkCreateComputePipelines with it: on the device that
//! runs the pipeline, or on its compile device.

use std::ffi::CString;

use ash::vk;

use crate::device::PipelineDesc;
use crate::error::Error;
use crate::physical::Features;
use crate::pipeline::statistics;

/// A Vulkan device that pipelines are created on.
#[derive(Clone, Copy)]
pub(super) struct DeviceRef<'a> {
    pub(super) raw: &'a ash::Device,
    /// The features that are enabled.
    pub(super) features: &'a Features,
    /// True if the device's pipelines can be dispatched in parts.
    pub(super) parts: bool,
    /// Makes an error from the name and the result of a call.
    pub(super) fault: &'a dyn Fn(&'static str, vk::Result) -> Error,
}

/// A shader module with its entry point and specialization.
pub(super) struct Stage<'a> {
    device_ref: DeviceRef<'a>,
    d: &'a PipelineDesc<'a>,
    entry: CString,
    module: vk::ShaderModule,
}

/// Whether the driver may compile to create a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compile {
    /// The driver compiles a pipeline that is not in the cache.
    Allowed,
    /// The driver creates the pipeline from the cache or not at all, if it can be told so (pipelineCreationCacheControl).
    Refused,
}

/// The result of creating a pipeline.
pub(super) enum Made {
    Pipeline {
        raw: vk::Pipeline,
        /// True if the driver found the pipeline in the cache; `None` where the driver does not report it.
        found: Option<bool>,
    },
    /// The pipeline is not in the cache, and compiling was refused.
    CompileRequired,
}

impl Made {
    /// Returns the pipeline; null if there is none.
    pub(super) fn raw(&self) -> vk::Pipeline {
        match self {
            Made::Pipeline { raw, .. } => *raw,
            Made::CompileRequired => vk::Pipeline::null(),
        }
    }
}

impl<'a> Stage<'a> {
    /// # Safety
    /// The words are a valid module for the device, if they are a module at all.
    pub(super) unsafe fn new(
        device_ref: DeviceRef<'a>,
        d: &'a PipelineDesc<'a>,
    ) -> Result<Stage<'a>, Error> {
        let entry = CString::new(d.entry)
            .map_err(|_| Error::Invalid("an entry point's name contains NUL".into()))?;
        if d.spirv.len() < hekla_spirv::HEADER || d.spirv[0] != hekla_spirv::MAGIC_NUMBER {
            return Err(Error::Invalid("not a SPIR-V module".into()));
        }
        let info = vk::ShaderModuleCreateInfo::default().code(d.spirv);
        // SAFETY: the words are a SPIR-V module, and a valid one, as the caller promises.
        let module = unsafe { device_ref.raw.create_shader_module(&info, None) }
            .map_err(|e| (device_ref.fault)("vkCreateShaderModule", e))?;
        Ok(Stage { device_ref, d, entry, module })
    }

    /// Creates the pipeline with a layout and from a cache of the same Vulkan device.
    pub(super) fn create_pipeline(
        &self,
        layout: vk::PipelineLayout,
        cache: vk::PipelineCache,
        compile: Compile,
    ) -> Result<Made, Error> {
        let features = self.device_ref.features;
        let mut entries = Vec::with_capacity(self.d.specialization.len());
        let mut values = Vec::with_capacity(self.d.specialization.len() * 4);
        for (id, value) in self.d.specialization {
            let offset = values.len() as u32;
            entries.push(vk::SpecializationMapEntry { constant_id: *id, offset, size: 4 });
            values.extend_from_slice(&value.to_ne_bytes());
        }
        let special = vk::SpecializationInfo::default().map_entries(&entries).data(&values);
        let demand = self.d.subgroups;
        let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
            .required_subgroup_size(demand.size.unwrap_or(0));
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.module)
            .name(&self.entry)
            .specialization_info(&special);
        if demand.size.is_some() && features.subgroup_size_control {
            stage = stage.push_next(&mut size);
        }
        if demand.full && features.compute_full_subgroups {
            stage = stage.flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS);
        }
        let mut feedbacks = [vk::PipelineCreationFeedback::default(); 2];
        let [of_pipeline, of_stage] = &mut feedbacks;
        let mut feedback = vk::PipelineCreationFeedbackCreateInfo::default()
            .pipeline_creation_feedback(of_pipeline)
            .pipeline_stage_creation_feedbacks(std::slice::from_mut(of_stage));
        let mut info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        if features.pipeline_creation_feedback {
            info = info.push_next(&mut feedback);
        }
        if compile == Compile::Refused && features.pipeline_creation_cache_control {
            info.flags |= vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
        }
        if self.device_ref.parts {
            info.flags |= vk::PipelineCreateFlags::DISPATCH_BASE;
        }
        if statistics::wanted(features) {
            info.flags |= vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR;
        }
        let fault = |e| (self.device_ref.fault)("vkCreateComputePipelines", e);
        // SAFETY: module and layout are alive, the chain outlives the call; the cache synchronizes itself.
        let made = unsafe { self.device_ref.raw.create_compute_pipelines(cache, &[info], None) };
        match made {
            Ok(made) if !made.is_empty() && made[0] != vk::Pipeline::null() => {
                Ok(Made::Pipeline { raw: made[0], found: found(&feedbacks) })
            }
            Ok(_) => Err(fault(vk::Result::ERROR_UNKNOWN)),
            Err((_, vk::Result::PIPELINE_COMPILE_REQUIRED)) => Ok(Made::CompileRequired),
            Err((_, e)) => Err(fault(e)),
        }
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        // SAFETY: pipelines do not need their module once they are created.
        unsafe { self.device_ref.raw.destroy_shader_module(self.module, None) }
    }
}

/// Creates a pipeline layout with `size` bytes of push constants, which the device supports, and with a layout of the
/// descriptor set.
pub(super) fn create_layout(
    device_ref: DeviceRef<'_>,
    size: u32,
    set: Option<vk::DescriptorSetLayout>,
) -> Result<vk::PipelineLayout, Error> {
    let ranges =
        [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(size)];
    let ranges = if size == 0 { &ranges[..0] } else { &ranges[..] };
    let info = vk::PipelineLayoutCreateInfo::default()
        .push_constant_ranges(ranges)
        .set_layouts(set.as_slice());
    // SAFETY: the range is within the device's limit; `info` outlives the call.
    unsafe { device_ref.raw.create_pipeline_layout(&info, None) }
        .map_err(|e| (device_ref.fault)("vkCreatePipelineLayout", e))
}

/// Returns true if the pipeline or, where the driver does not report that, its only stage was found in the cache.
fn found(feedbacks: &[vk::PipelineCreationFeedback]) -> Option<bool> {
    use vk::PipelineCreationFeedbackFlags as Flags;
    let mut valid =
        feedbacks.iter().map(|t| t.flags).filter(|flags| flags.contains(Flags::VALID)).peekable();
    valid.peek()?;
    Some(valid.any(|flags| flags.contains(Flags::APPLICATION_PIPELINE_CACHE_HIT)))
}
