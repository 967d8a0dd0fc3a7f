//! Launches whose kernels enqueue others (OpenCL C 6.15.17).
//!
//! The application's launch is a command of its queue like any other. When it has run, a thread reads what its
//! work-items wrote into the ring, launches that on the device queue, and so on until nothing is left
//! (`schedule.rs`); only then is the command complete, and commands behind it start.

mod ring;
mod schedule;

use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::command::host_part::{end, hold_back, on_thread};
use crate::core::command::launch::{place_in, Launch, Reach};
use crate::core::device::staging::Staging;
use crate::core::process::clock;
use crate::core::program::kernel::{ArgValue, BuiltKernel, KernelArguments};
use crate::core::program::shape::Sizes;
use crate::core::program::Executable;
use crate::core::queue::effects::Effects;
use crate::core::queue::event::Event;
use crate::core::queue::{Queue, Request};
use crate::object::Ref;
use hekla_compiler::device_queue::{context, property, Block, CAPTURED_ALIGN};
use hekla_vk_backend as vk;
use ring::Ring;
use schedule::{Number, Ready, Schedule, ROOT};
use std::sync::Arc;

/// Alignment in bytes of a context with the data that its block captured.
const ALIGN: usize = 256;
/// Bytes of records in a ring without a device queue: whatever a kernel enqueues fails.
const LEAST_CAPACITY: u32 = 4096;

/// A launch of the application whose kernel may enqueue others.
struct Root {
    /// The queue of the application's launch.
    queue: Ref<Queue>,
    /// The device queue; `None` if the application has none, so that nothing can be enqueued.
    on_device: Option<Ref<Queue>>,
    executable: Arc<Executable>,
    /// The memory that the launch may reach, and so also the launches that it leads to.
    reach: Reach,
    ring: Ring,
    schedule: Schedule,
    /// True if kernels get a code for each kind of error (`-g`).
    tells_errors: bool,
    /// The device address of the table of the kernels' properties.
    properties: u64,
    /// The memory of the launch's context and of the table of properties.
    memory: Arc<Staging>,
    /// The command's event.
    event: Ref<Event>,
    /// The event of the launch itself.
    launched: Ref<Event>,
}

/// Enqueues a launch whose kernel uses device queues. Returns its event. `tells_errors`: the program was built with `-g`.
pub fn enqueue(
    queue: &Ref<Queue>,
    mut launch: Box<Launch>,
    (executable, tells_errors): (Arc<Executable>, bool),
    (command_type, waits): (cl_command_type, Vec<Ref<Event>>),
) -> Result<Ref<Event>> {
    let on_device = queue.device_queue();
    let capacity = on_device.as_ref().map_or(LEAST_CAPACITY, |queue| queue.on_device_size());
    let reused = on_device.as_ref().and_then(|queue| queue.rings.lock().pop());
    let ring = Ring::new(&queue.gpu, capacity, reused)?;
    let table = properties(queue, &executable);
    let memory = queue.gpu.upload.take((ALIGN + table.len()) as u64)?;
    let base = memory.buffer.address();
    let properties = base + ALIGN as u64;
    let handle = on_device.as_ref().map_or(0, |queue| queue.default_handle());
    let words = context_words((&ring, handle, properties), ROOT, tells_errors);
    // SAFETY: the piece of staging memory is this launch's alone.
    unsafe { memory.buffer.write(0, &words) }?;
    // SAFETY: the piece of staging memory is this launch's alone.
    unsafe { memory.buffer.write(ALIGN as u64, &table) }?;
    let used = [ring.buffer.clone(), memory.buffer.clone()];
    launch.set_queue_context(base, used);
    let reach = launch.reach()?;

    let event = Event::of_command(queue, command_type);
    let request =
        Request { command_type, command: launch, waits, blocking: false, wants_event: true };
    let Some(launched) = queue.enqueue(request)? else { return fail(CL_OUT_OF_RESOURCES) };
    let root = Root {
        queue: queue.clone(),
        on_device,
        executable,
        reach,
        ring,
        schedule: Schedule::default(),
        tells_errors,
        properties,
        memory,
        event: event.clone(),
        launched: launched.clone(),
    };
    let behind = hold_back(queue, &event);
    launched.then(move |status| root.begin(status));
    behind?;
    Ok(event)
}

/// Returns the words of a launch's context as bytes.
fn context_words(
    (ring, default_queue, properties): (&Ring, u64, u64),
    launch: Number,
    tells_errors: bool,
) -> Vec<u8> {
    let mut words = [0; context::WORDS];
    let mut put = |index: usize, number: u64| {
        (words[index], words[index + 1]) = (number as u32, (number >> 32) as u32);
    };
    put(context::RING, ring.buffer.address());
    put(context::DEFAULT_QUEUE, default_queue);
    put(context::PROPERTIES, properties);
    words[context::LAUNCH] = launch;
    words[context::TELLS_ERRORS] = u32::from(tells_errors);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns the table of properties of the blocks' kernels, for built-in functions that query them.
fn properties(queue: &Queue, executable: &Executable) -> Vec<u8> {
    let words = executable.kernels.iter().flat_map(|kernel| {
        let mut words = [0; property::WORDS];
        if kernel.kernel.is_block {
            words[property::WORK_GROUP_SIZE] = kernel.work_group_size(&queue.device) as u32;
            words[property::PREFERRED_MULTIPLE] = queue.device.info().features.subgroup_size;
            words[property::SUBGROUP_SIZE] = kernel.subgroup_size();
            words[property::UNIFORM] = u32::from(kernel.uniform);
            let limits = &mut words[property::LIMITS..property::LIMITS + 4];
            limits.fill(property::ANY);
            if kernel.kernel.local_size_visible {
                let total = kernel.local_size_limit(&queue.device);
                let each = queue.device.max_work_item_sizes();
                limits.copy_from_slice(&[total, each[0], each[1], each[2]].map(|size| size as u32));
            }
        }
        words
    });
    words.flat_map(u32::to_le_bytes).collect()
}

/// A launch of the current generation: its number and its event.
type Launched = (Number, Option<Ref<Event>>);

impl Root {
    /// Starts the work on a thread of its own when the application's launch has ended with `status`. Returns the effects of the
    /// command's end if the launch failed or no thread can be started.
    fn begin(self, status: cl_int) -> Effects {
        let event = self.event.clone();
        on_thread("hekla-enqueue", &event, status, move || self.run())
    }

    /// Executes all commands that kernels enqueued, and ends the application's command.
    fn run(mut self) {
        let status = self.drain().map_or_else(|error| error.0, |()| CL_COMPLETE);
        let profile = self.launched.profile();
        let begun = profile.as_ref().map_or_else(|_| clock::now(), |profile| profile.start);
        // Memory that the command keeps is free before the application learns of the command's end.
        let Root { queue, on_device, ring, event, executable, reach, memory, launched, .. } = self;
        drop((executable, reach, memory, launched));
        if let Some(on_device) = on_device {
            match ring.recycle(&queue.gpu) {
                Ok(buffer) => on_device.rings.lock().push(buffer),
                Err(error) => tracing::debug!("a ring is not reused: {error}"),
            }
        }
        end(event, begun, status, queue);
    }

    fn drain(&mut self) -> Result<()> {
        let mut launched = Vec::new();
        loop {
            // Records are taken before their launches are complete, since the launches have to wait for them; events are freed
            // only after that.
            let left = self.ring.take_records(&self.queue.gpu, &mut self.schedule)?;
            self.have_run(launched)?;
            self.ring.take_events(&self.queue.gpu, left, &mut self.schedule)?;
            let ready = self.schedule.ready(clock::now());
            self.tell_times()?;
            if ready.is_empty() {
                let abandoned = self.schedule.abandon(clock::now());
                if abandoned > 0 {
                    tracing::warn!("{abandoned} commands that a kernel enqueued wait for events that nothing ends");
                }
                return self.tell_times();
            }
            launched = self.generation(ready)?;
        }
    }

    /// Launches all blocks of a generation together, and waits for them.
    fn generation(&mut self, ready: Vec<Ready>) -> Result<Vec<Launched>> {
        let Some(on_device) = self.on_device.clone() else { return fail(CL_INVALID_DEVICE_QUEUE) };
        let sizes = ready.iter().map(|ready| ready.block.captured.len());
        let size: usize = sizes.map(place).sum();
        let memory = self.queue.gpu.upload.take(size as u64)?;
        let mut bytes = vec![0; size];
        let (mut at, mut launched) = (0, Vec::new());
        let mut launches = Vec::new();
        for Ready { number, block } in ready {
            let address = memory.buffer.address() + at as u64;
            let context = (&self.ring, on_device.default_handle(), self.properties);
            let words = context_words(context, number, self.tells_errors);
            bytes[at..at + words.len()].copy_from_slice(&words);
            let captured = at + CONTEXT;
            bytes[captured..captured + block.captured.len()].copy_from_slice(&block.captured);
            at += place(block.captured.len());
            match self.launch(&on_device, &block, address, &memory) {
                Ok(launch) => launches.push((number, launch)),
                Err(ClError(status)) => {
                    tracing::warn!(
                        "a block that a kernel enqueued cannot be launched: error {status}"
                    );
                    self.schedule.has_run(number, status, None, clock::now());
                }
            }
        }
        // SAFETY: the piece of staging memory is this generation's alone.
        unsafe { memory.buffer.write(0, &bytes) }?;
        for (number, launch) in launches {
            let event = match launch {
                Some(launch) => on_device.enqueue(Request {
                    command_type: CL_COMMAND_NDRANGE_KERNEL,
                    command: launch,
                    waits: Vec::new(),
                    blocking: false,
                    wants_event: on_device.profiling(),
                })?,
                None => None,
            };
            launched.push((number, event));
        }
        on_device.finish()?;
        Ok(launched)
    }

    /// Notes that the launches of a generation have run.
    fn have_run(&mut self, launched: Vec<Launched>) -> Result<()> {
        let now = clock::now();
        for (number, event) in launched {
            let times = event.map(|event| event.device_times()).transpose()?;
            self.schedule.has_run(number, CL_COMPLETE, times, now);
        }
        Ok(())
    }

    /// Returns the launch of a block, whose context is at an address; `None` if it has no work-items.
    fn launch(
        &self,
        on_device: &Ref<Queue>,
        block: &Block,
        address: u64,
        memory: &Arc<Staging>,
    ) -> Result<Option<Box<Launch>>> {
        let kernel = self.executable.kernels.get(block.kernel as usize);
        let kernel = kernel.filter(|kernel| kernel.kernel.is_block);
        let kernel: &Arc<BuiltKernel> = kernel.ok_or(ClError(CL_INVALID_KERNEL))?;
        let mut sizes = sizes(block)?;
        if !kernel.kernel.local_size_visible {
            // The kernel cannot see its local size, so a local size beyond the device's limits is replaced by the driver's
            // choice.
            let limit = kernel.work_group_size(&on_device.device);
            let each = on_device.device.max_work_item_sizes();
            let fits = |local: &[usize; 3]| {
                let total = local.iter().try_fold(1usize, |all, size| all.checked_mul(*size));
                total.is_some_and(|total| total <= limit) && (0..3).all(|d| local[d] <= each[d])
            };
            sizes.local = sizes.local.filter(fits);
        }
        if sizes.is_empty() {
            return Ok(None);
        }
        let mut arguments = KernelArguments::new(kernel.kernel.args.len());
        arguments.may_capture_images = true;
        ensure!(kernel.kernel.args.len() == 1 + block.locals.len(), CL_INVALID_KERNEL_ARGS);
        arguments.set_arg(0, ArgValue::Pointer(address + CONTEXT as u64));
        for (index, size) in (1..).zip(&block.locals) {
            arguments.set_arg(index, ArgValue::Local(*size as usize));
        }
        let mut launch = Launch::with(on_device, kernel, &mut arguments, &sizes)?;
        launch.set_queue_context(address, [self.ring.buffer.clone(), memory.buffer.clone()]);
        launch.reach_too(&self.reach);
        Ok(Some(launch))
    }

    /// Writes the times that kernels asked for (`capture_event_profiling_info`), and puts the times that kernels may ask for
    /// into the ring.
    fn tell_times(&mut self) -> Result<()> {
        for (address, times) in self.schedule.profiles() {
            let Some((buffer, offset)) = self.find(address, 16) else {
                tracing::warn!(
                    "times of an event go to {address:#x}, where the kernel has no memory"
                );
                continue;
            };
            self.queue.gpu.write_now(&buffer, offset, &times.bytes())?;
        }
        let timed = self.schedule.timed();
        self.ring.tell_times(&self.queue.gpu, &timed)
    }

    /// Returns the memory that contains `size` bytes at a device address, and the offset of the bytes in it.
    fn find(&self, address: u64, size: u64) -> Option<(Arc<vk::Buffer>, u64)> {
        let variables =
            || place_in(&self.executable.kernels.first()?.data.copy().ok()?.buffer, address, size);
        self.reach.find(&self.queue, address, size).or_else(variables)
    }
}

/// Bytes that a context takes; the data that the block captured follows.
const CONTEXT: usize = (4 * context::WORDS).next_multiple_of(CAPTURED_ALIGN as usize);

/// Returns the bytes that a context takes together with `captured` bytes of data.
fn place(captured: usize) -> usize {
    (CONTEXT + captured).next_multiple_of(ALIGN)
}

/// Returns the sizes of a block's range. CL_INVALID_WORK_DIMENSION or CL_INVALID_WORK_GROUP_SIZE for an invalid range.
fn sizes(block: &Block) -> Result<Sizes> {
    ensure!((1..=3).contains(&block.dimensions), CL_INVALID_WORK_DIMENSION);
    let inside = |d: usize| d < block.dimensions as usize;
    let of = |sizes: [u64; 3], other: usize| -> [usize; 3] {
        std::array::from_fn(|d| if inside(d) { sizes[d] as usize } else { other })
    };
    let local = of(block.local, 0);
    let is_given = local != [0; 3];
    let local = of(block.local, 1);
    ensure!(!is_given || !local.contains(&0), CL_INVALID_WORK_GROUP_SIZE);
    Ok(Sizes {
        dimensions: block.dimensions,
        offset: of(block.offset, 0),
        global: of(block.global, 1),
        local: is_given.then_some(local),
    })
}
