//! The C ABI of Hekla: `libhekla.so`, which the OpenCL ICD loader loads.
//!
//! ```text
//! C caller --> api (checks what C gives) --> core (safe objects) --> compiler, vk-backend
//!               |                             |
//!            dispatch (the boundary)       object (handles, reference counts)
//! ```
//!
//! * [`api`]: the entry points, a file per chapter of the OpenCL API specification, and their table;
//! * [`dispatch`]: the boundary that every call crosses;
//! * [`core`]: platforms, devices, contexts, queues, events, memory, programs and kernels;
//! * [`object`]: handles that are checked before they are followed, callbacks, error notification;
//! * [`cl`]: OpenCL's C types, constants and error codes;
//! * [`config`]: the environment variables;
//! * [`platform`]: the operating system.

pub mod api;
pub mod cl;
pub mod config;
pub mod core;
pub mod dispatch;
pub mod object;
/// cbindgen:ignore
pub mod platform;
