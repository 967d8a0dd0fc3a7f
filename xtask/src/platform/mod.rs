//! What differs between operating systems in the developer commands: names of files, links, permissions, and how an
//! ICD loader learns of the library. Tests, packages and the programs of others are for Debian; building, checking and
//! installing work on all.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
