//! Priorities of queues: which of a device's Vulkan queues serve which.

use std::ops::Range;

/// How urgent the work of a queue is. A hint: what it is worth is for the driver to say (Vulkan
/// specification, 5.3.4), and it is worth nothing where the device has a single Vulkan queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Priority {
    /// Less than others.
    Low,
    /// As usual.
    #[default]
    Medium,
    /// More than others.
    High,
}

/// Vulkan's priorities for `count` queues: medium ones first, then, as far as there are enough, one of
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

/// Which of `count` queues serve a priority.
pub(crate) fn serving(priority: Priority, count: usize) -> Range<usize> {
    match (priority, count) {
        (_, ..=1) => 0..count,
        (Priority::High, 2) => 1..2,
        (_, 2) => 0..1,
        (Priority::High, _) => count - 2..count - 1,
        (Priority::Low, _) => count - 1..count,
        (Priority::Medium, _) => 0..count - 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_shared_out() {
        assert_eq!(of_queues(1), [0.5]);
        assert_eq!(of_queues(2), [0.5, 1.0]);
        assert_eq!(of_queues(3), [0.5, 1.0, 0.0]);
        assert_eq!(of_queues(6), [0.5, 0.5, 0.5, 0.5, 1.0, 0.0]);
        for count in 1..8 {
            for priority in [Priority::Low, Priority::Medium, Priority::High] {
                let queues = serving(priority, count);
                assert!(!queues.is_empty() && queues.end <= count);
            }
        }
    }
}
