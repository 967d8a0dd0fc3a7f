//! Growth of memory: for a text or module of twice the size the compiler allocates at most about twice the memory, whichever
//! construct is repeated.

mod growth_support;

use growth_support::{shapes, Program};
use hekla_compiler::{compile, compile_il, Compiled, Il, Options, Source, Target};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of the smaller program, which is compared with one of twice the size.
const BYTES: usize = 24_000;
/// The most memory that the program of twice the size may take, as a multiple of the smaller program's.
const MOST: f64 = 2.3;

/// An allocator that counts the bytes that are allocated.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static TOTAL: AtomicUsize = AtomicUsize::new(0);
/// The newest allocation. An allocation that is freed before the next one is not counted: the compiler tries in this way
/// whether there is enough memory.
static NEWEST: AtomicUsize = AtomicUsize::new(0);

fn add(bytes: usize) {
    TOTAL.fetch_add(bytes, Ordering::Relaxed);
    let before = LIVE.fetch_add(bytes, Ordering::Relaxed);
    PEAK.fetch_max(before, Ordering::Relaxed);
}

// SAFETY: all is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promises are those that `System` asks for.
        let pointer = unsafe { System.alloc(layout) };
        NEWEST.store(pointer as usize, Ordering::Relaxed);
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        if NEWEST.swap(0, Ordering::Relaxed) == pointer as usize {
            TOTAL.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // A block that grows is counted once, so that the total is the memory that was needed, and not how often a vector
        // moved.
        LIVE.fetch_sub(layout.size().min(size), Ordering::Relaxed);
        add(size);
        TOTAL.fetch_sub(layout.size().min(size), Ordering::Relaxed);
        LIVE.fetch_sub(layout.size().saturating_sub(size), Ordering::Relaxed);
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The memory that a compilation took, in bytes.
#[derive(Clone, Copy)]
struct Taken {
    peak: usize,
    total: usize,
}

fn compiled(program: Program) -> Compiled {
    let (options, target) = (Options::default(), Target::generic());
    match program {
        Program::Text(text) => {
            let source = Source { name: "t.cl".into(), text, headers: Vec::new() };
            compile(&source, &options, &target)
        }
        Program::Module(words) => {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            compile_il(&Il::read(&bytes).expect("a module"), &[], &options, &target)
        }
    }
}

fn taken(program: Program) -> Taken {
    let (live, total) = (LIVE.load(Ordering::Relaxed), TOTAL.load(Ordering::Relaxed));
    PEAK.store(live, Ordering::Relaxed);
    drop(compiled(program));
    let peak = PEAK.load(Ordering::Relaxed) - live;
    Taken { peak, total: TOTAL.load(Ordering::Relaxed) - total }
}

/// There is one test, since the allocations of all threads are counted together.
#[test]
fn memory_grows_as_the_program() {
    let mut faults = String::new();
    for shape in shapes() {
        // Analyses that are made once in a process, as those of library functions, are not counted.
        drop(compiled(shape.of_bytes(2_000)));
        let bytes = BYTES.max(shape.least());
        let measured = || {
            let nothing = taken(shape.of_count(1));
            let [small, large] = [bytes, 2 * bytes].map(|bytes| taken(shape.of_bytes(bytes)));
            let ratio = |of: fn(&Taken) -> usize| {
                let above = |taken: &Taken| of(taken).saturating_sub(of(&nothing)).max(1) as f64;
                above(&large) / above(&small)
            };
            (ratio(|taken| taken.peak), ratio(|taken| taken.total))
        };
        // Allocations of other threads count as well, as those of the harness for its message about a slow test. So a
        // measurement beyond the bounds is repeated: the compiler takes the same each time.
        let is_fine = |(peak, total): &(f64, f64)| *peak <= MOST && *total <= MOST;
        let mut ratios = measured();
        for _ in 0..2 {
            ratios = if is_fine(&ratios) { ratios } else { measured() };
        }
        if !is_fine(&ratios) {
            let (peak, total) = ratios;
            faults += &format!("{}: {peak:.2} times at once, {total:.2} in all\n", shape.name);
        }
    }
    assert!(faults.is_empty(), "of twice as many:\n{faults}");
}
