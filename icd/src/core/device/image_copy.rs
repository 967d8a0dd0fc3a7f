//! Creates images, and reads and writes the texels of images that no command uses, without a command queue.

use super::open::{Gpu, CHUNK};
use crate::cl::error::{ClError, Result};
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use std::sync::Arc;

/// An image that is being prepared for commands.
pub struct NewImage {
    image: Arc<vk::Image>,
    /// The timeline value of the device's image queue at which the image is prepared.
    prepared_at: u64,
    ready: OnceCell<()>,
}

impl NewImage {
    /// Returns an image in another API's memory, which needs no preparation.
    pub fn imported(image: Arc<vk::Image>) -> NewImage {
        NewImage { image, prepared_at: 0, ready: OnceCell::with_value(()) }
    }

    /// Waits until the image is prepared, and returns it.
    pub fn ready(&self, gpu: &Gpu) -> Result<&Arc<vk::Image>> {
        self.ready
            .get_or_try_init(|| Ok::<_, ClError>(gpu.image_queue()?.wait(self.prepared_at)?))?;
        Ok(&self.image)
    }
}

impl Gpu {
    /// Returns the queue that prepares images.
    fn image_queue(&self) -> Result<&vk::Queue> {
        Ok(self.image_queue.get_or_try_init(|| self.device.create_queue(false))?)
    }

    /// Makes an image and begins to prepare it. Its contents are undefined.
    pub fn create_image(&self, desc: &vk::ImageDesc) -> Result<NewImage> {
        let image = self.device.create_image(desc).map_err(|error| {
            tracing::warn!("an image: {error}");
            ClError::of_allocation(&error)
        })?;
        let queue = self.image_queue()?;
        let ((), prepared_at) = queue.record(|recorder| recorder.prepare(&image));
        queue.flush()?;
        Ok(NewImage { image, prepared_at, ready: OnceCell::new() })
    }

    /// Writes an image of one level, now, from texels whose rows and slices begin `pitches` bytes after each
    /// other. (The layers of an array are rows or slices.)
    ///
    /// # Safety
    /// The texels at `from` are readable, and not written meanwhile. No command uses the image.
    pub unsafe fn write_image_from(
        &self,
        image: &NewImage,
        from: *const u8,
        pitches: [usize; 2],
    ) -> Result<()> {
        let image = &image.image;
        let texel = image.desc().format.bytes() as usize;
        for part in parts_of_image(image) {
            let [width, height, depth] = part.size.map(|texels| texels as usize);
            let [_, y, z] = part.origin.map(|texels| texels as usize);
            let row = width * texel;
            self.write_part(image, part, |staging| {
                let rows = (0..depth).flat_map(|k| (0..height).map(move |j| (j, k)));
                for (index, (j, k)) in rows.enumerate() {
                    let at = (z + k) * pitches[1] + (y + j) * pitches[0];
                    // SAFETY: the caller vouches for the texels; the staging memory is this call's alone.
                    unsafe { staging.write_from((index * row) as u64, from.add(at), row) }?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Writes a part of an image, now, from texels that lie closely packed. No command uses the image.
    pub fn write_image(
        &self,
        image: &Arc<vk::Image>,
        part: vk::ImageBox,
        texels: &[u8],
    ) -> Result<()> {
        // SAFETY: the staging memory is this call's alone.
        self.write_part(image, part, |staging| Ok(unsafe { staging.write(0, texels) }?))
    }

    fn write_part(
        &self,
        image: &Arc<vk::Image>,
        part: vk::ImageBox,
        fill: impl FnOnce(&vk::Buffer) -> Result<()>,
    ) -> Result<()> {
        let staging = self.upload.take(size_of(image, part))?;
        fill(&staging.buffer)?;
        // The copy is ordered behind the preparation of a new image.
        let queue = self.image_queue()?;
        let ((), value) = queue.record(|recorder| {
            recorder.barrier();
            recorder.copy_to_image(&staging.buffer, 0u64, image, part);
            recorder.retain(staging.clone());
        });
        Ok(queue.wait(value)?)
    }

    /// Reads a part of an image, now, to where its texels lie closely packed. No command writes the image.
    pub fn read_image(
        &self,
        image: &Arc<vk::Image>,
        part: vk::ImageBox,
        texels: &mut [u8],
    ) -> Result<()> {
        let staging = self.readback.take(size_of(image, part))?;
        self.with_service(|queue| {
            let ((), value) = queue.record(|recorder| {
                recorder.barrier();
                recorder.copy_from_image(image, part, &staging.buffer, 0u64);
                recorder.retain(staging.clone());
            });
            Ok(queue.wait(value)?)
        })?;
        // SAFETY: the copy to the staging memory, which is this call's alone, is complete.
        Ok(unsafe { staging.buffer.read(0, texels) }?)
    }
}

/// Returns the bytes of a part of an image, closely packed.
pub fn size_of(image: &vk::Image, part: vk::ImageBox) -> u64 {
    part.texels() * u64::from(image.desc().format.bytes())
}

/// Returns boxes that make up all levels of an image, each of not much more than [`CHUNK`] bytes.
pub fn parts_of_image(image: &vk::Image) -> impl Iterator<Item = vk::ImageBox> + '_ {
    let whole = |level| vk::ImageBox { level, origin: [0; 3], size: image.size_of_level(level) };
    let texel = image.desc().format.bytes() as usize;
    (0..image.desc().levels).flat_map(move |level| parts(whole(level), texel, CHUNK))
}

/// Returns boxes that make up a box, each of at most `most` bytes (but no less than a row): some slices, or some rows
/// of one slice. `texel` is the size of a texel in bytes.
pub fn parts(at: vk::ImageBox, texel: usize, most: usize) -> impl Iterator<Item = vk::ImageBox> {
    let [width, height, depth] = at.size;
    let row = width as usize * texel;
    let fitting = |bytes: usize, whole: u32| (most / bytes).clamp(1, whole as usize) as u32;
    let rows = fitting(row, height);
    let slices = if rows < height { 1 } else { fitting(row * height as usize, depth) };
    let starts = |size: u32, step: u32| (0..size).step_by(step as usize);
    let [x, first_y, first_z] = at.origin;
    starts(depth, slices).flat_map(move |z| {
        starts(height, rows).map(move |y| vk::ImageBox {
            origin: [x, first_y + y, first_z + z],
            size: [width, rows.min(height - y), slices.min(depth - z)],
            ..at
        })
    })
}
