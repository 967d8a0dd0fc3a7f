//! The C vocabulary of OpenCL: types ([`types`]) and constants ([`constants`]), written from the
//! registry's facts (cl.xml) under their C names; error codes as Rust errors ([`error`]), memory for sizes of
//! the application's ([`room`]), and the values of information queries ([`info`]), also of kernel arguments ([`arg_info`]); the offline compiler's types ([`offline`]).
#![allow(non_camel_case_types, non_upper_case_globals)]

pub mod arg_info;
pub mod check;
pub mod constants;
pub mod error;
pub mod info;
pub mod offline;
pub mod room;
pub mod types;

pub use check::*;
pub use constants::*;
pub use offline::*;
pub use types::*;
