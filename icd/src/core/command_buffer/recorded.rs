//! A command buffer as the device has it: one recording that queues replay.

use crate::cl::error::Result;
use crate::core::command::copy::{Copy, Fill};
use crate::core::command::image::copy::ImageCopy;
use crate::core::command::launch::Prepared;
use crate::core::command::printout::Printout;
use crate::core::command::replay::{self, Capture};
use crate::core::command::Command;
use crate::core::command_buffer::order::Step;
use crate::core::device::staging::Arena;
use crate::core::memory::reservation::RangeUse;
use crate::core::program::ProgramData;
use crate::core::queue::completion::CompletionWork;
use crate::core::queue::event::Phase;
use crate::core::queue::execute::{Execute, Execution};
use crate::core::queue::Queue;
use hekla_vk_backend as vk;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

/// A recording, and the host's part of each replay.
pub struct Recorded {
    recording: Arc<vk::Recording>,
    /// The commands. Their memory objects' bytes may be on another device of the context before a replay.
    commands: Vec<Arc<Command>>,
    /// The output of kernels.
    prints: Vec<Print>,
    /// The output of the last replay. The next replay cannot use the buffers until this output is collected.
    output: Mutex<Option<Arc<Output>>>,
}

/// The output of a kernel.
struct Print {
    data: Arc<ProgramData>,
    /// The buffer that the kernel prints to.
    buffer: Arc<vk::Buffer>,
    /// What each replay keeps of the launch to be run again.
    capture: Option<Arc<Capture>>,
}

/// The output of a replay.
struct Output {
    queue: Arc<vk::Queue>,
    /// The replay's value on the queue's timeline.
    value: u64,
    printouts: Vec<Arc<Printout>>,
}

impl Output {
    /// Returns true if some of the output is still in the buffers.
    fn is_pending(&self) -> bool {
        self.printouts.iter().any(|printout| printout.is_pending())
    }

    /// Waits for the replay and collects its output. Meanwhile other threads may use the queue of `execution`.
    fn collect(&self, execution: &mut Execution<'_>) -> Result<()> {
        if Arc::ptr_eq(&self.queue, &execution.queue.vk) {
            // The replay's output follows the output of the commands before it.
            execution.wait_for(self.value)?;
        }
        execution.unlocked(|| {
            self.queue.wait(self.value)?;
            self.printouts.iter().try_for_each(|printout| printout.run())
        })
    }
}

/// A command ready to be recorded.
enum Operation<'a> {
    Copy(Copy<'a>),
    Fill(Fill),
    Image(ImageCopy),
    Launch(Prepared<'a>),
    Nothing,
}

impl Operation<'_> {
    fn append(self, queue: &Queue, recorder: &mut vk::Recorder) {
        match self {
            Operation::Copy(copy) => copy.append(recorder),
            Operation::Fill(fill) => fill.append(recorder),
            Operation::Image(copy) => copy.append(recorder),
            Operation::Launch(prepared) => prepared.append(&queue.context.printer, recorder),
            Operation::Nothing => {}
        }
    }
}

impl Recorded {
    /// Records commands for the queue's device and context. Each command has its step, and steps ascend.
    pub fn new(queue: &Queue, commands: &[(Step, Arc<Command>)]) -> Result<Recorded> {
        let mut upload = Arena::new(queue.gpu.upload.clone());
        let (mut prints, mut operations) = (Vec::new(), Vec::new());
        let mut room = replay::MOST;
        for (step, command) in commands {
            let printf = match &**command {
                Command::Launch(launch) if launch.prints() => {
                    let buffer = queue.context.printer.buffer(&queue.gpu, queue.device_index)?;
                    Some((launch.data().clone(), buffer))
                }
                _ => None,
            };
            let buffer = printf.as_ref().map(|(_, buffer)| buffer.clone());
            let mut operation = operation(queue, &mut upload, command, buffer)?;
            let capture = match &mut operation {
                Operation::Launch(prepared) => {
                    prepared.keep_for_replay(queue, room)?;
                    prepared.capture()
                }
                _ => None,
            };
            room = room.saturating_sub(capture.as_ref().map_or(0, |it| it.size()));
            prints.extend(printf.map(|(data, buffer)| Print { data, buffer, capture }));
            operations.push((*step, operation));
        }
        let count = u32::try_from(operations.len()).unwrap_or(u32::MAX);
        let (recording, ()) = vk::Recording::create(&queue.gpu.device, count, |recorder| {
            let mut last = 0;
            for (step, operation) in operations {
                if step > last {
                    recorder.barrier();
                }
                last = step;
                operation.append(queue, recorder);
            }
        })?;
        let several = queue.context.gpus.len() > 1;
        let commands = commands.iter().filter(|_| several).map(|(_, command)| command.clone());
        let (commands, output) = (commands.collect(), Mutex::default());
        Ok(Recorded { recording, commands, prints, output })
    }

    /// Waits until the output of the last replay is collected. Meanwhile other threads may use the queue of `execution`.
    /// Returns the place for the next replay's output.
    fn free_output(
        &self,
        execution: &mut Execution<'_>,
    ) -> Result<MutexGuard<'_, Option<Arc<Output>>>> {
        loop {
            let output = self.output.lock();
            let Some(pending) = output.clone().filter(|output| output.is_pending()) else {
                return Ok(output);
            };
            drop(output);
            // Another queue may have started a replay when this output is collected.
            pending.collect(execution)?;
        }
    }
}

/// Prepares a command of a command buffer.
fn operation<'a>(
    queue: &'a Queue,
    upload: &mut Arena,
    command: &'a Command,
    printf: Option<Arc<vk::Buffer>>,
) -> Result<Operation<'a>> {
    Ok(match command {
        Command::Copy { source, from, target, to } => {
            let (from, to) = (from.shifted(source.origin), to.shifted(target.origin));
            Operation::Copy(Copy::prepare(queue, (source, &from), (target, &to))?)
        }
        Command::Fill { mem, at, pattern } => {
            let at = at.shifted(mem.origin);
            Operation::Fill(Fill::prepare(queue, upload, mem, &at, pattern)?)
        }
        Command::Launch(launch) => Operation::Launch(launch.prepare(queue, upload, printf, true)?),
        Command::Image(command) => {
            command.prepare(queue, upload)?.map_or(Operation::Nothing, Operation::Image)
        }
        // Commands of which the host does a part are not for command buffers.
        _ => Operation::Nothing,
    })
}

/// A replay: all of a command buffer as one command of a queue.
pub struct Replay(pub Arc<Recorded>);

impl Execute for Replay {
    fn name(&self) -> &str {
        "command buffer"
    }

    fn uses(&self) -> Vec<RangeUse<'_>> {
        self.0.commands.iter().flat_map(|command| command.uses()).collect()
    }

    fn execute(&self, execution: &mut Execution<'_>) -> Result<Phase> {
        let (queue, recorded) = (execution.queue, &*self.0);
        let output = match recorded.prints.is_empty() {
            true => None,
            false => Some(recorded.free_output(execution)?),
        };
        let recording = &recorded.recording;
        let value = execution.record_compiled(
            |recorder| _ = recorder.compile_recording(recording),
            |recorder| recorder.replay(recording),
        );
        if let Some(mut output) = output {
            let collect = |Print { data, buffer, capture }: &Print| {
                let printout = Printout::of_command(queue, value, data, buffer.clone());
                let printout = printout.with_capture(capture.clone()).keeping_buffer();
                let printout = Arc::new(printout);
                queue.add_completion(value, printout.clone());
                printout
            };
            let printouts = recorded.prints.iter().map(collect).collect();
            *output = Some(Arc::new(Output { queue: queue.vk.clone(), value, printouts }));
        }
        Ok(Phase::Recorded { first: value, last: value })
    }
}
