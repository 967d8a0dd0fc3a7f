//! OpenGL and OpenGL ES without a window: contexts of EGL, and the functions that the tests call.

use std::ffi::{c_char, c_void, CStr};
use std::ptr::{null, null_mut};

pub type Handle = *mut c_void;

functions! {
    eglGetPlatformDisplay(u32, Handle, *const isize) -> Handle;
    eglQueryDevicesEXT(i32, *mut Handle, *mut i32) -> u32;
    eglInitialize(Handle, *mut i32, *mut i32) -> u32;
    eglBindAPI(u32) -> u32;
    eglCreateContext(Handle, Handle, Handle, *const i32) -> Handle;
    eglDestroyContext(Handle, Handle) -> u32;
    eglCreateSyncKHR(Handle, u32, *const i32) -> Handle;
    eglDestroySyncKHR(Handle, Handle) -> u32;
    eglMakeCurrent(Handle, Handle, Handle, Handle) -> u32;
    glGetError() -> u32;
    glFinish();
    glFenceSync(u32, u32) -> Handle;
    glDeleteSync(Handle);
    glPixelStorei(u32, i32);
    glGenBuffers(i32, *mut u32);
    glDeleteBuffers(i32, *const u32);
    glBindBuffer(u32, u32);
    glBufferData(u32, isize, *const c_void, u32);
    glBufferSubData(u32, isize, isize, *const c_void);
    glMapBufferRange(u32, isize, isize, u32) -> Handle;
    glUnmapBuffer(u32) -> u8;
    glGenTextures(i32, *mut u32);
    glDeleteTextures(i32, *const u32);
    glBindTexture(u32, u32);
    glTexParameteri(u32, u32, i32);
    glTexBuffer(u32, u32, u32);
    glTexStorage2D(u32, i32, u32, i32, i32);
    glTexSubImage2D(u32, i32, i32, i32, i32, i32, u32, u32, *const c_void);
    glTextureView(u32, u32, u32, u32, u32, u32, u32, u32);
    glTexImage1D(u32, i32, i32, i32, i32, u32, u32, *const c_void);
    glTexImage2D(u32, i32, i32, i32, i32, i32, u32, u32, *const c_void);
    glTexImage3D(u32, i32, i32, i32, i32, i32, i32, u32, u32, *const c_void);
    glGetTexImage(u32, i32, u32, u32, *mut c_void);
    glGenRenderbuffers(i32, *mut u32);
    glBindRenderbuffer(u32, u32);
    glRenderbufferStorage(u32, u32, i32, i32);
    glRenderbufferStorageMultisample(u32, i32, u32, i32, i32);
    glGenFramebuffers(i32, *mut u32);
    glBindFramebuffer(u32, u32);
    glFramebufferRenderbuffer(u32, u32, u32, u32);
    glFramebufferTexture2D(u32, u32, u32, u32, i32);
    glFramebufferTextureLayer(u32, u32, u32, i32, i32);
    glCheckFramebufferStatus(u32) -> u32;
    glClearColor(f32, f32, f32, f32);
    glClear(u32);
    glReadPixels(i32, i32, i32, i32, u32, u32, *mut c_void);
}

pub const ARRAY_BUFFER: u32 = 0x8892;
pub const FRAMEBUFFER: u32 = 0x8D40;
pub const RENDERBUFFER: u32 = 0x8D41;
pub const TEXTURE_1D: u32 = 0x0DE0;
pub const TEXTURE_2D: u32 = 0x0DE1;
pub const TEXTURE_3D: u32 = 0x806F;
pub const RECTANGLE: u32 = 0x84F5;
pub const CUBE: u32 = 0x8513;
pub const FACE: u32 = 0x8517;
pub const ARRAY_1D: u32 = 0x8C18;
pub const ARRAY_2D: u32 = 0x8C1A;
pub const TEXTURE_BUFFER: u32 = 0x8C2A;
pub const RGBA: u32 = 0x1908;
pub const UNSIGNED_BYTE: u32 = 0x1401;
pub const RGBA8: u32 = 0x8058;

/// The API of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    Desktop,
    Es,
}

/// A context that is current on this thread.
pub struct Gl {
    pub f: Functions,
    pub display: Handle,
    pub context: Handle,
}

impl Gl {
    /// Makes a context and makes it current on this thread; `None` where EGL has no context of this kind.
    pub fn new(api: Api) -> Option<Gl> {
        let f = Functions::load()?;
        unsafe {
            // EGL_PLATFORM_SURFACELESS_MESA, or EGL_PLATFORM_DEVICE_EXT
            let start = |display: Handle| {
                !display.is_null() && (f.eglInitialize)(display, null_mut(), null_mut()) != 0
            };
            let mut display = (f.eglGetPlatformDisplay)(0x31DD, null_mut(), null());
            if !start(display) {
                let (mut device, mut count) = (null_mut(), 0);
                (f.eglQueryDevicesEXT)(1, &mut device, &mut count);
                display = (f.eglGetPlatformDisplay)(0x313F, device, null());
                if count == 0 || !start(display) {
                    return None;
                }
            }
            let (api, version): (u32, &[i32]) = match api {
                Api::Desktop => (0x30A2, &[0x3038]),
                Api::Es => (0x30A0, &[0x3098, 3, 0x3038]),
            };
            (f.eglBindAPI)(api);
            let none = null_mut();
            let context = (f.eglCreateContext)(display, none, none, version.as_ptr());
            if context.is_null() {
                return None;
            }
            let gl = Gl { f, display, context };
            gl.make_current(true);
            (gl.f.glPixelStorei)(0x0CF5, 1);
            (gl.f.glPixelStorei)(0x0D05, 1);
            Some(gl)
        }
    }

    /// Makes the context current on this thread, or makes none current.
    pub fn make_current(&self, current: bool) {
        let (none, context) = (null_mut(), if current { self.context } else { null_mut() });
        assert_eq!(unsafe { (self.f.eglMakeCurrent)(self.display, none, none, context) }, 1);
    }

    pub fn check(&self) {
        assert_eq!(unsafe { (self.f.glGetError)() }, 0);
    }

    pub fn buffer(&self, bytes: &[u8]) -> u32 {
        let mut name = 0;
        unsafe {
            (self.f.glGenBuffers)(1, &mut name);
            (self.f.glBindBuffer)(ARRAY_BUFFER, name);
            let from = bytes.as_ptr().cast();
            (self.f.glBufferData)(ARRAY_BUFFER, bytes.len() as isize, from, 0x88E8);
        }
        self.check();
        name
    }

    pub fn write_buffer(&self, name: u32, bytes: &[u8]) {
        unsafe {
            (self.f.glBindBuffer)(ARRAY_BUFFER, name);
            let from = bytes.as_ptr().cast();
            (self.f.glBufferSubData)(ARRAY_BUFFER, 0, bytes.len() as isize, from);
        }
        self.check();
    }

    pub fn read_buffer(&self, name: u32, size: usize) -> Vec<u8> {
        unsafe {
            (self.f.glBindBuffer)(ARRAY_BUFFER, name);
            let from = (self.f.glMapBufferRange)(ARRAY_BUFFER, 0, size as isize, 1);
            assert!(!from.is_null());
            let bytes = std::slice::from_raw_parts(from.cast::<u8>(), size).to_vec();
            (self.f.glUnmapBuffer)(ARRAY_BUFFER);
            bytes
        }
    }
}

/// A kind of texture: its target, and how its texels are transferred.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    pub target: u32,
    pub internal: u32,
    pub format: u32,
    pub data_type: u32,
    /// Bytes of a texel.
    pub texel: usize,
}

impl Gl {
    pub fn texture(&self) -> u32 {
        let mut name = 0;
        unsafe { (self.f.glGenTextures)(1, &mut name) };
        name
    }

    /// Makes a level of a texture from texels.
    pub fn level(&self, name: u32, kind: Kind, level: i32, size: [usize; 3], texels: &[u8]) {
        let Kind { target, internal, format, data_type, texel } = kind;
        assert_eq!(texels.len(), size.iter().product::<usize>() * texel);
        let [w, h, d] = size.map(|size| size as i32);
        let (internal, from) = (internal as i32, texels.as_ptr().cast());
        let f = &self.f;
        let bound = if target == FACE { CUBE } else { target };
        unsafe {
            (f.glBindTexture)(bound, name);
            match target {
                TEXTURE_1D => {
                    (f.glTexImage1D)(target, level, internal, w, 0, format, data_type, from);
                }
                TEXTURE_3D | ARRAY_2D => {
                    (f.glTexImage3D)(target, level, internal, w, h, d, 0, format, data_type, from);
                }
                // All faces of a cube must be there.
                FACE => (0x8515..0x851B).for_each(|face| {
                    (f.glTexImage2D)(face, level, internal, w, h, 0, format, data_type, from);
                }),
                _ => (f.glTexImage2D)(target, level, internal, w, h, 0, format, data_type, from),
            }
            // GL_TEXTURE_MIN_FILTER, GL_NEAREST
            (f.glTexParameteri)(bound, 0x2801, 0x2600);
        }
        self.check();
    }

    /// Reads a level of a texture.
    pub fn read_level(&self, name: u32, kind: Kind, level: i32, size: [usize; 3]) -> Vec<u8> {
        let Kind { target, format, data_type, texel, .. } = kind;
        let mut texels = vec![0u8; size.iter().product::<usize>() * texel];
        let bound = if target == FACE { CUBE } else { target };
        unsafe {
            (self.f.glBindTexture)(bound, name);
            let to = texels.as_mut_ptr().cast();
            (self.f.glGetTexImage)(target, level, format, data_type, to);
        }
        self.check();
        texels
    }

    /// Reads 8-bit colours of the framebuffer that is bound.
    pub fn read_pixels(&self, [width, height]: [usize; 2]) -> Vec<u8> {
        let mut texels = vec![0u8; 4 * width * height];
        unsafe {
            let to = texels.as_mut_ptr().cast();
            (self.f.glReadPixels)(0, 0, width as i32, height as i32, RGBA, UNSIGNED_BYTE, to);
        }
        self.check();
        texels
    }

    pub fn framebuffer(&self) {
        let mut name = 0;
        unsafe {
            (self.f.glGenFramebuffers)(1, &mut name);
            (self.f.glBindFramebuffer)(FRAMEBUFFER, name);
        }
    }

    pub fn renderbuffer(&self, internal: u32, [width, height]: [usize; 2]) -> u32 {
        let mut name = 0;
        unsafe {
            (self.f.glGenRenderbuffers)(1, &mut name);
            (self.f.glBindRenderbuffer)(RENDERBUFFER, name);
            (self.f.glRenderbufferStorage)(RENDERBUFFER, internal, width as i32, height as i32);
        }
        self.check();
        name
    }
}

/// Returns the text of a string of C.
#[allow(dead_code)]
pub fn text(from: *const c_char) -> String {
    unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned()
}
