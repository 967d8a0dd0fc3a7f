//! Threads of the library's own, which leave the application's signals to the application's threads.

use std::io;
use std::mem::MaybeUninit;

/// Signals that tell of a fault of the very thread that they are delivered to: a handler (of a language's
/// runtime, of a crash reporter) must be able to see those of the application's callbacks.
const FAULTS: [libc::c_int; 5] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];

/// Starts a thread that receives none of the application's signals. `name` is at most 15 bytes long.
///
/// # Errors
/// When the system has no room for another thread.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // A thread begins with the mask of the one that starts it.
    let _masked = Masked::new();
    std::thread::Builder::new().name(name.into()).spawn(body).map(drop)
}

/// Blocks signals in this thread for as long as it lives. Not restored on purpose: for threads that
/// other crates have started for the library.
pub fn mask_signals() {
    std::mem::forget(Masked::new());
}

/// While it lives, the signals of this thread are blocked, but for faults.
struct Masked(libc::sigset_t);

impl Masked {
    fn new() -> Masked {
        let (mut all, mut old) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: sigfillset initializes the first set, pthread_sigmask the second; the signals exist.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            for fault in FAULTS {
                libc::sigdelset(all.as_mut_ptr(), fault);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), old.as_mut_ptr());
            Masked(old.assume_init())
        }
    }
}

impl Drop for Masked {
    fn drop(&mut self) {
        // SAFETY: the set is the mask that the thread had.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, std::ptr::null_mut()) };
    }
}
