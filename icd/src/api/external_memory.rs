//! Acquiring and releasing memory that other APIs share (cl_khr_external_memory, cl_khr_egl_image).

use super::args;
use super::enqueue::enqueue;
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::command::ownership::{Direction, Shared};
use crate::core::command::Command;
use crate::core::memory::object::MemObject;
use crate::core::memory::properties::Origin;
use crate::dispatch::boundary::entry;

/// The arguments of a function that acquires or releases memory, with its type of command, the direction and the memory's
/// origin.
struct Enqueue {
    command_type: cl_command_type,
    way: Direction,
    origin: Origin,
    queue: cl_command_queue,
    mems: (cl_uint, *const cl_mem),
    waits: (cl_uint, *const cl_event),
    event: *mut cl_event,
}

impl Enqueue {
    /// # Safety
    /// The pointers are as the API requires.
    unsafe fn run(self) -> Result<()> {
        let queue = args::queue(self.queue)?;
        let (count, list) = self.mems;
        ensure!(list.is_null() == (count == 0), CL_INVALID_VALUE);
        // SAFETY: as the caller promises.
        let handles = unsafe { args::slice(list, count as usize) };
        let (foreign, elsewhere) = match self.origin {
            Origin::Handle => (CL_INVALID_MEM_OBJECT, CL_INVALID_COMMAND_QUEUE),
            Origin::Egl => (CL_INVALID_EGL_OBJECT_KHR, CL_INVALID_MEM_OBJECT),
            // Functions of `gl_sharing.rs` acquire OpenGL's objects.
            Origin::Gl => (CL_INVALID_GL_OBJECT, CL_INVALID_MEM_OBJECT),
        };
        let mut mems = Vec::new();
        for handle in handles {
            let mem = MemObject::from_handle(*handle)?;
            let is_own = mem.context == queue.context;
            ensure!(is_own || self.origin == Origin::Handle, elsewhere);
            let shared = Shared::of(mem, self.origin).ok_or(ClError(foreign))?;
            ensure!(shared.is_for(&queue.context, &queue.device), elsewhere);
            mems.push(shared);
        }
        // SAFETY: as the caller promises.
        let waits = unsafe {
            let (count, list) = self.waits;
            match (self.way, self.origin) {
                (Direction::Acquire, Origin::Egl) => {
                    args::wait_list_with_fences(&queue.context, count, list)
                }
                _ => args::wait_list(&queue.context, count, list),
            }
        }?;
        let command = match mems.is_empty() {
            true => Command::Marker,
            false => Command::TransferOwnership { mems, direction: self.way },
        };
        // SAFETY: as the caller promises.
        unsafe { enqueue(&queue, self.command_type, command, waits, false, self.event) }
    }
}

/// Declares functions that acquire or release memory, each with its type of command, the direction and the memory's origin.
macro_rules! transfers {
    ($($name:ident($command_type:ident, $way:ident, $origin:ident);)*) => {
        entry! {
            $(
                #[doc = concat!(stringify!($name), ".")]
                fn $name(
                    command_queue: cl_command_queue,
                    num_mem_objects: cl_uint,
                    mem_objects: *const cl_mem,
                    num_events_in_wait_list: cl_uint,
                    event_wait_list: *const cl_event,
                    event: *mut cl_event,
                ) -> status {
                    let all = Enqueue {
                        command_type: $command_type,
                        way: Direction::$way,
                        origin: Origin::$origin,
                        queue: command_queue,
                        mems: (num_mem_objects, mem_objects),
                        waits: (num_events_in_wait_list, event_wait_list),
                        event,
                    };
                    // SAFETY: the pointers are as the API requires.
                    unsafe { all.run() }
                }
            )*
        }
    };
}

transfers! {
    clEnqueueAcquireExternalMemObjectsKHR(
        CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, Acquire, Handle);
    clEnqueueReleaseExternalMemObjectsKHR(
        CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, Release, Handle);
    clEnqueueAcquireEGLObjectsKHR(CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR, Acquire, Egl);
    clEnqueueReleaseEGLObjectsKHR(CL_COMMAND_RELEASE_EGL_OBJECTS_KHR, Release, Egl);
}
