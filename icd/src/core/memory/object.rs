//! Memory objects of any kind, as handles of C name them.

use super::buffer::Buffer;
use super::image::Image;
use super::pipe::Pipe;
use super::reservation::{Effect, RangeUse};
use super::MemBase;
use crate::cl::error::Result;
use crate::cl::*;
use crate::object::Ref;
use std::ops::Deref;

/// A memory object.
#[derive(Clone)]
pub enum MemObject {
    Buffer(Ref<Buffer>),
    Image(Ref<Image>),
    Pipe(Ref<Pipe>),
}

impl Deref for MemObject {
    type Target = MemBase;
    fn deref(&self) -> &MemBase {
        match self {
            MemObject::Buffer(buffer) => buffer,
            MemObject::Image(image) => image,
            MemObject::Pipe(pipe) => pipe,
        }
    }
}

impl MemObject {
    /// Returns the object of a handle that C gave, or CL_INVALID_MEM_OBJECT.
    pub fn from_handle(handle: cl_mem) -> Result<MemObject> {
        let buffer = Ref::<Buffer>::from_handle(handle).map(MemObject::Buffer);
        let image = || Ref::<Image>::from_handle(handle).map(MemObject::Image);
        let pipe = || Ref::<Pipe>::from_handle(handle).map(MemObject::Pipe);
        buffer.or_else(|_| image()).or_else(|_| pipe())
    }

    /// Returns the object if it is a buffer.
    pub fn buffer(&self) -> Option<&Ref<Buffer>> {
        match self {
            MemObject::Buffer(buffer) => Some(buffer),
            MemObject::Image(_) | MemObject::Pipe(_) => None,
        }
    }

    /// Adds a reference of the application (clRetainMemObject).
    pub fn retain(handle: cl_mem) -> Result<()> {
        Ref::<Buffer>::retain(handle)
            .or_else(|_| Ref::<Image>::retain(handle))
            .or_else(|_| Ref::<Pipe>::retain(handle))
    }

    /// Removes a reference of the application (clReleaseMemObject).
    pub fn release(handle: cl_mem) -> Result<()> {
        Ref::<Buffer>::release(handle)
            .or_else(|_| Ref::<Image>::release(handle))
            .or_else(|_| Ref::<Pipe>::release(handle))
    }

    /// Returns CL_MEM_REFERENCE_COUNT.
    pub fn reference_count(&self) -> u32 {
        match self {
            MemObject::Buffer(buffer) => buffer.reference_count(),
            MemObject::Image(image) => image.reference_count(),
            MemObject::Pipe(pipe) => pipe.reference_count(),
        }
    }

    /// Returns CL_MEM_MAP_COUNT.
    pub fn map_count(&self) -> u32 {
        match self {
            MemObject::Buffer(buffer) => buffer.map_count(),
            MemObject::Image(image) => image.map_count(),
            MemObject::Pipe(_) => 0,
        }
    }

    /// Returns CL_MEM_TYPE.
    pub fn object_type(&self) -> cl_mem_object_type {
        match self {
            MemObject::Buffer(_) => CL_MEM_OBJECT_BUFFER,
            MemObject::Image(image) => image.shape.image_type,
            MemObject::Pipe(_) => CL_MEM_OBJECT_PIPE,
        }
    }

    /// Returns the object from which this one was created.
    pub fn parent(&self) -> Option<MemObject> {
        match self {
            MemObject::Buffer(buffer) => buffer.parent.clone().map(MemObject::Buffer),
            MemObject::Image(image) => image.parent(),
            MemObject::Pipe(_) => None,
        }
    }

    /// Returns the handle.
    pub fn handle(&self) -> cl_mem {
        match self {
            MemObject::Buffer(buffer) => buffer.handle(),
            MemObject::Image(image) => image.handle(),
            MemObject::Pipe(pipe) => pipe.handle(),
        }
    }

    /// Returns the use of the whole object.
    pub fn whole(&self, effect: Effect) -> RangeUse<'_> {
        match self {
            MemObject::Buffer(buffer) => RangeUse::whole(buffer, effect),
            MemObject::Image(image) => image.whole(effect),
            MemObject::Pipe(pipe) => RangeUse::whole(&pipe.buffer, effect),
        }
    }
}
