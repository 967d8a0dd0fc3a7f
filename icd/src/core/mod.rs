//! The runtime's objects and their behaviour in safe terms: nothing here is `extern "C"`.
//!
//! Each folder uses those below it and none above:
//!
//! ```text
//! command_buffer   commands recorded once and replayed
//! command          what each command does
//! queue            order, deferred commands, events, completion
//! program          building, binaries, kernels
//! memory           buffers, mappings, residency, host memory
//! context          devices that share objects; shared virtual memory; what kernels print
//! device           platform, device selection, opened devices, staging memory
//! profile          what Hekla says of itself to some programs
//! diagnostics      log, trace, dump
//! egl              memory that EGL exports
//! gl               objects of OpenGL: what they are, and copies of their contents
//! cache            the disk cache
//! clang            programs in C++ for OpenCL become modules of SPIR-V
//! offline          programs compiled without a device
//! process          clock, worker threads, fork and exit
//! ```

pub mod cache;
pub mod check;
pub mod clang;
pub mod command;
pub mod command_buffer;
pub mod context;
pub mod device;
pub mod diagnostics;
pub mod egl;
pub mod gl;
pub mod memory;
pub mod offline;
pub mod printf;
pub mod process;
pub mod profile;
pub mod program;
pub mod queue;
