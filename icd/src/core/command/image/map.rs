//! Mapping and unmapping regions of images.

use super::copy::ImageCopy;
use crate::cl::error::Result;
use crate::core::device::staging::Staging;
use crate::core::memory::image::mapping::ImageMapping;
use crate::core::memory::image::Image;
use crate::core::memory::operand::Operand;
use crate::core::queue::completion::Keep;
use crate::core::queue::event::Phase;
use crate::core::queue::execute::Execution;
use std::sync::Arc;

impl Execution<'_> {
    /// Copies the texels to the memory of a mapping, `to`.
    pub fn map_image(
        &mut self,
        image: &Image,
        mapping: &ImageMapping,
        to: &Operand,
    ) -> Result<Phase> {
        if !mapping.reads() {
            return self.mark();
        }
        let readback = &self.queue.gpu.readback;
        if let Some(staging) = mapping.staging.clone().filter(|staging| staging.is_of(readback)) {
            let copy = ImageCopy::to_staging(self.queue, (image, mapping.at), &staging)?;
            return Ok(self.copy_mapped(&copy, staging));
        }
        let phase = match image.buffer() {
            Some(mem) => {
                let from = image.rect_in_buffer(&mapping.at).shifted(mem.origin);
                self.read(mem, from, to)
            }
            None => self.read_image(image, mapping.at, to),
        }?;
        if let (Phase::Recorded { last, .. }, Some(pages)) = (phase, &mapping.pages) {
            self.queue.add_completion(last, Arc::new(Keep(pages.clone())));
        }
        Ok(phase)
    }

    /// Copies the host's writes to a mapping to the device.
    pub fn unmap_image(&mut self, image: &Image, mapping: &ImageMapping) -> Result<Phase> {
        if !mapping.writes() {
            return self.mark();
        }
        let readback = &self.queue.gpu.readback;
        if let Some(staging) = mapping.staging.clone().filter(|staging| staging.is_of(readback)) {
            // The host may have a write to the staging memory pending.
            self.settle(mapping.span())?;
            let copy = ImageCopy::from_staging(self.queue, &staging, (image, mapping.at))?;
            return Ok(self.copy_mapped(&copy, staging));
        }
        let from = Operand::own_source(mapping.rect);
        match image.buffer() {
            Some(mem) => {
                let to = image.rect_in_buffer(&mapping.at).shifted(mem.origin);
                self.write(mem, &from, to)
            }
            None => self.write_image(image, &from, mapping.at),
        }
    }

    /// Records a copy from or to the staging memory of a mapping, which is kept until the copy is
    /// complete.
    fn copy_mapped(&mut self, copy: &ImageCopy, staging: Arc<Staging>) -> Phase {
        let value = self.record(|recorder| {
            copy.append(recorder);
            recorder.retain(staging);
        });
        Phase::Recorded { first: value, last: value }
    }
}
