//! Shows whether a driver runs the right code when threads make, use and destroy compute pipelines at once.
//!
//! README.md beside this file describes the options and the results.

#[allow(dead_code)]
#[path = "../gpu/mod.rs"]
mod gpu;
mod kernel;
mod lane;
mod pipelines;
mod tally;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::gpu::{Gpu, Queue};
use crate::kernel::{mix, Kernel};
use crate::lane::Lane;
use crate::pipelines::{Pipelines, Protection};
use crate::tally::Tally;

/// The command line.
struct Options {
    protection: Protection,
    threads: u32,
    seconds: f64,
    kernels: u32,
    large: u32,
}

impl Options {
    /// Reads the command line; `None` if it makes no sense.
    fn read() -> Option<Options> {
        let mut options = Options {
            protection: Protection::None,
            threads: 8,
            seconds: 5.0,
            kernels: 64,
            large: 0,
        };
        let mut words = std::env::args().skip(1);
        while let Some(name) = words.next() {
            let value = words.next()?;
            match name.as_str() {
                "--protection" => options.protection = Protection::named(&value)?,
                "--threads" => options.threads = value.parse().ok()?,
                "--seconds" => options.seconds = value.parse().ok()?,
                "--kernels" => options.kernels = value.parse().ok()?,
                "--large" => options.large = value.parse().ok()?,
                _ => return None,
            }
        }
        Some(options)
    }
}

fn main() {
    let Some(options) = Options::read() else {
        println!("the options are in vk-backend/examples/stale_code/README.md");
        end(2)
    };
    let one_queue = options.protection == Protection::OneQueue;
    let gpu = Gpu::open(gpu::instance(), if one_queue { 1 } else { options.threads });
    let start = Instant::now();
    let pipelines = Pipelines::new(&gpu, options.protection);
    let opening = start.elapsed();
    let (tally, stop) = (Tally::new(options.kernels), AtomicBool::new(false));
    let mut large = Vec::new();
    std::thread::scope(|scope| {
        for thread in 0..options.threads {
            let queue = &gpu.queues[thread as usize % gpu.queues.len()];
            let (pipelines, tally, stop) = (&pipelines, &tally, &stop);
            scope.spawn(move || make_use_destroy(pipelines, queue, tally, (thread, stop)));
        }
        if options.large > 0 {
            scope.spawn(|| large = make_large(&pipelines, options.large, &stop));
        }
        std::thread::sleep(Duration::from_secs_f64(options.seconds));
        stop.store(true, Ordering::Relaxed);
    });
    let words: Vec<_> = std::env::args().skip(1).collect();
    println!("{}: {}: {}", gpu.name, words.join(" "), tally.report());
    if options.protection == Protection::CompileDevice {
        let missed = pipelines.missed.load(Ordering::Relaxed);
        println!("  second device opened in {opening:.1?}; not found in its data: {missed}");
    }
    if let Some(longest) = large.iter().max() {
        println!("  {} large kernels made, in {longest:.0?} at most", large.len());
    }
    end(0)
}

/// Ends the process without destroying the devices, which is slow or fails with some drivers.
fn end(status: i32) -> ! {
    use std::io::Write;
    let _ = std::io::stdout().flush();
    // SAFETY: no handlers and destructors run.
    unsafe { libc::_exit(status) }
}

/// A thread that makes pipelines, dispatches each pipeline once, and destroys it.
fn make_use_destroy(
    pipelines: &Pipelines<'_>,
    queue: &Queue,
    tally: &Tally,
    (thread, stop): (u32, &AtomicBool),
) {
    let mut lane = Lane::new(pipelines, queue);
    let mut number = mix(thread);
    while !stop.load(Ordering::Relaxed) {
        number = mix(number.wrapping_add(1));
        let kernel = tally.next();
        let pipeline = pipelines.make(&kernel.module());
        let words = lane.run(pipeline, number);
        if !tally.judge(kernel, number, &words)
            && lane.submit_again(number) == kernel.results(number)
        {
            tally.right_again();
        }
        pipelines.destroy(pipeline);
    }
    tally.took(lane.longest);
}

/// A thread that makes pipelines of `length` operations, and never uses them. Returns how long each took.
fn make_large(pipelines: &Pipelines<'_>, length: u32, stop: &AtomicBool) -> Vec<Duration> {
    let seed = std::process::id();
    let mut took = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let kernel = Kernel { id: mix(seed ^ took.len() as u32), length };
        let words = kernel.module();
        let start = Instant::now();
        let pipeline = pipelines.make(&words);
        took.push(start.elapsed());
        pipelines.destroy(pipeline);
    }
    took
}
