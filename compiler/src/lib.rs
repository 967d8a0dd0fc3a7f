//! The compiler: from OpenCL C to Vulkan SPIR-V and kernel metadata. [`driver`] shows the whole pipeline.
//!
//! No stage knows Vulkan's API or the OpenCL runtime's; no stage has unsafe code; no program's text makes a stage
//! panic, hang or exhaust memory. Modules import each other by their own paths; the names here are for other crates.
#![forbid(unsafe_code)]

pub mod analysis;
mod big_stack;
pub mod builtins;
pub mod checks;
pub mod device_queue;
pub mod driver;
pub mod emit;
pub mod ingest;
pub mod ir;
pub mod kernel;
pub mod library;
pub mod link;
pub mod lower;
mod matrices;
pub mod object;
pub mod options;
pub mod passes;
pub mod preprocess;
pub mod printf;
pub mod quirks;
pub mod reflection;
mod rounding;
pub mod sema;
pub mod source;
pub mod syntax;
pub mod target;
pub mod timing;
mod verified_bodies;

pub use big_stack::{set_thread_start, Shortage};
pub use driver::{
    compile, compile_il, compile_il_object, compile_il_to_ir, compile_il_to_linked, compile_linked,
    compile_object, compile_timed, compile_to_ir, compile_to_linked, find_certain_mistakes, link,
    link_library, link_to_linked, Compiled, CompiledObject, IrAt,
};
pub use hekla_device::Quirks;
pub use hekla_device::{MatrixComponent, MatrixProduct};
pub use ingest::{Il, SpecConstant, SpecValue};
pub use kernel::Program;
pub use object::{ModuleFlags, Object, ReadError};
pub use options::{LinkOptions, Options};
pub use preprocess::read_header;
pub use source::{Lookup, Source};
pub use target::{DotProducts, FloatAtomics, FloatTraits, Target, MAX_WORK_GROUP_SIZE};
pub use timing::Timing;

/// Identifies a build of the compiler; it is derived from the sources. Caches of compiled programs have it in their keys.
pub const BUILD_ID: &str = env!("HEKLA_COMPILER_BUILD_ID");
