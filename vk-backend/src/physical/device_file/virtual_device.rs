//! The device that a file describes, for compilers and tests, without the device itself.

use ash::{ext, khr, vk};

use super::names::{Common, Slot, FEATURES, FLAGS, LIMITS};
use super::DeviceFile;
use crate::physical::device_info::{DeviceInfo, DeviceType};
use crate::physical::extensions::Extensions;
use crate::physical::features::FeatureChain;
use crate::physical::format::TexelBufferSupport;
use crate::physical::format::{self, Format, FormatSupport, ImageKind, ImageSupport};
use crate::physical::found::{FloatControls, Probe};
use crate::physical::limits::{Limits, MemoryInfo};
use crate::physical::physical_device::{refusal, spirv_version};
use crate::physical::properties::Properties;
use hekla_device::{Driver, DriverId, Quirks};

/// A device that a file describes. Facts that only a driver reports (names of devices, memory types) are made up.
#[derive(Debug, Clone)]
pub struct FileDevice {
    /// The device's description.
    pub info: DeviceInfo,
    /// The results of kernels that ran on the device, if the file has them.
    pub probe: Option<Probe>,
    file: DeviceFile,
}

impl DeviceFile {
    /// Returns the device that the file describes.
    pub fn device(&self) -> FileDevice {
        let p = self.properties();
        let mut info = DeviceInfo {
            name: self.device.clone(),
            api_version: self.version,
            limits: Limits::from_core(&p.core),
            ..DeviceInfo::unknown()
        };
        info.features = self.chain().read();
        let v13 = self.version >= vk::API_VERSION_1_3;
        let has =
            |name: &std::ffi::CStr| self.extensions.iter().any(|e| e.as_bytes() == name.to_bytes());
        info.features.spirv_version = spirv_version(self.version);
        info.features.non_semantic_info = v13 || has(khr::shader_non_semantic_info::NAME);
        info.features.calibrated_timestamps =
            has(ext::calibrated_timestamps::NAME) || has(khr::calibrated_timestamps::NAME);
        info.features.pipeline_creation_feedback =
            v13 || has(ext::pipeline_creation_feedback::NAME);
        info.take_properties(&p);
        info.driver_name = self.driver.clone();
        self.identify(&mut info);
        let bytes = self.heap_bytes.unwrap_or(1 << 30);
        info.memory = MemoryInfo {
            device_local_bytes: bytes,
            host_visible_bytes: bytes,
            global_bytes: bytes,
            largest_heap_bytes: bytes,
            unified: true,
            ..MemoryInfo::default()
        };
        info.limits.queue_count = self.queue_count.unwrap_or(1);
        info.limits.timestamp_valid_bits = self.timestamp_valid_bits.unwrap_or(0);
        info.refusal = refusal(&info, true);
        let controls = FloatControls::offered(&info.features, info.quirks);
        let probe = self.probed.clone().map(|probe| Probe { controls, ..probe });
        FileDevice { info, probe, file: self.clone() }
    }

    /// Sets the identity of the driver, and the quirks.
    fn identify(&self, info: &mut DeviceInfo) {
        let identity = &self.identity;
        info.device_type = identity.device_type.unwrap_or(DeviceType::IntegratedGpu);
        info.driver_id = identity.driver.as_raw() as u32;
        info.driver_info = identity.info.clone();
        info.driver_version = identity.version;
        info.quirks = Quirks::of(&Driver {
            id: DriverId(identity.driver.as_raw()),
            version: identity.version,
            info: &identity.info,
            is_discrete: info.device_type == DeviceType::DiscreteGpu,
        }) | self.quirks;
    }

    /// Returns the features of the file that its version and extensions can have.
    fn chain(&self) -> FeatureChain {
        let extensions = self.extensions.iter().filter_map(|e| std::ffi::CString::new(*e).ok());
        let mut chain = FeatureChain::new(self.version, &Extensions::new(extensions));
        for (_, place) in FEATURES.iter().filter(|(name, _)| self.features.contains(name)) {
            if let Some(feature) = place(&mut chain) {
                *feature = vk::TRUE;
            }
        }
        chain
    }

    /// Returns the features that the file names although its version and extensions cannot have them.
    #[cfg(test)]
    pub(super) fn misplaced_features(&self) -> Vec<&'static str> {
        let mut chain = self.chain();
        let is_lost = |(name, place): &&super::names::FeatureRow| {
            // The chain leaves this feature out under the validation layer.
            let is_hidden = *name == "shaderMaximalReconvergence";
            self.features.contains(name) && !is_hidden && place(&mut chain).is_none()
        };
        FEATURES.iter().filter(is_lost).map(|row| row.0).collect()
    }

    /// Returns the properties of the file; a limit that the file does not state is as wide as possible.
    fn properties(&self) -> Properties {
        let mut p = Properties::default();
        for (_, place) in FLAGS {
            *place(&mut p) = vk::TRUE;
        }
        for (_, common, place) in LIMITS {
            let widest = match common {
                Common::Least => u64::MAX,
                Common::Greatest => 1,
            };
            match place(&mut p) {
                Slot::U32(limit) => *limit = widest as u32,
                Slot::U64(limit) => *limit = widest,
                Slot::Dimensions(limits) => *limits = [widest as u32; 3],
            }
        }
        let subgroups = self.subgroups;
        let [least, most] = subgroups.sizes.unwrap_or([subgroups.size; 2]);
        p.v11.subgroup_size = subgroups.size;
        p.v11.subgroup_supported_stages = vk::ShaderStageFlags::COMPUTE;
        p.v11.subgroup_supported_operations =
            vk::SubgroupFeatureFlags::from_raw(subgroups.operations.bits());
        p.subgroup.min_subgroup_size = least;
        p.subgroup.max_subgroup_size = most;
        p.subgroup.required_subgroup_size_stages = vk::ShaderStageFlags::COMPUTE;
        p.v12.denorm_behavior_independence = vk::ShaderFloatControlsIndependence::ALL;
        p.v12.rounding_mode_independence = vk::ShaderFloatControlsIndependence::ALL;
        self.restrict_properties(&mut p);
        p
    }

    /// Returns the uses of a format for images and buffers.
    fn format(&self, format: Format) -> vk::FormatProperties {
        let mut properties = vk::FormatProperties {
            optimal_tiling_features: vk::FormatFeatureFlags::from_raw(u32::MAX),
            buffer_features: vk::FormatFeatureFlags::from_raw(u32::MAX),
            ..Default::default()
        };
        self.restrict_format(format.0, &mut properties);
        properties
    }
}

impl FormatSupport for FileDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn texel_buffer_support(&self, format: Format) -> TexelBufferSupport {
        format::texel_buffer_support(&self.info, &self.file.format(format))
    }

    fn image_support(&self, kind: ImageKind, format: Format) -> Option<ImageSupport> {
        let largest = vk::ImageFormatProperties {
            max_extent: vk::Extent3D { width: u32::MAX, height: u32::MAX, depth: u32::MAX },
            max_array_layers: u32::MAX,
            max_mip_levels: 1,
            ..Default::default()
        };
        let support = |_| Some(largest);
        format::image_support(&self.info, kind, &self.file.format(format), support)
    }
}
