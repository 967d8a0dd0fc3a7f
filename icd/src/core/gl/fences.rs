//! Fences of OpenGL that events of OpenCL stand for (cl_khr_gl_event).

use super::constants::{TIMEOUT_EXPIRED, WAIT_FAILED};
use super::context::Gl;
use std::ffi::c_void;

/// A function to call with the context, and with true when a fence is passed, or false if OpenGL no longer knows the fence.
type Passed = Box<dyn FnOnce(&Gl, bool) + Send>;

/// Fences that the thread polls. It never blocks on a fence: if the application does not flush its context, the fence is not
/// passed, and other commands must continue.
#[derive(Default)]
pub(super) struct Fences(Vec<Pending>);

/// A fence that is not passed yet.
struct Pending {
    fence: usize,
    /// True if the fence is the library's own, and is deleted when it is passed.
    is_own: bool,
    passed: Passed,
}

impl Fences {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(&mut self, fence: usize, is_own: bool, passed: Passed) {
        self.0.push(Pending { fence, is_own, passed });
    }

    /// Calls the functions of the fences that are passed.
    pub(super) fn look(&mut self, gl: &Gl) {
        let mut pending = Vec::new();
        for one in self.0.drain(..) {
            match gl.fence_state(one.fence) {
                State::Pending => pending.push(one),
                State::Passed => {
                    if one.is_own {
                        // SAFETY: the fence is the library's, and nobody else's.
                        unsafe { (gl.f.delete_sync)(one.fence as *mut c_void) };
                    }
                    (one.passed)(gl, true);
                }
                State::Unknown => (one.passed)(gl, false),
            }
        }
        self.0 = pending;
    }

    /// Calls all functions with false, because nothing polls the fences any more.
    pub(super) fn give_up(self, gl: &Gl) {
        self.0.into_iter().for_each(|one| (one.passed)(gl, false));
    }
}

enum State {
    Pending,
    Passed,
    Unknown,
}

impl Gl {
    /// Returns true if OpenGL has a fence with this handle.
    pub(super) fn is_fence(&self, fence: usize) -> bool {
        // SAFETY: the context is current; OpenGL looks up the fence.
        fence != 0 && unsafe { (self.f.is_sync)(fence as *mut c_void) } != 0
    }

    fn fence_state(&self, fence: usize) -> State {
        if !self.is_fence(fence) {
            return State::Unknown;
        }
        // SAFETY: the context is current; it does not wait.
        match unsafe { (self.f.wait_sync)(fence as *mut c_void, 0, 0) } {
            TIMEOUT_EXPIRED => State::Pending,
            0 | WAIT_FAILED => State::Unknown,
            _ => State::Passed,
        }
    }
}
