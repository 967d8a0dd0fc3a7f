//! Functions that share objects with OpenGL and EGL (cl_khr_gl_sharing, _gl_event, _egl_event), which no device offers yet:
//! programs link them all the same. No context comes from OpenGL and no object from either, so each call ends in the error
//! that the specification gives for that. Images of EGL are in `egl_images.rs`.

use super::args;
use super::enqueue::enqueue;
use crate::cl::error::{ensure, fail, Result};
use crate::cl::*;
use crate::core::command::Command;
use crate::core::context::Context;
use crate::core::memory::object::MemObject;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// Ends the creation of an object from one of OpenGL's: the context was not made from OpenGL's.
fn from_gl<T>(context: cl_context) -> Result<T> {
    Ref::<Context>::from_handle(context)?;
    fail(CL_INVALID_CONTEXT)
}

/// Ends a query of the OpenGL object behind a memory object.
fn object_of_gl(mem: cl_mem) -> Result<()> {
    MemObject::from_handle(mem)?;
    fail(CL_INVALID_GL_OBJECT)
}

/// The arguments of the functions that acquire and release shared objects.
struct Objects {
    queue: cl_command_queue,
    mems: (cl_uint, *const cl_mem),
    waits: (cl_uint, *const cl_event),
    event: *mut cl_event,
}

impl Objects {
    /// Does what is asked for: without objects the command does nothing; any object is `foreign`, the error's code.
    ///
    /// # Safety
    /// The pointers are as the API requires.
    unsafe fn run(self, command_type: cl_command_type, foreign: i32) -> Result<()> {
        let queue = args::queue(self.queue)?;
        let (count, list) = self.mems;
        ensure!(list.is_null() == (count == 0), CL_INVALID_VALUE);
        // SAFETY: as the caller promises.
        let mems = unsafe { args::slice(list, count as usize) };
        for mem in mems {
            let mem = MemObject::from_handle(*mem)?;
            ensure!(mem.context == queue.context, CL_INVALID_MEM_OBJECT);
        }
        ensure!(mems.is_empty(), foreign);
        // SAFETY: as the caller promises.
        let waits = unsafe { args::wait_list(&queue.context, self.waits.0, self.waits.1) }?;
        // SAFETY: as the caller promises.
        unsafe { enqueue(&queue, command_type, Command::Marker, waits, false, self.event) }
    }
}

/// Checks the property list that is to name a context of OpenGL, and ends the query of its devices: none can share with it,
/// or none was named.
///
/// # Safety
/// `list` is NULL or the start of a property list.
unsafe fn context_of_gl(list: *const cl_context_properties, query: cl_uint) -> Result<()> {
    let known = [CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, CL_DEVICES_FOR_GL_CONTEXT_KHR];
    ensure!(known.contains(&query), CL_INVALID_VALUE);
    let displays = [CL_EGL_DISPLAY_KHR, CL_GLX_DISPLAY_KHR, CL_WGL_HDC_KHR, CL_CGL_SHAREGROUP_KHR];
    let mut bindings = 0;
    // SAFETY: as the caller promises.
    for pair in unsafe { args::property_list(list, 2) }.chunks_exact(2) {
        match u32::try_from(pair[0]) {
            Ok(CL_CONTEXT_PLATFORM | CL_CONTEXT_INTEROP_USER_SYNC | CL_GL_CONTEXT_KHR) => {}
            Ok(name) if displays.contains(&name) => bindings += u32::from(pair[1] != 0),
            _ => return fail(CL_INVALID_VALUE),
        }
    }
    match bindings {
        0 | 1 => fail(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR),
        _ => fail(CL_INVALID_OPERATION),
    }
}

/// Declares functions that make a memory object of an OpenGL texture.
macro_rules! of_textures {
    ($($name:ident)*) => {
        entry! {
            $(
                #[doc = concat!(stringify!($name), ".")]
                fn $name(
                    context: cl_context,
                    _flags: cl_mem_flags,
                    _target: cl_GLenum,
                    _miplevel: cl_GLint,
                    _texture: cl_GLuint,
                ) -> handle cl_mem {
                    from_gl(context)
                }
            )*
        }
    };
}

/// Declares functions that acquire and release shared objects: with their type of command, and the error for other objects.
macro_rules! of_shared_objects {
    ($($name:ident($command_type:ident, $foreign:ident);)*) => {
        entry! {
            $(
                #[doc = concat!(stringify!($name), ".")]
                fn $name(
                    command_queue: cl_command_queue,
                    num_objects: cl_uint,
                    mem_objects: *const cl_mem,
                    num_events_in_wait_list: cl_uint,
                    event_wait_list: *const cl_event,
                    event: *mut cl_event,
                ) -> status {
                    let all = Objects {
                        queue: command_queue,
                        mems: (num_objects, mem_objects),
                        waits: (num_events_in_wait_list, event_wait_list),
                        event,
                    };
                    // SAFETY: the pointers are as the API requires.
                    unsafe { all.run($command_type, $foreign) }
                }
            )*
        }
    };
}

of_textures! { clCreateFromGLTexture clCreateFromGLTexture2D clCreateFromGLTexture3D }

of_shared_objects! {
    clEnqueueAcquireGLObjects(CL_COMMAND_ACQUIRE_GL_OBJECTS, CL_INVALID_GL_OBJECT);
    clEnqueueReleaseGLObjects(CL_COMMAND_RELEASE_GL_OBJECTS, CL_INVALID_GL_OBJECT);
}

entry! {
    /// clCreateFromGLBuffer.
    fn clCreateFromGLBuffer(
        context: cl_context,
        _flags: cl_mem_flags,
        _bufobj: cl_GLuint,
    ) -> handle cl_mem {
        from_gl(context)
    }

    /// clCreateFromGLRenderbuffer.
    fn clCreateFromGLRenderbuffer(
        context: cl_context,
        _flags: cl_mem_flags,
        _renderbuffer: cl_GLuint,
    ) -> handle cl_mem {
        from_gl(context)
    }

    /// clCreateEventFromGLsyncKHR.
    fn clCreateEventFromGLsyncKHR(context: cl_context, _sync: cl_GLsync) -> handle cl_event {
        from_gl(context)
    }

    /// clGetGLObjectInfo.
    fn clGetGLObjectInfo(
        memobj: cl_mem,
        _gl_object_type: *mut cl_gl_object_type,
        _gl_object_name: *mut cl_GLuint,
    ) -> status {
        object_of_gl(memobj)
    }

    /// clGetGLTextureInfo.
    fn clGetGLTextureInfo(
        memobj: cl_mem,
        _param_name: cl_gl_texture_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> status {
        object_of_gl(memobj)
    }

    /// clGetGLContextInfoKHR.
    fn clGetGLContextInfoKHR(
        properties: *const cl_context_properties,
        param_name: cl_gl_context_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> status {
        // SAFETY: the list is as the API requires.
        unsafe { context_of_gl(properties, param_name) }
    }

    /// clCreateEventFromEGLSyncKHR.
    fn clCreateEventFromEGLSyncKHR(
        context: cl_context,
        _sync: CLeglSyncKHR,
        _display: CLeglDisplayKHR,
    ) -> handle cl_event {
        from_gl(context)
    }
}
