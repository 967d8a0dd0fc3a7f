//! Objects of OpenGL and OpenGL ES (cl_khr_gl_sharing, cl_khr_gl_event, cl_khr_gl_depth_images). Where there is no EGL that makes
//! contexts without a window, the tests are skipped, with a message.
// Nearly every call of the APIs is unsafe, for the reason that the C specifications give.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "../common/mod.rs"]
mod common;
#[macro_use]
#[path = "../common/egl_functions.rs"]
mod egl_functions;
mod contents;
mod errors;
mod gl;
mod glx;
mod lifetime;
mod order;
mod random;
mod world;

/// Runs all tests twice more: with copies alone, and with contexts of OpenGL ES that are shared with OpenGL ES alone.
#[test]
fn ways_that_are_not_the_best_work_too() {
    if world::World::new(gl::Api::Desktop).is_some() {
        common::run_again_with(&[("HEKLA_GL", "copy")]);
        common::run_again_with(&[("HEKLA_GL", "same-api")]);
    }
}
