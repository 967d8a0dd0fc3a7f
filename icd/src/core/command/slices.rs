//! Launches in slices. On a GPU that also draws, a dispatch of several seconds stops the display, and the driver may end it
//! (`Gpu::slice`). Work-groups run in any order (OpenCL API 3.2.1), so a launch may be cut into dispatches that take about the
//! same time.
//!
//! The time that a launch takes is not known before it has run. The first launch of a kernel runs a few of its work-groups as a
//! first slice, then a second one, and measures the second. It continues with larger and larger dispatches until they take as
//! long as a slice should; each is submitted before the one ahead of it ends, so that the device never waits. The measured rate
//! is kept for the kernel: later launches that are short at this rate run as one dispatch, at no cost.

use crate::cl::error::{fail, Result};
use crate::cl::*;
use crate::core::command::host_part::{end, hold_back, marker, on_thread};
use crate::core::command::launch::{Launch, Part, Prepared};
use crate::core::command::printout::Printout;
use crate::core::command::replay;
use crate::core::device::staging::Arena;
use crate::core::process::clock;
use crate::core::process::exit::DriverCall;
use crate::core::program::pace::Pace;
use crate::core::queue::event::Event;
use crate::core::queue::Queue;
use crate::object::Ref;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// A launch with fewer work-groups is not cut: they may all run at once, and even wait for each other.
const LEAST_GROUPS: u64 = 256;
/// The first slice has one work-item in `FIRST_PART` of the launch, and at most `FIRST_ITEMS`.
const FIRST_PART: u64 = 64;
const FIRST_ITEMS: u64 = 1 << 18;
/// The most times that a slice may exceed the work-items of the largest complete slice.
const GROWTH: u64 = 4;
/// The most slices that are submitted and not complete.
const IN_FLIGHT: usize = 2;

/// Returns true if a launch must not run as one dispatch on its queue's device, as far as its time is known.
pub fn must_slice(queue: &Queue, launch: &Launch) -> bool {
    let Some(slice) = queue.gpu.slice else { return false };
    // Contexts of several devices are excluded: memory moves between devices before a queue's command, and slices are submitted
    // by a thread.
    let (groups, items) = launch.totals();
    let is_divisible =
        groups >= LEAST_GROUPS && queue.context.gpus.len() == 1 && launch.is_divisible();
    is_divisible && !launch.pace().is_short(items, launch.values(), slice)
}

/// A launch that runs in slices.
struct Sliced {
    queue: Ref<Queue>,
    launch: Box<Launch>,
    slice: Duration,
    event: Ref<Event>,
}

/// Enqueues a launch to run in slices. Returns its event.
pub fn enqueue(
    queue: &Ref<Queue>,
    launch: Box<Launch>,
    (command_type, waits): (cl_command_type, Vec<Ref<Event>>),
) -> Result<Ref<Event>> {
    let event = Event::of_command(queue, command_type);
    // The thread begins when all that the launch is ordered behind is complete.
    let Some(begins) = queue.enqueue(marker(command_type, waits, true))? else {
        return fail(CL_OUT_OF_RESOURCES);
    };
    let slice = queue.gpu.slice.unwrap_or(Duration::MAX);
    let sliced = Sliced { queue: queue.clone(), launch, slice, event: event.clone() };
    let behind = hold_back(queue, &event);
    begins.then(move |status| {
        let event = sliced.event.clone();
        on_thread("hekla-slices", &event, status, move || sliced.run())
    });
    behind?;
    Ok(event)
}

impl Sliced {
    /// Runs the slices, and ends the command.
    fn run(self) {
        let begun = clock::now();
        let status = self.execute(begun).map_or_else(|error| error.0, |()| CL_COMPLETE);
        let Sliced { queue, launch, event, .. } = self;
        // Memory that the launch keeps is free before the application learns of the command's end.
        drop(launch);
        end(event, begun, status, queue);
    }

    fn execute(&self, begun: u64) -> Result<()> {
        let (queue, launch) = (&*self.queue, &*self.launch);
        let printer = &queue.context.printer;
        let printf = match launch.prints() {
            true => Some(printer.buffer(&queue.gpu, queue.device_index)?),
            false => None,
        };
        let call = DriverCall::begin();
        let mut upload = Arena::new(queue.gpu.upload.clone());
        let mut prepared = launch.prepare(queue, &mut upload, printf.clone(), false)?;
        prepared.keep_for_replay(queue, replay::MOST)?;
        drop(call);
        let mut slices = Slices {
            prepared: &prepared,
            queue,
            pace: launch.pace(),
            slice: self.slice,
            left: Parts::of(&prepared),
            in_flight: VecDeque::new(),
            last_end: begun,
            complete: 0,
            largest: 0,
        };
        let last = slices.run()?;
        launch.pace().remember(launch.values());
        if let Some(buffer) = printf {
            let printout = Printout::of_command(queue, last, launch.data(), buffer);
            let printout = printout.with_capture(prepared.capture());
            queue.add_completion(last, Arc::new(printout));
            queue.reached(last)?;
        }
        Ok(())
    }
}

/// A slice that was submitted.
struct InFlight {
    value: u64,
    items: u64,
    submitted: u64,
}

/// The slices of a launch that is running.
struct Slices<'a> {
    prepared: &'a Prepared<'a>,
    queue: &'a Queue,
    pace: &'a Pace,
    slice: Duration,
    left: Parts,
    in_flight: VecDeque<InFlight>,
    /// When the newest complete slice ended, on the host clock.
    last_end: u64,
    /// The number of complete slices, and the most work-items of one of them.
    complete: u32,
    largest: u64,
}

impl Slices<'_> {
    /// Runs all slices. Returns the timeline value of the last one.
    fn run(&mut self) -> Result<u64> {
        let mut last = 0;
        let first = (self.left.items / FIRST_PART).clamp(1, FIRST_ITEMS);
        while self.left.items > 0 {
            let by_pace = self.pace.get().map_or(first, |pace| pace.items_in(self.slice));
            // A rate that was measured with few work-items may be wrong for many.
            let some = by_pace.min(self.largest.max(first).saturating_mul(GROWTH));
            // The last slice takes at least half as long as the others.
            let is_rest = self.left.items <= some.saturating_mul(3) / 2 && self.complete > 0;
            let wanted = match self.complete {
                0 => first,
                _ if is_rest => self.left.items,
                _ => some,
            };
            last = self.submit(wanted, last)?;
            if self.in_flight.len() >= IN_FLIGHT {
                self.wait()?;
            }
        }
        while !self.in_flight.is_empty() {
            self.wait()?;
        }
        Ok(last)
    }

    /// Submits a slice of about `wanted` work-items, ordered behind the slice with the timeline value `behind`. Returns the
    /// timeline value of the new slice.
    fn submit(&mut self, wanted: u64, behind: u64) -> Result<u64> {
        let before = self.left.items;
        let is_first = self.complete == 0 && self.in_flight.is_empty();
        let mut parts = Vec::new();
        while self.left.items > 0 && (before - self.left.items) * 4 < wanted * 3 {
            let taken = before - self.left.items;
            parts.extend(self.left.take(wanted.saturating_sub(taken)));
        }
        let is_last = self.left.items == 0;
        let _call = DriverCall::begin();
        let submitted = clock::now();
        self.queue.gpu.clocks.note_work();
        let printer = &self.queue.context.printer;
        let ((), value) = self.queue.vk.record(|recorder| {
            recorder.after(behind);
            self.prepared.append_parts(printer, recorder, parts, [is_first, is_last]);
        });
        self.queue.vk.flush()?;
        self.in_flight.push_back(InFlight { value, items: before - self.left.items, submitted });
        Ok(value)
    }

    /// Waits for the oldest slice in flight, and measures its time.
    fn wait(&mut self) -> Result<()> {
        let Some(InFlight { value, items, submitted }) = self.in_flight.pop_front() else {
            return Ok(());
        };
        let call = DriverCall::begin();
        self.queue.vk.wait(value)?;
        drop(call);
        let (now, begun) = (clock::now(), self.last_end.max(submitted));
        self.last_end = now;
        self.complete += 1;
        self.largest = self.largest.max(items);
        tracing::debug!("a slice of {items} work-items took {} us", (now - begun) / 1000);
        // The first slice may include work that the driver does only once, so it counts only if there is no other.
        let is_only = self.in_flight.is_empty() && self.left.items == 0;
        if self.complete > 1 || is_only {
            self.pace.measured(items, now.saturating_sub(begun));
        }
        Ok(())
    }
}

/// The work-groups of a launch that are not submitted yet, in boxes.
struct Parts {
    /// The boxes in reverse order: the next box to submit is the last one.
    boxes: Vec<Part>,
    /// The number of work-items in all boxes.
    items: u64,
}

impl Parts {
    fn of(prepared: &Prepared<'_>) -> Parts {
        let mut boxes: Vec<Part> = prepared.whole().collect();
        boxes.reverse();
        let items = boxes.iter().map(Part::items).sum();
        Parts { boxes, items }
    }

    /// Takes a box of at most `most` work-items, or of one work-group.
    fn take(&mut self, most: u64) -> Option<Part> {
        let mut part = self.boxes.pop()?;
        while part.items() > most {
            let Some(d) = (0..3).rev().find(|d| part.groups[*d] > 1) else { break };
            let layer = part.items() / u64::from(part.groups[d]);
            let count = (most / layer).clamp(1, u64::from(part.groups[d]) - 1) as u32;
            let mut rest = part;
            rest.first[d] += count;
            rest.groups[d] -= count;
            self.boxes.push(rest);
            part.groups[d] = count;
        }
        self.items -= part.items();
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_cover_a_grid_once() {
        for most in [1, 64, 1000, 5000, 1 << 20] {
            let whole = Part { grid: 0, first: [0; 3], groups: [7, 5, 6], items_of_group: 64 };
            let mut parts = Parts { boxes: vec![whole], items: whole.items() };
            let mut seen = vec![0; 7 * 5 * 6];
            while let Some(Part { first, groups, .. }) = parts.take(most) {
                let count: u32 = groups.iter().product();
                assert!(count == 1 || u64::from(count) * 64 <= most);
                for z in first[2]..first[2] + groups[2] {
                    for y in first[1]..first[1] + groups[1] {
                        for x in first[0]..first[0] + groups[0] {
                            seen[((z * 5 + y) * 7 + x) as usize] += 1;
                        }
                    }
                }
            }
            assert_eq!(parts.items, 0);
            assert!(seen.iter().all(|count| *count == 1), "{most}");
        }
    }
}
