//! Objects of OpenGL in a context of two devices: one acquires them, both use them, the other one releases them. Where there is no
//! EGL that makes contexts without a window, or no second device, the test is skipped, with a message.
// Nearly every call of the APIs is unsafe, for the reason that the C specifications give.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
#[path = "common/drivers.rs"]
mod drivers;
#[macro_use]
#[path = "common/egl_functions.rs"]
mod egl_functions;
#[allow(dead_code)]
#[path = "gl_sharing/gl.rs"]
mod gl;
#[path = "common/pair.rs"]
mod pair;

use common::*;
use gl::{Api, Gl, Handle, Kind, RGBA, RGBA8, TEXTURE_2D, UNSIGNED_BYTE};
use std::ptr::{null, null_mut};

type HandOver = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *const cl_mem,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type CreateBuffer = unsafe extern "C" fn(cl_context, u64, u32, *mut cl_int) -> cl_mem;
type CreateTexture = unsafe extern "C" fn(cl_context, u64, u32, i32, u32, *mut cl_int) -> cl_mem;

/// Rows of the texture have the numbers of the launches before, of which each writes to one row.
const SOURCE: &str = "kernel void more(global uchar *p, write_only image2d_t i) {
    int at = get_global_id(0);
    p[at] += 1;
    if (at < 16) write_imagef(i, (int2)(at, p[at] - 11), p[at] / 255.f);
}";

#[test]
fn objects_are_on_the_device_that_uses_them() {
    let Some((platform, devices)) = pair::two_devices() else { return };
    let Some(gl) = Gl::new(Api::Desktop) else {
        return skip("no EGL makes contexts without a window");
    };
    let cl = cl();
    let (own, egl) = (CL_GL_CONTEXT_KHR as isize, CL_EGL_DISPLAY_KHR as isize);
    let list = [own, gl.context as isize, egl, gl.display as isize, 0];
    let (list, both) = (list.as_ptr(), devices.as_ptr());
    let context = made(|e| unsafe { (cl.clCreateContext)(list, 2, both, None, null_mut(), e) });
    let queues =
        devices.map(|device| made(|e| unsafe { (cl.clCreateCommandQueue)(context, device, 0, e) }));
    let s = Setup { cl, platform, device: devices[0], context, queue: queues[0] };
    let acquire: HandOver = s.extension(c"clEnqueueAcquireGLObjects");
    let release: HandOver = s.extension(c"clEnqueueReleaseGLObjects");
    let from_buffer: CreateBuffer = s.extension(c"clCreateFromGLBuffer");
    let from_texture: CreateTexture = s.extension(c"clCreateFromGLTexture");
    let kind = Kind {
        target: TEXTURE_2D,
        internal: RGBA8,
        format: RGBA,
        data_type: UNSIGNED_BYTE,
        texel: 4,
    };
    let (buffer, texture, texels) = (gl.buffer(&[10; 256]), gl.texture(), pattern(1024, 4));
    gl.level(texture, kind, 0, [16, 16, 1], &texels);
    unsafe { (gl.f.glFinish)() };
    let mems = [
        made(|e| unsafe { from_buffer(context, CL_MEM_READ_WRITE, buffer, e) }),
        made(|e| unsafe { from_texture(context, CL_MEM_READ_WRITE, TEXTURE_2D, 0, texture, e) }),
    ];
    let kernel = s.kernel(s.program(SOURCE, ""), "more");
    s.set(kernel, 0, &mems[0]);
    s.set(kernel, 1, &mems[1]);
    let list: *const cl_mem = mems.as_ptr();
    let mut events: Vec<Handle> = Vec::new();
    let mut event = null_mut();
    check(unsafe { acquire(queues[0], 2, list, 0, null(), &mut event) });
    for queue in [queues[0], queues[1], queues[0]] {
        events.push(event.cast());
        let (size, waits) = (256usize, std::ptr::from_ref(&events[events.len() - 1]).cast());
        let mut next = null_mut();
        check(unsafe {
            let launch = cl.clEnqueueNDRangeKernel;
            launch(queue, kernel, 1, null(), &size, null(), 1, waits, &mut next)
        });
        check(unsafe { (cl.clFlush)(queue) });
        event = next;
    }
    let mut last = null_mut();
    check(unsafe { release(queues[1], 2, list, 1, &event, &mut last) });
    check(unsafe { (cl.clWaitForEvents)(1, &last) });
    assert_eq!(gl.read_buffer(buffer, 256), [13; 256]);
    let mut expected = texels;
    for (row, byte) in expected.chunks_mut(64).zip([11, 12, 13]) {
        row.fill(byte);
    }
    assert!(gl.read_level(texture, kind, 0, [16, 16, 1]) == expected);
}
