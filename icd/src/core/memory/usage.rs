//! The use of ranges of buffers by a command, in a context of several devices. Moves of the bytes wait until the use is over.

use crate::cl::error::Result;
use hekla_vk_backend as vk;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;

/// A use of a range on a device.
pub struct Usage {
    pub device: usize,
    /// True if the use changes the bytes on the device.
    pub writes: bool,
    /// The queue of the command; `None` for a use by the host.
    queue: Option<Arc<vk::Queue>>,
    /// The queue's timeline value at which the use is over; `None` until the command is recorded.
    end: Mutex<Option<u64>>,
    recorded: Condvar,
}

impl Usage {
    /// Returns the use of a command that is being started.
    pub fn new(device: usize, writes: bool, queue: Option<Arc<vk::Queue>>) -> Arc<Usage> {
        let (end, recorded) = (Mutex::new(None), Condvar::new());
        Arc::new(Usage { device, writes, queue, end, recorded })
    }

    /// Notes that the command is recorded. `value`: the timeline value at which it is complete; 0 if it is complete already.
    pub fn ends_at(&self, value: u64) {
        *self.end.lock() = Some(value);
        self.recorded.notify_all();
    }

    /// Returns true if a wait for the use `later` implies a wait for this one.
    pub fn ends_before(&self, later: &Usage) -> bool {
        let same_queue = match (&self.queue, &later.queue) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            _ => false,
        };
        let end = *self.end.lock();
        let over = end == Some(0) || (end.is_some() && same_queue && self.device == later.device);
        over && (end == Some(0) || later.writes || !self.writes)
    }

    /// Waits until the use is over. `by_host`: the host will read bytes that the use wrote.
    pub fn wait(&self, by_host: bool) -> Result<()> {
        let mut end = self.end.lock();
        let value = loop {
            match *end {
                Some(value) => break value,
                None => self.recorded.wait(&mut end),
            }
        };
        drop(end);
        match &self.queue {
            Some(queue) if value > 0 && by_host => Ok(queue.wait_host_visible(value)?),
            Some(queue) if value > 0 => Ok(queue.wait(value)?),
            _ => Ok(()),
        }
    }
}
