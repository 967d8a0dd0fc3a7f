//! The table of a launch: where the memory lies that its kernel may reach.

use hekla_compiler::checks::{self, ARGUMENTS, FINDINGS, HEADER_BYTES, MAX_RANGES, RANGES};
use hekla_vk_backend as vk;
use std::sync::Arc;

/// Address and size of a piece of memory.
pub type Range = (u64, u64);

/// What a launch tells its kernel of memory.
#[derive(Debug, Default)]
pub struct Table {
    /// By argument. Of size 0: null, with address 0, or no allocation.
    pub arguments: Vec<Range>,
    /// Ascending and apart.
    pub ranges: Vec<Range>,
    /// True if there may be others that pointers in memory lead to.
    pub is_partial: bool,
}

impl Table {
    /// Returns a table of these ranges, in any order, which may overlap.
    pub fn new(arguments: &[Range], mut ranges: Vec<Range>, is_partial: bool) -> Table {
        ranges.retain(|range| range.1 > 0);
        ranges.sort_unstable();
        let mut apart: Vec<Range> = Vec::with_capacity(ranges.len());
        for (start, size) in ranges {
            match apart.last_mut() {
                // What only touches stays apart: an access must not go on from one to the other.
                Some(last) if start - last.0 < last.1 => last.1 = last.1.max(start - last.0 + size),
                _ => apart.push((start, size)),
            }
        }
        let is_partial = is_partial || apart.len() > MAX_RANGES;
        apart.truncate(MAX_RANGES);
        Table { arguments: arguments.to_vec(), ranges: apart, is_partial }
    }

    /// Records the commands that write the table to a launch's buffer, in the area at a byte offset, and clear the findings.
    pub fn write(&self, recorder: &mut vk::Recorder, buffer: &Arc<vk::Buffer>, area: u64) {
        let header = [self.ranges.len() as u32, u32::from(self.is_partial), 0, 0];
        let mut head: Vec<u8> = header.into_iter().flat_map(u32::to_le_bytes).collect();
        head.extend(bytes(&self.arguments[..self.arguments.len().min(ARGUMENTS)]));
        debug_assert!(head.len() <= HEADER_BYTES + 16 * ARGUMENTS);
        recorder.update(buffer, area, &head);
        recorder.fill(buffer, area + FINDINGS as u64, (RANGES - FINDINGS) as u64, 0);
        recorder.update(buffer, area + RANGES as u64, &bytes(&self.ranges));
    }
}

/// Returns the bytes of the area that findings are in, by their offsets.
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
        let table = Table::new(&[(1, 2)], ranges, false);
        assert_eq!(table.ranges, [(50, 35), (100, 10), (110, 4)]);
        assert!(!table.is_partial);
        let many = (0..5000).map(|n| (n * 16, 8)).collect();
        let table = Table::new(&[], many, false);
        assert_eq!((table.ranges.len(), table.is_partial), (MAX_RANGES, true));
    }
}
