//! The types by which programs are told what their kernels find out about themselves (docs/check.md).
//!
//! `cargo xtask header` makes `include/hekla.h` of this file and of `api/check.rs`, comments included.

use super::types::{cl_uint, cl_ulong};
use std::ffi::{c_char, c_void};

/// What a place in a kernel has found in one launch, as HEKLA_CHECK tells it. All strings end with a zero byte, and live
/// until the callback returns.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hekla_check_finding {
    /// The bytes of this structure; later versions may be longer.
    pub struct_size: usize,
    /// The kind, as HEKLA_CHECK names it: bounds, null, align, arith, init, barriers or races.
    pub kind: *const c_char,
    /// The kernel's name; empty where it is in a function of several kernels.
    pub kernel: *const c_char,
    /// The file of the place, as the program names it; empty where it is not known.
    pub file: *const c_char,
    /// The line of the place, from 1 on; 0 where it is not known.
    pub line: cl_uint,
    /// The column of the place, from 1 on; 0 where it is not known.
    pub column: cl_uint,
    /// The global id of the first work-item that came to the place: 32 bits in each dimension.
    pub global_id: [cl_uint; 3],
    /// Its local id.
    pub local_id: [cl_uint; 3],
    /// How often the place has found it in this launch.
    pub count: cl_ulong,
    /// What is wrong, in a line.
    pub what: *const c_char,
    /// All that standard error is told of it, in lines.
    pub message: *const c_char,
}

/// A function of the program that is told of findings.
///
/// The library calls it without a lock of its own, before a call returns that waits for the launch, or at any time after the
/// launch is complete; it may call OpenCL's functions, but must not wait for a thread that waits for the same queue.
pub type hekla_check_callback =
    Option<unsafe extern "C" fn(finding: *const hekla_check_finding, user_data: *mut c_void)>;
