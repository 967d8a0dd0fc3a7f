//! The host clock that every profiling time is expressed in: nanoseconds of the system's monotonic clock.

pub use hekla_vk_backend::platform::now_ns as now;
