//! Ownership transfers: imported memory acquired from other APIs and released to them
//! (cl_khr_external_memory).

use crate::cl::error::Result;
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::image::Image;
use crate::core::memory::object::MemObject;
use crate::core::memory::properties::{Import, Origin};
use crate::core::memory::reservation::{Effect, RangeUse};
use crate::core::queue::event::Phase;
use crate::core::queue::execute::Execution;
use crate::object::Ref;
use hekla_vk_backend as vk;
use std::sync::Arc;

/// The direction of an ownership transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the other API to OpenCL.
    Acquire,
    /// From OpenCL to the other API.
    Release,
}

impl Direction {
    /// Returns the type of the command for objects of OpenGL.
    pub fn of_gl(self) -> cl_command_type {
        match self {
            Direction::Acquire => CL_COMMAND_ACQUIRE_GL_OBJECTS,
            Direction::Release => CL_COMMAND_RELEASE_GL_OBJECTS,
        }
    }
}

/// A memory object that was created from another API's memory.
pub enum Shared {
    /// A buffer, or the buffer that holds an image's texels.
    Bytes(Ref<Buffer>),
    /// An image that Vulkan made of the memory; its context has one device.
    Texels(Ref<Image>),
}

impl Shared {
    /// Returns a memory object as a shared one; `None` if it was not created from memory of `origin`.
    pub fn of(mem: MemObject, origin: Origin) -> Option<Shared> {
        let comes =
            |import: &Option<Import>| import.as_ref().is_some_and(|import| import.origin == origin);
        match mem {
            MemObject::Buffer(buffer) if comes(&buffer.import) => Some(Shared::Bytes(buffer)),
            MemObject::Image(image) if comes(&image.import) => Some(match image.buffer() {
                Some(bytes) => Shared::Bytes(bytes.clone()),
                None => Shared::Texels(image),
            }),
            MemObject::Buffer(_) | MemObject::Image(_) | MemObject::Pipe(_) => None,
        }
    }

    fn import(&self) -> Option<&Import> {
        match self {
            Shared::Bytes(bytes) => bytes.import.as_ref(),
            Shared::Texels(image) => image.import.as_ref(),
        }
    }

    /// Returns true if commands on a device of a context may transfer the object.
    pub fn is_for(&self, context: &Ref<Context>, device: &Ref<Device>) -> bool {
        let own = match self {
            Shared::Bytes(bytes) => &bytes.context,
            Shared::Texels(image) => &image.context,
        };
        own == context && self.import().is_some_and(|import| import.devices.contains(device))
    }

    /// Returns the transfer's use of the object, on the device that has the memory.
    fn used(&self, effect: Effect) -> RangeUse<'_> {
        match self {
            Shared::Bytes(bytes) => {
                let used = RangeUse::whole(bytes, effect);
                match bytes.imported_at() {
                    Some(home) => used.on(home),
                    None => used,
                }
            }
            Shared::Texels(image) => image.whole(effect),
        }
    }
}

/// Returns the uses of a transfer: an acquisition replaces the contents, a release reads them.
pub fn uses(mems: &[Shared], direction: Direction) -> impl Iterator<Item = RangeUse<'_>> {
    let effect = match direction {
        Direction::Acquire => Effect::Overwrite,
        Direction::Release => Effect::Read,
    };
    mems.iter().map(move |mem| mem.used(effect))
}

/// Memory that a device is to acquire or release.
enum Part {
    Buffer(Arc<vk::Buffer>),
    Image(Arc<vk::Image>),
}

impl Part {
    fn transfer(&self, recorder: &mut vk::Recorder, direction: Direction) {
        match (self, direction) {
            (Part::Buffer(buffer), Direction::Acquire) => recorder.acquire(buffer),
            (Part::Buffer(buffer), Direction::Release) => recorder.release(buffer),
            (Part::Image(image), Direction::Acquire) => recorder.acquire_image(image),
            (Part::Image(image), Direction::Release) => recorder.release_image(image),
        }
    }
}

impl Execution<'_> {
    /// Transfers the ownership of imported memory. In a context of several devices one of them has the memory and the
    /// others have copies: the contents are acquired on that device, and are moved there before a release.
    pub fn transfer_ownership(&mut self, mems: &[Shared], direction: Direction) -> Result<Phase> {
        let queue = self.queue;
        let mut here = Vec::new();
        for mem in mems {
            let (part, home) = match mem {
                Shared::Bytes(bytes) => {
                    let home = bytes.imported_at().unwrap_or(queue.device_index);
                    (Part::Buffer(bytes.on_device(home)?), home)
                }
                Shared::Texels(image) => {
                    (Part::Image(image.on_device(queue.device_index)?), queue.device_index)
                }
            };
            if home == queue.device_index {
                here.push(part);
            } else {
                let queue = queue.context.gpus[home].device.create_queue(false)?;
                let ((), value) = queue.record(|recorder| part.transfer(recorder, direction));
                queue.wait(value)?;
            }
        }
        let value = self.record(|recorder| {
            here.iter().for_each(|part| part.transfer(recorder, direction));
        });
        Ok(Phase::Recorded { first: value, last: value })
    }
}
