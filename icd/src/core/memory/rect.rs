//! Boxes of bytes in linear memory, which rectangular copies move. A linear copy is the simplest case.

use crate::cl::error::{ensure, Result};
use crate::cl::*;

/// `depth` slices of `height` rows of `width` bytes, the first byte at `offset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    pub offset: usize,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub row_pitch: usize,
    pub slice_pitch: usize,
}

impl Rect {
    /// Returns a single row of `size` bytes at an offset.
    pub fn linear(offset: usize, size: usize) -> Rect {
        Rect { offset, width: size, height: 1, depth: 1, row_pitch: size, slice_pitch: size }
    }

    /// Returns a box as clEnqueue…BufferRect describes it; pitches of 0 mean tightly packed.
    ///
    /// CL_INVALID_VALUE for an empty region or pitches that the spec forbids (5.2.4).
    pub fn new(
        origin: [usize; 3],
        region: [usize; 3],
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<Rect> {
        let [width, height, depth] = region;
        ensure!(width > 0 && height > 0 && depth > 0, CL_INVALID_VALUE);
        let row_pitch = if row_pitch == 0 { width } else { row_pitch };
        ensure!(row_pitch >= width, CL_INVALID_VALUE);
        let packed = height.checked_mul(row_pitch);
        ensure!(packed.is_some(), CL_INVALID_VALUE);
        let packed = packed.unwrap_or(0);
        let slice_pitch = if slice_pitch == 0 { packed } else { slice_pitch };
        ensure!(slice_pitch >= packed && slice_pitch % row_pitch == 0, CL_INVALID_VALUE);
        let offset = origin[2]
            .checked_mul(slice_pitch)
            .zip(origin[1].checked_mul(row_pitch))
            .and_then(|(z, y)| z.checked_add(y)?.checked_add(origin[0]));
        ensure!(offset.is_some(), CL_INVALID_VALUE);
        let offset = offset.unwrap_or(0);
        Ok(Rect { offset, width, height, depth, row_pitch, slice_pitch })
    }

    /// Returns the offset one past the last byte, or `None` when it does not fit.
    pub fn end(&self) -> Option<usize> {
        let slices = (self.depth - 1).checked_mul(self.slice_pitch)?;
        let rows = (self.height - 1).checked_mul(self.row_pitch)?;
        self.offset.checked_add(slices)?.checked_add(rows)?.checked_add(self.width)
    }

    /// Returns the same box at an offset that is larger by `by` bytes.
    pub fn shifted(self, by: usize) -> Rect {
        Rect { offset: self.offset + by, ..self }
    }

    /// Returns the number of bytes in the box.
    pub fn bytes(&self) -> usize {
        self.width * self.height * self.depth
    }
}

/// A run of bytes that lies contiguously on both sides of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    pub from: usize,
    pub to: usize,
    pub size: usize,
}

/// Returns the runs of a copy between two boxes of equal extent. Contiguous rows and slices are joined, so that there are as
/// few runs as possible.
pub fn runs(from: &Rect, to: &Rect) -> impl Iterator<Item = Run> {
    let (mut from, mut to) = (*from, *to);
    if from.row_pitch == from.width && to.row_pitch == to.width {
        // If rows touch each other on both sides, a slice is treated as a single row.
        for rect in [&mut from, &mut to] {
            rect.width *= rect.height;
            rect.height = 1;
            rect.row_pitch = rect.width;
        }
        if from.slice_pitch == from.width && to.slice_pitch == to.width {
            for rect in [&mut from, &mut to] {
                rect.width *= rect.depth;
                rect.depth = 1;
            }
        }
    }
    let (height, depth, size) = (from.height, from.depth, from.width);
    (0..depth).flat_map(move |z| {
        (0..height).map(move |y| Run {
            from: from.offset + z * from.slice_pitch + y * from.row_pitch,
            to: to.offset + z * to.slice_pitch + y * to.row_pitch,
            size,
        })
    })
}

/// Returns true if a copy between two boxes of one buffer overlaps (CL_MEM_COPY_OVERLAP). Boxes with equal pitches follow the
/// rules of the spec's appendix D, for boxes of equal extent; of boxes with different pitches the whole spans of bytes are
/// compared.
pub fn overlap(a: &Rect, b: &Rect) -> bool {
    let (Some(a_end), Some(b_end)) = (a.end(), b.end()) else { return true };
    if a.offset >= b_end || b.offset >= a_end {
        return false;
    }
    if a.row_pitch != b.row_pitch || a.slice_pitch != b.slice_pitch {
        return true;
    }
    // The boxes do not overlap if the rows of one are in the gaps between the rows of the other; slices likewise.
    let slice = (a.height - 1) * a.row_pitch + a.width;
    !interleaved(a.offset, b.offset, a.width, a.row_pitch)
        && !interleaved(a.offset, b.offset, slice, a.slice_pitch)
}

/// Returns true if runs of `size` bytes that start at `a` and repeat every `pitch` bytes share no byte with runs that start at
/// `b`.
fn interleaved(a: usize, b: usize, size: usize, pitch: usize) -> bool {
    let (a, b) = (a % pitch, b % pitch);
    let (low, high) = (a.min(b), a.max(b));
    high - low >= size && low + pitch - high >= size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_boxes_are_one_run() {
        let a = Rect::new([0; 3], [4, 3, 2], 0, 0).unwrap();
        let b = a.shifted(100);
        let all: Vec<_> = runs(&a, &b).collect();
        assert_eq!(all, [Run { from: 0, to: 100, size: 24 }]);
    }

    #[test]
    fn pitched_boxes_are_rows() {
        let a = Rect::new([1, 1, 0], [2, 2, 1], 8, 0).unwrap();
        let b = Rect::new([0; 3], [2, 2, 1], 0, 0).unwrap();
        let all: Vec<_> = runs(&a, &b).collect();
        assert_eq!(all, [Run { from: 9, to: 0, size: 2 }, Run { from: 17, to: 2, size: 2 }]);
    }

    #[test]
    fn bad_pitches_are_refused() {
        assert!(Rect::new([0; 3], [4, 1, 1], 3, 0).is_err());
        assert!(Rect::new([0; 3], [4, 2, 1], 4, 7).is_err());
        assert!(Rect::new([0; 3], [0, 1, 1], 0, 0).is_err());
        assert!(Rect::new([0, usize::MAX, 2], [4, 1, 1], 4, 4).is_err());
    }

    #[test]
    fn interleaved_columns_do_not_overlap() {
        let a = Rect::new([0, 0, 0], [4, 4, 1], 16, 0).unwrap();
        let b = Rect::new([4, 0, 0], [4, 4, 1], 16, 0).unwrap();
        assert!(!overlap(&a, &b));
        let c = Rect::new([3, 3, 0], [4, 4, 1], 16, 0).unwrap();
        assert!(overlap(&a, &c));
        assert!(overlap(&Rect::linear(0, 8), &Rect::linear(7, 8)));
        assert!(!overlap(&Rect::linear(0, 8), &Rect::linear(8, 8)));
    }

    #[test]
    fn rows_that_wrap_past_the_pitch_may_interleave() {
        // Bytes 14, 15, 16, 17 of each 16: the row continues in the next line.
        let a = Rect::new([14, 0, 0], [4, 4, 1], 16, 0).unwrap();
        let b = Rect::new([4, 0, 0], [4, 4, 1], 16, 0).unwrap();
        assert!(!overlap(&a, &b));
        let c = Rect::new([1, 1, 0], [4, 4, 1], 16, 0).unwrap();
        assert!(overlap(&a, &c));
    }

    #[test]
    fn slices_interleave() {
        let a = Rect::new([0, 0, 0], [8, 2, 3], 8, 64).unwrap();
        assert!(!overlap(&a, &Rect::new([0, 2, 0], [8, 2, 3], 8, 64).unwrap()));
        assert!(!overlap(&a, &Rect::new([0, 6, 1], [8, 2, 3], 8, 64).unwrap()));
        assert!(overlap(&a, &Rect::new([0, 7, 0], [8, 2, 3], 8, 64).unwrap()));
    }

    #[test]
    fn equal_boxes_and_exhaustive_small_ones() {
        // Checks every pair of small boxes: boxes that `overlap` calls free of overlap share no byte.
        let bytes = |r: &Rect| -> Vec<usize> {
            let rows = (0..r.depth).flat_map(|z| {
                (0..r.height).map(move |y| r.offset + z * r.slice_pitch + y * r.row_pitch)
            });
            rows.flat_map(|start| start..start + r.width).collect()
        };
        for place in 0..20 * 20 {
            let at = |offset| Rect {
                offset,
                width: 2,
                height: 2,
                depth: 2,
                row_pitch: 4,
                slice_pitch: 12,
            };
            let (a, b) = (at(place / 20), at(place % 20));
            let shared = bytes(&a).iter().any(|x| bytes(&b).contains(x));
            assert!(overlap(&a, &b) || !shared, "{a:?} {b:?}");
            assert!(place / 20 != place % 20 || overlap(&a, &b));
        }
    }
}
