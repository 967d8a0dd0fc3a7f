//! Images of EGL (cl_khr_egl_image): textures of OpenGL ES that kernels read and write. Where there is no EGL that exports
//! images as dma_bufs without a window, the tests are skipped, with a message.
// Nearly every call of the APIs is unsafe, for the reason that the C specifications give.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
#[macro_use]
#[path = "common/egl_functions.rs"]
mod egl_functions;
use common::*;
use std::ffi::{c_char, c_void, CStr};
use std::ptr::{null, null_mut};

const EGL_NONE: i32 = 0x3038;
const GL_TEXTURE_2D: u32 = 0x0DE1;
const GL_RGBA: u32 = 0x1908;
const GL_RED: u32 = 0x1903;
const GL_UNSIGNED_BYTE: u32 = 0x1401;
const GL_FRAMEBUFFER: u32 = 0x8D40;
const WIDTH: usize = 100;
const HEIGHT: usize = 37;

type Handle = *mut c_void;

functions! {
    eglGetPlatformDisplay(u32, Handle, *const isize) -> Handle;
    eglInitialize(Handle, *mut i32, *mut i32) -> u32;
    eglQueryString(Handle, i32) -> *const c_char;
    eglBindAPI(u32) -> u32;
    eglCreateContext(Handle, Handle, Handle, *const i32) -> Handle;
    eglMakeCurrent(Handle, Handle, Handle, Handle) -> u32;
    eglGetCurrentContext() -> Handle;
    eglCreateImageKHR(Handle, Handle, u32, Handle, *const i32) -> Handle;
    eglDestroyImageKHR(Handle, Handle) -> u32;
    glGenTextures(i32, *mut u32);
    glBindTexture(u32, u32);
    glTexStorage2D(u32, i32, u32, i32, i32);
    glTexSubImage2D(u32, i32, i32, i32, i32, i32, u32, u32, *const c_void);
    glGenFramebuffers(i32, *mut u32);
    glBindFramebuffer(u32, u32);
    glFramebufferTexture2D(u32, u32, u32, u32, i32);
    glReadPixels(i32, i32, i32, i32, u32, u32, *mut c_void);
    glPixelStorei(u32, i32);
    glFinish();
    glGetError() -> u32;
}

/// An OpenGL ES context that is current on this thread.
struct Gl {
    f: Functions,
    display: Handle,
    context: Handle,
}

/// A texture, with an image of EGL of it.
struct Texture {
    name: u32,
    image: Handle,
    /// The format of texels in OpenGL's transfers; `texel` is their size in bytes.
    transfer: u32,
    texel: usize,
}

impl Gl {
    fn new() -> Option<Gl> {
        let f = Functions::load()?;
        unsafe {
            // EGL_PLATFORM_SURFACELESS_MESA
            let display = (f.eglGetPlatformDisplay)(0x31DD, null_mut(), null());
            if (f.eglInitialize)(display, null_mut(), null_mut()) == 0 {
                return None;
            }
            let extensions = CStr::from_ptr((f.eglQueryString)(display, 0x3055));
            if !extensions.to_string_lossy().contains("EGL_MESA_image_dma_buf_export") {
                return None;
            }
            (f.eglBindAPI)(0x30A0);
            let version = [0x3098, 3, EGL_NONE];
            let none = null_mut();
            let context = (f.eglCreateContext)(display, none, none, version.as_ptr());
            assert!(!context.is_null());
            assert_eq!((f.eglMakeCurrent)(display, none, none, context), 1);
            (f.glPixelStorei)(0x0CF5, 1);
            (f.glPixelStorei)(0x0D05, 1);
            Some(Gl { f, display, context })
        }
    }

    fn texture(&self, format: u32, transfer: u32, texel: usize) -> Texture {
        let f = &self.f;
        unsafe {
            let mut name = 0;
            (f.glGenTextures)(1, &mut name);
            (f.glBindTexture)(GL_TEXTURE_2D, name);
            (f.glTexStorage2D)(GL_TEXTURE_2D, 1, format, WIDTH as i32, HEIGHT as i32);
            assert_eq!((f.glGetError)(), 0);
            // EGL_GL_TEXTURE_2D_KHR
            let image = (f.eglCreateImageKHR)(
                self.display,
                self.context,
                0x30B1,
                name as usize as Handle,
                null(),
            );
            assert!(!image.is_null());
            Texture { name, image, transfer, texel }
        }
    }

    fn write(&self, texture: &Texture, texels: &[u8]) {
        let (width, height) = (WIDTH as i32, HEIGHT as i32);
        unsafe {
            (self.f.glBindTexture)(GL_TEXTURE_2D, texture.name);
            (self.f.glTexSubImage2D)(
                GL_TEXTURE_2D,
                0,
                0,
                0,
                width,
                height,
                texture.transfer,
                GL_UNSIGNED_BYTE,
                texels.as_ptr().cast(),
            );
            (self.f.glFinish)();
            assert_eq!((self.f.glGetError)(), 0);
        }
    }

    fn read(&self, texture: &Texture) -> Vec<u8> {
        // OpenGL ES reads four channels in any case.
        let mut texels = vec![0u8; 4 * WIDTH * HEIGHT];
        let mut framebuffer = 0;
        unsafe {
            (self.f.glGenFramebuffers)(1, &mut framebuffer);
            (self.f.glBindFramebuffer)(GL_FRAMEBUFFER, framebuffer);
            (self.f.glFramebufferTexture2D)(GL_FRAMEBUFFER, 0x8CE0, GL_TEXTURE_2D, texture.name, 0);
            let (width, height, place) = (WIDTH as i32, HEIGHT as i32, texels.as_mut_ptr().cast());
            (self.f.glReadPixels)(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, place);
            assert_eq!((self.f.glGetError)(), 0);
        }
        texels.chunks(4).flat_map(|rgba| rgba[..texture.texel].to_vec()).collect()
    }
}

type Create =
    unsafe extern "C" fn(cl_context, Handle, Handle, u64, *const isize, *mut cl_int) -> cl_mem;
type HandOver = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *const cl_mem,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

fn both() -> Option<(Setup, Gl)> {
    let s = Setup::new();
    let gl = s.offers("cl_khr_egl_image").then(Gl::new).flatten();
    if gl.is_none() {
        skip("no EGL exports images to this device");
    }
    Some((s, gl?))
}

fn hand_over(s: &Setup, acquire: bool, mem: cl_mem) {
    let (name, expected) = match acquire {
        true => (c"clEnqueueAcquireEGLObjectsKHR", CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR),
        false => (c"clEnqueueReleaseEGLObjectsKHR", CL_COMMAND_RELEASE_EGL_OBJECTS_KHR),
    };
    let function: HandOver = s.extension(name);
    let mut event = null_mut();
    check(unsafe { function(s.queue, 1, &mem, 0, null(), &mut event) });
    let name = CL_EVENT_COMMAND_TYPE;
    let kind: u32 = value(|z, p, r| unsafe { (s.cl.clGetEventInfo)(event, name, z, p, r) });
    assert_eq!(kind, expected);
}

/// Kernels read what OpenGL wrote, and OpenGL what kernels wrote, round after round, in each format.
#[test]
fn textures_are_images() {
    let Some((s, gl)) = both() else { return };
    let create: Create = s.extension(c"clCreateFromEGLImageKHR");
    // GL_RGBA8, GL_R8
    for (format, transfer, texel, order) in
        [(0x8058, GL_RGBA, 4, CL_RGBA), (0x8229, GL_RED, 1, CL_R)]
    {
        let texture = gl.texture(format, transfer, texel);
        let mem = made(|e| unsafe {
            create(s.context, gl.display, texture.image, CL_MEM_READ_WRITE, null(), e)
        });
        let info = s.cl.clGetImageInfo;
        let told: cl_image_format = value(|z, p, r| unsafe { info(mem, CL_IMAGE_FORMAT, z, p, r) });
        assert_eq!(
            (told.image_channel_order, told.image_channel_data_type),
            (order, CL_UNORM_INT8)
        );
        for (name, expected) in [(CL_IMAGE_WIDTH, WIDTH), (CL_IMAGE_HEIGHT, HEIGHT)] {
            let size: usize = value(|z, p, r| unsafe { info(mem, name, z, p, r) });
            assert_eq!(size, expected);
        }
        // The memory outlives the image of EGL.
        assert_eq!(unsafe { (gl.f.eglDestroyImageKHR)(gl.display, texture.image) }, 1);
        assert_eq!(unsafe { (gl.f.eglGetCurrentContext)() }, gl.context);
        let source = "kernel void invert(read_write image2d_t i) {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            write_imagef(i, at, 1 - read_imagef(i, at));
        }";
        let kernel = s.kernel(s.program(source, "-cl-std=CL3.0"), "invert");
        s.set(kernel, 0, &mem);
        for round in 0..3 {
            let texels = pattern(texel * WIDTH * HEIGHT, round);
            gl.write(&texture, &texels);
            hand_over(&s, true, mem);
            let mut seen = vec![0u8; texels.len()];
            let (origin, size) = ([0usize; 3], [WIDTH, HEIGHT, 1]);
            let (origin, size, place) = (origin.as_ptr(), size.as_ptr(), seen.as_mut_ptr().cast());
            check(unsafe {
                (s.cl.clEnqueueReadImage)(
                    s.queue,
                    mem,
                    CL_TRUE,
                    origin,
                    size,
                    0,
                    0,
                    place,
                    0,
                    null(),
                    null_mut(),
                )
            });
            assert!(seen == texels, "format {format:#x}, round {round}");
            check(s.launch(kernel, &[WIDTH, HEIGHT], None));
            hand_over(&s, false, mem);
            s.finish();
            let inverted: Vec<u8> = texels.iter().map(|byte| 255 - byte).collect();
            assert!(gl.read(&texture) == inverted, "format {format:#x}, round {round}");
        }
        check(unsafe { (s.cl.clReleaseMemObject)(mem) });
    }
}

#[test]
fn errors_are_told() {
    let Some((s, gl)) = both() else { return };
    let create: Create = s.extension(c"clCreateFromEGLImageKHR");
    let texture = gl.texture(0x8058, GL_RGBA, 4);
    let code = |display, image, flags, list: &[isize]| {
        let list = if list.is_empty() { null() } else { list.as_ptr() };
        refused(|e| unsafe { create(s.context, display, image, flags, list, e) })
    };
    let (display, image) = (gl.display, texture.image);
    assert_eq!(code(0x77 as Handle, image, 0, &[]), CL_INVALID_VALUE);
    assert_eq!(code(null_mut(), image, 0, &[]), CL_INVALID_VALUE);
    assert_eq!(code(display, 0x1234 as Handle, 0, &[]), CL_INVALID_EGL_OBJECT_KHR);
    assert_eq!(code(display, null_mut(), 0, &[]), CL_INVALID_EGL_OBJECT_KHR);
    assert_eq!(code(display, image, CL_MEM_USE_HOST_PTR, &[]), CL_INVALID_VALUE);
    assert_eq!(code(display, image, 1 << 30, &[]), CL_INVALID_VALUE);
    assert_eq!(code(display, image, 0, &[0x1234, 1, 0]), CL_INVALID_VALUE);
    // DRM has no format that is like GL_RGBA32F, and OpenCL has none here that is like GL_RGB565.
    for format in [0x8814, 0x8D62] {
        let other = gl.texture(format, GL_RGBA, 4);
        assert_eq!(code(display, other.image, 0, &[]), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    }
    let mem = made(|e| unsafe { create(s.context, display, image, CL_MEM_READ_ONLY, null(), e) });
    let plain = s.buffer(0, 64);
    let acquire: HandOver = s.extension(c"clEnqueueAcquireEGLObjectsKHR");
    let external: HandOver = s.extension(c"clEnqueueAcquireExternalMemObjectsKHR");
    unsafe {
        let one =
            |function: HandOver, mem: cl_mem| function(s.queue, 1, &mem, 0, null(), null_mut());
        assert_eq!(one(acquire, plain), CL_INVALID_EGL_OBJECT_KHR);
        assert_eq!(one(acquire, null_mut()), CL_INVALID_MEM_OBJECT);
        assert_eq!(one(external, mem), CL_INVALID_MEM_OBJECT);
        assert_eq!(acquire(s.queue, 0, &mem, 0, null(), null_mut()), CL_INVALID_VALUE);
        check(acquire(s.queue, 0, null(), 0, null(), null_mut()));
        check(one(acquire, mem));
    }
    s.finish();
}
