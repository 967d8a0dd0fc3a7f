//! OpenCL C programs out of bytes: what fuzzing and tests without an input of their own run.
#![forbid(unsafe_code)]

mod draw;
pub mod exact;
pub mod typed;
