//! Reads and writes of images: copies between the application's memory and texels, by way of staging memory.

use crate::cl::error::Result;
use crate::core::command::host_copy::HostCopy;
use crate::core::command::transfer::{copy_all, tight};
use crate::core::context::host_ranges::HostRange;
use crate::core::device::image_copy::parts;
use crate::core::device::open::{chunk_size, ChunksInFlight};
use crate::core::device::staging::Staging;
use crate::core::memory::host::HostAddress;
use crate::core::memory::image::boxes::rect_of_part;
use crate::core::memory::image::Image;
use crate::core::memory::operand::{Operand, Parts, SharedPart};
use crate::core::memory::rect::{runs, Rect, Run};
use crate::core::queue::event::Phase;
use crate::core::queue::execute::Execution;
use hekla_vk_backend as vk;
use std::sync::Arc;
use vk::ImageBox;

/// A part of a transfer: a box of texels, and the staging memory that it passes through.
struct Part {
    at: ImageBox,
    /// The part's bytes in the application's memory.
    host: Rect,
    staging: Arc<Staging>,
    /// The part's bytes in the staging memory, closely packed.
    packed: Rect,
}

/// Returns the boxes of a transfer's parts, each with its bytes in the application's memory.
fn cut(texel: usize, at: ImageBox, host: Rect) -> impl Iterator<Item = (ImageBox, Rect)> {
    let parts = parts(at, texel, chunk_size(host.bytes()));
    parts.map(move |part| (part, rect_of_part(&host, &at, &part)))
}

impl Part {
    fn new((at, host): (ImageBox, Rect), (staging, base): (Arc<Staging>, u64)) -> Part {
        let packed = tight(&Rect { offset: base as usize, ..host });
        Part { at, host, staging, packed }
    }

    /// Returns the offset of the part's bytes in the staging memory.
    fn base(&self) -> u64 {
        self.packed.offset as u64
    }

    /// Copies runs between the staging memory and the device memory behind addresses that the application gave.
    fn copy_shared(&self, recorder: &mut vk::Recorder, divided: &Parts, to_shared: bool) {
        let region = |range: &HostRange, run: &Run| {
            let (src_offset, dst_offset) = match to_shared {
                true => (run.from as u64, range.offset_of(run.to)),
                false => (range.offset_of(run.from), run.to as u64),
            };
            vk::CopyRegion { src_offset, dst_offset, size: run.size as u64 }
        };
        for part in divided.shared.iter().filter(|part| !part.runs.is_empty()) {
            let SharedPart { range, buffer, runs } = part;
            let regions: Vec<_> = runs.iter().map(|run| region(range, run)).collect();
            let ends = match to_shared {
                true => (&self.staging.buffer, *buffer),
                false => (*buffer, &self.staging.buffer),
            };
            copy_all(recorder, ends, &regions);
            range.staging.iter().for_each(|staging| recorder.retain(staging.clone()));
        }
    }
}

impl Execution<'_> {
    /// Copies a box of an image to the application's memory.
    pub fn read_image(&mut self, image: &Image, from: ImageBox, to: &Operand) -> Result<Phase> {
        let source = image.on_device(self.queue.device_index)?;
        let (mut first, mut pace) = (None, ChunksInFlight::default());
        for part in cut(image.layout.texel(), from, to.rect) {
            self.keep_pace(&mut pace)?;
            let bytes = part.1.bytes();
            let part = Part::new(part, self.state.readback.take(bytes as u64)?);
            let runs = runs(&part.packed, &part.host);
            let divided = to.divide(&self.queue.gpu, runs, |run| run.to)?;
            let value = self.record(|recorder| {
                recorder.copy_from_image(&source, part.at, &part.staging.buffer, part.base());
                if !divided.shared.is_empty() {
                    recorder.barrier();
                    part.copy_shared(recorder, &divided, true);
                }
                recorder.retain(part.staging.clone());
            });
            let copy = HostCopy::new(part.staging, divided.own.into(), to.write().cloned());
            self.queue.add_completion(value, Arc::new(copy));
            first.get_or_insert(value);
            self.start_chunk(&mut pace, value, bytes)?;
        }
        if self.blocking {
            self.waits.extend(pace.rest());
        }
        Ok(self.recorded(first))
    }

    /// Copies the application's memory to a box of an image.
    pub fn write_image(&mut self, image: &Image, from: &Operand, to: ImageBox) -> Result<Phase> {
        self.settle(from.span())?;
        let target = image.on_device(self.queue.device_index)?;
        let (mut first, mut pace) = (None, ChunksInFlight::default());
        for part in cut(image.layout.texel(), to, from.rect) {
            self.keep_pace(&mut pace)?;
            let bytes = part.1.bytes();
            let part = Part::new(part, self.state.upload.take(bytes as u64)?);
            let runs = runs(&part.host, &part.packed);
            let divided = from.divide(&self.queue.gpu, runs, |run| run.from)?;
            for run in &divided.own {
                let source = HostAddress(run.from).as_ptr();
                // SAFETY: the staging memory is this command's alone; the write names the application's memory and
                // has not completed.
                unsafe { part.staging.buffer.write_from(run.to as u64, source, run.size) }?;
            }
            let value = self.record(|recorder| {
                if !divided.shared.is_empty() {
                    part.copy_shared(recorder, &divided, false);
                    recorder.barrier();
                }
                recorder.copy_to_image(&part.staging.buffer, part.base(), &target, part.at);
                recorder.retain(part.staging.clone());
            });
            first.get_or_insert(value);
            self.start_chunk(&mut pace, value, bytes)?;
        }
        Ok(self.recorded(first))
    }
}
