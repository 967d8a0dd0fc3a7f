//! Physical devices: the properties that the driver reports before one is opened.

use std::ffi::{c_char, CStr};
use std::sync::Arc;

use ash::{amd, ext, khr, nv, vk};

use crate::config::{self, Fault};
use crate::physical::device_info::{DeviceInfo, DeviceType, PciBusInfo};
use crate::physical::dot_products::DotProducts;
use crate::physical::extensions::Extensions;
use crate::physical::external::External;
use crate::physical::features::{FeatureChain, Features, Independence, SubgroupOps};
use crate::physical::instance::Instance;
use crate::physical::limits::{Limits, MemoryInfo, BUFFER_PADDING, BUFFER_USAGE};
use crate::physical::memory_types::MemoryTypes;
use crate::platform::TIME_DOMAIN;
use crate::quirks::{Driver, Quirks};

/// Most Vulkan queues that are opened on a device: four of medium priority, one of high, one of low.
const MAX_VULKAN_QUEUES: u32 = 6;

/// nonCoherentAtomSize of simulated non-coherent memory, in bytes.
const CACHE_LINE: u64 = 64;

/// A device of an instance, not yet opened.
#[derive(Clone)]
pub struct PhysicalDevice {
    /// Its description.
    pub info: DeviceInfo,
    pub(crate) instance: Arc<Instance>,
    pub(crate) raw: vk::PhysicalDevice,
    /// Lesser of the device's and the instance's version.
    pub(crate) usable_version: u32,
    pub(crate) extensions: Extensions,
    /// Family of the queues that [`crate::Device::open`] creates.
    pub(crate) queue_family: u32,
    /// The queue that binds memory to sparse buffers.
    pub(crate) bind_queue: Option<BindQueue>,
}

/// The queue that sparse binding uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BindQueue {
    /// A queue of this family and index that nothing else uses.
    Own { family: u32, index: u32 },
    /// The first compute queue.
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
        found.into_iter().map(|raw| describe(self, raw)).collect()
    }
}

/// Describes the device `raw` of `instance`.
fn describe(instance: &Arc<Instance>, raw: vk::PhysicalDevice) -> PhysicalDevice {
    // SAFETY: `raw` was enumerated from this living instance.
    let core = unsafe { instance.raw.get_physical_device_properties(raw) };
    let mut device = PhysicalDevice {
        info: basic_info(&core),
        instance: instance.clone(),
        raw,
        usable_version: core.api_version.min(instance.api_version),
        extensions: device_extensions(instance, raw),
        queue_family: 0,
        bind_queue: None,
    };
    device.info.memory = device.memory_types().info();
    let has_compute = device.choose_queue_family();
    // Versions carry patch numbers; 1.2.0 is the least that has the structures queried below.
    if core.api_version >= vk::API_VERSION_1_2 {
        device.query_features();
        device.query_properties();
        device.query_host_import();
        device.info.features.external = External::query(&instance.raw, raw, &device.extensions);
    }
    device.info.quirks = Quirks::of(&Driver {
        id: vk::DriverId::from_raw(device.info.driver_id as i32),
        version: device.info.driver_version,
        info: &device.info.driver_info,
        device_type: core.device_type,
    });
    if config::fault() == Some(Fault::Subgroups) {
        device.info.quirks.remove(Quirks::SUBGROUPS_IN_ORDER);
    }
    device.info.refusal = refusal(&device.info, has_compute);
    device
}

/// Returns the properties that Vulkan 1.0 reports for a device.
fn basic_info(p: &vk::PhysicalDeviceProperties) -> DeviceInfo {
    let device_type = match p.device_type {
        vk::PhysicalDeviceType::CPU => DeviceType::Cpu,
        vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceType::IntegratedGpu,
        vk::PhysicalDeviceType::DISCRETE_GPU => DeviceType::DiscreteGpu,
        vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceType::VirtualGpu,
        _ => DeviceType::Other,
    };
    DeviceInfo {
        name: text(&p.device_name),
        vendor_id: p.vendor_id,
        device_id: p.device_id,
        driver_version: p.driver_version,
        driver_name: String::new(),
        driver_info: String::new(),
        driver_id: 0,
        quirks: Quirks::default(),
        api_version: p.api_version,
        device_type,
        device_uuid: [0; 16],
        driver_uuid: [0; 16],
        pipeline_cache_uuid: p.pipeline_cache_uuid,
        luid: None,
        pci: None,
        limits: Limits::from_core(&p.limits),
        features: Features::default(),
        memory: MemoryInfo::default(),
        refusal: None,
    }
}

fn device_extensions(instance: &Instance, raw: vk::PhysicalDevice) -> Extensions {
    // SAFETY: `raw` belongs to the living instance.
    let list = unsafe { instance.raw.enumerate_device_extension_properties(raw) };
    let list = list.unwrap_or_default();
    Extensions::new(list.iter().filter_map(|p| Some(p.extension_name_as_c_str().ok()?.to_owned())))
}

/// Returns the size of the largest buffer: one allocation, or all that sparse buffers may span (`sparse`), but
/// at most maxBufferSize (`reported`; `None` without maintenance4). A multiple of the padding, so that a padded
/// buffer is never too large.
fn largest_buffer(reported: Option<u64>, allocation: u64, sparse: Option<u64>) -> u64 {
    let memory = sparse.map_or(allocation, |space| space.max(allocation));
    // Without maintenance4 only what one allocation holds is certain.
    let most = reported.unwrap_or(allocation).min(memory);
    most / BUFFER_PADDING * BUFFER_PADDING
}

/// Converts a fixed-size C string of Vulkan to text; bytes that are not UTF-8 are replaced.
fn text(chars: &[c_char]) -> String {
    let bytes: Vec<u8> = chars.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

impl PhysicalDevice {
    /// Queries the device's memory types.
    pub(crate) fn memory_types(&self) -> MemoryTypes {
        // SAFETY: the physical device belongs to the living instance.
        let types = unsafe { self.instance.raw.get_physical_device_memory_properties(self.raw) };
        let device_type = self.info.device_type;
        let shares = matches!(device_type, DeviceType::Cpu | DeviceType::IntegratedGpu);
        MemoryTypes::new(types, shares)
    }

    /// Chooses a queue family with compute, preferably one without graphics: its queues run beside graphics.
    /// Returns false if there is none.
    fn choose_queue_family(&mut self) -> bool {
        let instance = &self.instance.raw;
        // SAFETY: the physical device belongs to the living instance.
        let families = unsafe { instance.get_physical_device_queue_family_properties(self.raw) };
        let compute = |f: &&(usize, &vk::QueueFamilyProperties)| {
            f.1.queue_count > 0 && f.1.queue_flags.contains(vk::QueueFlags::COMPUTE)
        };
        let candidates: Vec<_> = families.iter().enumerate().collect();
        let best = candidates
            .iter()
            .filter(compute)
            .find(|f| !f.1.queue_flags.contains(vk::QueueFlags::GRAPHICS))
            .or_else(|| candidates.iter().find(compute));
        let Some((index, family)) = best else { return false };
        self.queue_family = *index as u32;
        let bits = config::timestamp_bits().unwrap_or(u32::MAX);
        self.info.limits.timestamp_valid_bits = family.timestamp_valid_bits.min(bits);
        let most = config::queues().map_or(MAX_VULKAN_QUEUES, |n| n.clamp(1, MAX_VULKAN_QUEUES));
        self.info.limits.queue_count = family.queue_count.min(most);
        self.bind_queue = self.choose_bind_queue(&families);
        true
    }

    /// Chooses the queue that binds memory to sparse buffers: preferably one that is used for nothing else, so
    /// that binding never waits behind kernels.
    fn choose_bind_queue(&self, families: &[vk::QueueFamilyProperties]) -> Option<BindQueue> {
        let binds = |f: &vk::QueueFamilyProperties| {
            f.queue_count > 0 && f.queue_flags.contains(vk::QueueFlags::SPARSE_BINDING)
        };
        let (family, index) = (self.queue_family, self.info.limits.queue_count);
        let compute = families.get(family as usize).filter(|f| binds(f));
        if compute.is_some_and(|f| f.queue_count > index) {
            return Some(BindQueue::Own { family, index });
        }
        let other = (0u32..).zip(families).find(|(i, f)| *i != family && binds(f));
        let other = other.map(|(family, _)| BindQueue::Own { family, index: 0 });
        other.or(compute.map(|_| BindQueue::Shared))
    }

    fn query_features(&mut self) {
        let mut chain = FeatureChain::new(self.usable_version, &self.extensions);
        let mut head = chain.link();
        // SAFETY: the chain holds only structures that the device knows and outlives the call.
        unsafe { self.instance.raw.get_physical_device_features2(self.raw, &mut head) };
        let core = head.features;
        chain.core = core;
        self.info.features = chain.read();
        self.info.features.spirv_version =
            if self.usable_version >= vk::API_VERSION_1_3 { 0x0001_0600 } else { 0x0001_0500 };
        self.info.features.calibrated_timestamps = self.has_calibrated_timestamps();
        self.info.features.pipeline_creation_feedback = self.usable_version >= vk::API_VERSION_1_3
            || self.extensions.has(ext::pipeline_creation_feedback::NAME);
        self.info.features.buffer_marker = self.extensions.has(ash::amd::buffer_marker::NAME);
        self.info.features.sparse_binding &= self.bind_queue.is_some();
    }

    fn query_properties(&mut self) {
        let v13 = self.usable_version >= vk::API_VERSION_1_3;
        let has = |name: &CStr| self.extensions.has(name);
        let mut v11 = vk::PhysicalDeviceVulkan11Properties::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Properties::default();
        let mut maintenance4 = vk::PhysicalDeviceMaintenance4Properties::default();
        let mut subgroup = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
        let mut host = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
        let mut pci = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
        let mut sm = vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV::default();
        let mut cores = vk::PhysicalDeviceShaderCorePropertiesAMD::default();
        let mut active = vk::PhysicalDeviceShaderCoreProperties2AMD::default();
        let mut dot = vk::PhysicalDeviceShaderIntegerDotProductProperties::default();
        let mut head =
            vk::PhysicalDeviceProperties2::default().push_next(&mut v11).push_next(&mut v12);
        if v13 || has(khr::maintenance4::NAME) {
            head = head.push_next(&mut maintenance4);
        }
        if v13 || has(ext::subgroup_size_control::NAME) {
            head = head.push_next(&mut subgroup);
        }
        if has(ext::external_memory_host::NAME) {
            head = head.push_next(&mut host);
        }
        if has(ext::pci_bus_info::NAME) {
            head = head.push_next(&mut pci);
        }
        if has(nv::shader_sm_builtins::NAME) {
            head = head.push_next(&mut sm);
        }
        if has(amd::shader_core_properties::NAME) {
            head = head.push_next(&mut cores);
        }
        if has(amd::shader_core_properties2::NAME) {
            head = head.push_next(&mut active);
        }
        if v13 || has(khr::shader_integer_dot_product::NAME) {
            head = head.push_next(&mut dot);
        }
        // SAFETY: the chain holds only structures that the device knows and outlives the call.
        unsafe { self.instance.raw.get_physical_device_properties2(self.raw, &mut head) };
        let sparse_address_space = head.properties.limits.sparse_address_space_size;

        if has(ext::pci_bus_info::NAME) {
            self.info.pci = Some(PciBusInfo {
                domain: pci.pci_domain,
                bus: pci.pci_bus,
                device: pci.pci_device,
                function: pci.pci_function,
            });
        }
        let limits = &mut self.info.limits;
        let amd_units = cores.shader_engine_count
            * cores.shader_arrays_per_engine_count
            * cores.compute_units_per_shader_array;
        let reported = [sm.shader_sm_count, active.active_compute_unit_count, amd_units];
        limits.compute_units = reported.into_iter().find(|units| *units > 0);
        // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
        limits.registers = (sm.shader_sm_count > 0).then_some(65_536);
        let allocation = v11.max_memory_allocation_size;
        limits.max_allocation_size = config::max_allocation().unwrap_or(allocation).min(allocation);
        limits.max_buffer_size = largest_buffer(
            (maintenance4.max_buffer_size > 0).then_some(maintenance4.max_buffer_size),
            allocation,
            self.info.features.sparse_binding.then_some(sparse_address_space),
        );
        if config::noncoherent() {
            limits.non_coherent_atom_size = limits.non_coherent_atom_size.max(CACHE_LINE);
        }
        if self.info.features.descriptor_indexing {
            limits.take_slots(&v12);
        }
        limits.max_timeline_difference = v12.max_timeline_semaphore_value_difference;
        limits.min_imported_host_pointer_alignment = host.min_imported_host_pointer_alignment;
        self.take_identity(&v11, &v12);
        self.take_float_controls(&v12);
        self.take_subgroups(&v11, &subgroup);
        self.info.features.accelerated_dot_products = DotProducts::from_vk(&dot);
    }

    fn take_identity(
        &mut self,
        v11: &vk::PhysicalDeviceVulkan11Properties<'_>,
        v12: &vk::PhysicalDeviceVulkan12Properties<'_>,
    ) {
        let info = &mut self.info;
        info.device_uuid = v11.device_uuid;
        info.driver_uuid = v11.driver_uuid;
        info.luid = (v11.device_luid_valid == vk::TRUE).then_some(v11.device_luid);
        info.driver_id = v12.driver_id.as_raw() as u32;
        info.driver_name = text(&v12.driver_name);
        info.driver_info = text(&v12.driver_info);
    }

    fn take_float_controls(&mut self, p: &vk::PhysicalDeviceVulkan12Properties<'_>) {
        let on = |b: vk::Bool32| b == vk::TRUE;
        let f = &mut self.info.features;
        f.preserve_signed_zero_inf_nan_16 = on(p.shader_signed_zero_inf_nan_preserve_float16);
        f.preserve_signed_zero_inf_nan_32 = on(p.shader_signed_zero_inf_nan_preserve_float32);
        f.preserve_signed_zero_inf_nan_64 = on(p.shader_signed_zero_inf_nan_preserve_float64);
        f.denorm_preserve_16 = on(p.shader_denorm_preserve_float16);
        f.denorm_preserve_32 = on(p.shader_denorm_preserve_float32);
        f.denorm_preserve_64 = on(p.shader_denorm_preserve_float64);
        f.denorm_flush_to_zero_32 = on(p.shader_denorm_flush_to_zero_float32);
        f.rounding_rte_16 = on(p.shader_rounding_mode_rte_float16);
        f.rounding_rte_32 = on(p.shader_rounding_mode_rte_float32);
        f.rounding_rte_64 = on(p.shader_rounding_mode_rte_float64);
        f.rounding_rtz_32 = on(p.shader_rounding_mode_rtz_float32);
        f.denorm_independence = Independence::from_vk(p.denorm_behavior_independence);
        f.rounding_independence = Independence::from_vk(p.rounding_mode_independence);
    }

    fn take_subgroups(
        &mut self,
        v11: &vk::PhysicalDeviceVulkan11Properties<'_>,
        control: &vk::PhysicalDeviceSubgroupSizeControlProperties<'_>,
    ) {
        let f = &mut self.info.features;
        f.subgroup_size = v11.subgroup_size;
        if v11.subgroup_supported_stages.contains(vk::ShaderStageFlags::COMPUTE) {
            let ops = v11.subgroup_supported_operations.as_raw();
            f.subgroup_ops = SubgroupOps::from_bits_truncate(ops);
        }
        let compute = control.required_subgroup_size_stages.contains(vk::ShaderStageFlags::COMPUTE);
        f.subgroup_size_control &= compute;
        f.max_workgroup_subgroups = control.max_compute_workgroup_subgroups;
        f.subgroup_size_range = if f.subgroup_size_control {
            [control.min_subgroup_size, control.max_subgroup_size]
        } else {
            [f.subgroup_size; 2]
        };
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

/// Returns why a device cannot be used, as the rest of a sentence that begins with its name.
fn refusal(info: &DeviceInfo, has_compute: bool) -> Option<String> {
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

    #[test]
    fn a_buffer_ends_with_its_allocation_unless_it_is_sparse() {
        const GIB: u64 = 1 << 30;
        assert_eq!(largest_buffer(None, 4 * GIB - 1, None), 4 * GIB - 16);
        assert_eq!(largest_buffer(Some(1 << 40), 4 * GIB, None), 4 * GIB);
        assert_eq!(largest_buffer(Some(2 * GIB), 4 * GIB, None), 2 * GIB);
        assert_eq!(largest_buffer(Some(1 << 40), 4 * GIB, Some(1 << 48)), 1 << 40);
        assert_eq!(largest_buffer(Some(1 << 48), 4 * GIB, Some(1 << 40)), 1 << 40);
        assert_eq!(largest_buffer(None, 4 * GIB, Some(1 << 40)), 4 * GIB);
    }
}
