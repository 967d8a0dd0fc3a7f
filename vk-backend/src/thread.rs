//! Starting threads that no signal of the application reaches.

use std::io;
use std::thread::{Builder, JoinHandle};

/// Starts a thread called `name` with all asynchronous signals blocked, so that the application's signals are
/// delivered to its own threads, whose blocked signals and system calls it knows. Signals of a thread's own faults
/// (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP) are not blocked.
///
/// # Errors
/// As [`Builder::spawn`].
pub fn spawn<T: Send + 'static>(
    name: impl Into<String>,
    f: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    // A thread begins with the mask of the one that starts it.
    let _blocked = SignalsBlocked::new();
    Builder::new().name(name.into()).spawn(f)
}

/// Blocks the same signals in the calling thread from now on: for a thread that another crate started for the
/// library.
pub fn block_signals() {
    std::mem::forget(SignalsBlocked::new());
}

/// Blocks signals in the calling thread while it lives.
struct SignalsBlocked {
    before: libc::sigset_t,
}

impl SignalsBlocked {
    fn new() -> SignalsBlocked {
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
    use super::*;

    /// Returns which of some signals the calling thread blocks.
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
        let inside = spawn("hekla-test", blocked).unwrap().join().unwrap();
        assert_eq!(inside, [true, true, true, true, true, false]);
        assert_eq!(blocked(), before);
    }
}
