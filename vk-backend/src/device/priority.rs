//! Priorities of queues, and the Vulkan queues that serve each.

use std::ops::Range;

/// The priority of a queue: a hint to the driver (Vulkan specification, 5.3.4), without effect where the device
/// has no more than four Vulkan queues. NVIDIA's driver 580 ignores it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Priority {
    /// Lower than the other priorities.
    Low,
    /// The default.
    #[default]
    Medium,
    /// Higher than the other priorities.
    High,
}

/// Returns Vulkan's priorities for `count` queues: all medium, or, with more than four queues, medium ones first, then one of
/// high and one of low priority.
pub(crate) fn of_queues(count: usize) -> Vec<f32> {
    let mut values = vec![0.5; count];
    for (priority, value) in [(Priority::Low, 0.0), (Priority::High, 1.0)] {
        let queues = serving(priority, count);
        if queues != serving(Priority::Medium, count) {
            values[queues].fill(value);
        }
    }
    values
}

/// Returns the range of the queues, out of `count`, that serve a priority.
pub(crate) fn serving(priority: Priority, count: usize) -> Range<usize> {
    match (priority, count) {
        (_, ..=4) => 0..count,
        (Priority::High, _) => count - 2..count - 1,
        (Priority::Low, _) => count - 1..count,
        (Priority::Medium, _) => 0..count - 2,
    }
}

/// Chooses the Vulkan queue with the fewest users among those that serve a priority, and adds a user to it.
pub(crate) fn take(priority: Priority, users: &mut [usize]) -> usize {
    let chosen = serving(priority, users.len()).min_by_key(|queue| users[*queue]).unwrap_or(0);
    users[chosen] += 1;
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_share_none_while_another_is_free() {
        let mut users = [0; 6];
        let medium: Vec<_> = (0..4).map(|_| take(Priority::Medium, &mut users)).collect();
        assert_eq!(medium, [0, 1, 2, 3]);
        assert_eq!(take(Priority::High, &mut users), 4);
        assert_eq!(take(Priority::Medium, &mut users), 0);
        // The users of two queues leave.
        users[2] -= 1;
        users[0] -= 2;
        assert_eq!(take(Priority::Medium, &mut users), 0);
        assert_eq!(take(Priority::Medium, &mut users), 2);
        assert_eq!(take(Priority::High, &mut users), 4);
        assert_eq!(users, [1, 1, 1, 1, 2, 0]);
        assert_eq!(take(Priority::Low, &mut [3]), 0);
    }

    #[test]
    fn queues_are_shared_out() {
        assert_eq!(of_queues(1), [0.5]);
        assert_eq!(of_queues(4), [0.5; 4]);
        assert_eq!(of_queues(5), [0.5, 0.5, 0.5, 1.0, 0.0]);
        assert_eq!(of_queues(6), [0.5, 0.5, 0.5, 0.5, 1.0, 0.0]);
        for count in 1..8 {
            for priority in [Priority::Low, Priority::Medium, Priority::High] {
                let queues = serving(priority, count);
                assert!(!queues.is_empty() && queues.end <= count);
            }
        }
    }
}
