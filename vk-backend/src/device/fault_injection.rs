//! Fault injection: the loss of a device on demand (`HEKLA_FAULT`), to test how it is handled.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::config::{self, Fault};

/// The fault planned for a device, and whether it has happened.
#[derive(Debug, Default)]
pub(crate) struct FaultInjection {
    plan: Option<Fault>,
    submissions: AtomicU64,
    hung: AtomicBool,
}

/// The fate of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is submitted.
    Submitted,
    /// It is dropped: the device seems to accept it and never completes it.
    Hangs,
    /// It fails with VK_ERROR_DEVICE_LOST.
    DeviceLost,
}

impl FaultInjection {
    pub(crate) fn from_environment() -> FaultInjection {
        FaultInjection { plan: config::fault(), ..FaultInjection::default() }
    }

    /// Counts a submission and returns its fate.
    pub(crate) fn next_submission(&self) -> Outcome {
        let Some(plan) = self.plan else { return Outcome::Submitted };
        let this = self.submissions.fetch_add(1, Ordering::Relaxed) + 1;
        match plan {
            _ if self.hung() => Outcome::Hangs,
            Fault::Hang(number) if this == number => {
                self.hung.store(true, Ordering::Release);
                Outcome::Hangs
            }
            Fault::Submit(number) if this >= number => Outcome::DeviceLost,
            _ => Outcome::Submitted,
        }
    }

    /// Returns true if a submission hangs: waiting then ends in the loss of the device.
    #[inline]
    pub(crate) fn hung(&self) -> bool {
        self.plan.is_some() && self.hung.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(plan: Option<Fault>) -> Vec<Outcome> {
        let faults = FaultInjection { plan, ..FaultInjection::default() };
        (0..4).map(|_| faults.next_submission()).collect()
    }

    #[test]
    fn the_planned_submission_fails() {
        use Outcome::*;
        assert_eq!(outcomes(Some(Fault::Hang(3))), [Submitted, Submitted, Hangs, Hangs]);
        assert_eq!(
            outcomes(Some(Fault::Submit(2))),
            [Submitted, DeviceLost, DeviceLost, DeviceLost]
        );
        assert_eq!(outcomes(None), [Submitted; 4]);
    }
}
