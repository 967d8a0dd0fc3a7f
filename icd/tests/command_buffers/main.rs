//! Command buffers through the loader (cl_khr_command_buffer, cl_khr_command_buffer_mutable_dispatch):
//! what replays do, in which order, and what changes between them. The errors are in `error_tables`.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "../common/mod.rs"]
mod common;
mod enqueuing;
mod mutable;
mod order;
mod printing;
mod recorder;
mod replay;

#[test]
fn all_again_under_validation() {
    common::run_again("0");
}

#[test]
fn all_again_through_staging_memory() {
    common::run_again("1");
}
