//! Linear filters by the device's own samplers, one for each sampler word ([`binding::SAMPLER`]).
//!
//! [`binding::SAMPLER`]: crate::kernel::binding::SAMPLER

use super::images::{ImageArg, SamplerArg};
use super::Lowerer;
use crate::ir::{BinaryOp, IntCC, MathOp, Value};
use crate::kernel::image_word::FILTERED_SHIFT;
use crate::kernel::sampler_word::{NORMALIZED, SLOTS};
use crate::kernel::ImageDim::{D1, D2};

impl Lowerer<'_, '_> {
    /// Returns the condition on which the device has a sampler that filters an image, a bool; `None` if it has none.
    ///
    /// The image's word tells if samplers filter its format. Samplers of Vulkan whose coordinates count texels are for
    /// images of one and two dimensions alone (VUID-vkCmdDispatch-None-08609). Dividing by the size would not do: at the
    /// centre of a texel its neighbours must not count, however large they are.
    pub(super) fn has_filter(&mut self, image: ImageArg, sampler: SamplerArg) -> Option<Value> {
        if !self.target.hardware_linear || image.level.is_some() {
            return None;
        }
        let shift = i64::from(FILTERED_SHIFT);
        let mut filtered = self.b.binary_imm(BinaryOp::LShr, image.word, shift);
        match (image.view.dim, sampler.constant) {
            (D1 | D2, _) => {}
            (_, Some(word)) if word & NORMALIZED != 0 => {}
            (_, Some(_)) => return None,
            // Bit 0 of a sampler word is `NORMALIZED`.
            (_, None) => filtered = self.b.binary(BinaryOp::And, filtered, sampler.word),
        }
        let bit = self.b.binary_imm(BinaryOp::And, filtered, i64::from(NORMALIZED));
        Some(self.b.icmp_imm(IntCC::Ne, bit, 0))
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
