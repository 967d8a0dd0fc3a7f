//! The samplers of a device, each in the slot in which kernels expect it: a linear one for each sampler word, and samplers that
//! find the nearest texel.

use super::open::Gpu;
use crate::core::device::findings;
use hekla_compiler::kernel::sampler_word;
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use std::sync::Arc;

/// The samplers of a device, made when a kernel is first given an image to read, or the device is first asked about them.
pub struct Samplers {
    /// The types of channels that the device filters, exactly or not.
    filterable: vk::Filters,
    /// True if kernels read the nearest texel through samplers.
    samples_texels: bool,
    /// The samplers in the order of their slots. A slot that is taken keeps its sampler.
    made: OnceCell<Vec<Arc<vk::Slot>>>,
    /// The types of channels that the samplers filter linearly as OpenCL defines it, for images of up to two dimensions and of
    /// three.
    exact: OnceCell<[vk::Filters; 2]>,
}

impl Samplers {
    /// Returns the samplers of a device, which are made later. `has_images`: kernels may have image arguments.
    pub fn new(device: &Arc<vk::Device>, has_images: bool, filterable: vk::Filters) -> Samplers {
        let (made, exact) = Default::default();
        let mut samplers = Samplers { filterable, samples_texels: false, made, exact };
        let slow_fetches = device.info().quirks.contains(vk::Quirks::SLOW_TEXEL_FETCHES);
        samplers.samples_texels = has_images && slow_fetches && samplers.find_texels(device);
        samplers
    }

    /// Returns true if kernels read the nearest texel through samplers: on devices whose fetches are slower, if the samplers
    /// are as exact.
    pub fn samples_texels(&self) -> bool {
        self.samples_texels
    }

    /// Returns the channel types that hardware samplers filter for kernels, for images of up to two dimensions and of three.
    /// Makes the samplers.
    ///
    /// # Errors
    /// The driver's.
    pub fn filters(&self, device: &Arc<vk::Device>) -> Result<[vk::Filters; 2], vk::Error> {
        if self.filterable.is_empty() {
            if self.samples_texels {
                self.all(device)?;
            }
            return Ok([vk::Filters::empty(); 2]);
        }
        let samplers = self.all(device)?;
        Ok(*self.exact.get_or_init(|| find_exact(device, samplers, self.filterable)))
    }

    /// Returns all of the samplers.
    fn all(&self, device: &Arc<vk::Device>) -> Result<&[Arc<vk::Slot>], vk::Error> {
        self.made.get_or_try_init(|| make(device)).map(Vec::as_slice)
    }

    /// Returns true if the samplers find the nearest texel exactly.
    fn find_texels(&self, device: &Arc<vk::Device>) -> bool {
        // With injected faults submissions are counted, so nothing is probed.
        if vk::has_injected_fault() {
            return false;
        }
        let find = || {
            let [.., by_texel, normalized] = self.all(device)? else { return Ok(false) };
            device.finds_texels(by_texel, normalized, sampler_word::FARTHEST_TEXEL)
        };
        let decode = |bytes: &[u8]| match *bytes {
            [finds] => Some(finds != 0),
            _ => None,
        };
        let found = findings::of(device, "texels", |found| vec![u8::from(*found)], decode, find);
        found.unwrap_or_else(|error| {
            tracing::warn!("{}: the samplers were not probed: {error}", device.info().name);
            false
        })
    }
}

/// Returns the types of channels among `of` that the samplers filter linearly as OpenCL defines it, for images of up to two
/// dimensions and of three.
fn find_exact(
    device: &Arc<vk::Device>,
    samplers: &[Arc<vk::Slot>],
    of: vk::Filters,
) -> [vk::Filters; 2] {
    // With injected faults submissions are counted, so nothing is probed.
    if vk::has_injected_fault() {
        return [vk::Filters::empty(); 2];
    }
    let find = || {
        let linear = (0..sampler_word::SLOTS).map(desc);
        let all: Vec<_> = linear.zip(samplers.iter().cloned()).collect();
        let farthest = match device.info().quirks.contains(vk::Quirks::LOST_FAR_PLACES) {
            true => [sampler_word::FARTHEST_TEXEL, sampler_word::FARTHEST],
            false => [f32::INFINITY; 2],
        };
        device.find_filters(&all, of, farthest)
    };
    let decode = |bytes: &[u8]| match *bytes {
        [flat, solid] => Some([vk::Filters::from_bits(flat)?, vk::Filters::from_bits(solid)?]),
        _ => None,
    };
    let encode = |found: &[vk::Filters; 2]| found.map(|filters| filters.bits()).to_vec();
    findings::of(device, "filters", encode, decode, find).unwrap_or_else(|error| {
        tracing::warn!("{}: the samplers were not probed: {error}", device.info().name);
        [vk::Filters::empty(); 2]
    })
}

/// Makes the samplers of a device. The device must have no other samplers, which would take their slots.
fn make(device: &Arc<vk::Device>) -> Result<Vec<Arc<vk::Slot>>, vk::Error> {
    let make = |slot| vk::Slot::of_sampler(device, &desc(slot));
    let samplers: Vec<_> = (0..sampler_word::ALL_SLOTS).map(make).collect::<Result<_, _>>()?;
    let in_place = samplers.iter().zip(0..).all(|(slot, word)| slot.index() == word);
    let taken = || vk::Error::Invalid("slots of samplers are taken".into());
    in_place.then_some(samplers).ok_or_else(taken)
}

/// Returns the description of the sampler in a slot: the linear sampler of a sampler word, or one that finds the nearest texel.
/// (Repetition is not possible with unnormalized coordinates; for a word without meaning the result does not matter.)
fn desc(slot: u32) -> vk::SamplerDesc {
    let linear = slot < sampler_word::NEAREST;
    let address_mode = match slot >> sampler_word::ADDRESS_SHIFT & sampler_word::ADDRESS_MASK {
        _ if !linear => vk::AddressMode::ClampToEdge,
        sampler_word::CLAMP => vk::AddressMode::ClampToBorder,
        sampler_word::REPEAT => vk::AddressMode::Repeat,
        sampler_word::MIRRORED_REPEAT => vk::AddressMode::MirroredRepeat,
        _ => vk::AddressMode::ClampToEdge,
    };
    let repeats = matches!(address_mode, vk::AddressMode::Repeat | vk::AddressMode::MirroredRepeat);
    let normalized = slot & sampler_word::NORMALIZED != 0 || repeats;
    vk::SamplerDesc { address_mode, linear, normalized, integer: false }
}

impl Gpu {
    /// Returns the types of channels that kernels let the device's own samplers filter. `is_solid`: for images of three
    /// dimensions. The first call makes and probes the samplers.
    ///
    /// # Errors
    /// The driver's.
    pub fn filters(&self, is_solid: bool) -> Result<vk::Filters, vk::Error> {
        let [flat, solid] = self.samplers.filters(&self.device)?;
        Ok(if is_solid { solid } else { flat })
    }
}
