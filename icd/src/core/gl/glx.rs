//! Contexts of GLX: a context of Hekla's own that shares objects with the application's context.
//!
//! The context is made through the application's own connection to the X server, since contexts share objects only within one
//! connection. Xlib keeps requests of several threads in order since version 1.8, or if the application has called
//! XInitThreads.

use super::binding::Refusal;
use super::x11;
use crate::platform::{self, function_table};
use std::ffi::{c_char, c_int, c_ulong, c_void, CStr};
use std::sync::OnceLock;

type Handle = *mut c_void;

const NONE: c_int = 0;
const SCREEN: c_int = 0x800C;
const DRAWABLE_TYPE: c_int = 0x8010;
const RENDER_TYPE: c_int = 0x8011;
const FBCONFIG_ID: c_int = 0x8013;
const RGBA_TYPE: c_int = 0x8014;
const PBUFFER_HEIGHT: c_int = 0x8040;
const PBUFFER_WIDTH: c_int = 0x8041;
const PBUFFER_BIT: c_int = 0x4;
const RGBA_BIT: c_int = 0x1;
const MAJOR_VERSION: c_int = 0x2091;
const MINOR_VERSION: c_int = 0x2092;
const PROFILE_MASK: c_int = 0x9126;

function_table! {
    /// The functions (GLX 1.4).
    Functions {
        query_context c"glXQueryContext": fn(Handle, Handle, c_int, *mut c_int) -> c_int;
        choose_config c"glXChooseFBConfig":
            fn(Handle, c_int, *const c_int, *mut c_int) -> *mut Handle;
        config_attribute c"glXGetFBConfigAttrib": fn(Handle, Handle, c_int, *mut c_int) -> c_int;
        create_context c"glXCreateNewContext":
            fn(Handle, Handle, c_int, Handle, c_int) -> Handle;
        destroy_context c"glXDestroyContext": fn(Handle, Handle);
        is_direct c"glXIsDirect": fn(Handle, Handle) -> c_int;
        create_pbuffer c"glXCreatePbuffer": fn(Handle, Handle, *const c_int) -> c_ulong;
        destroy_pbuffer c"glXDestroyPbuffer": fn(Handle, c_ulong);
        make_current c"glXMakeContextCurrent": fn(Handle, c_ulong, c_ulong, Handle) -> c_int;
        current_context c"glXGetCurrentContext": fn() -> Handle;
        address c"glXGetProcAddressARB": fn(*const c_char) -> Handle;
    }
}

function_table! {
    /// The functions of GLX_ARB_create_context.
    Versions {
        create c"glXCreateContextAttribsARB":
            fn(Handle, Handle, Handle, c_int, *const c_int) -> Handle;
    }
}

/// Returns the functions of the GLX that the process has loaded, if it has.
fn functions() -> Option<&'static Functions> {
    static FOUND: OnceLock<Functions> = OnceLock::new();
    platform::of_process(&FOUND, platform::GLX, |library| {
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
    pbuffer: c_ulong,
}

impl Shared {
    /// Makes a context of the version with the number `attempt`, the best version first. `None`: there are no more versions.
    /// The display must be open.
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
        // SAFETY: cl_khr_gl_sharing requires the display to be open.
        let made = unsafe { x11::without_errors(display, || share.shared(attempt)) };
        made.ok_or(Refusal::NoWindowSystem)?
    }
}

/// The application's context, with which Hekla's context shares objects.
struct Share {
    functions: &'static Functions,
    display: Handle,
    context: Handle,
}

impl Share {
    fn query(&self, attribute: c_int) -> Option<c_int> {
        let mut value = 0;
        // SAFETY: the display is open; GLX looks up the context.
        let status = unsafe {
            (self.functions.query_context)(self.display, self.context, attribute, &mut value)
        };
        (status == 0).then_some(value)
    }

    /// Returns a configuration with these attributes that allows pbuffers.
    fn config_with(&self, screen: c_int, attributes: &[c_int]) -> Option<Handle> {
        let f = self.functions;
        let mut count = 0;
        // SAFETY: the display is open, the list ends with None.
        let list =
            unsafe { (f.choose_config)(self.display, screen, attributes.as_ptr(), &mut count) };
        if list.is_null() {
            return None;
        }
        let mut found = None;
        for index in 0..usize::try_from(count).unwrap_or(0) {
            // SAFETY: the list has `count` configurations.
            let config = unsafe { list.add(index).read() };
            let mut drawables = 0;
            // SAFETY: display and configuration are valid.
            unsafe { (f.config_attribute)(self.display, config, DRAWABLE_TYPE, &mut drawables) };
            if drawables & PBUFFER_BIT != 0 {
                found = Some(config);
                break;
            }
        }
        // SAFETY: GLX allocated the list.
        unsafe { x11::free(list.cast()) };
        found
    }

    /// Returns the configuration of the application's context, or one like it.
    fn config(&self) -> Result<Handle, Refusal> {
        let unknown = Refusal::Invalid("GLX knows no such context");
        let screen = self.query(SCREEN).ok_or(unknown)?;
        let id = self.query(FBCONFIG_ID).filter(|id| *id != 0);
        let own = id.and_then(|id| self.config_with(screen, &[FBCONFIG_ID, id, NONE]));
        let like = || {
            let wanted = [DRAWABLE_TYPE, PBUFFER_BIT, RENDER_TYPE, RGBA_BIT, NONE];
            self.config_with(screen, &wanted)
        };
        own.or_else(like).ok_or(Refusal::Invalid("no configuration has pbuffers"))
    }

    fn create(&self, config: Handle, attempt: usize) -> Option<Handle> {
        let core: [c_int; 7] = match attempt {
            0 => {
                // SAFETY: display, configuration and context are valid.
                return Some(unsafe {
                    let f = self.functions;
                    (f.create_context)(self.display, config, RGBA_TYPE, self.context, 1)
                });
            }
            1 => [MAJOR_VERSION, 4, MINOR_VERSION, 5, PROFILE_MASK, 1, NONE],
            2 => [MAJOR_VERSION, 3, MINOR_VERSION, 2, PROFILE_MASK, 1, NONE],
            _ => return None,
        };
        let versions = Versions::look_up(address)?;
        // SAFETY: as above; the list ends with None.
        Some(unsafe { (versions.create)(self.display, config, self.context, 1, core.as_ptr()) })
    }

    fn shared(&self, attempt: usize) -> Result<Option<Shared>, Refusal> {
        let config = self.config()?;
        let f = self.functions;
        let size = [PBUFFER_WIDTH, 1, PBUFFER_HEIGHT, 1, NONE];
        let Some(context) = self.create(config, attempt) else { return Ok(None) };
        if context.is_null() {
            return self.shared(attempt + 1);
        }
        // SAFETY: display and configuration are valid.
        let pbuffer = unsafe { (f.create_pbuffer)(self.display, config, size.as_ptr()) };
        let shared = Shared { functions: f, display: self.display, context, pbuffer };
        // SAFETY: both were just made. This thread has no other context.
        let current = unsafe {
            (f.is_direct)(self.display, context) != 0
                && (f.make_current)(self.display, pbuffer, pbuffer, context) != 0
        };
        match current {
            true => Ok(Some(shared)),
            false => Err(Refusal::Invalid("GLX shares no context of this process")),
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let (f, none) = (self.functions, std::ptr::null_mut());
        // SAFETY: what is destroyed was made here, and is used by this thread alone; the display is open: before it is closed
        // the thread ends (`x11::before_close`).
        unsafe {
            (f.make_current)(self.display, 0, 0, none);
            (f.destroy_context)(self.display, self.context);
            if self.pbuffer != 0 {
                (f.destroy_pbuffer)(self.display, self.pbuffer);
            }
        }
    }
}
