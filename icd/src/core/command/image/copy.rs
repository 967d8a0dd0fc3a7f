//! Copies between images and buffers, and fills of images, as they are recorded by a queue or into a command buffer.

use crate::cl::error::Result;
use crate::core::command::transfer::{copy_all, tight};
use crate::core::device::image_copy::parts;
use crate::core::device::open::CHUNK;
use crate::core::device::staging::{Arena, Staging};
use crate::core::memory::buffer::Buffer;
use crate::core::memory::image::boxes::rect_of_part;
use crate::core::memory::image::Image;
use crate::core::memory::rect::{runs, Rect};
use crate::core::queue::Queue;
use hekla_vk_backend as vk;
use std::sync::Arc;
use vk::ImageBox;

/// A copy from an image, to an image or both; or a fill of an image.
pub enum ImageCopy {
    /// A copy between images that the device can copy directly.
    Images { source: Arc<vk::Image>, from: ImageBox, target: Arc<vk::Image>, to: ImageBox },
    /// A copy between other images, by way of staging memory.
    ByBuffer {
        source: Arc<vk::Image>,
        from: ImageBox,
        target: Arc<vk::Image>,
        to: ImageBox,
        stop: Arc<Staging>,
    },
    /// A copy from an image to texels in a buffer. `stop`: staging memory in between, if the texels do not lie in the buffer as
    /// the device can write them.
    ToBuffer {
        source: Arc<vk::Image>,
        from: ImageBox,
        target: Arc<vk::Buffer>,
        to: Rect,
        stop: Option<Arc<Staging>>,
    },
    /// A copy from texels in a buffer to an image.
    FromBuffer {
        source: Arc<vk::Buffer>,
        from: Rect,
        target: Arc<vk::Image>,
        to: ImageBox,
        stop: Option<Arc<Staging>>,
    },
    /// A fill of a box with a texel, which staging memory from `base` on holds many times.
    Fill { staging: Arc<Staging>, base: u64, target: Arc<vk::Image>, at: ImageBox },
    /// A copy from a box of one buffer to a box of another.
    Boxes { source: Arc<vk::Buffer>, from: Rect, target: Arc<vk::Buffer>, to: Rect },
}

/// Returns the bytes of a texel.
fn texel(image: &vk::Image) -> usize {
    image.desc().format.bytes() as usize
}

/// Returns the bytes of a box, closely packed.
fn bytes(image: &vk::Image, at: &ImageBox) -> u64 {
    at.texels() * texel(image) as u64
}

/// Returns the parts of a box, each with the offset of its bytes within the bytes of the box.
fn offsets(image: &vk::Image, at: ImageBox) -> impl Iterator<Item = (ImageBox, u64)> + '_ {
    let mut offset = 0;
    parts(at, texel(image), CHUNK).map(move |part| {
        let start = offset;
        offset += bytes(image, &part);
        (part, start)
    })
}

/// Returns staging memory that is large enough for each part of a box.
fn stop(queue: &Queue, image: &vk::Image, at: ImageBox) -> Result<Arc<Staging>> {
    let size = parts(at, texel(image), CHUNK).map(|part| bytes(image, &part)).max();
    queue.gpu.readback.take(size.unwrap_or(0))
}

/// Returns staging memory if texels in a buffer cannot be copied directly to or from an image.
fn stop_of_buffer(
    queue: &Queue,
    image: &vk::Image,
    at: ImageBox,
    in_buffer: &Rect,
) -> Result<Option<Arc<Staging>>> {
    let Rect { offset, height, row_pitch, slice_pitch, .. } = *in_buffer;
    let aligned = offset.is_multiple_of(4) && offset.is_multiple_of(texel(image));
    // The box has one slice, or its slices follow each other without gaps.
    let regular = row_pitch.is_multiple_of(texel(image))
        && (in_buffer.depth == 1 || slice_pitch == height * row_pitch);
    (!aligned || !regular).then(|| stop(queue, image, at)).transpose()
}

/// Returns the place of an image's texels in a buffer.
fn place(image: &vk::Image, in_buffer: &Rect) -> vk::TexelPlace {
    let row_length = (in_buffer.row_pitch / texel(image)) as u32;
    vk::TexelPlace { offset: in_buffer.offset as u64, row_length, slice_rows: 0 }
}

/// Copies between boxes of buffers.
fn copy_boxes(
    recorder: &mut vk::Recorder,
    (source, from): (&Arc<vk::Buffer>, &Rect),
    (target, to): (&Arc<vk::Buffer>, &Rect),
) {
    let regions: Vec<_> = runs(from, to)
        .map(|run| vk::CopyRegion {
            src_offset: run.from as u64,
            dst_offset: run.to as u64,
            size: run.size as u64,
        })
        .collect();
    copy_all(recorder, (source, target), &regions);
}

impl ImageCopy {
    /// Prepares a copy of a box of an image to a box of the same size of another image.
    pub fn images(
        queue: &Queue,
        (source, from): (&Image, ImageBox),
        (target, to): (&Image, ImageBox),
    ) -> Result<ImageCopy> {
        let source = source.on_device(queue.device_index)?;
        let target = target.on_device(queue.device_index)?;
        if vk::can_copy(&source, &target) {
            return Ok(ImageCopy::Images { source, from, target, to });
        }
        let stop = stop(queue, &source, from)?;
        Ok(ImageCopy::ByBuffer { source, from, target, to, stop })
    }

    /// Prepares a copy of a box of an image to a box of a buffer, which counts from the beginning of the buffer object.
    pub fn to_buffer(
        queue: &Queue,
        (source, from): (&Image, ImageBox),
        (target, to): (&Buffer, Rect),
    ) -> Result<ImageCopy> {
        let source = source.on_device(queue.device_index)?;
        let to = to.shifted(target.origin);
        let stop = stop_of_buffer(queue, &source, from, &to)?;
        let target = target.on_device(queue.device_index)?;
        Ok(ImageCopy::ToBuffer { source, from, target, to, stop })
    }

    /// Prepares a copy of a box of a buffer, which counts from the beginning of the buffer object, to a box of an image.
    pub fn from_buffer(
        queue: &Queue,
        (source, from): (&Buffer, Rect),
        (target, to): (&Image, ImageBox),
    ) -> Result<ImageCopy> {
        let target = target.on_device(queue.device_index)?;
        let from = from.shifted(source.origin);
        let stop = stop_of_buffer(queue, &target, to, &from)?;
        let source = source.on_device(queue.device_index)?;
        Ok(ImageCopy::FromBuffer { source, from, target, to, stop })
    }

    /// Prepares a copy of a box of an image to closely packed texels at the beginning of staging memory.
    pub fn to_staging(
        queue: &Queue,
        (source, from): (&Image, ImageBox),
        staging: &Staging,
    ) -> Result<ImageCopy> {
        let (target, to) = (staging.buffer.clone(), source.rect(&from, 0, 0, 0)?);
        if let Some(mem) = source.buffer() {
            let from = source.rect_in_buffer(&from).shifted(mem.origin);
            let source = mem.on_device(queue.device_index)?;
            return Ok(ImageCopy::Boxes { source, from, target, to });
        }
        let source = source.on_device(queue.device_index)?;
        Ok(ImageCopy::ToBuffer { source, from, target, to, stop: None })
    }

    /// Prepares a copy of closely packed texels at the beginning of staging memory to a box of an image.
    pub fn from_staging(
        queue: &Queue,
        staging: &Staging,
        (target, to): (&Image, ImageBox),
    ) -> Result<ImageCopy> {
        let (source, from) = (staging.buffer.clone(), target.rect(&to, 0, 0, 0)?);
        if let Some(mem) = target.buffer() {
            let to = target.rect_in_buffer(&to).shifted(mem.origin);
            let target = mem.on_device(queue.device_index)?;
            return Ok(ImageCopy::Boxes { source, from, target, to });
        }
        let target = target.on_device(queue.device_index)?;
        Ok(ImageCopy::FromBuffer { source, from, target, to, stop: None })
    }

    /// Prepares a fill of a box with a texel.
    pub fn fill(
        queue: &Queue,
        upload: &mut Arena,
        (target, at): (&Image, ImageBox),
        texel: &[u8],
    ) -> Result<ImageCopy> {
        let target = target.on_device(queue.device_index)?;
        let most = parts(at, texel.len(), CHUNK).map(|part| part.texels()).max().unwrap_or(0);
        let (staging, base) = upload.take(most * texel.len() as u64)?;
        // SAFETY: the piece of staging memory is this command's alone.
        unsafe { staging.buffer.write(base, &texel.repeat(most as usize)) }?;
        Ok(ImageCopy::Fill { staging, base, target, at })
    }

    pub fn append(&self, recorder: &mut vk::Recorder) {
        match self {
            ImageCopy::Images { source, from, target, to } => {
                recorder.copy_image((source, *from), (target, to.level, to.origin));
            }
            ImageCopy::ByBuffer { source, from, target, to, stop } => {
                let moved = |part: &ImageBox| {
                    let moved = |dim: usize| to.origin[dim] + part.origin[dim] - from.origin[dim];
                    ImageBox { level: to.level, origin: [0, 1, 2].map(moved), ..*part }
                };
                for (part, start) in offsets(source, *from) {
                    between(recorder, start);
                    recorder.copy_from_image(source, part, &stop.buffer, 0u64);
                    recorder.barrier();
                    recorder.copy_to_image(&stop.buffer, 0u64, target, moved(&part));
                }
                recorder.retain(stop.clone());
            }
            ImageCopy::ToBuffer { source, from, target, to, stop: None } => {
                recorder.copy_from_image(source, *from, target, place(source, to));
            }
            ImageCopy::FromBuffer { source, from, target, to, stop: None } => {
                recorder.copy_to_image(source, place(target, from), target, *to);
            }
            ImageCopy::Boxes { source, from, target, to } => {
                copy_boxes(recorder, (source, from), (target, to));
            }
            ImageCopy::ToBuffer { source, from, target, to, stop: Some(stop) } => {
                for (part, start) in offsets(source, *from) {
                    between(recorder, start);
                    recorder.copy_from_image(source, part, &stop.buffer, 0u64);
                    recorder.barrier();
                    let to = rect_of_part(to, from, &part);
                    let packed = tight(&Rect { offset: 0, ..to });
                    copy_boxes(recorder, (&stop.buffer, &packed), (target, &to));
                }
                recorder.retain(stop.clone());
            }
            ImageCopy::FromBuffer { source, from, target, to, stop: Some(stop) } => {
                for (part, start) in offsets(target, *to) {
                    between(recorder, start);
                    let from = rect_of_part(from, to, &part);
                    let packed = tight(&Rect { offset: 0, ..from });
                    copy_boxes(recorder, (source, &from), (&stop.buffer, &packed));
                    recorder.barrier();
                    recorder.copy_to_image(&stop.buffer, 0u64, target, part);
                }
                recorder.retain(stop.clone());
            }
            ImageCopy::Fill { staging, base, target, at } => {
                for (part, _) in offsets(target, *at) {
                    recorder.copy_to_image(&staging.buffer, *base, target, part);
                }
                recorder.retain(staging.clone());
            }
        }
    }
}

/// Orders a part behind the part before it, which used the same staging memory.
fn between(recorder: &mut vk::Recorder, start: u64) {
    if start > 0 {
        recorder.barrier();
    }
}
