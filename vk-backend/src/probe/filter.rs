//! The linear filter of a device's samplers, compared with the formulas of OpenCL C 8.2.
//!
//! OpenCL does not bound the filter's error. The bound here is the one of its conformance tests: 1/128 of the largest texel
//! that counts, or a step of a normalized integer.

use std::sync::Arc;

use bitflags::bitflags;

use crate::asm::{KernelBuilder, Op};
use crate::device::{Binding, Device, PipelineDesc};
use crate::error::Error;
use crate::memory::{AddressMode, Component, ImageDesc, SamplerDesc, Slot};
use crate::physical::{Format, ImageKind, MemoryKind};
use crate::pipeline::Pipeline;
use crate::record::ImageBox;
use crate::submit::Queue;
use hekla_device::Quirks;

/// Texels in each direction: no power of two.
const SIZE: u32 = 6;
/// Places that are sampled. In images of three dimensions, half of the places are those where weights of 8 bits are at their
/// worst. (In two dimensions the errors of two such weights come to about the bound of the conformance tests: no test refused
/// the results of an H200, and its vendor's OpenCL gives the same.)
const PLACES: u32 = 512;
/// Those of the places that are far away.
const FAR: [f32; 8] = [-1e36, -3e9, -1e8, -70_000.0, 70_000.0, 1e8, 3e9, 1e36];
const ERROR: f64 = 1.0 / 128.0;

bitflags! {
    /// The types of channels whose formats samplers filter linearly as exactly as OpenCL requires.
    ///
    /// Signed normalized and sRGB formats are never among them: on an H200 (driver 580) the conformance tests refuse the
    /// results for CL_SNORM_INT8 and CL_sRGBA.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Filters: u8 {
        /// Unsigned normalized 8-bit integers.
        const UNORM_8 = 1;
        /// Unsigned normalized 16-bit integers.
        const UNORM_16 = 2;
        /// Halves.
        const FLOAT_16 = 4;
        /// Single precision numbers.
        const FLOAT_32 = 8;
    }
}

/// Each type of channels with its formats, of which the last is sampled, and the least error that its texels allow.
const TYPES: [(Filters, &[Format], f64); 4] = [
    (
        Filters::UNORM_8,
        &[Format::R8_UNORM, Format::R8G8_UNORM, Format::R8G8B8A8_UNORM],
        1.0 / 255.0,
    ),
    (
        Filters::UNORM_16,
        &[Format::R16_UNORM, Format::R16G16_UNORM, Format::R16G16B16A16_UNORM],
        0.0,
    ),
    (
        Filters::FLOAT_16,
        &[Format::R16_SFLOAT, Format::R16G16_SFLOAT, Format::R16G16B16A16_SFLOAT],
        0.0,
    ),
    (
        Filters::FLOAT_32,
        &[Format::R32_SFLOAT, Format::R32G32_SFLOAT, Format::R32G32B32A32_SFLOAT],
        0.0,
    ),
];

impl Filters {
    /// Returns the type of a format's channels; empty for other types.
    pub fn of(format: Format) -> Filters {
        let found = TYPES.iter().find(|(_, formats, _)| formats.contains(&format));
        found.map_or(Filters::empty(), |(filters, ..)| *filters)
    }
}

/// Returns those of some channel types for which every linear sampler, in its slot, computes the specification's formulas: the
/// types for images of two dimensions, and those for images of three. `farthest`: the farthest coordinates that samplers are
/// given, in texels and normalized, unless images repeat.
pub(crate) fn find(
    device: &Arc<Device>,
    samplers: &[(SamplerDesc, Arc<Slot>)],
    of: Filters,
    farthest: [f32; 2],
) -> Result<[Filters; 2], Error> {
    let queue = device.create_queue(false)?;
    let mut found = [of; 2];
    for (kind, found) in [ImageKind::D2, ImageKind::D3].into_iter().zip(&mut found) {
        // Samplers whose coordinates count texels are only for images of one and two dimensions.
        let fits = |(desc, _): &&(SamplerDesc, _)| desc.normalized || kind == ImageKind::D2;
        let samplers: Vec<_> = samplers.iter().filter(fits).collect();
        let axes = if kind == ImageKind::D3 { 3 } else { 2 };
        let spirv = kernel(kind, axes);
        let desc = PipelineDesc {
            spirv: &spirv,
            entry: "main",
            name: "probe of filters",
            specialization: &[],
            push_constant_size: 32,
            uses_images: true,
            subgroups: Default::default(),
        };
        // SAFETY: the assembler makes valid modules of what the device has.
        let pipeline = unsafe { device.create_pipeline(&desc) }?;
        let axes = axes as usize;
        for (filter, formats, least_error) in TYPES {
            let Some(&format) = formats.last().filter(|_| found.contains(filter)) else { continue };
            let (slot, texels) = image(&queue, device, kind, format)?;
            let image = Probed { axes, texels, least_error, slot, farthest };
            let samplers: Vec<_> = samplers
                .iter()
                .copied()
                .filter(|(desc, _)| is_used(device, filter, desc))
                .collect();
            if !image.is_sampled_well(&queue, device, &pipeline, &samplers)? {
                let name = &device.info().name;
                tracing::info!("{name}: samplers do not filter {kind:?} {format:?}");
                found.remove(filter);
            }
        }
    }
    Ok(found)
}

/// Returns true if kernels let a sampler filter a channel type. They do not let lavapipe's samplers that filter bytes in 8
/// bits: the conformance tests refuse the results, although the tolerance here allows them.
fn is_used(device: &Device, filter: Filters, desc: &SamplerDesc) -> bool {
    let coarse = device.info().quirks.contains(Quirks::COARSE_BYTE_FILTERS);
    let has_edge = matches!(desc.address_mode, AddressMode::ClampToEdge | AddressMode::Repeat);
    !(coarse && filter == Filters::UNORM_8 && has_edge)
}

/// An image that is sampled.
struct Probed {
    axes: usize,
    /// The value of all components, for each texel.
    texels: Vec<f64>,
    least_error: f64,
    slot: Arc<Slot>,
    farthest: [f32; 2],
}

impl Probed {
    /// Returns true if all samplers compute the specification's formulas.
    fn is_sampled_well(
        &self,
        queue: &Queue,
        device: &Arc<Device>,
        pipeline: &Arc<Pipeline>,
        samplers: &[&(SamplerDesc, Arc<Slot>)],
    ) -> Result<bool, Error> {
        let places = |(desc, _): &&(SamplerDesc, _)| places(desc, self.axes, self.farthest);
        let all: Vec<f32> = samplers.iter().flat_map(places).collect();
        let bytes: Vec<u8> = all.iter().flat_map(|at| at.to_le_bytes()).collect();
        let texels = samplers.len() * PLACES as usize;
        let from = device.create_buffer(bytes.len() as u64, MemoryKind::Upload)?;
        let to = device.create_buffer(texels as u64 * 16, MemoryKind::Readback)?;
        // SAFETY: nothing else knows the buffer.
        unsafe { from.write(0, &bytes) }?;
        let ((), value) = queue.record(|r| {
            r.barrier();
            [&from, &to].into_iter().for_each(|buffer| r.retain(buffer.clone()));
            r.retain(self.slot.clone());
            for ((_, sampler), i) in samplers.iter().zip(0u64..) {
                r.retain(sampler.clone());
                let first = i * u64::from(PLACES);
                let numbers = [&self.slot, sampler].map(|slot| u64::from(slot.index()));
                let read = from.address() + first * 4 * self.axes as u64;
                let push = [numbers[0], numbers[1], read, to.address() + first * 16];
                let push: Vec<u8> = push.iter().flat_map(|word| word.to_le_bytes()).collect();
                // SAFETY: the buffers have the elements of each invocation; all is retained.
                unsafe { r.dispatch(pipeline, &push, [PLACES, 1, 1]) };
            }
        });
        queue.wait(value)?;
        let mut bytes = vec![0; texels * 16];
        // SAFETY: the command is complete.
        unsafe { to.read(0, &mut bytes) }?;
        let found: Vec<f32> =
            bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
        let (of_one, texels_of_one) = (PLACES as usize * self.axes, PLACES as usize * 4);
        let mut runs = samplers.iter().zip(all.chunks(of_one)).zip(found.chunks(texels_of_one));
        Ok(runs.all(|(((desc, _), places), found)| self.agrees(desc, places, found)))
    }

    /// Returns true if a sampler's results at these places agree with the specification's formulas.
    fn agrees(&self, desc: &SamplerDesc, places: &[f32], found: &[f32]) -> bool {
        places.chunks(self.axes).zip(found.chunks(4)).all(|(place, texel)| {
            let (expected, largest) = self.expected(desc, place);
            let error = (ERROR * largest).max(self.least_error);
            let agrees = texel.iter().all(|found| (f64::from(*found) - expected).abs() <= error);
            if !agrees {
                tracing::info!("{desc:?} makes {texel:?} of {place:?}, not {expected}");
            }
            agrees
        })
    }

    /// Returns the result of the specification's formulas, and the largest texel that counts.
    fn expected(&self, desc: &SamplerDesc, place: &[f32]) -> (f64, f64) {
        // Index and weight of every texel around the place.
        let mut around: Vec<(Option<usize>, f64)> = vec![(Some(0), 1.0)];
        for (axis, at) in place.iter().enumerate() {
            let stride = SIZE.pow(axis as u32) as usize;
            let sides = sides(desc, f64::from(*at));
            let both = |(index, weight): (Option<usize>, f64)| {
                sides
                    .map(|(at, more)| (index.zip(at).map(|(i, at)| i + at * stride), weight * more))
            };
            around = around.into_iter().flat_map(both).collect();
        }
        let mut result = (0.0, 0.0f64);
        for (index, weight) in around {
            let texel = index.map_or(0.0, |index| self.texels[index]);
            result = (result.0 + weight * texel, result.1.max(texel.abs()));
        }
        result
    }
}

/// Returns the two texels around a place on one axis, `None` beyond the border, with their weights.
fn sides(desc: &SamplerDesc, at: f64) -> [(Option<usize>, f64); 2] {
    let size = f64::from(SIZE);
    let at = if desc.normalized { at * size } else { at } - 0.5;
    let (first, weight) = (at.floor(), at - at.floor());
    let index = |index: f64| {
        let inside = match desc.address_mode {
            AddressMode::ClampToEdge => index.clamp(0.0, size - 1.0),
            AddressMode::ClampToBorder => index,
            AddressMode::Repeat => index.rem_euclid(size),
            AddressMode::MirroredRepeat => {
                let twice = index.rem_euclid(2.0 * size);
                twice.min(2.0 * size - 1.0 - twice)
            }
        };
        (0.0..size).contains(&inside).then_some(inside as usize)
    };
    [(index(first), 1.0 - weight), (index(first + 1.0), weight)]
}

/// Returns places within and around the image, and some that are far away: none for images that repeat. Of three axes the
/// second half is near centers of texels, where the errors of all weights add up: weights of 8 bits that are rounded are off
/// by 0.45 of their last place, all in the same direction.
fn places(desc: &SamplerDesc, axes: usize, farthest: [f32; 2]) -> Vec<f32> {
    let farthest = farthest[usize::from(desc.normalized)];
    let repeats = matches!(desc.address_mode, AddressMode::Repeat | AddressMode::MirroredRepeat);
    let place = |i: u32| {
        if axes == 3 && i >= PLACES / 2 * axes as u32 {
            let (texel, weight) = (hash(i) % SIZE, hash(i) >> 16 & 7);
            let at = f64::from(texel) + 0.5 + (f64::from(weight) + 0.45) / 256.0;
            return if desc.normalized { at / f64::from(SIZE) } else { at } as f32;
        }
        let far = FAR.get(i as usize).filter(|_| !repeats);
        let near = (f64::from(hash(i)) / f64::from(u32::MAX) * 4.0 - 1.5) as f32;
        let far = far.map(|far| far.clamp(-farthest, farthest));
        far.unwrap_or(if desc.normalized { near } else { near * SIZE as f32 })
    };
    (0..PLACES * axes as u32).map(place).collect()
}

/// Returns a pseudo-random number.
pub(super) fn hash(i: u32) -> u32 {
    let mixed = (i ^ i >> 16).wrapping_add(1).wrapping_mul(0x7FEB_352D);
    (mixed ^ mixed >> 15).wrapping_mul(0x846C_A68B)
}

/// Makes an image, and returns its slot and its texels, each as the value that all components have. In three dimensions
/// neighbouring float texels have different signs, and none is small.
fn image(
    queue: &Queue,
    device: &Arc<Device>,
    kind: ImageKind,
    format: Format,
) -> Result<(Arc<Slot>, Vec<f64>), Error> {
    let extent = [SIZE, SIZE, if kind == ImageKind::D3 { SIZE } else { 1 }];
    let components = Component::IDENTITY;
    let desc =
        ImageDesc { kind, format, read_as: format, extent, layers: 1, levels: 1, components };
    let is_float = (Filters::FLOAT_16 | Filters::FLOAT_32).contains(Filters::of(format));
    // Texels are multiples of 1/255 or, for floats, of 1/256.
    let texel = |i: u32| match (hash(i) >> 24) as i16 {
        texel if !is_float || kind != ImageKind::D3 => texel,
        texel if (i + i / SIZE + i / (SIZE * SIZE)) % 2 == 1 => -(texel | 0xC0),
        texel => texel | 0xC0,
    };
    let texels: Vec<i16> = (0..extent.iter().product()).map(texel).collect();
    let component = |texel: i16| match Filters::of(format) {
        Filters::UNORM_8 => vec![texel as u8],
        // The number is 257 times the byte, and the channel's maximum is 257 times the byte's.
        Filters::UNORM_16 => vec![texel as u8; 2],
        Filters::FLOAT_16 => half(texel).to_le_bytes().to_vec(),
        _ => (f32::from(texel) / 256.0).to_le_bytes().to_vec(),
    };
    let bytes: Vec<u8> = texels.iter().flat_map(|texel| component(*texel).repeat(4)).collect();
    let slot = filled(queue, device, &desc, &bytes)?;
    let one = if is_float { 256.0 } else { 255.0 };
    Ok((slot, texels.iter().map(|texel| f64::from(*texel) / one).collect()))
}

/// Makes an image with these bytes, and returns its slot.
pub(super) fn filled(
    queue: &Queue,
    device: &Arc<Device>,
    desc: &ImageDesc,
    bytes: &[u8],
) -> Result<Arc<Slot>, Error> {
    let image = device.create_image(desc)?;
    let staging = device.create_buffer(bytes.len() as u64, MemoryKind::Upload)?;
    // SAFETY: nothing uses the buffer yet.
    unsafe { staging.write(0, bytes) }?;
    let at = ImageBox { level: 0, origin: [0; 3], size: image.size_of_level(0) };
    let ((), value) = queue.record(|r| {
        r.prepare(&image);
        r.copy_to_image(&staging, 0, &image, at);
    });
    queue.wait(value)?;
    Slot::of_image(&image, Binding::SampledImage, 0)
}

/// Returns `number` / 256 as a half; the magnitude is less than 1.
fn half(number: i16) -> u16 {
    let (sign, magnitude) = (u16::from(number < 0) << 15, number.unsigned_abs());
    let Some(exponent) = magnitude.checked_ilog2() else { return sign };
    // The leading one is not stored; 2 to the -8 has the exponent 7.
    let fraction = (magnitude << (10 - exponent)) & 0x3FF;
    sign | (exponent as u16 + 7) << 10 | fraction
}

/// Makes the kernel: each invocation samples at a place from the array of the third push constant, and writes the result to the
/// array of the fourth; the first two push constants are the slots.
fn kernel(kind: ImageKind, axes: u32) -> Vec<u32> {
    let mut k = KernelBuilder::new(4);
    let (float, uint) = (k.float(32), k.uint());
    let images = k.images(Binding::SampledImage, kind, float);
    let samplers = k.samplers();
    let (image, sampler, id) = (k.push_word(0), k.push_word(1), k.global_id_x());
    let stride = k.constant(axes);
    let first = k.binary(Op::IMul, uint, id, stride);
    let mut place = Vec::new();
    for axis in 0..axes {
        let axis = k.constant(axis);
        let at = k.binary(Op::IAdd, uint, first, axis);
        place.push(k.load(2, float, at));
    }
    let vector = k.vector(float, axes);
    let place = k.compose(vector, &place);
    let texel = k.sample((images, image), (samplers, sampler), place);
    let texels = k.vector(float, 4);
    k.store(3, texels, id, texel);
    k.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_256ths() {
        assert_eq!([0, 1, 2, 128, 192, 255].map(half), [0, 0x1C00, 0x2000, 0x3800, 0x3A00, 0x3BF8]);
        assert_eq!([-1, -255].map(half), [0x9C00, 0xBBF8]);
    }

    #[test]
    fn formats_have_the_type_of_their_channels() {
        assert_eq!(Filters::of(Format::R16_SFLOAT), Filters::FLOAT_16);
        assert_eq!(Filters::of(Format::R8G8B8A8_UNORM), Filters::UNORM_8);
        for format in [Format::R8_SNORM, Format::R8G8B8A8_SRGB, Format::R32_UINT] {
            assert_eq!(Filters::of(format), Filters::empty(), "{format:?}");
        }
    }

    #[test]
    fn the_texels_around_a_place_are_those_of_the_address_mode() {
        let around = |address_mode, at| {
            let desc =
                SamplerDesc { address_mode, linear: true, normalized: false, integer: false };
            sides(&desc, at).map(|(index, _)| index)
        };
        use AddressMode::*;
        assert_eq!(around(ClampToEdge, 2.75), [Some(2), Some(3)]);
        assert_eq!(around(ClampToEdge, 0.25), [Some(0), Some(0)]);
        assert_eq!(around(ClampToBorder, 0.25), [None, Some(0)]);
        assert_eq!(around(Repeat, 0.25), [Some(5), Some(0)]);
        assert_eq!(around(MirroredRepeat, 0.25), [Some(0), Some(0)]);
        assert_eq!(around(MirroredRepeat, 6.75), [Some(5), Some(4)]);
        let desc =
            SamplerDesc { address_mode: Repeat, linear: true, normalized: true, integer: false };
        assert_eq!(sides(&desc, 0.5), [(Some(2), 0.5), (Some(3), 0.5)]);
    }
}
