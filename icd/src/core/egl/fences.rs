//! Fences of EGL that events of OpenCL stand for (cl_khr_egl_event).

use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::platform::{self, function_table, Library};
use std::ffi::{c_char, c_void};
use std::time::Duration;

type Handle = *mut c_void;

/// The time between two checks of a fence.
const BETWEEN_LOOKS: Duration = Duration::from_micros(200);
const SYNC_STATUS: i32 = 0x30F1;
const SIGNALED: i32 = 0x30F2;

function_table! {
    /// The function that returns the addresses of other functions (EGL 1.4).
    Finder {
        address c"eglGetProcAddress": fn(*const c_char) -> Handle;
    }
}

function_table! {
    /// The functions of EGL_KHR_fence_sync.
    Fences {
        attribute c"eglGetSyncAttribKHR": fn(Handle, Handle, i32, *mut i32) -> u32;
    }
}

/// A fence of a display.
pub struct Fence {
    functions: Fences,
    display: usize,
    fence: usize,
}

impl Fence {
    /// Returns a fence of the application.
    ///
    /// # Errors
    /// CL_INVALID_EGL_OBJECT_KHR if the display has no such fence, or if the process has not loaded EGL.
    pub fn new(display: usize, fence: usize) -> Result<Fence> {
        let fence = Fence { functions: functions().ok_or(NONE)?, display, fence };
        ensure!(display != 0 && fence.status().is_some(), NONE.0);
        Ok(fence)
    }

    /// Returns EGL_SYNC_STATUS; `None` if the fence does not exist, or no longer exists.
    fn status(&self) -> Option<i32> {
        let (display, fence, mut status) = (self.display as Handle, self.fence as Handle, 0);
        // SAFETY: EGL looks up display and fence; one value is written.
        let known = unsafe { (self.functions.attribute)(display, fence, SYNC_STATUS, &mut status) };
        (known != 0).then_some(status)
    }

    /// Polls the fence until it is passed, or until `goes_on` returns false because nobody waits any more. Returns true if the
    /// fence is passed, false if EGL no longer knows it; `None` if nobody waits.
    pub fn wait(&self, goes_on: impl Fn() -> bool) -> Option<bool> {
        while goes_on() {
            match self.status() {
                Some(SIGNALED) => return Some(true),
                Some(_) => std::thread::sleep(BETWEEN_LOOKS),
                None => return Some(false),
            }
        }
        None
    }
}

const NONE: ClError = ClError(CL_INVALID_EGL_OBJECT_KHR);

fn functions() -> Option<Fences> {
    let library = Library::loaded(platform::EGL)?;
    let finder = Finder::look_up(|name| library.symbol(name))?;
    Fences::look_up(|name| {
        // SAFETY: the name is a string.
        let address = unsafe { (finder.address)(name.as_ptr()) };
        (!address.is_null()).then_some(address)
    })
}
