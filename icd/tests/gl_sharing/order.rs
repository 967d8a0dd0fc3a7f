//! The order of acquires and releases among other commands, and with OpenGL's commands.

use crate::common::*;
use crate::gl::{Api, FRAMEBUFFER, RENDERBUFFER, RGBA8};
use crate::world::{CreateEglEvent, CreateEvent, World};
use std::ptr::{null, null_mut};

/// Copies wait for earlier commands, and later commands wait for the copies, also behind an event of the application's.
#[test]
fn copies_are_in_the_order_of_commands() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let source = "kernel void add(global uchar *p, uchar n) { p[get_global_id(0)] += n; }";
    let kernel = w.s.kernel(w.s.program(source, ""), "add");
    let name = w.gl.buffer(&[10; 512]);
    let mem = w.buffer(CL_MEM_READ_WRITE, name);
    w.s.set(kernel, 0, &mem);
    let gate = w.s.user_event();
    w.hand_over(true, &[mem], &[gate]);
    for number in 1..=4u8 {
        w.s.set(kernel, 1, &number);
        check(w.s.launch(kernel, &[512], None));
        w.release(mem);
        let event = w.hand_over(true, &[mem], &[]);
        let kind: u32 = value(|z, p, r| unsafe {
            (w.s.cl.clGetEventInfo)(event, CL_EVENT_COMMAND_TYPE, z, p, r)
        });
        assert_eq!(kind, CL_COMMAND_ACQUIRE_GL_OBJECTS);
    }
    let last = w.hand_over(false, &[mem], &[]);
    // The copy behind the gate sees what OpenGL does before the gate is opened.
    w.gl.write_buffer(name, &[50; 512]);
    unsafe { (w.gl.f.glFinish)() };
    assert_eq!(w.s.status(last), CL_QUEUED);
    check(unsafe { (w.s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
    assert_eq!(w.end(last), CL_COMPLETE);
    assert!(w.gl.read_buffer(name, 512) == [60; 512]);
    for query in [CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_END] {
        let time: u64 =
            value(|z, p, r| unsafe { (w.s.cl.clGetEventProfilingInfo)(last, query, z, p, r) });
        assert!(time > 0);
    }
}

/// A command that fails does not hold up others.
#[test]
fn copies_behind_a_failed_event_fail() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let name = w.gl.buffer(&[1; 64]);
    let mem = w.buffer(CL_MEM_READ_WRITE, name);
    let gate = w.s.user_event();
    let event = w.hand_over(true, &[mem], &[gate]);
    check(unsafe { (w.s.cl.clSetUserEventStatus)(gate, -5) });
    assert_eq!(w.end(event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

/// Several objects in one command, one of which is listed twice.
#[test]
fn one_command_copies_several_objects() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let names = [w.gl.buffer(&[1; 64]), w.gl.buffer(&[2; 64])];
    let mems = names.map(|name| w.buffer(CL_MEM_READ_WRITE, name));
    let list = [mems[0], mems[1], mems[0]];
    w.hand_over(true, &list, &[]);
    for (mem, byte) in mems.into_iter().zip([1u8, 2]) {
        assert_eq!(w.s.read(mem, 0, 64), [byte; 64]);
        w.s.write(mem, true, 8, &[byte + 10; 8]);
    }
    w.hand_over(false, &list, &[]);
    w.s.finish();
    for (name, byte) in names.into_iter().zip([11u8, 12]) {
        assert_eq!(w.gl.read_buffer(name, 64)[8..16], [byte; 8]);
    }
}

/// OpenGL's commands of this thread are done before an acquire, and its next commands see released objects, without a
/// wait by the application.
#[test]
fn opengl_on_this_thread_is_in_order() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let name = w.gl.buffer(&[0; 4096]);
    let mem = w.buffer(CL_MEM_READ_WRITE, name);
    for round in 1..20u8 {
        w.gl.write_buffer(name, &[round; 4096]);
        w.acquire(mem);
        assert_eq!(w.s.read(mem, 0, 4096), [round; 4096]);
        w.s.write(mem, false, 0, &[round + 100; 4096]);
        w.release(mem);
        assert!(w.gl.read_buffer(name, 4096) == [round + 100; 4096], "round {round}");
    }
}

/// A drawing that is not even flushed is in order, too.
#[test]
fn what_is_drawn_is_in_order() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let (f, size) = (&w.gl.f, [600, 400, 1]);
    let name = w.gl.renderbuffer(RGBA8, [600, 400]);
    w.gl.framebuffer();
    let mem = made(|e| unsafe { (w.create_renderbuffer)(w.s.context, CL_MEM_READ_WRITE, name, e) });
    for round in 1..10u8 {
        unsafe {
            (f.glFramebufferRenderbuffer)(FRAMEBUFFER, 0x8CE0, RENDERBUFFER, name);
            (f.glClearColor)(f32::from(round) / 255.0, 1.0, 0.0, 1.0);
            (f.glClear)(0x4000);
        }
        w.acquire(mem);
        assert!(w.read_image(mem, size, 4) == [round, 255, 0, 255].repeat(240_000), "{round}");
        let texels = pattern(960_000, usize::from(round));
        w.write_image(mem, size, &texels);
        w.release(mem);
        assert!(w.gl.read_pixels([600, 400]) == texels, "{round}");
    }
}

/// Fences of OpenGL are events that acquires wait for, and no other commands.
#[test]
fn fences_are_events() {
    let Some(w) = World::new(Api::Desktop) else { return };
    assert!(w.s.offers("cl_khr_gl_event"));
    let create: CreateEvent = w.s.extension(c"clCreateEventFromGLsyncKHR");
    let name = w.gl.buffer(&[7; 64]);
    let mem = w.buffer(CL_MEM_READ_WRITE, name);
    // GL_SYNC_GPU_COMMANDS_COMPLETE
    let fence = unsafe { (w.gl.f.glFenceSync)(0x9117, 0) };
    let event = made(|e| unsafe { create(w.s.context, fence, e) });
    let get = w.s.cl.clGetEventInfo;
    let kind: u32 = value(|z, p, r| unsafe { get(event, CL_EVENT_COMMAND_TYPE, z, p, r) });
    assert_eq!(kind, CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR);
    let queue: cl_command_queue =
        value(|z, p, r| unsafe { get(event, CL_EVENT_COMMAND_QUEUE, z, p, r) });
    assert!(queue.is_null());
    let marker = w.s.cl.clEnqueueMarkerWithWaitList;
    assert_eq!(unsafe { marker(w.s.queue, 1, &event, null_mut()) }, CL_INVALID_EVENT);
    assert_eq!(unsafe { (w.s.cl.clSetUserEventStatus)(event, 0) }, CL_INVALID_EVENT);
    let acquired = w.hand_over(true, &[mem], &[event]);
    assert_eq!(w.end(acquired), CL_COMPLETE);
    assert_eq!(w.s.status(event), CL_COMPLETE);
    check(unsafe { (w.s.cl.clReleaseEvent)(event) });
    unsafe { (w.gl.f.glDeleteSync)(fence) };
    assert_eq!(refused(|e| unsafe { create(w.s.context, fence, e) }), CL_INVALID_GL_OBJECT);
    assert_eq!(refused(|e| unsafe { create(w.s.context, null_mut(), e) }), CL_INVALID_GL_OBJECT);
}

/// Fences of EGL are events, too.
#[test]
fn fences_of_egl_are_events() {
    let Some(w) = World::new(Api::Desktop) else { return };
    assert!(w.s.offers("cl_khr_egl_event"));
    let create: CreateEglEvent = w.s.extension(c"clCreateEventFromEGLSyncKHR");
    let mem = w.buffer(CL_MEM_READ_WRITE, w.gl.buffer(&[7; 64]));
    // EGL_SYNC_FENCE_KHR
    let fence = unsafe { (w.gl.f.eglCreateSyncKHR)(w.gl.display, 0x30F9, null()) };
    assert!(!fence.is_null());
    let event = made(|e| unsafe { create(w.s.context, fence, w.gl.display, e) });
    let get = w.s.cl.clGetEventInfo;
    let kind: u32 = value(|z, p, r| unsafe { get(event, CL_EVENT_COMMAND_TYPE, z, p, r) });
    assert_eq!(kind, CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR);
    let code = w.try_hand_over(false, &[mem], &[event], null_mut());
    assert_eq!(code, CL_INVALID_EVENT);
    unsafe { (w.gl.f.glFinish)() };
    assert_eq!(w.end(w.hand_over(true, &[mem], &[event])), CL_COMPLETE);
    assert_eq!(w.s.status(event), CL_COMPLETE);
    assert_eq!(unsafe { (w.gl.f.eglDestroySyncKHR)(w.gl.display, fence) }, 1);
    for (fence, display) in [(null_mut(), w.gl.display), (fence, w.gl.display), (fence, null_mut())]
    {
        let code = refused(|e| unsafe { create(w.s.context, fence, display, e) });
        assert_eq!(code, CL_INVALID_EGL_OBJECT_KHR);
    }
}

/// Commands on objects that OpenGL has are refused, and so are commands on parts of these objects.
#[test]
fn objects_are_used_while_they_are_acquired() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let source = "kernel void set(global uchar *p) { p[get_global_id(0)] = 5; }";
    let kernel = w.s.kernel(w.s.program(source, ""), "set");
    let mem = w.buffer(CL_MEM_READ_WRITE, w.gl.buffer(&[0; 1024]));
    let region = cl_buffer_region { origin: 0, size: 512 };
    let region = std::ptr::from_ref(&region).cast();
    let part = made(|e| unsafe {
        (w.s.cl.clCreateSubBuffer)(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, region, e)
    });
    let fill = |mem| unsafe {
        let zero = 0u8;
        let pattern = std::ptr::from_ref(&zero).cast();
        (w.s.cl.clEnqueueFillBuffer)(w.s.queue, mem, pattern, 1, 0, 16, 0, null(), null_mut())
    };
    for acquired in [false, true, false] {
        let expected = if acquired { CL_SUCCESS } else { CL_INVALID_GL_OBJECT };
        if acquired {
            w.acquire(mem);
        }
        for mem in [mem, part] {
            w.s.set(kernel, 0, &mem);
            assert_eq!(w.s.launch(kernel, &[16], None), expected);
            assert_eq!(fill(mem), expected);
        }
        if acquired {
            w.release(mem);
        }
    }
    w.s.finish();
}
