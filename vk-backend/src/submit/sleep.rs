//! Waiting for a batch: polling first, then asleep.

use std::time::{Duration, Instant};

use super::queue::{Queue, WaitStrategy, SIGNALLED_BATCHES};
use crate::error::Error;
use crate::sync::poll_until;
use hekla_device::Quirks;

/// How often a thread that no semaphore wakes in time polls: each sleep is the waited time divided by the first number, within
/// the two bounds. `LOOK` is the time between checks for the loss of the device.
const NAPS: u32 = 32;
const SHORTEST_NAP: Duration = Duration::from_micros(50);
const LONGEST_NAP: Duration = Duration::from_millis(1);
const LOOK: Duration = Duration::from_millis(100);

impl Queue {
    /// Waits until the submitted batch that ends with this value is complete.
    pub(super) fn wait_for_last(&self, value: u64, strategy: WaitStrategy) -> Result<(), Error> {
        let polls = strategy == WaitStrategy::Spin;
        if polls && poll_until(self.device(), || self.has_reached(value))? {
            return Ok(());
        }
        self.sleep(value)
    }

    /// Sleeps until the batch is complete: in the driver where the batch's semaphore wakes the thread in time, else by naps.
    fn sleep(&self, value: u64) -> Result<(), Error> {
        let start = Instant::now();
        let mut looked = start;
        loop {
            if self.sleep_in_driver(value)? || self.has_reached(value)? {
                return Ok(());
            }
            std::thread::sleep((start.elapsed() / NAPS).clamp(SHORTEST_NAP, LONGEST_NAP));
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                self.device().stalls.note_wait(start.elapsed(), &self.device().info().name);
                self.device().ask_after_loss(start.elapsed())?;
                // This fails if the device was lost.
                self.completed_value()?;
            }
        }
    }

    /// Sleeps in vkWaitSemaphores until the batch is complete. Returns false at once where that call would not return in time.
    fn sleep_in_driver(&self, value: u64) -> Result<bool, Error> {
        let takes_turns = self.device().info().quirks.contains(Quirks::LOST_WAKE_UPS);
        let turn = self.device().sleeper.try_lock();
        if (takes_turns && turn.is_none()) || !self.is_signalled(value)? {
            return Ok(false);
        }
        self.timeline.sleep(value).map(|()| true)
    }

    /// Returns true if the timeline is signalled when the batch is complete. A signal can be submitted behind the newest batch,
    /// but not behind a batch that others have followed: then the next batches signal by themselves.
    fn is_signalled(&self, value: u64) -> Result<bool, Error> {
        self.locked(|state| {
            if self.marker.is_none() {
                return Ok(true);
            }
            let is_newest = value == state.submitted;
            match state.in_flight.iter_mut().find(|batch| batch.last_value >= value) {
                Some(batch) if is_newest => batch.signals = true,
                Some(batch) => {
                    let signals = batch.signals;
                    state.signalled_batches = SIGNALLED_BATCHES;
                    return Ok(signals);
                }
                // The batch is complete, and the timeline may not be signalled.
                None => return Ok(false),
            }
            self.signal(state).map(|()| true)
        })
    }

    fn has_reached(&self, value: u64) -> Result<bool, Error> {
        self.timeline.check()?;
        match &self.marker {
            Some(marker) => Ok(marker.reached(value)),
            None => Ok(self.timeline.value()? >= value),
        }
    }
}
