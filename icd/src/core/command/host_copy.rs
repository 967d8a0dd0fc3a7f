//! The host's part of a read: the copy from staging memory to the application's memory.

use crate::cl::error::Result;
use crate::core::context::host_writes::HostWrite;
use crate::core::device::staging::Staging;
use crate::core::memory::host::HostAddress;
use crate::core::memory::rect::Run;
use crate::core::queue::completion::CompletionWork;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::sync::Arc;

/// A copy from staging memory to the application's memory, which the host does when the device has filled the staging memory.
/// Several queues may share a copy; the first of them to run it does the work.
pub struct HostCopy {
    pending: Mutex<Option<CopyOut>>,
}

struct CopyOut {
    staging: Arc<Staging>,
    /// Runs of bytes, from offsets in the staging memory to addresses.
    runs: SmallVec<[Run; 1]>,
    /// The write that the copy is a part of.
    write: Option<Arc<HostWrite>>,
}

impl HostCopy {
    /// Returns a copy of runs from offsets in `staging` to addresses. The copy does nothing if `write` has been cancelled.
    pub fn new(
        staging: Arc<Staging>,
        runs: SmallVec<[Run; 1]>,
        write: Option<Arc<HostWrite>>,
    ) -> HostCopy {
        HostCopy { pending: Mutex::new(Some(CopyOut { staging, runs, write })) }
    }
}

impl CopyOut {
    fn run(&self) -> Result<()> {
        for run in &self.runs {
            // SAFETY: the command that fills the staging memory is complete; the read command that made this copy
            // completes only after it, and did not fail, so the application's memory is writable.
            unsafe {
                let target = HostAddress(run.to).as_mut_ptr();
                self.staging.buffer.read_to(run.from as u64, target, run.size)
            }?;
        }
        Ok(())
    }
}

impl CompletionWork for HostCopy {
    /// Makes the copy. The device must have completed the command that fills the staging memory.
    fn run(&self) -> Result<()> {
        let mut pending = self.pending.lock();
        let Some(copy) = pending.take() else { return Ok(()) };
        match &copy.write {
            Some(write) => write.unless_cancelled(|| copy.run()),
            None => copy.run(),
        }
    }

    fn is_pending(&self) -> bool {
        self.pending.lock().is_some()
    }

    fn will_write(&self, start: usize, end: usize) -> bool {
        self.pending.lock().as_ref().is_some_and(|copy| {
            copy.runs.iter().any(|run| run.to < end && start < run.to + run.size)
        })
    }
}
