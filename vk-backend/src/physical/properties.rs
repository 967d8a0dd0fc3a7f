//! The properties of a device that are numbers or flags, as the driver reports them.

use ash::{amd, ext, khr, nv, vk};

use crate::physical::extensions::Extensions;

/// The structures of properties that are queried. Structures that the device does not know keep their defaults.
#[derive(Clone, Default)]
pub(crate) struct Properties {
    pub(crate) core: vk::PhysicalDeviceLimits,
    pub(crate) v11: vk::PhysicalDeviceVulkan11Properties<'static>,
    pub(crate) v12: vk::PhysicalDeviceVulkan12Properties<'static>,
    pub(crate) maintenance4: vk::PhysicalDeviceMaintenance4Properties<'static>,
    pub(crate) subgroup: vk::PhysicalDeviceSubgroupSizeControlProperties<'static>,
    pub(crate) host: vk::PhysicalDeviceExternalMemoryHostPropertiesEXT<'static>,
    pub(crate) dot: vk::PhysicalDeviceShaderIntegerDotProductProperties<'static>,
    pub(crate) matrix: vk::PhysicalDeviceCooperativeMatrixPropertiesKHR<'static>,
    pub(crate) pci: Option<vk::PhysicalDevicePCIBusInfoPropertiesEXT<'static>>,
    /// Streaming multiprocessors of NVIDIA's devices.
    pub(crate) sm: vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV<'static>,
    /// Compute units of AMD's devices, and how many of them are active.
    pub(crate) cores: vk::PhysicalDeviceShaderCorePropertiesAMD<'static>,
    pub(crate) active: vk::PhysicalDeviceShaderCoreProperties2AMD<'static>,
}

impl Properties {
    /// Queries a device of Vulkan 1.2 or later.
    pub(crate) fn query(
        instance: &ash::Instance,
        device: vk::PhysicalDevice,
        version: u32,
        extensions: &Extensions,
    ) -> Properties {
        let v13 = version >= vk::API_VERSION_1_3;
        let has = |name| extensions.has(name);
        let mut p = Properties::default();
        let mut pci = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
        let mut head =
            vk::PhysicalDeviceProperties2::default().push_next(&mut p.v11).push_next(&mut p.v12);
        if v13 || has(khr::maintenance4::NAME) {
            head = head.push_next(&mut p.maintenance4);
        }
        if v13 || has(ext::subgroup_size_control::NAME) {
            head = head.push_next(&mut p.subgroup);
        }
        if has(ext::external_memory_host::NAME) {
            head = head.push_next(&mut p.host);
        }
        if has(khr::cooperative_matrix::NAME) {
            head = head.push_next(&mut p.matrix);
        }
        if has(ext::pci_bus_info::NAME) {
            head = head.push_next(&mut pci);
        }
        if has(nv::shader_sm_builtins::NAME) {
            head = head.push_next(&mut p.sm);
        }
        if has(amd::shader_core_properties::NAME) {
            head = head.push_next(&mut p.cores);
        }
        if has(amd::shader_core_properties2::NAME) {
            head = head.push_next(&mut p.active);
        }
        if v13 || has(khr::shader_integer_dot_product::NAME) {
            head = head.push_next(&mut p.dot);
        }
        // SAFETY: the chain holds only structures that the device knows and outlives the call.
        unsafe { instance.get_physical_device_properties2(device, &mut head) };
        p.core = head.properties.limits;
        p.pci = has(ext::pci_bus_info::NAME).then_some(pci);
        p
    }

    /// Returns the number of streaming multiprocessors or compute units; `None` without a vendor's extension that reports it.
    pub(crate) fn compute_units(&self) -> Option<u32> {
        let cores = &self.cores;
        let all = cores.shader_engine_count
            * cores.shader_arrays_per_engine_count
            * cores.compute_units_per_shader_array;
        let reported = [self.sm.shader_sm_count, self.active.active_compute_unit_count, all];
        reported.into_iter().find(|units| *units > 0)
    }
}
