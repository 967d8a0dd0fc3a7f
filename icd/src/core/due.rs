//! What the host still has to do for a command once the device has done its part.

use super::host::{HostCopy, Pages};
use super::printf::Printout;
use crate::core::error::Result;
use std::sync::Arc;

/// A piece of work, which the first queue to come to it does.
#[derive(Clone)]
pub enum Due {
    /// Into the application's memory.
    Copy(Arc<HostCopy>),
    /// Of what kernels printed.
    Print(Arc<Printout>),
    /// Keeping memory that copies before it go to.
    Keep(Arc<Pages>),
}

impl Due {
    /// Does the work unless it is done. The device must have completed the command.
    pub fn run(&self) -> Result<()> {
        match self {
            Due::Copy(copy) => copy.run(),
            Due::Print(printout) => printout.run(),
            Due::Keep(_) => Ok(()),
        }
    }

    /// Whether it is still to be done and will write somewhere in `[start, end)` of the
    /// application's memory.
    pub fn will_write(&self, start: usize, end: usize) -> bool {
        match self {
            Due::Copy(copy) => copy.will_write(start, end),
            Due::Print(_) | Due::Keep(_) => false,
        }
    }
}
