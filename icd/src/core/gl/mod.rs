//! Objects of OpenGL and OpenGL ES (cl_khr_gl_sharing). A context of OpenCL has its own context of OpenGL, which shares objects
//! with the application's context and is current on a thread of its own. This thread describes objects and copies their
//! contents.
//!
//! The libraries of OpenGL are the ones that the process has loaded; no library is loaded or linked here.

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

/// The connection of an OpenCL context to OpenGL.
pub struct Sharing {
    binding: Binding,
    thread: Thread,
    /// The devices that OpenGL uses, as Vulkan names them; empty if OpenGL does not report them.
    pub devices: Vec<[u8; 16]>,
    fencing: Option<Fencing>,
    /// Whether the memory of objects is shared, as far as known: by internal format (0: buffers), and whether the object has
    /// several levels.
    shared: Mutex<BTreeMap<(u32, bool), bool>>,
    /// Waits for the end of the display.
    _watch: Mutex<Option<x11::Watch>>,
}

impl Sharing {
    /// Makes a context that shares objects with the application's, and tests that their contents can be copied.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION if the process does not have the window system; CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR if the
    /// context is not valid or does not share.
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

    /// Makes the context end before the application closes its display.
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

    /// Returns true if the memory of an object is shared; `probe` finds out for the first object of its kind. Returns false
    /// with `HEKLA_GL=copy`.
    pub fn shares_memory(&self, object: &Object, probe: impl FnOnce() -> bool) -> bool {
        let kind = (object.texels.map_or(0, |texels| texels.internal), object.has_levels);
        let mut shared = self.shared.lock();
        *shared.entry(kind).or_insert_with(|| !config::gl_ways().copies && probe())
    }

    /// Runs a job on the thread with the context, and waits for it.
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT when the application has closed the display.
    pub fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Gl) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.thread.ask(job).ok_or(ClError(CL_INVALID_GL_OBJECT))?
    }

    /// Sets a fence behind the application's commands so far, if one of its contexts is current on this thread: commands that
    /// are enqueued now come after them (cl_khr_gl_event, implicit synchronization).
    pub fn fence(&self) -> Option<Fence> {
        self.fencing.as_ref().filter(|_| self.is_any_current()).and_then(Fence::set)
    }

    /// Returns true if a context of OpenGL is current on this thread.
    pub fn is_any_current(&self) -> bool {
        self.binding.is_any_current()
    }

    /// Calls `settled` when the results of OpenGL's commands are visible in the objects' memory. `fence`: set behind these
    /// commands by [`Sharing::fence`], if there may be any.
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
        // A thread that has ended drops its jobs. The memory then keeps its current contents.
        self.thread.post(move |gl, fences| match fence {
            Some(fence) => fences.add(fence.handle(), true, Box::new(move |gl, _| settle(gl))),
            None => settle(gl),
        });
    }

    /// Calls `passed` when the application's fence is passed: with true, or with false if OpenGL no longer knows the fence.
    ///
    /// # Errors
    /// CL_INVALID_GL_OBJECT if the handle is not a fence.
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
