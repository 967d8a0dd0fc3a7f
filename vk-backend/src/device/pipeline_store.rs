//! The description of pipelines, and the store for their cache data: plain data and one trait.

use std::fmt;
use std::time::Duration;

use crate::physical::DeviceInfo;

/// The description of a pipeline.
#[derive(Debug, Clone, Copy)]
pub struct PipelineDesc<'a> {
    /// A valid SPIR-V module for Vulkan.
    pub spirv: &'a [u32],
    /// Name of the module's entry point.
    pub entry: &'a str,
    /// The pipeline's name in logs.
    pub name: &'a str,
    /// 32-bit specialization constants: id and value.
    pub specialization: &'a [(u32, u32)],
    /// Bytes of push constants that the module declares; 0 when none.
    pub push_constant_size: u32,
    /// True if the module uses the device's descriptor set ([`crate::Binding`]).
    pub uses_images: bool,
    /// The pipeline's demands on subgroups.
    pub subgroups: SubgroupDemand,
}

/// Demands of a pipeline on subgroups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SubgroupDemand {
    /// Invocations of a subgroup, where subgroup size control allows a choice; `None` for the device's own number
    /// ([`crate::Features::subgroup_size`]). The work-group has at most [`crate::Features::max_workgroup_subgroups`] subgroups.
    pub size: Option<u32>,
    /// True if all subgroups are full: the work-group's size in x is a multiple of the subgroup's size.
    pub full: bool,
}

/// Stores pipeline cache data for later processes: see [`crate::Device::set_pipeline_store`].
pub trait PipelineStore: Send + Sync {
    /// Returns the data that [`PipelineStore::store`] was last given for the same pipeline of the same device and driver. The
    /// data must be complete and unchanged: drivers trust it.
    fn load(&self, info: &DeviceInfo, d: &PipelineDesc<'_>) -> Option<Vec<u8>>;

    /// Stores a pipeline's cache data.
    fn store(&self, info: &DeviceInfo, d: &PipelineDesc<'_>, data: &[u8]);
}

/// How a pipeline was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Creation {
    /// Bytes of cache data from an earlier process that the driver was given.
    pub given: usize,
    /// True if the driver found the pipeline in that data (APPLICATION_PIPELINE_CACHE_HIT); `None` where the driver does not
    /// report it (VK_EXT_pipeline_creation_feedback).
    pub found: Option<bool>,
    /// Duration of the creation, from the SPIR-V module on.
    pub duration: Duration,
    /// How a second Vulkan device compiled the pipeline; `None` if none did.
    pub precompiled: Option<Precompiled>,
}

/// How a second Vulkan device compiled a pipeline ([`crate::Quirks::SERIALIZED_PIPELINES`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Precompiled {
    /// Duration of the compilation; the first time with the opening of the device.
    pub duration: Duration,
    /// True if the pipeline was created from the second device's cache data; false if it was compiled once more.
    pub used: bool,
}

impl fmt::Display for Creation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
        write!(f, "{:.3} ms; ", ms(self.duration))?;
        if let Some(Precompiled { duration, used }) = self.precompiled {
            let what = if used { "" } else { ", in vain" };
            write!(f, "{:.3} ms of it on the compile device{what}; ", ms(duration))?;
        }
        let what = match (self.given, self.found) {
            (0, _) => return write!(f, "nothing was known of it"),
            (_, Some(true)) => "found it",
            (_, Some(false)) => "did not find it",
            (_, None) => "does not tell whether it found it",
        };
        write!(f, "the driver {what} in the {} bytes that were known of it", self.given)
    }
}
