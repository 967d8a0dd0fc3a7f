//! Contexts of EGL: a context of Hekla's own that shares objects with the application's context.

use super::binding::Refusal;
use super::constants::TEXTURE_2D;
use super::object::{Object, Source};
use crate::config;
use crate::platform::{self, function_table};
use std::ffi::{c_char, c_void, CStr};
use std::sync::OnceLock;

type Handle = *mut c_void;

const NONE: i32 = 0x3038;
const CONFIG_ID: i32 = 0x3028;
const EXTENSIONS: i32 = 0x3055;
const HEIGHT: i32 = 0x3056;
const WIDTH: i32 = 0x3057;
const CONTEXT_CLIENT_TYPE: i32 = 0x3097;
const MAJOR_VERSION: i32 = 0x3098;
const MINOR_VERSION: i32 = 0x30FB;
const PROFILE_MASK: i32 = 0x30FD;
const OPENGL_ES_API: i32 = 0x30A0;
const OPENGL_API: i32 = 0x30A2;
const GL_TEXTURE_2D: u32 = 0x30B1;
const GL_RENDERBUFFER: u32 = 0x30B9;
const GL_TEXTURE_LEVEL: i32 = 0x30BC;
const IMAGE_PRESERVED: i32 = 0x30D2;

function_table! {
    /// The functions of EGL 1.5 that sharing needs; EGL 1.4 has all of them.
    Functions {
        query_string c"eglQueryString": fn(Handle, i32) -> *const c_char;
        bind_api c"eglBindAPI": fn(u32) -> u32;
        query_context c"eglQueryContext": fn(Handle, Handle, i32, *mut i32) -> u32;
        choose_config c"eglChooseConfig":
            fn(Handle, *const i32, *mut Handle, i32, *mut i32) -> u32;
        create_context c"eglCreateContext": fn(Handle, Handle, Handle, *const i32) -> Handle;
        destroy_context c"eglDestroyContext": fn(Handle, Handle) -> u32;
        create_pbuffer c"eglCreatePbufferSurface": fn(Handle, Handle, *const i32) -> Handle;
        destroy_surface c"eglDestroySurface": fn(Handle, Handle) -> u32;
        make_current c"eglMakeCurrent": fn(Handle, Handle, Handle, Handle) -> u32;
        release_thread c"eglReleaseThread": fn() -> u32;
        current_context c"eglGetCurrentContext": fn() -> Handle;
        address c"eglGetProcAddress": fn(*const c_char) -> Handle;
    }
}

function_table! {
    /// The functions of EGL_KHR_image_base.
    Images {
        create c"eglCreateImageKHR": fn(Handle, Handle, u32, Handle, *const i32) -> Handle;
        destroy c"eglDestroyImageKHR": fn(Handle, Handle) -> u32;
    }
}

/// Returns the functions of the EGL that the process has loaded, if it has.
fn functions() -> Option<&'static Functions> {
    static FOUND: OnceLock<Functions> = OnceLock::new();
    platform::of_process(&FOUND, &[platform::EGL], |library| {
        Functions::look_up(|name| library.symbol(name))
    })
}

/// Returns true if a context is current on this thread.
pub(super) fn is_any_current() -> bool {
    // SAFETY: a query without preconditions.
    functions().is_some_and(|f| !unsafe { (f.current_context)() }.is_null())
}

/// Returns the address of one of OpenGL's functions.
pub(super) fn address(name: &CStr) -> Option<Handle> {
    // SAFETY: the name is a string.
    let address = unsafe { (functions()?.address)(name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

/// A context of Hekla's own that shares objects with the application's. It is current on the thread that made it.
pub(super) struct Shared {
    functions: &'static Functions,
    pub(super) display: Handle,
    pub(super) context: Handle,
    /// The surface with which the context is current; null if the context needs no surface.
    surface: Handle,
}

impl Shared {
    /// Makes a context of the version with the number `attempt`, the best version first. `None`: there are no more versions.
    ///
    /// # Errors
    /// The handle is not a context of the display, or the context does not share.
    pub(super) fn new(
        display: usize,
        context: usize,
        attempt: usize,
    ) -> Result<Option<Shared>, Refusal> {
        let functions = functions().ok_or(Refusal::NoWindowSystem)?;
        let share = Share { functions, display: display as Handle, context: context as Handle };
        share.shared(attempt)
    }
}

impl Shared {
    /// Runs `f` with an EGL image of a texture's first level or of a renderbuffer. `None` if EGL does not make the image.
    pub(super) fn with_image<T>(&self, object: &Object, f: impl FnOnce(usize) -> T) -> Option<T> {
        let (target, attributes): (u32, &[i32]) = match object.source {
            Source::Texture { target: TEXTURE_2D, level: 0 } => {
                (GL_TEXTURE_2D, &[GL_TEXTURE_LEVEL, 0, IMAGE_PRESERVED, 1, NONE])
            }
            Source::Renderbuffer => (GL_RENDERBUFFER, &[IMAGE_PRESERVED, 1, NONE]),
            _ => return None,
        };
        let images = Images::look_up(address)?;
        let name = object.name as usize as Handle;
        // SAFETY: the context is current on this thread; EGL looks up the object.
        let image = unsafe {
            (images.create)(self.display, self.context, target, name, attributes.as_ptr())
        };
        if image.is_null() {
            return None;
        }
        let result = f(image as usize);
        // SAFETY: the image is this function's.
        unsafe { (images.destroy)(self.display, image) };
        Some(result)
    }
}

/// The application's context, with which Hekla's context shares objects.
struct Share {
    functions: &'static Functions,
    display: Handle,
    context: Handle,
}

impl Share {
    fn query(&self, attribute: i32) -> Result<i32, Refusal> {
        let mut value = 0;
        // SAFETY: EGL looks up what it is given, and answers false for a value that is not a context of a display.
        let known = unsafe {
            (self.functions.query_context)(self.display, self.context, attribute, &mut value)
        };
        (known != 0).then_some(value).ok_or(Refusal::Invalid("EGL knows no such context"))
    }

    /// Returns the configuration of the application's context; null if it has none.
    fn config(&self) -> Result<Handle, Refusal> {
        let id = self.query(CONFIG_ID)?;
        let (attributes, mut config, mut count) = ([CONFIG_ID, id, NONE], std::ptr::null_mut(), 0);
        if id == 0 {
            return Ok(config);
        }
        // SAFETY: the display is valid, since a context of it is; there is room for one configuration.
        let found = unsafe {
            (self.functions.choose_config)(
                self.display,
                attributes.as_ptr(),
                &mut config,
                1,
                &mut count,
            )
        };
        let found = found != 0 && count == 1;
        found.then_some(config).ok_or(Refusal::Invalid("the context's configuration is unknown"))
    }

    fn is_surfaceless(&self) -> bool {
        // SAFETY: the display is valid; EGL's strings are there as long as it is.
        let text = unsafe { (self.functions.query_string)(self.display, EXTENSIONS) };
        // SAFETY: as above.
        let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) });
        let text = text.map(CStr::to_string_lossy).unwrap_or_default();
        text.split(' ').any(|name| name == "EGL_KHR_surfaceless_context")
    }

    fn shared(&self, attempt: usize) -> Result<Option<Shared>, Refusal> {
        let config = self.config()?;
        let api = self.query(CONTEXT_CLIENT_TYPE)?;
        let alone = config::gl_ways().same_api && api == OPENGL_ES_API;
        let attempt = attempt + usize::from(alone && attempt == 0);
        // Mesa shares objects of OpenGL ES with contexts of OpenGL, which can read more kinds of texels; other implementations
        // of EGL need not.
        let (api, attributes): (i32, &[i32]) = match (api, attempt) {
            (OPENGL_API | OPENGL_ES_API, 0) => (OPENGL_API, &[NONE]),
            (OPENGL_API, 1) => (api, &[MAJOR_VERSION, 4, MINOR_VERSION, 5, PROFILE_MASK, 1, NONE]),
            (OPENGL_API, 2) => (api, &[MAJOR_VERSION, 3, MINOR_VERSION, 2, PROFILE_MASK, 1, NONE]),
            (OPENGL_ES_API, 1) => (api, &[MAJOR_VERSION, 3, MINOR_VERSION, 2, NONE]),
            (OPENGL_ES_API, 2) => (api, &[MAJOR_VERSION, 3, MINOR_VERSION, 1, NONE]),
            _ => return Ok(None),
        };
        let surface = match self.is_surfaceless() {
            true => std::ptr::null_mut(),
            false => self.pbuffer(config)?,
        };
        let f = self.functions;
        // SAFETY: display, context and configuration are valid; this thread has no other context.
        let context = unsafe {
            (f.bind_api)(api as u32);
            (f.create_context)(self.display, config, self.context, attributes.as_ptr())
        };
        let shared = Shared { functions: f, display: self.display, context, surface };
        // SAFETY: as above. Dropping it is right whatever was made.
        let current = !context.is_null()
            && unsafe { (f.make_current)(self.display, surface, surface, context) } != 0;
        match current {
            true => Ok(Some(shared)),
            // The driver may have the next version.
            false => {
                drop(shared);
                self.shared(attempt + 1)
            }
        }
    }

    fn pbuffer(&self, config: Handle) -> Result<Handle, Refusal> {
        let size = [WIDTH, 1, HEIGHT, 1, NONE];
        // SAFETY: display and configuration are valid.
        let surface =
            unsafe { (self.functions.create_pbuffer)(self.display, config, size.as_ptr()) };
        (!surface.is_null()).then_some(surface).ok_or(Refusal::Invalid("no pbuffer can be made"))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let (f, none) = (self.functions, std::ptr::null_mut());
        // SAFETY: what is destroyed was made here, and is used by this thread alone. A display that the application has
        // terminated meanwhile is an error of EGL's.
        unsafe {
            (f.make_current)(self.display, none, none, none);
            if !self.context.is_null() {
                (f.destroy_context)(self.display, self.context);
            }
            if !self.surface.is_null() {
                (f.destroy_surface)(self.display, self.surface);
            }
            (f.release_thread)();
        }
    }
}
