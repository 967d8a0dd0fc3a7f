//! The application's context of OpenGL, and Hekla's own context, which shares objects with it.

use super::{egl, glx};
use std::ffi::{c_void, CStr};

/// The reason why objects cannot be shared with a context.
#[derive(Debug, Clone, Copy)]
pub enum Refusal {
    /// The process does not have the context's window system (EGL, GLX).
    NoWindowSystem,
    /// The context is not valid, or does not share objects.
    Invalid(&'static str),
}

/// The window system that made a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowSystem {
    Egl,
    Glx,
}

/// A context of the application, by handles of the window system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    pub system: WindowSystem,
    pub display: usize,
    pub context: usize,
}

/// Hekla's own context, which has the objects of the application's context. It is current on the thread that made it, and the
/// same thread destroys it.
pub(super) enum Current {
    Egl(egl::Shared),
    Glx(glx::Shared),
}

impl Binding {
    /// Makes a context that shares objects with this one, and makes it current on this thread. `None` if no version is left to
    /// attempt.
    pub(super) fn share(self, attempt: usize) -> Result<Option<Current>, Refusal> {
        let Binding { system, display, context } = self;
        Ok(match system {
            WindowSystem::Egl => egl::Shared::new(display, context, attempt)?.map(Current::Egl),
            WindowSystem::Glx => glx::Shared::new(display, context, attempt)?.map(Current::Glx),
        })
    }

    /// Returns true if a context of the same window system is current on this thread: the application's, or another one, which
    /// may share objects with it.
    pub fn is_any_current(self) -> bool {
        match self.system {
            WindowSystem::Egl => egl::is_any_current(),
            WindowSystem::Glx => glx::is_any_current(),
        }
    }

    /// Returns the address of one of OpenGL's functions.
    pub(super) fn address(self, name: &CStr) -> Option<*mut c_void> {
        match self.system {
            WindowSystem::Egl => egl::address(name),
            WindowSystem::Glx => glx::address(name),
        }
    }
}
