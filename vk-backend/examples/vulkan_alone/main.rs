//! Measures by hand-written Vulkan what `xtask bench` measures of OpenCL: the time that a driver takes in any case.
//!
//! Command buffers are recorded beforehand, memory is allocated and mapped, pipelines are made, unless that is what is
//! measured. Nothing is checked or counted that OpenCL would ask for.
//!
//! ```text
//! cargo run --release -p hekla-vk-backend --example vulkan_alone
//! ```
//! Prints the name of each of the bench's measurements, a tab, and the value in its unit. `xtask bench --vulkan PROGRAM`
//! makes a column of that. `vulkan_alone gemm ...` measures a product of matrices (`gemm.rs`).

mod arithmetic;
mod gemm;
#[path = "../gpu/mod.rs"]
#[allow(dead_code)]
mod gpu;

use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use ash::vk;
use hekla_vk_backend::asm::{KernelBuilder, Op};

use crate::gpu::{tried, Gpu, Words};

/// Repetitions of a measurement of microseconds, after some that are not counted; medians are printed.
const TIMES: usize = 1000;
/// Launches that depend on each other, submitted together or in turn.
const CHAIN: usize = 100;
/// Words of a transfer.
const TRANSFER: usize = 8 << 20;
/// Work-items of a kernel, in one work-group.
const ITEMS: u32 = 64;

/// The means by which the end of a submission is noticed.
enum Waiting {
    Fence(vk::Fence),
    /// The value of a timeline semaphore is queried again and again.
    Semaphore(vk::Semaphore),
    /// The command buffer writes a word at its end (VK_AMD_buffer_marker).
    Marker(Words),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((_, rest)) = arguments.split_first().filter(|(first, _)| *first == "gemm") {
        return match gemm::main(rest) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                println!("{message}");
                ExitCode::from(2)
            }
        };
    }
    measure_launches();
    ExitCode::SUCCESS
}

/// Measures the quantities that have lines of their own in the bench's table.
fn measure_launches() {
    let start = Instant::now();
    let gpu = Gpu::open(gpu::instance(), 2);
    let pipeline = adding_pipeline(&gpu, 7);
    let words = gpu.words(ITEMS as usize);
    // SAFETY: the memory was just mapped.
    unsafe { std::ptr::write_bytes(words.mapped, 0, ITEMS as usize) };
    let fence = Waiting::Fence(create_fence(&gpu));
    let one = record(&gpu, Some(&fence), |commands| launch(&gpu, commands, pipeline, &words));
    run(&gpu, one, &fence, 1);
    print("first result in a new process, new text", start.elapsed().as_secs_f64() * 1e3);

    print("one launch and finish", launch_and_finish(&gpu, pipeline, &words));
    print("dependent launch in a batch", batch(&gpu, pipeline, &words) / CHAIN as f64);
    if gpu.queues.len() > 1 {
        let name = "launch behind one in another queue";
        print(name, in_turn(&gpu, pipeline, &words) / CHAIN as f64);
    }
    print("build and first run, 1 line", new_kernel(&gpu, &words) / 1e3);
    let bytes = 4.0 * TRANSFER as f64;
    print("map, read, unmap", bytes / map_and_read(&gpu) / 1e3);
    print("float mad", arithmetic::rate(&gpu, 32, 1));
    if gpu.has_halves {
        print("half mad", arithmetic::rate(&gpu, 16, 1));
        print("half2 mad", arithmetic::rate(&gpu, 16, 2));
        print("half4 mad", arithmetic::rate(&gpu, 16, 4));
    }
}

fn print(name: &str, value: f64) {
    println!("{name}\t{value}");
}

/// Returns the median of many runs, in microseconds.
fn median(times: usize, mut run: impl FnMut(usize)) -> f64 {
    let mut taken: Vec<f64> = Vec::new();
    for number in 0..2 * times {
        let start = Instant::now();
        run(number);
        taken.push(start.elapsed().as_secs_f64() * 1e6);
    }
    taken.drain(..times);
    taken.sort_by(f64::total_cmp);
    taken[times / 2]
}

/// Creates the pipeline of a kernel that adds a number to each of its words.
fn adding_pipeline(gpu: &Gpu, number: u32) -> vk::Pipeline {
    let mut k = KernelBuilder::new(1);
    k.local_size([ITEMS, 1, 1]);
    let uint = k.uint();
    let i = k.global_id_x();
    let (x, number) = (k.load(0, uint, i), k.constant(number));
    let sum = k.binary(Op::IAdd, uint, x, number);
    k.store(0, uint, i, sum);
    create_pipeline(gpu, &k.finish())
}

/// Creates a pipeline without a cache.
fn create_pipeline(gpu: &Gpu, module: &[u32]) -> vk::Pipeline {
    let none = vk::PipelineCreateFlags::empty();
    let made = gpu.create_pipeline(module, vk::PipelineCache::null(), none);
    tried("vkCreateComputePipelines", made)
}

fn create_fence(gpu: &Gpu) -> vk::Fence {
    // SAFETY: the info outlives the call.
    let made = unsafe { gpu.device.create_fence(&vk::FenceCreateInfo::default(), None) };
    tried("vkCreateFence", made)
}

/// Records a command buffer that can be submitted again and again.
fn record(
    gpu: &Gpu,
    end: Option<&Waiting>,
    fill: impl FnOnce(vk::CommandBuffer),
) -> vk::CommandBuffer {
    let none = vk::CommandPoolCreateFlags::empty();
    let (_, commands) = gpu.create_commands(&gpu.queues[0], none);
    // SAFETY: the command buffer is new; the marker's buffer lives as long as the process.
    unsafe {
        let begin = vk::CommandBufferBeginInfo::default();
        tried("vkBeginCommandBuffer", gpu.device.begin_command_buffer(commands, &begin));
        fill(commands);
        if let (Some(Waiting::Marker(word)), Some(markers)) = (end, &gpu.markers) {
            let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
            markers.cmd_write_buffer_marker(commands, stage, word.buffer, 0, 1);
        }
        tried("vkEndCommandBuffer", gpu.device.end_command_buffer(commands));
    }
    commands
}

/// Records a launch behind earlier commands, which were recorded or submitted before.
fn launch(gpu: &Gpu, commands: vk::CommandBuffer, pipeline: vk::Pipeline, words: &Words) {
    launch_groups(gpu, commands, pipeline, words, 1);
}

/// Records a launch of several work-groups, as `launch` does.
fn launch_groups(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    pipeline: vk::Pipeline,
    words: &Words,
    groups: u32,
) {
    let compute = vk::PipelineStageFlags::COMPUTE_SHADER;
    let (read, write) = (vk::AccessFlags::SHADER_READ, vk::AccessFlags::SHADER_WRITE);
    let memory =
        [vk::MemoryBarrier::default().src_access_mask(write).dst_access_mask(read | write)];
    let none = vk::DependencyFlags::empty();
    // SAFETY: the command buffer is being recorded; what it uses lives as long as the process.
    unsafe {
        gpu.device.cmd_pipeline_barrier(commands, compute, compute, none, &memory, &[], &[]);
        gpu.dispatch(commands, pipeline, words.address, groups);
    }
}

/// Submits a command buffer to a queue. The values are for timeline semaphores.
fn submit(
    gpu: &Gpu,
    queue: usize,
    commands: vk::CommandBuffer,
    [wait, signal]: [Option<(vk::Semaphore, u64)>; 2],
    fence: vk::Fence,
) {
    let (waits, wait_values): (Vec<_>, Vec<_>) = wait.into_iter().unzip();
    let (signals, signal_values): (Vec<_>, Vec<_>) = signal.into_iter().unzip();
    let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
    let commands = [commands];
    let mut values = vk::TimelineSemaphoreSubmitInfo::default()
        .wait_semaphore_values(&wait_values)
        .signal_semaphore_values(&signal_values);
    let info = [vk::SubmitInfo::default()
        .wait_semaphores(&waits)
        .wait_dst_stage_mask(&stages)
        .command_buffers(&commands)
        .signal_semaphores(&signals)
        .push_next(&mut values)];
    let queue = gpu.queues[queue].raw.lock().unwrap();
    // SAFETY: the lock gives this thread the queue; fence and command buffer are not in use.
    tried("vkQueueSubmit", unsafe { gpu.device.queue_submit(*queue, &info, fence) });
}

/// Submits a command buffer and waits for its end. `value` must increase with each call.
fn run(gpu: &Gpu, commands: vk::CommandBuffer, waiting: &Waiting, value: u64) {
    let none = vk::Fence::null();
    // SAFETY: fence, semaphore and word live as long as the process; the host accesses the word as this atomic alone.
    unsafe {
        match waiting {
            Waiting::Fence(fence) => {
                submit(gpu, 0, commands, [None; 2], *fence);
                let waited = gpu.device.wait_for_fences(&[*fence], true, u64::MAX);
                tried("vkWaitForFences", waited);
                tried("vkResetFences", gpu.device.reset_fences(&[*fence]));
            }
            Waiting::Semaphore(semaphore) => {
                submit(gpu, 0, commands, [None, Some((*semaphore, value))], none);
                let reached = || gpu.device.get_semaphore_counter_value(*semaphore);
                while tried("vkGetSemaphoreCounterValue", reached()) < value {}
            }
            Waiting::Marker(word) => {
                let word = AtomicU32::from_ptr(word.mapped);
                word.store(0, Ordering::Release);
                submit(gpu, 0, commands, [None; 2], none);
                while word.load(Ordering::Acquire) == 0 {
                    std::hint::spin_loop();
                }
            }
        }
    }
}

/// Returns the microseconds of a launch, from its submission until its end is noticed in the fastest way.
fn launch_and_finish(gpu: &Gpu, pipeline: vk::Pipeline, words: &Words) -> f64 {
    let mut ways =
        vec![Waiting::Fence(create_fence(gpu)), Waiting::Semaphore(gpu.create_timeline())];
    if gpu.markers.is_some() {
        ways.push(Waiting::Marker(gpu.words(1)));
    }
    let taken = ways.iter().map(|way| {
        let one = record(gpu, Some(way), |commands| launch(gpu, commands, pipeline, words));
        let taken = median(TIMES, |number| run(gpu, one, way, number as u64 + 1));
        let name = match way {
            Waiting::Fence(_) => "fence",
            Waiting::Semaphore(_) => "semaphore",
            Waiting::Marker(_) => "marker",
        };
        eprintln!("launch and finish by {name}: {taken:.1} us");
        taken
    });
    taken.fold(f64::MAX, f64::min)
}

/// Returns the microseconds of launches that depend on each other, in one command buffer.
fn batch(gpu: &Gpu, pipeline: vk::Pipeline, words: &Words) -> f64 {
    let fence = Waiting::Fence(create_fence(gpu));
    let all = record(gpu, None, |commands| {
        (0..CHAIN).for_each(|_| launch(gpu, commands, pipeline, words));
    });
    median(CHAIN, |_| run(gpu, all, &fence, 0))
}

/// Returns the microseconds of launches on two queues in turn, each of which waits for the launch before it.
fn in_turn(gpu: &Gpu, pipeline: vk::Pipeline, words: &Words) -> f64 {
    let one = |_| record(gpu, None, |commands| launch(gpu, commands, pipeline, words));
    let all: Vec<vk::CommandBuffer> = (0..CHAIN).map(one).collect();
    let (semaphore, fence) = (gpu.create_timeline(), create_fence(gpu));
    let mut value = 0;
    median(CHAIN, |_| {
        for (turn, commands) in all.iter().enumerate() {
            let is_last = turn + 1 == CHAIN;
            let waits = (turn > 0).then_some((semaphore, value));
            value += 1;
            let fence = if is_last { fence } else { vk::Fence::null() };
            submit(gpu, turn % 2, *commands, [waits, Some((semaphore, value))], fence);
        }
        // SAFETY: the fence is in use by the last submission alone.
        unsafe {
            tried("vkWaitForFences", gpu.device.wait_for_fences(&[fence], true, u64::MAX));
            tried("vkResetFences", gpu.device.reset_fences(&[fence]));
        }
    })
}

/// Returns the microseconds of the pipeline and a launch of a kernel that the driver has never seen.
fn new_kernel(gpu: &Gpu, words: &Words) -> f64 {
    let fence = Waiting::Fence(create_fence(gpu));
    let seed = std::process::id().wrapping_mul(0x9e37_79b9);
    median(10, |number| {
        let pipeline = adding_pipeline(gpu, seed.wrapping_add(number as u32));
        let one = record(gpu, None, |commands| launch(gpu, commands, pipeline, words));
        run(gpu, one, &fence, 0);
    })
}

/// Returns the microseconds of a copy from the device's memory to the host's, and of the host's read of the copy.
fn map_and_read(gpu: &Gpu) -> f64 {
    let (from, to) = (gpu.device_words(TRANSFER), gpu.words(TRANSFER));
    let fence = Waiting::Fence(create_fence(gpu));
    let copy = record(gpu, None, |commands| {
        let region = [vk::BufferCopy::default().size(4 * TRANSFER as u64)];
        // SAFETY: the command buffer is being recorded; both buffers have this size.
        unsafe { gpu.device.cmd_copy_buffer(commands, from.buffer, to.buffer, &region) };
    });
    let mut back = vec![0u32; TRANSFER];
    median(30, |_| {
        run(gpu, copy, &fence, 0);
        // SAFETY: the copy has ended; both have this many words.
        unsafe { to.mapped.copy_to_nonoverlapping(back.as_mut_ptr(), TRANSFER) };
        std::hint::black_box(&back);
    })
}
