//! The ring of a launch ([`hekla_compiler::device_queue`]): memory of the device in which kernels say what they enqueue.

use super::schedule::{Schedule, Times};
use crate::cl::error::Result;
use crate::core::device::capabilities::MAX_ON_DEVICE_EVENTS;
use crate::core::device::open::Gpu;
use hekla_compiler::device_queue as layout;
use hekla_vk_backend as vk;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The number of events in a ring.
const EVENTS: u32 = MAX_ON_DEVICE_EVENTS;

/// A ring in the device's memory, and what the host knows of it.
pub struct Ring {
    pub buffer: Arc<vk::Buffer>,
    /// Bytes of the buffer that are for records.
    capacity: u32,
    /// The numbers of free events, in the order of the ring's list.
    free: Vec<u32>,
    /// The numbers of events in use.
    used: BTreeSet<u32>,
}

/// The state of a ring after kernels have run, as [`Ring::take_events`] needs it.
pub struct Leftover {
    had_records: bool,
    /// The number of events in the ring's list that are still free.
    free_events: usize,
}

const TABLE: u64 = 4 * layout::ring::WORDS as u64;
const LIST: u64 = TABLE + 4 * layout::event::WORDS as u64 * EVENTS as u64;
const RECORDS: u64 = (LIST + 4 * EVENTS as u64).next_multiple_of(layout::record::ALIGN as u64);

impl Ring {
    /// Returns an empty ring with room for `capacity` bytes of records. `reused`: a buffer of the same capacity that
    /// [`Ring::recycle`] returned.
    pub fn new(gpu: &Gpu, capacity: u32, reused: Option<Arc<vk::Buffer>>) -> Result<Ring> {
        let capacity = capacity.next_multiple_of(layout::record::ALIGN);
        let is_new = reused.is_none();
        let buffer = match reused {
            Some(buffer) => buffer,
            None => {
                let size = RECORDS + u64::from(capacity);
                gpu.device.create_buffer(size, vk::MemoryKind::Device)?
            }
        };
        // The list is taken from its end, so the first events are used first.
        let free = (0..EVENTS).rev().collect();
        let ring = Ring { buffer, capacity, free, used: BTreeSet::new() };
        if is_new {
            gpu.zero_now(&ring.buffer, 0, LIST)?;
            ring.write_list(gpu)?;
        }
        gpu.write_now(&ring.buffer, 0, &ring.header())?;
        Ok(ring)
    }

    /// Frees all events, and returns the buffer for another ring.
    pub fn recycle(mut self, gpu: &Gpu) -> Result<Arc<vk::Buffer>> {
        let in_order = |free: &[u32]| free.iter().rev().copied().eq(0..EVENTS);
        if !in_order(&self.free) {
            self.free = (0..EVENTS).rev().collect();
            self.write_list(gpu)?;
        }
        Ok(self.buffer)
    }

    fn write_list(&self, gpu: &Gpu) -> Result<()> {
        let bytes: Vec<u8> = self.free.iter().flat_map(|number| number.to_le_bytes()).collect();
        gpu.write_now(&self.buffer, LIST, &bytes)
    }

    fn header(&self) -> Vec<u8> {
        let mut words = [0; layout::ring::WORDS];
        words[layout::ring::CAPACITY] = self.capacity;
        words[layout::ring::FREE_EVENTS] = self.free.len() as u32;
        words[layout::ring::EVENTS] = EVENTS;
        words[layout::ring::RECORDS] = RECORDS as u32;
        words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect()
    }

    /// Takes the records that kernels wrote. No kernel that may write to the ring may be running. Returns the state that
    /// [`Ring::take_events`] needs to empty the ring.
    pub fn take_records(&mut self, gpu: &Gpu, schedule: &mut Schedule) -> Result<Leftover> {
        let mut header = [0; TABLE as usize];
        gpu.read_now(&self.buffer, 0, &mut header)?;
        let used = word(&header, layout::ring::USED).min(self.capacity);
        if used > 0 {
            let mut bytes = vec![0; used as usize];
            gpu.read_now(&self.buffer, RECORDS, &mut bytes)?;
            schedule.add(layout::read_records(&bytes));
        }
        let free_events = word(&header, layout::ring::FREE_EVENTS) as i32;
        Ok(Leftover { had_records: used > 0, free_events: free_events.max(0) as usize })
    }

    /// Takes the status of user events, frees the events that nobody refers to, and empties the ring.
    pub fn take_events(
        &mut self,
        gpu: &Gpu,
        left: Leftover,
        schedule: &mut Schedule,
    ) -> Result<()> {
        let had_events = self.settle_events(gpu, left.free_events, schedule)?;
        match left.had_records || had_events {
            true => gpu.write_now(&self.buffer, 0, &self.header()),
            false => Ok(()),
        }
    }

    /// Notes the status of user events, and frees events that nobody refers to. `left`: the number of events in the list that
    /// are still free. Returns false if no events are in use.
    fn settle_events(&mut self, gpu: &Gpu, left: usize, schedule: &mut Schedule) -> Result<bool> {
        self.used.extend(self.free.drain(left.min(self.free.len())..));
        let Some((first, table)) = self.read_used(gpu)? else { return Ok(false) };
        let mut freed = Vec::new();
        for &number in &self.used {
            let entry = &table[(number - first) as usize * EVENT..][..EVENT];
            let word = |index| word(entry, index) as i32;
            let (references, status) =
                (word(layout::event::REFERENCES), word(layout::event::STATUS));
            if status <= 0 {
                schedule.set_status(number + 1, status);
            }
            if references <= 0 && schedule.forget(number + 1) {
                freed.push(number);
            }
        }
        if !freed.is_empty() {
            freed.iter().for_each(|number| {
                self.used.remove(number);
            });
            let at = LIST + 4 * self.free.len() as u64;
            let bytes: Vec<u8> = freed.iter().flat_map(|number| number.to_le_bytes()).collect();
            gpu.write_now(&self.buffer, at, &bytes)?;
            self.free.extend(freed);
        }
        Ok(true)
    }

    /// Returns the part of the table with the events in use, and the number of its first entry.
    fn read_used(&self, gpu: &Gpu) -> Result<Option<(u32, Vec<u8>)>> {
        let Some((&first, &last)) = self.used.first().zip(self.used.last()) else {
            return Ok(None);
        };
        let mut table = vec![0; (last - first + 1) as usize * EVENT];
        gpu.read_now(&self.buffer, entry(first), &mut table)?;
        Ok(Some((first, table)))
    }

    /// Writes the times of complete commands to the entries of their events, where kernels read them.
    pub fn tell_times(&self, gpu: &Gpu, times: &[(u32, Times)]) -> Result<()> {
        if times.is_empty() {
            return Ok(());
        }
        let Some((first, mut table)) = self.read_used(gpu)? else { return Ok(()) };
        for (handle, times) in times {
            let number = handle.wrapping_sub(1);
            if !self.used.contains(&number) {
                continue;
            }
            let at = (number - first) as usize * EVENT;
            let has_times = at + 4 * layout::event::HAS_TIMES;
            table[has_times..has_times + 4].copy_from_slice(&1u32.to_le_bytes());
            let place = at + 4 * layout::event::TIMES;
            table[place..place + 16].copy_from_slice(&times.bytes());
        }
        gpu.write_now(&self.buffer, entry(first), &table)
    }
}

/// Bytes of an entry in the table of events.
const EVENT: usize = 4 * layout::event::WORDS;

/// Returns the byte offset of an event's entry.
fn entry(number: u32) -> u64 {
    TABLE + u64::from(number) * EVENT as u64
}

fn word(bytes: &[u8], index: usize) -> u32 {
    let word = bytes.get(4 * index..4 * index + 4).and_then(|word| word.try_into().ok());
    word.map_or(0, u32::from_le_bytes)
}
