//! The bytes that a command touches, and which commands have to wait for each other.

use std::ops::Range;

/// Bytes of a store that a command reads or writes through one object.
#[derive(Debug, Clone)]
pub struct Span {
    pub store: usize,
    pub object: usize,
    /// The range of the object in the store.
    whole: Range<usize>,
    /// The bytes that are touched, in ascending order.
    ranges: Vec<Range<usize>>,
    pub writes: bool,
}

/// If a span has more rows than this, all bytes from the first row to the last count as touched.
const ROWS: usize = 64;

impl Span {
    /// Returns a span of rows of `length` bytes, in ascending order, counted from the start of the store.
    pub fn new(
        store: usize,
        object: usize,
        whole: Range<usize>,
        rows: &[usize],
        length: usize,
    ) -> Span {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for row in rows {
            match ranges.last_mut() {
                Some(last) if last.end >= *row => last.end = row + length,
                _ => ranges.push(*row..row + length),
            }
        }
        if ranges.len() > ROWS {
            ranges[0].end = ranges[ranges.len() - 1].end;
            ranges.truncate(1);
        }
        Span { store, object, whole, ranges, writes: false }
    }

    /// Returns the same span as a write.
    pub fn written(self) -> Span {
        Span { writes: true, ..self }
    }

    /// Returns true if the order of two accesses matters. Through different objects in the same memory (a buffer and a
    /// sub-buffer, an image over a buffer), concurrent accesses are undefined wherever the objects overlap (OpenCL
    /// 5.2.1, 5.3.1).
    pub fn conflicts(&self, other: &Span) -> bool {
        if self.store != other.store || !(self.writes || other.writes) {
            return false;
        }
        if self.object != other.object {
            return overlap(&self.whole, &other.whole);
        }
        self.overlaps(other)
    }

    /// Returns true if both touch the same byte, whether they read or write it.
    pub fn overlaps(&self, other: &Span) -> bool {
        self.store == other.store
            && self.ranges.iter().any(|own| other.ranges.iter().any(|range| overlap(own, range)))
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_matters_where_a_byte_is_written() {
        let read = |object, rows: &[usize]| Span::new(0, object, 0..100, rows, 4);
        assert!(!read(1, &[0, 8]).conflicts(&read(1, &[0, 8])));
        assert!(read(1, &[0, 8]).written().conflicts(&read(1, &[10])));
        assert!(!read(1, &[0, 8]).written().conflicts(&read(1, &[4])));
        // If the two objects differ and share memory, the whole objects count.
        assert!(read(1, &[0]).written().conflicts(&read(2, &[50])));
        let other = Span::new(0, 2, 200..300, &[200], 4);
        assert!(!read(1, &[0]).written().conflicts(&other));
    }
}
