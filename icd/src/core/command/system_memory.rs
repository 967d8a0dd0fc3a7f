//! Launches that may reach any memory of the host (CL_DEVICE_SVM_FINE_GRAIN_SYSTEM). The host's parts of earlier commands may
//! write such memory, so they are done before the launch; the host's parts of later commands may read it, so they wait for the
//! launch.

use crate::cl::error::Result;
use crate::core::queue::completion::CompletionWork;
use crate::core::queue::execute::Execution;
use std::sync::atomic::{AtomicBool, Ordering};

/// Marks a launch's possible writes to memory of the host as pending, until the device has completed the launch.
#[derive(Default)]
pub struct WritesAnywhere(AtomicBool);

impl CompletionWork for WritesAnywhere {
    fn run(&self) -> Result<()> {
        self.0.store(true, Ordering::Release);
        Ok(())
    }

    fn is_pending(&self) -> bool {
        !self.0.load(Ordering::Acquire)
    }

    fn will_write(&self, _start: usize, _end: usize) -> bool {
        self.is_pending()
    }
}

impl Execution<'_> {
    /// Waits for the host's parts of all commands that this command is ordered behind.
    pub fn settle_all(&mut self) -> Result<()> {
        let after = self.state.after;
        match self.queue.has_host_work(after) {
            true => self.wait_for(after),
            false => Ok(()),
        }
    }
}
