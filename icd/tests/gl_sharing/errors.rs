//! The errors of cl_khr_gl_sharing.

use crate::common::*;
use crate::gl::*;
use crate::world::{ContextInfo, ObjectInfo, TextureInfo, World};
use std::ptr::null_mut;

/// Returns the error of a context with some properties.
fn context(w: &World, list: &[isize]) -> cl_int {
    let (list, device) = (list.as_ptr(), &w.s.device);
    refused(|e| unsafe { (w.s.cl.clCreateContext)(list, 1, device, None, null_mut(), e) })
}

#[test]
fn contexts_name_one_of_opengl() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let [name, own, egl, display, _] = World::properties(&w.gl);
    let (glx, wgl, cgl) = (CL_GLX_DISPLAY_KHR, CL_WGL_HDC_KHR, CL_CGL_SHAREGROUP_KHR);
    let group = CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
    assert_eq!(context(&w, &[name, 0x1234, egl, display, 0]), group);
    assert_eq!(context(&w, &[name, own, egl, 0x77, 0]), group);
    assert_eq!(context(&w, &[name, own, 0]), group);
    assert_eq!(context(&w, &[egl, display, 0]), group);
    let two = [name, own, egl, display, glx as isize, 1, 0];
    assert_eq!(context(&w, &two), CL_INVALID_OPERATION);
    for system in [wgl, cgl] {
        let list = [name, own, system as isize, 1, 0];
        assert_eq!(context(&w, &list), CL_INVALID_OPERATION);
    }
    let twice = [name, own, name, own, egl, display, 0];
    assert_eq!(context(&w, &twice), CL_INVALID_PROPERTY);
    assert_eq!(context(&w, &[name, own, egl, display, 0x2FFF, 1, 0]), CL_INVALID_PROPERTY);
    // Properties whose values mean "none" name no context.
    let none = [name, 0, egl, 0, 0];
    let plain = made(|e| unsafe {
        (w.s.cl.clCreateContext)(none.as_ptr(), 1, &w.s.device, None, null_mut(), e)
    });
    let code = refused(|e| unsafe { (w.create_buffer)(plain, 0, 1, e) });
    assert_eq!(code, CL_INVALID_CONTEXT);
}

#[test]
fn contexts_tell_their_devices() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let get: ContextInfo = w.s.extension(c"clGetGLContextInfoKHR");
    let own = World::properties(&w.gl);
    // The loader finds the platform by this property.
    let platform = [CL_CONTEXT_PLATFORM as isize, w.s.platform as isize];
    let list = [&platform, &own[..]].concat();
    for query in [CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, CL_DEVICES_FOR_GL_CONTEXT_KHR] {
        let devices = bytes(|z, p, r| unsafe { get(list.as_ptr(), query, z, p, r) });
        assert_eq!(devices.len() % size_of::<usize>(), 0);
        let first = usize::from_ne_bytes(devices[..size_of::<usize>()].try_into().unwrap());
        if query == CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR {
            assert_eq!(devices.len(), size_of::<usize>());
            assert_eq!(first, w.s.device as usize);
        }
    }
    let none =
        |list: &[isize], query| unsafe { get(list.as_ptr(), query, 0, null_mut(), null_mut()) };
    let query = CL_DEVICES_FOR_GL_CONTEXT_KHR;
    assert_eq!(none(&list, 0x2005), CL_INVALID_VALUE);
    let with = |list: &[isize]| none(&[&platform, list].concat(), query);
    assert_eq!(with(&[0x1234, 1, 0]), CL_INVALID_VALUE);
    assert_eq!(with(&[0]), CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
    let [name, _, egl, display, _] = own;
    assert_eq!(with(&[name, 0x1234, egl, display, 0]), CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
}

#[test]
fn buffers_and_renderbuffers_are_checked() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let buffer =
        |flags, name| refused(|e| unsafe { (w.create_buffer)(w.s.context, flags, name, e) });
    let good = w.gl.buffer(&[1; 8]);
    let mut empty = 0;
    unsafe { (w.gl.f.glGenBuffers)(1, &mut empty) };
    assert_eq!(buffer(0, 0), CL_INVALID_GL_OBJECT);
    assert_eq!(buffer(0, 12345), CL_INVALID_GL_OBJECT);
    assert_eq!(buffer(0, empty), CL_INVALID_GL_OBJECT);
    assert_eq!(buffer(0, w.gl.buffer(&[])), CL_INVALID_GL_OBJECT);
    assert_eq!(buffer(CL_MEM_COPY_HOST_PTR, good), CL_INVALID_VALUE);
    assert_eq!(buffer(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, good), CL_INVALID_VALUE);
    let renderbuffer =
        |name| refused(|e| unsafe { (w.create_renderbuffer)(w.s.context, 0, name, e) });
    assert_eq!(renderbuffer(0), CL_INVALID_GL_OBJECT);
    assert_eq!(renderbuffer(12345), CL_INVALID_GL_OBJECT);
    // GL_RGB10_A2
    let odd = w.gl.renderbuffer(0x8059, [4, 4]);
    assert_eq!(renderbuffer(odd), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    let many = w.gl.renderbuffer(RGBA8, [4, 4]);
    unsafe { (w.gl.f.glRenderbufferStorageMultisample)(RENDERBUFFER, 4, RGBA8, 4, 4) };
    w.gl.check();
    assert_eq!(renderbuffer(many), CL_INVALID_OPERATION);
}

#[test]
fn textures_are_checked() {
    let Some(w) = World::new(Api::Desktop) else { return };
    let texture = |flags, target, level, name| {
        refused(|e| unsafe { (w.create_texture)(w.s.context, flags, target, level, name, e) })
    };
    let kind = Kind {
        target: TEXTURE_2D,
        internal: RGBA8,
        format: RGBA,
        data_type: UNSIGNED_BYTE,
        texel: 4,
    };
    let good = w.gl.texture();
    w.gl.level(good, kind, 0, [8, 8, 1], &[0; 256]);
    assert_eq!(texture(0, 0x9100, 0, good), CL_INVALID_VALUE);
    assert_eq!(texture(0, CUBE, 0, good), CL_INVALID_VALUE);
    assert_eq!(texture(CL_MEM_USE_HOST_PTR, TEXTURE_2D, 0, good), CL_INVALID_VALUE);
    assert_eq!(texture(0, TEXTURE_2D, -1, good), CL_INVALID_MIP_LEVEL);
    assert_eq!(texture(0, TEXTURE_2D, 4, good), CL_INVALID_MIP_LEVEL);
    assert_eq!(texture(0, TEXTURE_2D, 1, good), CL_INVALID_GL_OBJECT);
    assert_eq!(texture(0, TEXTURE_2D, 0, 0), CL_INVALID_GL_OBJECT);
    assert_eq!(texture(0, TEXTURE_2D, 0, 12345), CL_INVALID_GL_OBJECT);
    assert_eq!(texture(0, TEXTURE_3D, 0, good), CL_INVALID_GL_OBJECT);
    assert_eq!(texture(0, TEXTURE_2D, 0, w.gl.texture()), CL_INVALID_GL_OBJECT);
    let undefined = w.gl.texture();
    unsafe { (w.gl.f.glBindTexture)(TEXTURE_2D, undefined) };
    assert_eq!(texture(0, TEXTURE_2D, 0, undefined), CL_INVALID_GL_OBJECT);
    // GL_RGB10_A2
    let odd = w.gl.texture();
    w.gl.level(odd, Kind { internal: 0x8059, ..kind }, 0, [8, 8, 1], &[0; 256]);
    assert_eq!(texture(0, TEXTURE_2D, 0, odd), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    let mem = w.texture(0, TEXTURE_2D, 0, good);
    let (info, object): (TextureInfo, ObjectInfo) =
        (w.s.extension(c"clGetGLTextureInfo"), w.s.extension(c"clGetGLObjectInfo"));
    let ask = |mem, name, size| unsafe {
        let mut value = 0u32;
        info(mem, name, size, std::ptr::from_mut(&mut value).cast(), null_mut())
    };
    check(ask(mem, CL_GL_TEXTURE_TARGET, 4));
    assert_eq!(ask(mem, 0x2FFF, 4), CL_INVALID_VALUE);
    assert_eq!(ask(mem, CL_GL_TEXTURE_TARGET, 1), CL_INVALID_VALUE);
    assert_eq!(ask(w.s.buffer(0, 16), CL_GL_TEXTURE_TARGET, 4), CL_INVALID_GL_OBJECT);
    let buffer = w.buffer(0, w.gl.buffer(&[1; 8]));
    assert_eq!(ask(buffer, CL_GL_TEXTURE_TARGET, 4), CL_INVALID_GL_OBJECT);
    check(unsafe { object(buffer, null_mut(), null_mut()) });
    let plain = w.s.buffer(0, 16);
    let code = |mems: &[cl_mem]| w.try_hand_over(true, mems, &[], null_mut());
    assert_eq!(code(&[plain]), CL_INVALID_GL_OBJECT);
    assert_eq!(code(&[null_mut()]), CL_INVALID_MEM_OBJECT);
    check(code(&[]));
    w.s.finish();
}
