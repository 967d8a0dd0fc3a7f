//! A context of OpenGL that is current on this thread: its functions, its properties, and temporary objects for single queries.

use super::binding::{Binding, Current};
use super::constants::*;
use super::functions::{Desktop, Devices, Fencing, Functions};
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::{CL_INVALID_GL_OBJECT, CL_OUT_OF_RESOURCES};
use std::ffi::{c_void, CStr};

/// The thread's context, which shares objects with the application's context.
pub struct Gl {
    pub(super) f: Functions,
    /// The functions of OpenGL that OpenGL ES lacks; `None` in OpenGL ES.
    pub(super) desktop: Option<Desktop>,
    /// The devices that the context uses, as VkPhysicalDeviceIDProperties::deviceUUID names them; empty if OpenGL does not
    /// report them.
    pub(super) devices: Vec<[u8; 16]>,
    /// The context itself, which is the last field so that it is dropped last.
    pub(super) current: Current,
}

/// Returns major and minor version in a text as glGetString gives it, and true for OpenGL ES.
fn version_in(text: &str) -> Option<(u32, u32, bool)> {
    let number = text.strip_prefix("OpenGL ES ");
    let is_es = number.is_some();
    let mut parts = number.unwrap_or(text).split(['.', ' ']);
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    Some((major, minor, is_es))
}

impl Gl {
    /// Returns the context that is current on this thread, with its functions. `None` if it lacks something that sharing needs:
    /// it is older than OpenGL 3.2 or OpenGL ES 3.1.
    pub(super) fn of_thread(binding: Binding, current: Current) -> Option<Gl> {
        let find = |name: &CStr| binding.address(name);
        let f = Functions::look_up(find)?;
        // SAFETY: a context is current on this thread.
        let text = unsafe { (f.string)(VERSION) };
        // SAFETY: OpenGL's strings are there as long as the context.
        let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })?.to_string_lossy();
        let (major, minor, is_es) = version_in(&text)?;
        if (major, minor) < if is_es { (3, 1) } else { (3, 2) } {
            tracing::info!("sharing with OpenGL takes OpenGL 3.2 or OpenGL ES 3.1, not {text}");
            return None;
        }
        let desktop = if is_es { None } else { Some(Desktop::look_up(find)?) };
        let mut gl = Gl { f, desktop, devices: Vec::new(), current };
        if gl.has("GL_EXT_memory_object") || gl.has("GL_EXT_semaphore") {
            gl.devices =
                Devices::look_up(find).map(|devices| gl.uuids(&devices)).unwrap_or_default();
        }
        gl.set_up();
        tracing::info!("objects are shared with OpenGL in a context of {text}");
        Some(gl)
    }

    /// Sets the state that transfers rely on: rows follow each other without gaps, and no value is clamped.
    fn set_up(&self) {
        // SAFETY: the context is current on this thread.
        unsafe {
            (self.f.pixel_store)(PACK_ALIGNMENT, 1);
            (self.f.pixel_store)(UNPACK_ALIGNMENT, 1);
            if let Some(desktop) = &self.desktop {
                (desktop.clamp_color)(CLAMP_READ_COLOR, 0);
            }
        }
        self.forget_errors();
    }

    /// Returns true if the context offers an extension.
    pub(super) fn has(&self, extension: &str) -> bool {
        (0..self.integer(NUM_EXTENSIONS).unsigned_abs()).any(|index| {
            // SAFETY: the context is current; the index is one of an extension.
            let name = unsafe { (self.f.string_at)(EXTENSIONS, index) };
            // SAFETY: OpenGL's strings are there as long as the context.
            !name.is_null() && unsafe { CStr::from_ptr(name) }.to_bytes() == extension.as_bytes()
        })
    }

    fn uuids(&self, devices: &Devices) -> Vec<[u8; 16]> {
        let uuid = |index| {
            let mut bytes = [0; 16];
            // SAFETY: the context is current; GL_UUID_SIZE_EXT is 16.
            unsafe { (devices.bytes_at)(DEVICE_UUID_EXT, index, bytes.as_mut_ptr()) };
            bytes
        };
        (0..self.integer(NUM_DEVICE_UUIDS_EXT).unsigned_abs()).map(uuid).collect()
    }

    pub(super) fn integer(&self, name: u32) -> i32 {
        let mut value = 0;
        // SAFETY: the context is current; the names asked for are of single values.
        unsafe { (self.f.integer)(name, &mut value) };
        value
    }

    /// Discards the errors of earlier calls.
    pub(super) fn forget_errors(&self) {
        // SAFETY: the context is current. A context that is lost reports errors without end.
        (0..16).take_while(|_| unsafe { (self.f.error)() } != 0).count();
    }

    /// Fails with `code` if OpenGL has reported an error since the last check.
    pub(super) fn check(&self, code: i32) -> Result<()> {
        // SAFETY: the context is current.
        let error = unsafe { (self.f.error)() };
        if error != 0 {
            tracing::info!("OpenGL answers {error:#x}");
            self.forget_errors();
        }
        ensure!(error == 0, code);
        Ok(())
    }

    /// Waits until the context has executed all of its commands.
    pub(super) fn finish(&self) {
        // SAFETY: the context is current.
        unsafe { (self.f.finish)() };
    }

    /// Lets `fill` write `bytes.len()` bytes to a temporary buffer, and reads the buffer. Even if the object that the bytes
    /// come from changes meanwhile, OpenGL writes no more bytes than that. The buffer is bound to `target`.
    pub(super) fn through_buffer(
        &self,
        target: u32,
        bytes: &mut [u8],
        fill: impl FnOnce(),
    ) -> Result<()> {
        let size = isize::try_from(bytes.len()).map_err(|_| ClError(CL_OUT_OF_RESOURCES))?;
        let (f, none) = (&self.f, std::ptr::null());
        let mut buffer = 0;
        // SAFETY: the context is current; the buffer is new.
        unsafe {
            (f.gen_buffers)(1, &mut buffer);
            (f.bind_buffer)(target, buffer);
            (f.buffer_data)(target, size, none, STREAM_READ);
        }
        let read = self.check(CL_OUT_OF_RESOURCES).and_then(|()| {
            fill();
            self.check(CL_INVALID_GL_OBJECT)?;
            // SAFETY: the buffer has that size.
            let mapped = unsafe { (f.map_buffer)(target, 0, size, MAP_READ_BIT) };
            if mapped.is_null() {
                return fail(CL_OUT_OF_RESOURCES);
            }
            // SAFETY: as many bytes are mapped; the slice is this function's alone.
            unsafe {
                bytes.as_mut_ptr().copy_from_nonoverlapping(mapped.cast::<u8>(), bytes.len());
                (f.unmap_buffer)(target);
            }
            Ok(())
        });
        // SAFETY: the buffer is this function's.
        unsafe {
            (f.bind_buffer)(target, 0);
            (f.delete_buffers)(1, &buffer);
        }
        self.forget_errors();
        read
    }
}

/// A fence that the application's context sets and Hekla's context waits for.
pub struct Fence(*mut c_void);

// SAFETY: fences belong to the contexts that share objects, whatever the thread.
unsafe impl Send for Fence {}

impl Fence {
    /// Sets a fence behind all commands so far of the context that is current on this thread, which is one of the
    /// application's.
    pub(super) fn set(f: &Fencing) -> Option<Fence> {
        // SAFETY: a context is current on this thread.
        let fence = unsafe {
            let fence = (f.fence)(SYNC_GPU_COMMANDS_COMPLETE, 0);
            (f.flush)();
            fence
        };
        (!fence.is_null()).then_some(Fence(fence))
    }

    /// Returns the fence's handle, for the thread that has Hekla's context.
    pub(super) fn handle(&self) -> usize {
        self.0 as usize
    }

    /// Waits for the fence and removes it. Does nothing for a fence of a context that shares no objects with Hekla's: such a
    /// context cannot use the objects.
    pub fn wait(self, gl: &Gl) {
        if !gl.is_fence(self.handle()) {
            return;
        }
        // SAFETY: the fence is one of the contexts that share, and nobody else's.
        unsafe {
            while (gl.f.wait_sync)(self.0, 0, 1_000_000_000) == TIMEOUT_EXPIRED {}
            (gl.f.delete_sync)(self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(version_in("4.5 (Core Profile) Mesa 25.0.7"), Some((4, 5, false)));
        assert_eq!(version_in("OpenGL ES 3.2 Mesa"), Some((3, 2, true)));
        assert_eq!(version_in("4.6.0 NVIDIA 580.1"), Some((4, 6, false)));
        assert_eq!(version_in(""), None);
    }
}
