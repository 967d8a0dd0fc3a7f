//! Simulated non-coherent memory (`HEKLA_NONCOHERENT=1`), for tests on devices whose memory is all coherent.
//!
//! The host gets a copy of the memory. Flushes copy from this copy to the device's memory, invalidations copy back: a missing
//! flush or invalidation gives wrong results each time, and not only when a cache line happens to be evicted.

use std::alloc::Layout;
use std::ptr::NonNull;

/// Alignment of the host's copy, as of any mapping.
const ALIGNMENT: usize = 4096;

/// Bytes at the beginning of a copy that are filled with a pattern. (Filling large ones takes long.)
const POISONED: usize = 1 << 20;

/// The host's copy of mapped memory.
pub(crate) struct HostCopy {
    copy: NonNull<u8>,
    mapped: NonNull<u8>,
    layout: Layout,
}

impl HostCopy {
    /// Makes a copy, with undefined contents, of the `size` bytes at `mapped`; `None` if there is no memory for it.
    pub(crate) fn new(mapped: NonNull<u8>, size: u64) -> Option<HostCopy> {
        let size = usize::try_from(size).ok().filter(|size| *size > 0)?;
        let layout = Layout::from_size_align(size, ALIGNMENT).ok()?;
        // SAFETY: the layout's size is not 0.
        let copy = NonNull::new(unsafe { std::alloc::alloc(layout) })?;
        // SAFETY: the copy was just allocated with this size.
        unsafe { copy.write_bytes(0xCD, size.min(POISONED)) };
        Some(HostCopy { copy, mapped, layout })
    }

    /// Returns the address at which the host accesses the memory.
    pub(crate) fn address(&self) -> NonNull<u8> {
        self.copy
    }

    /// Makes the host's writes visible to the device.
    ///
    /// # Safety
    /// The memory is mapped, and nothing else accesses these bytes in a way that conflicts.
    pub(crate) unsafe fn flush(&self, offset: u64, size: u64) {
        let (offset, size) = self.clamp(offset, size);
        // SAFETY: both ranges are within their memory, which is distinct.
        unsafe { self.copy.add(offset).copy_to_nonoverlapping(self.mapped.add(offset), size) };
    }

    /// Makes the device's writes visible to the host.
    ///
    /// # Safety
    /// Like [`HostCopy::flush`].
    pub(crate) unsafe fn invalidate(&self, offset: u64, size: u64) {
        let (offset, size) = self.clamp(offset, size);
        // SAFETY: as in `flush`.
        unsafe { self.mapped.add(offset).copy_to_nonoverlapping(self.copy.add(offset), size) };
    }

    /// Returns the part of a range that is in the memory.
    fn clamp(&self, offset: u64, size: u64) -> (usize, usize) {
        let offset = (offset as usize).min(self.layout.size());
        (offset, (size as usize).min(self.layout.size() - offset))
    }
}

impl Drop for HostCopy {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { std::alloc::dealloc(self.copy.as_ptr(), self.layout) }
    }
}
