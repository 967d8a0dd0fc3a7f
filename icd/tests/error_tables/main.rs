//! Every entry point with every error condition that the specification lists for it.
//!
//! A row is one call: a correct one with one thing wrong, the condition in the specification's words, and
//! the expected code. Each table begins with the correct call, so that a row fails for its own reason.
//! Bad handles are given to the library itself, since loaders follow a handle to find its driver.
//!
//! What cannot be provoked has no row: a host or a device out of memory, a compiler that is missing, limits
//! that differ between devices. All devices want sub-buffers aligned alike, so that clCreateSubBuffer alone
//! answers CL_MISALIGNED_SUB_BUFFER_OFFSET, and no command does. `map_failure.rs` has CL_MAP_FAILURE.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]
#![allow(non_snake_case)]

mod buffers;
mod command_buffers;
mod commands;
mod contexts;
mod devices;
#[path = "../common/drivers.rs"]
mod drivers;
mod events;
mod extensions;
mod gl_sharing;
mod image_commands;
mod image_requirements;
mod images;
mod kernels;
mod memory_objects;
mod mutable_commands;
mod pipes;
mod platforms;
mod profiling;
mod programs;
mod queues;
#[path = "../../../vk-backend/tests/common/report.rs"]
mod report;
mod samplers;
mod sharing;
mod sub_groups;
mod svm;
mod table;
mod usm;
mod world;

/// The part of other tests' common module that [`drivers`] uses.
mod common {
    pub use crate::report::skip;
}

use hekla::api::dispatch_table as dispatch;

/// The items that every table uses.
mod prelude {
    pub use crate::table::{code, Table, Waits};
    pub use crate::world::World;
    pub use hekla::api::*;
    pub use hekla::cl::*;
    pub use std::ffi::c_void;
    pub use std::ptr::{null, null_mut};
}

/// A function that adds a chapter's rows.
type Rows = fn(&mut table::Table, &world::World);

/// The chapters of the API specification, in its order.
const CHAPTERS: [(&str, Rows); 23] = [
    ("platforms", platforms::rows),
    ("devices", devices::rows),
    ("contexts", contexts::rows),
    ("queues", queues::rows),
    ("buffers", buffers::rows),
    ("images", images::rows),
    ("commands on images", image_commands::rows),
    ("what images require", image_requirements::rows),
    ("pipes", pipes::rows),
    ("memory objects", memory_objects::rows),
    ("shared virtual memory", svm::rows),
    ("unified shared memory", usm::rows),
    ("samplers", samplers::rows),
    ("programs", programs::rows),
    ("kernels", kernels::rows),
    ("executing kernels, markers, barriers", commands::rows),
    ("events", events::rows),
    ("profiling", profiling::rows),
    ("command buffers", command_buffers::rows),
    ("mutable commands", mutable_commands::rows),
    ("extensions", extensions::rows),
    ("semaphores and memory of other APIs", sharing::rows),
    ("OpenGL, EGL and partitions", gl_sharing::rows),
];

#[test]
fn every_error_condition_gives_its_code() {
    let world = world::World::new();
    let mut table = table::Table::default();
    for (chapter, rows) in CHAPTERS {
        table.begin(chapter);
        rows(&mut table, &world);
    }
    println!("{} rows about {} functions", table.count(), table.functions().count());
    let all = dispatch::NAMES.iter().copied().chain(dispatch::extension_names());
    let missing: Vec<_> = all.filter(|name| !table.functions().any(|f| f == *name)).collect();
    assert!(missing.is_empty(), "no table has {missing:?}");
    table.verdict();
}
