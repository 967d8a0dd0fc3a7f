//! Pending writes: writes to the application's memory that commands have still to do.

use crate::cl::error::Result;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The addresses `[start, end)` of each write, by the write's number.
#[derive(Default)]
struct Pending {
    ranges: BTreeMap<u64, (usize, usize)>,
    next: u64,
}

/// The pending writes of a context.
#[derive(Default)]
pub struct HostWrites(Arc<Mutex<Pending>>);

/// A pending write. It is pending until the last holder (the command, or the host's part of it) drops it.
pub struct HostWrite {
    pending: Arc<Mutex<Pending>>,
    number: u64,
    cancelled: Mutex<bool>,
}

impl HostWrites {
    /// Notes a write to addresses `[start, end)`.
    pub fn add(&self, start: usize, end: usize) -> Arc<HostWrite> {
        let mut pending = self.0.lock();
        let number = pending.next;
        pending.next += 1;
        pending.ranges.insert(number, (start, end));
        Arc::new(HostWrite { pending: self.0.clone(), number, cancelled: Mutex::new(false) })
    }

    /// Returns true if a command may still write to `[start, end)`.
    pub fn reach(&self, start: usize, end: usize) -> bool {
        self.0.lock().ranges.values().any(|range| range.0 < end && start < range.1)
    }
}

impl HostWrite {
    /// Prevents the write if it has not happened yet: the command has failed, and the application knows.
    pub fn cancel(&self) {
        *self.cancelled.lock() = true;
    }

    /// Runs the write, unless the command has failed.
    pub fn unless_cancelled(&self, write: impl FnOnce() -> Result<()>) -> Result<()> {
        let cancelled = self.cancelled.lock();
        if *cancelled {
            return Ok(());
        }
        write()
    }
}

impl Drop for HostWrite {
    fn drop(&mut self) {
        self.pending.lock().ranges.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_pending_while_somebody_holds_them() {
        let writes = HostWrites::default();
        let (one, two) = (writes.add(10, 20), writes.add(30, 40));
        assert!(writes.reach(19, 20) && writes.reach(0, 100) && !writes.reach(20, 30));
        let held = one.clone();
        drop((one, two));
        assert!(writes.reach(10, 11) && !writes.reach(30, 40));
        held.cancel();
        held.unless_cancelled(|| panic!("it is cancelled")).unwrap();
        drop(held);
        assert!(!writes.reach(0, usize::MAX));
    }
}
