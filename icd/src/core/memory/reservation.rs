//! Reservation of the ranges of buffers, and of the images, that a command uses, in a context of several devices.
//!
//! One critical section over all buffers of the command decides which device has the bytes and notes the command's
//! use: it holds the locks of their ranges, taken in the order of addresses, and never waits. Another device that
//! needs the bytes waits for the command, recorded or not.

use super::buffer::Buffer;
use super::fetch::{Arrival, Fetch, Move};
use super::residency::Replicas;
use super::spans::{Devices, Span, Spans};
use super::usage::Usage;
use crate::cl::error::Result;
use crate::core::context::Context;
use crate::core::memory::rect::{runs, Rect};
use hekla_vk_backend as vk;
use parking_lot::MutexGuard;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// The effect of a command on a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Read,
    /// Reads the range, and writes all or parts of it.
    Modify,
    /// Overwrites all of the range.
    Overwrite,
    /// Leaves the range's contents undefined.
    Discard,
}

/// A range of a buffer that a command uses.
pub struct RangeUse<'a> {
    /// The memory on each device; `None` if the devices of the context share it.
    replicas: Option<&'a Replicas>,
    /// The range in bytes, which counts from the beginning of the whole buffer.
    range: Range<usize>,
    effect: Effect,
    /// Position in the context of the device that uses the range; `None`: the queue's device.
    device: Option<usize>,
}

impl<'a> RangeUse<'a> {
    /// Returns the use of `size` bytes at an offset that counts from the beginning of a memory object.
    pub fn new(mem: &'a Buffer, offset: usize, size: usize, effect: Effect) -> RangeUse<'a> {
        let start = mem.origin + offset;
        RangeUse::of_replicas(mem.replicas(), start..start + size, effect)
    }

    /// Returns the use of a range of memory.
    pub(super) fn of_replicas(
        replicas: Option<&'a Replicas>,
        range: Range<usize>,
        effect: Effect,
    ) -> RangeUse<'a> {
        RangeUse { replicas, range, effect, device: None }
    }

    /// Returns the use of a whole memory object.
    pub fn whole(mem: &'a Buffer, effect: Effect) -> RangeUse<'a> {
        RangeUse::new(mem, 0, mem.size, effect)
    }

    /// Returns the uses of a box in a memory object.
    pub fn rect(
        mem: &'a Buffer,
        rect: &Rect,
        effect: Effect,
    ) -> impl Iterator<Item = RangeUse<'a>> {
        let rows = runs(rect, rect);
        rows.map(move |run| RangeUse::new(mem, run.from, run.size, effect))
    }

    /// Sets the device that uses the range, if it is not the queue's.
    pub fn on(self, device: usize) -> RangeUse<'a> {
        RangeUse { device: Some(device), ..self }
    }
}

/// The use of ranges by a command that is being started. [`Reservation::ends_at`] must be called when the command is recorded;
/// if the reservation is dropped before, the use is over.
pub struct Reservation<'a> {
    usages: SmallVec<[Arc<Usage>; 2]>,
    /// The ranges that the command overwrites, each with the devices that had the current bytes before.
    overwritten: Vec<(&'a Replicas, Range<usize>, Devices)>,
    end: u64,
}

impl Reservation<'_> {
    /// Notes the timeline value at which the command, and all earlier ones of its queue, are complete.
    pub fn ends_at(&mut self, value: u64) {
        self.end = value;
    }

    /// Notes that the command was not recorded: the ranges that it would have overwritten are unchanged.
    pub fn fail(&self) {
        for (replicas, range, current) in &self.overwritten {
            let mut spans = replicas.spans.lock();
            for (_, span) in spans.within(range) {
                let is_ours = |usage| self.usages.iter().any(|own| Arc::ptr_eq(own, usage));
                if span.usages.last().is_some_and(is_ours) {
                    span.current = *current;
                }
            }
        }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.usages.iter().for_each(|usage| usage.ends_at(self.end));
    }
}

/// The locked ranges of all buffers of a command.
struct Locked<'a>(SmallVec<[(&'a Replicas, MutexGuard<'a, Spans>); 4]>);

impl<'a> Locked<'a> {
    fn new(uses: &[RangeUse<'a>]) -> Locked<'a> {
        let mut all: SmallVec<[&Replicas; 4]> =
            uses.iter().filter_map(|used| used.replicas).collect();
        all.sort_unstable_by_key(|replicas| std::ptr::from_ref(*replicas));
        all.dedup_by_key(|replicas| std::ptr::from_ref(*replicas));
        Locked(all.into_iter().map(|replicas| (replicas, replicas.spans.lock())).collect())
    }

    fn spans(&mut self, replicas: &Replicas) -> Option<&mut Spans> {
        let found = self.0.iter_mut().find(|(other, _)| std::ptr::eq(*other, replicas));
        found.map(|(_, spans)| &mut **spans)
    }
}

/// The reason why a command's bytes are not on its device.
enum Obstacle {
    /// A move that has not ended.
    Arrival(Arc<Arrival>),
    /// Moves that must be made.
    Fetch(Fetch),
}

/// Removes moves that have ended. Returns an error if a move to `device` has failed.
fn remove_ended_moves(span: &mut Span, device: usize) -> Result<()> {
    let Span { incoming, current, .. } = span;
    let mut failed = Ok(());
    incoming.retain(|(to, arrival)| match arrival.result() {
        None => true,
        Some(Ok(())) => false,
        Some(Err(error)) => {
            current.remove(*to);
            if *to == device {
                failed = Err(error);
            }
            false
        }
    });
    failed
}

/// A context, and the position in it of the device that a command runs on.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    pub context: &'a Context,
    pub device: usize,
}

impl<'a> Target<'a> {
    /// Allocates on the device the memory of all buffers and images that a command uses.
    fn place(self, uses: &[RangeUse<'a>]) -> Result<()> {
        uses.iter().try_for_each(|used| {
            let device = used.device.unwrap_or(self.device);
            used.replicas.map_or(Ok(()), |memory| memory.memory(self.context, device).map(drop))
        })
    }

    /// Returns the reason why the command's bytes are not on its device; `None` if they are. Notes the moves that must be made
    /// as begun.
    fn obstacle(self, locked: &mut Locked<'a>, uses: &[RangeUse<'a>]) -> Result<Option<Obstacle>> {
        let mut fetch = Fetch::default();
        for used in uses {
            let device = used.device.unwrap_or(self.device);
            let Some(replicas) = used.replicas else { continue };
            let Some(spans) = locked.spans(replicas) else { continue };
            for (range, span) in spans.within(&used.range) {
                let ended = remove_ended_moves(span, device);
                let arriving =
                    |to: usize| span.incoming.iter().find(|(other, _)| *other == to).map(|i| &i.1);
                let own = arriving(device);
                if own.is_some_and(|arrival| Arc::ptr_eq(arrival, &fetch.arrival)) {
                    continue;
                }
                let reads = matches!(used.effect, Effect::Read | Effect::Modify);
                let missing = reads && !span.current.has(device) && !span.current.is_empty();
                let source = span.current.iter().find(|device| arriving(*device).is_none());
                // If all devices with the current bytes are still receiving them, the command waits for one of these moves.
                let awaited = match (own, source, missing) {
                    (Some(arrival), ..) => Some(arrival),
                    (None, None, true) => span.current.iter().find_map(arriving),
                    _ => None,
                };
                if let Some(arrival) = awaited.cloned() {
                    if fetch.moves.is_empty() {
                        return Ok(Some(Obstacle::Arrival(arrival)));
                    }
                    // This range is checked again when the moves found so far have ended.
                    continue;
                }
                ended?;
                if let Some(source) = source.filter(|_| missing) {
                    fetch.add((replicas, range), span, (source, device), self.context)?;
                }
            }
        }
        Ok((!fetch.moves.is_empty()).then_some(Obstacle::Fetch(fetch)))
    }

    /// Starts to move the bytes that a command needs to the device. Returns the move to wait for before the next call; `None`
    /// if the command can be started.
    ///
    /// # Errors
    /// Errors that prevent the command from being started at all: no memory, or a move that failed.
    pub fn fetch(self, uses: &[RangeUse<'a>]) -> Result<Option<Arc<Arrival>>> {
        self.place(uses)?;
        let obstacle = self.obstacle(&mut Locked::new(uses), uses)?;
        Ok(obstacle.map(|obstacle| match obstacle {
            Obstacle::Arrival(arrival) => arrival,
            Obstacle::Fetch(fetch) => {
                let arrival = fetch.arrival.clone();
                fetch.start();
                arrival
            }
        }))
    }

    /// Reserves ranges for a command that is being started on a queue, or on the host if `queue` is `None`. Returns `None` if
    /// some of the bytes are not on the device.
    pub fn reserve_now(
        self,
        queue: Option<&Arc<vk::Queue>>,
        uses: &[RangeUse<'a>],
    ) -> Result<Option<Reservation<'a>>> {
        self.place(uses)?;
        let mut locked = Locked::new(uses);
        match self.obstacle(&mut locked, uses)? {
            None => Ok(Some(self.note(locked, queue, uses))),
            Some(Obstacle::Arrival(_)) => Ok(None),
            Some(Obstacle::Fetch(fetch)) => {
                drop(locked);
                fetch.start();
                Ok(None)
            }
        }
    }

    /// Moves missing bytes to the device, and waits for the moves.
    pub fn bring(self, uses: &[RangeUse<'a>]) -> Result<()> {
        self.fetch(uses)?.map_or(Ok(()), |arrival| arrival.wait())
    }

    /// Like [`Target::reserve_now`], but waits until the bytes are on the device.
    pub fn reserve(
        self,
        queue: Option<&Arc<vk::Queue>>,
        uses: &[RangeUse<'a>],
    ) -> Result<Reservation<'a>> {
        loop {
            if let Some(reservation) = self.reserve_now(queue, uses)? {
                return Ok(reservation);
            }
            self.bring(uses)?;
        }
    }

    /// Notes the uses of a command whose bytes are on the device.
    fn note(
        self,
        mut locked: Locked<'a>,
        queue: Option<&Arc<vk::Queue>>,
        uses: &[RangeUse<'a>],
    ) -> Reservation<'a> {
        let (usages, overwritten) = (SmallVec::new(), Vec::new());
        let mut reservation = Reservation { usages, overwritten, end: 0 };
        for used in uses {
            let device = used.device.unwrap_or(self.device);
            let Some(replicas) = used.replicas else { continue };
            let Some(spans) = locked.spans(replicas) else { continue };
            let usage = reservation.usage(device, used.effect != Effect::Read, queue);
            for (range, span) in spans.within(&used.range) {
                span.add_usage(&usage);
                match used.effect {
                    Effect::Read => {}
                    Effect::Modify => span.current = Devices::only(device),
                    Effect::Overwrite => {
                        reservation.overwritten.push((replicas, range, span.current));
                        span.current = Devices::only(device);
                    }
                    Effect::Discard => span.current = Devices::default(),
                }
            }
            spans.join(&used.range);
        }
        reservation
    }
}

impl Reservation<'_> {
    /// Returns the command's usage of a device, shared by all ranges that it uses in the same way.
    fn usage(&mut self, device: usize, writes: bool, queue: Option<&Arc<vk::Queue>>) -> Arc<Usage> {
        let known = self.usages.iter().find(|u| u.device == device && u.writes == writes);
        if let Some(usage) = known {
            return usage.clone();
        }
        let usage = Usage::new(device, writes, queue.cloned());
        self.usages.push(usage.clone());
        usage
    }
}

impl Fetch {
    /// Adds the move of a range, and notes that it has begun.
    fn add(
        &mut self,
        (replicas, range): (&Replicas, Range<usize>),
        span: &mut Span,
        (source, device): (usize, usize),
        context: &Context,
    ) -> Result<()> {
        let of = |device: usize| span.usages.iter().filter(move |u| u.device == device).cloned();
        let writers = of(source).filter(|usage| usage.writes).collect();
        let users = of(device).collect();
        let (from, to) = (replicas.place(context, source)?, replicas.place(context, device)?);
        let reading = Usage::new(source, false, None);
        span.current.insert(device);
        span.incoming.push((device, self.arrival.clone()));
        span.add_usage(&reading);
        self.reading.push(reading);
        let bounces = context.bounces.clone();
        self.moves.push(Move { from, to, bounces, range, writers, users });
        Ok(())
    }
}
