//! The runtime's objects and their behaviour in safe terms: nothing here is `extern "C"`.

pub mod binary;
pub mod clock;
pub mod context;
pub mod device;
pub mod device_info;
pub mod due;
pub mod dump;
pub mod error;
pub mod event;
pub mod event_thread;
pub mod gpu;
pub mod host;
pub mod info;
pub mod kernel;
pub mod launch;
pub mod log;
pub mod memory;
pub mod ndrange;
pub mod platform;
pub mod printf;
pub mod program;
pub mod queue;
pub mod rect;
pub mod sampler;
pub mod staging;
pub mod transfer;
