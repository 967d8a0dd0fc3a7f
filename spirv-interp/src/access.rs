//! Instructions that read and write memory.

use crate::error::{Error, Res};
use crate::integer;
use crate::invocation::Context;
use crate::matrix;
use crate::memory::Bytes;
use crate::module::{Inst, Module};
use crate::types::{Held, Type};
use crate::value::{signed, Bits, Place, Pointer, Value};
use rspirv::spirv::{BuiltIn, Capability, MemoryAccess, Op};

/// The memory that a work-item can reach.
pub struct Target<'t, 'c, B> {
    pub context: &'t mut Context<'c>,
    /// The work-item's own objects.
    pub objects: &'t mut [Bytes],
    /// Values of built-in variables, by number.
    pub built_in: B,
}

/// Returns true if an instruction reads or writes memory, or makes a pointer.
pub fn is_access(op: Op) -> bool {
    matches!(op, Op::Load | Op::Store | Op::AccessChain | Op::InBoundsAccessChain)
        || matches!(op, Op::AtomicLoad | Op::AtomicStore)
        || matches!(op, Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixStoreKHR)
        || is_update(op)
}

fn is_update(op: Op) -> bool {
    matches!(
        op,
        Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
    )
}

/// Executes an instruction that accesses memory or makes a pointer; returns its result, if it has one.
///
/// # Errors
/// When the instruction accesses memory that it may not access.
pub fn execute<'v, B: Fn(u32) -> Option<[u32; 3]>>(
    target: &mut Target<'_, '_, B>,
    inst: &Inst,
    get: &dyn Fn(u32) -> Res<&'v Value>,
) -> Res<Option<Value>> {
    let module = target.context.module;
    let operands = module.operands(inst);
    let first = module.operand(inst, 0)?;
    let pointer = get(first)?.pointer()?;
    let (_, pointee) = module.pointee(module.type_of(first)?)?;
    match inst.op {
        Op::AccessChain | Op::InBoundsAccessChain => {
            chain(module, pointer, pointee, &operands[1..], get).map(Some)
        }
        // An image or sampler is known by its place.
        Op::Load if matches!(pointer.place, Place::Descriptors(_)) => {
            Ok(Some(Value::Pointer(pointer)))
        }
        Op::Load => {
            check_alignment(module, pointer, pointee, &operands[1..])?;
            let mut scalars = Vec::new();
            module.types.scalars(pointee, 0, &mut |ty, at| {
                let size = module.types.size(ty)? as usize;
                scalars.push(target.read(pointer, at, size)?);
                Ok(())
            })?;
            module.types.build(pointee, &mut scalars.into_iter()).map(Some)
        }
        Op::Store => {
            check_alignment(module, pointer, pointee, &operands[2..])?;
            let mut scalars = Vec::new();
            get(module.operand(inst, 1)?)?.flatten(&mut scalars)?;
            let mut scalars = scalars.into_iter();
            module.types.scalars(pointee, 0, &mut |ty, at| {
                let size = module.types.size(ty)? as usize;
                match scalars.next() {
                    Some(bits) => target.write(pointer, at, size, bits),
                    None => Error::invalid("a store of another type"),
                }
            })?;
            Ok(None)
        }
        Op::CooperativeMatrixLoadKHR => {
            let lines = Lines::new(module, pointer, pointee, inst.ty, &operands[1..], get)?;
            let (held, width) = (lines.held, module.types.width(inst.ty)?);
            let mut elements = Vec::new();
            for index in 0..held.count() {
                elements.push(match held.place(target.item()?, index) {
                    Some(at) => target.read(pointer, lines.offset(at), lines.size as usize)?.into(),
                    None => Bits::undefined(width).into(),
                });
            }
            Ok(Some(Value::Composite(elements.into())))
        }
        Op::CooperativeMatrixStoreKHR => {
            let object = module.operand(inst, 1)?;
            let ty = module.type_of(object)?;
            let lines = Lines::new(module, pointer, pointee, ty, &operands[2..], get)?;
            let item = target.item()?;
            for (index, element) in get(object)?.members()?.iter().enumerate() {
                if let Some(at) = lines.held.place(item, index as u64) {
                    let size = lines.size as usize;
                    target.write(pointer, lines.offset(at), size, element.scalar()?)?;
                }
            }
            Ok(None)
        }
        _ => atomic(target, inst, pointer, pointee, get),
    }
}

/// The order of a matrix's elements in memory, from a pointer on.
struct Lines {
    held: Held,
    /// Bytes of an element.
    size: u64,
    /// Bytes from row to row, or from column to column, of the matrix.
    stride: u64,
    by_columns: bool,
}

impl Lines {
    /// Reads layout, stride and memory operands of a load or store of matrices of a type, and checks the alignment
    /// (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).
    fn new<'v>(
        module: &Module,
        pointer: Pointer,
        pointee: u32,
        ty: u32,
        operands: &[u32],
        get: &dyn Fn(u32) -> Res<&'v Value>,
    ) -> Res<Lines> {
        let &[layout, stride, ref access @ ..] = operands else {
            return Error::invalid("a matrix in memory without a stride");
        };
        let held = matrix::held(module, ty)?;
        let by_columns = match get(layout)?.defined("a layout")? {
            0 => false,
            1 => true,
            other => return Err(Error::Unsupported(format!("layout {other} of a matrix"))),
        };
        let size = module.types.size(held.element)?;
        let stride = get(stride)?.defined("a stride")?.wrapping_mul(module.types.size(pointee)?);
        check_alignment(module, pointer, pointee, access)?;
        let line = size * if by_columns { held.rows } else { held.columns };
        let least = 16.min(1 << line.trailing_zeros());
        let is_aligned = pointer.place != Place::Device || pointer.offset.is_multiple_of(least);
        if !(is_aligned && stride.is_multiple_of(least)) {
            return Error::undefined(format!("a matrix whose lines are not aligned to {least}"));
        }
        Ok(Lines { held, size, stride, by_columns })
    }

    fn offset(&self, [row, column]: [u64; 2]) -> u64 {
        let [line, at] = if self.by_columns { [column, row] } else { [row, column] };
        line.wrapping_mul(self.stride).wrapping_add(at * self.size)
    }
}

/// Returns a pointer to a part of an object.
fn chain<'v>(
    module: &Module,
    pointer: Pointer,
    pointee: u32,
    indices: &[u32],
    get: &dyn Fn(u32) -> Res<&'v Value>,
) -> Res<Value> {
    let (mut ty, mut offset) = (pointee, pointer.offset);
    for &id in indices {
        let width = module.types.width(module.type_of(id)?)?;
        let index = signed(get(id)?.defined("an index")?, width);
        let length = match module.types.get(ty)? {
            Type::Array { length, .. } => *length,
            Type::Matrix(held) => held.count(),
            _ => u64::MAX,
        };
        if length < u64::MAX && (index < 0 || index as u64 >= length) {
            return Error::undefined(format!("index {index} of an array of {length}"));
        }
        let (member, at) = module.types.member(ty, index)?;
        (ty, offset) = (member, offset.wrapping_add(at));
    }
    Ok(Value::Pointer(Pointer { offset, ..pointer }))
}

/// Checks the alignment that an access to device memory states (VUID-StandaloneSpirv-PhysicalStorageBuffer64-04708,
/// VUID-RuntimeSpirv-PhysicalStorageBuffer64-06314 and -06315).
fn check_alignment(module: &Module, pointer: Pointer, pointee: u32, access: &[u32]) -> Res<()> {
    if pointer.place != Place::Device {
        return Ok(());
    }
    let flags = MemoryAccess::from_bits_truncate(access.first().copied().unwrap_or(0));
    let align = match access.get(1) {
        Some(align) if flags.contains(MemoryAccess::ALIGNED) => u64::from(*align),
        _ => return Error::invalid("an access to device memory without alignment"),
    };
    let least = module.types.scalar_align(pointee)?;
    if align % least != 0 {
        return Error::invalid(format!("an alignment of {align} for scalars of {least} bytes"));
    }
    match pointer.offset % align {
        0 => Ok(()),
        _ => Error::undefined(format!(
            "address {:#x} is no multiple of {align}, as the access says",
            pointer.offset
        )),
    }
}

impl<B: Fn(u32) -> Option<[u32; 3]>> Target<'_, '_, B> {
    /// Returns the number of the work-item in its sub-group.
    fn item(&self) -> Res<u64> {
        match (self.built_in)(BuiltIn::SubgroupLocalInvocationId as u32) {
            Some([item, ..]) => Ok(u64::from(item)),
            None => Error::invalid("matrices without sub-groups"),
        }
    }

    fn read(&self, pointer: Pointer, at: u64, size: usize) -> Res<Bits> {
        let offset = pointer.offset.wrapping_add(at);
        let missing = || Error::Invalid("an object that does not exist".into());
        match pointer.place {
            Place::Device => self.context.device.read(offset, size),
            Place::Shared(index) => {
                self.context.shared.get(index).ok_or_else(missing)?.read(offset, size)
            }
            Place::Own(index) => self.objects.get(index).ok_or_else(missing)?.read(offset, size),
            Place::PushConstants => self.context.push_constants.read(offset, size),
            Place::Descriptors(_) => Error::invalid("the bits of an image"),
            Place::BuiltIn(number) => {
                let values = (self.built_in)(number)
                    .ok_or_else(|| Error::Unsupported(format!("built-in {number}")))?;
                match values.get(offset as usize / 4) {
                    Some(value) if size == 4 => Ok(Bits::new(u64::from(*value))),
                    _ => Error::invalid("a built-in of another type"),
                }
            }
        }
    }

    fn write(&mut self, pointer: Pointer, at: u64, size: usize, value: Bits) -> Res<()> {
        let offset = pointer.offset.wrapping_add(at);
        let missing = || Error::Invalid("an object that does not exist".into());
        match pointer.place {
            Place::Device => self.context.device.write(offset, size, value),
            Place::Shared(index) => {
                let object = self.context.shared.get_mut(index).ok_or_else(missing)?;
                object.write(offset, size, value)
            }
            Place::Own(index) => {
                self.objects.get_mut(index).ok_or_else(missing)?.write(offset, size, value)
            }
            _ => Error::invalid("a store to what is read only"),
        }
    }
}

/// Executes an atomic operation; returns the old value, except for a store.
fn atomic<'v, B: Fn(u32) -> Option<[u32; 3]>>(
    target: &mut Target<'_, '_, B>,
    inst: &Inst,
    pointer: Pointer,
    pointee: u32,
    get: &dyn Fn(u32) -> Res<&'v Value>,
) -> Res<Option<Value>> {
    let module = target.context.module;
    let width = module.types.width(pointee)?;
    let size = match (width, module.has(Capability::Int64Atomics)) {
        (32, _) => 4,
        (64, true) => 8,
        _ => return Error::invalid(format!("an atomic operation of {width} bits")),
    };
    if !pointer.offset.is_multiple_of(size as u64) {
        return Error::undefined("an atomic operation at an address that is not aligned");
    }
    let operand = |index: usize| get(module.operand(inst, index)?)?.scalar();
    if inst.op == Op::AtomicStore {
        target.write(pointer, 0, size, operand(3)?)?;
        return Ok(None);
    }
    let old = target.read(pointer, 0, size)?;
    let new = match inst.op {
        Op::AtomicLoad => return Ok(Some(old.into())),
        Op::AtomicCompareExchange => {
            let comparator = operand(5)?.defined("a comparator")?;
            let equal = old.defined("an atomic comparison")? == comparator;
            if equal {
                operand(4)?
            } else {
                old
            }
        }
        op => updated(op, old, operand(3)?, width)?,
    };
    target.write(pointer, 0, size, new)?;
    Ok(Some(old.into()))
}

/// Returns the value that a read-modify-write operation writes.
fn updated(op: Op, old: Bits, value: Bits, width: u32) -> Res<Bits> {
    let arithmetic = match op {
        Op::AtomicExchange => return Ok(value),
        Op::AtomicIAdd => Op::IAdd,
        Op::AtomicISub => Op::ISub,
        Op::AtomicAnd => Op::BitwiseAnd,
        Op::AtomicOr => Op::BitwiseOr,
        Op::AtomicXor => Op::BitwiseXor,
        _ => return least_or_most(op, old, value, width),
    };
    integer::binary(arithmetic, old, value, width)
        .ok_or_else(|| Error::Unsupported(format!("Op{op:?}")))
}

fn least_or_most(op: Op, old: Bits, value: Bits, width: u32) -> Res<Bits> {
    let comparison = match op {
        Op::AtomicSMin => Op::SLessThan,
        Op::AtomicUMin => Op::ULessThan,
        Op::AtomicSMax => Op::SGreaterThan,
        Op::AtomicUMax => Op::UGreaterThan,
        _ => return Err(Error::Unsupported(format!("Op{op:?}"))),
    };
    match integer::compare(comparison, value, old, width) {
        Some(better) => Ok(integer::select(better, value, old)),
        None => Err(Error::Unsupported(format!("Op{op:?}"))),
    }
}
