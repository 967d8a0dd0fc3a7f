//! Runs the Vulkan compute SPIR-V that Hekla's compiler emits, without a device.
//!
//! [`run`] executes one dispatch exactly, one instruction after the other, with the work-items of several work-groups
//! interleaved at random. It is strict: for each bit of memory and of each value it knows whether the bit has a defined value,
//! and actions that no correct program performs are an [`Error`]: accesses out of bounds or not aligned, branches and addresses
//! that depend on undefined bits, barriers that not all work-items reach, arithmetic of widths that no capability allows.
//! Instructions that the emitter never uses are errors, too.
//!
//! [`Launch`] starts a kernel as the runtime does. [`trace`] runs one work-group, and tells how a value came about.
#![forbid(unsafe_code)]

mod access;
mod alu;
mod error;
mod float;
mod glsl;
mod group;
mod image;
mod integer;
mod invocation;
mod launch;
mod matrix;
mod memory;
mod module;
mod subgroup;
mod texel;
mod trace;
mod types;
mod value;

pub use error::{Error, Res};
pub use float::Floats;
pub use group::{run, Dispatch};
pub use image::{Image, Level};
pub use launch::{Argument, Launch};
pub use memory::{Bytes, Memory};
pub use rspirv::spirv;
pub use subgroup::Subgroups;
pub use texel::{Component, Format};
pub use trace::{trace, Outcome, Source, Step};
