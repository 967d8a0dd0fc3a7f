//! Copies between images and buffers, and fills of images, as entry points request them: the checks are the same for
//! commands that are enqueued and those that are recorded into a command buffer.

use super::recordable::{self, triple};
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::command::image::ImageCommand;
use crate::core::command::Command;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::image::boxes::overlap;
use crate::core::memory::image::texel::Colour;
use crate::core::memory::image::Image;
use crate::core::memory::rect::Rect;
use crate::core::queue::Queue;
use crate::object::Ref;
use hekla_vk_backend::ImageBox;
use smallvec::SmallVec;
use std::ffi::c_void;

/// Returns an image of a queue's context that its device has.
pub(super) fn image(queue: &Queue, handle: cl_mem) -> Result<Ref<Image>> {
    let image = Ref::<Image>::from_handle(handle)?;
    ensure!(image.context == queue.context, CL_INVALID_CONTEXT);
    image.check_device(&queue.device)?;
    image.check_acquired()?;
    image.check_plain()?;
    Ok(image)
}

/// An image, and a box in it.
pub(super) struct Region {
    pub image: Ref<Image>,
    pub at: ImageBox,
}

impl Region {
    /// # Safety
    /// The pointers are NULL or valid for three values; the origin is valid for as many values as a mipmap's origin has.
    pub unsafe fn new(
        image: Ref<Image>,
        origin: *const usize,
        region: *const usize,
    ) -> Result<Region> {
        // SAFETY: as the caller promises.
        let (mut first, region) = unsafe { (triple(origin)?, triple(region)?) };
        let level = match image.shape.level_in_origin() {
            None => 0,
            // SAFETY: the origin of a mipmap of this kind has four values.
            Some(place @ 3..) => unsafe { origin.add(place).read() },
            Some(place) => std::mem::take(&mut first[place]),
        };
        let at = image.texels_in(level, first, region)?;
        Ok(Region { image, at })
    }

    /// Returns the buffer that holds the image's texels, if a buffer does, and the bytes of the region in that buffer.
    pub fn in_buffer(&self) -> Option<(Ref<Buffer>, Rect)> {
        Some((self.image.buffer()?.clone(), self.image.rect_in_buffer(&self.at)))
    }

    fn bytes(&self) -> usize {
        self.at.texels() as usize * self.image.layout.texel()
    }
}

/// Copies between regions of images (clEnqueueCopyImage).
///
/// # Safety
/// The pointers are NULL or valid for three values.
pub(super) unsafe fn copy(
    (source, target): (Ref<Image>, Ref<Image>),
    (src_origin, dst_origin, region): (*const usize, *const usize, *const usize),
) -> Result<Command> {
    ensure!(source.format == target.format, CL_IMAGE_FORMAT_MISMATCH);
    // SAFETY: as the caller promises.
    let (from, to) = unsafe {
        (Region::new(source, src_origin, region)?, Region::new(target, dst_origin, region)?)
    };
    let same = from.image.same_storage(&to.image) && from.in_buffer().is_none();
    ensure!(!same || !overlap(&from.at, &to.at), CL_MEM_COPY_OVERLAP);
    to.image.check_mutable()?;
    let command = match (from.in_buffer(), to.in_buffer()) {
        (Some(from), Some(to)) => return recordable::copy_boxes(from, to),
        (Some((source, bytes)), None) => {
            let (target, to) = (to.image, to.at);
            ImageCommand::FromBuffer { source, from: bytes, target, to }
        }
        (None, Some((target, bytes))) => {
            let (source, from) = (from.image, from.at);
            ImageCommand::ToBuffer { source, from, target, to: bytes }
        }
        (None, None) => {
            ImageCommand::Copy { source: from.image, from: from.at, target: to.image, to: to.at }
        }
    };
    Ok(Command::Image(command.into()))
}

/// Copies a region to closely packed texels at an offset of a buffer (clEnqueueCopyImageToBuffer).
pub(super) fn copy_to_buffer(
    from: Region,
    (target, offset): (Ref<Buffer>, usize),
) -> Result<Command> {
    target.check_range(offset, from.bytes())?;
    target.check_mutable()?;
    let to = from.image.rect(&from.at, offset, 0, 0)?;
    if let Some(source) = from.in_buffer() {
        return recordable::copy_boxes(source, (target, to));
    }
    let (source, from) = (from.image, from.at);
    let command = ImageCommand::ToBuffer { source, from, target, to };
    Ok(Command::Image(command.into()))
}

/// Copies closely packed texels at an offset of a buffer to a region (clEnqueueCopyBufferToImage).
pub(super) fn copy_from_buffer(
    (source, offset): (Ref<Buffer>, usize),
    to: Region,
) -> Result<Command> {
    source.check_range(offset, to.bytes())?;
    to.image.check_mutable()?;
    let from = to.image.rect(&to.at, offset, 0, 0)?;
    if let Some(target) = to.in_buffer() {
        return recordable::copy_boxes((source, from), target);
    }
    let (target, to) = (to.image, to.at);
    let command = ImageCommand::FromBuffer { source, from, target, to };
    Ok(Command::Image(command.into()))
}

/// Fills a region with a colour (clEnqueueFillImage).
///
/// # Safety
/// `colour` is NULL or valid for the colour that the image's format requires: one word for depth, else four.
pub(super) unsafe fn fill(region: Region, colour: *const c_void) -> Result<Command> {
    ensure!(!colour.is_null(), CL_INVALID_VALUE);
    region.image.check_mutable()?;
    let format = region.image.format;
    let words = if format.image_channel_order == CL_DEPTH { 1 } else { 4 };
    let mut given = [0; 4];
    // SAFETY: as the caller promises.
    unsafe { colour.cast::<u8>().copy_to(given.as_mut_ptr().cast(), words * 4) };
    let texel: Option<SmallVec<_>> = Colour(given).texel(format);
    let texel = texel.ok_or(ClError(CL_IMAGE_FORMAT_NOT_SUPPORTED))?;
    if let Some((mem, at)) = region.in_buffer() {
        return Ok(Command::Fill { mem, at, pattern: texel });
    }
    let Region { image, at } = region;
    Ok(Command::Image(ImageCommand::Fill { image, at, texel }.into()))
}
