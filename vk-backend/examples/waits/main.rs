//! Shows which calls of Vulkan do not return from a driver while other threads wait for a busy queue.
//!
//! A kernel keeps a queue busy. Threads wait for its end, each in the way that the command line names. One more thread makes
//! calls of all kinds on the same device, none of which has anything to do with that queue, and measures how long each call
//! takes. By Vulkan's rules no call should take longer than without the waiting threads.
//!
//! Seen: on an H200 with driver 580.159 all calls return, at most 15 ms later (vkCreateComputePipelines). On lavapipe of Mesa
//! 25.0 and 26.2 vkCreateComputePipelines returns when the kernel has ended.
//!
//! ```text
//! cargo run --release -p hekla-vk-backend --example waits -- semaphores 3 100
//! ```
//! Arguments: `semaphores` (vkWaitSemaphores), `fences` (vkWaitForFences), `poll` (vkGetSemaphoreCounterValue
//! and a short sleep) or `idle` (vkQueueWaitIdle); how many threads; the timeout of one wait in milliseconds.

#[path = "../gpu/mod.rs"]
#[allow(dead_code)]
mod gpu;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ash::vk;
use hekla_vk_backend::asm::{KernelBuilder, Op};

use crate::gpu::{tried, Gpu, Queue};

/// How long the kernel keeps the queue busy.
const BUSY: Duration = Duration::from_secs(4);
/// A call that takes longer than this is reported while it is running.
const LONG: Duration = Duration::from_millis(1000);

/// A submission on a queue of its own, with the fence and the semaphore that report its end.
struct Job {
    queue: &'static Queue,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    semaphore: vk::Semaphore,
    words: *mut u32,
}

// SAFETY: the words are read and written while no work is submitted.
unsafe impl Send for Job {}
// SAFETY: the words are read and written while no work is submitted.
unsafe impl Sync for Job {}

/// Returns a kernel whose running time follows from the number in word 0.
fn loop_module() -> Vec<u32> {
    let mut k = KernelBuilder::new(1);
    let uint = k.uint();
    let [zero, one, two] = [0, 1, 2].map(|i| k.constant(i));
    let times = k.load(0, uint, zero);
    k.repeat(times, |k| {
        let x = k.load(0, uint, one);
        let x = k.binary(Op::IAdd, uint, x, two);
        k.store(0, uint, one, x);
    });
    k.finish()
}

fn create_pipeline(gpu: &Gpu, words: &[u32]) -> vk::Pipeline {
    let (cache, flags) = (vk::PipelineCache::null(), vk::PipelineCreateFlags::empty());
    tried("vkCreateComputePipelines", gpu.create_pipeline(words, cache, flags))
}

impl Job {
    fn new(gpu: &Gpu, queue: &'static Queue, pipeline: vk::Pipeline) -> Job {
        let gpu::Words { mapped: words, address, .. } = gpu.words(16);
        let device = &gpu.device;
        let (_, commands) = gpu.create_commands(queue, vk::CommandPoolCreateFlags::empty());
        // SAFETY: all objects are this job's own, and the pipeline lives as long as the process.
        unsafe {
            let begin = vk::CommandBufferBeginInfo::default();
            tried("vkBeginCommandBuffer", device.begin_command_buffer(commands, &begin));
            gpu.dispatch(commands, pipeline, address, 1);
            tried("vkEndCommandBuffer", device.end_command_buffer(commands));
            let info = vk::FenceCreateInfo::default();
            let fence = tried("vkCreateFence", device.create_fence(&info, None));
            Job { queue, commands, fence, semaphore: gpu.create_timeline(), words }
        }
    }

    /// Submits the job with `rounds` rounds of its loop; at the end the semaphore has `value`.
    fn submit(&self, gpu: &Gpu, rounds: u32, value: u64) {
        // SAFETY: no earlier submission is in flight.
        unsafe { self.words.write_volatile(rounds) };
        let (commands, semaphores, values) = ([self.commands], [self.semaphore], [value]);
        let mut values =
            vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
        let info = [vk::SubmitInfo::default()
            .command_buffers(&commands)
            .signal_semaphores(&semaphores)
            .push_next(&mut values)];
        let queue = self.queue.raw.lock().unwrap();
        // SAFETY: the lock gives this thread the queue; the fence is unsignalled.
        tried("vkQueueSubmit", unsafe { gpu.device.queue_submit(*queue, &info, self.fence) });
    }

    fn value(&self, gpu: &Gpu) -> u64 {
        // SAFETY: the semaphore is alive.
        let value = unsafe { gpu.device.get_semaphore_counter_value(self.semaphore) };
        tried("vkGetSemaphoreCounterValue", value)
    }

    /// Waits for the job without sleep, and resets the fence.
    fn finish(&self, gpu: &Gpu, value: u64) {
        while self.value(gpu) < value {
            std::thread::yield_now();
        }
        // SAFETY: nobody else uses the fence at this time.
        unsafe {
            tried("vkWaitForFences", gpu.device.wait_for_fences(&[self.fence], true, u64::MAX));
            tried("vkResetFences", gpu.device.reset_fences(&[self.fence]));
        }
    }
}

/// Waits for the busy queue, as often as needed.
fn wait(gpu: &Gpu, how: &str, timeout_ns: u64, job: &Job, value: u64) {
    let (semaphores, values) = ([job.semaphore], [value]);
    let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
    loop {
        // SAFETY: semaphore and fence are alive; the queue is used by nobody meanwhile.
        let waited = unsafe {
            match how {
                "semaphores" => gpu.device.wait_semaphores(&info, timeout_ns),
                "fences" => gpu.device.wait_for_fences(&[job.fence], true, timeout_ns),
                "idle" => gpu.device.queue_wait_idle(*job.queue.raw.lock().unwrap()),
                _ => {
                    std::thread::sleep(Duration::from_micros(100));
                    if job.value(gpu) >= value {
                        Ok(())
                    } else {
                        Err(vk::Result::TIMEOUT)
                    }
                }
            }
        };
        match waited {
            Err(vk::Result::TIMEOUT) => {}
            other => return tried("a wait", other),
        }
    }
}

/// The calling thread's current call, with its beginning, its longest calls, and the number of its calls.
struct Calls {
    current: Mutex<(&'static str, Instant)>,
    longest: Mutex<Vec<(&'static str, Duration)>>,
    count: AtomicU64,
}

impl Calls {
    fn timed<R>(&self, name: &'static str, f: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        *self.current.lock().unwrap() = (name, start);
        let result = f();
        let took = start.elapsed();
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut all = self.longest.lock().unwrap();
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, longest)) => *longest = took.max(*longest),
            None => all.push((name, took)),
        }
        *self.current.lock().unwrap() = ("nothing", Instant::now());
        result
    }
}

/// Makes calls that have nothing to do with the busy queue. `job` runs on an idle queue, if there is one.
fn call_all(gpu: &Gpu, calls: &Calls, job: Option<&Job>, busy: &Job, round: u64) {
    let device = &gpu.device;
    calls.timed("vkGetSemaphoreCounterValue of the awaited", || busy.value(gpu));
    let semaphore = calls.timed("vkCreateSemaphore", || gpu.create_timeline());
    if let Some(job) = job {
        calls.timed("vkGetSemaphoreCounterValue of another", || job.value(gpu));
        calls.timed("vkQueueSubmit", || job.submit(gpu, 1, round));
        calls.timed("a small dispatch's way", || job.finish(gpu, round));
        let (semaphores, values) = ([job.semaphore], [round]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: the semaphore lives as long as the process.
        let wait = || unsafe { device.wait_semaphores(&info, 1_000_000_000) };
        calls.timed("vkWaitSemaphores of the reached", || tried("vkWaitSemaphores", wait()));
    }
    // SAFETY: all objects are made here, used by nobody else, and destroyed in the end.
    unsafe {
        let signal = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(1);
        calls.timed("vkSignalSemaphore", || {
            tried("vkSignalSemaphore", device.signal_semaphore(&signal))
        });
        calls.timed("vkDestroySemaphore", || device.destroy_semaphore(semaphore, None));
        calls.timed("vkCreateCommandPool and vkDestroyCommandPool", || {
            let flags = vk::CommandPoolCreateFlags::empty();
            let (pool, commands) = gpu.create_commands(busy.queue, flags);
            let begin = vk::CommandBufferBeginInfo::default();
            tried("vkBeginCommandBuffer", device.begin_command_buffer(commands, &begin));
            tried("vkEndCommandBuffer", device.end_command_buffer(commands));
            device.destroy_command_pool(pool, None);
        });
        let info = vk::BufferCreateInfo::default()
            .size(1 << 20)
            .usage(vk::BufferUsageFlags::STORAGE_BUFFER);
        let buffer = calls
            .timed("vkCreateBuffer", || tried("vkCreateBuffer", device.create_buffer(&info, None)));
        let needs = device.get_buffer_memory_requirements(buffer);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(needs.memory_type_bits.trailing_zeros());
        let memory = calls.timed("vkAllocateMemory", || {
            tried("vkAllocateMemory", device.allocate_memory(&info, None))
        });
        calls.timed("vkBindBufferMemory", || {
            tried("vkBindBufferMemory", device.bind_buffer_memory(buffer, memory, 0))
        });
        calls.timed("vkDestroyBuffer", || device.destroy_buffer(buffer, None));
        calls.timed("vkFreeMemory", || device.free_memory(memory, None));
        let pipeline = calls.timed("vkCreateComputePipelines", || {
            let mut k = KernelBuilder::new(1);
            let (uint, at) = (k.uint(), k.constant(0));
            let value = k.constant(round as u32);
            k.store(0, uint, at, value);
            create_pipeline(gpu, &k.finish())
        });
        calls.timed("vkDestroyPipeline", || device.destroy_pipeline(pipeline, None));
    }
}

fn main() {
    let mut words = std::env::args().skip(1);
    let how = words.next().unwrap_or("semaphores".into());
    let threads: usize = words.next().and_then(|n| n.parse().ok()).unwrap_or(3);
    let timeout_ms: u64 = words.next().and_then(|n| n.parse().ok()).unwrap_or(100);
    let gpu: &'static Gpu = Box::leak(Box::new(Gpu::open(gpu::instance(), 4)));
    let pipeline = create_pipeline(gpu, &loop_module());
    let busy = Job::new(gpu, &gpu.queues[0], pipeline);
    let other = gpu.queues.get(1).map(|queue| Job::new(gpu, queue, pipeline));
    let rounds = rounds_for(gpu, &busy, BUSY);
    let calls = Calls {
        current: Mutex::new(("nothing", Instant::now())),
        longest: Mutex::default(),
        count: AtomicU64::new(0),
    };
    let done = AtomicBool::new(false);
    busy.submit(gpu, rounds, 1 << 32);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| wait(gpu, &how, timeout_ms * 1_000_000, &busy, 1 << 32));
        }
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            let mut round = 0;
            while busy.value(gpu) < 1 << 32 {
                round += 1;
                call_all(gpu, &calls, other.as_ref(), &busy, round);
            }
            done.store(true, Ordering::Relaxed);
        });
        let mut told = "";
        while !done.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
            let (name, since) = *calls.current.lock().unwrap();
            if since.elapsed() > LONG && told != name {
                println!("  {name} takes longer than {LONG:?}");
                told = name;
            }
        }
    });
    let took = start.elapsed().as_secs_f64();
    let count = calls.count.load(Ordering::Relaxed);
    println!(
        "{}: {threads} x {how}, {timeout_ms} ms: busy {took:.2} s, {count} calls; longest:",
        gpu.name
    );
    let mut longest = calls.longest.into_inner().unwrap();
    longest.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
    for (name, took) in longest.iter().take(6) {
        println!("  {:9.3} ms {name}", took.as_secs_f64() * 1e3);
    }
    use std::io::Write;
    let _ = std::io::stdout().flush();
    // SAFETY: no handlers and destructors run.
    unsafe { libc::_exit(0) }
}

/// Returns how many rounds of the loop take `time`.
fn rounds_for(gpu: &Gpu, job: &Job, time: Duration) -> u32 {
    // The first submission is not representative: some drivers compile the pipeline then.
    job.submit(gpu, 1, 1);
    job.finish(gpu, 1);
    let (mut rounds, mut value) = (1 << 12, 1);
    loop {
        value += 1;
        let start = Instant::now();
        job.submit(gpu, rounds, value);
        job.finish(gpu, value);
        let took = start.elapsed();
        if took > Duration::from_millis(100) || rounds > u32::MAX / 8 {
            let more = time.as_secs_f64() / took.as_secs_f64();
            return (f64::from(rounds) * more).min(4e9) as u32;
        }
        rounds *= 4;
    }
}
