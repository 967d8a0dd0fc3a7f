//! Fences of OpenGL that events of OpenCL stand for (cl_khr_gl_event).

use super::constants::{TIMEOUT_EXPIRED, WAIT_FAILED};
use super::context::Gl;
use std::ffi::c_void;

/// Called with the context, and true when a fence is passed, or false where OpenGL no longer knows.
type Passed = Box<dyn FnOnce(&Gl, bool) + Send>;

/// Fences that the thread looks at again and again. It never waits for one: a context that was told nothing else may not have
/// been flushed, and other commands must go on.
#[derive(Default)]
pub(super) struct Fences(Vec<Pending>);

/// A fence that is not passed yet.
struct Pending {
    fence: usize,
    /// True if it is the library's own, and goes when it is passed.
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

    /// Tells of the fences that are passed.
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

    /// Tells that nobody looks any more.
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
    /// Returns true if there is such a fence.
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
