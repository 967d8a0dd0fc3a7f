//! Large copies between host memory and mapped memory, with stores that bypass the caches and on several
//! threads: one core moves far less than a PCI Express link.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::thread;

/// Copies of fewer bytes than this use memcpy.
const LARGE: usize = 1 << 20;
/// Bytes of a piece, which one thread copies at a time.
const PIECE: usize = 256 << 10;
/// Most threads for one copy, the caller included: four saturate a PCI Express 5 link.
const MAX_THREADS: usize = 4;
/// The time for which a helper polls for work before it sleeps: waking it takes as long as copying some hundred
/// kilobytes.
const SPIN: Duration = Duration::from_micros(100);

/// Copies `size` bytes. `stream`: bypass the caches, since the host will not use the copy soon.
///
/// # Safety
/// The bytes at `from` are readable and those at `to` writable, they do not overlap, and no other access races
/// with the copy.
pub(crate) unsafe fn copy(to: *mut u8, from: *const u8, size: usize, stream: bool) {
    if size < LARGE {
        // SAFETY: as the caller promises.
        unsafe { std::ptr::copy_nonoverlapping(from, to, size) };
        return;
    }
    static HELPERS: OnceLock<CopyThreads> = OnceLock::new();
    let threads = HELPERS.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(1, |count| count.get());
        CopyThreads::new((cores / 2).clamp(1, MAX_THREADS) - 1)
    });
    // SAFETY: as the caller promises.
    unsafe { threads.copy(to, from, size, stream) };
}

/// One copy, whose pieces several threads copy.
struct Job {
    to: usize,
    from: usize,
    size: usize,
    stream: bool,
    /// The numbers of pieces that threads have taken and that they have copied.
    taken: AtomicUsize,
    copied: AtomicUsize,
}

impl Job {
    fn pieces(&self) -> usize {
        self.size.div_ceil(PIECE)
    }

    /// Copies pieces until all are taken.
    fn help(&self) {
        loop {
            let index = self.taken.fetch_add(1, Ordering::Relaxed);
            if index >= self.pieces() {
                return;
            }
            let start = index * PIECE;
            let size = PIECE.min(self.size - start);
            let (to, from) = ((self.to + start) as *mut u8, (self.from + start) as *const u8);
            // SAFETY: the pieces are disjoint parts of the copy, each is taken once, and the caller
            // of `CopyThreads::copy` waits until all are copied.
            unsafe {
                match self.stream {
                    true => stream(to, from, size),
                    false => std::ptr::copy_nonoverlapping(from, to, size),
                }
            }
            self.copied.fetch_add(1, Ordering::Release);
        }
    }
}

#[derive(Default)]
struct Shared {
    jobs: Mutex<VecDeque<Arc<Job>>>,
    /// Jobs in the queue.
    count: AtomicUsize,
    arrived: Condvar,
    closed: AtomicBool,
}

/// Threads that help with copies. If none could be started, or the process has forked, the caller copies alone.
struct CopyThreads {
    shared: Arc<Shared>,
    helpers: usize,
}

impl CopyThreads {
    fn new(helpers: usize) -> CopyThreads {
        let shared = Arc::new(Shared::default());
        let start = |index| {
            let shared = shared.clone();
            let name = format!("hekla-copy-{index}");
            thread::spawn(name, move || shared.run()).is_ok()
        };
        let helpers = (0..helpers).filter(|index| start(*index)).count();
        CopyThreads { shared, helpers }
    }

    /// # Safety
    /// Like [`copy`].
    unsafe fn copy(&self, to: *mut u8, from: *const u8, size: usize, stream: bool) {
        let job = Arc::new(Job {
            to: to as usize,
            from: from as usize,
            size,
            stream,
            taken: AtomicUsize::new(0),
            copied: AtomicUsize::new(0),
        });
        if self.helpers > 0 {
            let mut jobs = self.shared.jobs.lock();
            jobs.push_back(job.clone());
            self.shared.count.store(jobs.len(), Ordering::Release);
            drop(jobs);
            self.shared.arrived.notify_all();
        }
        job.help();
        if self.helpers > 0 {
            let mut jobs = self.shared.jobs.lock();
            jobs.retain(|other| !Arc::ptr_eq(other, &job));
            self.shared.count.store(jobs.len(), Ordering::Release);
        }
        // The helpers still copy their last pieces.
        let mut rounds = 0u32;
        while job.copied.load(Ordering::Acquire) < job.pieces() {
            rounds += 1;
            match rounds {
                ..=1000 => std::hint::spin_loop(),
                _ => std::thread::yield_now(),
            }
        }
    }
}

impl Drop for CopyThreads {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Release);
        drop(self.shared.jobs.lock());
        self.shared.arrived.notify_all();
    }
}

impl Shared {
    /// Runs a helper thread.
    fn run(&self) {
        while let Some(job) = self.next() {
            job.help();
            // The job is exhausted.
            let mut jobs = self.jobs.lock();
            jobs.retain(|other| !Arc::ptr_eq(other, &job));
            self.count.store(jobs.len(), Ordering::Release);
        }
    }

    /// Waits for a job; `None` when the threads must end.
    fn next(&self) -> Option<Arc<Job>> {
        let start = Instant::now();
        while self.count.load(Ordering::Acquire) == 0 && start.elapsed() < SPIN {
            std::hint::spin_loop();
        }
        let mut jobs = self.jobs.lock();
        loop {
            if self.closed.load(Ordering::Acquire) {
                return None;
            }
            if let Some(job) = jobs.front() {
                return Some(job.clone());
            }
            self.arrived.wait(&mut jobs);
        }
    }
}

/// Copies with non-temporal stores: no cache line is read only to be overwritten. (memcpy uses them only for
/// copies near the size of the last-level cache, which are larger than a piece.)
///
/// # Safety
/// Like [`copy`].
#[cfg(target_arch = "x86_64")]
unsafe fn stream(to: *mut u8, from: *const u8, size: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    const LINE: usize = 64;
    let head = to.align_offset(LINE).min(size);
    let lines = (size - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: head, lines and tail are the whole range, in this order; streaming stores go to
    // multiples of 16; SSE2 is part of x86-64.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, head);
        let (mut source, mut target) = (from.add(head), to.add(head));
        for _ in 0..lines {
            let s = source.cast::<__m128i>();
            let t = target.cast::<__m128i>();
            let line = [
                _mm_loadu_si128(s),
                _mm_loadu_si128(s.add(1)),
                _mm_loadu_si128(s.add(2)),
                _mm_loadu_si128(s.add(3)),
            ];
            _mm_stream_si128(t, line[0]);
            _mm_stream_si128(t.add(1), line[1]);
            _mm_stream_si128(t.add(2), line[2]);
            _mm_stream_si128(t.add(3), line[3]);
            (source, target) = (source.add(LINE), target.add(LINE));
        }
        _mm_sfence();
        std::ptr::copy_nonoverlapping(from.add(tail), to.add(tail), size - tail);
    }
}

/// # Safety
/// Like [`copy`].
#[cfg(not(target_arch = "x86_64"))]
unsafe fn stream(to: *mut u8, from: *const u8, size: usize) {
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(from, to, size) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(threads: &CopyThreads, size: usize, shift: usize, stream: bool) {
        let source: Vec<u8> = (0..size + shift).map(|i| (i % 251) as u8).collect();
        let mut target = vec![0xEE; size + 2 * shift + 1];
        // SAFETY: both ranges lie within their vectors.
        unsafe {
            let to = target.as_mut_ptr().add(2 * shift);
            threads.copy(to, source.as_ptr().add(shift), size, stream);
        }
        assert_eq!(target[2 * shift..2 * shift + size], source[shift..]);
        assert!(target[..2 * shift].iter().all(|byte| *byte == 0xEE));
        assert_eq!(target[2 * shift + size], 0xEE);
    }

    #[test]
    fn copies_are_exact_with_any_number_of_helpers() {
        for helpers in [0, 1, 3] {
            let threads = CopyThreads::new(helpers);
            for size in [0, 1, 63, 64, 65, 1000, PIECE, PIECE + 1, 3 * PIECE + 77] {
                for shift in [0, 1, 16, 33] {
                    check(&threads, size, shift, true);
                    check(&threads, size, shift, false);
                }
            }
        }
    }

    /// Returns the masks of blocked signals, signal 1 the lowest bit, of this process's copy threads.
    fn masks_of_copy_threads() -> Vec<u64> {
        let mask = |folder: std::path::PathBuf| {
            let text = |file| std::fs::read_to_string(folder.join(file)).ok();
            text("comm").filter(|name| name.starts_with("hekla-copy"))?;
            let status = text("status")?;
            let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:"))?;
            u64::from_str_radix(mask.trim(), 16).ok()
        };
        let tasks = std::fs::read_dir("/proc/self/task").unwrap();
        tasks.filter_map(|task| mask(task.unwrap().path())).collect()
    }

    #[test]
    fn copy_threads_get_no_signals() {
        let threads = CopyThreads::new(2);
        // Threads set their names when they begin to run.
        let end = Instant::now() + Duration::from_secs(60);
        let mut masks = masks_of_copy_threads();
        while masks.len() < threads.helpers && Instant::now() < end {
            std::thread::yield_now();
            masks = masks_of_copy_threads();
        }
        assert!(masks.len() >= threads.helpers, "{masks:x?}");
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGALRM, libc::SIGUSR1] {
            let blocked = |mask: &u64| mask >> (signal - 1) & 1 == 1;
            assert!(masks.iter().all(blocked), "signal {signal} of {masks:x?}");
        }
    }

    #[test]
    fn copy_threads_serve_several_callers() {
        let threads = CopyThreads::new(2);
        std::thread::scope(|scope| {
            for caller in 0..4 {
                let threads = &threads;
                scope.spawn(move || {
                    for round in 0..8 {
                        check(threads, 2 * PIECE + round, caller, true);
                    }
                });
            }
        });
    }
}
