//! Memory objects: their bytes on each device of the context, and their mapped regions.
//!
//! [`MemBase`] is the common part of all kinds; [`buffer::Buffer`] is the kind for buffers and sub-buffers, [`image::Image`]
//! the one for images, [`pipe::Pipe`] the one for pipes.

pub mod buffer;
mod device_copy;
pub mod fetch;
pub mod flags;
mod gl_memory;
pub mod host;
mod host_memory;
pub mod image;
mod import_memory;
pub mod mapping;
pub mod object;
pub mod operand;
pub mod pipe;
pub mod properties;
pub mod rect;
pub mod reservation;
pub mod residency;
pub mod sampler;
mod spans;
mod usage;

use crate::cl::error::{ensure, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::gl::Shared;
use crate::core::memory::host::HostAddress;
use crate::object::callbacks::{self, UserData};
use crate::object::Ref;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// The common part of buffers and images.
pub struct MemBase {
    pub context: Ref<Context>,
    pub flags: cl_mem_flags,
    /// Bytes of the object.
    pub size: usize,
    /// The application's memory (CL_MEM_USE_HOST_PTR); for a sub-buffer its own part of it.
    pub host_ptr: Option<HostAddress>,
    pub properties: Vec<cl_mem_properties>,
    /// The object of OpenGL from which the memory object was created.
    pub gl: Option<Box<Shared>>,
    /// Number of live memory objects within this one, which keep its handle valid.
    children: AtomicU32,
    destructors: Mutex<Vec<(MemDestructor, UserData)>>,
}

impl MemBase {
    /// Returns the common part of an object without properties.
    fn new(context: Ref<Context>, flags: cl_mem_flags, size: usize) -> MemBase {
        MemBase {
            context,
            flags,
            size,
            host_ptr: None,
            properties: Vec::new(),
            gl: None,
            children: AtomicU32::new(0),
            destructors: Mutex::default(),
        }
    }

    /// Returns true if the host may read (clEnqueueReadBuffer, CL_MAP_READ).
    pub fn host_readable(&self) -> bool {
        self.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS) == 0
    }

    /// Returns true if the host may write (clEnqueueWriteBuffer, CL_MAP_WRITE).
    pub fn host_writable(&self) -> bool {
        self.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) == 0 && !self.is_immutable()
    }

    /// Returns true if the contents never change (cl_ext_immutable_memory_objects).
    pub fn is_immutable(&self) -> bool {
        self.flags & CL_MEM_IMMUTABLE_EXT != 0
    }

    /// CL_INVALID_OPERATION for an immutable object, which commands must not change.
    pub fn check_mutable(&self) -> Result<()> {
        ensure!(!self.is_immutable(), CL_INVALID_OPERATION);
        Ok(())
    }

    /// Returns false for an object of OpenGL's that is not acquired, otherwise true.
    fn is_acquired(&self) -> bool {
        self.gl.as_ref().is_none_or(|gl| gl.is_acquired())
    }

    /// Registers a function to call when the object is destroyed (clSetMemObjectDestructorCallback).
    pub fn add_destructor(&self, callback: MemDestructor, data: UserData) {
        self.destructors.lock().push((callback, data));
    }

    fn add_child(&self) {
        self.children.fetch_add(1, Ordering::AcqRel);
    }

    fn remove_child(&self) {
        self.children.fetch_sub(1, Ordering::AcqRel);
    }

    fn has_children(&self) -> bool {
        self.children.load(Ordering::Acquire) > 0
    }

    /// Calls the destructors of the object with this handle, the most recently registered first.
    fn call_destructors(&mut self, handle: cl_mem) {
        for (callback, data) in self.destructors.get_mut().drain(..).rev() {
            let handle = UserData(handle.cast());
            // The callback may free the memory behind CL_MEM_USE_HOST_PTR: commands that touch it
            // hold the object.
            callbacks::defer(move || {
                if let Some(callback) = callback {
                    // SAFETY: the application registered this function with this data.
                    unsafe { callback(handle.get().cast(), data.get()) };
                }
            });
        }
    }
}
