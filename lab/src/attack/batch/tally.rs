//! The outcome of all cases together.

use std::collections::BTreeMap;
use std::time::Duration;

/// The largest number of faults of a kind that are reported one by one.
const TOLD: usize = 20;

/// The outcome of a case, as its process or its parent saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    Same,
    Accepted,
    Refused(String),
    Wrong(String),
    /// The process died in Hekla, or in an unknown place.
    Crashed(String),
    /// The process died in the Vulkan driver.
    DiedInDriver(String),
    /// The process died after other cases, some of whose changed kernels have run and may have written to any memory.
    DiedLater(String),
    /// There was no memory for a small allocation of the library's own: Rust ends the process.
    Starved(String),
    /// A changed kernel did not end.
    Endless,
    /// The process did not end.
    Hung(String),
    /// The process took too much memory.
    Grew(String),
}

impl Fate {
    /// Returns the name under which the outcome is counted.
    fn name(&self) -> &'static str {
        match self {
            Fate::Same => "as before",
            Fate::Accepted => "accepted",
            Fate::Refused(_) => "refused",
            Fate::Wrong(_) => "WRONG",
            Fate::Crashed(_) => "CRASHED",
            Fate::DiedInDriver(_) => "died in the driver",
            Fate::DiedLater(_) => "died after others' kernels",
            Fate::Starved(_) => "no memory at all",
            Fate::Endless => "endless kernels",
            Fate::Hung(_) => "HUNG",
            Fate::Grew(_) => "GREW",
        }
    }

    /// Returns the words that distinguish an outcome from others with its name.
    fn detail(&self) -> &str {
        match self {
            Fate::Refused(text)
            | Fate::Wrong(text)
            | Fate::Crashed(text)
            | Fate::DiedInDriver(text)
            | Fate::DiedLater(text)
            | Fate::Starved(text)
            | Fate::Hung(text)
            | Fate::Grew(text) => text,
            Fate::Same | Fate::Accepted | Fate::Endless => "",
        }
    }

    /// Returns true if the library did not hold.
    pub fn is_fault(&self) -> bool {
        matches!(self, Fate::Wrong(_) | Fate::Crashed(_) | Fate::Hung(_) | Fate::Grew(_))
    }
}

/// All fates.
#[derive(Debug, Default)]
pub struct Tally {
    counts: BTreeMap<&'static str, u64>,
    /// The number of refusals by their codes.
    codes: BTreeMap<String, u64>,
    told: BTreeMap<&'static str, usize>,
    faults: u64,
    slowest: (Duration, u64),
}

impl Tally {
    /// Counts a case, and reports it at once if somebody has to look at it.
    pub fn add(&mut self, kind: &str, seed: u64, fate: &Fate, took: Duration) {
        *self.counts.entry(fate.name()).or_default() += 1;
        self.faults += u64::from(fate.is_fault());
        self.slowest = self.slowest.max((took, seed));
        match fate {
            Fate::Refused(code) => *self.codes.entry(code.clone()).or_default() += 1,
            Fate::Same | Fate::Accepted => {}
            _ => {
                let told = self.told.entry(fate.name()).or_default();
                *told += 1;
                if *told <= TOLD {
                    println!("{kind} --seed {seed} --count 1: {}: {}", fate.name(), fate.detail());
                }
            }
        }
    }

    /// Returns the number of cases.
    pub fn cases(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns how often the library did not hold.
    pub fn faults(&self) -> u64 {
        self.faults
    }

    /// Returns how many processes ended by a fault of the library.
    pub fn ended(&self) -> u64 {
        ["CRASHED", "HUNG", "GREW"].iter().filter_map(|name| self.counts.get(name)).sum()
    }

    /// Returns all counts in one line, and the codes of refusals in another.
    pub fn summary(&self, kind: &str) -> String {
        let list = |counts: Vec<String>| counts.join(", ");
        let counts = self.counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let codes = self.codes.iter().map(|(code, count)| format!("{code} {count}")).collect();
        let (slowest, seed) = self.slowest;
        format!(
            "{kind}: {} cases: {}; slowest {:.1} s (seed {seed})\n{kind}: refused by: {}",
            self.cases(),
            list(counts),
            slowest.as_secs_f64(),
            list(codes)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_from_what_may_be() {
        let mut tally = Tally::default();
        let all = [
            Fate::Same,
            Fate::Refused("CL_INVALID_BINARY".into()),
            Fate::DiedInDriver("x".into()),
            Fate::Endless,
            Fate::Crashed("y".into()),
        ];
        for (seed, fate) in all.iter().enumerate() {
            tally.add("test", seed as u64, fate, Duration::from_secs(seed as u64));
        }
        assert_eq!((tally.cases(), tally.faults()), (5, 1));
        let summary = tally.summary("test");
        assert!(summary.contains("CRASHED 1") && summary.contains("CL_INVALID_BINARY 1"));
        assert!(summary.contains("slowest 4.0 s (seed 4)"), "{summary}");
    }
}
