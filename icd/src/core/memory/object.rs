//! Memory objects of any kind, as handles of C name them.

use super::buffer::Buffer;
use super::image::Image;
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
}

impl Deref for MemObject {
    type Target = MemBase;
    fn deref(&self) -> &MemBase {
        match self {
            MemObject::Buffer(buffer) => buffer,
            MemObject::Image(image) => image,
        }
    }
}

impl MemObject {
    /// Returns the object of a handle that C gave, or CL_INVALID_MEM_OBJECT.
    pub fn from_handle(handle: cl_mem) -> Result<MemObject> {
        let buffer = Ref::<Buffer>::from_handle(handle).map(MemObject::Buffer);
        buffer.or_else(|_| Ref::<Image>::from_handle(handle).map(MemObject::Image))
    }

    /// Returns the object if it is a buffer.
    pub fn buffer(&self) -> Option<&Ref<Buffer>> {
        match self {
            MemObject::Buffer(buffer) => Some(buffer),
            MemObject::Image(_) => None,
        }
    }

    /// Adds a reference of the application (clRetainMemObject).
    pub fn retain(handle: cl_mem) -> Result<()> {
        Ref::<Buffer>::retain(handle).or_else(|_| Ref::<Image>::retain(handle))
    }

    /// Removes a reference of the application (clReleaseMemObject).
    pub fn release(handle: cl_mem) -> Result<()> {
        Ref::<Buffer>::release(handle).or_else(|_| Ref::<Image>::release(handle))
    }

    /// Returns CL_MEM_REFERENCE_COUNT.
    pub fn reference_count(&self) -> u32 {
        match self {
            MemObject::Buffer(buffer) => buffer.reference_count(),
            MemObject::Image(image) => image.reference_count(),
        }
    }

    /// Returns CL_MEM_MAP_COUNT.
    pub fn map_count(&self) -> u32 {
        match self {
            MemObject::Buffer(buffer) => buffer.map_count(),
            MemObject::Image(image) => image.map_count(),
        }
    }

    /// Returns CL_MEM_TYPE.
    pub fn object_type(&self) -> cl_mem_object_type {
        match self {
            MemObject::Buffer(_) => CL_MEM_OBJECT_BUFFER,
            MemObject::Image(image) => image.shape.image_type,
        }
    }

    /// Returns the object that this one is made from.
    pub fn parent(&self) -> Option<MemObject> {
        match self {
            MemObject::Buffer(buffer) => buffer.parent.clone().map(MemObject::Buffer),
            MemObject::Image(image) => image.parent(),
        }
    }

    /// Returns the handle.
    pub fn handle(&self) -> cl_mem {
        match self {
            MemObject::Buffer(buffer) => buffer.handle(),
            MemObject::Image(image) => image.handle(),
        }
    }

    /// Returns the use of the whole object.
    pub fn whole(&self, effect: Effect) -> RangeUse<'_> {
        match self {
            MemObject::Buffer(buffer) => RangeUse::whole(buffer, effect),
            MemObject::Image(image) => image.whole(effect),
        }
    }
}
