//! The samplers of a device that filter linearly: one for each sampler word, in the slot where kernels look for it.

use super::open::Gpu;
use crate::core::device::findings;
use hekla_compiler::kernel::sampler_word;
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use std::sync::Arc;

/// The samplers of a device, made when a kernel is first given an image to read.
pub struct Samplers {
    /// Types of channels that the device filters at all.
    filterable: vk::Filters,
    made: OnceCell<Made>,
}

/// Samplers that are made.
struct Made {
    /// In the order of their slots. A slot that is taken keeps its sampler.
    _slots: Vec<Arc<vk::Slot>>,
    /// Types of channels for which they do what OpenCL says of linear filters.
    exact: vk::Filters,
}

impl Samplers {
    pub fn new(filterable: vk::Filters) -> Samplers {
        Samplers { filterable, made: OnceCell::new() }
    }

    /// Returns the types of channels that kernels have filtered by the samplers, which are now there.
    ///
    /// # Errors
    /// The driver's.
    pub fn filters(&self, device: &Arc<vk::Device>) -> Result<vk::Filters, vk::Error> {
        if self.filterable.is_empty() {
            return Ok(vk::Filters::empty());
        }
        let made = self.made.get_or_try_init(|| {
            let slots = make(device)?;
            let exact = find_exact(device, &slots, self.filterable);
            Ok::<_, vk::Error>(Made { _slots: slots, exact })
        })?;
        Ok(made.exact)
    }
}

/// Returns those types of channels for which the samplers do what OpenCL says of linear filters, of those that they
/// filter at all.
fn find_exact(
    device: &Arc<vk::Device>,
    samplers: &[Arc<vk::Slot>],
    of: vk::Filters,
) -> vk::Filters {
    // Where faults are injected, submissions are counted.
    if vk::has_injected_fault() {
        return vk::Filters::empty();
    }
    let find = || {
        let all: Vec<_> = (0..).map(desc).zip(samplers.iter().cloned()).collect();
        device.find_filters(&all, of)
    };
    let decode = |bytes: &[u8]| match *bytes {
        [bits] => vk::Filters::from_bits(bits),
        _ => None,
    };
    let found = findings::of(device, "filters", |found| vec![found.bits()], decode, find);
    found.unwrap_or_else(|error| {
        tracing::warn!("{}: the samplers were not probed: {error}", device.info().name);
        vk::Filters::empty()
    })
}

/// Makes the samplers of a device, which has no others.
fn make(device: &Arc<vk::Device>) -> Result<Vec<Arc<vk::Slot>>, vk::Error> {
    let make = |word| vk::Slot::of_sampler(device, &desc(word));
    let samplers: Vec<_> = (0..sampler_word::SLOTS).map(make).collect::<Result<_, _>>()?;
    let in_place = samplers.iter().zip(0..).all(|(slot, word)| slot.index() == word);
    let taken = || vk::Error::Invalid("slots of samplers are taken".into());
    in_place.then_some(samplers).ok_or_else(taken)
}

/// Returns the linear sampler of a word. (Where coordinates count texels nothing can repeat; what has no meaning is
/// some sampler.)
fn desc(word: u32) -> vk::SamplerDesc {
    let address_mode = match word >> sampler_word::ADDRESS_SHIFT & sampler_word::ADDRESS_MASK {
        sampler_word::CLAMP => vk::AddressMode::ClampToBorder,
        sampler_word::REPEAT => vk::AddressMode::Repeat,
        sampler_word::MIRRORED_REPEAT => vk::AddressMode::MirroredRepeat,
        _ => vk::AddressMode::ClampToEdge,
    };
    let repeats = matches!(address_mode, vk::AddressMode::Repeat | vk::AddressMode::MirroredRepeat);
    let normalized = word & sampler_word::NORMALIZED != 0 || repeats;
    vk::SamplerDesc { address_mode, linear: true, normalized, integer: false }
}

impl Gpu {
    /// Returns the types of channels of images that kernels have filtered by the device's own samplers. The first call
    /// finds out, and makes them.
    ///
    /// # Errors
    /// The driver's.
    pub fn filters(&self) -> Result<vk::Filters, vk::Error> {
        self.samplers.filters(&self.device)
    }
}
