//! Objects of OpenGL and OpenGL ES (cl_khr_gl_sharing): a context of OpenCL has a context of OpenGL of its own that shares
//! objects with the application's, current on a thread of its own. It tells what objects are, and copies their contents.
//!
//! OpenGL is the application's: the libraries are those that the process has loaded, and none of them is loaded or linked here.

mod binding;
mod constants;
mod context;
mod copy;
mod describe;
mod egl;
mod export;
mod fences;
mod format;
mod framebuffer;
mod functions;
mod glx;
mod interop;
mod object;
mod probe;
mod thread;
mod x11;

pub use binding::{Binding, WindowSystem};
pub use context::{Fence, Gl};
pub use export::Memory;
pub use object::{is_target, Object, Shared, Source};

use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::config;
use binding::Refusal;
use functions::Fencing;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use thread::Thread;

/// What a context of OpenCL has of OpenGL.
pub struct Sharing {
    binding: Binding,
    thread: Thread,
    /// The devices that OpenGL uses, as Vulkan names them; empty where it does not tell.
    pub devices: Vec<[u8; 16]>,
    fencing: Option<Fencing>,
    /// What is known of the memory of objects, by their internal formats (0: buffers) and whether they have several levels:
    /// true if it is shared.
    shared: Mutex<BTreeMap<(u32, bool), bool>>,
    /// Word of the end of the display.
    _watch: Mutex<Option<x11::Watch>>,
}

impl Sharing {
    /// Makes a context that shares objects with the application's, and tests that their contents can be copied.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION where the process has no such window system; CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR for what is no
    /// valid context, or one that does not share.
    pub fn new(binding: Binding) -> Result<Arc<Sharing>> {
        let (thread, devices) = Thread::start(binding).map_err(|refusal| match refusal {
            Refusal::NoWindowSystem => {
                tracing::info!("sharing with OpenGL: the process has no {:?}", binding.system);
                ClError(CL_INVALID_OPERATION)
            }
            Refusal::Invalid(reason) => {
                tracing::info!("sharing with OpenGL: {reason}");
                ClError(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR)
            }
        })?;
        let _watch = Mutex::new(None);
        let fencing = Fencing::look_up(|name| binding.address(name));
        let shared = Mutex::default();
        let sharing = Arc::new(Sharing { binding, thread, devices, fencing, shared, _watch });
        if binding.system == WindowSystem::Glx {
            sharing.end_with_display();
        }
        Ok(sharing)
    }

    /// Has the context end before the application closes its display.
    fn end_with_display(self: &Arc<Sharing>) {
        let weak: Weak<Sharing> = Arc::downgrade(self);
        let end = move || {
            if let Some(sharing) = weak.upgrade() {
                sharing.thread.stop();
            }
        };
        // SAFETY: the display is open: a context of it was just made.
        *self._watch.lock() = unsafe { x11::before_close(self.binding.display, end) };
    }

    /// Returns true if the memory of such an object is shared; `probe` finds out for the first of its kind. Never with
    /// `HEKLA_GL=copy`.
    pub fn shares_memory(&self, object: &Object, probe: impl FnOnce() -> bool) -> bool {
        let kind = (object.texels.map_or(0, |texels| texels.internal), object.has_levels);
        let mut shared = self.shared.lock();
        *shared.entry(kind).or_insert_with(|| !config::gl_ways().copies && probe())
    }

    /// Has the thread with the context do something, and waits for it.
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT when the application has closed the display.
    pub fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Gl) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.thread.ask(job).ok_or(ClError(CL_INVALID_GL_OBJECT))?
    }

    /// Sets a fence behind what the application has told the context that is current on this thread, if one is: commands that
    /// are enqueued now come after it (cl_khr_gl_event, implicit synchronization).
    pub fn fence(&self) -> Option<Fence> {
        self.fencing.as_ref().filter(|_| self.is_any_current()).and_then(Fence::set)
    }

    /// Returns true if a context of OpenGL is current on this thread.
    pub fn is_any_current(&self) -> bool {
        self.binding.is_any_current()
    }

    /// Calls `settled` when what OpenGL does with objects is done and to be seen in their memory: what it was told before a
    /// fence that [`Sharing::fence`] set, if it was told anything.
    pub fn when_settled(
        &self,
        fence: Option<Fence>,
        objects: Vec<Object>,
        settled: impl FnOnce() + Send + 'static,
    ) {
        let settle = move |gl: &Gl| {
            gl.settle_by_mesa(&objects);
            settled();
        };
        // A thread that has ended drops what it was to do, and its memory is what it is then.
        self.thread.post(move |gl, fences| match fence {
            Some(fence) => fences.add(fence.handle(), true, Box::new(move |gl, _| settle(gl))),
            None => settle(gl),
        });
    }

    /// Calls `passed` when a fence of the application's is passed: with false if OpenGL no longer knows of it.
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT for what is no fence.
    pub fn when_passed(
        &self,
        fence: usize,
        passed: impl FnOnce(bool) + Send + 'static,
    ) -> Result<()> {
        let is_fence = self.ask(move |gl| Ok(gl.is_fence(fence)))?;
        ensure!(is_fence, CL_INVALID_GL_OBJECT);
        let posted = self
            .thread
            .post(move |_, fences| fences.add(fence, false, Box::new(|_, known| passed(known))));
        ensure!(posted, CL_INVALID_GL_OBJECT);
        Ok(())
    }
}
