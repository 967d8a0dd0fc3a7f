//! Placement: the Vulkan queue that the batches of a queue go to.
//!
//! Each queue has a home among the Vulkan queues, so that the work of several queues overlaps. A batch that waits for one
//! on another Vulkan queue waits for a semaphore; behind one on the same Vulkan queue a barrier is enough. So where two
//! queues take turns, and nothing of theirs could overlap, the one joins the other on its Vulkan queue. It goes home when
//! it has nothing in flight, or has stayed for a while without such a wait.

use crate::record::{Batch, Wait};
use crate::sync::Timeline;
use std::sync::Arc;

/// Batches of a queue that stay on another's Vulkan queue without a wait that keeps them there.
const MAX_STAY: u32 = 16;

/// The Vulkan queues of a queue, by index. All that the queue has in flight comes before whatever is submitted to
/// `current` next.
#[derive(Default)]
pub(super) struct Placement {
    home: usize,
    current: usize,
    /// Batches begun away from home since the last wait for another queue there.
    stayed: u32,
}

/// Another queue's batch in flight that is waited for.
pub(super) struct Awaited {
    vulkan_queue: usize,
    /// True if it waits itself for all that the waiting queue has been given.
    follows: bool,
}

impl Placement {
    pub(super) fn new(home: usize) -> Placement {
        Placement { home, current: home, stayed: 0 }
    }

    pub(super) fn current(&self) -> usize {
        self.current
    }

    pub(super) fn is_home(&self) -> bool {
        self.current == self.home
    }

    /// Counts a batch that is begun away from home. Returns true if the queue has stayed long enough.
    pub(super) fn stay(&mut self) -> bool {
        self.stayed += 1;
        self.stayed > MAX_STAY
    }

    /// Returns to the queue's own Vulkan queue. What is in flight, and signals that are pending, must come before what is
    /// submitted there next.
    pub(super) fn go_home(&mut self) {
        self.current = self.home;
    }

    /// Joins a batch that the next one waits for, if all that was submitted here comes before that. Returns true if both
    /// are on one Vulkan queue then. `is_up_to_date`: this queue has been given nothing since `awaited` was found.
    pub(super) fn join(&mut self, awaited: &Awaited, is_up_to_date: bool) -> bool {
        if awaited.follows && is_up_to_date {
            self.current = awaited.vulkan_queue;
        }
        let joined = self.current == awaited.vulkan_queue;
        if joined {
            self.stayed = 0;
        }
        joined
    }
}

impl Awaited {
    /// Describes a batch for a queue with this timeline, whose newest command has the value `issued`.
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

    #[test]
    fn queues_that_take_turns_meet_and_part() {
        let mut placement = Placement::new(0);
        let awaited = |vulkan_queue, follows| Awaited { vulkan_queue, follows };
        assert!(!placement.join(&awaited(1, false), true));
        assert!(!placement.join(&awaited(1, true), false));
        assert!(placement.join(&awaited(0, false), false));
        assert!(placement.is_home());
        assert!(placement.join(&awaited(1, true), true));
        assert_eq!(placement.current(), 1);
        assert!((0..MAX_STAY).all(|_| !placement.stay()));
        assert!(placement.join(&awaited(1, false), false));
        assert!((0..MAX_STAY).all(|_| !placement.stay()));
        assert!(placement.stay());
        placement.go_home();
        assert!(placement.is_home());
    }
}
