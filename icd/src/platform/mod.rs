//! The differences between operating systems: pages at given addresses, the end of the process, who may read a file, C's
//! standard output. No other module of this crate knows the system on which it runs; `vk_backend::platform` has the clock,
//! signals and file descriptors.
//!
//! Each system's file has the same items, so that a file that lacks one does not compile. Items that only some Unix-like
//! systems have are in `linux` (also for Android), and `portable` has their replacements for other systems.

mod function_table;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
#[path = "portable.rs"]
mod linux;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(crate) use function_table::{function_table, of_process};
#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

/// The contents of mapped pages.
#[derive(Clone, Copy)]
pub enum Contents<'a> {
    /// Nothing: an access ends the process.
    Nothing,
    /// Memory of their own, which is zero at first.
    Own,
    /// The bytes of a file in memory.
    Of(&'a MemoryFile),
}
