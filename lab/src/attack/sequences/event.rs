//! Events, owned.

use super::api::{call, done, Result};
use cl3::types::cl_event;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An event, released when no thread needs it any more.
#[derive(Debug)]
pub struct Event {
    handle: usize,
}

impl Event {
    /// Takes over a handle.
    pub fn own(handle: cl_event) -> Event {
        Event { handle: handle.expose_provenance() }
    }

    pub fn handle(&self) -> cl_event {
        std::ptr::with_exposed_provenance_mut(self.handle)
    }

    /// Waits for the command's end.
    pub fn wait(&self) -> Result<()> {
        done!(clWaitForEvents(1, &self.handle()))
    }

    /// Completes a user event.
    pub fn complete(&self) -> Result<()> {
        done!(clSetUserEventStatus(self.handle(), 0))
    }

    /// Completes a user event with an error.
    pub fn fail(&self) -> Result<()> {
        done!(clSetUserEventStatus(self.handle(), -1))
    }

    /// Returns the status of the command: CL_COMPLETE or an error after its end.
    pub fn status(&self) -> Result<i32> {
        let mut status = 0;
        let place = std::ptr::from_mut(&mut status).cast();
        done!(clGetEventInfo(self.handle(), 0x11D3, 4, place, std::ptr::null_mut()))?;
        Ok(status)
    }

    /// Registers a callback for the command's end, which counts its calls.
    pub fn count_end(&self, counter: &'static AtomicUsize) -> Result<()> {
        let user = std::ptr::from_ref(counter).cast_mut().cast();
        done!(clSetEventCallback(self.handle(), 0, Some(count), user))
    }

    /// Checks that the times of a completed command are in order (OpenCL 5.14).
    pub fn check_times(&self) -> Result<()> {
        let mut times = [0u64; 4];
        for (what, time) in (0x1280..).zip(&mut times) {
            let place = std::ptr::from_mut(time).cast();
            done!(clGetEventProfilingInfo(self.handle(), what, 8, place, std::ptr::null_mut()))?;
        }
        match times.is_sorted() {
            true => Ok(()),
            false => Err(format!("times of an event are not in order: {times:?}")),
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        call!(clReleaseEvent(self.handle()));
    }
}

unsafe extern "C" fn count(_: cl_event, status: i32, user: *mut std::ffi::c_void) {
    // SAFETY: `count_end` passes a counter that lives as long as the process.
    let counter = unsafe { &*user.cast::<AtomicUsize>() };
    if status == 0 {
        counter.fetch_add(1, Ordering::SeqCst);
    }
}
