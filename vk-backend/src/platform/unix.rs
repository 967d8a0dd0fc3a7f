//! Linux, Android, macOS and similar systems.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use ash::vk;

/// True where memory and semaphores are shared with other APIs by file descriptor.
pub const HAS_DESCRIPTORS: bool = true;

/// The clock of [`now_ns`] in VK_KHR_calibrated_timestamps.
pub(crate) const TIME_DOMAIN: vk::TimeDomainKHR = vk::TimeDomainKHR::CLOCK_MONOTONIC;

/// The library of CUDA's driver API.
pub(crate) const CUDA_LIBRARY: Option<&str> =
    if cfg!(target_os = "linux") { Some("libcuda.so.1") } else { None };

/// Returns the time of the host's monotonic clock in nanoseconds.
pub fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing, and CLOCK_MONOTONIC always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// Converts Vulkan's reading of the host's clock to nanoseconds.
pub(crate) fn reading_to_ns(reading: u64) -> u64 {
    reading
}

/// Returns true if the process has more rights than the user who set its environment, as a setuid program has.
pub fn has_more_rights() -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: a query without preconditions.
    return unsafe { libc::getauxval(libc::AT_SECURE) != 0 };
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    // SAFETY: queries without preconditions.
    return unsafe { libc::geteuid() != libc::getuid() || libc::getegid() != libc::getgid() };
}

/// Opens a file for reading, without waiting for a writer if the file is a pipe.
pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

/// A file descriptor by which another API or process shares memory or a semaphore.
pub struct Descriptor(OwnedFd);

impl Descriptor {
    /// Duplicates the application's descriptor; `None` for a number that is not an open descriptor.
    pub fn duplicate_of(number: i32) -> Option<Descriptor> {
        // SAFETY: the system refuses a number that is not a descriptor.
        let own = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 0) };
        // SAFETY: the system has just made it for us.
        unsafe { Descriptor::from_driver(own) }
    }

    /// Takes over a number that a driver has just made for this process; `None` for one below 0.
    ///
    /// # Safety
    /// Nobody else owns the descriptor.
    pub(crate) unsafe fn from_driver(number: i32) -> Option<Descriptor> {
        // SAFETY: as the caller promises.
        (number >= 0).then(|| Descriptor(unsafe { OwnedFd::from_raw_fd(number) }))
    }

    /// Closes the application's descriptor, which a successful import has taken over.
    pub fn close(number: i32) {
        // SAFETY: the application must not use it any more (OpenCL API 5.5.8, 5.17).
        unsafe { libc::close(number) };
    }

    /// Returns the descriptor's number, which the caller owns from now on.
    pub fn into_number(self) -> i32 {
        self.0.into_raw_fd()
    }

    /// Returns true if there is something to read; for a sync file, if it is signalled.
    pub fn is_ready(&self) -> bool {
        let mut asked = libc::pollfd { fd: self.number(), events: libc::POLLIN, revents: 0 };
        // SAFETY: the one entry is valid for writing; a time of 0 does not wait.
        let ready = unsafe { libc::poll(&mut asked, 1, 0) };
        ready == 1 && asked.revents & libc::POLLIN != 0
    }

    pub(crate) fn number(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// Returns the number of a duplicate, which the driver owns when its import succeeds; `None` where the process has no room
    /// for a duplicate.
    pub(crate) fn duplicate_number(&self) -> Option<i32> {
        self.0.try_clone().ok().map(IntoRawFd::into_raw_fd)
    }

    /// Closes `copy`, made by [`Self::duplicate_number`], after an import that failed.
    ///
    /// Vulkan leaves it open then, but some drivers close it (lavapipe 22.3 does), and another thread may have got the number
    /// since: a number that no longer belongs to the same file is left alone.
    pub(crate) fn close_rejected(&self, copy: i32) {
        let identity = |number| status(number).map(|found| (found.st_dev, found.st_ino));
        if identity(copy).is_some_and(|copied| Some(copied) == identity(self.number())) {
            // SAFETY: the descriptor is the duplicate made for the driver, which did not take it over.
            unsafe { libc::close(copy) };
        }
    }

    /// Returns true for a pipe or a socket, from which a driver might read and block.
    pub(crate) fn is_stream(&self) -> bool {
        let kind = status(self.number()).map(|found| found.st_mode & libc::S_IFMT);
        matches!(kind, Some(libc::S_IFIFO | libc::S_IFSOCK))
    }

    /// Returns the size in bytes of the memory that the descriptor stands for; `None` where the descriptor does not report it.
    pub fn size(&self) -> Option<u64> {
        // SAFETY: the descriptor is open; one that cannot seek says so.
        let end = unsafe {
            let end = libc::lseek(self.number(), 0, libc::SEEK_END);
            libc::lseek(self.number(), 0, libc::SEEK_SET);
            end
        };
        u64::try_from(end).ok().filter(|size| *size > 0)
    }
}

/// Returns the system's status of an open descriptor; `None` for other numbers.
fn status(number: i32) -> Option<libc::stat> {
    let mut found = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the system refuses a number that is not a descriptor; zeros are a valid `stat`.
    let (code, found) = unsafe { (libc::fstat(number, found.as_mut_ptr()), found.assume_init()) };
    (code == 0).then_some(found)
}

/// Blocks asynchronous signals in the calling thread while the value lives, except the signals of the thread's own faults.
pub(crate) struct SignalsBlocked {
    before: libc::sigset_t,
}

impl SignalsBlocked {
    pub(crate) fn new() -> SignalsBlocked {
        const OF_FAULTS: [libc::c_int; 5] =
            [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];
        // SAFETY: zeros are a valid `sigset_t`, which sigfillset sets up; all signals exist.
        unsafe {
            let (mut blocked, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&mut blocked);
            for signal in OF_FAULTS {
                libc::sigdelset(&mut blocked, signal);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &blocked, &mut before);
            SignalsBlocked { before }
        }
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        // SAFETY: the mask is the one that the thread had.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    /// Returns for each of some signals whether the calling thread blocks it.
    fn blocked() -> Vec<bool> {
        let signals = [
            libc::SIGINT,
            libc::SIGTERM,
            libc::SIGALRM,
            libc::SIGCHLD,
            libc::SIGUSR1,
            libc::SIGSEGV,
        ];
        // SAFETY: a null set changes nothing; zeros are a valid `sigset_t`.
        unsafe {
            let mut now = std::mem::zeroed();
            libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), &mut now);
            signals.iter().map(|signal| libc::sigismember(&now, *signal) == 1).collect()
        }
    }

    #[test]
    fn threads_block_signals_and_their_starters_do_not() {
        let before = blocked();
        let inside = crate::thread::spawn("hekla-test", blocked).unwrap().join().unwrap();
        assert_eq!(inside, [true, true, true, true, true, false]);
        assert_eq!(blocked(), before);
    }
}
