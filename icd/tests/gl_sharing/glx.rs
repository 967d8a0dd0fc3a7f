//! Contexts of GLX. Where there is no X server, the test is skipped, with a message.

use crate::common::*;
use crate::gl::Handle;
use crate::world::CreateBuffer;
use std::ffi::{c_char, c_int, c_ulong, CStr};
use std::ptr::{null, null_mut};

/// Returns the address of a function of a library, which must be there.
fn function<F: Copy>(library: &CStr, name: &CStr) -> Option<F> {
    let address = unsafe {
        let library = libc::dlopen(library.as_ptr(), libc::RTLD_NOW);
        if library.is_null() {
            return None;
        }
        libc::dlsym(library, name.as_ptr())
    };
    assert!(!address.is_null(), "{name:?}");
    assert_eq!(size_of::<F>(), size_of::<Handle>());
    Some(unsafe { std::mem::transmute_copy(&address) })
}

type Open = unsafe extern "C" fn(*const c_char) -> Handle;
type Close = unsafe extern "C" fn(Handle) -> c_int;
type Choose = unsafe extern "C" fn(Handle, c_int, *const c_int, *mut c_int) -> *mut Handle;
type CreateContext = unsafe extern "C" fn(Handle, Handle, c_int, Handle, c_int) -> Handle;
type CreatePbuffer = unsafe extern "C" fn(Handle, Handle, *const c_int) -> c_ulong;
type MakeCurrent = unsafe extern "C" fn(Handle, c_ulong, c_ulong, Handle) -> c_int;
type Gen = unsafe extern "C" fn(i32, *mut u32);
type Bind = unsafe extern "C" fn(u32, u32);
type Data = unsafe extern "C" fn(u32, isize, Handle, u32);
type HandOver = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *const cl_mem,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

/// A buffer has the same bytes in both APIs; a context of invalid handles is refused without ending the process; and
/// objects that are left when the application closes its display end in errors.
#[test]
fn displays_of_x11_may_be_closed_first() {
    let (x11, gl) = (c"libX11.so.6", c"libGL.so.1");
    let Some(open) = function::<Open>(x11, c"XOpenDisplay") else { return skip("no Xlib") };
    if function::<Open>(gl, c"glGenBuffers").is_none() {
        return skip("no GLX");
    }
    let display = unsafe { open(null()) };
    if display.is_null() {
        return skip("no X server");
    }
    let choose: Choose = function(gl, c"glXChooseFBConfig").unwrap();
    let create: CreateContext = function(gl, c"glXCreateNewContext").unwrap();
    let pbuffer: CreatePbuffer = function(gl, c"glXCreatePbuffer").unwrap();
    let make_current: MakeCurrent = function(gl, c"glXMakeContextCurrent").unwrap();
    let (gen, bind): (Gen, Bind) =
        (function(gl, c"glGenBuffers").unwrap(), function(gl, c"glBindBuffer").unwrap());
    let data: Data = function(gl, c"glBufferData").unwrap();
    let mut name = 0;
    let context = unsafe {
        // GLX_DRAWABLE_TYPE, GLX_PBUFFER_BIT
        let mut count = 0;
        let configs = choose(display, 0, [0x8010, 4, 0].as_ptr(), &mut count);
        assert!(!configs.is_null());
        // GLX_RGBA_TYPE; GLX_PBUFFER_WIDTH, GLX_PBUFFER_HEIGHT
        let context = create(display, *configs, 0x8014, null_mut(), 1);
        let surface = pbuffer(display, *configs, [0x8041, 8, 0x8040, 8, 0].as_ptr());
        assert_eq!(make_current(display, surface, surface, context), 1);
        gen(1, &mut name);
        bind(0x8892, name);
        data(0x8892, 64, [8u8; 64].as_mut_ptr().cast(), 0x88E8);
        context
    };
    let s = Setup::new();
    let (own, with) = (CL_GL_CONTEXT_KHR as isize, CL_GLX_DISPLAY_KHR as isize);
    let list = |context: Handle| [own, context as isize, with, display as isize, 0];
    let invalid = list(0x1238 as Handle);
    let code = refused(|e| unsafe {
        (s.cl.clCreateContext)(invalid.as_ptr(), 1, &s.device, None, null_mut(), e)
    });
    assert_eq!(code, CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
    let list = list(context);
    let shared = made(|e| unsafe {
        (s.cl.clCreateContext)(list.as_ptr(), 1, &s.device, None, null_mut(), e)
    });
    let queue = made(|e| unsafe { (s.cl.clCreateCommandQueue)(shared, s.device, 0, e) });
    let from: CreateBuffer = s.extension(c"clCreateFromGLBuffer");
    let acquire: HandOver = s.extension(c"clEnqueueAcquireGLObjects");
    let mem = made(|e| unsafe { from(shared, CL_MEM_READ_WRITE, name, e) });
    let mut event = null_mut();
    check(unsafe { acquire(queue, 1, &mem, 0, null(), &mut event) });
    let s = Setup { context: shared, queue, ..s };
    assert_eq!(s.read(mem, 0, 64), [8; 64]);
    unsafe {
        make_current(display, 0, 0, null_mut());
        let close: Close = function(x11, c"XCloseDisplay").unwrap();
        close(display);
    }
    assert_eq!(refused(|e| unsafe { from(shared, 0, name, e) }), CL_INVALID_GL_OBJECT);
    check(unsafe { (s.cl.clReleaseMemObject)(mem) });
    check(unsafe { (s.cl.clReleaseCommandQueue)(queue) });
    check(unsafe { (s.cl.clReleaseContext)(shared) });
}
