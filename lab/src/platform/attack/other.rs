//! Systems other than Linux: no deaths are reported, and nothing is limited.

use super::Limit;
use std::io;
use std::path::Path;

fn refuse<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Does nothing: a process dies without a report.
pub fn report_death() {}

/// Does nothing: the parent kills the process.
pub fn ask_to_die(_: &std::process::Child) {}

/// Refuses.
pub fn limit(_: Limit, _: Option<u64>) -> io::Result<()> {
    refuse()
}

/// Refuses.
pub fn address_space() -> io::Result<u64> {
    refuse()
}

/// Refuses.
pub fn resident(_: u32) -> io::Result<u64> {
    refuse()
}

/// Refuses.
pub fn ticks(_: u32) -> io::Result<u64> {
    refuse()
}

/// Refuses.
pub fn make_fifo(_: &Path) -> io::Result<()> {
    refuse()
}

/// Refuses.
pub fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    refuse()
}

/// Refuses.
pub fn give(_: &Path, _: u32) -> io::Result<()> {
    refuse()
}

/// Refuses.
pub fn become_user(_: u32) -> io::Result<()> {
    refuse()
}

/// Returns false: attacks that need root report this as the reason.
pub fn is_root() -> bool {
    false
}

/// Refuses.
pub fn mount_small(_: &Path, _: u64) -> io::Result<()> {
    refuse()
}

/// Refuses.
pub fn unmount(_: &Path) -> io::Result<()> {
    refuse()
}

/// Does nothing.
pub fn close_standard_streams() {}

/// Does nothing.
pub fn interrupt_always(_: u32) {}

/// Refuses.
pub fn fork_and_run(_: u32, _: impl FnOnce()) -> io::Result<Option<i32>> {
    refuse()
}

/// Address space without memory, which does not exist here.
pub struct Zeros;

impl Zeros {
    /// Refuses.
    pub fn new(_: usize) -> io::Result<Zeros> {
        refuse()
    }

    /// Returns NULL.
    pub fn place(&self) -> *mut u8 {
        std::ptr::null_mut()
    }

    /// Returns nothing.
    pub fn with(&self, _: &[u8]) -> &[u8] {
        &[]
    }
}

/// Does nothing.
pub fn ignore_large_files() {}

/// Refuses.
pub fn cancel(_: &dyn Fn(), _: &dyn Fn()) -> io::Result<()> {
    refuse()
}
