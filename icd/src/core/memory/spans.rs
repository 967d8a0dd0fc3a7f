//! The ranges of a buffer in a context of several devices: which devices have a range's current bytes, which
//! commands use it, and which moves have not ended.

use super::fetch::Arrival;
use super::usage::Usage;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Number of spans from which on neighbours are joined even if different commands use them.
const MANY: usize = 256;
/// The most devices that a [`Devices`] can hold.
pub const MAX_DEVICES: usize = u64::BITS as usize;

/// A set of devices, by their positions in the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Devices(u64);

impl Devices {
    /// Returns the set of one device.
    pub fn only(device: usize) -> Devices {
        Devices(1 << device)
    }

    pub fn has(self, device: usize) -> bool {
        self.0 & 1 << device != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn insert(&mut self, device: usize) {
        self.0 |= 1 << device;
    }

    pub fn remove(&mut self, device: usize) {
        self.0 &= !(1 << device);
    }

    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..MAX_DEVICES).filter(move |device| self.has(*device))
    }
}

/// The state of a range.
#[derive(Clone, Default)]
pub struct Span {
    /// The devices that have, or will get, the current bytes. If there are none, the contents are undefined.
    pub current: Devices,
    /// Commands that use the range, and may not be complete.
    pub usages: SmallVec<[Arc<Usage>; 2]>,
    /// Moves to devices that may not have ended.
    pub incoming: SmallVec<[(usize, Arc<Arrival>); 1]>,
}

impl Span {
    /// Adds a usage, which replaces usages that end before it.
    pub fn add_usage(&mut self, usage: &Arc<Usage>) {
        self.usages.retain(|old| !Arc::ptr_eq(old, usage) && !old.ends_before(usage));
        self.usages.push(usage.clone());
    }

    /// Returns true if two neighbours can be joined. `whoever_uses`: even if different commands use them.
    fn joins(&self, other: &Span, whoever_uses: bool) -> bool {
        let same = |a: &(usize, Arc<Arrival>), b: &(usize, Arc<Arrival>)| Arc::ptr_eq(&a.1, &b.1);
        self.current == other.current
            && self.incoming.len() == other.incoming.len()
            && self.incoming.iter().zip(&other.incoming).all(|(a, b)| same(a, b))
            && (whoever_uses || self.is_used_like(other))
    }

    fn is_used_like(&self, other: &Span) -> bool {
        self.usages.len() == other.usages.len()
            && self.usages.iter().zip(&other.usages).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Merges a neighbour into this one.
    fn join(&mut self, other: &Span) {
        for usage in &other.usages {
            if !self.usages.iter().any(|own| Arc::ptr_eq(own, usage)) {
                self.usages.push(usage.clone());
            }
        }
    }
}

/// All ranges of a buffer.
pub struct Spans {
    size: usize,
    /// The spans by their first byte. Each ends where the next one begins; the first begins at 0.
    spans: BTreeMap<usize, Span>,
}

impl Spans {
    /// Returns the spans of a buffer of `size` bytes, whose current bytes these devices have.
    pub fn new(size: usize, current: Devices) -> Spans {
        Spans { size, spans: BTreeMap::from([(0, Span { current, ..Span::default() })]) }
    }

    /// Splits the span around `at`, so that a span begins at `at`.
    fn cut(&mut self, at: usize) {
        if at >= self.size || self.spans.contains_key(&at) {
            return;
        }
        if let Some((_, before)) = self.spans.range(..at).next_back() {
            let span = before.clone();
            self.spans.insert(at, span);
        }
    }

    /// Returns the spans of a range in order. Spans that extend beyond the range are split.
    pub fn within(&mut self, range: &Range<usize>) -> Vec<(Range<usize>, &mut Span)> {
        let (start, end) = (range.start, range.end.min(self.size));
        if start >= end {
            return Vec::new();
        }
        self.cut(start);
        self.cut(end);
        let mut found: Vec<_> =
            self.spans.range_mut(start..end).map(|(at, span)| (*at..end, span)).collect();
        for index in 1..found.len() {
            found[index - 1].0.end = found[index].0.start;
        }
        found
    }

    /// Joins spans in and next to a range that no longer differ.
    pub fn join(&mut self, range: &Range<usize>) {
        let first = self.spans.range(..range.start).next_back().map_or(0, |(at, _)| *at);
        let starts: Vec<_> = self.spans.range(first..=range.end).map(|(at, _)| *at).collect();
        let mut last = first;
        for at in starts.into_iter().skip(1) {
            let whoever_uses = self.spans.len() > MANY;
            let (Some(before), Some(span)) = (self.spans.get(&last), self.spans.get(&at)) else {
                continue;
            };
            if !before.joins(span, whoever_uses) {
                last = at;
                continue;
            }
            let Some(span) = self.spans.remove(&at) else { continue };
            if let Some(before) = self.spans.get_mut(&last) {
                before.join(&span);
            }
        }
    }

    /// Returns the number of spans.
    #[cfg(test)]
    fn count(&self) -> usize {
        self.spans.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn current(spans: &mut Spans, range: Range<usize>) -> Vec<(Range<usize>, u64)> {
        spans.within(&range).into_iter().map(|(range, span)| (range, span.current.0)).collect()
    }

    #[test]
    fn ranges_are_cut_and_joined() {
        let mut spans = Spans::new(100, Devices::only(0));
        for (_, span) in spans.within(&(10..20)) {
            span.current = Devices::only(1);
        }
        assert_eq!(current(&mut spans, 5..25), [(5..10, 1), (10..20, 2), (20..25, 1)]);
        assert_eq!(current(&mut spans, 90..200), [(90..100, 1)]);
        assert_eq!(current(&mut spans, 100..200), []);
        spans.join(&(0..100));
        assert_eq!(spans.count(), 3);
        for (_, span) in spans.within(&(0..100)) {
            span.current = Devices::only(1);
        }
        spans.join(&(0..100));
        assert_eq!(spans.count(), 1);
    }

    #[test]
    fn neighbours_that_differ_in_their_usages_stay_apart_until_there_are_many() {
        let mut spans = Spans::new(10_000, Devices::only(0));
        let write = |spans: &mut Spans, at: usize| {
            let usage = Usage::new(0, true, None);
            for (_, span) in spans.within(&(at..at + 1)) {
                span.add_usage(&usage);
            }
            spans.join(&(at..at + 1));
        };
        write(&mut spans, 5);
        write(&mut spans, 6);
        assert_eq!(spans.count(), 4);
        (0..5_000).for_each(|at| write(&mut spans, 2 * at));
        assert!(spans.count() <= MANY + 2, "{}", spans.count());
    }

    #[test]
    fn sets_of_devices() {
        let mut set = Devices::only(63);
        set.insert(0);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63]);
        set.remove(63);
        assert!(set == Devices::only(0) && set.has(0) && !set.has(1) && !set.is_empty());
    }
}
