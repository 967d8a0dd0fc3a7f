//! The Vulkan queues of a device: queues that compute, and queues for copies alone, whose copies run beside kernels.
//!
//! Copies on a queue that computes may wait behind its kernels, and on NVIDIA's driver behind the kernels of all queues. A
//! family that transfers and does nothing else stands for hardware of its own. Two of its queues are opened, one for copies to
//! the host's memory and one for copies from there, since the hardware does both at once.

use std::ops::Range;

use ash::vk;
use parking_lot::Mutex;
use smallvec::SmallVec;

use crate::device::priority::{self, Priority};
use crate::device::Device;
use crate::physical::CopyFamily;

/// The index of the first Vulkan queue for copies; compute queues come before it.
const FIRST_COPY_QUEUE: usize = 1 << 16;

/// The pipeline stages that commands use on queues that compute.
const COMMAND_STAGES: vk::PipelineStageFlags = vk::PipelineStageFlags::from_raw(
    vk::PipelineStageFlags::COMPUTE_SHADER.as_raw() | vk::PipelineStageFlags::TRANSFER.as_raw(),
);

/// The direction of copies; each direction has a Vulkan queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyLane {
    /// Copies from the device's memory.
    Out,
    /// Copies to the device's memory.
    In,
}

/// The family of a Vulkan queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueueFamily {
    pub(crate) index: u32,
    /// The pipeline stages that commands use on the family's queues.
    pub(crate) stages: vk::PipelineStageFlags,
}

impl Device {
    /// Returns true if copies have Vulkan queues of their own.
    pub fn has_copy_queues(&self) -> bool {
        !self.copy_queues.is_empty()
    }

    /// Chooses a Vulkan queue for a queue, and adds a user to it: the Vulkan queue for copies of a lane, if a lane is given and
    /// the device has queues for copies, otherwise a queue that computes.
    pub(crate) fn take_vulkan_queue(&self, priority: Priority, copies: Option<CopyLane>) -> usize {
        match copies.filter(|_| self.has_copy_queues()) {
            Some(lane) => FIRST_COPY_QUEUE + lane as usize,
            None => priority::take(priority, &mut self.queue_users.lock()),
        }
    }

    /// Removes a user of a Vulkan queue.
    pub(crate) fn give_back_vulkan_queue(&self, index: usize) {
        if index < FIRST_COPY_QUEUE {
            self.queue_users.lock()[index] -= 1;
        }
    }

    /// Returns the Vulkan queue that [`Device::take_vulkan_queue`] chose.
    pub(crate) fn vulkan_queue(&self, index: usize) -> &Mutex<vk::Queue> {
        match index.checked_sub(FIRST_COPY_QUEUE) {
            Some(lane) => &self.copy_queues[lane % self.copy_queues.len()],
            None => &self.vulkan_queues[index % self.vulkan_queues.len()],
        }
    }

    /// Returns the family of a Vulkan queue that [`Device::take_vulkan_queue`] chose.
    pub(crate) fn family_of(&self, index: usize) -> QueueFamily {
        match self.physical.copy_family {
            Some(CopyFamily { index: family, .. }) if index >= FIRST_COPY_QUEUE => {
                QueueFamily { index: family, stages: vk::PipelineStageFlags::TRANSFER }
            }
            _ => self.compute_family(),
        }
    }

    /// Returns the family of the queues that compute.
    pub(crate) fn compute_family(&self) -> QueueFamily {
        QueueFamily { index: self.physical.queue_family, stages: COMMAND_STAGES }
    }

    /// Returns the families whose queues use buffers: all of them use each buffer at once, where there are several.
    pub(crate) fn families(&self) -> SmallVec<[u32; 2]> {
        let copies = self.physical.copy_family.map(|family| family.index);
        std::iter::once(self.physical.queue_family).chain(copies).collect()
    }

    /// Returns the family that owns a buffer, for transfers of ownership to and from other APIs (Vulkan specification, 7.7.4).
    /// No family owns a buffer that several use at once.
    pub(crate) fn owning_family(&self) -> u32 {
        match self.physical.copy_family {
            Some(_) => vk::QUEUE_FAMILY_IGNORED,
            None => self.physical.queue_family,
        }
    }
}

/// Returns the queues of a family with some indices.
///
/// # Safety
/// The device was created with these queues of the family.
pub(super) unsafe fn queues_of(
    device: &ash::Device,
    family: u32,
    indices: Range<u32>,
) -> Vec<Mutex<vk::Queue>> {
    // SAFETY: as the caller promises.
    indices.map(|index| Mutex::new(unsafe { device.get_device_queue(family, index) })).collect()
}
