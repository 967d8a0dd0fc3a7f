//! The public description of a device: plain data.

use ash::vk;

use crate::physical::features::Features;
use crate::physical::limits::{Limits, MemoryInfo};
use hekla_device::{MatrixProduct, Quirks};

/// The type of a device (VkPhysicalDeviceType).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeviceType {
    /// A software implementation.
    Cpu,
    /// A GPU that shares the host's memory.
    IntegratedGpu,
    /// A GPU with memory of its own.
    DiscreteGpu,
    /// A GPU of a virtual machine.
    VirtualGpu,
    /// A device of another type.
    Other,
}

impl DeviceType {
    pub(crate) fn from_vk(device_type: vk::PhysicalDeviceType) -> DeviceType {
        match device_type {
            vk::PhysicalDeviceType::CPU => DeviceType::Cpu,
            vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceType::IntegratedGpu,
            vk::PhysicalDeviceType::DISCRETE_GPU => DeviceType::DiscreteGpu,
            vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceType::VirtualGpu,
            _ => DeviceType::Other,
        }
    }
}

/// A device's place on the PCI bus (VK_EXT_pci_bus_info).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PciBusInfo {
    /// PCI domain.
    pub domain: u32,
    /// Bus number.
    pub bus: u32,
    /// Device number.
    pub device: u32,
    /// Function number.
    pub function: u32,
}

/// A description of a device.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceInfo {
    /// The device's name, as the driver reports it.
    pub name: String,
    /// PCI vendor id, or an id that Khronos assigned.
    pub vendor_id: u32,
    /// Vendor's id of the device.
    pub device_id: u32,
    /// The driver's version in the vendor's own encoding.
    pub driver_version: u32,
    /// Name of the driver.
    pub driver_name: String,
    /// The driver's version and build as text.
    pub driver_info: String,
    /// VkDriverId; 0 when unknown.
    pub driver_id: u32,
    /// The driver's quirks.
    pub quirks: Quirks,
    /// Vulkan version of the device in Vulkan's encoding.
    pub api_version: u32,
    /// Type of the device.
    pub device_type: DeviceType,
    /// Identifies the device across processes and APIs.
    pub device_uuid: [u8; 16],
    /// Identifies the driver's build.
    pub driver_uuid: [u8; 16],
    /// An id that changes when cached pipelines become invalid.
    pub pipeline_cache_uuid: [u8; 16],
    /// Locally unique id, on systems with such ids.
    pub luid: Option<[u8; 8]>,
    /// Place on the PCI bus; `None` without VK_EXT_pci_bus_info.
    pub pci: Option<PciBusInfo>,
    /// Numeric limits.
    pub limits: Limits,
    /// Capabilities.
    pub features: Features,
    /// The products of matrices that the work-items of a sub-group compute together; none without
    /// [`Features::cooperative_matrix`].
    pub matrices: Vec<MatrixProduct>,
    /// The device file that `HEKLA_LIMIT_TO` names, to which this whole description is restricted: its name, and a hash of its
    /// text.
    pub limited_to: Option<(String, u64)>,
    /// Memory.
    pub memory: MemoryInfo,
    /// True if the device draws as well: it has a queue family with graphics.
    pub has_graphics: bool,
    /// The reason why Hekla cannot use the device, as the rest of a sentence: "lacks ...". `None` when Hekla can use it.
    pub refusal: Option<String>,
}

impl DeviceInfo {
    /// Describes a device of which nothing is known.
    pub(crate) fn unknown() -> DeviceInfo {
        DeviceInfo {
            name: String::new(),
            vendor_id: 0,
            device_id: 0,
            driver_version: 0,
            driver_name: String::new(),
            driver_info: String::new(),
            driver_id: 0,
            quirks: Quirks::default(),
            api_version: 0,
            device_type: DeviceType::Other,
            device_uuid: [0; 16],
            driver_uuid: [0; 16],
            pipeline_cache_uuid: [0; 16],
            luid: None,
            pci: None,
            limits: Limits::default(),
            features: Features::default(),
            matrices: Vec::new(),
            limited_to: None,
            memory: MemoryInfo::default(),
            has_graphics: false,
            refusal: None,
        }
    }
}
