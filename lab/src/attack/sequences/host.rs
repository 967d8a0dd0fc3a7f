//! Host memory that the library reads and writes behind the program's back, with guards around it.

use super::random::Random;
use std::ffi::c_void;

/// Guard bytes before and after the memory that the library gets.
const GUARD: usize = 32;

/// Memory at an address that never moves.
pub struct HostMemory {
    all: *mut [u8],
    start: usize,
}

impl HostMemory {
    /// Returns `bytes` random bytes at an address that is aligned to nothing, or to `align` bytes, a power of two.
    pub fn new(random: &mut Random, bytes: usize, align: Option<usize>) -> HostMemory {
        let slack = align.unwrap_or(GUARD);
        let all = Box::into_raw(random.bytes(bytes + 2 * GUARD + slack).into_boxed_slice());
        let address = all.cast::<u8>().addr();
        let start = match align {
            Some(align) => (address + GUARD).next_multiple_of(align) - address,
            None => GUARD + random.below(16),
        };
        HostMemory { all, start }
    }

    /// Returns memory with these bytes.
    pub fn of(random: &mut Random, bytes: &[u8], align: Option<usize>) -> HostMemory {
        let mut memory = HostMemory::new(random, bytes.len(), align);
        memory.put(0, bytes);
        memory
    }

    /// Writes bytes from an offset on.
    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        let start = self.start + at;
        // SAFETY: the memory is this owner's; whoever writes to it has told the library nothing yet, or is done.
        unsafe { (&mut *self.all)[start..start + bytes.len()].copy_from_slice(bytes) };
    }

    /// Returns the address for the library.
    pub fn address(&self) -> *mut c_void {
        self.all.cast::<u8>().wrapping_add(self.start).cast()
    }

    /// Returns all bytes, guards included, and the index of the memory's first byte.
    pub fn all(&self) -> (Vec<u8>, usize) {
        // SAFETY: the memory is this owner's; it is read when no command writes to it.
        (unsafe { (*self.all).to_vec() }, self.start)
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: it was made by `into_raw`, and commands that use it are at their end.
        drop(unsafe { Box::from_raw(self.all) });
    }
}

/// Reads mapped memory.
///
/// # Safety
/// A mapping, or an allocation that the host sees, holds that many bytes there.
pub unsafe fn peek(address: *const c_void, bytes: usize) -> Vec<u8> {
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(address.cast::<u8>(), bytes).to_vec() }
}

/// Writes mapped memory.
///
/// # Safety
/// As for [`peek`].
pub unsafe fn poke(address: *mut c_void, bytes: &[u8]) {
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address.cast(), bytes.len()) };
}
