//! The steps of a sequence, for reports.

use super::span::Span;
use super::world::{Command, World};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Mutex;

/// A step of a sequence, for reports.
pub struct Line {
    text: String,
    stores: Vec<usize>,
}

/// The number of steps of all sequences, for the watchdog.
pub static STEPS: AtomicUsize = AtomicUsize::new(0);
/// The last step of any sequence.
pub static LAST: Mutex<String> = Mutex::new(String::new());

/// True if each step is printed to standard error before it is made: a process that crashes makes no report.
pub static TOLD: AtomicBool = AtomicBool::new(false);

impl World<'_> {
    /// Notes a command; returns its step.
    pub fn note(&mut self, command: &Command, queue: usize, waits: usize) -> usize {
        let mut stores: Vec<usize> = command.spans.iter().map(|span| span.store).collect();
        stores.dedup();
        let blocking = if command.blocking { ", blocking" } else { "" };
        self.operations += 1;
        self.line(format!("queue {queue}, {waits} events{blocking}: {}", command.what), stores)
    }

    /// Notes a step; returns its number.
    pub fn line(&mut self, text: String, stores: Vec<usize>) -> usize {
        if TOLD.load(Ordering::Relaxed) {
            eprintln!("{}: {text}", self.log.len());
        }
        if let Ok(mut last) = LAST.lock() {
            last.clone_from(&text);
        }
        self.log.push(Line { text, stores });
        STEPS.fetch_add(1, Ordering::Relaxed);
        self.log.len() - 1
    }

    /// Describes a failure: the step, and all steps that touched the same memory.
    pub fn report(&self, step: usize, what: &str, spans: &[Span]) -> String {
        let stores: Vec<usize> = spans.iter().map(|span| span.store).collect();
        self.report_stores(step, what, &stores)
    }

    /// Describes a failure and all steps that touched one of several stores.
    pub fn report_stores(&self, step: usize, what: &str, stores: &[usize]) -> String {
        let own = self.log.get(step).map_or("", |line| line.text.as_str());
        let mut text = format!("step {step}: {own}\n{what}\n");
        for (number, line) in self.log.iter().enumerate() {
            if line.stores.is_empty() || line.stores.iter().any(|store| stores.contains(store)) {
                text.push_str(&format!("  {number}: {}\n", line.text));
            }
        }
        text
    }
}
