//! Operations on images: preparing them, and copies between images and from and to buffers.

use std::sync::Arc;

use ash::vk;

use crate::memory::{Buffer, Image};
use crate::physical::ImageKind;
use crate::record::recorder::Recorder;

/// A box of texels of one level of an image. The layers of an array count as the dimension after its last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageBox {
    /// The mip level.
    pub level: u32,
    /// The first texel.
    pub origin: [u32; 3],
    /// Texels in each dimension.
    pub size: [u32; 3],
}

impl ImageBox {
    /// Returns the box of a whole level.
    pub fn of_level(image: &Image, level: u32) -> ImageBox {
        ImageBox { level, origin: [0; 3], size: image.size_of_level(level) }
    }

    /// Returns the number of texels.
    pub fn texels(&self) -> u64 {
        self.size.iter().map(|n| u64::from(*n)).product()
    }

    /// Returns true if the box is not empty and lies in the image.
    fn is_within(&self, image: &Image) -> bool {
        let in_level = self.level < image.desc().levels;
        let fits = |dim: usize| {
            let end = self.origin[dim].checked_add(self.size[dim]);
            self.size[dim] > 0 && end.is_some_and(|end| end <= image.size_of_level(self.level)[dim])
        };
        in_level && (0..3).all(fits)
    }

    /// Returns Vulkan's description of the box: layers, offset, extent.
    fn parts(&self, kind: ImageKind) -> (vk::ImageSubresourceLayers, vk::Offset3D, vk::Extent3D) {
        let ([x, y, z], [width, height, depth]) = (self.origin, self.size);
        let whole = [y, height, z, depth];
        let ([layer, count], [y, height, z, depth]) = match kind {
            ImageKind::D1Array => ([y, height], [0, 1, 0, 1]),
            ImageKind::D2Array => ([z, depth], [y, height, 0, 1]),
            ImageKind::D1 | ImageKind::D2 | ImageKind::D3 => ([0, 1], whole),
        };
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: self.level,
            base_array_layer: layer,
            layer_count: count,
        };
        let offset = vk::Offset3D { x: x as i32, y: y as i32, z: z as i32 };
        (layers, offset, vk::Extent3D { width, height, depth })
    }
}

/// The place of a box's texels in a buffer, and the distances of their rows and slices. A number converts to the place of
/// closely packed texels at that byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TexelPlace {
    /// Bytes from the beginning of the buffer; a multiple of 4 and of a texel's bytes.
    pub offset: u64,
    /// Texels from row to row; 0 if rows are closely packed.
    pub row_length: u32,
    /// Rows from slice to slice, or from layer to layer of an array; 0 if slices follow each other without a gap.
    pub slice_rows: u32,
}

impl From<u64> for TexelPlace {
    fn from(offset: u64) -> TexelPlace {
        TexelPlace { offset, row_length: 0, slice_rows: 0 }
    }
}

impl TexelPlace {
    /// Returns the number of texels in the buffer from the first one of a box to its last one, with the gaps.
    fn span(self, at: ImageBox, kind: ImageKind) -> u64 {
        let [width, _, _] = at.size.map(u64::from);
        let [rows, slices] = rows_and_slices(at, kind);
        let row = u64::from(self.row_length.max(at.size[0]));
        let slice = row * u64::from(self.slice_rows).max(rows);
        slices.saturating_sub(1) * slice + rows.saturating_sub(1) * row + width
    }
}

/// Returns the number of rows in a slice of a box, and the number of slices. The lines of a one-dimensional array are slices of
/// one row.
fn rows_and_slices(at: ImageBox, kind: ImageKind) -> [u64; 2] {
    let [_, height, depth] = at.size.map(u64::from);
    match kind {
        ImageKind::D1Array => [1, height * depth],
        _ => [height, depth],
    }
}

impl Recorder<'_> {
    /// Makes a new image ready for all other operations, on this queue or on another one that waits for this command. Its
    /// contents are undefined afterwards.
    pub fn prepare(&mut self, image: &Arc<Image>) {
        let Some(batch) = self.batch.as_deref_mut() else { return };
        let ours = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::ImageMemoryBarrier::default()
            .dst_access_mask(ours)
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image.raw)
            .subresource_range(image.subresources());
        let (all, none) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
        // SAFETY: the command buffer is recording under the queue's lock; the batch retains the image, which nothing
        // has used yet.
        unsafe {
            let raw = &self.device.raw;
            raw.cmd_pipeline_barrier(batch.commands, all, all, none, &[], &[], &[barrier]);
        }
        batch.retained.push(image.clone());
    }

    /// Acquires ownership of an image in imported memory from the external queue family, as
    /// [`Recorder::acquire`](crate::Recorder::acquire) acquires a buffer's.
    pub fn acquire_image(&mut self, image: &Arc<Image>) {
        self.transfer_image(image, [vk::QUEUE_FAMILY_EXTERNAL, self.device.physical.queue_family]);
    }

    /// Releases ownership of an image in imported memory to the external queue family.
    pub fn release_image(&mut self, image: &Arc<Image>) {
        self.transfer_image(image, [self.device.physical.queue_family, vk::QUEUE_FAMILY_EXTERNAL]);
    }

    /// Records a queue family ownership transfer of an image (Vulkan specification, 7.7.4) between two families. The image is
    /// in the layout GENERAL on both sides, in which images in rows have the same texels for everybody.
    fn transfer_image(&mut self, image: &Arc<Image>, [from, to]: [u32; 2]) {
        let Some(batch) = self.batch.as_deref_mut() else { return };
        let ours = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        // Accesses of the external queue family are ignored.
        let access =
            |family| if family == vk::QUEUE_FAMILY_EXTERNAL { Default::default() } else { ours };
        let barrier = vk::ImageMemoryBarrier::default()
            .src_access_mask(access(from))
            .dst_access_mask(access(to))
            .old_layout(vk::ImageLayout::GENERAL)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .image(image.raw)
            .subresource_range(image.subresources());
        let (all, none) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
        // SAFETY: the command buffer is recording under the queue's lock; the batch retains the image.
        unsafe {
            let raw = &self.device.raw;
            raw.cmd_pipeline_barrier(batch.commands, all, all, none, &[], &[], &[barrier]);
        }
        batch.retained.push(image.clone());
    }

    /// Copies texels of a buffer to a box of an image.
    ///
    /// # Panics
    /// When the box is empty or not in the image, the texels are not in the buffer, or their offset is not a multiple of 4 and
    /// of a texel's bytes.
    pub fn copy_to_image(
        &mut self,
        from: &Arc<Buffer>,
        place: impl Into<TexelPlace>,
        to: &Arc<Image>,
        at: ImageBox,
    ) {
        let region = region(from, place.into(), to, at);
        let Some(batch) = self.batch.as_deref_mut() else { return };
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: the command buffer is recording under the queue's lock, the ranges are checked, the batch retains
        // both, and the image is prepared.
        unsafe {
            let raw = &self.device.raw;
            raw.cmd_copy_buffer_to_image(batch.commands, from.raw, to.raw, layout, &[region]);
        }
        batch.add_transfer("copy to image", [from.clone(), to.clone()]);
    }

    /// Copies a box of an image to a buffer.
    ///
    /// # Panics
    /// Like [`Recorder::copy_to_image`].
    pub fn copy_from_image(
        &mut self,
        from: &Arc<Image>,
        at: ImageBox,
        to: &Arc<Buffer>,
        place: impl Into<TexelPlace>,
    ) {
        let region = region(to, place.into(), from, at);
        let Some(batch) = self.batch.as_deref_mut() else { return };
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: as in `copy_to_image`.
        unsafe {
            let raw = &self.device.raw;
            raw.cmd_copy_image_to_buffer(batch.commands, from.raw, layout, to.raw, &[region]);
        }
        batch.writes_host |= to.read_by_host();
        batch.add_transfer("copy from image", [from.clone(), to.clone()]);
    }

    /// Copies a box of an image to a box of an image of the same format, which begins at `origin` of `level`. If both are in
    /// one image, the boxes must not overlap.
    ///
    /// # Panics
    /// When a box is empty or not in its image, the formats differ, or one image has one dimension and the other
    /// more.
    pub fn copy_image(
        &mut self,
        (from, at): (&Arc<Image>, ImageBox),
        (to, level, origin): (&Arc<Image>, u32, [u32; 3]),
    ) {
        let target = ImageBox { level, origin, ..at };
        assert!(at.is_within(from) && target.is_within(to), "a copy reaches beyond an image");
        assert!(can_copy(from, to), "a copy between images that are too different");
        let (src_subresource, src_offset, from_extent) = at.parts(from.desc().kind);
        let (dst_subresource, dst_offset, to_extent) = target.parts(to.desc().kind);
        let Some(batch) = self.batch.as_deref_mut() else { return };
        // If one image has layers and the other has depth, the extent has the depth of the latter.
        let depth = from_extent.depth.max(to_extent.depth);
        let region = vk::ImageCopy {
            src_subresource,
            src_offset,
            dst_subresource,
            dst_offset,
            extent: vk::Extent3D { depth, ..from_extent },
        };
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: as in `copy_to_image`.
        unsafe {
            let (raw, commands) = (&self.device.raw, batch.commands);
            raw.cmd_copy_image(commands, from.raw, layout, to.raw, layout, &[region]);
        }
        batch.add_transfer("copy of images", [from.clone(), to.clone()]);
    }
}

/// Returns true if [`Recorder::copy_image`] supports copies between two images.
pub fn can_copy(from: &Image, to: &Image) -> bool {
    let is_line = |image: &Image| matches!(image.desc().kind, ImageKind::D1 | ImageKind::D1Array);
    from.desc().format == to.desc().format && is_line(from) == is_line(to)
}

fn region(buffer: &Buffer, place: TexelPlace, image: &Image, at: ImageBox) -> vk::BufferImageCopy {
    let (offset, bytes) = (place.offset, u64::from(image.desc().format.bytes()));
    assert!(at.is_within(image), "a copy reaches beyond an image");
    let kind = image.desc().kind;
    assert!(place.row_length == 0 || place.row_length >= at.size[0], "rows that overlap");
    let [rows, _] = rows_and_slices(at, kind);
    let slice = u64::from(place.slice_rows);
    assert!(slice == 0 || slice >= rows, "slices that overlap");
    assert!(buffer.contains(offset, place.span(at, kind) * bytes), "a copy beyond a buffer's end");
    assert!(offset.is_multiple_of(4) && offset.is_multiple_of(bytes), "a misaligned copy");
    let (image_subresource, image_offset, image_extent) = at.parts(kind);
    vk::BufferImageCopy {
        buffer_offset: offset,
        buffer_row_length: place.row_length,
        buffer_image_height: place.slice_rows,
        image_subresource,
        image_offset,
        image_extent,
    }
}
