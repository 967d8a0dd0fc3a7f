//! Lowering of functions on images: texels are read at integer coordinates, and the work of samplers (OpenCL C 8) is done by
//! arithmetic, which is exact on every device. Exceptions: the device's own linear filters are used where they are exact
//! enough (`filters`), and its samplers find the nearest texel where they are faster than fetches (`nearest`).
//!
//! The arithmetic of one coordinate is in the library (`library/image.cl`), a function for each addressing mode and filter;
//! here the coordinates of an image are combined. With a constant sampler a read is code without branches; with a sampler
//! from the application it is a call of the library.

use super::{Call, Lowerer};
use crate::ir::{
    BinaryOp, ConvertOp, ImageView, IntCC, Scalar, TexelComponent, Type, Value, WorkItemQuery,
};
use crate::kernel::{image_word, sampler_word, ImageAccess, ImageType};

/// An image argument.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImageArg {
    pub(super) ty: ImageType,
    pub(super) view: ImageView,
    pub(super) word: Value,
    pub(super) slot: Value,
    /// The level of the image; `None` for the first one.
    pub(super) level: Option<Value>,
}

/// A sampler argument.
#[derive(Debug, Clone, Copy)]
pub(super) struct SamplerArg {
    pub(super) word: Value,
    /// The word's value, where it is a constant.
    pub(super) constant: Option<u32>,
}

impl SamplerArg {
    /// Returns the addressing mode, if the sampler is a constant.
    pub(super) fn mode(self) -> Option<u32> {
        self.constant.map(|word| word >> sampler_word::ADDRESS_SHIFT & sampler_word::ADDRESS_MASK)
    }

    /// Returns true if coordinates beyond the image may mean the border.
    pub(super) fn may_clamp(self) -> bool {
        self.mode().is_none_or(|mode| mode == sampler_word::CLAMP)
    }
}

/// One of the texels that a read takes its color from.
#[derive(Debug, Clone)]
struct Texel {
    /// Each coordinate, and true if it may lie beyond the image.
    indices: Vec<(Value, bool)>,
    /// The product of the weights in each direction; `None` where the nearest texel alone is read.
    weight: Option<Value>,
}

impl Lowerer<'_, '_> {
    fn image_arg(&mut self, call: &Call<'_>, component: TexelComponent) -> Option<ImageArg> {
        let (&word, ty) = (call.args.first()?, call.types.first()?.image?);
        let storage = ty.access != ImageAccess::ReadOnly;
        let view = ImageView { dim: ty.dim, component, storage };
        let slot = self.b.binary_imm(BinaryOp::And, word, (1 << image_word::SLOT_BITS) - 1);
        Some(ImageArg { ty, view, word, slot, level: None })
    }

    /// Returns the size of an image's level in each direction.
    pub(super) fn image_size(&mut self, image: ImageArg) -> Vec<Value> {
        let level = image.level.unwrap_or_else(|| self.b.iconst(Type::I32, 0));
        let size = self.b.image_size(image.view, image.slot, level);
        (0..image.view.dim.coordinates()).map(|i| self.b.extract(size, i)).collect()
    }

    /// Calls a function of the library on images.
    pub(super) fn image_call(&mut self, name: &str, args: &[Value], ret: Type) -> Option<Value> {
        let func = self.front.image_function(name)?;
        self.b.call(func, args, Some(ret))
    }

    /// `read_image`: image, sampler and coordinates, or image and coordinates.
    pub(super) fn read_image(
        &mut self,
        call: &Call<'_>,
        component: TexelComponent,
    ) -> Option<Value> {
        let image = self.image_arg(call, component)?;
        let texel = match *call.args {
            [_, coords] => {
                self.mark_texel(image, coords, false);
                self.read_texel(image, coords)?
            }
            [_, sampler, coords] => {
                let constant = self.b.func.as_const(sampler).map(|word| word as u32);
                let sampler = SamplerArg { word: sampler, constant };
                self.mark_sampled(image, sampler, coords);
                self.sampled(image, sampler, coords)?
            }
            [_, sampler, coords, level] if self.in_library => {
                // The library passes the number of a level.
                let level = self.b.convert(ConvertOp::FToS, level, Type::I32);
                let sampler = SamplerArg { word: sampler, constant: None };
                self.sampled(ImageArg { level: Some(level), ..image }, sampler, coords)?
            }
            [_, sampler, coords, lod] => self.mipmapped(image, sampler, coords, lod)?,
            [_, sampler, coords, dx, dy] => {
                let lod = self.lod(image, [dx, dy])?;
                self.mipmapped(image, sampler, coords, lod)?
            }
            _ => return None,
        };
        let texel = if image.ty.depth { self.b.extract(texel, 0) } else { texel };
        Some(self.b.convert(ConvertOp::FConvert, texel, call.result))
    }

    /// Lowers a read of the texel at integer coordinates of a level, of which only modules of SPIR-V have calls. The arguments
    /// are image, coordinates and level.
    pub(crate) fn read_level(
        &mut self,
        call: &Call<'_>,
        component: TexelComponent,
    ) -> Option<Value> {
        let mut image = self.image_arg(call, component)?;
        let &[_, coords, level] = call.args else { return None };
        if image.view.storage {
            image.slot = self.slot_of_level(image, level);
        } else {
            let levels = self.b.image_levels(image.view, image.slot);
            let last = self.b.binary_imm(BinaryOp::ISub, levels, 1);
            image.level = Some(self.b.binary(BinaryOp::UMin, level, last));
        }
        let texel = self.read_texel(image, coords)?;
        let texel = if image.ty.depth { self.b.extract(texel, 0) } else { texel };
        Some(self.b.convert(ConvertOp::FConvert, texel, call.result))
    }

    /// Returns the color that a sampler reads from the levels of an image around a level of detail.
    fn mipmapped(
        &mut self,
        image: ImageArg,
        sampler: Value,
        coords: Value,
        lod: Value,
    ) -> Option<Value> {
        let (component, dim) = (image.view.component, image.view.dim);
        let name = format!("mipmapped_{}_{}", component.name(), dim.name());
        let args = [image.word, sampler, coords, lod, sampler];
        self.image_call(&name, &args, component.texel())
    }

    /// Returns the level of detail of two gradients.
    fn lod(&mut self, image: ImageArg, gradients: [Value; 2]) -> Option<Value> {
        let spatial = image.view.dim.coordinates() - u8::from(image.view.dim.is_array());
        let size = self.image_size(image);
        let mut args = Vec::new();
        for gradient in gradients {
            let mut lanes = Vec::new();
            for i in 0..4 {
                lanes.push(match i < spatial {
                    true => {
                        let along = self.b.extract(gradient, i);
                        let size = self.b.convert(ConvertOp::SToF, size[usize::from(i)], Type::F32);
                        self.b.binary(BinaryOp::FMul, along, size)
                    }
                    false => self.b.fconst(Type::F32, 0.0),
                });
            }
            args.push(self.b.build(&lanes));
        }
        self.image_call("lod", &args, Type::F32)
    }

    /// `get_image_num_mip_levels`.
    pub(super) fn image_levels(&mut self, call: &Call<'_>) -> Option<Value> {
        let image = self.image_arg(call, TexelComponent::Float)?;
        Some(self.b.image_levels(image.view, image.slot))
    }

    /// Returns the texel at integer coordinates. For coordinates beyond the image it is some texel of the image.
    fn read_texel(&mut self, image: ImageArg, coords: Value) -> Option<Value> {
        if self.samples_texels(image) {
            let none = SamplerArg { word: coords, constant: Some(sampler_word::NONE) };
            return self.sampled_at_indices(image, none, coords);
        }
        let size = self.image_size(image);
        let mut indices = Vec::new();
        for (i, &size) in size.iter().enumerate() {
            let index = self.b.extract(coords, i as u8);
            let last = self.b.binary_imm(BinaryOp::ISub, size, 1);
            indices.push(self.b.binary(BinaryOp::UMin, index, last));
        }
        let coords = self.b.build(&indices);
        if !image.view.storage {
            return Some(self.fetch_texel(image, coords));
        }
        let texel = self.b.image_read(image.view, image.slot, coords);
        if image.ty.depth {
            return Some(texel);
        }
        let name = match image.view.component {
            TexelComponent::Float => "loaded_float",
            _ => "loaded_bits",
        };
        self.reordered(name, texel, image)
    }

    /// Returns what a function of the library makes of a color of an image, or the color where no image needs the function.
    fn reordered(&mut self, name: &str, color: Value, image: ImageArg) -> Option<Value> {
        let ty = image.view.component.texel();
        let is_needed = self.b.work_item(WorkItemQuery::ReordersImages, 0);
        self.either(
            is_needed,
            ty,
            |l| l.image_call(name, &[color, image.word], ty),
            |_| Some(color),
        )
    }

    fn fetch_texel(&mut self, image: ImageArg, coords: Value) -> Value {
        let level = image.level.unwrap_or_else(|| self.b.iconst(Type::I32, 0));
        self.b.image_fetch(image.view, image.slot, coords, level)
    }

    /// Returns the color that a sampler reads from an image.
    fn sampled(&mut self, image: ImageArg, sampler: SamplerArg, coords: Value) -> Option<Value> {
        if self.b.ty(coords).scalar.is_int() {
            return self.sampled_at_texel(image, sampler, coords);
        }
        if sampler.constant.is_none() && !self.in_library {
            let (component, dim) = (image.view.component, image.view.dim);
            let name = format!("read_{}_{}", component.name(), dim.name());
            return self.image_call(&name, &[image.word, sampler.word, coords], component.texel());
        }
        let linear = match image.view.component {
            TexelComponent::Float => sampler.constant.map(|word| word & sampler_word::LINEAR != 0),
            _ => Some(false),
        };
        match linear {
            Some(false) => self.nearest(image, sampler, coords),
            Some(true) => self.linear(image, sampler, coords),
            None => {
                let bit = i64::from(sampler_word::LINEAR);
                let linear = self.b.binary_imm(BinaryOp::And, sampler.word, bit);
                let linear = self.b.icmp_imm(IntCC::Ne, linear, 0);
                self.either(
                    linear,
                    image.view.component.texel(),
                    |l| l.linear(image, sampler, coords),
                    |l| l.nearest(image, sampler, coords),
                )
            }
        }
    }

    /// Returns `condition ? then : otherwise`; only one side is computed, in a branch.
    fn either(
        &mut self,
        condition: Value,
        ty: Type,
        then: impl FnOnce(&mut Self) -> Option<Value>,
        otherwise: impl FnOnce(&mut Self) -> Option<Value>,
    ) -> Option<Value> {
        let blocks = [self.b.new_block(), self.b.new_block()];
        let join = self.b.new_block();
        let result = self.b.func.add_param(join, ty);
        self.b.brif(condition, blocks[0], blocks[1]);
        self.b.switch_to(blocks[0]);
        let value = then(self)?;
        self.b.jump(join, &[value]);
        self.b.switch_to(blocks[1]);
        let value = otherwise(self)?;
        self.b.jump(join, &[value]);
        self.b.switch_to(join);
        Some(result)
    }

    /// Returns the color that a sampler reads at integer coordinates. They are indices of texels, so only the addressing modes
    /// that need no normalized coordinates apply.
    fn sampled_at_texel(
        &mut self,
        image: ImageArg,
        sampler: SamplerArg,
        coords: Value,
    ) -> Option<Value> {
        if self.samples_texels(image) {
            return self.sampled_at_indices(image, sampler, coords);
        }
        let size = self.image_size(image);
        let none = sampler.mode() == Some(sampler_word::NONE);
        let mut indices = Vec::new();
        for (i, &size) in size.iter().enumerate() {
            let index = self.b.extract(coords, i as u8);
            let is_layer =
                image.view.dim.is_array() && i + 1 == usize::from(image.view.dim.coordinates());
            indices.push(match () {
                () if is_layer => (self.clamped(index, size), false),
                () if none => {
                    let last = self.b.binary_imm(BinaryOp::ISub, size, 1);
                    (self.b.binary(BinaryOp::UMin, index, last), false)
                }
                () if sampler.may_clamp() => (index, true),
                () => (self.clamped(index, size), false),
            });
        }
        let no_border = self.has_no_border(sampler);
        Some(self.texel_or_border(image, &indices, &size, no_border))
    }

    /// Returns a bool: true if a sampler that is not a constant has no border.
    pub(super) fn has_no_border(&mut self, sampler: SamplerArg) -> Option<Value> {
        if sampler.constant.is_some() {
            return None;
        }
        Some(self.compare_mode(sampler, IntCC::Ne, sampler_word::CLAMP))
    }

    /// Clamps an index to the range from 0 to below a size.
    pub(super) fn clamped(&mut self, index: Value, size: Value) -> Value {
        let last = self.b.binary_imm(BinaryOp::ISub, size, 1);
        let index = self.b.binary(BinaryOp::SMin, index, last);
        let zero = self.b.iconst(Type::I32, 0);
        self.b.binary(BinaryOp::SMax, index, zero)
    }

    /// Returns the texel at indices, or the border's color if they lie beyond the image, unless `no_border` holds. The bool of
    /// an index is true if it may lie beyond the image.
    fn texel_or_border(
        &mut self,
        image: ImageArg,
        indices: &[(Value, bool)],
        size: &[Value],
        no_border: Option<Value>,
    ) -> Value {
        let mut inside = no_border;
        let mut coords = Vec::new();
        let mut outside = false;
        let mut within: Option<Value> = None;
        for (&(index, may_leave), &size) in indices.iter().zip(size) {
            if !may_leave {
                coords.push(index);
                continue;
            }
            outside = true;
            let here = self.b.icmp(IntCC::Ult, index, size);
            within = Some(match within {
                Some(others) => self.b.binary(BinaryOp::And, others, here),
                None => here,
            });
            coords.push(self.clamped(index, size));
        }
        let coords = self.b.build(&coords);
        let texel = self.fetch_texel(image, coords);
        if !outside {
            return texel;
        }
        inside = match (inside, within) {
            (Some(a), Some(b)) => Some(self.b.binary(BinaryOp::Or, a, b)),
            (a, b) => a.or(b),
        };
        let border = self.border(image);
        match inside {
            Some(inside) => self.b.select(inside, texel, border),
            None => texel,
        }
    }

    /// Returns the border's color: opaque black for images without alpha, CL_R, CL_RG, CL_RGB and CL_LUMINANCE; else zero.
    pub(super) fn border(&mut self, image: ImageArg) -> Value {
        const OPAQUE: u32 = 1 | 1 << 2 | 1 << 4 | 1 << 9;
        let shift = i64::from(image_word::ORDER_SHIFT);
        let order = self.b.binary_imm(BinaryOp::LShr, image.word, shift);
        let order = self.b.binary_imm(BinaryOp::And, order, 31);
        let opaque = self.b.iconst(Type::I32, i64::from(OPAQUE));
        let alpha = self.b.binary(BinaryOp::LShr, opaque, order);
        let alpha = self.b.binary_imm(BinaryOp::And, alpha, 1);
        let (zero, alpha) = match image.view.component {
            TexelComponent::Float => {
                (self.b.fconst(Type::F32, 0.0), self.b.convert(ConvertOp::UToF, alpha, Type::F32))
            }
            _ => (self.b.iconst(Type::I32, 0), alpha),
        };
        self.b.build(&[zero, zero, zero, alpha])
    }

    /// Calls the library's function for one coordinate: `filter` is `nearest`, `linear` or `place`. Returns its result.
    pub(super) fn axis(
        &mut self,
        filter: &str,
        sampler: SamplerArg,
        coordinate: Value,
        size: Value,
        ret: Type,
    ) -> Option<Value> {
        let Some(mode) = sampler.mode() else {
            return self.image_call(filter, &[coordinate, size, sampler.word], ret);
        };
        let mode = match mode {
            sampler_word::CLAMP => "clamp",
            sampler_word::REPEAT => "repeat",
            sampler_word::MIRRORED_REPEAT => "mirror",
            _ => "edge",
        };
        let normalized = sampler.constant.is_some_and(|word| word & sampler_word::NORMALIZED != 0);
        let scaled = normalized && matches!(mode, "clamp" | "edge");
        let coordinate = match scaled {
            true => {
                let size = self.b.convert(ConvertOp::SToF, size, Type::F32);
                self.b.binary(BinaryOp::FMul, coordinate, size)
            }
            false => coordinate,
        };
        self.image_call(&format!("{filter}_{mode}"), &[coordinate, size], ret)
    }

    fn nearest(&mut self, image: ImageArg, sampler: SamplerArg, coords: Value) -> Option<Value> {
        if self.samples_texels(image) {
            return self.sampled_nearest(image, sampler, coords);
        }
        let size = self.image_size(image);
        let texels = self.texels(image, sampler, coords, &size, false)?;
        Some(self.texel_or_border(image, &texels.first()?.indices, &size, None))
    }

    /// Returns the color that a linear filter gives: the device's own filter where it is exact enough.
    fn linear(&mut self, image: ImageArg, sampler: SamplerArg, coords: Value) -> Option<Value> {
        let Some(has_filter) = self.has_filter(image, sampler) else {
            return self.weighted(image, sampler, coords);
        };
        self.either(
            has_filter,
            image.view.component.texel(),
            |l| Some(l.filtered(image, sampler, coords)),
            |l| l.weighted(image, sampler, coords),
        )
    }

    /// Returns the sum of the texels around a place by their weights.
    fn weighted(&mut self, image: ImageArg, sampler: SamplerArg, coords: Value) -> Option<Value> {
        let size = self.image_size(image);
        let mut sum: Option<Value> = None;
        for texel in self.texels(image, sampler, coords, &size, true)? {
            let color = self.texel_or_border(image, &texel.indices, &size, None);
            let weight = self.b.splat(texel.weight?, 4);
            let part = self.b.binary(BinaryOp::FMul, color, weight);
            sum = Some(match sum {
                Some(sum) => self.b.binary(BinaryOp::FAdd, sum, part),
                None => part,
            });
        }
        sum
    }

    /// Returns the texels that a read at float coordinates takes its color from.
    fn texels(
        &mut self,
        image: ImageArg,
        sampler: SamplerArg,
        coords: Value,
        size: &[Value],
        linear: bool,
    ) -> Option<Vec<Texel>> {
        let may_leave = sampler.may_clamp();
        let mut texels = vec![Texel { indices: Vec::new(), weight: None }];
        let spatial = size.len() - usize::from(image.view.dim.is_array());
        for (i, &extent) in size.iter().enumerate() {
            let coordinate = self.b.extract(coords, i as u8);
            if i == spatial {
                let layer = self.image_call("layer", &[coordinate, extent], Type::I32)?;
                texels.iter_mut().for_each(|texel| texel.indices.push((layer, false)));
            } else if linear {
                let ty = Type::vector(Scalar::I32, 4);
                let around = self.axis("linear", sampler, coordinate, extent, ty)?;
                let [first, second, bits] = [0, 1, 2].map(|lane| self.b.extract(around, lane));
                let second_weight = self.b.bitcast(bits, Type::F32);
                let one = self.b.fconst(Type::F32, 1.0);
                let first_weight = self.b.binary(BinaryOp::FSub, one, second_weight);
                let sides = [(first, first_weight), (second, second_weight)];
                let mut more = Vec::new();
                for (index, weight) in sides {
                    for texel in &texels {
                        let mut texel = texel.clone();
                        texel.indices.push((index, may_leave));
                        texel.weight = Some(match texel.weight {
                            Some(others) => self.b.binary(BinaryOp::FMul, others, weight),
                            None => weight,
                        });
                        more.push(texel);
                    }
                }
                texels = more;
            } else {
                let index = self.axis("nearest", sampler, coordinate, extent, Type::I32)?;
                texels.iter_mut().for_each(|texel| texel.indices.push((index, may_leave)));
            }
        }
        Some(texels)
    }

    /// `write_image`: image, coordinates, maybe a level, and color. Vulkan drops writes beyond the image (Texel Output
    /// Operations, "Integer Texel Coordinate Validation"), except for those to buffers.
    pub(super) fn write_image(
        &mut self,
        call: &Call<'_>,
        component: TexelComponent,
    ) -> Option<Value> {
        let mut image = self.image_arg(call, component)?;
        let (coords, color) = match *call.args {
            [_, coords, color] => (coords, color),
            [_, coords, level, color] => {
                image.slot = self.slot_of_level(image, level);
                (coords, color)
            }
            _ => return None,
        };
        self.mark_texel(image, coords, true);
        let indices: Vec<Value> =
            (0..image.view.dim.coordinates()).map(|i| self.b.extract(coords, i)).collect();
        let coords = self.b.build(&indices);
        let texel = self.stored(image, color)?;
        if !image.view.is_buffer() {
            self.b.image_write(image.view, image.slot, coords, texel);
            return None;
        }
        let size = self.image_size(image);
        let inside = self.b.icmp(IntCC::Ult, coords, *size.first()?);
        self.when(inside, |l| l.b.image_write(image.view, image.slot, coords, texel));
        None
    }

    /// Returns the slot of a level of a storage image; the image's own slot where it has only one level.
    fn slot_of_level(&mut self, image: ImageArg, level: Value) -> Value {
        let level = self.b.binary_imm(BinaryOp::And, level, i64::from(image_word::LEVELS - 1));
        let mipmap = self.is_mipmap(image);
        let level = self.b.binary(BinaryOp::IMul, level, mipmap);
        self.b.binary(BinaryOp::IAdd, image.slot, level)
    }

    /// Returns 1 if an image has several levels, else 0.
    pub(super) fn is_mipmap(&mut self, image: ImageArg) -> Value {
        let shift = i64::from(image_word::MIPMAP_SHIFT);
        let mipmap = self.b.binary_imm(BinaryOp::LShr, image.word, shift);
        self.b.binary_imm(BinaryOp::And, mipmap, 1)
    }

    /// Returns a color in the type that a write to an image takes.
    fn stored(&mut self, image: ImageArg, color: Value) -> Option<Value> {
        let component = image.view.component;
        let texel = component.texel();
        let color = match image.ty.depth {
            true => {
                let depth = self.b.convert(ConvertOp::FConvert, color, texel.lane());
                self.b.splat(depth, 4)
            }
            false => self.b.convert(ConvertOp::FConvert, color, texel),
        };
        let name = format!("stored_{}", component.name());
        let color = self.image_call(&name, &[color, image.word], texel)?;
        let name = match component {
            TexelComponent::Float => "ordered_float",
            _ => "ordered_bits",
        };
        self.reordered(name, color, image)
    }

    /// `get_image_width` and its like.
    pub(super) fn image_extent(&mut self, call: &Call<'_>, direction: usize) -> Option<Value> {
        let image = self.image_arg(call, TexelComponent::Float)?;
        self.image_size(image).get(direction).copied()
    }

    /// `get_image_dim`: width and height; for images of three dimensions also depth and 0.
    pub(super) fn image_dim(&mut self, call: &Call<'_>) -> Option<Value> {
        let image = self.image_arg(call, TexelComponent::Float)?;
        let mut size = self.image_size(image);
        match call.result.lanes {
            2 => size.truncate(2),
            _ => size.push(self.b.iconst(Type::I32, 0)),
        }
        Some(self.b.build(&size))
    }

    pub(super) fn image_layers(&mut self, call: &Call<'_>) -> Option<Value> {
        let image = self.image_arg(call, TexelComponent::Float)?;
        let layers = self.image_size(image).pop()?;
        Some(self.b.resize(layers, call.result, false))
    }

    /// Returns a field of the image word: one of the API's constants, counted from `base`.
    pub(super) fn image_field(&mut self, call: &Call<'_>, shift: u32, base: u32) -> Option<Value> {
        let &word = call.args.first()?;
        let field = self.b.binary_imm(BinaryOp::LShr, word, i64::from(shift));
        let field = self.b.binary_imm(BinaryOp::And, field, 31);
        Some(self.b.binary_imm(BinaryOp::IAdd, field, i64::from(base)))
    }
}
