//! Completion work: what the host does for a command once the device has done its part.

use crate::cl::error::Result;
use std::any::Any;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// A piece of work. Several queues may share it; the first queue that reaches it does it.
pub trait CompletionWork: Send + Sync {
    /// Does the work unless it is done. The device must have completed the command.
    fn run(&self) -> Result<()>;

    /// Returns true if the work is not done yet.
    fn is_pending(&self) -> bool;

    /// Returns true if the work is done only once, however often it is added to a queue.
    fn runs_once(&self) -> bool {
        true
    }

    /// Returns true if the work is pending and will write in `[start, end)` of the application's memory.
    fn will_write(&self, _start: usize, _end: usize) -> bool {
        false
    }

    /// Returns true if the work occupies a buffer of the kernels' output.
    fn is_printout(&self) -> bool {
        false
    }
}

/// Work that only keeps something alive until the command is complete, such as the memory of a mapping while copies to it are
/// pending.
pub struct Keep(pub Arc<dyn Any + Send + Sync>);

impl CompletionWork for Keep {
    fn run(&self) -> Result<()> {
        Ok(())
    }

    fn is_pending(&self) -> bool {
        false
    }

    fn runs_once(&self) -> bool {
        false
    }
}

/// Pieces of work, in ascending order of the timeline values at which they are due.
#[derive(Default)]
pub struct Completions {
    list: VecDeque<(u64, Arc<dyn CompletionWork>)>,
    known: HashSet<usize>,
}

/// Returns the identity of a piece of work that runs once; unique among the pieces that are alive.
fn identity(work: &Arc<dyn CompletionWork>) -> Option<usize> {
    work.runs_once().then(|| Arc::as_ptr(work).cast::<u8>() as usize)
}

impl Completions {
    /// Adds work for a timeline value, which usually is not less than earlier ones. Work that is in the list already is not
    /// added again, since it is done earlier: queues that wait for each other in turn exchange the same work.
    pub fn add(&mut self, value: u64, work: Arc<dyn CompletionWork>) {
        if identity(&work).is_none_or(|identity| self.known.insert(identity)) {
            let later = self.list.iter().rev().take_while(|(at, _)| *at > value).count();
            self.list.insert(self.list.len() - later, (value, work));
        }
    }

    /// Takes out the first piece of work if its timeline value is reached.
    pub fn take(&mut self, value: u64) -> Option<Arc<dyn CompletionWork>> {
        self.list.front().filter(|(at, _)| *at <= value)?;
        let (_, work) = self.list.pop_front()?;
        identity(&work).map(|identity| self.known.remove(&identity));
        Some(work)
    }

    /// Returns the pending work up to a timeline value.
    pub fn until(&self, value: u64) -> impl Iterator<Item = &Arc<dyn CompletionWork>> {
        let until = self.list.iter().take_while(move |(at, _)| *at <= value);
        until.map(|(_, work)| work).filter(|work| work.is_pending())
    }

    /// Returns the timeline values at which the output of launches is collected.
    pub fn printouts(&self) -> impl Iterator<Item = u64> + '_ {
        let printouts = self.list.iter().filter(|(_, work)| work.is_printout());
        printouts.map(|(value, _)| *value)
    }

    /// Returns the number of pieces of work.
    pub fn count(&self) -> usize {
        self.list.len()
    }
}
