//! Memory of objects as Mesa exports it (MESA_gl_interop: eglGLInteropExportObjectMESA, glXGLInteropExportObjectMESA): as
//! dma_bufs, for buffers and for texels in any format.

use super::binding::Current;
use super::constants::*;
use super::context::Gl;
use super::export::Memory;
use super::object::{Object, Source};
use super::{egl, glx};
use crate::platform::function_table;
use std::ffi::{c_int, c_void};

type Handle = *mut c_void;

/// The query about an object (mesa_glinterop_export_in).
#[repr(C)]
pub(super) struct Asked {
    version: u32,
    target: u32,
    name: u32,
    level: u32,
    /// 0: for reading and writing.
    access: u32,
    driver_data_size: u32,
    driver_data: Handle,
}

/// The answer to a query about an object (mesa_glinterop_export_out).
#[repr(C)]
#[derive(Default)]
pub(super) struct Answered {
    version: u32,
    fd: c_int,
    internal_format: u32,
    offset: isize,
    size: isize,
    first_level: u32,
    levels: u32,
    first_layer: u32,
    layers: u32,
    driver_data_written: u32,
    width: u32,
    height: u32,
    depth: u32,
    stride: u32,
    modifier: u64,
}

/// The version of both structs that includes strides and modifiers.
const VERSION: u32 = 2;

function_table! {
    /// EGL's function that exports objects.
    OfEgl {
        export c"eglGLInteropExportObjectMESA":
            fn(Handle, Handle, *mut Asked, *mut Answered) -> c_int;
    }
}

function_table! {
    /// GLX's function that exports objects.
    OfGlx {
        export c"glXGLInteropExportObjectMESA":
            fn(Handle, Handle, *mut Asked, *mut Answered) -> c_int;
    }
}

/// Returns Mesa's query about an object; `None` for objects that are not exported.
fn asked_for(object: &Object) -> Option<Asked> {
    let target = match object.source {
        Source::Buffer => ARRAY_BUFFER,
        Source::Renderbuffer => RENDERBUFFER,
        Source::Texture { target: target @ (TEXTURE_2D | TEXTURE_RECTANGLE), level: 0 } => target,
        _ => return None,
    };
    Some(Asked {
        version: VERSION,
        target,
        name: object.name,
        level: 0,
        access: 0,
        driver_data_size: 0,
        driver_data: std::ptr::null_mut(),
    })
}

function_table! {
    /// EGL's function that settles objects' memory.
    FlushOfEgl {
        flush c"eglGLInteropFlushObjectsMESA":
            fn(Handle, Handle, u32, *mut Asked, Handle) -> c_int;
    }
}

function_table! {
    /// GLX's function that settles objects' memory.
    FlushOfGlx {
        flush c"glXGLInteropFlushObjectsMESA":
            fn(Handle, Handle, u32, *mut Asked, Handle) -> c_int;
    }
}

impl Gl {
    /// Makes Mesa write the contents of objects that it keeps elsewhere, compressed or as clears, to the memory that others
    /// see, and waits for that. Does nothing if the driver is not Mesa's.
    pub(super) fn settle_by_mesa(&self, objects: &[Object]) {
        let mut all: Vec<Asked> = objects.iter().filter_map(asked_for).collect();
        let (count, list, none) = (all.len() as u32, all.as_mut_ptr(), std::ptr::null_mut());
        // SAFETY: the context is current; the list has `count` structs of the versions that they say; no fence is asked for.
        let status = unsafe {
            match &self.current {
                Current::Egl(own) => {
                    let functions = FlushOfEgl::look_up(egl::address);
                    functions.map(|f| (f.flush)(own.display, own.context, count, list, none))
                }
                Current::Glx(own) => {
                    let functions = FlushOfGlx::look_up(glx::address);
                    functions.map(|f| (f.flush)(own.display, own.context, count, list, none))
                }
            }
        };
        if status.is_some() {
            self.finish();
        }
    }

    /// Exports the memory of an object. `None` if the driver is not Mesa's, or does not export the object.
    pub(super) fn export_by_mesa(&self, object: &Object) -> Option<Memory> {
        let mut asked = asked_for(object)?;
        let mut answered = Answered { version: VERSION, fd: -1, ..Answered::default() };
        // SAFETY: the context is current; Mesa reads and writes structs of the versions that they say, and looks up the object.
        let status = unsafe {
            match &self.current {
                Current::Egl(own) => {
                    let function = OfEgl::look_up(egl::address)?.export;
                    function(own.display, own.context, &mut asked, &mut answered)
                }
                Current::Glx(own) => {
                    let function = OfGlx::look_up(glx::address)?.export;
                    function(own.display, own.context, &mut asked, &mut answered)
                }
            }
        };
        if status != 0 || answered.fd < 0 {
            return None;
        }
        let mut memory = Memory::new(answered.fd);
        memory.offset = u64::try_from(answered.offset).ok()?;
        if object.source == Source::Buffer {
            return Some(memory);
        }
        memory.row_pitch = answered.stride as usize;
        memory.modifier = answered.modifier;
        (answered.version >= VERSION).then_some(memory)
    }
}
