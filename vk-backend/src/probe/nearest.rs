//! Samplers that find the nearest texel, compared with fetches.

use std::sync::Arc;

use super::filter::{filled, hash};
use crate::asm::{KernelBuilder, Op};
use crate::device::{Binding, Device, PipelineDesc};
use crate::error::Error;
use crate::memory::{Component, ImageDesc, Slot};
use crate::physical::{Format, ImageKind, MemoryKind};
use crate::pipeline::Pipeline;
use crate::submit::Queue;

/// Places that are sampled of each image.
const PLACES: u32 = 512;

/// Places far away, beyond the lower edge.
const FAR: [f32; 4] = [f32::NEG_INFINITY, -1e36, -3e9, -70_000.0];

/// Kinds of images, with width, height, and depth or layers: long in one direction, and no powers of two.
const KINDS: [(ImageKind, [u32; 3]); 4] = [
    (ImageKind::D1, [2039, 1, 1]),
    (ImageKind::D2, [1021, 6, 1]),
    (ImageKind::D2Array, [7, 509, 3]),
    (ImageKind::D3, [6, 5, 509]),
];

/// Formats, and true for those that kernels read as floats, false for integers.
const FORMATS: [(Format, bool); 3] = [
    (Format::R8G8B8A8_UNORM, true),
    (Format::R32G32B32A32_SFLOAT, true),
    (Format::R32G32B32A32_UINT, false),
];

/// Returns true if both samplers, of which the second has normalized coordinates, find the same texels as fetches.
pub(crate) fn finds_texels(
    device: &Arc<Device>,
    samplers: [&Arc<Slot>; 2],
    farthest: f32,
) -> Result<bool, Error> {
    let queue = device.create_queue(false)?;
    for (kind, size) in KINDS {
        let normalized = !matches!(kind, ImageKind::D1 | ImageKind::D2);
        let sampler = samplers[usize::from(normalized)];
        let probed = Probed { kind, size, sampler, farthest };
        for is_float in [true, false] {
            let spirv = probed.kernel(is_float);
            let desc = PipelineDesc {
                spirv: &spirv,
                entry: "main",
                name: "probe of nearest texels",
                specialization: &[],
                push_constant_size: 48,
                uses_images: true,
                subgroups: Default::default(),
            };
            // SAFETY: the assembler makes valid modules of what the device has.
            let pipeline = unsafe { device.create_pipeline(&desc) }?;
            for (format, _) in FORMATS.into_iter().filter(|(_, float)| *float == is_float) {
                let image = filled(&queue, device, &probed.image(format), &probed.texels(format))?;
                if !probed.finds(&queue, device, &pipeline, &image)? {
                    let name = &device.info().name;
                    tracing::info!("{name}: samplers do not find texels of {kind:?} {format:?}");
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// Images of one kind.
struct Probed<'a> {
    kind: ImageKind,
    size: [u32; 3],
    sampler: &'a Arc<Slot>,
    farthest: f32,
}

impl Probed<'_> {
    /// Returns the number of coordinates of the image kind.
    fn axes(&self) -> usize {
        match self.kind {
            ImageKind::D1 => 1,
            ImageKind::D1Array | ImageKind::D2 => 2,
            ImageKind::D2Array | ImageKind::D3 => 3,
        }
    }

    fn image(&self, format: Format) -> ImageDesc {
        let [width, height, last] = self.size;
        let (depth, layers) = match self.kind {
            ImageKind::D2Array => (1, last),
            _ => (last, 1),
        };
        ImageDesc {
            kind: self.kind,
            format,
            read_as: format,
            extent: [width, height, depth],
            layers,
            levels: 1,
            components: Component::IDENTITY,
        }
    }

    /// Returns the bytes of an image's texels, all of which differ.
    fn texels(&self, format: Format) -> Vec<u8> {
        let texel = |i: u32| match format {
            Format::R8G8B8A8_UNORM => i.wrapping_mul(0x9E37_79B1).to_le_bytes().to_vec(),
            Format::R32G32B32A32_SFLOAT => (i as f32).to_le_bytes().repeat(4),
            _ => i.to_le_bytes().repeat(4),
        };
        (0..self.size.iter().product()).flat_map(texel).collect()
    }

    /// Returns the places that are sampled, and for each the texel that must be found.
    fn places(&self) -> (Vec<f32>, Vec<u32>) {
        let by_texel = matches!(self.kind, ImageKind::D1 | ImageKind::D2);
        let all = (0..PLACES * self.axes() as u32).map(|i| {
            let axis = i as usize % self.axes();
            let random = hash(i);
            let size = self.size[axis];
            // The places include two texels beyond the image on each side.
            let index = (random >> 8) % (size + 4);
            let index = index as f32 - 2.0;
            let inside = index.clamp(0.0, size as f32 - 1.0);
            let place = match random & 7 {
                0 if index < 0.0 => FAR[(random >> 3) as usize % FAR.len()],
                0 if index > inside => self.farthest,
                1 if by_texel => index,
                2 if by_texel => (index + 1.0).next_down(),
                _ => index + 0.5,
            };
            let place = match self.kind {
                ImageKind::D2Array if axis == 2 => inside,
                _ if by_texel => place,
                _ => place * (1.0 / size as f32),
            };
            (place, inside as u32)
        });
        all.unzip()
    }

    /// Returns true if the sampler finds every texel of an image.
    fn finds(
        &self,
        queue: &Queue,
        device: &Arc<Device>,
        pipeline: &Arc<Pipeline>,
        image: &Arc<Slot>,
    ) -> Result<bool, Error> {
        let (places, indices) = self.places();
        let places: Vec<u8> = places.iter().flat_map(|at| at.to_le_bytes()).collect();
        let indices: Vec<u8> = indices.iter().flat_map(|at| at.to_le_bytes()).collect();
        let upload = |bytes: &[u8]| {
            let buffer = device.create_buffer(bytes.len() as u64, MemoryKind::Upload)?;
            // SAFETY: nothing else knows the buffer.
            unsafe { buffer.write(0, bytes) }?;
            Ok::<_, Error>(buffer)
        };
        let from = [upload(&places)?, upload(&indices)?];
        let bytes = u64::from(PLACES) * 16;
        let to = [(); 2].map(|()| device.create_buffer(bytes, MemoryKind::Readback));
        let [sampled, fetched] = to;
        let to = [sampled?, fetched?];
        let ((), value) = queue.record(|r| {
            r.barrier();
            from.iter().chain(&to).for_each(|buffer| r.retain(buffer.clone()));
            r.retain(image.clone());
            r.retain(self.sampler.clone());
            let slots = [image, self.sampler].map(|slot| u64::from(slot.index()));
            let buffers = from.iter().chain(&to).map(|buffer| buffer.address());
            let push: Vec<u8> =
                slots.into_iter().chain(buffers).flat_map(|word| word.to_le_bytes()).collect();
            // SAFETY: the buffers have the elements of each invocation; all is retained.
            unsafe { r.dispatch(pipeline, &push, [PLACES, 1, 1]) };
        });
        queue.wait(value)?;
        let mut found = [vec![0; bytes as usize], vec![0; bytes as usize]];
        for (buffer, found) in to.iter().zip(&mut found) {
            // SAFETY: the command is complete.
            unsafe { buffer.read(0, found) }?;
        }
        Ok(found[0] == found[1])
    }

    /// Makes the kernel: each invocation samples at a place from the array of the third push constant, and fetches a texel
    /// whose index is in the array of the fourth. It writes both results to the arrays of the last two. The first two push
    /// constants are the slots.
    fn kernel(&self, is_float: bool) -> Vec<u32> {
        let mut k = KernelBuilder::new(6);
        let (float, uint) = (k.float(32), k.uint());
        let component = if is_float { float } else { uint };
        let images = k.images(Binding::SampledImage, self.kind, component);
        let samplers = k.samplers();
        let (image, sampler, id) = (k.push_word(0), k.push_word(1), k.global_id_x());
        let axes = self.axes() as u32;
        let stride = k.constant(axes);
        let first = k.binary(Op::IMul, uint, id, stride);
        let (mut place, mut index) = (Vec::new(), Vec::new());
        for axis in 0..axes {
            let axis = k.constant(axis);
            let at = k.binary(Op::IAdd, uint, first, axis);
            place.push(k.load(2, float, at));
            index.push(k.load(3, uint, at));
        }
        let mut vector = |component, lanes: &[u32]| match *lanes {
            [lane] => lane,
            _ => {
                let vector = k.vector(component, axes);
                k.compose(vector, lanes)
            }
        };
        let (place, index) = (vector(float, &place), vector(uint, &index));
        let sampled = k.sample((images, image), (samplers, sampler), place);
        let fetched = k.fetch(images, image, index);
        let texel = k.vector(component, 4);
        k.store(4, texel, id, sampled);
        k.store(5, texel, id, fetched);
        k.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_texels_of_an_image_are_alike() {
        for (_, size) in KINDS {
            let count: u32 = size.iter().product();
            let mut bytes: Vec<u32> = (0..count).map(|i| i.wrapping_mul(0x9E37_79B1)).collect();
            bytes.sort_unstable();
            bytes.dedup();
            assert_eq!(bytes.len(), count as usize);
        }
    }
}
