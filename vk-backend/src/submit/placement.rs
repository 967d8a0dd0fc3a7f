//! Placement: the Vulkan queue that the batches of a queue go to.
//!
//! Each queue has a home among the Vulkan queues, so that the work of several queues overlaps. A batch that waits for a batch
//! on another Vulkan queue waits for a semaphore; behind a batch on the same Vulkan queue a barrier is enough. So where two
//! queues take turns, and none of their work could overlap, one queue joins the other on its Vulkan queue. It goes home when it
//! has nothing in flight, or has stayed for a while without such a wait.

use crate::record::{Batch, Wait};
use crate::sync::Timeline;
use std::sync::Arc;

/// Most batches for which a queue stays on another queue's Vulkan queue without a new wait for that queue.
const MAX_STAY: u32 = 16;

/// The Vulkan queues of a queue, by index. Everything that the queue has in flight is ordered before any later submission to
/// `current`.
#[derive(Default)]
pub(super) struct Placement {
    home: usize,
    current: usize,
    /// Batches begun since the queue has joined another queue on its Vulkan queue; 0 if the batch that follows the other
    /// queue's is not begun yet.
    stayed: u32,
    /// True if the next batch follows another queue's batch only by their order on `current`: the next batch must be submitted
    /// there.
    is_bound: bool,
}

/// Another queue's batch in flight, for which a queue waits.
pub(super) struct Awaited {
    vulkan_queue: usize,
    /// True if the batch itself follows everything that the waiting queue has been given.
    follows: bool,
}

impl Placement {
    pub(super) fn new(home: usize) -> Placement {
        Placement { home, current: home, ..Placement::default() }
    }

    pub(super) fn current(&self) -> usize {
        self.current
    }

    pub(super) fn home(&self) -> usize {
        self.home
    }

    /// Returns the Vulkan queue to which the next batch is submitted now.
    pub(super) fn submit(&mut self) -> usize {
        self.is_bound = false;
        self.current
    }

    /// Counts a batch that is begun. Returns true if the queue must go home for the batch: it is on another Vulkan queue, and
    /// has nothing in flight (`is_idle`) or has stayed for long enough.
    pub(super) fn must_go_home(&mut self, is_idle: bool) -> bool {
        if self.current == self.home {
            return false;
        }
        let has_just_joined = self.stayed == 0;
        self.stayed += 1;
        !has_just_joined && (is_idle || self.stayed > MAX_STAY)
    }

    /// Returns to the queue's own Vulkan queue. The next submission there must wait for everything that was submitted before.
    pub(super) fn go_home(&mut self) {
        self.current = self.home;
    }

    /// Joins the Vulkan queue of a batch that the next batch waits for, if that batch follows everything that this queue
    /// submitted, and the next batch follows no other batch on the current Vulkan queue. Returns true if both batches are on
    /// one Vulkan queue then. `is_up_to_date`: this queue has been given nothing since `awaited` was found.
    pub(super) fn join(&mut self, awaited: &Awaited, is_up_to_date: bool) -> bool {
        if awaited.follows && is_up_to_date && !self.is_bound {
            self.current = awaited.vulkan_queue;
        }
        let joined = self.current == awaited.vulkan_queue;
        if joined {
            self.stayed = 0;
            self.is_bound = true;
        }
        joined
    }
}

impl Awaited {
    /// Describes a batch to a queue that has this timeline, and whose newest command has the value `issued`.
    pub(super) fn new(batch: &Batch, timeline: &Arc<Timeline>, issued: u64) -> Awaited {
        let is_for = |wait: &Wait| Arc::ptr_eq(&wait.timeline, timeline) && wait.value >= issued;
        Awaited {
            vulkan_queue: batch.vulkan_queue,
            follows: batch.waits.iter().chain(&batch.behind).any(is_for),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn awaited(vulkan_queue: usize, follows: bool) -> Awaited {
        Awaited { vulkan_queue, follows }
    }

    #[test]
    fn a_batch_stays_behind_all_that_it_joined() {
        let mut placement = Placement::new(0);
        assert!(placement.join(&awaited(0, false), true));
        assert!(!placement.join(&awaited(1, true), true));
        assert_eq!(placement.submit(), 0);
        assert!(placement.join(&awaited(1, true), true));
        assert!(!placement.join(&awaited(2, true), true));
        assert_eq!(placement.submit(), 1);
    }

    #[test]
    fn queues_that_take_turns_meet_and_part() {
        let mut placement = Placement::new(0);
        assert!(!placement.join(&awaited(1, false), true));
        assert!(!placement.join(&awaited(1, true), false));
        assert!(placement.join(&awaited(0, false), false));
        assert!(!placement.must_go_home(true));
        placement.submit();
        assert!(placement.join(&awaited(1, true), true));
        assert_eq!((placement.home(), placement.current()), (0, 1));
        // The batch that follows the other queue's, and some batches behind it.
        assert!(!placement.must_go_home(true));
        assert!((1..MAX_STAY).all(|_| !placement.must_go_home(false)));
        placement.submit();
        assert!(placement.join(&awaited(1, false), false));
        assert!((0..MAX_STAY).all(|_| !placement.must_go_home(false)));
        assert!(placement.must_go_home(false));
        placement.submit();
        placement.go_home();
        assert_eq!(placement.current(), 0);
        assert!(placement.join(&awaited(1, true), true));
        assert!(!placement.must_go_home(true));
        assert!(placement.must_go_home(true));
    }
}
