//! Reads of single texels by the device's samplers, where no filter is asked for and fetches are slower.
//!
//! The sampler finds the nearest texel and clamps to the edge; everything else that addressing modes ask for is arithmetic.
//! Samplers whose coordinates count texels are for images of one and two dimensions alone; for other images the coordinates
//! are normalized ones of the centers of texels.

use super::images::{ImageArg, SamplerArg};
use super::Lowerer;
use crate::ir::{BinaryOp, ConvertOp, FloatCC, MathOp, Type, Value};
use crate::kernel::sampler_word;
use crate::kernel::ImageDim::{D1, D2};

impl Lowerer<'_, '_> {
    /// Returns true if a sampler of the device finds the texels of an image.
    pub(super) fn samples_texels(&self, image: ImageArg) -> bool {
        let is_sampled = !image.view.storage && !image.view.is_buffer();
        self.target.samples_texels && is_sampled && image.level.is_none()
    }

    /// Returns the texel that is nearest to float coordinates, or the border's color.
    pub(super) fn sampled_nearest(
        &mut self,
        image: ImageArg,
        sampler: SamplerArg,
        coords: Value,
    ) -> Option<Value> {
        let size = self.image_size(image);
        let mut places = Vec::new();
        for (i, &extent) in size.iter().enumerate() {
            let at = self.b.extract(coords, i as u8);
            places.push(match is_layer(image, i) {
                true => self.image_call("place_layer", &[at, extent], Type::F32)?,
                false => self.axis("place", sampler, at, extent, Type::F32)?,
            });
        }
        Some(self.place_or_border(image, sampler, &places, &size))
    }

    /// Returns the texel at integer coordinates, or the border's color.
    pub(super) fn sampled_at_indices(
        &mut self,
        image: ImageArg,
        sampler: SamplerArg,
        coords: Value,
    ) -> Option<Value> {
        let size = self.image_size(image);
        let mut places = Vec::new();
        for (i, &extent) in size.iter().enumerate() {
            let mut index = self.b.extract(coords, i as u8);
            let is_layer = is_layer(image, i);
            if is_layer {
                index = self.clamped(index, extent);
            }
            let place = self.b.convert(ConvertOp::SToF, index, Type::F32);
            places.push(match is_layer {
                true => place,
                false => {
                    let center = self.center(place);
                    self.image_call("near", &[center], Type::F32)?
                }
            });
        }
        Some(self.place_or_border(image, sampler, &places, &size))
    }

    /// Returns the texel at a place, or the border's color if the place lies beyond the image.
    fn place_or_border(
        &mut self,
        image: ImageArg,
        sampler: SamplerArg,
        places: &[Value],
        size: &[Value],
    ) -> Value {
        let texel = self.texel_at_place(image, places, size);
        if !sampler.may_clamp() {
            return texel;
        }
        let mut inside: Option<Value> = None;
        for (i, (&place, &extent)) in places.iter().zip(size).enumerate() {
            if is_layer(image, i) {
                continue;
            }
            let zero = self.b.fconst(Type::F32, 0.0);
            let extent = self.b.convert(ConvertOp::SToF, extent, Type::F32);
            for (cc, bound) in [(FloatCC::Oge, zero), (FloatCC::Olt, extent)] {
                let here = self.b.fcmp(cc, place, bound);
                inside = Some(match inside {
                    Some(others) => self.b.binary(BinaryOp::And, others, here),
                    None => here,
                });
            }
        }
        if let (Some(within), Some(no_border)) = (inside, self.has_no_border(sampler)) {
            inside = Some(self.b.binary(BinaryOp::Or, within, no_border));
        }
        let border = self.border(image);
        match inside {
            Some(inside) => self.b.select(inside, texel, border),
            None => texel,
        }
    }

    /// Returns the texel at a place; for places beyond the image, the texel at the edge.
    fn texel_at_place(&mut self, image: ImageArg, places: &[Value], size: &[Value]) -> Value {
        if matches!(image.view.dim, D1 | D2) {
            // The slot of the first level.
            let mipmap = self.is_mipmap(image);
            let slot = self.b.binary(BinaryOp::IAdd, image.slot, mipmap);
            return self.found(ImageArg { slot, ..image }, sampler_word::NEAREST, places);
        }
        let mut normalized = Vec::new();
        for (i, (&place, &extent)) in places.iter().zip(size).enumerate() {
            normalized.push(match is_layer(image, i) {
                true => place,
                // The product errs by less than a hundredth of a texel, so it stays in the texel whose center it is for.
                false => {
                    let extent = self.b.convert(ConvertOp::SToF, extent, Type::F32);
                    let one = self.b.fconst(Type::F32, 1.0);
                    let part = self.b.binary(BinaryOp::FDiv, one, extent);
                    let texel = self.b.math(MathOp::Floor, &[place]);
                    let center = self.center(texel);
                    self.b.binary(BinaryOp::FMul, center, part)
                }
            });
        }
        self.found(image, sampler_word::NEAREST | sampler_word::NORMALIZED, &normalized)
    }

    /// Returns the color that the sampler in a slot reads.
    fn found(&mut self, image: ImageArg, sampler: u32, places: &[Value]) -> Value {
        let sampler = self.b.iconst(Type::I32, i64::from(sampler));
        let places = self.b.build(places);
        self.b.image_sample(image.view, image.slot, sampler, places)
    }

    /// Returns the center of the texel with an index.
    fn center(&mut self, index: Value) -> Value {
        let half = self.b.fconst(Type::F32, 0.5);
        self.b.binary(BinaryOp::FAdd, index, half)
    }
}

/// Returns true if a coordinate is the layer of an array.
fn is_layer(image: ImageArg, coordinate: usize) -> bool {
    let dim = image.view.dim;
    dim.is_array() && coordinate + 1 == usize::from(dim.coordinates())
}
