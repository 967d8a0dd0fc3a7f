//! The table of a launch: the extents of the memory that its kernel may reach.

use hekla_compiler::checks::{
    self, Checks, ARGUMENTS, BLOCK_WORDS, FINDINGS, HEADER_BYTES, MAX_RANGES, MAX_SHADOW_WORDS,
    MAX_WATCHED, RANGES, SHADOW, SHADOW_BYTES, WATCHED,
};
use hekla_vk_backend as vk;
use std::sync::Arc;

/// Address and size of a piece of memory.
pub type Range = (u64, u64);

/// The description of memory that a launch gives to its kernel.
#[derive(Debug, Default)]
pub struct Table {
    /// The memory of each argument. The size is 0 for null, with address 0, and for an address in no allocation.
    pub arguments: Vec<Range>,
    /// All memory that the kernel may reach, ascending and without overlaps.
    pub ranges: Vec<Range>,
    /// True if pointers in memory may lead to memory that `ranges` lacks.
    pub is_partial: bool,
    /// A bit for each argument whose memory nothing has written.
    pub unwritten: u32,
    /// A bit for each argument whose memory overlaps no other argument's.
    alone: u32,
    /// The pieces of the arguments' memory in which races are looked for, ascending and without overlaps.
    watched: Vec<Watched>,
}

/// A piece of memory in which races are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Watched {
    start: u64,
    size: u64,
    /// The index in the shadow of the piece's first word.
    first: u32,
    /// One block out of this many is watched.
    every: u32,
}

impl Table {
    /// Returns a table of the ranges, which may be in any order and may overlap.
    pub fn new(arguments: &[Range], ranges: Vec<Range>, is_partial: bool, wanted: Checks) -> Table {
        let mut ranges = apart(ranges);
        let is_partial = is_partial || ranges.len() > MAX_RANGES;
        ranges.truncate(MAX_RANGES);
        let (watched, alone) = match wanted.contains(Checks::RACES) {
            true => (watch(arguments), alone(arguments)),
            false => (Vec::new(), 0),
        };
        Table { arguments: arguments.to_vec(), ranges, is_partial, unwritten: 0, alone, watched }
    }

    /// Records the commands that write the table to a launch's buffer, in the area at a byte offset, and clear the findings.
    pub fn write(&self, recorder: &mut vk::Recorder, buffer: &Arc<vk::Buffer>, area: u64) {
        let watched = self.watched.len() as u32;
        let (ranges, is_partial) = (self.ranges.len() as u32, u32::from(self.is_partial));
        let header = [ranges, is_partial, watched, self.unwritten, self.alone, 0, 0, 0];
        let mut head: Vec<u8> = header.into_iter().flat_map(u32::to_le_bytes).collect();
        head.extend(bytes(&self.arguments[..self.arguments.len().min(ARGUMENTS)]));
        debug_assert!(head.len() <= HEADER_BYTES + 16 * ARGUMENTS);
        recorder.update(buffer, area, &head);
        recorder.fill(buffer, area + FINDINGS as u64, (RANGES - FINDINGS) as u64, 0);
        recorder.update(buffer, area + RANGES as u64, &bytes(&self.ranges));
        let words: usize = self.watched.iter().map(Watched::words).sum();
        if words > 0 {
            let place = |it: &Watched| u64::from(it.every) << 32 | u64::from(it.first);
            let numbers = self.watched.iter().flat_map(|it| [it.start, it.size, place(it)]);
            let bytes: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
            recorder.update(buffer, area + WATCHED as u64, &bytes);
            recorder.fill(buffer, area + SHADOW as u64, (words * SHADOW_BYTES) as u64, 0);
        }
    }
}

impl Watched {
    /// Returns the number of blocks in the piece.
    fn blocks(&self) -> u64 {
        self.size.div_ceil(4 * BLOCK_WORDS as u64)
    }

    /// Returns the number of the piece's words that are watched.
    fn words(&self) -> usize {
        self.blocks().div_ceil(self.every.into()) as usize * BLOCK_WORDS
    }
}

/// Returns the ranges in ascending order, with overlapping ranges joined.
fn apart(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.retain(|range| range.1 > 0);
    ranges.sort_unstable();
    let mut apart: Vec<Range> = Vec::with_capacity(ranges.len());
    for (start, size) in ranges {
        match apart.last_mut() {
            // Ranges that only touch stay apart: an access must not continue from one into the other.
            Some(last) if start - last.0 < last.1 => last.1 = last.1.max(start - last.0 + size),
            _ => apart.push((start, size)),
        }
    }
    apart
}

/// Returns a bit for each of the first 32 arguments whose memory is known and overlaps no other argument's.
fn alone(arguments: &[Range]) -> u32 {
    let meet = |a: &Range, b: &Range| a.0.wrapping_sub(b.0) < b.1 || b.0.wrapping_sub(a.0) < a.1;
    let is_alone = |&(number, range): &(usize, &Range)| {
        let mut others = arguments.iter().enumerate().filter(|other| other.0 != number);
        (range.1 > 0 || range.0 == 0) && !others.any(|(_, other)| other.1 > 0 && meet(range, other))
    };
    let first = arguments.iter().take(32).enumerate().filter(is_alone);
    first.map(|(number, _)| 1 << number).sum()
}

/// Returns the pieces of the arguments' memory in which races are looked for; each begins at a whole word. Small pieces are
/// watched as a whole.
fn watch(arguments: &[Range]) -> Vec<Watched> {
    let is_known = |range: &Range| range.0 != 0 && range.1 < 1 << 48;
    let known = arguments.iter().copied().filter(is_known);
    let mut ranges = apart(known.map(|(start, size)| (start & !3, size + start % 4)).collect());
    ranges.truncate(MAX_WATCHED);
    let unplaced = |&(start, size): &Range| Watched { start, size, first: 0, every: 1 };
    let mut watched: Vec<Watched> = ranges.iter().map(unplaced).collect();
    watched.sort_unstable_by_key(|it| it.size);
    let (mut first, mut left) = (0, watched.len());
    for it in &mut watched {
        let share = ((MAX_SHADOW_WORDS - first) / left / BLOCK_WORDS).max(1) as u64;
        it.every = u32::try_from(it.blocks().div_ceil(share)).unwrap_or(u32::MAX);
        it.first = first as u32;
        first += it.words();
        left -= 1;
    }
    watched.sort_unstable_by_key(|it| it.start);
    watched
}

/// Returns the part of a launch's buffer that holds the findings: byte offset and size.
pub fn findings(capacity: u32) -> (u64, usize) {
    let area = u64::from(checks::area_offset(capacity));
    (area + FINDINGS as u64, RANGES - FINDINGS)
}

fn bytes(ranges: &[Range]) -> Vec<u8> {
    ranges.iter().flat_map(|&(start, size)| [start, size]).flat_map(u64::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_sorted_and_joined_where_they_overlap() {
        let ranges = vec![(100, 10), (20, 0), (50, 20), (60, 5), (65, 20), (110, 4)];
        let table = Table::new(&[(1, 2)], ranges, false, Checks::BOUNDS);
        assert_eq!(table.ranges, [(50, 35), (100, 10), (110, 4)]);
        assert!(!table.is_partial);
        let many = (0..5000).map(|n| (n * 16, 8)).collect();
        let table = Table::new(&[], many, false, Checks::BOUNDS);
        assert_eq!((table.ranges.len(), table.is_partial), (MAX_RANGES, true));
    }

    #[test]
    fn arguments_are_alone_that_share_no_byte() {
        let arguments = [(4096, 64), (4160, 64), (0, 0), (8192, 0), (9000, 8), (9007, 1)];
        assert_eq!(alone(&arguments), 0b00_0111);
        // A pointer that a block captured may lead anywhere.
        assert_eq!(alone(&[(4096, 64), (0, u64::MAX)]), 0);
        assert_eq!(alone(&[(4096, 64), (4096, 64), (8192, 4)]), 0b100);
    }

    #[test]
    fn what_is_watched_fits_the_shadow() {
        let arguments = [(0, 64), (1 << 30, 1 << 26), (4098, 10), (4104, 400), (1 << 40, 1 << 34)];
        let watched = watch(&arguments);
        let starts: Vec<Range> = watched.iter().map(|it| (it.start, it.size)).collect();
        assert_eq!(starts, [(4096, 408), (1 << 30, 1 << 26), (1 << 40, 1 << 34)]);
        assert_eq!(watched[0].every, 1);
        let mut places: Vec<(usize, usize)> =
            watched.iter().map(|it| (it.first as usize, it.words())).collect();
        places.sort_unstable();
        for pair in places.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{places:?}");
        }
        let end = places.last().map(|last| last.0 + last.1).unwrap();
        assert!(end <= MAX_SHADOW_WORDS && end > MAX_SHADOW_WORDS / 2, "{places:?}");
        assert!(Table::new(&arguments, Vec::new(), false, Checks::BOUNDS).watched.is_empty());
    }
}
