//! Threads of the library's own, which leave the application's signals to the application's threads.

use std::io;

/// Signals that tell of a fault of the very thread that they are delivered to.
const FAULTS: [libc::c_int; 5] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];

/// Starts a thread that receives none of the application's signals. `name` is at most 15 bytes long.
///
/// # Errors
/// When the system has no room for another thread.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    hekla_vk_backend::spawn(name, body).map(drop)
}

/// Blocks all signals but those of faults in this thread from now on: for threads of the compiler, which
/// another crate starts.
pub fn mask_signals() {
    let mut all = std::mem::MaybeUninit::uninit();
    // SAFETY: sigfillset initializes the set; the signals exist.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        for fault in FAULTS {
            libc::sigdelset(all.as_mut_ptr(), fault);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), std::ptr::null_mut());
    }
}
