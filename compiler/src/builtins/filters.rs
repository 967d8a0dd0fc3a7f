//! Linear filters by the device's own samplers, one for each sampler word ([`binding::SAMPLER`]).
//!
//! [`binding::SAMPLER`]: crate::kernel::binding::SAMPLER

use super::images::{ImageArg, SamplerArg};
use super::Lowerer;
use crate::ir::{BinaryOp, ConvertOp, IntCC, MathOp, Type, Value};
use crate::kernel::sampler_word::{ADDRESS_MASK, ADDRESS_SHIFT, NORMALIZED, REPEAT, SLOTS};
use crate::kernel::ImageDim::{D1, D2};

/// How coordinates become those that the device's sampler takes.
enum Scale {
    /// They are.
    One,
    /// Those that count texels are divided by the size.
    Size,
    /// So they are if the sampler's word says it: the condition that they are not.
    SizeUnless(Value),
}

impl Lowerer<'_, '_> {
    /// Returns what a sampler of the device makes of an image.
    pub(super) fn filtered(
        &mut self,
        image: ImageArg,
        sampler: SamplerArg,
        coords: Value,
    ) -> Value {
        let scale = self.scale_of(image, sampler);
        let mut slot = self.b.binary_imm(BinaryOp::And, sampler.word, i64::from(SLOTS - 1));
        let mut size = Vec::new();
        if !matches!(scale, Scale::One) {
            slot = self.b.binary_imm(BinaryOp::Or, slot, i64::from(NORMALIZED));
            size = self.image_size(image);
        }
        let dim = image.view.dim;
        let spatial = dim.coordinates() - u8::from(dim.is_array());
        let mut places = Vec::new();
        for i in 0..dim.coordinates() {
            let place = self.b.extract(coords, i);
            places.push(match scale {
                // Devices round layers, some of them not to even.
                _ if i == spatial => self.b.math(MathOp::Rint, &[place]),
                Scale::One => place,
                Scale::Size => self.divided(place, size[usize::from(i)]),
                Scale::SizeUnless(normalized) => {
                    let divided = self.divided(place, size[usize::from(i)]);
                    self.b.select(normalized, place, divided)
                }
            });
        }
        let places = self.b.build(&places);
        self.b.image_sample(image.view, image.slot, slot, places)
    }

    /// Samplers of Vulkan whose coordinates count texels are for images of one and two dimensions alone
    /// (VUID-vkCmdDispatch-None-08609).
    fn scale_of(&mut self, image: ImageArg, sampler: SamplerArg) -> Scale {
        let mode = sampler.constant.map(|word| word >> ADDRESS_SHIFT & ADDRESS_MASK);
        match (sampler.constant, mode) {
            _ if matches!(image.view.dim, D1 | D2) => Scale::One,
            (Some(word), _) if word & NORMALIZED != 0 => Scale::One,
            (_, Some(mode)) if mode >= REPEAT => Scale::One,
            (Some(_), _) => Scale::Size,
            (None, _) => {
                let bit = self.b.binary_imm(BinaryOp::And, sampler.word, i64::from(NORMALIZED));
                Scale::SizeUnless(self.b.icmp_imm(IntCC::Ne, bit, 0))
            }
        }
    }

    fn divided(&mut self, place: Value, size: Value) -> Value {
        let size = self.b.convert(ConvertOp::SToF, size, Type::F32);
        self.b.binary(BinaryOp::FDiv, place, size)
    }
}
