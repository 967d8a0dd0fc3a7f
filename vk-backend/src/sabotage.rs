//! `HEKLA_FAULT`: the loss of a device on demand, to test what is done about it.
//!
//! `hang:N`: the N-th batch never ends, and the watchdog of the system's driver, which waiting for it
//! meets, ends the device instead. `submit:N`: the N-th submission finds the device gone. Counted
//! from 1 for each device, its probing included. `defect`: nothing is lost, but the driver is found to end
//! long loops early.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Whether a driver is to be found defective: `HEKLA_FAULT=defect`.
pub(crate) fn wants_defect() -> bool {
    std::env::var("HEKLA_FAULT").is_ok_and(|text| text == "defect")
}

/// What is to go wrong with a device, and what did.
#[derive(Debug, Default)]
pub(crate) struct Sabotage {
    plan: Option<(Kind, u64)>,
    submissions: AtomicU64,
    hangs: AtomicBool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Hang,
    Submit,
}

/// What becomes of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The device gets it.
    Done,
    /// The device takes it and never comes back.
    Hangs,
    /// VK_ERROR_DEVICE_LOST.
    Lost,
}

impl Sabotage {
    /// As the environment asks.
    pub(crate) fn wanted() -> Sabotage {
        let plan = std::env::var("HEKLA_FAULT").ok().and_then(|text| parse(&text));
        Sabotage { plan, ..Sabotage::default() }
    }

    /// To be asked before each submission.
    pub(crate) fn submission(&self) -> Fate {
        let Some((kind, number)) = self.plan else { return Fate::Done };
        let this = self.submissions.fetch_add(1, Ordering::Relaxed) + 1;
        match kind {
            _ if self.hangs() => Fate::Hangs,
            Kind::Hang if this == number => {
                self.hangs.store(true, Ordering::Release);
                Fate::Hangs
            }
            Kind::Submit if this >= number => Fate::Lost,
            _ => Fate::Done,
        }
    }

    /// Whether a batch hangs, so that waiting ends in the loss of the device.
    #[inline]
    pub(crate) fn hangs(&self) -> bool {
        self.plan.is_some() && self.hangs.load(Ordering::Acquire)
    }
}

fn parse(text: &str) -> Option<(Kind, u64)> {
    let (kind, number) = text.split_once(':')?;
    let kind = match kind {
        "hang" => Kind::Hang,
        "submit" => Kind::Submit,
        _ => return None,
    };
    Some((kind, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates(text: &str) -> Vec<Fate> {
        let sabotage = Sabotage { plan: parse(text), ..Sabotage::default() };
        (0..4).map(|_| sabotage.submission()).collect()
    }

    #[test]
    fn the_wished_submission_fails() {
        use Fate::*;
        assert_eq!(fates("hang:3"), [Done, Done, Hangs, Hangs]);
        assert_eq!(fates("submit:2"), [Done, Lost, Lost, Lost]);
        for nothing in ["", "hang", "hang:x", "other:1"] {
            assert_eq!(fates(nothing), [Done; 4]);
        }
    }
}
