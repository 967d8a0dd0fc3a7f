//! Functions of the device extensions that are enabled.

use ash::{amd, ext, khr, vk};

use crate::config::{self, Validation};
use crate::physical::PhysicalDevice;
use hekla_device::Quirks;

/// Function tables of extensions; `None` where a device lacks the extension or the extension is of no use.
pub(crate) struct ExtensionFunctions {
    pub(crate) host_import: Option<ext::external_memory_host::Device>,
    pub(crate) memory_fd: Option<khr::external_memory_fd::Device>,
    pub(crate) semaphore_fd: Option<khr::external_semaphore_fd::Device>,
    pub(crate) executables: Option<khr::pipeline_executable_properties::Device>,
    pub(crate) fault: Option<ext::device_fault::Device>,
    pub(crate) completion_markers: Option<MarkerWriter>,
}

impl ExtensionFunctions {
    pub(crate) fn load(p: &PhysicalDevice, raw: &ash::Device) -> ExtensionFunctions {
        let (instance, f) = (&p.instance.raw, &p.info.features);
        ExtensionFunctions {
            host_import: f
                .external_memory_host
                .then(|| ext::external_memory_host::Device::new(instance, raw)),
            memory_fd: (!f.external.memory_import.is_empty())
                .then(|| khr::external_memory_fd::Device::new(instance, raw)),
            semaphore_fd: f
                .external
                .has_semaphores()
                .then(|| khr::external_semaphore_fd::Device::new(instance, raw)),
            executables: f
                .pipeline_executable_info
                .then(|| khr::pipeline_executable_properties::Device::new(instance, raw)),
            fault: f.device_fault.then(|| ext::device_fault::Device::new(instance, raw)),
            completion_markers: MarkerWriter::choose(p, raw),
        }
    }
}

/// The command that writes completion markers, see [`crate::sync::CompletionMarker`].
pub(crate) enum MarkerWriter {
    /// vkCmdWriteBufferMarkerAMD: written when all earlier commands are complete.
    BufferMarker(amd::buffer_marker::Device),
    /// vkCmdFillBuffer behind a barrier, which any device supports, but which is slower.
    Fill,
}

impl MarkerWriter {
    /// Returns the writer of completion markers for a device whose driver is known to allow them
    /// ([`Quirks::COMPLETION_MARKERS`]), or for any device if the environment says so. `None` with the validation layer, which
    /// rightly reports that nothing in Vulkan allows them.
    fn choose(p: &PhysicalDevice, raw: &ash::Device) -> Option<MarkerWriter> {
        let has_extension = p.info.features.buffer_marker;
        let proven = p.info.quirks.contains(Quirks::COMPLETION_MARKERS) && has_extension;
        let wanted = config::completion_markers().unwrap_or(proven);
        if !wanted || config::validation() != Validation::Off {
            return None;
        }
        let marker = || amd::buffer_marker::Device::new(&p.instance.raw, raw);
        Some(match has_extension {
            true => MarkerWriter::BufferMarker(marker()),
            false => MarkerWriter::Fill,
        })
    }

    /// Returns the stage that completes before the marker is written.
    pub(crate) const STAGE: vk::PipelineStageFlags = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
}
