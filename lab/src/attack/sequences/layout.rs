//! Boxes of bytes in memory: the places of their rows.

/// How rows and slices follow each other, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pitch {
    pub row: usize,
    pub slice: usize,
}

/// A box: rows of `region[0]` bytes, `region[1]` of them in a slice, `region[2]` slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// The origin: bytes, rows and slices.
    pub origin: [usize; 3],
    pub region: [usize; 3],
    pub pitch: Pitch,
}

impl Block {
    /// Returns the places of the rows.
    pub fn rows(&self) -> Vec<usize> {
        let [x, y, z] = self.origin;
        let mut rows = Vec::with_capacity(self.region[1] * self.region[2]);
        for slice in z..z + self.region[2] {
            rows.extend(
                (y..y + self.region[1])
                    .map(|row| slice * self.pitch.slice + row * self.pitch.row + x),
            );
        }
        rows
    }

    /// Returns the number of bytes before the end of the last row.
    pub fn end(&self) -> usize {
        self.rows().last().map_or(0, |last| last + self.region[0])
    }
}

/// Copies rows of `length` bytes.
pub fn copy_rows(
    from: &[u8],
    from_rows: &[usize],
    to: &mut [u8],
    to_rows: &[usize],
    length: usize,
) {
    for (source, place) in from_rows.iter().zip(to_rows) {
        to[*place..place + length].copy_from_slice(&from[*source..source + length]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_box() {
        let pitch = Pitch { row: 10, slice: 100 };
        let block = Block { origin: [3, 1, 2], region: [4, 2, 2], pitch };
        assert_eq!(block.rows(), [213, 223, 313, 323]);
        assert_eq!(block.end(), 327);
    }
}
