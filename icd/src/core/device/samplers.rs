//! The samplers of a device that filter linearly: one for each sampler word, in the slot where kernels look for it.

use super::open::Gpu;
use crate::core::device::findings;
use hekla_compiler::kernel::sampler_word;
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use std::sync::Arc;

/// The samplers, in the order of their slots. A slot that is taken keeps its sampler.
pub type Samplers = Vec<Arc<vk::Slot>>;

/// Returns those types of channels for which the device's samplers do what OpenCL says of linear filters, of those that
/// they filter at all. They are made where that is not known.
pub fn find_filters(
    device: &Arc<vk::Device>,
    samplers: &OnceCell<Samplers>,
    of: vk::Filters,
) -> vk::Filters {
    // Where faults are injected, submissions are counted.
    if of.is_empty() || device.has_injected_fault() {
        return vk::Filters::empty();
    }
    let find = || {
        let made = samplers.get_or_try_init(|| make(device))?;
        let all: Vec<_> = (0..).map(desc).zip(made.iter().cloned()).collect();
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
fn make(device: &Arc<vk::Device>) -> Result<Samplers, vk::Error> {
    let make = |word| vk::Slot::of_sampler(device, &desc(word));
    let samplers: Samplers = (0..sampler_word::SLOTS).map(make).collect::<Result<_, _>>()?;
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
    /// Makes the samplers, where kernels use them and it is not done yet.
    ///
    /// # Errors
    /// The driver's.
    pub fn prepare_samplers(&self) -> Result<(), vk::Error> {
        if self.target.hardware_linear {
            self.samplers.get_or_try_init(|| make(&self.device))?;
        }
        Ok(())
    }
}
