//! Memory of the application that a command reads or writes.

/// An address in the application's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostAddress(pub usize);

/// The memory is accessed through raw pointers alone: the application may read it while a command does, so there must
/// be no reference to it.
impl HostAddress {
    /// Returns the address as a pointer to read from.
    pub fn as_ptr(self) -> *const u8 {
        self.0 as *const u8
    }

    /// Returns the address as a pointer to write to.
    pub fn as_mut_ptr(self) -> *mut u8 {
        self.0 as *mut u8
    }

    /// Copies the bytes from here to `out`.
    ///
    /// # Safety
    /// The application vouches that the memory is valid until the command that names it completes
    /// (OpenCL API 5.2.2), and the caller that this command has not completed.
    pub unsafe fn copy_to(self, out: &mut [u8]) {
        // SAFETY: as the caller promises; `out` is the library's own memory.
        unsafe { self.as_ptr().copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) }
    }
}
