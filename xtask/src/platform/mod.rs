//! Differences between operating systems in the developer commands: names of files, links, permissions, and how an ICD
//! loader finds the library. Tests, packages and programs of others need Debian; building, checking and installing work
//! on all systems.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
