//! Device files: descriptions of other devices, as data. `HEKLA_LIMIT_TO` restricts a device to the features that a file has,
//! too; the offline compiler compiles for the device that a file describes.
//!
//! A file names features, properties, limits and extensions as Vulkan does. The device lacks those features, extensions, and
//! properties that are true or false which the file does not name. A limit is not restricted if the file does not state it, and
//! a format is not lacking if the file does not say so. Quirks that a file names are those of a device in addition to its
//! driver's own: tests run on one driver what is emitted for another.

mod describe;
mod names;
mod parse;
mod probed;
mod shipped;
mod virtual_device;

use std::collections::hash_map::DefaultHasher;
use std::ffi::CStr;
use std::hash::{Hash, Hasher};
use std::path::Path;

use ash::vk;

use crate::error::Error;
use crate::files;
use crate::physical::device_info::DeviceType;
use crate::physical::extensions::Extensions;
use crate::physical::features::{FeatureChain, SubgroupOps};
use crate::physical::found::Probe;
use crate::physical::properties::Properties;
use hekla_device::Quirks;
use names::{Common, LimitRow, Slot, FEATURES, FLAGS};

pub use shipped::device_file_names;
pub use virtual_device::FileDevice;

/// Size in bytes of the largest file that is read.
const MAX_FILE: u64 = 16 << 20;

/// Must be enabled where a driver offers it, so no file removes this extension.
const PORTABILITY_SUBSET: &CStr = c"VK_KHR_portability_subset";

/// The description of a device, read from a file.
#[derive(Clone)]
pub struct DeviceFile {
    /// The name by which the file was asked for: a short name, or a path.
    pub name: String,
    /// The device that the file describes.
    pub device: String,
    /// The driver of the device that the file describes.
    pub driver: String,
    version: u32,
    extensions: Vec<&'static str>,
    features: Vec<&'static str>,
    flags: Vec<&'static str>,
    limits: Vec<(&'static LimitRow, [u64; 3])>,
    subgroups: Subgroups,
    /// denormBehaviorIndependence and roundingModeIndependence.
    independence: [Option<vk::ShaderFloatControlsIndependence>; 2],
    queue_count: Option<u32>,
    timestamp_valid_bits: Option<u32>,
    heap_bytes: Option<u64>,
    lacking_formats: Formats,
    identity: Identity,
    /// Quirks besides those of the driver.
    pub(crate) quirks: Quirks,
    /// The results of kernels that ran on the device, if the file has them, without execution modes.
    probed: Option<Probe>,
    digest: u64,
}

/// The identity of the driver, which decides its quirks; by default an unknown driver.
#[derive(Clone, Default)]
struct Identity {
    /// VkDriverId.
    driver: vk::DriverId,
    /// VkPhysicalDeviceProperties::driverVersion.
    version: u32,
    /// VkPhysicalDeviceDriverProperties::driverInfo.
    info: String,
    /// `None` for an integrated GPU.
    device_type: Option<DeviceType>,
}

/// Sub-groups of compute shaders.
#[derive(Clone, Copy, Default)]
struct Subgroups {
    size: u32,
    /// Least and most work-items; `None` where no size can be asked for.
    sizes: Option<[u32; 2]>,
    operations: SubgroupOps,
}

/// The formats that a device lacks, by use.
#[derive(Clone, Default)]
struct Formats {
    sampled: Vec<vk::Format>,
    filtered: Vec<vk::Format>,
    storage: Vec<vk::Format>,
    uniform_texel_buffer: Vec<vk::Format>,
    storage_texel_buffer: Vec<vk::Format>,
}

impl DeviceFile {
    /// Reads a file: the shipped file of a short name, else the file at a path.
    ///
    /// # Errors
    /// [`Error::Invalid`] when there is no such file, or, with line and key, when the file has a mistake.
    pub fn find(name: &str) -> Result<DeviceFile, Error> {
        if let Some(text) = shipped::text(name) {
            return DeviceFile::parse(name, text);
        }
        let path = Path::new(name);
        if path.components().count() == 1 && path.extension().is_none() {
            let known = device_file_names().collect::<Vec<_>>().join(", ");
            return Err(Error::Invalid(format!(
                "there is no device file '{name}'; it is a path, or one of {known}"
            )));
        }
        let text = files::read_text(path, MAX_FILE)
            .map_err(|e| Error::Invalid(format!("the device file {name} cannot be read: {e}")))?;
        DeviceFile::parse(name, &text)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`Error::Invalid`], with the line and the key that are wrong.
    pub fn parse(name: &str, text: &str) -> Result<DeviceFile, Error> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let file = parse::parse(name, text).map_err(|e| Error::Invalid(format!("{name}: {e}")))?;
        Ok(DeviceFile { digest: hasher.finish(), ..file })
    }

    /// Returns a hash of the text, which distinguishes this file from others.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Returns the Vulkan version that a device of `version` is treated as having.
    pub(crate) fn common_version(&self, version: u32) -> u32 {
        version.min(self.version)
    }

    /// Returns those of the offered extensions that the file has, too.
    pub(crate) fn common_extensions(&self, offered: &Extensions) -> Extensions {
        offered.keep(|name| {
            name == PORTABILITY_SUBSET
                || self.extensions.iter().any(|e| e.as_bytes() == name.to_bytes())
        })
    }

    /// Turns off the features that the file lacks.
    pub(crate) fn restrict_features(&self, chain: &mut FeatureChain) {
        for (name, place) in FEATURES {
            if let Some(feature) = place(chain).filter(|_| !self.features.contains(name)) {
                *feature = vk::FALSE;
            }
        }
    }

    /// Restricts properties to those that the file has, too. The size of sub-groups stays the device's.
    pub(crate) fn restrict_properties(&self, p: &mut Properties) {
        for (name, place) in FLAGS {
            if !self.flags.contains(name) {
                *place(p) = vk::FALSE;
            }
        }
        for ((_, common, place), value) in &self.limits {
            match place(p) {
                Slot::U32(limit) => *limit = common.of(u64::from(*limit), value[0]) as u32,
                Slot::U64(limit) => *limit = common.of(*limit, value[0]),
                Slot::Dimensions(limits) => {
                    for (limit, value) in limits.iter_mut().zip(value) {
                        *limit = common.of(u64::from(*limit), *value) as u32;
                    }
                }
            }
        }
        let operations = self.subgroups.operations.bits();
        p.v11.subgroup_supported_operations &= vk::SubgroupFeatureFlags::from_raw(operations);
        if self.subgroups.sizes.is_none() {
            p.subgroup.required_subgroup_size_stages = vk::ShaderStageFlags::empty();
        }
        let [denorms, rounding] = self.independence;
        restrict_independence(&mut p.v12.denorm_behavior_independence, denorms);
        restrict_independence(&mut p.v12.rounding_mode_independence, rounding);
    }

    /// Returns how many of `count` queues the device is treated as having.
    pub(crate) fn common_queue_count(&self, count: u32) -> u32 {
        count.min(self.queue_count.unwrap_or(u32::MAX))
    }

    /// Returns how many of `bits` bits of timestamps the device is treated as having.
    pub(crate) fn common_timestamp_bits(&self, bits: u32) -> u32 {
        bits.min(self.timestamp_valid_bits.unwrap_or(u32::MAX))
    }

    /// Makes heaps no larger than the file's largest heap.
    pub(crate) fn restrict_heaps(&self, heaps: &mut vk::PhysicalDeviceMemoryProperties) {
        for heap in &mut heaps.memory_heaps {
            heap.size = heap.size.min(self.heap_bytes.unwrap_or(u64::MAX));
        }
    }

    /// Restricts a format's uses to those that the file has, too.
    pub(crate) fn restrict_format(&self, format: vk::Format, p: &mut vk::FormatProperties) {
        use vk::FormatFeatureFlags as Flags;
        let formats = &self.lacking_formats;
        let images = [
            (&formats.sampled, Flags::SAMPLED_IMAGE),
            (&formats.filtered, Flags::SAMPLED_IMAGE_FILTER_LINEAR),
            (&formats.storage, Flags::STORAGE_IMAGE),
        ];
        let buffers = [
            (&formats.uniform_texel_buffer, Flags::UNIFORM_TEXEL_BUFFER),
            (&formats.storage_texel_buffer, Flags::STORAGE_TEXEL_BUFFER),
        ];
        for (lacking, flag) in images {
            if lacking.contains(&format) {
                p.optimal_tiling_features &= !flag;
            }
        }
        for (lacking, flag) in buffers {
            if lacking.contains(&format) {
                p.buffer_features &= !flag;
            }
        }
    }
}

impl Common {
    fn of(self, a: u64, b: u64) -> u64 {
        match self {
            Common::Least => a.min(b),
            Common::Greatest => a.max(b),
        }
    }
}

/// Replaces the device's independence of widths by the file's if the latter is less.
fn restrict_independence(
    device: &mut vk::ShaderFloatControlsIndependence,
    file: Option<vk::ShaderFloatControlsIndependence>,
) {
    use vk::ShaderFloatControlsIndependence as Independence;
    let by_freedom = [Independence::NONE, Independence::TYPE_32_ONLY, Independence::ALL];
    let both = [*device, file.unwrap_or(Independence::NONE)];
    *device = by_freedom.into_iter().find(|i| both.contains(i)).unwrap_or(Independence::NONE);
}

impl std::fmt::Debug for DeviceFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceFile").field("name", &self.name).finish_non_exhaustive()
    }
}
