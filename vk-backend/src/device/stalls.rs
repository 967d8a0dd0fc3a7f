//! Logs the work that a device was given when a thread has waited for the device for a long time: a hang is rare, and the
//! stacks of waiting threads do not show its cause.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;

use crate::config;

/// Work of a device that threads can wait for: a queue's.
pub(crate) trait Waited: Send + Sync {
    /// Writes the work that the device was given and has not completed, in several lines.
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Returns true if submitted work is not complete, or another thread may be about to submit work. Does not block.
    fn is_busy(&self) -> bool;
}

/// The queues of a device, and whether the log has described them.
#[derive(Default)]
pub(crate) struct Stalls {
    submissions: AtomicU64,
    told: AtomicBool,
    loss_told: AtomicBool,
    queues: Mutex<Vec<Weak<dyn Waited>>>,
}

impl Stalls {
    /// Adds a queue, which counts until it is dropped.
    pub(crate) fn add(&self, queue: Weak<dyn Waited>) {
        let mut queues = self.queues.lock();
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(queue);
    }

    /// Counts a submission of a batch, and returns its number, from 1 on.
    pub(crate) fn count_submission(&self) -> u64 {
        self.submissions.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Logs all queues of the device with this name, once, when a thread has waited for a long time. (A command that takes a
    /// long time is not a fault.)
    pub(crate) fn note_wait(&self, waited: Duration, device: &str) {
        let is_told = !tracing::enabled!(tracing::Level::WARN) || self.told.load(Ordering::Relaxed);
        if is_told || waited < config::stall() || self.told.swap(true, Ordering::Relaxed) {
            return;
        }
        let seconds = waited.as_secs();
        tracing::warn!("{device}: a thread has waited for {seconds} s. {}", self.queues());
    }

    /// Logs all queues of the device with this name, once, when the device was lost.
    pub(crate) fn note_loss(&self, device: &str) {
        let is_told = self.loss_told.load(Ordering::Relaxed);
        if is_told || self.loss_told.swap(true, Ordering::Relaxed) {
            return;
        }
        if tracing::enabled!(tracing::Level::ERROR) {
            tracing::error!("{device}: this was not complete when it was lost. {}", self.queues());
        }
    }

    /// Returns true if a queue has, or may be about to have, submitted work that is not complete.
    pub(crate) fn is_any_busy(&self) -> bool {
        self.queues().0.iter().any(|queue| queue.is_busy())
    }

    fn queues(&self) -> Queues {
        Queues(self.queues.lock().iter().filter_map(Weak::upgrade).collect())
    }
}

struct Queues(Vec<Arc<dyn Waited>>);

impl fmt::Display for Queues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Queues: {}", self.0.len())?;
        self.0.iter().try_for_each(|queue| {
            writeln!(f)?;
            queue.describe(f)
        })
    }
}
