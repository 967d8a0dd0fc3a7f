//! The parts of a command buffer: recordings and, between them, launches whose kernels enqueue others, in which the host takes
//! part ([`device_enqueue`]). Nearly every command buffer is one recording.

use super::dispatch::Dispatch;
use super::recorded::{Recorded, Replay};
use crate::cl::error::{fail, Result};
use crate::cl::*;
use crate::core::command::device_enqueue;
use crate::core::command::host_part::{ended, hold_back};
use crate::core::command::launch::Launch;
use crate::core::process::clock;
use crate::core::program::kernel::{BuiltKernel, Kernel, KernelArguments};
use crate::core::program::shape::Sizes;
use crate::core::program::Executable;
use crate::core::queue::event::Event;
use crate::core::queue::{Queue, Request};
use crate::object::Ref;
use std::sync::Arc;

/// A part, which is enqueued behind the one before it.
pub enum Part {
    Recorded(Arc<Recorded>),
    Launch(Box<EnqueuingLaunch>),
}

/// A launch whose kernel enqueues others. A new launch is made each time that the command buffer is enqueued.
pub struct EnqueuingLaunch {
    built: Arc<BuiltKernel>,
    /// The kernel's program, and whether it was built with `-g`.
    executable: (Arc<Executable>, bool),
    arguments: KernelArguments,
    sizes: Sizes,
}

impl EnqueuingLaunch {
    /// Returns the launch of a kernel command in its current state.
    pub fn new(queue: &Queue, kernel: &Kernel, dispatch: &Dispatch) -> Result<EnqueuingLaunch> {
        Ok(EnqueuingLaunch {
            built: kernel.built_on(&queue.device)?.clone(),
            executable: kernel.program.executable_on(&queue.device)?,
            arguments: dispatch.arguments.clone(),
            sizes: dispatch.sizes,
        })
    }
}

/// Returns the request for a part of a command buffer.
fn request(command: Arc<Recorded>, waits: Vec<Ref<Event>>) -> Request {
    Request {
        command_type: CL_COMMAND_COMMAND_BUFFER_KHR,
        command: Box::new(Replay(command)),
        waits,
        blocking: false,
        wants_event: true,
    }
}

/// Enqueues several parts, each behind the one before. Returns an event for all of them.
pub fn enqueue(queue: &Ref<Queue>, parts: &[Part], waits: Vec<Ref<Event>>) -> Result<Ref<Event>> {
    let command_type = CL_COMMAND_COMMAND_BUFFER_KHR;
    let (mut waits, mut first) = (waits, None);
    for part in parts {
        let event = match part {
            Part::Recorded(recorded) => queue.enqueue(request(recorded.clone(), waits))?,
            Part::Launch(part) => {
                let mut arguments = part.arguments.clone();
                let launch = Launch::with(queue, &part.built, &mut arguments, &part.sizes)?;
                let executable = part.executable.clone();
                let order = (command_type, waits);
                Some(device_enqueue::enqueue(queue, launch, executable, order)?)
            }
        };
        let Some(event) = event else { return fail(CL_OUT_OF_RESOURCES) };
        first.get_or_insert_with(|| event.clone());
        waits = vec![event];
    }
    let whole = Event::of_command(queue, command_type);
    let Some((first, last)) = first.zip(waits.pop()) else { return fail(CL_INVALID_OPERATION) };
    let behind = hold_back(queue, &whole);
    let event = whole.clone();
    last.then(move |status| {
        let begun = first.profile().map_or_else(|_| clock::now(), |profile| profile.start);
        ended(&whole, begun, status)
    });
    behind?;
    Ok(event)
}
