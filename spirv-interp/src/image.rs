//! Images: their texels lie in device memory, level by level and closely packed, and instructions find them by the array of
//! descriptors and the slot in it that an image was loaded from.

use crate::error::{Error, Res};
use crate::memory::Memory;
use crate::module::{Inst, Module};
use crate::texel::{Component, Format};
use crate::types::Type;
use crate::value::{signed, Bits, Place, Pointer, Value};
use hekla_compiler::kernel::sampler_word;
use rspirv::spirv::{Dim, Op};
use std::rc::Rc;

/// An image as a kernel sees it in a slot.
#[derive(Debug, Clone)]
pub struct Image {
    pub format: Format,
    /// The sources of the components that reads return.
    pub components: [Component; 4],
    /// The levels, the largest first.
    pub levels: Vec<Level>,
}

/// A level of an image: the address of its first texel, and its size. The layers of an array count as the dimension after the
/// last one.
#[derive(Debug, Clone, Copy)]
pub struct Level {
    pub address: u64,
    pub size: [u32; 3],
}

/// A type of images: the number of coordinates along which an image has texels, and whether a number of the layer follows.
#[derive(Debug, Clone, Copy)]
pub struct ImageType {
    dimensions: usize,
    is_array: bool,
}

/// The texel that an instruction accesses, or the one that counts most where it weighs several.
pub struct Touched {
    pub pointer: Pointer,
    pub size: u64,
    pub writes: bool,
}

impl ImageType {
    /// Reads the operands of OpTypeImage.
    pub fn read(operands: &[u32]) -> Res<ImageType> {
        let &[_, dim, _, arrayed, 0, ..] = operands else {
            return Err(Error::Unsupported("a type of images".into()));
        };
        let dimensions = match Dim::from_u32(dim) {
            Some(Dim::Dim1D | Dim::DimBuffer) => 1,
            Some(Dim::Dim2D) => 2,
            Some(Dim::Dim3D) => 3,
            _ => return Err(Error::Unsupported("the dimensions of an image".into())),
        };
        Ok(ImageType { dimensions, is_array: arrayed == 1 })
    }

    /// Returns the number of coordinates.
    fn count(self) -> usize {
        self.dimensions + usize::from(self.is_array)
    }
}

/// Returns true for instructions on images.
pub fn is_on_image(op: Op) -> bool {
    matches!(
        op,
        Op::SampledImage
            | Op::ImageFetch
            | Op::ImageRead
            | Op::ImageWrite
            | Op::ImageSampleExplicitLod
            | Op::ImageQuerySize
            | Op::ImageQuerySizeLod
            | Op::ImageQueryLevels
    )
}

/// Executes an instruction on an image; returns its result, if it has one.
///
/// # Errors
/// When there is no image in the slot, or coordinates are undefined.
pub fn execute<'v>(
    module: &Module,
    memory: &mut Memory,
    inst: &Inst,
    get: &dyn Fn(u32) -> Res<&'v Value>,
) -> Res<Option<Value>> {
    let value = |index| get(module.operand(inst, index)?);
    if inst.op == Op::SampledImage {
        let both = [value(0)?.clone(), value(1)?.clone()];
        return Ok(Some(Value::Composite(both.into())));
    }
    let access = Access::new(module, memory, inst, get)?;
    let levels = &access.image.levels;
    match inst.op {
        Op::ImageQueryLevels => Ok(Some(Bits::new(levels.len() as u64).into())),
        Op::ImageQuerySize | Op::ImageQuerySizeLod => {
            let level = match inst.op {
                Op::ImageQuerySizeLod => value(1)?.defined("a level")? as usize,
                _ => 0,
            };
            let Some(level) = levels.get(level) else { return Error::undefined("no such level") };
            let size = level.size[..access.ty.count()].iter();
            let mut size: Vec<Value> = size.map(|n| Bits::new((*n).into()).into()).collect();
            Ok(Some(match size.len() {
                1 => size.remove(0),
                _ => Value::Composite(size.into()),
            }))
        }
        Op::ImageWrite => {
            let (image, at) = (access.image.clone(), access.texel(access.place()?));
            let mut components = [0; 4];
            for (to, from) in components.iter_mut().zip(value(2)?.members()?.iter()) {
                *to = from.defined("a texel")? as u32;
            }
            if let Some(address) = at {
                write(memory, address, &image.format, components)?;
            }
            Ok(None)
        }
        Op::ImageSampleExplicitLod => {
            let mut sums = [0f32; 4];
            let samples = access.samples()?;
            // A single texel may be of integers.
            if let [(place, _)] = samples[..] {
                return Ok(Some(composite(access.read(memory, place)?)));
            }
            for (place, weight) in samples {
                let texel = access.read(memory, place)?;
                sums.iter_mut().zip(texel).for_each(|(s, t)| *s += weight * f32::from_bits(t));
            }
            Ok(Some(composite(sums.map(f32::to_bits))))
        }
        _ => Ok(Some(composite(access.read(memory, Some(access.place()?))?))),
    }
}

/// Returns the texel that an instruction accesses; `None` for other instructions, and for what lies beyond an image.
pub fn touched<'v>(
    module: &Module,
    memory: &Memory,
    inst: &Inst,
    get: &dyn Fn(u32) -> Res<&'v Value>,
) -> Option<Touched> {
    let is_known = matches!(
        inst.op,
        Op::ImageFetch | Op::ImageRead | Op::ImageWrite | Op::ImageSampleExplicitLod
    );
    if !is_known {
        return None;
    }
    let access = Access::new(module, memory, inst, get).ok()?;
    let place = match inst.op {
        Op::ImageSampleExplicitLod => {
            let samples = access.samples().ok()?;
            samples.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?.0?
        }
        _ => access.place().ok()?,
    };
    let pointer = Pointer { place: Place::Device, offset: access.texel(place)? };
    let size = access.image.format.bytes as u64;
    Some(Touched { pointer, size, writes: inst.op == Op::ImageWrite })
}

fn composite(texel: [u32; 4]) -> Value {
    let members: Rc<[Value]> = texel.iter().map(|it| Bits::new((*it).into()).into()).collect();
    Value::Composite(members)
}

/// An instruction's image, with what its operands say of it.
struct Access {
    image: Rc<Image>,
    ty: ImageType,
    /// The slot of the sampler, if there is one.
    sampler: Option<u64>,
    /// The coordinates, each of 32 bits.
    coordinates: Vec<u32>,
    level: usize,
}

impl Access {
    fn new<'v>(
        module: &Module,
        memory: &Memory,
        inst: &Inst,
        get: &dyn Fn(u32) -> Res<&'v Value>,
    ) -> Res<Access> {
        let id = module.operand(inst, 0)?;
        let (image, sampler) = match get(id)? {
            Value::Composite(both) => match &both[..] {
                [image, sampler] => (image.pointer()?, Some(sampler.pointer()?.offset)),
                _ => return Error::invalid("an image and a sampler are needed"),
            },
            image => (image.pointer()?, None),
        };
        let ty = match *module.types.get(module.type_of(id)?)? {
            Type::Image(ty) => ty,
            Type::SampledImage { image } => match *module.types.get(image)? {
                Type::Image(ty) => ty,
                _ => return Error::invalid("a sampled image of no image"),
            },
            _ => return Error::invalid("an image is needed"),
        };
        let Place::Descriptors(binding) = image.place else {
            return Error::invalid("an image is needed");
        };
        let Some(found) = memory.image(binding, image.offset as u32) else {
            let slot = image.offset;
            return Error::undefined(format!("slot {slot} of binding {binding} has no image"));
        };
        let has_coordinates =
            !matches!(inst.op, Op::ImageQuerySize | Op::ImageQuerySizeLod | Op::ImageQueryLevels);
        let mut coordinates = Vec::new();
        if has_coordinates {
            let mut scalars = Vec::new();
            get(module.operand(inst, 1)?)?.flatten(&mut scalars)?;
            for scalar in scalars {
                coordinates.push(scalar.defined("a coordinate")? as u32);
            }
            if coordinates.len() < ty.count() {
                return Error::invalid("an image with too few coordinates");
            }
        }
        let level = match inst.op {
            Op::ImageFetch if module.operands(inst).len() > 3 => {
                get(module.operand(inst, 3)?)?.defined("a level")? as usize
            }
            _ => 0,
        };
        Ok(Access { image: found.clone(), ty, sampler, coordinates, level })
    }

    /// Returns the place that integers name.
    fn place(&self) -> Res<[i64; 3]> {
        let mut place = [0; 3];
        let numbers = self.coordinates.iter().take(self.ty.count());
        place.iter_mut().zip(numbers).for_each(|(to, n)| *to = signed((*n).into(), 32));
        Ok(place)
    }

    fn size(&self) -> Option<[u32; 3]> {
        self.image.levels.get(self.level).map(|level| level.size)
    }

    /// Returns the address of a texel; `None` if it lies beyond the image.
    fn texel(&self, place: [i64; 3]) -> Option<u64> {
        let Level { address, size } = *self.image.levels.get(self.level)?;
        let mut index = 0;
        for (at, size) in place.into_iter().zip(size).rev() {
            let at = u64::try_from(at).ok().filter(|at| *at < u64::from(size))?;
            index = u64::from(size).wrapping_mul(index).wrapping_add(at);
        }
        let offset = (self.image.format.bytes as u64).wrapping_mul(index);
        Some(address.wrapping_add(offset))
    }

    /// Reads a texel. What lies beyond the image is the border: zeros, and an alpha of one where the format has none.
    fn read(&self, memory: &Memory, place: Option<[i64; 3]>) -> Res<[u32; 4]> {
        let format = &self.image.format;
        let mut texel = 0;
        if let Some(address) = place.and_then(|place| self.texel(place)) {
            for at in (0..format.bytes).rev() {
                let byte = memory.read(address.wrapping_add(at as u64), 1)?.defined("a texel")?;
                texel = texel << 8 | u128::from(byte);
            }
        }
        Ok(format.decode(texel, self.image.components))
    }

    /// Returns the texels that a sampler reads, with their weights; `None` for the border.
    fn samples(&self) -> Res<Vec<(Option<[i64; 3]>, f32)>> {
        let Some((slot, size)) = self.sampler.zip(self.size()) else {
            return Error::invalid("a sample without a sampler");
        };
        let sampler = Sampler::in_slot(slot as u32);
        let mut samples = vec![(Some([0; 3]), 1.0)];
        for (d, bits) in self.coordinates.iter().take(self.ty.count()).enumerate() {
            let (coordinate, size) = (f32::from_bits(*bits), i64::from(size[d]));
            let places = match d < self.ty.dimensions {
                true => sampler.along(coordinate, size),
                // The nearest layer.
                false => {
                    let layer = coordinate.round_ties_even() as i64;
                    vec![(Some(layer.clamp(0, size - 1)), 1.0)]
                }
            };
            samples = samples
                .iter()
                .flat_map(|(place, weight)| {
                    places.iter().map(move |(at, part)| {
                        let place = place.zip(*at).map(|(mut place, at)| {
                            place[d] = at;
                            place
                        });
                        (place, weight * part)
                    })
                })
                .collect();
        }
        Ok(samples)
    }
}

/// A sampler, which its slot describes.
struct Sampler {
    normalized: bool,
    linear: bool,
    mode: u32,
}

impl Sampler {
    fn in_slot(slot: u32) -> Sampler {
        let linear = slot < sampler_word::NEAREST;
        let mode = match linear {
            true => slot >> sampler_word::ADDRESS_SHIFT & sampler_word::ADDRESS_MASK,
            false => sampler_word::CLAMP_TO_EDGE,
        };
        let repeats = matches!(mode, sampler_word::REPEAT | sampler_word::MIRRORED_REPEAT);
        Sampler { normalized: slot & sampler_word::NORMALIZED != 0 || repeats, linear, mode }
    }

    /// Returns the texels along one dimension, with their weights.
    fn along(&self, coordinate: f32, size: i64) -> Vec<(Option<i64>, f32)> {
        let place = if self.normalized { coordinate * size as f32 } else { coordinate };
        if !self.linear {
            return vec![(self.wrapped(place.floor() as i64, size), 1.0)];
        }
        let first = (place - 0.5).floor();
        let part = place - 0.5 - first;
        let at = |n: f32| self.wrapped(n as i64, size);
        match part == 0.0 {
            true => vec![(at(first), 1.0)],
            false => vec![(at(first), 1.0 - part), (at(first + 1.0), part)],
        }
    }

    /// Returns the texel at a place; `None` for the border.
    fn wrapped(&self, at: i64, size: i64) -> Option<i64> {
        match self.mode {
            sampler_word::CLAMP => (0..size).contains(&at).then_some(at),
            sampler_word::REPEAT => Some(at.rem_euclid(size)),
            sampler_word::MIRRORED_REPEAT => {
                let twice = at.rem_euclid(2 * size);
                Some(twice.min(2 * size - 1 - twice))
            }
            _ => Some(at.clamp(0, size - 1)),
        }
    }
}

fn write(memory: &mut Memory, address: u64, format: &Format, components: [u32; 4]) -> Res<()> {
    let texel = format.encode(components);
    for at in 0..format.bytes {
        let byte = Bits::new((texel >> (8 * at)) as u64 & 0xff);
        memory.write(address.wrapping_add(at as u64), 1, byte)?;
    }
    Ok(())
}
