//! The time of a compilation, stage by stage.

use std::fmt;
use std::time::{Duration, Instant};

/// The stages of [`crate::compile`], in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Preprocess,
    Parse,
    Sema,
    Lower,
    Passes,
    /// Emission of SPIR-V, including structurization.
    Emit,
    /// The release of the stages' memory, and everything outside of the stages.
    Rest,
}

impl Stage {
    pub const ALL: [Stage; 7] = [
        Stage::Preprocess,
        Stage::Parse,
        Stage::Sema,
        Stage::Lower,
        Stage::Passes,
        Stage::Emit,
        Stage::Rest,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Stage::Preprocess => "preprocess",
            Stage::Parse => "parse",
            Stage::Sema => "sema",
            Stage::Lower => "lower",
            Stage::Passes => "passes",
            Stage::Emit => "emit",
            Stage::Rest => "rest",
        }
    }
}

/// Time spent in each stage of one compilation, or of several whose times are added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timing {
    spent: [Duration; Stage::ALL.len()],
}

impl Timing {
    pub fn of(&self, stage: Stage) -> Duration {
        self.spent[stage as usize]
    }

    pub fn total(&self) -> Duration {
        self.spent.iter().sum()
    }

    /// Adds another compilation's times.
    pub fn add(&mut self, other: &Timing) {
        for (sum, spent) in self.spent.iter_mut().zip(other.spent) {
            *sum += spent;
        }
    }
}

/// `preprocess 3.1 ms (20 %), parse ...`
impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total().as_secs_f64().max(f64::MIN_POSITIVE);
        for (i, stage) in Stage::ALL.into_iter().enumerate() {
            let spent = self.of(stage).as_secs_f64();
            let comma = if i == 0 { "" } else { ", " };
            let share = 100.0 * spent / total;
            write!(f, "{comma}{} {:.2} ms ({share:.0} %)", stage.name(), spent * 1e3)?;
        }
        Ok(())
    }
}

/// Measures the stages of one compilation, each at its end.
pub(crate) struct Stopwatch {
    last: Instant,
    timing: Timing,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch { last: Instant::now(), timing: Timing::default() }
    }

    /// Adds the time since the last call, or since the start, to a stage.
    pub fn end(&mut self, stage: Stage) {
        let now = Instant::now();
        self.timing.spent[stage as usize] += now - self.last;
        self.last = now;
    }

    /// Returns the times of all stages. The time since the last stage counts as [`Stage::Rest`].
    pub fn stop(mut self) -> Timing {
        self.end(Stage::Rest);
        self.timing
    }
}
