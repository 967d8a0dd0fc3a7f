//! Fills a device's description from its properties.

use std::ffi::c_char;

use ash::vk;

use crate::config;
use crate::physical::device_info::{DeviceInfo, PciBusInfo};
use crate::physical::dot_products::DotProducts;
use crate::physical::features::{Independence, SubgroupOps};
use crate::physical::limits::BUFFER_PADDING;
use crate::physical::properties::Properties;

/// nonCoherentAtomSize of simulated non-coherent memory, in bytes.
const CACHE_LINE: u64 = 64;

impl DeviceInfo {
    /// Fills in the properties that Vulkan 1.2 and extensions report. The features, and the limits of Vulkan 1.0, are already
    /// known.
    pub(crate) fn take_properties(&mut self, p: &Properties) {
        self.pci = p.pci.map(|pci| PciBusInfo {
            domain: pci.pci_domain,
            bus: pci.pci_bus,
            device: pci.pci_device,
            function: pci.pci_function,
        });
        let limits = &mut self.limits;
        limits.compute_units = p.compute_units();
        // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
        limits.registers = (p.sm.shader_sm_count > 0).then_some(65_536);
        let allocation = p.v11.max_memory_allocation_size;
        limits.max_allocation_size = config::max_allocation().unwrap_or(allocation).min(allocation);
        let reported = p.maintenance4.max_buffer_size;
        limits.max_buffer_size = largest_buffer(
            (reported > 0).then_some(reported),
            allocation,
            self.features.sparse_binding.then_some(p.core.sparse_address_space_size),
        );
        if config::noncoherent() {
            limits.non_coherent_atom_size = limits.non_coherent_atom_size.max(CACHE_LINE);
        }
        if self.features.descriptor_indexing {
            limits.take_slots(&p.v12);
        }
        limits.max_timeline_difference = p.v12.max_timeline_semaphore_value_difference;
        limits.min_imported_host_pointer_alignment = p.host.min_imported_host_pointer_alignment;
        self.take_identity(&p.v11, &p.v12);
        self.take_float_controls(&p.v12);
        self.take_subgroups(&p.v11, &p.subgroup);
        let stages = p.matrix.cooperative_matrix_supported_stages;
        self.features.cooperative_matrix &= stages.contains(vk::ShaderStageFlags::COMPUTE);
        self.features.accelerated_dot_products = DotProducts::from_vk(&p.dot);
    }

    fn take_identity(
        &mut self,
        v11: &vk::PhysicalDeviceVulkan11Properties<'_>,
        v12: &vk::PhysicalDeviceVulkan12Properties<'_>,
    ) {
        self.device_uuid = v11.device_uuid;
        self.driver_uuid = v11.driver_uuid;
        self.luid = (v11.device_luid_valid == vk::TRUE).then_some(v11.device_luid);
        self.driver_id = v12.driver_id.as_raw() as u32;
        self.driver_name = text(&v12.driver_name);
        self.driver_info = text(&v12.driver_info);
    }

    fn take_float_controls(&mut self, p: &vk::PhysicalDeviceVulkan12Properties<'_>) {
        let on = |b: vk::Bool32| b == vk::TRUE;
        let f = &mut self.features;
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
        let f = &mut self.features;
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
}

/// Returns the size of the largest buffer: one allocation, or all memory that sparse buffers may span (`sparse`), but at most
/// maxBufferSize (`reported`; `None` without maintenance4). The size is a multiple of the padding, so that a padded buffer is
/// never too large.
fn largest_buffer(reported: Option<u64>, allocation: u64, sparse: Option<u64>) -> u64 {
    let memory = sparse.map_or(allocation, |space| space.max(allocation));
    // Without maintenance4 only the size of one allocation is certain to be allowed.
    let most = reported.unwrap_or(allocation).min(memory);
    most / BUFFER_PADDING * BUFFER_PADDING
}

/// Converts a fixed-size C string of Vulkan to text; bytes that are not UTF-8 are replaced.
pub(crate) fn text(chars: &[c_char]) -> String {
    let bytes: Vec<u8> = chars.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

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
