//! The memory of the process, measured so that memory in use counts, and memory that allocators keep for later does not.
//!
//! The resident set would mislead: blocks of device memory and arenas of malloc are mapped long before all of their
//! pages are touched, and are then touched page by page for minutes.

use hekla::core::device::open::Gpu;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::{Display, Formatter};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// Bytes that Rust code holds (Hekla's: drivers are not written in Rust).
static HELD: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counting.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.fetch_add(size, Ordering::Relaxed);
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(place, layout, size) }
    }
}

/// Returns the devices that the threads use.
pub fn gpus() -> Vec<Arc<Gpu>> {
    let count = crate::setting("HEKLA_SOAK_DEVICES", 1) as usize;
    let devices = &hekla::api::platform().devices()[..count];
    devices.iter().map(|device| device.gpu().unwrap().clone()).collect()
}

/// Memory at one moment, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Footprint {
    /// Bytes that Rust code holds: exact.
    ours: usize,
    /// Bytes that buffers hold of the blocks of device memory that they share, except for staging memory that waits to
    /// be used again: exact.
    device: usize,
    /// Bytes of malloc's memory in the whole process, drivers and their compilers included, except for blocks of device
    /// memory that come from malloc too.
    heap: usize,
    /// Other private memory: stacks, code made at run time.
    other: usize,
    /// The resident set, for the reader.
    resident: usize,
}

/// How much each part of the footprint may grow: a fixed part, and a part for every scene. Leaks grow with the number
/// of scenes; sizes that vary, such as the capacity of tables, do not.
const OURS: (usize, usize) = (128 << 10, 4);
const DEVICE: (usize, usize) = (128 << 10, 4);
const HEAP: (usize, usize) = (2 << 20, 8);
/// Stacks are kept by the C library, up to 40 MiB.
const OTHER: (usize, usize) = (48 << 20, 0);
/// Fixed part of the heap while drivers fill caches.
const SHORT_RUN_HEAP: usize = 16 << 20;

/// The growth that is allowed to memory of others in the process: drivers and layers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// Drivers and layers have filled their caches: no growth is allowed.
    Settled,
    /// Drivers and layers may still fill their caches.
    New,
    /// Drivers and layers may grow without a bound.
    Free,
}

impl Footprint {
    pub fn now() -> Footprint {
        let (mut device, mut reserved) = (0, 0);
        for gpu in gpus() {
            let (pool, staging) = (gpu.device.pool_use(), gpu.upload.kept() + gpu.readback.kept());
            device += (pool.held - staging) as usize;
            reserved += pool.reserved as usize;
        }
        let malloc = Malloc::now();
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
        Footprint {
            ours: HELD.load(Ordering::Relaxed),
            device,
            heap: malloc.held.saturating_sub(reserved),
            other: mapped().saturating_sub(malloc.mapped),
            resident: pages * 4096,
        }
    }

    /// Returns, in words, the parts that have grown by more than `scenes` scenes explain.
    pub fn gained_since(&self, before: &Footprint, scenes: usize, others: Others) -> Vec<String> {
        let mut parts = vec![
            ("Rust code", before.ours, self.ours, OURS),
            ("buffers", before.device, self.device, DEVICE),
        ];
        if others != Others::Free {
            let heap = if others == Others::New { (SHORT_RUN_HEAP, HEAP.1) } else { HEAP };
            parts.push(("malloc's callers", before.heap, self.heap, heap));
            parts.push(("other mappings", before.other, self.other, OTHER));
        }
        let gained = parts.iter().filter(|(_, before, after, (fixed, each))| {
            after.saturating_sub(*before) > fixed + each * scenes
        });
        gained.map(|(who, before, after, _)| format!("{who}: {before} to {after} bytes")).collect()
    }
}

impl Display for Footprint {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Footprint { ours, device, heap, other, resident } = self;
        let [ours, device, heap] = [ours, device, heap].map(|bytes| bytes >> 10);
        let [other, resident] = [other, resident].map(|bytes| bytes >> 20);
        write!(f, "ours {ours} KiB, buffers {device} KiB, heap {heap} KiB, ")?;
        write!(f, "other {other} MiB, resident {resident} MiB")
    }
}

/// Malloc's own statistics, in bytes.
struct Malloc {
    held: usize,
    mapped: usize,
}

impl Malloc {
    #[cfg(target_env = "gnu")]
    fn now() -> Malloc {
        // SAFETY: always allowed.
        let info = unsafe {
            libc::malloc_trim(0);
            libc::mallinfo2()
        };
        Malloc { held: info.uordblks + info.hblkhd, mapped: info.arena + info.hblkhd }
    }

    #[cfg(not(target_env = "gnu"))]
    fn now() -> Malloc {
        Malloc { held: 0, mapped: 0 }
    }
}

/// Returns the number of bytes of private memory that belongs to no file and may be accessed.
fn mapped() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let sizes = maps.lines().filter_map(|line| {
        let mut fields = line.split_ascii_whitespace();
        let (range, rights) = (fields.next()?, fields.next()?);
        let (inode, name) = (fields.nth(2)?, fields.next().unwrap_or_default());
        let counts = inode == "0" && rights.ends_with('p') && !rights.starts_with("---");
        if !counts || !(name.is_empty() || name == "[heap]") {
            return None;
        }
        let (start, end) = range.split_once('-')?;
        let address = |digits| usize::from_str_radix(digits, 16).ok();
        Some(address(end)? - address(start)?)
    });
    sizes.sum()
}
