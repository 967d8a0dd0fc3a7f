//! The C ABI of Hekla: `libhekla.so`, which the OpenCL ICD loader loads.
//!
//! ```text
//! C caller --dispatch--> api (checks what C gives) --> core (safe objects) --> compiler, vk-backend
//!                                 |
//!                               object (handles, reference counts)
//! ```
//!
//! * [`dispatch`]: the table of entry points and the boundary that every call crosses;
//! * [`object`]: handles that are checked before they are followed;
//! * [`api`]: the entry points, a file per chapter of the OpenCL API specification;
//! * [`core`]: platforms, devices, contexts, queues, events, memory, programs and kernels.

pub mod api;
pub mod core;
pub mod dispatch;
pub mod object;
