//! Comparisons of results with the model: at once, or when a command is complete.

use super::api::Result;
use super::event::Event;
use super::host::HostMemory;
use super::span::Span;
use super::world::{Enqueued, World};
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Host memory that must have these bytes when a command is complete.
pub struct Check {
    event: Option<Arc<Event>>,
    memory: HostMemory,
    expected: Vec<u8>,
    step: usize,
    what: String,
    stores: Vec<usize>,
}

impl World<'_> {
    /// Remembers the bytes that host memory must have at a command's end.
    pub fn check_later(
        &mut self,
        enqueued: &Enqueued,
        memory: HostMemory,
        expected: Vec<u8>,
        what: &str,
        stores: Vec<usize>,
    ) {
        let (event, step) = (enqueued.event.clone(), enqueued.step);
        self.checks.push(Check { event, memory, expected, step, what: what.to_string(), stores });
    }

    /// Picks a check; if it has an event, waits for the event and makes the check.
    pub fn settle_one(&mut self) -> Result<()> {
        if self.checks.is_empty() {
            return Ok(());
        }
        let index = self.random.below(self.checks.len());
        if let Some(event) = self.checks[index].event.clone() {
            self.complete_users()?;
            event.wait()?;
            let check = self.checks.swap_remove(index);
            self.make_check(check)?;
        }
        Ok(())
    }

    /// Makes the check that was added last, whose command was blocking.
    pub fn settle_last(&mut self) -> Result<()> {
        self.checks.pop().map_or(Ok(()), |check| self.make_check(check))
    }

    /// Compares the memory of a command that is complete.
    pub fn make_check(&mut self, check: Check) -> Result<()> {
        let (found, start) = check.memory.all();
        match first_difference(&found, &check.expected) {
            None => Ok(()),
            Some(at) => {
                let text = describe(&found, &check.expected, at, start);
                Err(self.report_stores(
                    check.step,
                    &format!("{}: {text}", check.what),
                    &check.stores,
                ))
            }
        }
    }

    /// Waits for the callbacks of events, which may come a little later than the events' ends.
    pub fn check_calls(&self) -> Result<()> {
        let start = Instant::now();
        while self.counter.load(Ordering::SeqCst) != self.counted {
            if start.elapsed() > Duration::from_secs(20) {
                let made = self.counter.load(Ordering::SeqCst);
                return Err(format!("{made} calls of events in place of {}", self.counted));
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        Ok(())
    }

    /// Compares bytes with the expected ones; an error has the steps that led to them.
    pub fn compare(&self, found: &[u8], expected: &[u8], what: &str, spans: &[Span]) -> Result<()> {
        match first_difference(found, expected) {
            None => Ok(()),
            Some(at) => {
                let text = describe(found, expected, at, 0);
                Err(self.report(
                    self.log.len().saturating_sub(1),
                    &format!("{what}: {text}"),
                    spans,
                ))
            }
        }
    }
}

fn first_difference(found: &[u8], expected: &[u8]) -> Option<usize> {
    if found == expected {
        return None;
    }
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    Some(differs.unwrap_or(found.len().min(expected.len())))
}

/// Describes where bytes differ, counted from `start`.
fn describe(found: &[u8], expected: &[u8], at: usize, start: usize) -> String {
    let end = found.len().min(at + 16);
    let is_wrong = |at: &usize| found.get(*at) != expected.get(*at);
    let wrong: Vec<usize> = (0..found.len()).filter(is_wrong).collect();
    let last = wrong.last().map_or(0, |last| *last as i64 - start as i64);
    format!(
        "{} bytes of {} are wrong, the last at {last}, the first at {}: {:02x?} in place of {:02x?}",
        wrong.len(),
        found.len(),
        at as i64 - start as i64,
        &found[at..end],
        &expected[at..end.min(expected.len())]
    )
}
