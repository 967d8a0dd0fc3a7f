//! Loads and stores of types that the memory does not have: split into accesses that the memory supports.
//!
//! Device memory has scalars and vectors of all types that the device can store, at their alignment. Work-group and
//! private memory are arrays ([`crate::analysis::access_types`]), accessed one element at a time. An unaligned value is
//! accessed in units of its alignment, up to a word. A unit that the memory does not have is a part of a word (or of a
//! container of 64 bits). Such a unit is read by a shift. It is written by atomic operations on the word, which do not change
//! bytes of other work-items, or in private memory by a load and a store.

use super::elements;
use super::words::{value_of_words, words_of};
use crate::analysis::access_types::{is_whole_vector, Accesses, LocalLayout, CONTAINER};
use crate::analysis::known_bits::KnownBits;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use crate::target::Target;
use cranelift_entity::PrimaryMap;
use hekla_device::Quirks;
use smallvec::SmallVec;

/// The properties of the memories of a function.
pub struct Memories<'a> {
    pub target: &'a Target,
    pub globals: &'a PrimaryMap<Global, GlobalData>,
    pub accesses: &'a Accesses,
    /// The type of the stack's elements.
    pub stack: Type,
    pub local: LocalLayout,
}

/// The memory that an access goes to.
#[derive(Debug, Clone, Copy)]
enum Memory {
    Device,
    /// An array with elements of one type.
    Array {
        element: Type,
        is_private: bool,
    },
    /// Work-group memory that has aliased views.
    Views,
}

/// A load or store.
#[derive(Clone, Copy)]
struct Access {
    memory: Memory,
    ptr: Value,
    ty: Type,
    align: u32,
    flags: MemFlags,
}

/// Legalizes a function. Returns true if anything changed.
pub fn run(func: &mut Function, memories: &Memories<'_>) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        let is_legal = |&inst: &Inst| memories.illegal_access(func, inst).is_none();
        if func.blocks[block].insts.iter().all(is_legal) {
            continue;
        }
        changed = true;
        let mut c = Cursor::new(func);
        let insts = c.begin(block);
        for &inst in &insts {
            c.func.stand_at(inst);
            match memories.illegal_access(c.func, inst) {
                Some(access) => memories.legalize(&mut c, inst, access),
                None => c.keep(inst),
            }
        }
        c.finish_in(block, insts);
    }
    changed
}

impl Memories<'_> {
    /// Returns true if pointers of a type point into containers of 64 bits.
    pub fn has_containers(&self, ptr: Type) -> bool {
        ptr.space() == Some(AddressSpace::Local) && self.local == LocalLayout::Array(CONTAINER)
    }

    /// Returns the access of an instruction, if the memory does not support the access.
    fn illegal_access(&self, func: &Function, inst: Inst) -> Option<Access> {
        let (ptr, ty, align, flags) = match func.insts[inst] {
            InstData::Load { ptr, align, flags } => {
                (ptr, func.ty(func.result(inst)?), align, flags)
            }
            InstData::Store { ptr, value, align, flags } => (ptr, func.ty(value), align, flags),
            _ => return None,
        };
        let memory = self.memory(func, ptr)?;
        let access = Access { memory, ptr, ty, align, flags };
        let element = self.element(access);
        let is_legal = match memory {
            Memory::Device if !self.is_placed(access) || self.is_in_words(access) => false,
            // Without 64-bit integers, these vectors are accessed as vectors of two words.
            Memory::Device if ty.lanes > 1 && is_wide_int(ty.scalar) => {
                self.target.int64 && element.is_some()
            }
            Memory::Device => element == Some(ty.lane()),
            Memory::Array { .. } => element == Some(ty),
            Memory::Views => element == Some(ty) || self.whole_vector(access) == Some(ty),
        };
        (!is_legal).then_some(access)
    }

    fn memory(&self, func: &Function, ptr: Value) -> Option<Memory> {
        Some(match func.ty(ptr).space()? {
            AddressSpace::Global | AddressSpace::Constant => Memory::Device,
            AddressSpace::Local => match self.local {
                LocalLayout::Views => Memory::Views,
                LocalLayout::Array(element) => Memory::Array { element, is_private: false },
            },
            AddressSpace::Private => {
                let own = self.accesses.own_array(ptr).map(|index| &self.accesses.objects[index]);
                let element = own.map_or(self.stack, |own| own.access_type.element(self.target));
                Memory::Array { element, is_private: true }
            }
            AddressSpace::Generic => return None,
        })
    }

    /// Returns the type with which the memory can access a scalar of the access's type as a whole.
    fn element(&self, access: Access) -> Option<Type> {
        let bytes = access.ty.scalar.bytes();
        if access.align < bytes {
            return None;
        }
        match access.memory {
            Memory::Device => match access.ty.scalar {
                Scalar::Ptr(AddressSpace::Local | AddressSpace::Private) => Some(Type::I64),
                scalar => self.has_unit(access.memory, bytes).then_some(Type::of(scalar)),
            },
            Memory::Array { element, .. } => (element.bytes() == bytes).then_some(element),
            Memory::Views => {
                self.has_unit(access.memory, bytes).then_some(Type::of(Scalar::int(bytes * 8)))
            }
        }
    }

    /// Returns true for an access to a vector of 64-bit numbers in device memory that is split into vectors of words.
    fn is_in_words(&self, access: Access) -> bool {
        let is_device = matches!(access.memory, Memory::Device);
        let is_long = matches!(access.ty.scalar, Scalar::F64 | Scalar::I64) && access.ty.lanes > 1;
        is_device
            && is_long
            && access.align >= QUAD.bytes()
            && self.target.has(Quirks::SPLIT_LONG_VECTORS)
    }

    /// Returns the type with which the memory can access the vector of an access as a whole.
    fn whole_vector(&self, access: Access) -> Option<Type> {
        let has_vectors = self.target.has_whole_local_vectors();
        if !(has_vectors && is_whole_vector(access.ty, access.align)) {
            return None;
        }
        match (access.memory, access.ty.bytes()) {
            (Memory::Views, 8) => Some(Type::I64),
            (Memory::Views, 16) => Some(QUAD),
            _ => None,
        }
    }

    /// Returns true if device memory supports an access to a vector at its address. Without scalarBlockLayout the
    /// vector must be aligned to its size: V3D 4.2 wraps accesses around at multiples of 16 bytes.
    fn is_placed(&self, access: Access) -> bool {
        let whole = access.ty.bytes().next_power_of_two();
        self.target.scalar_block_layout || access.ty.lanes == 1 || access.align >= whole
    }

    /// Returns true if a memory has integers of `bytes` bytes.
    fn has_unit(&self, memory: Memory, bytes: u32) -> bool {
        match memory {
            Memory::Device => match bytes {
                1 => self.target.storage8,
                2 => self.target.storage16,
                _ => true,
            },
            Memory::Array { element, .. } => element.bytes() == bytes,
            Memory::Views => LocalLayout::has_view(bytes, self.target),
        }
    }

    /// Writes the legal instructions for an access.
    fn legalize(&self, c: &mut Cursor<'_>, inst: Inst, access: Access) {
        if let InstData::Store { value, .. } = c.func.insts[inst] {
            return self.store(c, access, value);
        }
        let value = self.load(c, access);
        // The last instruction computes the value, so the load is replaced by it.
        let Some(last) = c.out.pop() else { return };
        debug_assert_eq!(c.func.result(last), Some(value));
        let data = c.func.insts[last].clone();
        c.func.replace_inst(inst, data);
        c.keep(inst);
    }

    fn load(&self, c: &mut Cursor<'_>, access: Access) -> Value {
        let Access { ptr, ty, flags, .. } = access;
        let bytes = ty.scalar.bytes();
        if let Some(whole) = self.whole_vector(access) {
            let loaded = c.load(whole, ptr, ty.bytes(), flags);
            return vector_of_whole(c, loaded, ty);
        }
        if self.is_in_words(access) {
            return load_in_words(c, access);
        }
        if let Some(element) = self.element(access) {
            let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
            for lane in 0..u32::from(ty.lanes) {
                let ptr = advanced(c, ptr, lane * bytes);
                let loaded = c.load(element, ptr, bytes, flags);
                lanes.push(scalar_of_element(c, loaded, ty.scalar));
            }
            return c.build(&lanes);
        }
        let unit = access.unit();
        let mut words: SmallVec<[Value; 8]> = SmallVec::new();
        for at in (0..ty.bytes()).step_by(unit as usize) {
            let piece = self.load_unit(c, access, at, unit);
            match (words.last_mut(), at % 4) {
                (Some(last), byte @ 1..) => {
                    let high = c.binary_imm(BinaryOp::Shl, piece, i64::from(byte * 8));
                    *last = c.binary(BinaryOp::Or, *last, high);
                }
                _ => words.push(piece),
            }
        }
        value_of_words(c, &words, ty)
    }

    fn store(&self, c: &mut Cursor<'_>, access: Access, value: Value) {
        let Access { ptr, ty, flags, .. } = access;
        let bytes = ty.scalar.bytes();
        if let Some(whole) = self.whole_vector(access) {
            let value = whole_of_vector(c, value, whole);
            return c.store(ptr, value, ty.bytes(), flags);
        }
        if self.is_in_words(access) {
            return store_in_words(c, access, value);
        }
        if let Some(element) = self.element(access) {
            for lane in 0..ty.lanes {
                let scalar = c.extract(value, lane);
                let scalar = element_of_scalar(c, scalar, element);
                let ptr = advanced(c, ptr, u32::from(lane) * bytes);
                c.store(ptr, scalar, bytes, flags);
            }
            return;
        }
        let unit = access.unit();
        let words = words_of(c, value);
        for at in (0..ty.bytes()).step_by(unit as usize) {
            let word = words[(at / 4) as usize];
            let piece = c.binary_imm(BinaryOp::LShr, word, i64::from(at % 4 * 8));
            self.store_unit(c, access, at, unit, piece);
        }
    }

    /// Reads 1, 2 or 4 bytes as a word. The word is zero-extended if other bytes of the value are above these.
    fn load_unit(&self, c: &mut Cursor<'_>, access: Access, at: u32, unit: u32) -> Value {
        let Access { memory, flags, .. } = access;
        let ptr = advanced(c, access.ptr, at);
        if self.has_unit(memory, unit) {
            let loaded = c.load(Type::of(Scalar::int(unit * 8)), ptr, unit, flags);
            return c.convert(ConvertOp::ZExt, loaded, Type::I32);
        }
        let whole = memory.containing_type();
        let (ptr, shift) = self.containing(c, ptr, whole);
        let all = c.load(whole, ptr, whole.bytes(), flags);
        let moved = c.binary(BinaryOp::LShr, all, shift);
        let word = c.convert(ConvertOp::Trunc, moved, Type::I32);
        match access.is_top(at, unit) {
            true => word,
            false => c.binary_imm(BinaryOp::And, word, (1 << (unit * 8)) - 1),
        }
    }

    /// Writes the low 1, 2 or 4 bytes of a word. The bits above them are zeros or other bytes of the value.
    fn store_unit(&self, c: &mut Cursor<'_>, access: Access, at: u32, unit: u32, word: Value) {
        let Access { memory, flags, .. } = access;
        let ptr = advanced(c, access.ptr, at);
        if self.has_unit(memory, unit) {
            let value = c.convert(ConvertOp::Trunc, word, Type::of(Scalar::int(unit * 8)));
            return c.store(ptr, value, unit, flags);
        }
        let whole = memory.containing_type();
        let (ptr, shift) = self.containing(c, ptr, whole);
        let ones = i64::from(u32::MAX >> (32 - unit * 8));
        let low = match access.is_top(at, unit) {
            true => word,
            false => c.binary_imm(BinaryOp::And, word, ones),
        };
        let low = c.convert(ConvertOp::ZExt, low, whole);
        let value = c.binary(BinaryOp::Shl, low, shift);
        let ones = c.iconst(whole, ones);
        let mask = c.binary(BinaryOp::Shl, ones, shift);
        let others = c.unary(UnaryOp::Not, mask);
        if let Memory::Array { is_private: true, .. } = memory {
            let old = c.load(whole, ptr, whole.bytes(), flags);
            let kept = c.binary(BinaryOp::And, old, others);
            let new = c.binary(BinaryOp::Or, kept, value);
            return c.store(ptr, new, whole.bytes(), flags);
        }
        // Neither of these operations changes bytes that have the right value already. All work-items of a group may
        // write the same value.
        let keep = c.binary(BinaryOp::Or, others, value);
        for (op, value) in [(AtomicOp::Or, value), (AtomicOp::And, keep)] {
            let sync = SyncSemantics::PART_OF_STORE;
            c.atomic_rmw(op, ptr, value, sync);
        }
    }

    /// Returns a pointer to the word or container that contains the byte at a pointer, and the byte's bit position in
    /// it.
    pub fn containing(&self, c: &mut Cursor<'_>, ptr: Value, whole: Type) -> (Value, Value) {
        let mask = i64::from(whole.bytes() - 1);
        let (ptr, low) = match self.aligned_base(c, ptr, whole) {
            Some((base, byte)) => {
                let rest = c.binary_imm(BinaryOp::And, byte, !mask);
                let low = c.binary_imm(BinaryOp::And, byte, mask);
                (c.ptr_add(base, rest), low)
            }
            None => {
                let ty = c.ty(ptr);
                let int = Type::of(Scalar::int(ty.scalar.bits()));
                let address = c.convert(ConvertOp::PtrToInt, ptr, int);
                let rest = c.binary_imm(BinaryOp::And, address, !mask);
                let word = c.convert(ConvertOp::Trunc, address, Type::I32);
                let low = c.binary_imm(BinaryOp::And, word, mask);
                (c.convert(ConvertOp::IntToPtr, rest, ty), low)
            }
        };
        let shift = c.binary_imm(BinaryOp::Shl, low, 3);
        (ptr, c.convert(ConvertOp::ZExt, shift, whole))
    }

    /// Splits a pointer into a pointer to a multiple of an integer's size and a number of bytes; `None` if the
    /// pointer's computation does not show them.
    fn aligned_base(&self, c: &mut Cursor<'_>, ptr: Value, whole: Type) -> Option<(Value, Value)> {
        let (mut base, mut at, mut known) = (ptr, ptr, 0i64);
        let mut varying: Option<Value> = None;
        // Offsets that are multiples of the size: those that become part of the base, and those that are added to it.
        let (mut inside, mut behind) =
            (SmallVec::<[Value; 4]>::new(), SmallVec::<[Value; 4]>::new());
        while let Some(&InstData::PtrAdd { ptr, offset, .. }) = c.func.def_inst(at) {
            at = ptr;
            if let Some(bytes) = c.func.as_signed_const(offset) {
                known = known.wrapping_add(bytes);
            } else if KnownBits::new(c.func, None).trailing_zeros(offset) >= whole.bytes().ilog2() {
                inside.push(offset);
                continue;
            } else if elements::is_array(c.ty(ptr)) {
                varying = Some(varying.map_or(offset, |sum| c.binary(BinaryOp::IAdd, offset, sum)));
            } else {
                return None;
            }
            behind.append(&mut inside);
            base = at;
        }
        if !self.begins_object(c.func, at, whole.bytes()) {
            return None;
        }
        for &offset in behind.iter().rev() {
            base = c.ptr_add(base, offset);
        }
        let known = c.iconst(Type::I32, i64::from(i32::try_from(known).ok()?));
        Some((base, varying.map_or(known, |sum| c.binary(BinaryOp::IAdd, sum, known))))
    }

    /// Returns true if a pointer is the address of an object that is a multiple of `bytes`, at most 8.
    fn begins_object(&self, func: &Function, ptr: Value, bytes: u32) -> bool {
        let is_local = func.ty(ptr).space() == Some(AddressSpace::Local);
        match func.def_inst(ptr) {
            // In its own array, and in the stack, an object is at a multiple of 16.
            Some(InstData::Alloca { .. }) => true,
            // The layout of the work-group block aligns them.
            Some(InstData::GlobalAddr { .. } | InstData::LoadArg { .. }) if is_local => true,
            Some(&InstData::GlobalAddr { global }) => {
                self.globals.get(global).is_some_and(|data| data.align >= bytes)
            }
            _ => false,
        }
    }
}

impl Memory {
    /// Returns the integer type whose parts are read and written: a word or a container.
    fn containing_type(self) -> Type {
        match self {
            Memory::Array { element: CONTAINER, .. } => CONTAINER,
            _ => Type::I32,
        }
    }
}

impl Access {
    /// Returns true if no bytes of the value are above a unit in its word.
    fn is_top(&self, at: u32, unit: u32) -> bool {
        (at + unit).is_multiple_of(4) || at + unit == self.ty.bytes()
    }

    /// Returns the number of bytes of each part of an access that cannot be made in elements of its type.
    fn unit(&self) -> u32 {
        let mut unit = self.align.clamp(1, 4);
        while !self.ty.bytes().is_multiple_of(unit) {
            unit /= 2;
        }
        unit
    }
}

/// Returns a pointer advanced by a signed number of bytes. Constant offsets are added up.
fn advanced(c: &mut Cursor<'_>, ptr: Value, by: u32) -> Value {
    let by = i64::from(by as i32);
    if by == 0 {
        return ptr;
    }
    let (base, known) = c.func.base_and_offset(ptr);
    c.ptr_add_const(base, known.wrapping_add(by))
}

fn is_wide_int(scalar: Scalar) -> bool {
    scalar == Scalar::I64 || (scalar.is_ptr() && scalar.bits() == 64)
}

/// The type of an access to sixteen bytes.
const QUAD: Type = Type::vector(Scalar::I32, 4);

/// Loads a vector of 64-bit numbers two lanes at a time. An odd last lane is loaded alone.
fn load_in_words(c: &mut Cursor<'_>, access: Access) -> Value {
    let Access { ptr, ty, flags, .. } = access;
    let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
    for lane in (0..ty.lanes).step_by(2) {
        let ptr = advanced(c, ptr, u32::from(lane) * 8);
        if lane + 1 == ty.lanes {
            lanes.push(c.load(ty.lane(), ptr, QUAD.bytes(), flags));
            continue;
        }
        let quad = c.load(QUAD, ptr, QUAD.bytes(), flags);
        let both = vector_of_whole(c, quad, Type::vector(ty.scalar, 2));
        lanes.extend([c.extract(both, 0), c.extract(both, 1)]);
    }
    c.build(&lanes)
}

/// Stores a vector of 64-bit numbers as [`load_in_words`] loads it.
fn store_in_words(c: &mut Cursor<'_>, access: Access, value: Value) {
    let Access { ptr, ty, flags, .. } = access;
    for lane in (0..ty.lanes).step_by(2) {
        let ptr = advanced(c, ptr, u32::from(lane) * 8);
        let first = c.extract(value, lane);
        if lane + 1 == ty.lanes {
            c.store(ptr, first, QUAD.bytes(), flags);
            continue;
        }
        let second = c.extract(value, lane + 1);
        let both = c.build(&[first, second]);
        let quad = whole_of_vector(c, both, QUAD);
        c.store(ptr, quad, QUAD.bytes(), flags);
    }
}

/// Returns a vector that was loaded as a whole with its own type.
fn vector_of_whole(c: &mut Cursor<'_>, whole: Value, ty: Type) -> Value {
    let words: SmallVec<[Value; 4]> = match c.ty(whole) {
        QUAD => (0..4).map(|word| c.extract(whole, word)).collect(),
        _ => <[Value; 2]>::from(c.words_of(whole)).into_iter().collect(),
    };
    let lanes: SmallVec<[Value; 4]> = words
        .chunks(usize::from(words.len() as u8 / ty.lanes))
        .map(|words| {
            let element = c.build(words);
            scalar_of_element(c, element, ty.scalar)
        })
        .collect();
    c.build(&lanes)
}

/// Returns a vector with the type in which it is stored as a whole: the inverse of [`vector_of_whole`].
fn whole_of_vector(c: &mut Cursor<'_>, vector: Value, whole: Type) -> Value {
    let words = words_of(c, vector);
    let vector = c.build(&words);
    match whole {
        QUAD => vector,
        _ => c.bitcast(vector, whole),
    }
}

/// Returns a loaded element as a scalar of the same size.
fn scalar_of_element(c: &mut Cursor<'_>, element: Value, scalar: Scalar) -> Value {
    if c.ty(element) == Type::of(scalar) {
        return element;
    }
    match (c.ty(element), scalar) {
        (Type::PAIR, Scalar::F64) => c.bitcast(element, Type::F64),
        (Type::PAIR, _) => {
            let int = c.bitcast(element, Type::I64);
            c.from_memory_int(int, scalar)
        }
        _ => c.from_memory_int(element, scalar),
    }
}

/// Returns a scalar as an element of the same size: the inverse of [`scalar_of_element`].
fn element_of_scalar(c: &mut Cursor<'_>, scalar: Value, element: Type) -> Value {
    match c.ty(scalar) {
        ty if ty == element => scalar,
        Type::F64 if element == Type::PAIR => c.bitcast(scalar, Type::PAIR),
        _ => {
            let int = c.to_memory_int(scalar);
            c.bitcast(int, element)
        }
    }
}
