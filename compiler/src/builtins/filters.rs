//! Linear filters by the device's own samplers, one for each sampler word ([`binding::SAMPLER`]).
//!
//! Some drivers filter bytes in 8 bits where the addressing mode is clamp to edge or repeat, and in floats where it is any
//! other ([`Quirks::COARSE_BYTE_FILTERS`]). With such drivers clamp to edge becomes clamp to a border for images of bytes,
//! with coordinates that never reach the border, and images that repeat are filtered by arithmetic.
//!
//! [`binding::SAMPLER`]: crate::kernel::binding::SAMPLER
//! [`Quirks::COARSE_BYTE_FILTERS`]: hekla_device::Quirks::COARSE_BYTE_FILTERS

use super::images::{ImageArg, SamplerArg};
use super::Lowerer;
use crate::ir::{BinaryOp, ConvertOp, FloatCC, IntCC, MathOp, Type, Value};
use crate::kernel::image_word::{CL_SNORM_INT8, CL_UNORM_INT8, FILTERED_SHIFT, TYPE_SHIFT};
use crate::kernel::sampler_word::{
    ADDRESS_MASK, ADDRESS_SHIFT, CLAMP, FARTHEST, FARTHEST_TEXEL, NORMALIZED, REPEAT, SLOTS,
};
use crate::kernel::ImageDim::{D1, D2};
use hekla_device::Quirks;

impl Lowerer<'_, '_> {
    /// Returns the condition on which the device has a sampler that filters an image, a bool; `None` if it has none.
    ///
    /// A bit of the image's word is set if samplers filter its format. Samplers of Vulkan whose coordinates count texels are
    /// for images of one and two dimensions alone (VUID-vkCmdDispatch-None-08609). Division of coordinates by the size is no
    /// way out: it is inexact, and at the centre of a texel its neighbours must not count, however large they are.
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
        let has_filter = self.b.icmp_imm(IntCC::Ne, bit, 0);
        if !self.target.has(Quirks::COARSE_BYTE_FILTERS)
            || sampler.mode().is_some_and(|mode| mode != REPEAT)
        {
            return Some(has_filter);
        }
        let has_others = self.compare_bytes(image, IntCC::Ne);
        let never_repeats = self.compare_mode(sampler, IntCC::Ne, REPEAT);
        let is_exact = self.b.binary(BinaryOp::Or, has_others, never_repeats);
        Some(self.b.binary(BinaryOp::And, has_filter, is_exact))
    }

    /// Returns the color that a sampler of the device reads from an image.
    pub(super) fn filtered(
        &mut self,
        image: ImageArg,
        sampler: SamplerArg,
        coords: Value,
    ) -> Value {
        let mut slot = self.b.binary_imm(BinaryOp::And, sampler.word, i64::from(SLOTS - 1));
        let dim = image.view.dim;
        let mut places: Vec<Value> =
            (0..dim.coordinates()).map(|i| self.b.extract(coords, i)).collect();
        let spatial = places.len() - usize::from(dim.is_array());
        if let Some(farthest) = self.farthest(sampler) {
            for place in &mut places[..spatial] {
                *place = self.within(*place, farthest);
            }
        }
        if self.target.has(Quirks::COARSE_BYTE_FILTERS)
            && sampler.mode().is_none_or(|mode| mode < CLAMP)
        {
            slot = self.border_for_bytes(image, sampler, slot);
            self.move_to_centers(image, sampler, &mut places[..spatial]);
        }
        if let Some(layer) = places.last_mut().filter(|_| dim.is_array()) {
            // Devices round the layer, some of them not to even.
            *layer = self.b.math(MathOp::Rint, &[*layer]);
        }
        let places = self.b.build(&places);
        self.b.image_sample(image.view, image.slot, slot, places)
    }

    /// Compares the type of an image's channels with unsigned normalized bytes. Returns a bool.
    fn compare_bytes(&mut self, image: ImageArg, cc: IntCC) -> Value {
        let channel = self.b.binary_imm(BinaryOp::LShr, image.word, i64::from(TYPE_SHIFT));
        let channel = self.b.binary_imm(BinaryOp::And, channel, 31);
        self.b.icmp_imm(cc, channel, i64::from(CL_UNORM_INT8 - CL_SNORM_INT8))
    }

    /// Compares a sampler's addressing mode with another; returns a bool.
    pub(super) fn compare_mode(&mut self, sampler: SamplerArg, cc: IntCC, mode: u32) -> Value {
        let bits = i64::from(ADDRESS_MASK << ADDRESS_SHIFT);
        let its = self.b.binary_imm(BinaryOp::And, sampler.word, bits);
        self.b.icmp_imm(cc, its, i64::from(mode << ADDRESS_SHIFT))
    }

    /// Returns the slot of a sampler; if it clamps to the edge and the image is of bytes, the slot of a sampler with a border.
    fn border_for_bytes(&mut self, image: ImageArg, sampler: SamplerArg, slot: Value) -> Value {
        let bytes = self.compare_bytes(image, IntCC::Eq);
        let has_edge = self.compare_mode(sampler, IntCC::Ult, CLAMP);
        let changes = self.b.binary(BinaryOp::And, bytes, has_edge);
        let border = self.b.binary_imm(BinaryOp::And, slot, i64::from(NORMALIZED));
        let mode = i64::from(CLAMP << ADDRESS_SHIFT);
        let border = self.b.binary_imm(BinaryOp::Or, border, mode);
        self.b.select(changes, border, slot)
    }

    /// Moves places beyond the centers of an image's outermost texels to these centers if a sampler clamps to the edge: the
    /// filter gives the same color there, and the border has no weight.
    fn move_to_centers(&mut self, image: ImageArg, sampler: SamplerArg, places: &mut [Value]) {
        let sizes = self.image_size(image);
        let has_edge = self.compare_mode(sampler, IntCC::Ult, CLAMP);
        let is_normalized = self.b.binary_imm(BinaryOp::And, sampler.word, i64::from(NORMALIZED));
        let is_normalized = self.b.icmp_imm(IntCC::Ne, is_normalized, 0);
        let [half, one] = [0.5, 1.0].map(|number| self.b.fconst(Type::F32, number));
        for (place, size) in places.iter_mut().zip(sizes) {
            let size = self.b.convert(ConvertOp::SToF, size, Type::F32);
            let part = self.b.binary(BinaryOp::FDiv, half, size);
            let first = self.b.select(is_normalized, part, half);
            let end = self.b.select(is_normalized, one, size);
            let last = self.b.binary(BinaryOp::FSub, end, first);
            let is_less = self.b.fcmp(FloatCC::Olt, *place, last);
            let moved = self.b.select(is_less, *place, last);
            let is_greater = self.b.fcmp(FloatCC::Ogt, moved, first);
            let moved = self.b.select(is_greater, moved, first);
            *place = self.b.select(has_edge, moved, *place);
        }
    }

    /// Returns the farthest coordinate to give a sampler: all coordinates beyond it mean the same. `None` if there is no limit.
    fn farthest(&mut self, sampler: SamplerArg) -> Option<Value> {
        if !self.target.has(Quirks::LOST_FAR_PLACES) {
            return None;
        }
        let of_mode = |word: u32| match word & NORMALIZED != 0 {
            _ if word >> ADDRESS_SHIFT & ADDRESS_MASK >= REPEAT => f64::INFINITY,
            // With these modes, places beyond the image are moved into it.
            _ if self.target.has(Quirks::COARSE_BYTE_FILTERS)
                && sampler.mode().is_some_and(|m| m < CLAMP) =>
            {
                f64::INFINITY
            }
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
        let repeats = self.compare_mode(sampler, IntCC::Uge, REPEAT);
        Some(self.b.select(repeats, repeated, farthest))
    }

    /// Clamps a coordinate to the range from `-farthest` to `farthest`; NaN becomes one of the two.
    fn within(&mut self, place: Value, farthest: Value) -> Value {
        let zero = self.b.fconst(Type::F32, 0.0);
        let least = self.b.binary(BinaryOp::FSub, zero, farthest);
        let is_greater = self.b.fcmp(FloatCC::Ogt, place, least);
        let place = self.b.select(is_greater, place, least);
        let is_less = self.b.fcmp(FloatCC::Olt, place, farthest);
        self.b.select(is_less, place, farthest)
    }
}
