//! Host addresses at which the application finds device memory: mapped regions of buffers and shared virtual memory. A transfer
//! from or to such an address becomes a copy on the device, in the queue's order.

use crate::core::device::staging::Staging;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// Host addresses `[start, end)`, and the device memory that they stand for.
#[derive(Clone)]
pub struct HostRange {
    pub start: usize,
    pub end: usize,
    /// A buffer for each device that reaches the memory, one at least.
    pub buffers: SmallVec<[Arc<vk::Buffer>; 1]>,
    /// Offset of `start` in the buffers, in bytes.
    pub offset: u64,
    /// True if the host sees the buffers' own bytes at the addresses, and not a shadow of them or nothing.
    pub in_place: bool,
    /// The staging memory that contains the buffer, held so that it is not reused.
    pub staging: Option<Arc<Staging>>,
}

impl HostRange {
    /// Returns the offset in the buffers of an address in the range.
    pub fn offset_of(&self, address: usize) -> u64 {
        self.offset + (address - self.start) as u64
    }

    /// Returns the memory for a device; `None` for one that does not reach it.
    pub fn on(&self, device: &Arc<vk::Device>) -> Option<&Arc<vk::Buffer>> {
        self.buffers.iter().find(|buffer| Arc::ptr_eq(buffer.device(), device))
    }

    /// Returns the part of the range that lies in `[start, end)`, which must not be empty.
    fn part(&self, start: usize, end: usize) -> HostRange {
        HostRange { start, end, offset: self.offset_of(start), ..self.clone() }
    }
}

/// A list of ranges in ascending order that do not overlap.
pub type RangeList = SmallVec<[HostRange; 1]>;

struct Entry {
    range: HostRange,
    /// The number of times that the range was added and not removed.
    users: usize,
    /// The parts of a shadow that the host has mapped; in them the host's bytes count, not the device's.
    mapped: Vec<(usize, usize)>,
}

/// The ranges of a context, by address; ranges of different buffers never overlap.
#[derive(Default)]
pub struct HostRanges {
    entries: Mutex<BTreeMap<usize, Entry>>,
    /// The number of entries: most contexts have none.
    count: AtomicUsize,
}

impl HostRanges {
    /// Adds a range. A range may be added several times, and must be removed as often.
    pub fn add(&self, range: HostRange) {
        let mut entries = self.entries.lock();
        let entry = entries.entry(range.start);
        entry.or_insert(Entry { range, users: 0, mapped: Vec::new() }).users += 1;
        self.count.store(entries.len(), Ordering::Release);
    }

    /// Adds a range if it overlaps no other range; returns false if it does.
    pub fn add_apart(&self, range: HostRange) -> bool {
        let mut entries = self.entries.lock();
        let before = entries.range(..range.end).next_back();
        if before.is_some_and(|(_, entry)| entry.range.end > range.start) {
            return false;
        }
        entries.insert(range.start, Entry { range, users: 1, mapped: Vec::new() });
        self.count.store(entries.len(), Ordering::Release);
        true
    }

    /// Removes the range that begins at an address. Commands that use the range keep its memory alive.
    pub fn remove(&self, start: usize) {
        let mut entries = self.entries.lock();
        let Some(entry) = entries.get_mut(&start) else { return };
        entry.users -= 1;
        let gone = if entry.users == 0 { entries.remove(&start) } else { None };
        self.count.store(entries.len(), Ordering::Release);
        // Staging memory is returned to its pool after the lock is released.
        drop(entries);
        drop(gone);
    }

    /// Notes that the host has mapped a part of a shadow: in it the host's bytes count until [`HostRanges::unmap_shadow`].
    pub fn map_shadow(&self, start: usize, size: usize) {
        if let Some((_, entry)) = self.entries.lock().range_mut(..=start).next_back() {
            entry.mapped.push((start, start + size));
        }
    }

    /// The opposite of [`HostRanges::map_shadow`].
    pub fn unmap_shadow(&self, start: usize, size: usize) {
        if let Some((_, entry)) = self.entries.lock().range_mut(..=start).next_back() {
            let index = entry.mapped.iter().position(|part| *part == (start, start + size));
            index.map(|index| entry.mapped.swap_remove(index));
        }
    }

    /// Returns the parts of the host's addresses `[start, end)` that stand for device memory.
    pub fn find(&self, start: usize, end: usize) -> RangeList {
        let mut found = RangeList::new();
        if self.count.load(Ordering::Acquire) == 0 || start >= end {
            return found;
        }
        let entries = self.entries.lock();
        let first = entries.range(..=start).next_back().map_or(start, |(first, _)| *first);
        for (_, entry) in entries.range(first..end) {
            entry.parts_within(start, end, &mut found);
        }
        found
    }
}

impl Entry {
    /// Appends the parts of `[start, end)` that stand for device memory.
    fn parts_within(&self, start: usize, end: usize, parts: &mut RangeList) {
        let (mut at, end) = (start.max(self.range.start), end.min(self.range.end));
        let mut mapped: SmallVec<[(usize, usize); 4]> = self.mapped.iter().copied().collect();
        mapped.sort_unstable();
        for (from, to) in mapped {
            if at < from.min(end) {
                parts.push(self.range.part(at, from.min(end)));
            }
            at = at.max(to);
        }
        if at < end {
            parts.push(self.range.part(at, end));
        }
    }
}
