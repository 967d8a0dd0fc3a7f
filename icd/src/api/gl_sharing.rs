//! Memory objects of OpenGL's objects (cl_khr_gl_sharing), and events of its fences (cl_khr_gl_event) and of EGL's
//! (cl_khr_egl_event).

use super::args;
use super::enqueue::enqueue;
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::command::ownership::Direction;
use crate::core::command::Command;
use crate::core::context::Context;
use crate::core::egl;
use crate::core::gl::{is_target, Gl, Object, Sharing};
use crate::core::memory::buffer::Buffer;
use crate::core::memory::image::Image;
use crate::core::memory::object::MemObject;
use crate::core::queue::effects::Effects;
use crate::core::queue::event::Event;
use crate::core::queue::Queue;
use crate::dispatch::boundary::entry;
use crate::object::{callbacks, Ref};
use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::Arc;

/// Returns a context and its connection to OpenGL; CL_INVALID_CONTEXT for one that was not created from a context of OpenGL.
fn sharing(context: cl_context) -> Result<(Ref<Context>, Arc<Sharing>)> {
    let context = Ref::<Context>::from_handle(context)?;
    let sharing = context.gl.clone().ok_or(ClError(CL_INVALID_CONTEXT))?;
    Ok((context, sharing))
}

/// CL_INVALID_VALUE for flags that objects of OpenGL do not have.
fn check_flags(flags: cl_mem_flags) -> Result<()> {
    let known = [0, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE];
    ensure!(known.contains(&flags), CL_INVALID_VALUE);
    Ok(())
}

/// Makes an image of an object of OpenGL, which `describe` looks up.
fn image(
    context: cl_context,
    flags: cl_mem_flags,
    check: impl FnOnce() -> Result<()>,
    describe: impl FnOnce(&Gl) -> Result<Object> + Send + 'static,
) -> Result<cl_mem> {
    let (context, sharing) = sharing(context)?;
    check_flags(flags)?;
    check()?;
    let object = sharing.ask(describe)?;
    Ok(Image::of_gl(&context, flags, object)?.expose())
}

/// Makes an image of a texture; `takes` returns true for the targets that the API function allows.
fn of_texture(
    context: cl_context,
    flags: cl_mem_flags,
    (target, level, texture): (cl_GLenum, cl_GLint, cl_GLuint),
    takes: fn(cl_GLenum) -> bool,
) -> Result<cl_mem> {
    let check = || {
        ensure!(takes(target), CL_INVALID_VALUE);
        Ok(())
    };
    image(context, flags, check, move |gl| gl.describe_texture(target, level, texture))
}

/// Returns true for the targets of clCreateFromGLTexture2D: flat textures, and faces of cubes.
fn is_flat(target: cl_GLenum) -> bool {
    let (texture_1d, rectangle) = (0x0DE0, 0x84F5);
    let (texture_2d, faces) = (0x0DE1, 0x8515..=0x851A);
    debug_assert!(!is_target(0) && is_target(texture_1d));
    target == texture_2d || target == rectangle || faces.contains(&target)
}

/// Returns true for the target of clCreateFromGLTexture3D.
fn is_deep(target: cl_GLenum) -> bool {
    target == 0x806F
}

/// Returns the object of OpenGL from which a memory object was created; CL_INVALID_GL_OBJECT for other memory objects.
fn object_of_gl(mem: cl_mem) -> Result<Object> {
    let mem = MemObject::from_handle(mem)?;
    mem.gl.as_ref().map(|shared| shared.object).ok_or(ClError(CL_INVALID_GL_OBJECT))
}

/// The arguments of the functions that acquire and release objects.
struct Objects {
    queue: cl_command_queue,
    mems: (cl_uint, *const cl_mem),
    waits: (cl_uint, *const cl_event),
    event: *mut cl_event,
}

impl Objects {
    /// # Safety
    /// The pointers are as the API requires.
    unsafe fn run(self, direction: Direction) -> Result<()> {
        let queue = args::queue(self.queue)?;
        let (count, list) = self.mems;
        ensure!(list.is_null() == (count == 0), CL_INVALID_VALUE);
        // SAFETY: as the caller promises.
        let handles = unsafe { args::slice(list, count as usize) };
        let mut mems = Vec::new();
        for handle in handles {
            let mem = MemObject::from_handle(*handle)?;
            ensure!(mem.context == queue.context, CL_INVALID_MEM_OBJECT);
            mems.push(mem);
        }
        // SAFETY: as the caller promises.
        let waits = unsafe {
            let (count, list) = self.waits;
            match direction {
                Direction::Acquire => args::wait_list_with_fences(&queue.context, count, list),
                Direction::Release => args::wait_list(&queue.context, count, list),
            }
        }?;
        ensure!(mems.iter().all(|mem| mem.gl.is_some()), CL_INVALID_GL_OBJECT);
        let sharing = queue.context.gl.clone();
        if mems.is_empty() && sharing.is_none() {
            let command_type = direction.of_gl();
            // SAFETY: as the caller promises.
            return unsafe {
                enqueue(&queue, command_type, Command::Marker, waits, false, self.event)
            };
        }
        let sharing = sharing.ok_or(ClError(CL_INVALID_CONTEXT))?;
        let made = transfer(&queue, sharing, mems, direction, waits)?;
        // SAFETY: as the caller promises.
        unsafe { args::store_event(self.event, (!self.event.is_null()).then_some(made)) };
        Ok(())
    }
}

/// Enqueues the transfer. If a context of OpenGL is current on this thread, waits for a release to complete, so that OpenGL's
/// later commands see the result; does not wait if the application itself must first do something (set a user event, for
/// example).
fn transfer(
    queue: &Ref<Queue>,
    sharing: Arc<Sharing>,
    mems: Vec<MemObject>,
    direction: Direction,
    waits: Vec<Ref<Event>>,
) -> Result<Ref<Event>> {
    let is_here = direction == Direction::Release && sharing.is_any_current();
    let event = queue.enqueue_gl(sharing, mems, direction, waits)?;
    if is_here && queue.context.conditions.load(Ordering::Acquire) == 0 {
        event.wait()?;
    }
    Ok(event)
}

entry! {
    /// clCreateFromGLBuffer.
    fn clCreateFromGLBuffer(
        context: cl_context,
        flags: cl_mem_flags,
        bufobj: cl_GLuint,
    ) -> handle cl_mem {
        let (context, sharing) = sharing(context)?;
        check_flags(flags)?;
        let object = sharing.ask(move |gl| gl.describe_buffer(bufobj))?;
        Ok(Buffer::of_gl(&context, flags, object)?.expose())
    }

    /// clCreateFromGLTexture.
    fn clCreateFromGLTexture(
        context: cl_context,
        flags: cl_mem_flags,
        target: cl_GLenum,
        miplevel: cl_GLint,
        texture: cl_GLuint,
    ) -> handle cl_mem {
        of_texture(context, flags, (target, miplevel, texture), is_target)
    }

    /// clCreateFromGLTexture2D.
    fn clCreateFromGLTexture2D(
        context: cl_context,
        flags: cl_mem_flags,
        target: cl_GLenum,
        miplevel: cl_GLint,
        texture: cl_GLuint,
    ) -> handle cl_mem {
        of_texture(context, flags, (target, miplevel, texture), is_flat)
    }

    /// clCreateFromGLTexture3D.
    fn clCreateFromGLTexture3D(
        context: cl_context,
        flags: cl_mem_flags,
        target: cl_GLenum,
        miplevel: cl_GLint,
        texture: cl_GLuint,
    ) -> handle cl_mem {
        of_texture(context, flags, (target, miplevel, texture), is_deep)
    }

    /// clCreateFromGLRenderbuffer.
    fn clCreateFromGLRenderbuffer(
        context: cl_context,
        flags: cl_mem_flags,
        renderbuffer: cl_GLuint,
    ) -> handle cl_mem {
        image(context, flags, || Ok(()), move |gl| gl.describe_renderbuffer(renderbuffer))
    }

    /// clEnqueueAcquireGLObjects.
    fn clEnqueueAcquireGLObjects(
        command_queue: cl_command_queue,
        num_objects: cl_uint,
        mem_objects: *const cl_mem,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let (mems, waits) =
            ((num_objects, mem_objects), (num_events_in_wait_list, event_wait_list));
        let all = Objects { queue: command_queue, mems, waits, event };
        // SAFETY: the pointers are as the API requires.
        unsafe { all.run(Direction::Acquire) }
    }

    /// clEnqueueReleaseGLObjects.
    fn clEnqueueReleaseGLObjects(
        command_queue: cl_command_queue,
        num_objects: cl_uint,
        mem_objects: *const cl_mem,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let (mems, waits) =
            ((num_objects, mem_objects), (num_events_in_wait_list, event_wait_list));
        let all = Objects { queue: command_queue, mems, waits, event };
        // SAFETY: the pointers are as the API requires.
        unsafe { all.run(Direction::Release) }
    }

    /// clCreateEventFromGLsyncKHR.
    fn clCreateEventFromGLsyncKHR(context: cl_context, sync: cl_GLsync) -> handle cl_event {
        let (context, sharing) = sharing(context)?;
        let event = Event::of_fence(context, CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR);
        let passed = event.clone();
        sharing.when_passed(sync as usize, move |known| {
            let status = if known { CL_COMPLETE } else { CL_INVALID_GL_OBJECT };
            passed.complete_user_event(status).into_iter().for_each(Effects::run);
        })?;
        Ok(event.expose())
    }

    /// clGetGLObjectInfo.
    fn clGetGLObjectInfo(
        memobj: cl_mem,
        gl_object_type: *mut cl_gl_object_type,
        gl_object_name: *mut cl_GLuint,
    ) -> status {
        let object = object_of_gl(memobj)?;
        // SAFETY: the places are as the API requires.
        unsafe {
            args::store(gl_object_type, object.object_type());
            args::store(gl_object_name, object.name);
        }
        Ok(())
    }

    /// clGetGLTextureInfo.
    fn clGetGLTextureInfo(
        memobj: cl_mem,
        param_name: cl_gl_texture_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let (target, level) = object_of_gl(memobj)?.texture().ok_or(ClError(CL_INVALID_GL_OBJECT))?;
        let value = match param_name {
            CL_GL_TEXTURE_TARGET => Some(Value::of(target)),
            CL_GL_MIPMAP_LEVEL => Some(Value::of(level)),
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }

    /// clCreateEventFromEGLSyncKHR.
    fn clCreateEventFromEGLSyncKHR(
        context: cl_context,
        sync: CLeglSyncKHR,
        display: CLeglDisplayKHR,
    ) -> handle cl_event {
        let context = Ref::<Context>::from_handle(context)?;
        let fence = egl::fences::Fence::new(display as usize, sync as usize)?;
        let event = Event::of_fence(context, CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR);
        let weak = event.downgrade();
        let watch = move || {
            let Some(known) = fence.wait(|| weak.upgrade().is_some()) else { return };
            let status = if known { CL_COMPLETE } else { CL_INVALID_EGL_OBJECT_KHR };
            if let Some(event) = weak.upgrade() {
                event.complete_user_event(status).into_iter().for_each(Effects::run);
            }
            callbacks::run_deferred();
        };
        let thread = hekla_vk_backend::spawn("hekla egl fence", watch);
        thread.map_err(|_| ClError(CL_OUT_OF_RESOURCES))?;
        Ok(event.expose())
    }
}
