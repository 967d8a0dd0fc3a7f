//! Fault injection: the loss of a device on demand (`HEKLA_FAULT`), to test how it is handled.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;

use crate::config::{self, Fault};

/// Counters of a physical device. All Vulkan devices that are opened on it share them, so that a fault occurs once.
#[derive(Debug, Default)]
struct Counts {
    submissions: AtomicU64,
    calls: AtomicU64,
}

/// The fault planned for a physical device.
#[derive(Debug, Clone, Default)]
pub(crate) struct FaultPlan {
    fault: Option<Fault>,
    counts: Arc<Counts>,
}

impl FaultPlan {
    pub(crate) fn from_environment() -> FaultPlan {
        FaultPlan { fault: config::fault(), ..FaultPlan::default() }
    }
}

/// The plan for one Vulkan device, and whether the device hangs.
#[derive(Debug, Default)]
pub(crate) struct FaultInjection {
    plan: FaultPlan,
    hung: AtomicBool,
}

/// The fate of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The call succeeds, and the work is submitted.
    Submitted,
    /// The work is dropped: the device seems to accept it and never completes it.
    Hangs,
    /// The call fails with VK_ERROR_DEVICE_LOST.
    DeviceLost,
}

impl FaultInjection {
    pub(crate) fn new(plan: &FaultPlan) -> FaultInjection {
        FaultInjection { plan: plan.clone(), ..FaultInjection::default() }
    }

    /// Counts a submission and returns its fate.
    pub(crate) fn next_submission(&self) -> Outcome {
        let Some(plan) = self.plan.fault else { return Outcome::Submitted };
        let this = self.plan.counts.submissions.fetch_add(1, Ordering::Relaxed) + 1;
        match plan {
            _ if self.hung.load(Ordering::Acquire) => Outcome::Hangs,
            Fault::Hang(number) | Fault::Silent(number) if this == number => {
                self.hung.store(true, Ordering::Release);
                Outcome::Hangs
            }
            Fault::Submit(number) if this == number => Outcome::DeviceLost,
            _ => Outcome::Submitted,
        }
    }

    /// Counts a call that may report a lost device. Returns true if this call is to report it.
    #[inline]
    pub(crate) fn next_call_is_lost(&self) -> bool {
        match self.plan.fault {
            Some(Fault::Call(number)) => {
                self.plan.counts.calls.fetch_add(1, Ordering::Relaxed) + 1 == number
            }
            _ => false,
        }
    }

    /// Returns true if a submission hangs: waiting then ends in the loss of the device.
    #[inline]
    pub(crate) fn hung(&self) -> bool {
        matches!(self.plan.fault, Some(Fault::Hang(_))) && self.hung.load(Ordering::Acquire)
    }

    /// Returns true if a submission hangs, and only a wait for a fence ends in the loss of the device.
    pub(crate) fn hangs_silently(&self) -> bool {
        matches!(self.plan.fault, Some(Fault::Silent(_))) && self.hung.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(fault: Option<Fault>) -> FaultPlan {
        FaultPlan { fault, ..FaultPlan::default() }
    }

    fn outcomes(plan: &FaultPlan) -> Vec<Outcome> {
        let faults = FaultInjection::new(plan);
        (0..4).map(|_| faults.next_submission()).collect()
    }

    #[test]
    fn the_planned_submission_fails() {
        use Outcome::*;
        assert_eq!(outcomes(&plan(Some(Fault::Hang(3)))), [Submitted, Submitted, Hangs, Hangs]);
        assert_eq!(
            outcomes(&plan(Some(Fault::Silent(4)))),
            [Submitted, Submitted, Submitted, Hangs]
        );
        let submit = plan(Some(Fault::Submit(2)));
        assert_eq!(outcomes(&submit), [Submitted, DeviceLost, Submitted, Submitted]);
        // The next device that is opened has no fault.
        assert_eq!(outcomes(&submit), [Submitted; 4]);
        assert_eq!(outcomes(&plan(None)), [Submitted; 4]);
    }

    #[test]
    fn the_planned_call_fails() {
        let faults = FaultInjection::new(&plan(Some(Fault::Call(3))));
        let calls: Vec<bool> = (0..5).map(|_| faults.next_call_is_lost()).collect();
        assert_eq!(calls, [false, false, true, false, false]);
    }
}
