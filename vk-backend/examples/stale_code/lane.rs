//! Records, submits and awaits dispatches. Each thread has one lane, with the objects that Vulkan lets only one thread use at a
//! time.

use std::time::{Duration, Instant};

use ash::vk;

use crate::gpu::{tried, Queue, Words};
use crate::kernel::{NUMBER, WORDS};
use crate::pipelines::Pipelines;

/// The value of a result before a kernel writes it.
pub const UNWRITTEN: u32 = 0xdead_beef;
const TIMEOUT_NS: u64 = 8_000_000_000;

/// A thread's command buffer, fence and memory.
pub struct Lane<'a> {
    pipelines: &'a Pipelines<'a>,
    queue: &'a Queue,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    words: Words,
    /// The longest time until a submission was made.
    pub longest: Duration,
}

impl<'a> Lane<'a> {
    pub fn new(pipelines: &'a Pipelines<'a>, queue: &'a Queue) -> Lane<'a> {
        let gpu = pipelines.gpu;
        let (pool, commands) = gpu.create_commands(queue, vk::CommandPoolCreateFlags::TRANSIENT);
        let words = gpu.words(WORDS);
        // SAFETY: the info outlives the call.
        let fence = unsafe { gpu.device.create_fence(&vk::FenceCreateInfo::default(), None) };
        let (fence, longest) = (tried("vkCreateFence", fence), Duration::ZERO);
        Lane { pipelines, queue, pool, commands, fence, words, longest }
    }

    /// Runs a pipeline on a number, and returns the words in memory afterwards.
    pub fn run(&mut self, pipeline: vk::Pipeline, number: u32) -> [u32; WORDS] {
        self.record(pipeline, number);
        self.submit_again(number)
    }

    /// Stores `number` and submits the commands that were recorded last; returns the words in memory afterwards.
    pub fn submit_again(&mut self, number: u32) -> [u32; WORDS] {
        for i in 0..WORDS {
            let word = if i == NUMBER { number } else { UNWRITTEN };
            // SAFETY: no submitted work uses the lane's words.
            unsafe { self.words.mapped.add(i).write_volatile(word) };
        }
        self.submit();
        // SAFETY: the submission is complete, and its writes are visible to the host.
        std::array::from_fn(|i| unsafe { self.words.mapped.add(i).read_volatile() })
    }

    fn record(&self, pipeline: vk::Pipeline, number: u32) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stages};
        let device = &self.pipelines.gpu.device;
        let barrier = |from: (Stages, Access), to: (Stages, Access)| {
            let barrier =
                [vk::MemoryBarrier::default().src_access_mask(from.1).dst_access_mask(to.1)];
            let none = vk::DependencyFlags::empty();
            // SAFETY: the command buffer is recording.
            unsafe {
                device.cmd_pipeline_barrier(self.commands, from.0, to.0, none, &barrier, &[], &[]);
            }
        };
        let transfer = (Stages::TRANSFER, Access::TRANSFER_WRITE);
        let shader = (Stages::COMPUTE_SHADER, Access::SHADER_READ | Access::SHADER_WRITE);
        let begin = vk::CommandBufferBeginInfo::default();
        let none = vk::CommandPoolResetFlags::empty();
        // SAFETY: the last submission is complete; pipeline, layout and words are alive.
        unsafe {
            tried("vkResetCommandPool", device.reset_command_pool(self.pool, none));
            tried("vkBeginCommandBuffer", device.begin_command_buffer(self.commands, &begin));
            if self.pipelines.protection.fills() {
                let (buffer, size) = (self.words.buffer, 4 * WORDS as u64);
                device.cmd_fill_buffer(self.commands, buffer, 0, size, UNWRITTEN);
                barrier(transfer, transfer);
                let at = 4 * NUMBER as u64;
                device.cmd_update_buffer(self.commands, buffer, at, &number.to_ne_bytes());
                barrier(transfer, shader);
            }
            self.pipelines.gpu.dispatch(self.commands, pipeline, self.words.address, 1);
            barrier(shader, (Stages::HOST, Access::HOST_READ));
            tried("vkEndCommandBuffer", device.end_command_buffer(self.commands));
        }
    }

    /// Submits the command buffer, and waits for its end.
    fn submit(&mut self) {
        let device = &self.pipelines.gpu.device;
        let commands = [self.commands];
        let info = [vk::SubmitInfo::default().command_buffers(&commands)];
        let start = Instant::now();
        {
            let _held = self.pipelines.hold();
            let queue = self.queue.raw.lock().unwrap();
            // SAFETY: the lock gives this thread the queue; the fence is unsignalled and nobody else's.
            tried("vkQueueSubmit", unsafe { device.queue_submit(*queue, &info, self.fence) });
        }
        self.longest = self.longest.max(start.elapsed());
        // SAFETY: the fence is this thread's own.
        unsafe {
            match device.wait_for_fences(&[self.fence], true, TIMEOUT_NS) {
                Err(vk::Result::TIMEOUT) => self.report_hang(),
                result => tried("vkWaitForFences", result),
            }
            tried("vkResetFences", device.reset_fences(&[self.fence]));
        }
    }

    /// Reports what can be seen of a submission that does not end, and ends the process.
    fn report_hang(&self) -> ! {
        let device = &self.pipelines.gpu.device;
        // SAFETY: the lock gives this thread the queue.
        let behind = unsafe {
            let info = vk::FenceCreateInfo::default();
            let fence = tried("vkCreateFence", device.create_fence(&info, None));
            let queue = self.queue.raw.lock().unwrap();
            tried("vkQueueSubmit", device.queue_submit(*queue, &[], fence));
            device.wait_for_fences(&[fence], true, 1_000_000_000)
        };
        println!(
            "HANG: a fence is not signalled; that of an empty submission behind it: {behind:?}"
        );
        crate::end(4)
    }
}
