//! What attacks need of the system beyond the standard library: signals that report where they struck, limits of
//! memory, threads and files, and files of all kinds. Linux alone has all of them; other systems refuse.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
pub use linux::*;
#[cfg(not(target_os = "linux"))]
pub use other::*;

/// The resources that a process may have limits of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Bytes of address space.
    Memory,
    /// Bytes in a file.
    FileSize,
    /// Numbers of open files.
    Files,
    /// Processes and threads of this process' user, who may not be root.
    Threads,
}

/// The beginning of the first line that a dying process writes ([`report_death`]).
pub const DEATH: &str = "attack: died by signal ";
