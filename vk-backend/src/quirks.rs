//! Quirks of drivers: one table of them, each with the drivers that have it and the reason.
//!
//! Behaviour that rests on more than Vulkan guarantees, or that works around a defect, is chosen here and
//! nowhere else. A driver that is not in the table gets what the specification promises.

use std::ops::RangeInclusive;

use ash::vk;

bitflags::bitflags! {
    /// The quirks of one device.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub struct Quirks: u32 {
        /// Pipelines must be created, destroyed and submitted by one thread at a time, and are compiled on a second
        /// Vulkan device, so that this takes a short time.
        const SERIALIZED_PIPELINES = 1;
        /// A word that VK_AMD_buffer_marker writes at the end of a command buffer may be taken as the sign
        /// that it is complete.
        const COMPLETION_MARKERS = 1 << 1;
        /// vkCmdCopyBuffer is much slower within the device's memory than a kernel that copies.
        const SLOW_BUFFER_COPIES = 1 << 2;
        /// The driver's exit handlers, run in a forked child, break the devices of its parent.
        const EXIT_BREAKS_PARENT = 1 << 3;
    }
}

/// The identity of a device's driver.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Driver {
    /// VkDriverId.
    pub(crate) id: vk::DriverId,
    /// VkPhysicalDeviceProperties::driverVersion, in the vendor's own encoding.
    pub(crate) version: u32,
    pub(crate) device_type: vk::PhysicalDeviceType,
}

/// One row of the table: drivers and their quirks.
struct Row {
    driver: vk::DriverId,
    /// Versions in the vendor's own encoding.
    versions: RangeInclusive<u32>,
    /// `None` for devices of any type.
    device_type: Option<vk::PhysicalDeviceType>,
    quirk: Quirks,
}

const ANY_VERSION: RangeInclusive<u32> = 0..=u32::MAX;

/// NVIDIA's encoding of a version: 10 bits of major number at the top.
const fn nvidia(major: u32) -> RangeInclusive<u32> {
    major << 22..=(major << 22) + (1 << 22) - 1
}

const TABLE: [Row; 4] = [
    // Seen with 580.159 on an H200, also in a program of Vulkan alone (examples/stale_code): while several threads
    // create, dispatch and destroy pipelines, up to 7 of 1,000 first dispatches write nothing or run another
    // pipeline's code.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: ANY_VERSION,
        device_type: None,
        quirk: Quirks::SERIALIZED_PIPELINES,
    },
    // The specification ends a command buffer's pending state by a fence or semaphore alone. The marker was
    // tried for days on 580 (H200), and on no other driver. It saves the interrupt of a signal, 30 us there.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: nvidia(580),
        device_type: None,
        quirk: Quirks::COMPLETION_MARKERS,
    },
    // The driver gives copies to an engine made for the bus: 840 of the 4,140 GB/s that a kernel moves on an
    // H200. Other drivers of discrete devices copy by a shader of their own.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: ANY_VERSION,
        device_type: Some(vk::PhysicalDeviceType::DISCRETE_GPU),
        quirk: Quirks::SLOW_BUFFER_COPIES,
    },
    // At exit() the driver (580) closes what it has set up through file descriptors that parent and child
    // share: the child dies of a segmentation fault, the parent hangs in vkDestroyDevice or at its own end.
    Row {
        driver: vk::DriverId::NVIDIA_PROPRIETARY,
        versions: ANY_VERSION,
        device_type: None,
        quirk: Quirks::EXIT_BREAKS_PARENT,
    },
];

impl Quirks {
    /// Returns the quirks of a driver.
    pub(crate) fn of(driver: &Driver) -> Quirks {
        let applies = |row: &&Row| {
            row.driver == driver.id
                && row.versions.contains(&driver.version)
                && row.device_type.is_none_or(|device_type| device_type == driver.device_type)
        };
        TABLE.iter().filter(applies).map(|row| row.quirk).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quirks(id: vk::DriverId, version: u32) -> Quirks {
        let device_type = vk::PhysicalDeviceType::DISCRETE_GPU;
        Quirks::of(&Driver { id, version, device_type })
    }

    #[test]
    fn completion_markers_are_used_where_they_were_proven() {
        let nvidia = vk::DriverId::NVIDIA_PROPRIETARY;
        let has_markers = |id, version| quirks(id, version).contains(Quirks::COMPLETION_MARKERS);
        assert!(has_markers(nvidia, 580 << 22));
        assert!(has_markers(nvidia, 580 << 22 | 159 << 14 | 3 << 6));
        assert!(!has_markers(nvidia, 579 << 22 | 255 << 14));
        assert!(!has_markers(nvidia, 581 << 22));
        let others = [
            vk::DriverId::MESA_RADV,
            vk::DriverId::AMD_PROPRIETARY,
            vk::DriverId::AMD_OPEN_SOURCE,
            vk::DriverId::INTEL_OPEN_SOURCE_MESA,
            vk::DriverId::INTEL_PROPRIETARY_WINDOWS,
            vk::DriverId::MESA_NVK,
            vk::DriverId::MESA_LLVMPIPE,
            vk::DriverId::default(),
        ];
        for other in others {
            assert_eq!(quirks(other, 580 << 22), Quirks::empty(), "{other:?}");
        }
    }

    #[test]
    fn a_quirk_may_be_of_one_type_of_device() {
        let mut driver = Driver {
            id: vk::DriverId::NVIDIA_PROPRIETARY,
            version: 570 << 22,
            device_type: vk::PhysicalDeviceType::DISCRETE_GPU,
        };
        assert!(Quirks::of(&driver).contains(Quirks::SLOW_BUFFER_COPIES));
        driver.device_type = vk::PhysicalDeviceType::INTEGRATED_GPU;
        assert_eq!(Quirks::of(&driver), Quirks::SERIALIZED_PIPELINES | Quirks::EXIT_BREAKS_PARENT);
    }
}
