//! Objects and contexts of OpenGL that are deleted before those of OpenCL.

use crate::common::*;
use crate::gl::*;
use crate::world::World;
use std::ptr::null_mut;

const KIND: Kind =
    Kind { target: TEXTURE_2D, internal: RGBA8, format: RGBA, data_type: UNSIGNED_BYTE, texel: 4 };

/// Copies fail when the object no longer exists; shared memory lives on.
#[test]
fn objects_that_are_gone_are_errors() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let copies = std::env::var("HEKLA_GL").is_ok_and(|ways| ways == "copy");
    let gone = |status| {
        assert!(status == CL_INVALID_GL_OBJECT || !copies && status == CL_COMPLETE, "{status}");
    };
    let (f, size) = (&w.gl.f, [16, 16, 1]);
    let name = w.gl.texture();
    w.gl.level(name, KIND, 0, size, &[1; 1024]);
    let mem = w.texture(CL_MEM_READ_WRITE, TEXTURE_2D, 0, name);
    let buffer = w.gl.buffer(&[1; 64]);
    let bytes = w.buffer(CL_MEM_READ_WRITE, buffer);
    w.acquire(mem);
    w.acquire(bytes);
    w.s.finish();
    unsafe {
        (f.glDeleteTextures)(1, &name);
        (f.glDeleteBuffers)(1, &buffer);
    }
    for mem in [mem, bytes] {
        gone(w.end(w.hand_over(false, &[mem], &[])));
        gone(w.end(w.hand_over(true, &[mem], &[])));
    }
    // The queue still works.
    let other = w.gl.buffer(&[3; 64]);
    let mem = w.buffer(CL_MEM_READ_WRITE, other);
    assert_eq!(w.end(w.hand_over(true, &[mem], &[])), CL_COMPLETE);
    assert_eq!(w.s.read(mem, 0, 64), [3; 64]);
    // A buffer that is made anew with a smaller size no longer suits the memory object; one that is larger does.
    unsafe { (f.glBindBuffer)(ARRAY_BUFFER, other) };
    unsafe { (f.glBufferData)(ARRAY_BUFFER, 16, std::ptr::null(), 0x88E8) };
    gone(w.end(w.hand_over(true, &[mem], &[])));
    unsafe { (f.glBufferData)(ARRAY_BUFFER, 100, std::ptr::null(), 0x88E8) };
    assert_eq!(w.end(w.hand_over(true, &[mem], &[])), CL_COMPLETE);
    let name = w.gl.texture();
    w.gl.level(name, KIND, 0, size, &[1; 1024]);
    let mem = w.texture(CL_MEM_READ_WRITE, TEXTURE_2D, 0, name);
    w.gl.level(name, KIND, 0, [8, 8, 1], &[1; 256]);
    gone(w.end(w.hand_over(true, &[mem], &[])));
}

#[test]
fn contexts_of_opengl_may_go_first() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let name = w.gl.buffer(&[4; 64]);
    let mem = w.buffer(CL_MEM_READ_WRITE, name);
    w.acquire(mem);
    w.s.finish();
    w.gl.make_current(false);
    let f = &w.gl.f;
    assert_eq!(unsafe { (f.eglDestroyContext)(w.gl.display, w.gl.context) }, 1);
    // The objects live on in the context that shares them.
    assert_eq!(w.end(w.hand_over(false, &[mem], &[])), CL_COMPLETE);
    assert_eq!(w.end(w.hand_over(true, &[mem], &[])), CL_COMPLETE);
    assert_eq!(w.s.read(mem, 0, 64), [4; 64]);
    check(unsafe { (w.s.cl.clReleaseMemObject)(mem) });
    check(unsafe { (w.s.cl.clReleaseCommandQueue)(w.s.queue) });
    check(unsafe { (w.s.cl.clReleaseContext)(w.s.context) });
}

/// Threads with a context of each API use objects of their own, and make and release the contexts.
#[test]
fn threads_have_contexts_of_their_own() {
    if World::new(Api::Desktop).is_none() {
        return;
    }
    let threads: Vec<_> = (0..2u8)
        .map(|number| {
            std::thread::spawn(move || {
                for round in 0..4u8 {
                    let Some(w) = World::new(Api::Desktop) else { return };
                    let byte = 1 + number * 16 + round;
                    let name = w.gl.buffer(&[byte; 5000]);
                    let mem = w.buffer(CL_MEM_READ_WRITE, name);
                    let image = w.gl.texture();
                    w.gl.level(image, KIND, 0, [32, 32, 1], &[byte; 4096]);
                    let texels = w.texture(CL_MEM_READ_WRITE, TEXTURE_2D, 0, image);
                    for _ in 0..10 {
                        w.hand_over(true, &[mem, texels], &[]);
                        assert!(w.s.read(mem, 0, 5000) == [byte; 5000]);
                        assert!(w.read_image(texels, [32, 32, 1], 4) == [byte; 4096]);
                        w.hand_over(false, &[texels, mem], &[]);
                    }
                    w.s.finish();
                    unsafe {
                        check((w.s.cl.clReleaseMemObject)(mem));
                        check((w.s.cl.clReleaseMemObject)(texels));
                        check((w.s.cl.clReleaseCommandQueue)(w.s.queue));
                        check((w.s.cl.clReleaseContext)(w.s.context));
                    }
                    w.gl.make_current(false);
                    unsafe { (w.gl.f.eglDestroyContext)(w.gl.display, w.gl.context) };
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Two contexts of OpenCL share with one of OpenGL.
#[test]
fn two_contexts_share_with_one() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let list = World::properties(&w.gl);
    let second = made(|e| unsafe {
        (w.s.cl.clCreateContext)(list.as_ptr(), 1, &w.s.device, None, null_mut(), e)
    });
    let name = w.gl.buffer(&[6; 64]);
    let mem = w.buffer(CL_MEM_READ_WRITE, name);
    let other = made(|e| unsafe { (w.create_buffer)(second, CL_MEM_READ_WRITE, name, e) });
    let code = w.try_hand_over(true, &[other], &[], null_mut());
    assert_eq!(code, CL_INVALID_MEM_OBJECT);
    w.acquire(mem);
    assert_eq!(w.s.read(mem, 0, 64), [6; 64]);
    check(unsafe { (w.s.cl.clReleaseMemObject)(other) });
    check(unsafe { (w.s.cl.clReleaseContext)(second) });
    w.release(mem);
    w.s.finish();
}
