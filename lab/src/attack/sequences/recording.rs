//! Command buffers (cl_khr_command_buffer): commands recorded once and replayed several times.

use super::api::Result;
use super::device::Device;
use super::slot::Slot;
use super::span::Span;
use super::world::{Command, World};
use cl3::ext::*;
use cl3::types::cl_command_queue;
use std::ptr::{null, null_mut};

const CL_COMMAND_BUFFER_FLAGS_KHR: u64 = 0x1293;
const CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR: u64 = 1;

/// The extension's functions.
#[derive(Debug, Clone)]
pub struct Api {
    create: clCreateCommandBufferKHR_fn,
    finalize: clFinalizeCommandBufferKHR_fn,
    release: clReleaseCommandBufferKHR_fn,
    enqueue: clEnqueueCommandBufferKHR_fn,
    barrier: clCommandBarrierWithWaitListKHR_fn,
    pub copy_buffer: clCommandCopyBufferKHR_fn,
    pub copy_rect: clCommandCopyBufferRectKHR_fn,
    pub fill_buffer: clCommandFillBufferKHR_fn,
    pub copy_image: clCommandCopyImageKHR_fn,
    pub image_to_buffer: clCommandCopyImageToBufferKHR_fn,
    pub buffer_to_image: clCommandCopyBufferToImageKHR_fn,
    pub fill_image: clCommandFillImageKHR_fn,
    pub copy_shared: clCommandSVMMemcpyKHR_fn,
    pub fill_shared: clCommandSVMMemFillKHR_fn,
    pub kernel: clCommandNDRangeKernelKHR_fn,
}

impl Api {
    /// Finds the functions; returns none where the device does not have the extension.
    pub fn of(device: &Device) -> Result<Option<Api>> {
        if !device.has("cl_khr_command_buffer") {
            return Ok(None);
        }
        // SAFETY: the functions have these types.
        unsafe {
            Ok(Some(Api {
                create: device.extension(c"clCreateCommandBufferKHR")?,
                finalize: device.extension(c"clFinalizeCommandBufferKHR")?,
                release: device.extension(c"clReleaseCommandBufferKHR")?,
                enqueue: device.extension(c"clEnqueueCommandBufferKHR")?,
                barrier: device.extension(c"clCommandBarrierWithWaitListKHR")?,
                copy_buffer: device.extension(c"clCommandCopyBufferKHR")?,
                copy_rect: device.extension(c"clCommandCopyBufferRectKHR")?,
                fill_buffer: device.extension(c"clCommandFillBufferKHR")?,
                copy_image: device.extension(c"clCommandCopyImageKHR")?,
                image_to_buffer: device.extension(c"clCommandCopyImageToBufferKHR")?,
                buffer_to_image: device.extension(c"clCommandCopyBufferToImageKHR")?,
                fill_image: device.extension(c"clCommandFillImageKHR")?,
                copy_shared: device.extension(c"clCommandSVMMemcpyKHR")?,
                fill_shared: device.extension(c"clCommandSVMMemFillKHR")?,
                kernel: device.extension(c"clCommandNDRangeKernelKHR")?,
            }))
        }
    }
}

/// The command buffer into which a command is recorded, the sync points that the command waits for, and the place for
/// its own.
pub struct Recorder<'a> {
    pub api: &'a Api,
    pub buffer: cl_command_buffer_khr,
    pub points: &'a [u32],
    pub point: *mut u32,
}

/// The effect of a command on the model.
pub type Effect = Box<dyn Fn(&mut World)>;

/// A command buffer.
pub struct CommandBuffer {
    handle: cl_command_buffer_khr,
    release: clReleaseCommandBufferKHR_fn,
    pub queue: usize,
    pub spans: Vec<Span>,
    effects: Vec<Effect>,
}

impl Drop for CommandBuffer {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the handle is this owner's.
            unsafe { release(self.handle) };
        }
    }
}

/// A command buffer into which commands are recorded.
pub struct Recording {
    buffer: CommandBuffer,
    /// The commands so far: the spans that each touches, and its sync point.
    commands: Vec<(Vec<Span>, u32)>,
    /// The number of commands before the last barrier.
    ordered: usize,
}

impl World<'_> {
    /// Enqueues a command with a known effect on the model; while a command buffer is recorded, records it there instead.
    pub fn apply(
        &mut self,
        command: Command,
        call: impl FnOnce(Slot) -> i32,
        effect: impl Fn(&mut World) + 'static,
    ) -> Result<()> {
        if self.recording.is_some() {
            return self.record_one(command, call, Box::new(effect));
        }
        self.submit(command, call)?;
        effect(self);
        Ok(())
    }

    /// Records a command buffer, and runs it for the first time.
    pub fn record(&mut self) -> Result<()> {
        let device = self.device;
        let Some(api) = &device.command_buffers else { return Ok(()) };
        let queue = self.random.below(self.queues.len());
        let handle = begin(api, self.queues[queue].handle())?;
        let buffer = CommandBuffer {
            handle,
            release: api.release,
            queue,
            spans: Vec::new(),
            effects: Vec::new(),
        };
        self.line(format!("queue {queue}: begin a command buffer"), Vec::new());
        self.recording = Some(Recording { buffer, commands: Vec::new(), ordered: 0 });
        for _ in 0..self.random.between(1, 6) {
            match self.random.below(8) {
                0 => self.record_barrier(api)?,
                _ => self.recordable()?,
            }
        }
        let Some(Recording { buffer, .. }) = self.recording.take() else { return Ok(()) };
        match api.finalize {
            // SAFETY: the handle is alive.
            Some(finalize) => check("clFinalizeCommandBufferKHR", unsafe { finalize(handle) })?,
            None => return Ok(()),
        }
        self.recorded.push(buffer);
        self.replay_one(self.recorded.len() - 1)
    }

    fn record_barrier(&mut self, api: &Api) -> Result<()> {
        let (Some(barrier), Some(recording)) = (api.barrier, &mut self.recording) else {
            return Ok(());
        };
        recording.ordered = recording.commands.len();
        let handle = recording.buffer.handle;
        // SAFETY: the handle is alive; there is nothing to wait for by name.
        let status =
            unsafe { barrier(handle, null_mut(), null(), 0, null(), null_mut(), null_mut()) };
        self.line("recorded: barrier".to_string(), Vec::new());
        check("clCommandBarrierWithWaitListKHR", status)
    }

    fn record_one(
        &mut self,
        command: Command,
        call: impl FnOnce(Slot) -> i32,
        effect: Effect,
    ) -> Result<()> {
        let device = self.device;
        let (Some(api), Some(mut recording)) = (&device.command_buffers, self.recording.take())
        else {
            return Ok(());
        };
        let in_order = self.queues[recording.buffer.queue].in_order;
        let mut points = Vec::new();
        for (index, (spans, point)) in recording.commands.iter().enumerate() {
            let conflicts =
                spans.iter().any(|span| command.spans.iter().any(|own| own.conflicts(span)));
            let ordered = in_order || index < recording.ordered;
            if conflicts && (!ordered || self.random.once_in(4)) {
                points.push(*point);
            }
        }
        let mut point = 0;
        let stores = command.spans.iter().map(|span| span.store).collect();
        let step =
            self.line(format!("recorded, {} points: {}", points.len(), command.what), stores);
        self.operations += 1;
        let buffer = recording.buffer.handle;
        let recorder = Some(Recorder { api, buffer, points: &points, point: &mut point });
        let nothing = (null_mut(), null(), null_mut());
        let status =
            call(Slot { queue: nothing.0, count: 0, list: nothing.1, event: nothing.2, recorder });
        if status != 0 {
            return Err(self.report(step, &format!("it gives {status}"), &command.spans));
        }
        recording.buffer.spans.extend(command.spans.iter().cloned());
        recording.buffer.effects.push(effect);
        recording.commands.push((command.spans, point));
        self.recording = Some(recording);
        Ok(())
    }

    /// Runs a command buffer again.
    pub fn replay(&mut self) -> Result<()> {
        match self.recorded.len() {
            0 => self.record(),
            count => {
                let index = self.random.below(count);
                self.replay_one(index)
            }
        }
    }

    fn replay_one(&mut self, index: usize) -> Result<()> {
        let device = self.device;
        let Some(enqueue) = device.command_buffers.as_ref().and_then(|api| api.enqueue) else {
            return Ok(());
        };
        let CommandBuffer { handle, queue, .. } = self.recorded[index];
        let spans = self.recorded[index].spans.clone();
        let what = format!("command buffer {index}");
        let command = Command { what, spans, blocking: false };
        let call = |s: Slot| {
            // SAFETY: the handle is alive.
            unsafe { enqueue(0, null_mut(), handle, s.count, s.list, s.event) }
        };
        self.submit_to(queue, command, call)?;
        let effects = std::mem::take(&mut self.recorded[index].effects);
        effects.iter().for_each(|effect| effect(self));
        self.recorded[index].effects = effects;
        Ok(())
    }
}

/// Makes a command buffer that may run several times at once.
fn begin(api: &Api, queue: cl_command_queue) -> Result<cl_command_buffer_khr> {
    let Some(create) = api.create else { return Err("no clCreateCommandBufferKHR".to_string()) };
    let properties = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0];
    let mut status = 0;
    // SAFETY: a queue, and properties that end with 0.
    let handle = unsafe { create(1, &queue, properties.as_ptr(), &mut status) };
    check("clCreateCommandBufferKHR", status)?;
    Ok(handle)
}

fn check(name: &str, status: i32) -> Result<()> {
    match status {
        0 => Ok(()),
        status => Err(format!("{name} gives {status}")),
    }
}
