//! How the entry points of every chapter hand a command to its queue.

use super::args;
use super::cl::*;
use crate::core::error::Result;
use crate::core::event::Event;
use crate::core::queue::{Queue, Request};
use crate::core::transfer::Command;
use crate::object::Ref;

/// Enqueues a command and gives out its event.
///
/// # Safety
/// `event` is NULL or valid.
pub unsafe fn enqueue(
    queue: &Ref<Queue>,
    command_type: cl_command_type,
    command: Command,
    waits: Vec<Ref<Event>>,
    blocking: bool,
    event: *mut cl_event,
) -> Result<()> {
    let wants_event = !event.is_null();
    let made = queue.enqueue(Request { command_type, command, waits, blocking, wants_event })?;
    // SAFETY: as the caller promises.
    unsafe { args::store_event(event, made) };
    Ok(())
}
