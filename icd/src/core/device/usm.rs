//! The capabilities of a device's unified shared memory (cl_intel_unified_shared_memory).

use super::open::Gpu;
use super::sharing::{HostReach, Sharing};
use crate::cl::*;

/// Bits of CL_UNIFIED_SHARED_MEMORY_…_INTEL.
pub type Capabilities = cl_device_unified_shared_memory_capabilities_intel;

/// CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL. Vulkan has no atomic operations whose scope includes the host or another
/// device.
pub const DEVICE_CAPABILITIES: Capabilities =
    CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;

/// Returns the capabilities of memory that a device shares with the host or with other devices. Across a bus, concurrent access
/// is not offered: the device's writes may still be on their way.
fn in_common(gpu: &Gpu) -> Capabilities {
    match gpu.device.info().memory.unified {
        true => DEVICE_CAPABILITIES | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL,
        false => DEVICE_CAPABILITIES,
    }
}

/// Returns CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL and CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL.
pub fn common_capabilities(gpu: &Gpu) -> Capabilities {
    match (gpu.sharing(), gpu.host_reach()) {
        (Sharing::Direct, _) | (_, HostReach::InPlace | HostReach::Twofold) => in_common(gpu),
        (_, HostReach::None) => 0,
    }
}

/// Returns CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL.
pub fn system_capabilities(gpu: &Gpu) -> Capabilities {
    match gpu.reaches_system() {
        true => in_common(gpu),
        false => 0,
    }
}

/// Returns CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: devices that know the host's memory by the host's
/// address agree about addresses.
pub fn cross_device_capabilities(gpu: &Gpu) -> Capabilities {
    match gpu.host_reach() {
        HostReach::InPlace => in_common(gpu),
        HostReach::Twofold | HostReach::None => 0,
    }
}
