//! The order of commands that kernels enqueue: which ones may run, when they are complete, and what their events report.
//!
//! A command is complete when it has run and everything that its kernel enqueued is complete (OpenCL API 5.11); only then does
//! its event end. Commands run in generations: all commands that may run do so together, and when all of them have run, the
//! commands that they enqueued are considered.

use crate::cl::{cl_int, CL_COMPLETE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST};
use hekla_compiler::device_queue::{Block, Command, Record};
use std::collections::BTreeMap;

/// The number of a launch, which its context holds; the application's own launch is [`ROOT`].
pub type Number = u32;
pub const ROOT: Number = 0;

/// Times of a command on the host clock, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    pub start: u64,
    pub end: u64,
    /// When the command and everything that it enqueued was complete.
    pub complete: u64,
}

impl Times {
    /// Returns what `capture_event_profiling_info` gives: nanoseconds from START to END, and from START to COMPLETE.
    pub fn bytes(self) -> [u8; 16] {
        let [run, all] = [self.end, self.complete].map(|end| end.saturating_sub(self.start));
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&run.to_le_bytes());
        bytes[8..].copy_from_slice(&all.to_le_bytes());
        bytes
    }
}

/// A command that is not complete.
struct Pending {
    /// The launch that enqueued it.
    parent: Number,
    /// The handle of its event; 0 for none.
    event: u32,
    /// The number of commands that this command enqueued and that are not complete.
    children: u32,
    has_run: bool,
    status: cl_int,
    times: Option<(u64, u64)>,
}

/// The state of an event.
#[derive(Debug, Clone, Copy)]
struct EventState {
    status: cl_int,
    times: Option<Times>,
}

/// A command that waits for events.
struct Waiting {
    number: Number,
    waits: Vec<u32>,
    /// `None` for a marker.
    block: Option<Block>,
}

/// A block that may run.
pub struct Ready {
    pub number: Number,
    pub block: Block,
}

/// The commands that a launch of the application has led to, and the launch itself.
#[derive(Default)]
pub struct Schedule {
    last: Number,
    pending: BTreeMap<Number, Pending>,
    waiting: Vec<Waiting>,
    /// The events that have ended, of commands and of users, by their handles.
    events: BTreeMap<u32, EventState>,
    /// The commands that are not complete, by the handles of their events.
    open: BTreeMap<u32, Number>,
    /// Events whose times kernels asked for, with the device addresses where the times are to be written.
    profiles: Vec<(u32, u64)>,
    /// The events of commands that have become complete since the last call of [`Schedule::timed`], with their times.
    timed: Vec<(u32, Times)>,
}

impl Schedule {
    /// Adds the commands that the launches of the last generation enqueued.
    pub fn add(&mut self, records: Vec<Record>) {
        for Record { command, launch, event, waits } in records {
            let block = match command {
                Command::Kernel(block) => Some(block),
                Command::Marker => None,
                Command::Profile(address) => {
                    self.profiles.push((event, address));
                    continue;
                }
            };
            self.last += 1;
            let number = self.last;
            if let Some(parent) = self.pending.get_mut(&launch) {
                parent.children += 1;
            }
            if event != 0 {
                self.open.insert(event, number);
            }
            let pending = Pending {
                parent: launch,
                event,
                children: 0,
                has_run: false,
                status: CL_COMPLETE,
                times: None,
            };
            self.pending.insert(number, pending);
            self.waiting.push(Waiting { number, waits, block });
        }
    }

    /// Notes the status that a kernel gave a user event.
    pub fn set_status(&mut self, event: u32, status: cl_int) {
        if !self.open.contains_key(&event) {
            self.events.entry(event).or_insert(EventState { status, times: None });
        }
    }

    /// Forgets an event, so that its number may be used again. Returns false if the event is still needed.
    pub fn forget(&mut self, event: u32) -> bool {
        let is_needed = self.open.contains_key(&event)
            || self.waiting.iter().any(|waiting| waiting.waits.contains(&event))
            || self.profiles.iter().any(|(of, _)| *of == event);
        if !is_needed {
            self.events.remove(&event);
        }
        !is_needed
    }

    /// Notes that a command has run, or failed, with a status.
    pub fn has_run(&mut self, number: Number, status: cl_int, times: Option<(u64, u64)>, now: u64) {
        if let Some(pending) = self.pending.get_mut(&number) {
            (pending.has_run, pending.status, pending.times) = (true, status, times);
        }
        self.complete(number, now);
    }

    /// Completes a command and, in turn, those that waited for it to be complete.
    fn complete(&mut self, mut number: Number, now: u64) {
        while let Some(pending) = self.pending.get(&number) {
            if !pending.has_run || pending.children > 0 {
                return;
            }
            let times =
                pending.times.map(|(start, end)| Times { start, end, complete: now.max(end) });
            let (event, status, parent) = (pending.event, pending.status, pending.parent);
            self.pending.remove(&number);
            if event != 0 {
                self.open.remove(&event);
                self.timed.extend(times.map(|times| (event, times)));
                self.events.insert(event, EventState { status, times });
            }
            if let Some(parent) = self.pending.get_mut(&parent) {
                parent.children -= 1;
            }
            number = parent;
        }
    }

    /// Returns the blocks that may run now. Markers, and commands that wait for an event that failed, are completed at once.
    pub fn ready(&mut self, now: u64) -> Vec<Ready> {
        let mut ready = Vec::new();
        loop {
            let waiting = std::mem::take(&mut self.waiting);
            let (mut waits_on, mut ended) = (Vec::new(), false);
            for Waiting { number, waits, block } in waiting {
                match (self.outcome(&waits), block) {
                    (None, block) => waits_on.push(Waiting { number, waits, block }),
                    (Some(CL_COMPLETE), Some(block)) => ready.push(Ready { number, block }),
                    (Some(status), _) => {
                        ended = true;
                        self.has_run(number, status, Some((now, now)), now);
                    }
                }
            }
            self.waiting = waits_on;
            if !ended {
                return ready;
            }
        }
    }

    /// Returns the combined status of events; `None` while some have not ended.
    fn outcome(&self, waits: &[u32]) -> Option<cl_int> {
        let mut outcome = CL_COMPLETE;
        for event in waits {
            // An unknown event never ends.
            if self.events.get(event)?.status < 0 {
                outcome = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            }
        }
        Some(outcome)
    }

    /// Fails the commands that wait for events that will never end. Returns the number of these commands.
    pub fn abandon(&mut self, now: u64) -> usize {
        let waiting = std::mem::take(&mut self.waiting);
        for Waiting { number, .. } in &waiting {
            let status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            self.has_run(*number, status, None, now);
        }
        waiting.len()
    }

    /// Returns the times of events of commands that are complete since the last call.
    pub fn timed(&mut self) -> Vec<(u32, Times)> {
        std::mem::take(&mut self.timed)
    }

    /// Returns the times that kernels asked for, as far as they are known, with the device addresses where they are to be
    /// written.
    pub fn profiles(&mut self) -> Vec<(u64, Times)> {
        let events = &self.events;
        let mut known = Vec::new();
        self.profiles.retain(|(event, address)| match events.get(event) {
            Some(EventState { times, .. }) => {
                known.extend(times.map(|times| (*address, times)));
                false
            }
            None => true,
        });
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(kernel: u32) -> Command {
        Command::Kernel(Block {
            kernel,
            captured: Vec::new(),
            locals: Vec::new(),
            dimensions: 1,
            offset: [0; 3],
            global: [1; 3],
            local: [0; 3],
        })
    }

    fn record(command: Command, launch: Number, event: u32, waits: &[u32]) -> Record {
        Record { command, launch, event, waits: waits.to_vec() }
    }

    fn kernels(ready: &[Ready]) -> Vec<u32> {
        ready.iter().map(|ready| ready.block.kernel).collect()
    }

    #[test]
    fn a_command_runs_behind_the_events_that_it_waits_for() {
        let mut schedule = Schedule::default();
        schedule.add(vec![
            record(block(10), ROOT, 0, &[1, 2]),
            record(block(11), ROOT, 1, &[]),
            record(Command::Marker, ROOT, 2, &[1]),
        ]);
        let first = schedule.ready(0);
        assert_eq!(kernels(&first), [11]);
        schedule.has_run(first[0].number, CL_COMPLETE, Some((3, 4)), 5);
        assert_eq!(kernels(&schedule.ready(6)), [10]);
    }

    #[test]
    fn an_event_is_complete_when_what_its_kernel_enqueued_is() {
        let mut schedule = Schedule::default();
        schedule.add(vec![record(block(10), ROOT, 1, &[]), record(block(11), ROOT, 0, &[1])]);
        schedule.add(vec![record(Command::Profile(0x1000), ROOT, 1, &[])]);
        let first = schedule.ready(0);
        let parent = first[0].number;
        schedule.add(vec![record(block(12), parent, 0, &[])]);
        schedule.has_run(parent, CL_COMPLETE, Some((3, 4)), 5);
        assert!(!schedule.forget(1));
        let second = schedule.ready(6);
        assert_eq!(kernels(&second), [12]);
        assert!(schedule.profiles().is_empty());
        schedule.has_run(second[0].number, CL_COMPLETE, None, 9);
        assert_eq!(kernels(&schedule.ready(9)), [11]);
        assert_eq!(schedule.profiles(), [(0x1000, Times { start: 3, end: 4, complete: 9 })]);
        assert!(schedule.forget(1));
    }

    #[test]
    fn what_waits_for_a_failure_fails_and_what_waits_for_nothing_is_abandoned() {
        let mut schedule = Schedule::default();
        schedule.add(vec![
            record(block(10), ROOT, 2, &[1]),
            record(block(11), ROOT, 3, &[2]),
            record(block(12), ROOT, 0, &[9]),
        ]);
        assert!(schedule.ready(0).is_empty());
        schedule.set_status(1, -5);
        assert!(schedule.ready(0).is_empty());
        assert_eq!(schedule.outcome(&[2]), Some(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
        assert_eq!(schedule.outcome(&[3]), Some(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
        assert_eq!(schedule.abandon(0), 1);
        assert!(schedule.pending.is_empty());
    }
}
