//! The functions of EGL and OpenGL ES that images need.

use crate::platform::{self, function_table};
use std::ffi::{c_char, c_void, CStr};
use std::sync::OnceLock;

type Handle = *mut c_void;

const EGL_EXTENSIONS: i32 = 0x3055;
const EGL_OPENGL_ES_API: u32 = 0x30A0;
/// EGL_CONTEXT_MAJOR_VERSION 3, EGL_CONTEXT_MINOR_VERSION 1, EGL_NONE.
const VERSION: [i32; 5] = [0x3098, 3, 0x30FB, 1, 0x3038];
const GL_TEXTURE_2D: u32 = 0x0DE1;
const GL_TEXTURE_WIDTH: u32 = 0x1000;
const GL_TEXTURE_HEIGHT: u32 = 0x1001;
const GL_INVALID_VALUE: u32 = 0x0501;

/// The layout of an image's texels: format, number of planes and format modifier.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Layout {
    pub fourcc: u32,
    pub planes: i32,
    pub modifier: u64,
}

/// The memory of an image of one plane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plane {
    /// A dma_buf, which the caller owns.
    pub fd: i32,
    pub stride: i32,
    pub offset: i32,
}

function_table! {
    /// The function that returns the addresses of other functions (EGL 1.4).
    Finder {
        address c"eglGetProcAddress": fn(*const c_char) -> Handle;
    }
}

function_table! {
    /// The functions of EGL 1.5, of OpenGL ES 3.1 and of the extensions.
    Functions {
        query_string c"eglQueryString": fn(Handle, i32) -> *const c_char;
        bind_api c"eglBindAPI": fn(u32) -> u32;
        create_context c"eglCreateContext": fn(Handle, Handle, Handle, *const i32) -> Handle;
        destroy_context c"eglDestroyContext": fn(Handle, Handle) -> u32;
        make_current c"eglMakeCurrent": fn(Handle, Handle, Handle, Handle) -> u32;
        release_thread c"eglReleaseThread": fn() -> u32;
        query_image c"eglExportDMABUFImageQueryMESA":
            fn(Handle, Handle, *mut u32, *mut i32, *mut u64) -> u32;
        export_image c"eglExportDMABUFImageMESA":
            fn(Handle, Handle, *mut i32, *mut i32, *mut i32) -> u32;
        gen_textures c"glGenTextures": fn(i32, *mut u32);
        bind_texture c"glBindTexture": fn(u32, u32);
        delete_textures c"glDeleteTextures": fn(i32, *const u32);
        target_texture c"glEGLImageTargetTexture2DOES": fn(u32, Handle);
        level_parameter c"glGetTexLevelParameteriv": fn(u32, i32, u32, *mut i32);
        error c"glGetError": fn() -> u32;
    }
}

impl Functions {
    /// Returns the functions of the EGL that the process has loaded, if it has.
    pub(super) fn find() -> Option<&'static Functions> {
        static FOUND: OnceLock<Functions> = OnceLock::new();
        platform::of_process(&FOUND, &[platform::EGL], |library| {
            let get = Finder::look_up(|name| library.symbol(name))?.address;
            Functions::look_up(|name| {
                library.symbol(name).or_else(|| {
                    // SAFETY: the name is a string.
                    let address = unsafe { get(name.as_ptr()) };
                    (!address.is_null()).then_some(address)
                })
            })
        })
    }

    /// Returns the extensions of a display; `None` if the handle is not an initialized display.
    pub(super) fn extensions(&self, display: usize) -> Option<String> {
        // SAFETY: EGL looks up what it is given, and answers NULL for a value that is not a display.
        let text = unsafe { (self.query_string)(display as Handle, EGL_EXTENSIONS) };
        // SAFETY: EGL's strings are there as long as the display.
        let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })?;
        Some(text.to_string_lossy().into_owned())
    }

    /// Returns the width and height of an image, which a temporary context on this thread reports. The error is false if the
    /// display has no such image, otherwise true.
    pub(super) fn size_of(&self, display: usize, image: usize) -> Result<[usize; 2], bool> {
        let (display, none) = (display as Handle, std::ptr::null_mut());
        // SAFETY: the display is valid and makes contexts without a configuration and a surface, as its extensions say; this
        // thread has no other context, and what is made here goes with it.
        unsafe {
            (self.bind_api)(EGL_OPENGL_ES_API);
            let context = (self.create_context)(display, none, none, VERSION.as_ptr());
            if context.is_null() {
                return Err(true);
            }
            let size = match (self.make_current)(display, none, none, context) {
                0 => Err(true),
                _ => self.size_in_context(image as Handle),
            };
            (self.make_current)(display, none, none, none);
            (self.destroy_context)(display, context);
            (self.release_thread)();
            size
        }
    }

    /// # Safety
    /// A context of OpenGL ES 3.1 is current.
    unsafe fn size_in_context(&self, image: Handle) -> Result<[usize; 2], bool> {
        let (mut texture, mut size) = (0, [0; 2]);
        // SAFETY: as the caller promises; an image that is none is an error of OpenGL's.
        let error = unsafe {
            (self.gen_textures)(1, &mut texture);
            (self.bind_texture)(GL_TEXTURE_2D, texture);
            (self.target_texture)(GL_TEXTURE_2D, image);
            let error = (self.error)();
            if error == 0 {
                (self.level_parameter)(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &mut size[0]);
                (self.level_parameter)(GL_TEXTURE_2D, 0, GL_TEXTURE_HEIGHT, &mut size[1]);
            }
            (self.delete_textures)(1, &texture);
            error
        };
        match error {
            0 => Ok(size.map(|texels| usize::try_from(texels).unwrap_or(0))),
            error => Err(error != GL_INVALID_VALUE),
        }
    }

    /// Returns the layout of an image's texels; `None` if the display does not export the image.
    pub(super) fn layout_of(&self, display: usize, image: usize) -> Option<Layout> {
        let mut layout = Layout::default();
        let Layout { fourcc, planes, modifier } = &mut layout;
        let (display, image) = (display as Handle, image as Handle);
        // SAFETY: display and image are valid. One modifier is written for each plane: with room for one alone, the number of
        // planes is asked for first.
        unsafe {
            let none = std::ptr::null_mut();
            if (self.query_image)(display, image, fourcc, planes, none) == 0 {
                return None;
            }
            if *planes == 1 && (self.query_image)(display, image, fourcc, planes, modifier) == 0 {
                return None;
            }
        }
        Some(layout)
    }

    /// Exports the memory of an image of one plane.
    pub(super) fn export(&self, display: usize, image: usize) -> Option<Plane> {
        let mut plane = Plane { fd: -1, stride: 0, offset: 0 };
        let Plane { fd, stride, offset } = &mut plane;
        // SAFETY: display and image are valid, and the image has one plane, of which the places are.
        let done =
            unsafe { (self.export_image)(display as Handle, image as Handle, fd, stride, offset) };
        (done != 0 && plane.fd >= 0 && plane.stride >= 0 && plane.offset >= 0).then_some(plane)
    }
}
