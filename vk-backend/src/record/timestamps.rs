//! The times of commands, by the device's clock.

use once_cell::sync::OnceCell;

/// When a command began and ended, in nanoseconds of the device's clock
/// (see [`crate::Device::correlate_clocks`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamps {
    /// When the command began: everything that it was ordered behind had ended.
    pub begin_ns: u64,
    /// When the command ended.
    pub end_ns: u64,
}

/// A slot for a command's [`Timestamps`], which is filled once the queue has noticed its completion.
#[derive(Debug, Default)]
pub struct CommandTimes(OnceCell<Timestamps>);

impl CommandTimes {
    /// Returns the times; `None` until the queue has noticed completion (by [`crate::Queue::wait`],
    /// [`crate::Queue::completed`], [`crate::Queue::timestamps`] or recording further commands).
    pub fn get(&self) -> Option<Timestamps> {
        self.0.get().copied()
    }

    /// Fills the slot; only the first call has an effect.
    pub(super) fn set(&self, times: Timestamps) {
        let _ = self.0.set(times);
    }
}
