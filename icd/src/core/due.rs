//! What the host still has to do for a command once the device has done its part.

use super::host::{HostCopy, Pages};
use super::printf::Printout;
use crate::core::error::Result;
use std::collections::{HashSet, VecDeque};
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

    /// Of work that is done once: the same for all clones, and for nothing else that is alive.
    fn identity(&self) -> Option<usize> {
        match self {
            Due::Copy(copy) => Some(Arc::as_ptr(copy) as usize),
            Due::Print(printout) => Some(Arc::as_ptr(printout) as usize),
            Due::Keep(_) => None,
        }
    }

    /// Whether somebody still has to do it. The queue that keeps memory does so until the copies that
    /// need it are done, by whomever.
    fn is_due(&self) -> bool {
        match self {
            Due::Copy(copy) => copy.is_due(),
            Due::Print(printout) => printout.is_due(),
            Due::Keep(_) => false,
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

/// What is due when a queue's timeline reaches certain values; ascending.
#[derive(Default)]
pub struct Owed {
    list: VecDeque<(u64, Due)>,
    known: HashSet<usize>,
}

impl Owed {
    /// Notes what is due at a value, no less than those before. What is noted already is due earlier:
    /// queues that wait for each other in turn hand the same work to and fro.
    pub fn add(&mut self, value: u64, work: Due) {
        if work.identity().is_none_or(|identity| self.known.insert(identity)) {
            self.list.push_back((value, work));
        }
    }

    /// Takes out the first piece of work if it is due at a value.
    pub fn take(&mut self, value: u64) -> Option<Due> {
        self.list.front().filter(|(due, _)| *due <= value)?;
        let (_, work) = self.list.pop_front()?;
        work.identity().map(|identity| self.known.remove(&identity));
        Some(work)
    }

    /// What is due up to a value and not done by others.
    pub fn until(&self, value: u64) -> impl Iterator<Item = &Due> {
        let until = self.list.iter().take_while(move |(due, _)| *due <= value);
        until.map(|(_, work)| work).filter(|work| work.is_due())
    }

    /// When output of launches is due.
    pub fn prints(&self) -> impl Iterator<Item = u64> + '_ {
        let prints = self.list.iter().filter(|(_, work)| matches!(work, Due::Print(_)));
        prints.map(|(value, _)| *value)
    }

    /// Pieces of work.
    pub fn count(&self) -> usize {
        self.list.len()
    }
}
