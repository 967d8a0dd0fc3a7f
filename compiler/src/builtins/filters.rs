//! Linear filters by the device's own samplers, one for each sampler word ([`binding::SAMPLER`]).
//!
//! [`binding::SAMPLER`]: crate::kernel::binding::SAMPLER

use super::images::{ImageArg, SamplerArg};
use super::Lowerer;
use crate::ir::{BinaryOp, MathOp, Value};
use crate::kernel::sampler_word::{NORMALIZED, SLOTS};
use crate::kernel::ImageDim::{D1, D2};

impl Lowerer<'_, '_> {
    /// Returns true if the device has a sampler that filters an image; `None` if it has where coordinates are normalized.
    ///
    /// Samplers of Vulkan whose coordinates count texels are for images of one and two dimensions alone
    /// (VUID-vkCmdDispatch-None-08609). Dividing by the size would not do: at the centre of a texel its neighbours must
    /// not count, however large they are.
    pub(super) fn has_filter(&self, image: ImageArg, sampler: SamplerArg) -> Option<bool> {
        match image.view.dim {
            _ if !self.target.hardware_linear || image.level.is_some() => Some(false),
            D1 | D2 => Some(true),
            _ => sampler.constant.map(|word| word & NORMALIZED != 0),
        }
    }

    /// Returns what a sampler of the device makes of an image.
    pub(super) fn filtered(
        &mut self,
        image: ImageArg,
        sampler: SamplerArg,
        coords: Value,
    ) -> Value {
        let slot = self.b.binary_imm(BinaryOp::And, sampler.word, i64::from(SLOTS - 1));
        let dim = image.view.dim;
        let mut places: Vec<Value> =
            (0..dim.coordinates()).map(|i| self.b.extract(coords, i)).collect();
        if let Some(layer) = places.last_mut().filter(|_| dim.is_array()) {
            // Devices round it, some of them not to even.
            *layer = self.b.math(MathOp::Rint, &[*layer]);
        }
        let places = self.b.build(&places);
        self.b.image_sample(image.view, image.slot, slot, places)
    }
}
