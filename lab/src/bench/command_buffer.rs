//! Command buffers (cl_khr_command_buffer) for the bench: launches recorded once and replayed.

use super::cl::{Kernel, Result, Session};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(u32, *const Handle, *const u64, *mut i32) -> Handle;
type OfBuffer = unsafe extern "C" fn(Handle) -> i32;
type Launch = unsafe extern "C" fn(
    Handle,
    Handle,
    *const u64,
    Handle,
    u32,
    *const usize,
    *const usize,
    *const usize,
    u32,
    *const u32,
    *mut u32,
    *mut Handle,
) -> i32;
type Enqueue =
    unsafe extern "C" fn(u32, *mut Handle, Handle, u32, *const Handle, *mut Handle) -> i32;

/// A command buffer that is being recorded.
pub struct Recording {
    buffer: CommandBuffer,
    launch: Launch,
}

impl Recording {
    /// Begins a command buffer for a queue of the session's device.
    pub fn begin(s: &Session, queue: Handle) -> Result<Recording> {
        // SAFETY: the functions have these types since the extension's first version.
        let (create, launch, enqueue, release) = unsafe {
            (
                s.extension::<Create>(c"clCreateCommandBufferKHR")?,
                s.extension::<Launch>(c"clCommandNDRangeKernelKHR")?,
                s.extension::<Enqueue>(c"clEnqueueCommandBufferKHR")?,
                s.extension::<OfBuffer>(c"clReleaseCommandBufferKHR")?,
            )
        };
        let mut status = 0;
        // SAFETY: a queue, no properties.
        let handle = unsafe { create(1, &queue, null(), &mut status) };
        check("clCreateCommandBufferKHR", status)?;
        Ok(Recording { buffer: CommandBuffer { handle, enqueue, release }, launch })
    }

    /// Adds a launch over one dimension that names no sync points.
    pub fn launch(&self, kernel: &Kernel, (global, local): (usize, usize)) -> Result<()> {
        let (handle, n, none, kernel) = (self.buffer.handle, null_mut(), null(), kernel.handle());
        let (points, place, command) = (null(), null_mut(), null_mut());
        // SAFETY: the handles are alive; one dimension, nothing to wait for.
        let status = unsafe {
            (self.launch)(
                handle,
                n,
                none,
                kernel,
                1,
                null(),
                &global,
                &local,
                0,
                points,
                place,
                command,
            )
        };
        check("clCommandNDRangeKernelKHR", status)
    }

    /// Ends recording.
    pub fn finalize(self, s: &Session) -> Result<CommandBuffer> {
        // SAFETY: as above; the handle is alive.
        let status =
            unsafe { s.extension::<OfBuffer>(c"clFinalizeCommandBufferKHR")?(self.buffer.handle) };
        check("clFinalizeCommandBufferKHR", status)?;
        Ok(self.buffer)
    }
}

/// A command buffer that is finalized.
pub struct CommandBuffer {
    handle: Handle,
    enqueue: Enqueue,
    release: OfBuffer,
}

fn check(name: &str, status: i32) -> Result<()> {
    match status {
        0 => Ok(()),
        status => Err(format!("{name} gives {status}")),
    }
}

impl CommandBuffer {
    /// `count` launches of a kernel on the session's queue, one after the other.
    pub fn of_launches(
        s: &Session,
        kernel: &Kernel,
        count: usize,
        sizes: (usize, usize),
    ) -> Result<CommandBuffer> {
        let recording = Recording::begin(s, s.queue_handle())?;
        (0..count).try_for_each(|_| recording.launch(kernel, sizes))?;
        recording.finalize(s)
    }

    /// Enqueues the whole command buffer, without an event.
    pub fn replay(&self) -> Result<()> {
        // SAFETY: the handle is alive; nothing to wait for.
        let status = unsafe { (self.enqueue)(0, null_mut(), self.handle, 0, null(), null_mut()) };
        check("clEnqueueCommandBufferKHR", status)
    }
}

impl Drop for CommandBuffer {
    fn drop(&mut self) {
        // SAFETY: the handle is this owner's.
        unsafe { (self.release)(self.handle) };
    }
}
