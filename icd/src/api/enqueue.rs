//! Enqueueing of commands, for the entry points of every chapter.

use super::args;
use crate::cl::error::Result;
use crate::cl::*;
use crate::core::queue::event::Event;
use crate::core::queue::execute::Execute;
use crate::core::queue::{Queue, Request};
use crate::object::Ref;

/// Enqueues a command and stores its event for the application.
///
/// # Safety
/// `event` is NULL or valid.
pub unsafe fn enqueue(
    queue: &Ref<Queue>,
    command_type: cl_command_type,
    command: impl Execute,
    waits: Vec<Ref<Event>>,
    blocking: bool,
    event: *mut cl_event,
) -> Result<()> {
    let (command, wants_event) = (Box::new(command), !event.is_null());
    let made = queue.enqueue(Request { command_type, command, waits, blocking, wants_event })?;
    // SAFETY: as the caller promises.
    unsafe { args::store_event(event, made) };
    Ok(())
}
