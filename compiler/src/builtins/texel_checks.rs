//! Marks for the checks of coordinates (`HEKLA_CHECK`) that OpenCL C requires to lie in the image (6.15.15.2, 8.2). The mark
//! is a call of the library's `__texel_mark`, which [`crate::passes::check`] replaces by the check.

use super::images::{ImageArg, SamplerArg};
use super::Lowerer;
use crate::checks::Checks;
use crate::ir::{BinaryOp, ConvertOp, IntCC, Type, Value};
use crate::kernel::sampler_word;

impl Lowerer<'_, '_> {
    fn checks_texels(&self) -> bool {
        self.target.checks.contains(Checks::BOUNDS) && !self.in_library
    }

    /// Marks the coordinates of a texel that is read or written, including the layer.
    pub(super) fn mark_texel(&mut self, image: ImageArg, coords: Value, writes: bool) {
        if self.checks_texels() {
            let size = self.image_size(image);
            let at = (0..size.len()).map(|i| self.b.extract(coords, i as u8)).collect();
            self.mark(image, at, size, writes);
        }
    }

    /// Marks the coordinates of a read with a sampler, which must lie in the image if the sampler has no addressing mode. The
    /// layer is not marked: a layer beyond the image always means the nearest one.
    pub(super) fn mark_sampled(&mut self, image: ImageArg, sampler: SamplerArg, coords: Value) {
        let may_be_none = sampler.mode().is_none_or(|mode| mode == sampler_word::NONE);
        if !self.checks_texels() || !may_be_none {
            return;
        }
        let mut size = self.image_size(image);
        size.truncate(size.len() - usize::from(image.view.dim.is_array()));
        let mut at = Vec::new();
        for (i, &extent) in size.iter().enumerate() {
            let place = self.b.extract(coords, i as u8);
            let index = match self.b.ty(place).scalar.is_int() {
                true => place,
                false => match self.texel_index(sampler, place, extent) {
                    Some(index) => index,
                    None => return,
                },
            };
            at.push(index);
        }
        if sampler.constant.is_none() {
            let zero = self.b.iconst(Type::I32, 0);
            let is_none = self.compare_mode(sampler, IntCC::Eq, sampler_word::NONE);
            at = at.into_iter().map(|index| self.b.select(is_none, index, zero)).collect();
        }
        self.mark(image, at, size, false);
    }

    /// Returns the index of the texel at a float coordinate. Coordinates beyond the image give -1 or the size.
    fn texel_index(&mut self, sampler: SamplerArg, place: Value, size: Value) -> Option<Value> {
        let extent = self.b.convert(ConvertOp::SToF, size, Type::F32);
        let scaled = self.b.binary(BinaryOp::FMul, place, extent);
        let bit = i64::from(sampler_word::NORMALIZED);
        let is_normalized = self.b.binary_imm(BinaryOp::And, sampler.word, bit);
        let is_normalized = self.b.icmp_imm(IntCC::Ne, is_normalized, 0);
        let place = self.b.select(is_normalized, scaled, place);
        self.image_call("nearest_clamp", &[place, size], Type::I32)
    }

    fn mark(&mut self, image: ImageArg, mut at: Vec<Value>, mut size: Vec<Value>, writes: bool) {
        let zero = self.b.iconst(Type::I32, 0);
        at.resize(4, zero);
        size.resize(4, zero);
        let [at, size] = [at, size].map(|lanes| self.b.build(&lanes));
        let writes = self.b.iconst(Type::I32, i64::from(writes));
        if let Some(func) = self.front.image_function("texel_mark") {
            self.b.call(func, &[at, size, image.word, writes], None);
        }
    }
}
