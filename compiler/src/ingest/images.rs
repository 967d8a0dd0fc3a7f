//! Images and samplers (SPIR-V 3.49.10).

use super::function::Translator;
use super::types::Kind;
use super::words::Inst;
use crate::builtins::{Builtin, Call, Check};
use crate::ir::{BinaryOp, IntCC, Scalar, TexelComponent, Type, Value};
use crate::kernel::{image_word, sampler_word, ImageAccess, ImageDim, ImageType};
use rspirv::spirv::{ImageOperands, Op, SamplerAddressingMode, SamplerFilterMode};

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        SampledImage
            | ImageSampleExplicitLod
            | ImageRead
            | ImageWrite
            | ImageQueryFormat
            | ImageQueryOrder
            | ImageQuerySizeLod
            | ImageQuerySize
            | ImageQueryLevels
    )
}

/// Returns the sampler word of a constant sampler from its operands: addressing mode, normalized coordinates, filter.
pub(super) fn constant_sampler(inst: &Inst<'_>) -> Result<u32, String> {
    let [mode, normalized, filter] = inst.get()?;
    let mode = match SamplerAddressingMode::from_u32(mode).ok_or("unknown addressing mode")? {
        SamplerAddressingMode::None => sampler_word::NONE,
        SamplerAddressingMode::ClampToEdge => sampler_word::CLAMP_TO_EDGE,
        SamplerAddressingMode::Clamp => sampler_word::CLAMP,
        SamplerAddressingMode::Repeat => sampler_word::REPEAT,
        SamplerAddressingMode::RepeatMirrored => sampler_word::MIRRORED_REPEAT,
    };
    let linear = match SamplerFilterMode::from_u32(filter).ok_or("unknown filter mode")? {
        SamplerFilterMode::Nearest => 0,
        SamplerFilterMode::Linear => sampler_word::LINEAR,
    };
    let normalized = if normalized != 0 { sampler_word::NORMALIZED } else { 0 };
    Ok(mode << sampler_word::ADDRESS_SHIFT | normalized | linear)
}

/// The values of CL_UNSIGNED_INT8, CL_UNSIGNED_INT16 and CL_UNSIGNED_INT32.
const UNSIGNED_TYPES: std::ops::RangeInclusive<i64> = 0x10DA..=0x10DC;

/// Image operands (SPIR-V 3.14).
#[derive(Debug, Clone, Copy, Default)]
struct Operands {
    lod: Option<u32>,
    gradients: Option<[u32; 2]>,
    /// True for signed integers, false for unsigned ones; `None` if the module does not say it.
    signed: Option<bool>,
}

/// Reads image operands.
fn operands(words: &[u32]) -> Result<Operands, String> {
    let Some((&mask, mut rest)) = words.split_first() else { return Ok(Operands::default()) };
    let mask = ImageOperands::from_bits(mask).ok_or("unknown image operands")?;
    let mut operands = Operands::default();
    let mut next = || -> Result<u32, String> {
        let (&word, behind) = rest.split_first().ok_or("an operand is missing")?;
        rest = behind;
        Ok(word)
    };
    for bit in mask.iter() {
        match bit {
            ImageOperands::LOD => operands.lod = Some(next()?),
            ImageOperands::GRAD => operands.gradients = Some([next()?, next()?]),
            ImageOperands::SIGN_EXTEND => operands.signed = Some(true),
            ImageOperands::ZERO_EXTEND => operands.signed = Some(false),
            ImageOperands::NONTEMPORAL => {}
            _ => return Err("these image operands are not supported".to_string()),
        }
    }
    Ok(operands)
}

/// An image: its type, and its image word.
#[derive(Debug, Clone, Copy)]
struct Image {
    ty: ImageType,
    word: Value,
}

impl Translator<'_, '_, '_> {
    pub(super) fn image(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        match inst.op {
            Op::SampledImage => {
                let image = self.image_operand(inst.arg(0)?)?;
                let sampler = self.val(inst.arg(1)?)?;
                let result = self.m.types.kind(self.m.types.of(inst.ty)?);
                let fits = *self.m.types.kind(sampler.ty) == Kind::Sampler
                    && *result == Kind::SampledImage(image.ty);
                match fits {
                    true => self.define(inst, &[image.word, sampler.leaves[0]]),
                    false => Err("image and sampler are not those of its type".to_string()),
                }
            }
            Op::ImageSampleExplicitLod => self.sample(inst),
            Op::ImageRead => {
                let image = self.image_operand(inst.arg(0)?)?;
                let coords = self.coordinates(inst.arg(1)?, image.ty, false)?;
                let operands = operands(inst.rest(2))?;
                let level = self.level(image.ty, operands)?;
                self.read_image(inst, image, &[coords], level, operands.signed)
            }
            Op::ImageWrite => self.write_image(inst),
            // These have the API's order, but begin with 0 (environment specification, 2.7 and 2.8).
            Op::ImageQueryFormat => {
                self.image_field(inst, "get_image_channel_data_type", image_word::CL_SNORM_INT8)
            }
            Op::ImageQueryOrder => {
                self.image_field(inst, "get_image_channel_order", image_word::CL_R)
            }
            Op::ImageQueryLevels => {
                let image = self.image_operand(inst.arg(0)?)?;
                if image.ty.access != ImageAccess::ReadOnly || image.ty.dim == ImageDim::D1Buffer {
                    return Err("only images that are read have levels".to_string());
                }
                self.image_field(inst, "get_image_num_mip_levels", 0)
            }
            _ => self.image_size(inst),
        }
    }

    fn image_operand(&mut self, id: u32) -> Result<Image, String> {
        let val = self.val(id)?;
        match *self.m.types.kind(val.ty) {
            Kind::Image(ty) => Ok(Image { ty, word: val.leaves[0] }),
            _ => Err(format!("%{id} is not an image")),
        }
    }

    /// Returns coordinates in the number that OpenCL C has: one, two or four.
    fn coordinates(
        &mut self,
        id: u32,
        image: ImageType,
        may_be_floats: bool,
    ) -> Result<Value, String> {
        let value = self.number(id)?;
        let ty = self.b.ty(value);
        let count = image.dim.coordinates();
        let value = match ty.scalar {
            Scalar::F32 if may_be_floats => value,
            Scalar::F16 if may_be_floats => self.b.half_as_float(value),
            _ if ty.scalar.is_int() => self.b.resize_lanes(value, Scalar::I32, true),
            _ => return Err("coordinates are of the wrong type".to_string()),
        };
        if ty.lanes < count {
            return Err(format!("the image has {count} coordinates"));
        }
        Ok(self.with_lanes(value, if count == 3 { 4 } else { count }))
    }

    /// Returns the first lanes of a vector, with zeros behind.
    fn with_lanes(&mut self, value: Value, count: u8) -> Value {
        let ty = self.b.ty(value);
        if ty.lanes == count {
            return value;
        }
        let zero = self.b.zero(ty.lane());
        let lanes: Vec<Value> = (0..count)
            .map(|lane| if lane < ty.lanes { self.b.extract(value, lane) } else { zero })
            .collect();
        self.b.build(&lanes)
    }

    fn sample(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let sampled = self.val(inst.arg(0)?)?;
        let Kind::SampledImage(ty) = *self.m.types.kind(sampled.ty) else {
            return Err("its operand is not a sampled image".to_string());
        };
        if ty.access != ImageAccess::ReadOnly || ty.dim == ImageDim::D1Buffer {
            return Err("images of this type are not sampled".to_string());
        }
        let image = Image { ty, word: sampled.leaves[0] };
        let coords = self.coordinates(inst.arg(1)?, ty, true)?;
        let mut args = vec![sampled.leaves[1], coords];
        let operands = operands(inst.rest(2))?;
        let is_integer = self.b.ty(coords).scalar.is_int();
        if let Some(gradients) = operands.gradients {
            // A gradient has one number for each dimension of the image, and none for the layer.
            let directions = ty.dim.coordinates() - u8::from(ty.dim.is_array());
            for id in gradients {
                let gradient = self.number(id)?;
                if self.b.ty(gradient) != Type::vector(Scalar::F32, directions) {
                    return Err("a gradient is of the wrong type".to_string());
                }
                args.push(self.with_lanes(gradient, if directions == 3 { 4 } else { directions }));
            }
        } else {
            let lod = self.number(operands.lod.ok_or("neither level nor gradients")?)?;
            let lod = match self.b.ty(lod) {
                Type::F32 => lod,
                Type::F16 => self.b.half_as_float(lod),
                _ => return Err("the level of detail is of the wrong type".to_string()),
            };
            if self.b.func.as_const(lod) != Some(0) {
                args.push(lod);
            }
        }
        if is_integer && args.len() > 2 {
            return Err("integer coordinates are of the first level".to_string());
        }
        self.read_image(inst, image, &args, None, operands.signed)
    }

    /// Returns the level that image operands ask for, if it is not the first one.
    fn level(&mut self, image: ImageType, operands: Operands) -> Result<Option<Value>, String> {
        if operands.gradients.is_some() {
            return Err("it has no gradients".to_string());
        }
        let Some(lod) = operands.lod else { return Ok(None) };
        let level = self.number(lod)?;
        let ty = self.b.ty(level);
        if ty.lanes != 1 || !ty.scalar.is_int() {
            return Err("the level is not an integer".to_string());
        }
        let level = self.b.resize(level, Type::I32, false);
        match self.b.func.as_const(level) {
            Some(0) => Ok(None),
            _ if image.dim == ImageDim::D1Buffer => Err("buffers have no levels".to_string()),
            _ => Ok(Some(level)),
        }
    }

    /// Calls a function that reads a texel. `args` are its arguments behind the image; `level` follows them if there is one.
    fn read_image(
        &mut self,
        inst: &Inst<'_>,
        image: Image,
        args: &[Value],
        level: Option<Value>,
        signed: Option<bool>,
    ) -> Result<(), String> {
        if image.ty.access == ImageAccess::WriteOnly {
            return Err("the image is only written".to_string());
        }
        let wanted = self.numeric_result(inst)?;
        if wanted.lanes != 4 && !(wanted.lanes == 1 && image.ty.depth) {
            return Err("its type is not that of a texel".to_string());
        }
        let result = if image.ty.depth { wanted.lane() } else { wanted };
        let args = [&[image.word], args, level.as_slice()].concat();
        let name = match result.scalar {
            Scalar::F32 => "read_imagef",
            Scalar::F16 => "read_imageh",
            Scalar::I32 if !image.ty.depth => {
                let value = self.by_sign(image, signed, Some(result), |this, signed| {
                    let name = if signed { "read_imagei" } else { "read_imageui" };
                    this.read_call(name, image, &args, result, level.is_some())
                })?;
                return self.give(inst, value.ok_or("it is not supported")?);
            }
            _ => return Err("its type is not that of a texel".to_string()),
        };
        let value = self.read_call(name, image, &args, result, level.is_some())?;
        let mut value = value.ok_or("it is not supported for this image")?;
        if wanted != result {
            let (zero, one) = (self.b.fconst(result, 0.0), self.b.fconst(result, 1.0));
            value = self.b.build(&[value, zero, zero, one]);
        }
        self.give(inst, value)
    }

    fn write_image(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let image = self.image_operand(inst.arg(0)?)?;
        if image.ty.access == ImageAccess::ReadOnly {
            return Err("the image is only read".to_string());
        }
        let coords = self.coordinates(inst.arg(1)?, image.ty, false)?;
        let mut texel = self.number(inst.arg(2)?)?;
        if image.ty.depth {
            texel = self.b.extract(texel, 0);
        }
        let operands = operands(inst.rest(3))?;
        let level = self.level(image.ty, operands)?;
        let ty = self.b.ty(texel);
        let args = [&[image.word, coords], level.as_slice(), &[texel]].concat();
        let lanes = if image.ty.depth { 1 } else { 4 };
        let name = match ty.scalar {
            _ if ty.lanes != lanes => return Err("the texel is of the wrong type".to_string()),
            Scalar::F32 => "write_imagef",
            Scalar::F16 => "write_imageh",
            Scalar::I32 if !image.ty.depth => {
                self.by_sign(image, operands.signed, None, |this, signed| {
                    let name = if signed { "write_imagei" } else { "write_imageui" };
                    this.image_call(name, image, &args, Type::I32)
                })?;
                return Ok(());
            }
            _ => return Err("the texel is of the wrong type".to_string()),
        };
        self.image_call(name, image, &args, Type::I32)?;
        Ok(())
    }

    /// Calls a function that reads a texel. If `of_level` is true, the last argument is the level.
    fn read_call(
        &mut self,
        name: &str,
        image: Image,
        args: &[Value],
        result: Type,
        of_level: bool,
    ) -> Result<Option<Value>, String> {
        if !of_level {
            return self.image_call(name, image, args, result);
        }
        let component = match name {
            "read_imagei" => TexelComponent::Int,
            "read_imageui" => TexelComponent::Uint,
            _ => TexelComponent::Float,
        };
        let mut types = self.arg_types(args, true);
        types[0].image = Some(image.ty);
        let builtin = Builtin::named(name).ok_or_else(|| format!("no function '{name}'"))?;
        let call = Call { builtin, args, types: &types, result };
        Ok(self.with_lowerer(|lowerer| lowerer.read_level(&call, component)))
    }

    fn image_call(
        &mut self,
        name: &str,
        image: Image,
        args: &[Value],
        result: Type,
    ) -> Result<Option<Value>, String> {
        let mut types = self.arg_types(args, true);
        types[0].image = Some(image.ty);
        self.builtin(name, args, &types, result)
    }

    /// Accesses integers of an image. Devices distinguish signed images from unsigned ones; if the module does not say which
    /// kind it is, the image's word decides when the kernel runs. `access` returns a value of type `ty`, if there is one.
    fn by_sign(
        &mut self,
        image: Image,
        signed: Option<bool>,
        ty: Option<Type>,
        mut access: impl FnMut(&mut Self, bool) -> Result<Option<Value>, String>,
    ) -> Result<Option<Value>, String> {
        if let Some(signed) = signed {
            return access(self, signed);
        }
        let name = "get_image_channel_data_type";
        let format = self.image_call(name, image, &[image.word], Type::I32)?;
        let format = format.ok_or("it is not supported")?;
        let least = self.b.int(Scalar::I32, -UNSIGNED_TYPES.start());
        let number = self.b.binary(BinaryOp::IAdd, format, least);
        let unsigned = self.b.icmp_imm(IntCC::Ult, number, 3);
        let [then, otherwise, join] = std::array::from_fn(|_| self.b.new_block());
        let result = ty.map(|ty| self.b.func.add_param(join, ty));
        self.b.brif(unsigned, then, otherwise);
        for (block, signed) in [(then, false), (otherwise, true)] {
            self.b.switch_to(block);
            let value = access(self, signed)?;
            match (result, value) {
                (Some(_), Some(value)) => self.b.jump(join, &[value]),
                (Some(_), None) => return Err("it is not supported for this image".to_string()),
                (None, _) => self.b.jump(join, &[]),
            }
        }
        self.b.switch_to(join);
        Ok(result)
    }

    /// Translates a call of a function on an image alone, which compilers leave to the device.
    pub(super) fn image_query(
        &mut self,
        inst: &Inst<'_>,
        name: &str,
        ty: ImageType,
        word: Value,
    ) -> Result<(), String> {
        let known = Builtin::named(name).is_some_and(|builtin| builtin.check() == Check::Images);
        match known {
            true => self.image_number(inst, Image { ty, word }, name, 0),
            false => Err(format!("undefined function '{name}' is called")),
        }
    }

    /// Translates a query about an image: the result of a function of OpenCL C, minus `base`.
    fn image_field(&mut self, inst: &Inst<'_>, name: &str, base: u32) -> Result<(), String> {
        let image = self.image_operand(inst.arg(0)?)?;
        self.image_number(inst, image, name, base)
    }

    fn image_number(
        &mut self,
        inst: &Inst<'_>,
        image: Image,
        name: &str,
        base: u32,
    ) -> Result<(), String> {
        let result = self.integers(inst, 1)?;
        let value = self.image_call(name, image, &[image.word], Type::I32)?;
        let value = value.ok_or("it is not supported for this image")?;
        let value = match base {
            0 => value,
            _ => self.b.binary_imm(BinaryOp::ISub, value, i64::from(base)),
        };
        let value = self.b.resize(value, result, false);
        self.give(inst, value)
    }

    /// Returns an instruction's type, which must be a vector of `lanes` integers.
    fn integers(&self, inst: &Inst<'_>, lanes: u8) -> Result<Type, String> {
        let result = self.numeric_result(inst)?;
        match result.scalar.is_int() && result.lanes == lanes {
            true => Ok(result),
            false => Err(format!("its type is not that of {lanes} integers")),
        }
    }

    /// The number of texels in each direction, and of layers, of a level.
    fn image_size(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let image = self.image_operand(inst.arg(0)?)?;
        let dim = image.ty.dim;
        let result = self.integers(inst, dim.coordinates())?;
        let level = match inst.op {
            Op::ImageQuerySizeLod => {
                let level = self.number(inst.arg(1)?)?;
                let ty = self.b.ty(level);
                if ty.lanes != 1 || !ty.scalar.is_int() {
                    return Err("the level is not an integer".to_string());
                }
                let level = self.b.resize(level, Type::I32, false);
                (self.b.func.as_const(level) != Some(0)).then_some(level)
            }
            _ => None,
        };
        let directions = dim.coordinates() - u8::from(dim.is_array());
        let names = ["get_image_width", "get_image_height", "get_image_depth"];
        let mut lanes = Vec::new();
        for name in &names[..usize::from(directions)] {
            let size = self.image_call(name, image, &[image.word], Type::I32)?;
            let mut size = size.ok_or("it is not supported for this image")?;
            if let Some(level) = level {
                let by = self.b.and_const(level, 31);
                size = self.b.binary(BinaryOp::LShr, size, by);
                let one = self.b.int(Scalar::I32, 1);
                size = self.b.binary(BinaryOp::UMax, size, one);
            }
            lanes.push(self.b.resize(size, result.lane(), false));
        }
        if dim.is_array() {
            let name = "get_image_array_size";
            let layers = self.image_call(name, image, &[image.word], Type::I64)?;
            let layers = layers.ok_or("it is not supported for this image")?;
            lanes.push(self.b.resize(layers, result.lane(), false));
        }
        let value = self.b.build(&lanes);
        self.give(inst, value)
    }
}
