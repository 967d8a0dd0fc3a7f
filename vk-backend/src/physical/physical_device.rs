//! Physical devices: the properties that the driver reports before a device is opened.

use std::sync::Arc;

use ash::{ext, khr, vk};

use crate::config::{self, Fault};
use crate::fault_injection::FaultPlan;
use crate::physical::copy_family::CopyFamily;
use crate::physical::device_info::{DeviceInfo, DeviceType};
use crate::physical::extensions::Extensions;
use crate::physical::external::External;
use crate::physical::features::FeatureChain;
use crate::physical::from_properties::text;
use crate::physical::instance::Instance;
use crate::physical::limits::{Limits, BUFFER_USAGE};
use crate::physical::memory_types::MemoryTypes;
use crate::physical::properties::Properties;
use crate::platform::TIME_DOMAIN;
use hekla_device::{Driver, DriverId, Quirks};

/// Vulkan queues that are opened on a device, unless the environment says otherwise. NVIDIA's driver takes 20 ms to open each,
/// and 8 ms to close it.
const VULKAN_QUEUES: u32 = 4;
/// The most Vulkan queues that are opened: with more than four, one has high and one has low priority.
const MAX_VULKAN_QUEUES: u32 = 6;

/// A device of an instance, not yet opened.
#[derive(Clone)]
pub struct PhysicalDevice {
    /// The device's description.
    pub info: DeviceInfo,
    pub(crate) instance: Arc<Instance>,
    pub(crate) raw: vk::PhysicalDevice,
    /// The lesser one of the device's and the instance's version.
    pub(crate) usable_version: u32,
    pub(crate) extensions: Extensions,
    /// Family of the queues that [`crate::Device::open`] creates.
    pub(crate) queue_family: u32,
    /// The family of queues for copies alone, if the device is opened with such queues.
    pub(crate) copy_family: Option<CopyFamily>,
    /// The queue that binds memory to sparse buffers.
    bind_queue: Option<BindQueue>,
    /// The loss that is planned for the device.
    pub(crate) faults: FaultPlan,
}

/// The queue that sparse binding uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BindQueue {
    /// The only queue that is opened of another family than the compute queues'.
    Other(u32),
    /// The last compute queue.
    Shared,
}

impl std::fmt::Debug for PhysicalDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PhysicalDevice").field("info", &self.info).finish_non_exhaustive()
    }
}

impl Instance {
    /// Returns every physical device, usable or not (see [`DeviceInfo::refusal`]), in the loader's order.
    pub fn physical_devices(self: &Arc<Self>) -> Vec<PhysicalDevice> {
        // SAFETY: the instance is alive.
        let found = unsafe { self.raw.enumerate_physical_devices() }.unwrap_or_default();
        let mut devices: Vec<_> = found.into_iter().map(|raw| describe(self, raw)).collect();
        // Queues take time to open: queues for copies are opened only if there is another GPU to copy to and from.
        let is_gpu =
            |d: &&PhysicalDevice| d.info.refusal.is_none() && d.info.device_type != DeviceType::Cpu;
        if devices.iter().filter(is_gpu).count() < 2 {
            devices.iter_mut().for_each(|device| device.copy_family = None);
        }
        devices
    }
}

/// Describes the device `raw` of `instance`.
fn describe(instance: &Arc<Instance>, raw: vk::PhysicalDevice) -> PhysicalDevice {
    // SAFETY: `raw` was enumerated from this living instance.
    let mut core = unsafe { instance.raw.get_physical_device_properties(raw) };
    let mut extensions = device_extensions(instance, raw);
    if let Some(file) = &instance.limit_to {
        core.api_version = file.common_version(core.api_version);
        let mut limits = Properties { core: core.limits, ..Properties::default() };
        file.restrict_properties(&mut limits);
        core.limits = limits.core;
        extensions = file.common_extensions(&extensions);
    }
    let mut device = PhysicalDevice {
        info: basic_info(&core),
        instance: instance.clone(),
        raw,
        usable_version: core.api_version.min(instance.api_version),
        extensions,
        queue_family: 0,
        copy_family: None,
        bind_queue: None,
        faults: FaultPlan::from_environment(),
    };
    device.info.limited_to =
        instance.limit_to.as_ref().map(|file| (file.name.clone(), file.digest()));
    device.info.memory = device.memory_types().info();
    let has_compute = device.choose_queue_family();
    // The least version with the structures that are queried below is 1.2.0; versions have patch numbers.
    if core.api_version >= vk::API_VERSION_1_2 {
        device.query_features();
        device.query_properties();
        device.query_matrices();
        device.query_host_import();
        device.info.features.external = External::query(&instance.raw, raw, &device.extensions);
    }
    device.info.quirks = Quirks::of(&Driver {
        id: DriverId(device.info.driver_id as i32),
        version: device.info.driver_version,
        info: &device.info.driver_info,
        is_discrete: core.device_type == vk::PhysicalDeviceType::DISCRETE_GPU,
    });
    if let Some(file) = &instance.limit_to {
        device.info.quirks |= file.quirks;
    }
    match config::fault() {
        Some(Fault::Subgroups) => {
            device.info.quirks.remove(Quirks::SUBGROUPS_IN_ORDER | Quirks::SUBGROUPS_PROGRESS)
        }
        Some(Fault::Exit) => device.info.quirks.insert(Quirks::EXIT_ENDS_DRIVER),
        _ => {}
    }
    device.info.refusal = refusal(&device.info, has_compute);
    device
}

/// Returns the properties that Vulkan 1.0 reports for a device.
fn basic_info(p: &vk::PhysicalDeviceProperties) -> DeviceInfo {
    DeviceInfo {
        name: text(&p.device_name),
        vendor_id: p.vendor_id,
        device_id: p.device_id,
        driver_version: p.driver_version,
        api_version: p.api_version,
        device_type: DeviceType::from_vk(p.device_type),
        pipeline_cache_uuid: p.pipeline_cache_uuid,
        limits: Limits::from_core(&p.limits),
        ..DeviceInfo::unknown()
    }
}

fn device_extensions(instance: &Instance, raw: vk::PhysicalDevice) -> Extensions {
    // SAFETY: `raw` belongs to the living instance.
    let list = unsafe { instance.raw.enumerate_device_extension_properties(raw) };
    let list = list.unwrap_or_default();
    Extensions::new(list.iter().filter_map(|p| Some(p.extension_name_as_c_str().ok()?.to_owned())))
}

impl PhysicalDevice {
    /// Queries the device's memory types.
    pub(crate) fn memory_types(&self) -> MemoryTypes {
        // SAFETY: the physical device belongs to the living instance.
        let mut types =
            unsafe { self.instance.raw.get_physical_device_memory_properties(self.raw) };
        if let Some(file) = &self.instance.limit_to {
            file.restrict_heaps(&mut types);
        }
        let device_type = self.info.device_type;
        let shares = matches!(device_type, DeviceType::Cpu | DeviceType::IntegratedGpu);
        MemoryTypes::new(types, shares)
    }

    /// Chooses a queue family with compute, preferably one without graphics: its queues run beside graphics.
    /// Returns false if there is none.
    fn choose_queue_family(&mut self) -> bool {
        let instance = &self.instance.raw;
        // SAFETY: the physical device belongs to the living instance.
        let mut families =
            unsafe { instance.get_physical_device_queue_family_properties(self.raw) };
        if let Some(file) = &self.instance.limit_to {
            for family in &mut families {
                family.queue_count = file.common_queue_count(family.queue_count);
                family.timestamp_valid_bits =
                    file.common_timestamp_bits(family.timestamp_valid_bits);
            }
        }
        let compute = |f: &&(usize, &vk::QueueFamilyProperties)| {
            f.1.queue_count > 0 && f.1.queue_flags.contains(vk::QueueFlags::COMPUTE)
        };
        let draws =
            |f: &vk::QueueFamilyProperties| f.queue_flags.contains(vk::QueueFlags::GRAPHICS);
        self.info.has_graphics = families.iter().any(draws);
        let candidates: Vec<_> = families.iter().enumerate().collect();
        let best = candidates
            .iter()
            .filter(compute)
            .find(|f| !draws(f.1))
            .or_else(|| candidates.iter().find(compute));
        let Some((index, family)) = best else { return false };
        self.queue_family = *index as u32;
        let bits = config::timestamp_bits().unwrap_or(u32::MAX);
        self.info.limits.timestamp_valid_bits = family.timestamp_valid_bits.min(bits);
        let most = config::queues().unwrap_or(VULKAN_QUEUES).clamp(1, MAX_VULKAN_QUEUES);
        self.info.limits.queue_count = family.queue_count.min(most);
        self.bind_queue = self.choose_bind_queue(&families);
        self.copy_family = CopyFamily::find(
            &families,
            match self.bind_queue {
                Some(BindQueue::Other(family)) => Some(family),
                _ => None,
            },
        );
        true
    }

    /// Returns the family of the queue that binds memory to sparse buffers, if it is not a family of compute queues.
    pub(crate) fn other_bind_family(&self) -> Option<u32> {
        match self.bind_queue {
            Some(BindQueue::Other(family)) if self.info.features.sparse_binding => Some(family),
            _ => None,
        }
    }

    /// Chooses the queue that binds memory to sparse buffers: a queue that is opened in any case, since another one would cost
    /// time whenever a device is opened, and such buffers are rare.
    fn choose_bind_queue(&self, families: &[vk::QueueFamilyProperties]) -> Option<BindQueue> {
        let binds = |f: &vk::QueueFamilyProperties| {
            f.queue_count > 0 && f.queue_flags.contains(vk::QueueFlags::SPARSE_BINDING)
        };
        if families.get(self.queue_family as usize).is_some_and(binds) {
            return Some(BindQueue::Shared);
        }
        let other = families.iter().position(binds)?;
        Some(BindQueue::Other(other as u32))
    }

    /// Queries features. Must be called on a device of Vulkan 1.2 or later.
    pub(super) fn feature_chain(&self) -> FeatureChain {
        let mut chain = FeatureChain::new(self.usable_version, &self.extensions);
        let mut head = chain.link();
        // SAFETY: the chain holds only structures that the device knows and outlives the call.
        unsafe { self.instance.raw.get_physical_device_features2(self.raw, &mut head) };
        let core = head.features;
        chain.core = core;
        if let Some(file) = &self.instance.limit_to {
            file.restrict_features(&mut chain);
        }
        chain
    }

    fn query_features(&mut self) {
        self.info.features = self.feature_chain().read();
        self.info.features.spirv_version = spirv_version(self.usable_version);
        self.info.features.non_semantic_info = self.usable_version >= vk::API_VERSION_1_3
            || self.extensions.has(khr::shader_non_semantic_info::NAME);
        self.info.features.calibrated_timestamps = self.has_calibrated_timestamps();
        self.info.features.pipeline_creation_feedback = self.usable_version >= vk::API_VERSION_1_3
            || self.extensions.has(ext::pipeline_creation_feedback::NAME);
        self.info.features.buffer_marker = self.extensions.has(ash::amd::buffer_marker::NAME);
        self.info.features.sparse_binding &= self.bind_queue.is_some();
    }

    /// Queries properties. Must be called on a device of Vulkan 1.2 or later.
    pub(super) fn properties(&self) -> Properties {
        let instance = &self.instance.raw;
        let mut p = Properties::query(instance, self.raw, self.usable_version, &self.extensions);
        if let Some(file) = &self.instance.limit_to {
            file.restrict_properties(&mut p);
        }
        p
    }

    fn query_properties(&mut self) {
        self.info.take_properties(&self.properties());
    }

    /// Returns true if the device's clock and CLOCK_MONOTONIC can be read together.
    fn has_calibrated_timestamps(&self) -> bool {
        let (entry, instance) = (&self.instance.entry, &self.instance.raw);
        // SAFETY: each function is called only where the device offers its extension.
        let domains = unsafe {
            if self.extensions.has(ext::calibrated_timestamps::NAME) {
                ext::calibrated_timestamps::Instance::new(entry, instance)
                    .get_physical_device_calibrateable_time_domains(self.raw)
            } else if self.extensions.has(khr::calibrated_timestamps::NAME) {
                khr::calibrated_timestamps::Instance::new(entry, instance)
                    .get_physical_device_calibrateable_time_domains(self.raw)
            } else {
                return false;
            }
        };
        let domains = domains.unwrap_or_default();
        domains.contains(&vk::TimeDomainKHR::DEVICE) && domains.contains(&TIME_DOMAIN)
    }

    /// Queries whether buffers can be made of the host's memory (VK_EXT_external_memory_host).
    fn query_host_import(&mut self) {
        if !self.extensions.has(ext::external_memory_host::NAME) {
            return;
        }
        let info = vk::PhysicalDeviceExternalBufferInfo::default()
            .usage(BUFFER_USAGE)
            .handle_type(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT);
        let mut answer = vk::ExternalBufferProperties::default();
        let instance = &self.instance.raw;
        // SAFETY: the device has VK_EXT_external_memory_host, and Vulkan 1.1.
        unsafe {
            instance.get_physical_device_external_buffer_properties(self.raw, &info, &mut answer);
        }
        let importable = answer
            .external_memory_properties
            .external_memory_features
            .contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE);
        let aligned = self.info.limits.min_imported_host_pointer_alignment > 0;
        self.info.features.external_memory_host = importable && aligned;
        self.info.memory.host_import = importable && aligned;
    }
}

/// Returns the highest SPIR-V version that a Vulkan version accepts.
pub(crate) fn spirv_version(vulkan: u32) -> u32 {
    match vulkan >= vk::API_VERSION_1_3 {
        true => 0x0001_0600,
        false => 0x0001_0500,
    }
}

/// Returns the reason why a device cannot be used, as the rest of a sentence that begins with its name.
pub(crate) fn refusal(info: &DeviceInfo, has_compute: bool) -> Option<String> {
    let (version, f) = (info.api_version, &info.features);
    if version < vk::API_VERSION_1_2 {
        return Some(format!(
            "offers Vulkan {}.{}; Hekla needs 1.2",
            vk::api_version_major(version),
            vk::api_version_minor(version)
        ));
    }
    let needed = [
        (has_compute, "a queue that computes"),
        (f.buffer_device_address, "bufferDeviceAddress"),
        (f.timeline_semaphore, "timelineSemaphore"),
        (info.memory.device_local_bytes > 0, "device-local memory"),
        (info.memory.host_visible_bytes > 0, "host-visible memory"),
    ];
    let missing: Vec<_> =
        needed.iter().filter(|(there, _)| !there).map(|(_, name)| *name).collect();
    (!missing.is_empty()).then(|| format!("lacks {}, which Hekla needs", missing.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_missing_is_named() {
        let mut info = basic_info(&vk::PhysicalDeviceProperties::default());
        info.api_version = vk::API_VERSION_1_1;
        assert_eq!(refusal(&info, true).unwrap(), "offers Vulkan 1.1; Hekla needs 1.2");
        info.api_version = vk::API_VERSION_1_2;
        info.features.buffer_device_address = true;
        info.memory.host_visible_bytes = 1;
        let missing = "lacks timelineSemaphore and device-local memory, which Hekla needs";
        assert_eq!(refusal(&info, true).unwrap(), missing);
        info.features.timeline_semaphore = true;
        info.memory.device_local_bytes = 1;
        assert_eq!(refusal(&info, true), None);
        assert!(refusal(&info, false).unwrap().contains("a queue that computes"));
    }
}
