//! A context of OpenCL that shares with one of OpenGL, and what the tests do with both.

use crate::common::*;
use crate::gl::{Api, Gl, Handle};
use std::ptr::{null, null_mut};

pub type CreateBuffer = unsafe extern "C" fn(cl_context, u64, u32, *mut cl_int) -> cl_mem;
pub type CreateTexture =
    unsafe extern "C" fn(cl_context, u64, u32, i32, u32, *mut cl_int) -> cl_mem;
pub type CreateEvent = unsafe extern "C" fn(cl_context, Handle, *mut cl_int) -> cl_event;
pub type CreateEglEvent = unsafe extern "C" fn(cl_context, Handle, Handle, *mut cl_int) -> cl_event;
pub type ObjectInfo = unsafe extern "C" fn(cl_mem, *mut u32, *mut u32) -> cl_int;
pub type TextureInfo =
    unsafe extern "C" fn(cl_mem, u32, usize, *mut std::ffi::c_void, *mut usize) -> cl_int;
pub type ContextInfo =
    unsafe extern "C" fn(*const isize, u32, usize, *mut std::ffi::c_void, *mut usize) -> cl_int;
type HandOver = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *const cl_mem,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

/// The objects and functions that each test uses.
pub struct World {
    pub s: Setup,
    pub gl: Gl,
    pub create_buffer: CreateBuffer,
    pub create_texture: CreateTexture,
    pub create_renderbuffer: CreateBuffer,
    acquire: HandOver,
    release: HandOver,
}

impl World {
    /// Returns the properties of contexts that share.
    pub fn properties(gl: &Gl) -> [isize; 5] {
        let (name, display) = (CL_GL_CONTEXT_KHR as isize, CL_EGL_DISPLAY_KHR as isize);
        [name, gl.context as isize, display, gl.display as isize, 0]
    }

    /// Returns the world; `None`, with a message, where there is no OpenGL without a window.
    pub fn new(api: Api) -> Option<World> {
        let s = Setup::new();
        assert!(s.offers("cl_khr_gl_sharing"));
        let Some(gl) = Gl::new(api) else {
            skip("no EGL makes contexts without a window");
            return None;
        };
        let list = World::properties(&gl);
        let (list, device) = (list.as_ptr(), &s.device);
        let mut code = 0;
        let context =
            unsafe { (s.cl.clCreateContext)(list, 1, device, None, null_mut(), &mut code) };
        if code == CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR {
            skip("OpenGL shares no objects");
            return None;
        }
        check(code);
        let queue = made(|e| unsafe {
            (s.cl.clCreateCommandQueue)(context, s.device, CL_QUEUE_PROFILING_ENABLE, e)
        });
        let s = Setup { context, queue, ..s };
        Some(World {
            create_buffer: s.extension(c"clCreateFromGLBuffer"),
            create_texture: s.extension(c"clCreateFromGLTexture"),
            create_renderbuffer: s.extension(c"clCreateFromGLRenderbuffer"),
            acquire: s.extension(c"clEnqueueAcquireGLObjects"),
            release: s.extension(c"clEnqueueReleaseGLObjects"),
            s,
            gl,
        })
    }

    pub fn buffer(&self, flags: u64, name: u32) -> cl_mem {
        made(|e| unsafe { (self.create_buffer)(self.s.context, flags, name, e) })
    }

    pub fn texture(&self, flags: u64, target: u32, level: i32, name: u32) -> cl_mem {
        made(|e| unsafe { (self.create_texture)(self.s.context, flags, target, level, name, e) })
    }

    /// Enqueues an acquire or a release; returns its event.
    pub fn hand_over(&self, acquires: bool, mems: &[cl_mem], waits: &[cl_event]) -> cl_event {
        let mut event = null_mut();
        check(self.try_hand_over(acquires, mems, waits, &mut event));
        event
    }

    pub fn try_hand_over(
        &self,
        acquires: bool,
        mems: &[cl_mem],
        waits: &[cl_event],
        event: *mut cl_event,
    ) -> cl_int {
        let function = if acquires { self.acquire } else { self.release };
        let list = |length: usize, start| if length == 0 { null() } else { start };
        let (mems, count) = (list(mems.len(), mems.as_ptr()), mems.len() as u32);
        let (events, number) = (waits.as_ptr(), waits.len() as u32);
        let events = if number == 0 { null() } else { events };
        unsafe { function(self.s.queue, count, mems, number, events, event) }
    }

    /// Acquires or releases an object by another queue of the context.
    pub fn hand_over_by(&self, queue: cl_command_queue, acquires: bool, mem: cl_mem) {
        let function = if acquires { self.acquire } else { self.release };
        check(unsafe { function(queue, 1, &mem, 0, null(), null_mut()) });
    }

    pub fn acquire(&self, mem: cl_mem) {
        self.hand_over(true, &[mem], &[]);
    }

    pub fn release(&self, mem: cl_mem) {
        self.hand_over(false, &[mem], &[]);
    }

    /// Returns the final status of a command.
    pub fn end(&self, event: cl_event) -> cl_int {
        let _ = unsafe { (self.s.cl.clWaitForEvents)(1, &event) };
        self.s.status(event)
    }

    pub fn read_image(&self, mem: cl_mem, size: [usize; 3], texel: usize) -> Vec<u8> {
        let mut texels = vec![0u8; size.iter().product::<usize>() * texel];
        let (origin, to) = ([0usize; 3], texels.as_mut_ptr().cast());
        check(unsafe {
            (self.s.cl.clEnqueueReadImage)(
                self.s.queue,
                mem,
                CL_TRUE,
                origin.as_ptr(),
                size.as_ptr(),
                0,
                0,
                to,
                0,
                null(),
                null_mut(),
            )
        });
        texels
    }

    pub fn write_image(&self, mem: cl_mem, size: [usize; 3], texels: &[u8]) {
        let (origin, from) = ([0usize; 3], texels.as_ptr().cast());
        check(unsafe {
            (self.s.cl.clEnqueueWriteImage)(
                self.s.queue,
                mem,
                CL_TRUE,
                origin.as_ptr(),
                size.as_ptr(),
                0,
                0,
                from,
                0,
                null(),
                null_mut(),
            )
        });
    }
}
