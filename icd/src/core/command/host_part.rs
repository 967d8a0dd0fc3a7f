//! Commands of which the host does a part when the device has done its own part: native kernels, launches whose kernels enqueue
//! others, command buffers of several parts. Such a command has an event that the host ends, and a marker that keeps the
//! queue's later commands behind that event.

use crate::cl::error::Result;
use crate::cl::*;
use crate::core::command::Command;
use crate::core::process::clock;
use crate::core::queue::effects::Effects;
use crate::core::queue::event::{Event, Phase, Span, Started};
use crate::core::queue::{Queue, Request};
use crate::object::{callbacks, Ref};

/// Returns the request for a marker.
pub fn marker(command_type: cl_command_type, waits: Vec<Ref<Event>>, wants_event: bool) -> Request {
    let command = Box::new(Command::Marker);
    Request { command_type, command, waits, blocking: false, wants_event }
}

/// Keeps the later commands of a queue, and clFinish, behind an event that the host ends.
pub fn hold_back(queue: &Ref<Queue>, event: &Ref<Event>) -> Result<()> {
    queue.enqueue(marker(CL_COMMAND_MARKER, vec![event.clone()], false)).map(drop)
}

/// Runs the host's part of a command once the device's part has ended with `status`. It runs on a thread of its own, since it
/// may take long and wait for other events. Returns the effects of the command's end if the device's part failed or no thread
/// can be started.
pub fn on_thread(
    name: &str,
    event: &Ref<Event>,
    status: cl_int,
    run: impl FnOnce() + Send + 'static,
) -> Effects {
    if status < 0 {
        return ended(event, clock::now(), status);
    }
    match hekla_vk_backend::spawn(name, run) {
        Ok(_) => Effects::default(),
        Err(error) => {
            tracing::error!("no thread '{name}': {error}");
            ended(event, clock::now(), CL_OUT_OF_RESOURCES)
        }
    }
}

/// Ends a command, on the thread of its host's part. `begun`: the command's start on the host clock. `kept` is dropped after
/// the effects have run.
pub fn end<T>(event: Ref<Event>, begun: u64, status: cl_int, kept: T) {
    ended(&event, begun, status).run();
    drop((kept, event));
    callbacks::run_deferred();
}

/// Ends a command, and returns the effects. `begun`: the command's start on the host clock.
pub fn ended(event: &Ref<Event>, begun: u64, status: cl_int) -> Effects {
    let span = Span::Host { start: begun, end: clock::now().max(begun + 1) };
    let phase = Phase::Finished { status, span };
    event.advance(Started { phase, submitted_at: begun, times: None, runs_after: None })
}
