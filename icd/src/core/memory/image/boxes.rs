//! Boxes of texels: as the application describes them, and as bytes in linear memory.

use super::Image;
use crate::cl::error::{ensure, Result};
use crate::cl::*;
use crate::core::memory::rect::Rect;
use hekla_vk_backend::ImageBox;

impl Image {
    /// Returns the box of an origin and a region in texels of a level (5.3.3). The layers of an array are counted in the
    /// dimension after the image's last one.
    ///
    /// # Errors
    /// CL_INVALID_MIP_LEVEL for a level that the image does not have; CL_INVALID_VALUE for an empty box, and one that is
    /// not in the level.
    pub fn texels_in(
        &self,
        level: usize,
        origin: [usize; 3],
        region: [usize; 3],
    ) -> Result<ImageBox> {
        ensure!(level < self.shape.levels.max(1) as usize, CL_INVALID_MIP_LEVEL);
        let level = level as u32;
        let extent = self.shape.extent_of(level);
        for dim in 0..3 {
            let end = origin[dim].checked_add(region[dim]);
            let within = region[dim] > 0 && end.is_some_and(|end| end <= extent[dim]);
            ensure!(within, CL_INVALID_VALUE);
        }
        let (origin, size) = (origin.map(|n| n as u32), region.map(|n| n as u32));
        Ok(ImageBox { level, origin, size })
    }

    /// Returns the bytes of a box's texels in memory with these pitches, with the first texel at `offset`. Pitches of 0 mean
    /// closely packed; each layer of an array of lines is a slice.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for pitches that the dimensions do not have, or that are too small (5.3.3).
    pub fn rect(
        &self,
        at: &ImageBox,
        offset: usize,
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<Rect> {
        let [width, height, depth] = at.size.map(|n| n as usize);
        let row = width * self.layout.texel();
        ensure!(row_pitch == 0 || row_pitch >= row, CL_INVALID_VALUE);
        let row_pitch = if row_pitch == 0 { row } else { row_pitch };
        let is_lines = self.shape.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        let rows = if is_lines { 1 } else { height };
        ensure!(slice_pitch == 0 || self.has_slices(), CL_INVALID_VALUE);
        let packed = row_pitch.checked_mul(rows);
        ensure!(packed.is_some(), CL_INVALID_VALUE);
        let packed = packed.unwrap_or(0);
        ensure!(slice_pitch == 0 || slice_pitch >= packed, CL_INVALID_VALUE);
        let slice_pitch = if slice_pitch == 0 { packed } else { slice_pitch };
        // The slices of an array of lines are its rows.
        let (row_pitch, slice_pitch) = match is_lines {
            true => (slice_pitch, slice_pitch.saturating_mul(height)),
            false => (row_pitch, slice_pitch),
        };
        let rect = Rect { offset, width: row, height, depth, row_pitch, slice_pitch };
        ensure!(rect.end().is_some(), CL_INVALID_VALUE);
        Ok(rect)
    }
}

impl Image {
    /// Returns the bytes of a box's texels in the image's buffer.
    pub fn rect_in_buffer(&self, at: &ImageBox) -> Rect {
        let [x, y, z] = at.origin.map(|n| n as usize);
        let [width, height, depth] = at.size.map(|n| n as usize);
        let (texel, [row_pitch, slice]) = (self.layout.texel(), self.shape.pitches());
        Rect {
            offset: z * slice + y * row_pitch + x * texel,
            width: width * texel,
            height,
            depth,
            row_pitch,
            // An image without a slice pitch has only one slice.
            slice_pitch: if slice == 0 { row_pitch * height } else { slice },
        }
    }
}

/// Returns the bytes of a part of a box in the linear memory of the whole box.
pub fn rect_of_part(rect: &Rect, whole: &ImageBox, part: &ImageBox) -> Rect {
    let [_, y, z] = [0, 1, 2].map(|dim| (part.origin[dim] - whole.origin[dim]) as usize);
    Rect {
        offset: rect.offset + z * rect.slice_pitch + y * rect.row_pitch,
        height: part.size[1] as usize,
        depth: part.size[2] as usize,
        ..*rect
    }
}

/// Returns true if two boxes of one image have texels in common.
pub fn overlap(a: &ImageBox, b: &ImageBox) -> bool {
    let meet = |dim: usize| {
        a.origin[dim] < b.origin[dim] + b.size[dim] && b.origin[dim] < a.origin[dim] + a.size[dim]
    };
    a.level == b.level && (0..3).all(meet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::device::image_copy::parts;

    fn of(origin: [u32; 3], size: [u32; 3]) -> ImageBox {
        ImageBox { level: 0, origin, size }
    }

    #[test]
    fn parts_make_up_the_box() {
        let whole = of([1, 2, 3], [5, 7, 4]);
        for most in [1, 20, 45, 140, 300, 1000] {
            let parts: Vec<_> = parts(whole, 4, most).collect();
            let texels: u64 = parts.iter().map(ImageBox::texels).sum();
            assert_eq!(texels, whole.texels());
            assert!(parts.iter().all(|part| part.texels() * 4 <= most.max(20) as u64));
            let meet = |a: &ImageBox| parts.iter().filter(|b| overlap(a, b)).count();
            assert!(parts.iter().all(|part| meet(part) == 1));
        }
    }

    #[test]
    fn a_part_lies_in_the_memory_of_the_whole() {
        let whole = of([1, 2, 3], [2, 7, 4]);
        let rect =
            Rect { offset: 100, width: 8, height: 7, depth: 4, row_pitch: 10, slice_pitch: 80 };
        let part = rect_of_part(&rect, &whole, &of([1, 4, 5], [2, 1, 2]));
        assert_eq!(part, Rect { offset: 280, height: 1, depth: 2, ..rect });
    }

    #[test]
    fn boxes_that_touch_do_not_overlap() {
        assert!(!overlap(&of([0; 3], [2, 2, 1]), &of([2, 0, 0], [1, 1, 1])));
        assert!(overlap(&of([0; 3], [2, 2, 1]), &of([1, 1, 0], [1, 1, 1])));
    }
}
