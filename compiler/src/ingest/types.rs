//! The types that a module declares, their layout in memory, and the representation of their values in the IR.
//!
//! A value of a scalar, vector or pointer type is one value of the IR. A value of a struct or array type is a list of such
//! values, one for each leaf.

use super::decorations::Decorations;
use super::words::Inst;
use crate::ir::{self, AddressSpace, Scalar};
use crate::kernel::{ImageAccess, ImageDim, ImageType};
use rspirv::spirv::{AccessQualifier, Decoration, Dim, FPEncoding, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Deepest nesting of structs and arrays (SPIR-V 2.18 asks for 255 of structs).
const MAX_DEPTH: u32 = 256;
/// The most leaves of a value.
pub(super) const MAX_LEAVES: u64 = 4096;
/// The most bytes of an object.
const MAX_SIZE: u64 = 1 << 46;

/// The number that stands for the missing pointee of an untyped pointer (SPV_KHR_untyped_pointers); no id is 0.
const UNTYPED: u32 = 0;

/// A type of the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ty(u32);

/// The kind of a type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Void,
    /// A type whose values are single values of the IR: numbers, bools and vectors of them.
    Value(ir::Type),
    Pointer {
        storage: StorageClass,
        space: AddressSpace,
        /// The id of the type that the pointer points to; [`UNTYPED`] if each access has the type.
        pointee: u32,
    },
    Array {
        element: Ty,
        length: u64,
    },
    Struct {
        members: Vec<(Ty, u64)>,
    },
    Function {
        ret: Ty,
        params: Vec<Ty>,
    },
    Image(ImageType),
    Sampler,
    SampledImage(ImageType),
    Matrix(ir::Matrix),
    Event,
    Pipe(ImageAccess),
    /// A reservation of packets of a pipe.
    ReserveId,
    /// A queue on the device.
    Queue,
    DeviceEvent,
    /// A type without values and without a size.
    Opaque,
}

/// A part of a value that is one value of the IR, and where it is in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) ty: ir::Type,
    pub(super) offset: u64,
}

#[derive(Debug)]
struct Data {
    /// The id of the type's declaration.
    id: u32,
    kind: Kind,
    /// The size in bytes; `None` if objects of the type have no size.
    size: Option<u64>,
    align: u32,
    leaves: u64,
    depth: u32,
    shape: Shape,
}

/// A number for the layout of values. Types whose values have the same leaves in the same places have the same number.
type Shape = u32;

/// The properties that define a shape.
#[derive(Debug, PartialEq, Eq, Hash)]
enum ShapeKey {
    Value(ir::Type),
    Event,
    Array(Shape, u64),
    Struct(Vec<(Shape, u64)>),
    /// The shape of one type alone.
    Type(u32),
}

/// The types of a module.
#[derive(Debug, Default)]
pub(super) struct Types {
    all: Vec<Data>,
    by_id: FxHashMap<u32, Ty>,
    shapes: FxHashMap<ShapeKey, Shape>,
    /// The types of vectors' components.
    components: FxHashMap<Ty, Ty>,
    has_matrices: bool,
    /// The types of bfloat16 and of its vectors (SPV_KHR_bfloat16). A value is that of 16-bit integers with its bits.
    bfloat16: FxHashSet<Ty>,
}

/// Returns the address space of a storage class, if there are pointers to it.
fn address_space(storage: StorageClass) -> Option<AddressSpace> {
    Some(match storage {
        StorageClass::Function | StorageClass::Private | StorageClass::Input => {
            AddressSpace::Private
        }
        StorageClass::CrossWorkgroup => AddressSpace::Global,
        StorageClass::Workgroup => AddressSpace::Local,
        StorageClass::UniformConstant => AddressSpace::Constant,
        // Pointers to functions are only called.
        StorageClass::Generic | StorageClass::CodeSectionINTEL => AddressSpace::Generic,
        _ => return None,
    })
}

impl Types {
    /// Returns the id that declares a type.
    pub(super) fn id_of(&self, ty: Ty) -> u32 {
        self.all[ty.0 as usize].id
    }

    /// Returns the type of an id.
    pub(super) fn of(&self, id: u32) -> Result<Ty, String> {
        self.by_id.get(&id).copied().ok_or_else(|| format!("%{id} is not a type declared before"))
    }

    pub(super) fn kind(&self, ty: Ty) -> &Kind {
        &self.all[ty.0 as usize].kind
    }

    /// Returns the IR's type of values that are one value of the IR.
    pub(super) fn value(&self, ty: Ty) -> Option<ir::Type> {
        Some(match *self.kind(ty) {
            Kind::Value(value) => value,
            Kind::Pointer { space, .. } => ir::Type::ptr(space),
            Kind::Matrix(matrix) => matrix.ty(),
            Kind::Image(_) | Kind::Sampler => ir::Type::I32,
            Kind::Event | Kind::ReserveId | Kind::Queue | Kind::DeviceEvent => ir::Type::I64,
            // The address of the pipe's buffer.
            Kind::Pipe(_) => ir::Type::ptr(AddressSpace::Global),
            _ => return None,
        })
    }

    /// Like [`Types::value`], for numbers, bools and vectors of them alone.
    pub(super) fn numeric(&self, ty: Ty) -> Result<ir::Type, String> {
        match *self.kind(ty) {
            Kind::Value(value) => Ok(value),
            _ => Err("a type is not that of a number or vector".to_string()),
        }
    }

    /// Returns the size in bytes.
    pub(super) fn size(&self, ty: Ty) -> Result<u64, String> {
        self.all[ty.0 as usize].size.ok_or_else(|| "a type has no size".to_string())
    }

    /// Returns the alignment in bytes; 1 for types without one.
    pub(super) fn align(&self, ty: Ty) -> u32 {
        self.all[ty.0 as usize].align
    }

    /// Returns the type that a pointer type points to.
    pub(super) fn pointee(&self, ty: Ty) -> Result<Ty, String> {
        match *self.kind(ty) {
            Kind::Pointer { pointee: UNTYPED, .. } => {
                Err("a pointer does not tell what it points to".to_string())
            }
            Kind::Pointer { pointee, .. } => self.of(pointee),
            _ => Err("a type is not that of a pointer".to_string()),
        }
    }

    /// Returns true for the types of untyped pointers.
    pub(super) fn is_untyped(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Pointer { pointee: UNTYPED, .. })
    }

    /// Returns the type of the object that OpVariable or OpUntypedVariableKHR declares, and the initializer's id.
    pub(super) fn variable(&self, inst: &Inst<'_>) -> Result<(Ty, Option<u32>), String> {
        let ty = self.of(inst.ty)?;
        if inst.op != Op::UntypedVariableKHR {
            return Ok((self.pointee(ty)?, inst.args.get(1).copied()));
        }
        if !self.is_untyped(ty) {
            return Err("its type is not that of an untyped pointer".to_string());
        }
        let object = inst.args.get(1).ok_or("the variable's type is not given")?;
        Ok((self.of(*object)?, inst.args.get(2).copied()))
    }

    /// Returns the number of leaves of a value.
    pub(super) fn num_leaves(&self, ty: Ty) -> Result<usize, String> {
        let leaves = self.all[ty.0 as usize].leaves;
        if leaves > MAX_LEAVES {
            return Err(format!("a value has {leaves} parts, of which {MAX_LEAVES} are supported"));
        }
        Ok(leaves as usize)
    }

    /// Returns the leaves of a value in order.
    pub(super) fn leaves(&self, ty: Ty) -> Result<Vec<Leaf>, String> {
        let mut leaves = Vec::with_capacity(self.num_leaves(ty)?);
        self.collect(ty, 0, &mut leaves);
        Ok(leaves)
    }

    fn collect(&self, ty: Ty, offset: u64, leaves: &mut Vec<Leaf>) {
        if self.all[ty.0 as usize].leaves == 0 {
            return;
        }
        match self.kind(ty) {
            Kind::Array { element, length } => {
                let stride = self.all[element.0 as usize].size.unwrap_or(0);
                for i in 0..*length {
                    self.collect(*element, offset + i * stride, leaves);
                }
            }
            Kind::Struct { members } => {
                for &(member, at) in members {
                    self.collect(member, offset + at, leaves);
                }
            }
            Kind::SampledImage(_) => {
                let leaf = Leaf { ty: ir::Type::I32, offset };
                leaves.extend([leaf, leaf]);
            }
            _ => leaves.extend(self.value(ty).map(|ty| Leaf { ty, offset })),
        }
    }

    /// Returns type and first leaf of a part of a composite, and its offset in bytes.
    pub(super) fn part(&self, ty: Ty, index: u64) -> Result<(Ty, usize, u64), String> {
        let beyond = || format!("there is no part number {index}");
        match self.kind(ty) {
            Kind::Array { element, length } if index < *length => {
                let leaves = self.num_leaves(*element)? as u64;
                Ok((*element, (leaves * index) as usize, self.size(*element)? * index))
            }
            Kind::Struct { members } => {
                let index = usize::try_from(index).unwrap_or(usize::MAX);
                let &(member, offset) = members.get(index).ok_or_else(beyond)?;
                let before = members[..index].iter().map(|&(member, _)| self.num_leaves(member));
                let before = before.sum::<Result<usize, String>>()?;
                Ok((member, before, offset))
            }
            Kind::Array { .. } => Err(beyond()),
            _ => Err("a type is not that of a struct or array".to_string()),
        }
    }

    /// Returns true if values of two types consist of the same values of the IR in the same places.
    pub(super) fn alike(&self, a: Ty, b: Ty) -> bool {
        self.shape(a) == self.shape(b)
    }

    fn shape(&self, ty: Ty) -> Shape {
        self.all[ty.0 as usize].shape
    }

    /// Returns type and offset of a struct's member.
    pub(super) fn member(&self, ty: Ty, index: u64) -> Result<(Ty, u64), String> {
        let Kind::Struct { members } = self.kind(ty) else {
            return Err("a type is not that of a struct".to_string());
        };
        let member = usize::try_from(index).ok().and_then(|index| members.get(index));
        member.copied().ok_or_else(|| format!("there is no member number {index}"))
    }

    /// Returns the declared type of a vector's components.
    pub(super) fn component(&self, ty: Ty) -> Result<Ty, String> {
        match self.components.get(&ty) {
            Some(&component) => Ok(component),
            None => Err("a type is not that of a vector".to_string()),
        }
    }

    fn declare(&mut self, id: u32, mut data: Data) -> Ty {
        let ty = Ty(self.all.len() as u32);
        data.id = id;
        let key = match &data.kind {
            Kind::Value(value) => ShapeKey::Value(*value),
            Kind::Matrix(matrix) => ShapeKey::Value(matrix.ty()),
            Kind::Pointer { space, .. } => ShapeKey::Value(ir::Type::ptr(*space)),
            Kind::Event => ShapeKey::Event,
            Kind::Array { element, length } => ShapeKey::Array(self.shape(*element), *length),
            Kind::Struct { members } => {
                let members = members.iter();
                ShapeKey::Struct(members.map(|&(ty, at)| (self.shape(ty), at)).collect())
            }
            _ => ShapeKey::Type(ty.0),
        };
        let next = self.shapes.len() as Shape;
        data.shape = *self.shapes.entry(key).or_insert(next);
        self.all.push(data);
        self.by_id.insert(id, ty);
        ty
    }

    /// Declares the type of a matrix.
    pub(super) fn declare_matrix(&mut self, id: u32, matrix: ir::Matrix) -> Result<(), String> {
        let data = self.data(Kind::Matrix(matrix))?;
        self.declare(id, data);
        self.has_matrices = true;
        Ok(())
    }

    /// Returns true for bfloat16 and vectors of it.
    pub(super) fn is_bfloat16(&self, ty: Ty) -> bool {
        self.bfloat16.contains(&ty)
    }

    /// Returns true if the module declares bfloat16.
    pub(super) fn has_bfloat16(&self) -> bool {
        !self.bfloat16.is_empty()
    }

    /// Returns the element of matrices whose component has a type; `None` if it is not that of a number.
    pub(super) fn element(&self, ty: Ty) -> Option<ir::MatrixElement> {
        match *self.kind(ty) {
            Kind::Value(value) if value.lanes > 1 => None,
            Kind::Value(_) if self.is_bfloat16(ty) => Some(ir::MatrixElement::BF16),
            Kind::Value(value) => ir::MatrixElement::of(value.scalar),
            _ => None,
        }
    }

    /// Returns true if a type of the module is that of a matrix.
    pub(super) fn has_matrices(&self) -> bool {
        self.has_matrices
    }

    /// Declares the type that an instruction defines; returns false for other instructions. `length` returns the value of a
    /// constant.
    pub(super) fn instruction(
        &mut self,
        inst: &Inst<'_>,
        decorations: &Decorations,
        length: impl FnOnce(u32) -> Result<u64, String>,
    ) -> Result<bool, String> {
        let kind = match inst.op {
            Op::TypeVoid => Kind::Void,
            Op::TypeBool => Kind::Value(ir::Type::BOOL),
            Op::TypeInt => int_type(inst)?,
            Op::TypeFloat if inst.args.len() > 1 => {
                let data = self.data(encoded_type(inst)?)?;
                let ty = self.declare(inst.id, data);
                self.bfloat16.insert(ty);
                return Ok(true);
            }
            Op::TypeFloat => float_type(inst)?,
            Op::TypeVector => {
                let vector = self.vector_type(inst)?;
                let component = self.of(inst.arg(0)?)?;
                let data = self.data(vector)?;
                let ty = self.declare(inst.id, data);
                self.components.insert(ty, component);
                if self.is_bfloat16(component) {
                    self.bfloat16.insert(ty);
                }
                return Ok(true);
            }
            Op::TypePointer => {
                let [storage, pointee] = inst.get()?;
                pointer_type(storage, pointee)?
            }
            Op::TypeUntypedPointerKHR => pointer_type(inst.arg(0)?, UNTYPED)?,
            Op::TypeForwardPointer => return Ok(true),
            Op::TypeArray => {
                let [element, count] = inst.get()?;
                Kind::Array { element: self.of(element)?, length: length(count)? }
            }
            Op::TypeStruct => {
                let packed = decorations.has(inst.id, Decoration::CPacked);
                let data = self.struct_type(inst, packed)?;
                self.declare(inst.id, data);
                return Ok(true);
            }
            Op::TypeFunction => self.function_type(inst)?,
            Op::TypeImage => Kind::Image(image_type(inst)?),
            Op::TypeSampler => Kind::Sampler,
            Op::TypeSampledImage => match *self.kind(self.of(inst.arg(0)?)?) {
                Kind::Image(image) => Kind::SampledImage(image),
                _ => return Err("it is not of an image type".to_string()),
            },
            Op::TypeEvent => Kind::Event,
            Op::TypePipe => Kind::Pipe(pipe_access(inst.arg(0)?)?),
            Op::TypeReserveId => Kind::ReserveId,
            Op::TypeQueue => Kind::Queue,
            Op::TypeDeviceEvent => Kind::DeviceEvent,
            Op::TypeOpaque => Kind::Opaque,
            _ => return Ok(false),
        };
        let data = self.data(kind)?;
        self.declare(inst.id, data);
        Ok(true)
    }

    /// Returns a type with its layout, which follows C (environment specification, 2.1).
    fn data(&self, kind: Kind) -> Result<Data, String> {
        let (size, align, leaves, depth) = match &kind {
            Kind::Value(ty) => {
                let lanes = if ty.lanes == 3 { 4 } else { u32::from(ty.lanes) };
                let size = ty.scalar.bytes() * lanes;
                (Some(u64::from(size)), size, 1, 0)
            }
            Kind::Matrix(_) => (Some(u64::from(ir::Matrix::BYTES)), ir::Matrix::BYTES, 1, 0),
            Kind::Pointer { .. } | Kind::Event | Kind::Pipe(_) | Kind::ReserveId => {
                (Some(8), 8, 1, 0)
            }
            // In the bytes of enqueued functions, compilers reserve the size of a pointer for images and samplers.
            Kind::Queue | Kind::DeviceEvent | Kind::Image(_) | Kind::Sampler => (Some(8), 8, 1, 0),
            Kind::SampledImage(_) => (None, 1, 2, 0),
            Kind::Array { element, length } => {
                let of = &self.all[element.0 as usize];
                let size = of.size.ok_or("its elements have no size")?;
                let size = size.checked_mul(*length).filter(|&size| size <= MAX_SIZE);
                let size = size.ok_or("the array is too large")?;
                (Some(size), of.align, of.leaves.saturating_mul(*length), of.depth + 1)
            }
            _ => (None, 1, 0, 0),
        };
        if depth > MAX_DEPTH {
            return Err("types are nested too deeply".to_string());
        }
        Ok(Data { id: 0, kind, size, align, leaves, depth, shape: 0 })
    }

    fn vector_type(&self, inst: &Inst<'_>) -> Result<Kind, String> {
        let [component, count] = inst.get()?;
        match (self.kind(self.of(component)?), count) {
            (Kind::Value(scalar), 2 | 3 | 4 | 8 | 16) if scalar.lanes == 1 => {
                Ok(Kind::Value(ir::Type::vector(scalar.scalar, count as u8)))
            }
            (Kind::Value(scalar), _) if scalar.lanes == 1 => {
                Err(format!("vectors of {count} components are not supported"))
            }
            _ => Err("vectors are of numbers or bools".to_string()),
        }
    }

    fn struct_type(&mut self, inst: &Inst<'_>, packed: bool) -> Result<Data, String> {
        let mut members = Vec::with_capacity(inst.args.len());
        let (mut size, mut align, mut leaves, mut depth) = (0u64, 1, 0u64, 0);
        let mut has_size = true;
        for &member in inst.args {
            // A member that is declared later is a pointer (OpTypeForwardPointer) or an error.
            let ty = self.of(member)?;
            let data = &self.all[ty.0 as usize];
            let member_align = if packed { 1 } else { data.align };
            size = size.next_multiple_of(u64::from(member_align));
            members.push((ty, size));
            has_size &= data.size.is_some();
            size += data.size.unwrap_or(0);
            align = align.max(member_align);
            leaves = leaves.saturating_add(data.leaves);
            depth = depth.max(data.depth + 1);
            if size > MAX_SIZE || depth > MAX_DEPTH {
                return Err("the struct is too large or nested too deeply".to_string());
            }
        }
        size = size.next_multiple_of(u64::from(align));
        let kind = Kind::Struct { members };
        Ok(Data { id: 0, kind, size: has_size.then_some(size), align, leaves, depth, shape: 0 })
    }

    fn function_type(&self, inst: &Inst<'_>) -> Result<Kind, String> {
        let ret = self.of(inst.arg(0)?)?;
        let params = inst.rest(1).iter().map(|&param| self.of(param)).collect::<Result<_, _>>()?;
        Ok(Kind::Function { ret, params })
    }
}

fn int_type(inst: &Inst<'_>) -> Result<Kind, String> {
    match inst.arg(0)? {
        width @ (8 | 16 | 32 | 64) => Ok(Kind::Value(ir::Type::of(Scalar::int(width)))),
        width => Err(format!("integers of {width} bits are not supported")),
    }
}

fn float_type(inst: &Inst<'_>) -> Result<Kind, String> {
    Ok(Kind::Value(match inst.arg(0)? {
        16 => ir::Type::F16,
        32 => ir::Type::F32,
        64 => ir::Type::F64,
        width => return Err(format!("floats of {width} bits are not supported")),
    }))
}

/// Returns the type of floats with an encoding of their own, of which only bfloat16 is supported.
fn encoded_type(inst: &Inst<'_>) -> Result<Kind, String> {
    let [width, encoding] = inst.get()?;
    match (width, FPEncoding::from_u32(encoding)) {
        (16, Some(FPEncoding::BFloat16KHR)) => Ok(Kind::Value(ir::Type::I16)),
        _ => Err("the floating-point encoding is not supported".to_string()),
    }
}

fn pointer_type(storage: u32, pointee: u32) -> Result<Kind, String> {
    let storage = StorageClass::from_u32(storage).ok_or("unknown storage class")?;
    let space = address_space(storage);
    let space = space.ok_or_else(|| format!("storage class {storage:?} is not supported"))?;
    Ok(Kind::Pointer { storage, space, pointee })
}

/// Operands: sampled type, dimension, depth, arrayed, multisampled, sampled, format, access.
fn image_type(inst: &Inst<'_>) -> Result<ImageType, String> {
    let [_, dim, depth, arrayed, multisampled, _, _] = inst.get()?;
    if multisampled != 0 {
        return Err("multisampled images are not supported".to_string());
    }
    let dim = match (Dim::from_u32(dim), arrayed) {
        (Some(Dim::Dim1D), 0) => ImageDim::D1,
        (Some(Dim::Dim1D), 1) => ImageDim::D1Array,
        (Some(Dim::Dim2D), 0) => ImageDim::D2,
        (Some(Dim::Dim2D), 1) => ImageDim::D2Array,
        (Some(Dim::Dim3D), 0) => ImageDim::D3,
        (Some(Dim::DimBuffer), 0) => ImageDim::D1Buffer,
        _ => return Err("images of these dimensions are not supported".to_string()),
    };
    let depth = depth == 1;
    if depth && !matches!(dim, ImageDim::D2 | ImageDim::D2Array) {
        return Err("depth images of these dimensions are not supported".to_string());
    }
    let access = inst.args.get(7).map_or(Ok(ImageAccess::ReadOnly), |&number| access(number))?;
    Ok(ImageType { dim, depth, access })
}

fn access(number: u32) -> Result<ImageAccess, String> {
    match AccessQualifier::from_u32(number) {
        Some(AccessQualifier::ReadOnly) => Ok(ImageAccess::ReadOnly),
        Some(AccessQualifier::WriteOnly) => Ok(ImageAccess::WriteOnly),
        Some(AccessQualifier::ReadWrite) => Ok(ImageAccess::ReadWrite),
        None => Err("unknown access qualifier".to_string()),
    }
}

fn pipe_access(number: u32) -> Result<ImageAccess, String> {
    match access(number)? {
        ImageAccess::ReadWrite => Err("pipes are read-only or write-only".to_string()),
        access => Ok(access),
    }
}
