//! Memory of the application that a command reads or writes: an address that travels between
//! threads, and the copies that completed reads still owe it.

use super::staging::Staging;
use crate::core::error::Result;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::sync::Arc;

/// An address in the application's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostAddress(pub usize);

impl HostAddress {
    /// `size` bytes at `offset` from here, to read.
    ///
    /// # Safety
    /// The application vouches that the memory is valid until the command that names it completes
    /// (OpenCL API 5.2.2), and the caller that this command has not completed.
    pub unsafe fn bytes<'a>(self, offset: usize, size: usize) -> &'a [u8] {
        // SAFETY: as the caller promises.
        unsafe { std::slice::from_raw_parts((self.0 + offset) as *const u8, size) }
    }

    /// `size` bytes at `offset` from here, to write.
    ///
    /// # Safety
    /// As [`HostAddress::bytes`]; nothing else accesses the bytes meanwhile.
    pub unsafe fn bytes_mut<'a>(self, offset: usize, size: usize) -> &'a mut [u8] {
        // SAFETY: as the caller promises.
        unsafe { std::slice::from_raw_parts_mut((self.0 + offset) as *mut u8, size) }
    }
}

/// Ordinary memory of the process in whole pages, zero at first.
pub struct Pages {
    address: usize,
    size: usize,
}

impl Pages {
    /// At least `size` bytes, which is not 0; `None` where the system has no room for them.
    pub fn new(size: usize) -> Option<Pages> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping, wherever the system has room.
        let got = unsafe { libc::mmap(std::ptr::null_mut(), size, protection, flags, -1, 0) };
        (got != libc::MAP_FAILED).then_some(Pages { address: got as usize, size })
    }

    /// Where they begin.
    pub fn address(&self) -> HostAddress {
        HostAddress(self.address)
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the pages were mapped for this object, and who uses them holds it.
        unsafe { libc::munmap(self.address as *mut libc::c_void, self.size) };
    }
}

/// One contiguous piece of application memory: address and size in bytes.
pub type Piece = (usize, usize);

/// A copy from staging memory to the application that is due when the device has filled the
/// staging memory. Several queues may share one; the first to run it does the work.
pub struct HostCopy {
    due: Mutex<Option<CopyOut>>,
}

struct CopyOut {
    staging: Arc<Staging>,
    offset: u64,
    pieces: SmallVec<[Piece; 1]>,
}

impl HostCopy {
    /// `pieces` receive the bytes that follow one another in `staging` from `offset`.
    pub fn new(staging: Arc<Staging>, offset: u64, pieces: SmallVec<[Piece; 1]>) -> HostCopy {
        HostCopy { due: Mutex::new(Some(CopyOut { staging, offset, pieces })) }
    }

    /// Does the copy unless it is done. The device must have completed the command that fills the
    /// staging memory.
    pub fn run(&self) -> Result<()> {
        let mut due = self.due.lock();
        let Some(copy) = due.take() else { return Ok(()) };
        let mut offset = copy.offset;
        for (address, size) in copy.pieces {
            // SAFETY: the read command that made this copy completes only after it.
            let target = unsafe { HostAddress(address).bytes_mut(0, size) };
            copy.staging.buffer.read(offset, target)?;
            offset += size as u64;
        }
        Ok(())
    }

    pub fn is_due(&self) -> bool {
        self.due.lock().is_some()
    }

    /// Whether the copy is still due and will write somewhere in `[start, end)`.
    pub fn will_write(&self, start: usize, end: usize) -> bool {
        self.due.lock().as_ref().is_some_and(|copy| {
            copy.pieces.iter().any(|&(address, size)| address < end && start < address + size)
        })
    }
}
