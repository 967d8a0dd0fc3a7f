//! The memory that a launch may reach: objects among its arguments, memory that pointers among them lead to, and the driver's
//! own memory.

use super::Launch;
use crate::cl::error::{ensure, Result};
use crate::cl::*;
use crate::core::context::usm::Indirect;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::image::Image;
use crate::core::memory::reservation::Effect;
use crate::core::queue::Queue;
use crate::object::Ref;
use hekla_compiler::kernel::ArgAccess;
use hekla_vk_backend as vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// A memory object among the arguments, with the Vulkan object that the device keeps for the launch.
#[derive(Clone)]
pub(super) enum Object {
    Buffer {
        mem: Ref<Buffer>,
        access: ArgAccess,
        bytes: Arc<vk::Buffer>,
    },
    Image {
        image: Ref<Image>,
        effect: Effect,
        slot: Arc<vk::Slot>,
    },
    /// An image with a shadow, which depends on the queue. `at`: the offset of the image's word in the kernel-argument buffer.
    Shadowed {
        image: Ref<Image>,
        effect: Effect,
        at: usize,
    },
}

/// The memory that a launch may reach, and so may the launches that its kernel enqueues.
pub struct Reach {
    objects: SmallVec<[Object; 8]>,
    others: Vec<Arc<vk::Buffer>>,
    pointed: Vec<Ref<Buffer>>,
    indirect: Indirect,
}

impl Reach {
    /// Returns the memory that contains `size` bytes at a device address, and the offset of the bytes in it.
    pub fn find(&self, queue: &Queue, address: u64, size: u64) -> Option<(Arc<vk::Buffer>, u64)> {
        let own = self.objects.iter().filter_map(|object| match object {
            Object::Buffer { bytes, .. } => Some(bytes.clone()),
            _ => None,
        });
        let shared = queue.context.svm.find(address as usize);
        let shared = shared.into_iter().flat_map(|(found, _)| found.block.buffers.clone());
        let mut all = own.chain(self.others.iter().cloned()).chain(shared);
        all.find_map(|buffer| place_in(&buffer, address, size))
    }
}

/// Returns a buffer, and the offset in it of `size` bytes at a device address; `None` if the bytes are not in the buffer.
pub fn place_in(
    buffer: &Arc<vk::Buffer>,
    address: u64,
    size: u64,
) -> Option<(Arc<vk::Buffer>, u64)> {
    let offset = address.checked_sub(buffer.address())?;
    (offset.checked_add(size)? <= buffer.size()).then(|| (buffer.clone(), offset))
}

impl Launch {
    /// Returns the memory that the launch may reach. CL_INVALID_OPERATION for an image with a shadow, which differs between
    /// queues: launches that the kernel enqueues would not know it.
    pub fn reach(&self) -> Result<Reach> {
        let is_shadowed = |object: &Object| matches!(object, Object::Shadowed { .. });
        ensure!(!self.objects.iter().any(is_shadowed), CL_INVALID_OPERATION);
        Ok(Reach {
            objects: self.objects.clone(),
            others: self.others.clone(),
            pointed: self.pointed.clone(),
            indirect: self.indirect,
        })
    }

    /// Lets the launch reach the memory that another launch reaches.
    pub fn reach_too(&mut self, reach: &Reach) {
        self.objects.extend(reach.objects.iter().cloned());
        self.others.extend(reach.others.iter().cloned());
        self.pointed.extend(reach.pointed.iter().cloned());
        self.indirect = reach.indirect;
    }
}
