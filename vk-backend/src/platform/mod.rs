//! The parts that differ between operating systems: the monotonic clock, signals of threads, file descriptors of other APIs,
//! and whose environment a process has. No other module of this crate knows which system it runs on, and `hekla-icd` has a
//! folder like this one.
//!
//! Each system's file has the same items: a file that lacks any does not compile.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{has_more_rights, now_ns, Descriptor, HAS_DESCRIPTORS};
#[cfg(unix)]
pub(crate) use unix::{open_to_read, reading_to_ns, SignalsBlocked, CUDA_LIBRARY, TIME_DOMAIN};
#[cfg(windows)]
pub use windows::{has_more_rights, now_ns, Descriptor, HAS_DESCRIPTORS};
#[cfg(windows)]
pub(crate) use windows::{open_to_read, reading_to_ns, SignalsBlocked, CUDA_LIBRARY, TIME_DOMAIN};

#[cfg(not(any(unix, windows)))]
compile_error!("Hekla runs on Unix-like systems and on Windows: this target is neither");

#[cfg(not(target_pointer_width = "64"))]
compile_error!(
    "Hekla needs a 64-bit target: device addresses of 64 bits are the pointers of kernels and of shared virtual memory"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_counts_nanoseconds() {
        let (start, before) = (std::time::Instant::now(), now_ns());
        std::thread::sleep(std::time::Duration::from_millis(20));
        let (after, elapsed) = (now_ns(), start.elapsed().as_nanos() as u64);
        let counted = after - before;
        assert!(counted <= elapsed && counted >= 20_000_000, "{counted} of {elapsed}");
    }

    #[test]
    fn numbers_that_are_no_descriptor_are_refused() {
        for number in [-1, i32::MIN, i32::MAX] {
            assert!(Descriptor::duplicate_of(number).is_none());
        }
    }
}
