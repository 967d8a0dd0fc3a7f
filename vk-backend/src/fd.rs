//! File descriptors that a driver is given to import.

use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};

use crate::error::Error;

/// Duplicates a descriptor; the driver takes over the duplicate when its import succeeds.
pub(crate) fn duplicate(fd: &OwnedFd) -> Result<RawFd, Error> {
    fd.try_clone().map(IntoRawFd::into_raw_fd).map_err(|_| Error::OutOfHostMemory)
}

/// Closes `copy`, made by [`duplicate`], after an import that failed.
///
/// Vulkan leaves it open then, but some drivers close it (lavapipe 22.3 does), and another thread may have
/// got the number since: a number that no longer stands for the same file is left alone.
pub(crate) fn close_rejected(copy: RawFd, fd: &OwnedFd) {
    let identity = |number: RawFd| {
        let mut found = std::mem::MaybeUninit::<libc::stat>::zeroed();
        // SAFETY: a number that is no descriptor is refused; zeros are a valid `stat`.
        let (code, found) =
            unsafe { (libc::fstat(number, found.as_mut_ptr()), found.assume_init()) };
        (code == 0).then_some((found.st_dev, found.st_ino))
    };
    if identity(copy).is_some_and(|copied| Some(copied) == identity(fd.as_raw_fd())) {
        // SAFETY: the descriptor is the duplicate made for the driver, which did not take it over.
        unsafe { libc::close(copy) };
    }
}
