//! Decides which batches must make their results visible to the host.
//!
//! A batch that ends without a barrier to the host stage leaves its results invisible to the host until a later barrier. These
//! counters, one set for each device, show when a batch needs the barrier itself.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Shared counters of a device.
pub(crate) struct HostVisibility {
    /// The number of buffers that the host reads and whose addresses kernels may have; one more for unified memory.
    reachable: AtomicUsize,
    /// The number of complete batches of all queues that did not make their results visible to the host.
    deferred: AtomicU64,
}

impl HostVisibility {
    /// Makes the counters. `unified`: the host reads the memory that kernels work on.
    pub(crate) fn new(unified: bool) -> HostVisibility {
        HostVisibility {
            reachable: AtomicUsize::new(usize::from(unified)),
            deferred: AtomicU64::new(0),
        }
    }

    /// Treats unified memory like a discrete device's.
    pub(crate) fn pretend_discrete(&self) {
        self.reachable.store(0, Ordering::Release);
    }

    /// Counts a buffer that the host reads and whose address kernels may have from now on.
    pub(crate) fn add_reachable_buffer(&self) {
        self.reachable.fetch_add(1, Ordering::AcqRel);
    }

    /// Stops counting a buffer that the host reads and whose address kernels may have.
    // `fetch_update` is renamed in Rust 1.95, and older versions do not have the new name.
    #[allow(deprecated)]
    pub(crate) fn remove_reachable_buffer(&self) {
        let less = |count: usize| count.checked_sub(1);
        let _ = self.reachable.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
    }

    /// Returns true if every batch must make its results visible to the host, since kernels may write to
    /// memory that the host reads.
    pub(crate) fn needed_by_every_batch(&self) -> bool {
        self.reachable.load(Ordering::Acquire) > 0
    }

    /// Counts a complete batch whose results are not visible to the host.
    pub(crate) fn count_deferred(&self) {
        self.deferred.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns the number of complete batches whose results are not visible to the host.
    pub(crate) fn deferred(&self) -> u64 {
        self.deferred.load(Ordering::Acquire)
    }
}
