//! Linear filters by the device's own samplers, one for each sampler word ([`binding::SAMPLER`]).
//!
//! [`binding::SAMPLER`]: crate::kernel::binding::SAMPLER

use super::images::{ImageArg, SamplerArg};
use super::Lowerer;
use crate::ir::{BinaryOp, FloatCC, IntCC, MathOp, Type, Value};
use crate::kernel::image_word::FILTERED_SHIFT;
use crate::kernel::sampler_word::{
    ADDRESS_MASK, ADDRESS_SHIFT, FARTHEST, FARTHEST_TEXEL, NORMALIZED, REPEAT, SLOTS,
};
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
        if let Some(farthest) = self.farthest(sampler) {
            let spatial = places.len() - usize::from(dim.is_array());
            for place in &mut places[..spatial] {
                *place = self.within(*place, farthest);
            }
        }
        if let Some(layer) = places.last_mut().filter(|_| dim.is_array()) {
            // Devices round it, some of them not to even.
            *layer = self.b.math(MathOp::Rint, &[*layer]);
        }
        let places = self.b.build(&places);
        self.b.image_sample(image.view, image.slot, slot, places)
    }

    /// Returns the farthest coordinate that a sampler is given, beyond which all are alike; `None` if it is given all.
    fn farthest(&mut self, sampler: SamplerArg) -> Option<Value> {
        if !self.target.loses_far_places {
            return None;
        }
        let of_mode = |word: u32| match word & NORMALIZED != 0 {
            _ if word >> ADDRESS_SHIFT & ADDRESS_MASK >= REPEAT => f64::INFINITY,
            true => FARTHEST.into(),
            false => FARTHEST_TEXEL.into(),
        };
        if let Some(word) = sampler.constant {
            let farthest = of_mode(word);
            return farthest.is_finite().then(|| self.b.fconst(Type::F32, farthest));
        }
        let [texels, normalized, repeated] = [0, NORMALIZED, REPEAT << ADDRESS_SHIFT]
            .map(|word| self.b.fconst(Type::F32, of_mode(word)));
        let bit = self.b.binary_imm(BinaryOp::And, sampler.word, i64::from(NORMALIZED));
        let is_normalized = self.b.icmp_imm(IntCC::Ne, bit, 0);
        let farthest = self.b.select(is_normalized, normalized, texels);
        let bits = i64::from(ADDRESS_MASK << ADDRESS_SHIFT);
        let mode = self.b.binary_imm(BinaryOp::And, sampler.word, bits);
        let repeats = self.b.icmp_imm(IntCC::Uge, mode, i64::from(REPEAT << ADDRESS_SHIFT));
        Some(self.b.select(repeats, repeated, farthest))
    }

    /// Returns a coordinate, or the nearest one that is no farther than another; for NaN one of those.
    fn within(&mut self, place: Value, farthest: Value) -> Value {
        let zero = self.b.fconst(Type::F32, 0.0);
        let least = self.b.binary(BinaryOp::FSub, zero, farthest);
        let is_greater = self.b.fcmp(FloatCC::Ogt, place, least);
        let place = self.b.select(is_greater, place, least);
        let is_less = self.b.fcmp(FloatCC::Olt, place, farthest);
        self.b.select(is_less, place, farthest)
    }
}
