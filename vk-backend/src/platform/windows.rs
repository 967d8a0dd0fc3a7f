//! Windows. It has no signals. It shares memory and semaphores with other APIs by handles of another kind, which Hekla does not
//! offer.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

use ash::vk;

/// True where memory and semaphores are shared with other APIs by file descriptor.
pub const HAS_DESCRIPTORS: bool = false;

/// The library of CUDA's driver API: none, since the behaviour of GPUs' clocks under Windows was not examined.
pub(crate) const CUDA_LIBRARY: Option<&str> = None;

/// The clock of [`now_ns`] in VK_KHR_calibrated_timestamps.
pub(crate) const TIME_DOMAIN: vk::TimeDomainKHR = vk::TimeDomainKHR::QUERY_PERFORMANCE_COUNTER;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn QueryPerformanceCounter(count: *mut i64) -> i32;
    fn QueryPerformanceFrequency(frequency: *mut i64) -> i32;
}

/// Returns the time of the host's monotonic clock in nanoseconds.
pub fn now_ns() -> u64 {
    let mut count = 0;
    // SAFETY: the place is valid for writing; the function succeeds on all versions since XP.
    unsafe { QueryPerformanceCounter(&mut count) };
    reading_to_ns(count as u64)
}

/// Converts Vulkan's reading of the host's clock to nanoseconds.
pub(crate) fn reading_to_ns(reading: u64) -> u64 {
    static FREQUENCY: OnceLock<u64> = OnceLock::new();
    let frequency = *FREQUENCY.get_or_init(|| {
        let mut frequency = 0;
        // SAFETY: the place is valid for writing; the function succeeds on all versions since XP.
        unsafe { QueryPerformanceFrequency(&mut frequency) };
        frequency.max(1) as u64
    });
    (u128::from(reading) * 1_000_000_000 / u128::from(frequency)) as u64
}

/// Returns false: no program has more rights than the user who starts it.
pub fn has_more_rights() -> bool {
    false
}

/// Opens a file for reading.
pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// A file descriptor, of which there are none: no device offers to import or export one.
pub enum Descriptor {}

impl Descriptor {
    /// Returns `None`: no number is a descriptor.
    pub fn duplicate_of(_: i32) -> Option<Descriptor> {
        None
    }

    /// # Safety
    /// None is needed here.
    pub(crate) unsafe fn from_driver(_: i32) -> Option<Descriptor> {
        None
    }

    /// Does nothing: nothing was imported.
    pub fn close(_: i32) {}

    /// Returns the number, which the caller owns from now on.
    pub fn into_number(self) -> i32 {
        match self {}
    }

    /// Returns true if there is something to read.
    pub fn is_ready(&self) -> bool {
        match *self {}
    }

    pub(crate) fn number(&self) -> i32 {
        match *self {}
    }

    pub(crate) fn duplicate_number(&self) -> Option<i32> {
        match *self {}
    }

    pub(crate) fn close_rejected(&self, _: i32) {
        match *self {}
    }

    pub(crate) fn is_stream(&self) -> bool {
        match *self {}
    }

    /// As on Unix.
    pub fn size(&self) -> Option<u64> {
        match *self {}
    }
}

/// Does nothing.
pub(crate) struct SignalsBlocked;

impl SignalsBlocked {
    pub(crate) fn new() -> SignalsBlocked {
        SignalsBlocked
    }
}
