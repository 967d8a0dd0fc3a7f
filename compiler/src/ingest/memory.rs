//! Memory: variables of functions, loads, stores and copies. A value is loaded and stored leaf by leaf.

use super::function::{Translator, Val};
use super::types::{Kind, Leaf, Ty, Types};
use super::words::Inst;
use crate::ir::{Addr, AddressSpace, BinaryOp, IntCC, MemFlags, Scalar, Type, Value};
use rspirv::spirv::{MemoryAccess, Op, StorageClass};
use smallvec::SmallVec;

/// The most bytes that a copy of constant size copies without a loop.
const MAX_UNROLLED: u64 = 128;
/// The most bytes of an object in private memory.
const MAX_PRIVATE: u64 = 1 << 28;

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    matches!(op, Op::Variable | Op::Load | Op::Store | Op::CopyMemory | Op::CopyMemorySized)
        || matches!(op, Op::UntypedVariableKHR | Op::UntypedPrefetchKHR)
}

/// The memory operands of an access (SPIR-V 3.26).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Access {
    pub(super) align: Option<u32>,
    pub(super) flags: MemFlags,
}

/// Reads memory operands. Returns them and the words behind them.
pub(super) fn access(words: &[u32]) -> Result<(Access, &[u32]), String> {
    let Some((&mask, mut rest)) = words.split_first() else {
        return Ok((Access::default(), words));
    };
    let mask = MemoryAccess::from_bits(mask).ok_or("unknown memory operands")?;
    let mut access = Access::default();
    access.flags.set(MemFlags::VOLATILE, mask.contains(MemoryAccess::VOLATILE));
    if mask.contains(MemoryAccess::ALIGNED) {
        let (&align, behind) = rest.split_first().ok_or("an operand is missing")?;
        if !align.is_power_of_two() {
            return Err(format!("the alignment {align} is not a power of two"));
        }
        access.align = Some(align.min(1 << 16));
        rest = behind;
    }
    let scopes = MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE;
    if mask.intersects(scopes) {
        return Err("availability of memory is not supported".to_string());
    }
    let skipped = MemoryAccess::ALIAS_SCOPE_INTEL_MASK | MemoryAccess::NO_ALIAS_INTEL_MASK;
    let skipped = (mask & skipped).iter().count();
    Ok((access, rest.get(skipped..).ok_or("an operand is missing")?))
}

impl Translator<'_, '_, '_> {
    pub(super) fn memory(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        match inst.op {
            Op::Variable | Op::UntypedVariableKHR => self.variable(inst),
            // A prefetch has no effect.
            Op::UntypedPrefetchKHR => self.pointer(inst.arg(0)?).map(|_| ()),
            Op::Load => self.load(inst),
            Op::Store => self.store(inst),
            Op::CopyMemory => self.copy_object(inst),
            _ => self.copy_bytes(inst),
        }
    }

    /// Translates OpVariable in a function.
    fn variable(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        if StorageClass::from_u32(inst.arg(0)?) != Some(StorageClass::Function) {
            return Err("variables of functions are in storage class Function".to_string());
        }
        let (pointee, initial) = self.m.types.variable(inst)?;
        let size = self.m.types.size(pointee)?;
        if size > MAX_PRIVATE {
            return Err(format!("a variable of {size} bytes is too large"));
        }
        let align = self.m.types.align(pointee).max(self.declared_alignment(inst.id));
        let addr = self.b.private_memory(size, align);
        self.give(inst, addr.ptr)?;
        match initial {
            Some(initial) => {
                let value = self.val(initial)?;
                self.check_alike(value.ty, pointee)?;
                self.store_leaves(&value, addr)
            }
            None => Ok(()),
        }
    }

    /// Returns the alignment that an Alignment decoration declares; 1 if there is none.
    pub(super) fn declared_alignment(&self, id: u32) -> u32 {
        self.m.alignment(id).unwrap_or(1)
    }

    fn check_alike(&self, found: Ty, wanted: Ty) -> Result<(), String> {
        match self.m.types.alike(found, wanted) {
            true => Ok(()),
            false => Err("value and memory differ in type".to_string()),
        }
    }

    /// Returns the address that a pointer holds, for accesses of the type that it points to; for an untyped pointer, of type
    /// `accessed`. Also returns this type.
    fn address_of(&mut self, id: u32, access: Access, accessed: Ty) -> Result<(Addr, Ty), String> {
        let (ptr, ty) = self.pointer(id)?;
        let pointee = match self.m.types.is_untyped(ty) {
            true => accessed,
            false => self.m.types.pointee(ty)?,
        };
        let align = access.align.unwrap_or_else(|| self.m.types.align(pointee));
        Ok((self.address(ptr, align, access), pointee))
    }

    fn address(&self, ptr: Value, align: u32, access: Access) -> Addr {
        let mut flags = access.flags;
        flags.set(MemFlags::INVARIANT, self.b.space(ptr) == AddressSpace::Constant);
        Addr { ptr, align, flags }
    }

    fn load(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let (access, _) = access(inst.rest(1))?;
        let result = self.m.types.of(inst.ty)?;
        if let Some(input) = self.input_variable(inst.arg(0)?) {
            let value = self.input(input)?;
            if Some(self.b.ty(value)) == self.m.types.value(result) {
                return self.give(inst, value);
            }
        }
        let (addr, pointee) = self.address_of(inst.arg(0)?, access, result)?;
        let leaves = self.load_leaves(pointee, addr)?;
        self.define(inst, &leaves)
    }

    /// Reads a value from memory.
    pub(super) fn load_leaves(
        &mut self,
        ty: Ty,
        addr: Addr,
    ) -> Result<SmallVec<[Value; 1]>, String> {
        self.m.types.size(ty)?;
        self.check_matrix_memory(ty, addr.ptr)?;
        let leaves = self.leaves_of(ty)?;
        Ok(leaves.into_iter().map(|leaf| self.load_leaf(leaf, addr)).collect())
    }

    fn load_leaf(&mut self, leaf: Leaf, addr: Addr) -> Value {
        let addr = self.b.offset(addr, leaf.offset);
        self.b.read(leaf.ty, addr)
    }

    fn store(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let (access, _) = access(inst.rest(2))?;
        let [pointer, value] = inst.get()?;
        let value = self.val(value)?;
        let (addr, pointee) = self.address_of(pointer, access, value.ty)?;
        self.check_alike(value.ty, pointee)?;
        self.check_writable(addr)?;
        self.store_leaves(&value, addr)
    }

    fn check_writable(&self, addr: Addr) -> Result<(), String> {
        match self.b.space(addr.ptr) {
            AddressSpace::Constant => Err("constant memory is not written to".to_string()),
            _ => Ok(()),
        }
    }

    /// Writes a value to memory.
    pub(super) fn store_leaves(&mut self, value: &Val, addr: Addr) -> Result<(), String> {
        self.m.types.size(value.ty)?;
        self.check_matrix_memory(value.ty, addr.ptr)?;
        self.m.count_parts(value.leaves.len())?;
        let leaves = self.leaves_of(value.ty)?;
        for (leaf, &value) in leaves.iter().zip(&value.leaves) {
            let addr = self.b.offset(addr, leaf.offset);
            self.b.write(addr, value);
        }
        Ok(())
    }

    /// Returns the addresses of a copy's target and source, with the memory operands, which are one set for both or one for
    /// each. Also returns the types that the pointers point to. For an untyped pointer it is `None` or, if `like_other` is
    /// true, the type of the other pointer.
    fn copy_operands(
        &mut self,
        inst: &Inst<'_>,
        operands: usize,
        like_other: bool,
    ) -> Result<[(Addr, Option<Ty>); 2], String> {
        let [target, source] = inst.get()?;
        let (of_target, rest) = access(inst.rest(operands))?;
        let of_source = if rest.is_empty() { of_target } else { access(rest)?.0 };
        let pointers = [self.pointer(target)?, self.pointer(source)?];
        let mut pointees = [None; 2];
        for (pointee, (_, ty)) in pointees.iter_mut().zip(pointers) {
            if !self.m.types.is_untyped(ty) {
                *pointee = Some(self.m.types.pointee(ty)?);
            }
        }
        if like_other {
            pointees = [pointees[0].or(pointees[1]), pointees[1].or(pointees[0])];
        }
        let side = |n: usize, access: Access| {
            let own = pointees[n].map_or(1, |ty| self.m.types.align(ty));
            let align = access.align.unwrap_or(own);
            (self.address(pointers[n].0, align, access), pointees[n])
        };
        let sides = [side(0, of_target), side(1, of_source)];
        self.check_writable(sides[0].0)?;
        Ok(sides)
    }

    fn copy_object(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [(target, ty), (source, source_ty)] = self.copy_operands(inst, 2, true)?;
        let (Some(ty), Some(source_ty)) = (ty, source_ty) else {
            return Err("neither pointer tells what it points to".to_string());
        };
        self.check_alike(ty, source_ty)?;
        let size = self.m.types.size(ty)?;
        self.check_matrix_memory(ty, target.ptr)?;
        self.check_matrix_memory(ty, source.ptr)?;
        self.copy_constant(target, source, size, &[ty]);
        Ok(())
    }

    fn copy_bytes(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [(target, target_ty), (source, source_ty)] = self.copy_operands(inst, 3, false)?;
        let types: SmallVec<[Ty; 2]> = target_ty.into_iter().chain(source_ty).collect();
        for &ty in &types {
            self.check_matrix_memory(ty, target.ptr)?;
            self.check_matrix_memory(ty, source.ptr)?;
        }
        let size = self.number(inst.arg(2)?)?;
        let ty = self.b.ty(size);
        if ty.lanes != 1 || !ty.scalar.is_int() {
            return Err("the size is not an integer".to_string());
        }
        match self.b.func.as_const(size) {
            Some(size) => self.copy_constant(target, source, size, &types),
            None => {
                let size = self.b.resize(size, Type::I64, false);
                self.copy_loop(target, source, size, Type::I8);
            }
        }
        Ok(())
    }

    /// Copies a constant number of bytes: as the parts of an object if one of the types has this size, else as integers that
    /// the alignment allows. All parts are read before any is written, since compilers also use the instruction for LLVM's
    /// `memmove`.
    pub(super) fn copy_constant(&mut self, target: Addr, source: Addr, size: u64, types: &[Ty]) {
        let most = 8 * MAX_UNROLLED;
        let own = types.iter().find_map(|&ty| parts(&self.m.types, ty, size, most));
        if let Some(own) = own.filter(|parts| parts.len() <= 128) {
            let values = self.load_parts(source, &own);
            return self.store_parts(target, &own, &values);
        }
        let align = u64::from(target.align.min(source.align)).min(8);
        let chunk = Scalar::int(8 * align as u32);
        let whole = size - size % align;
        let part = |bits: Scalar, offset| Leaf { ty: Type::of(bits), offset };
        let mut rest: Vec<Leaf> = (whole..size).map(|at| part(Scalar::I8, at)).collect();
        if size <= MAX_UNROLLED {
            let chunks = (0..whole / align).map(|number| part(chunk, number * align));
            rest.splice(0..0, chunks);
        }
        let values = self.load_parts(source, &rest);
        if size > MAX_UNROLLED {
            let bytes = self.b.int(Scalar::I64, whole as i64);
            self.copy_loop(target, source, bytes, Type::of(chunk));
        }
        self.store_parts(target, &rest, &values);
    }

    fn load_parts(&mut self, source: Addr, parts: &[Leaf]) -> Vec<Value> {
        let load = |leaf: &Leaf| {
            let from = self.b.offset(source, leaf.offset);
            self.b.load(leaf.ty, from.ptr, from.align, from.flags)
        };
        parts.iter().map(load).collect()
    }

    fn store_parts(&mut self, target: Addr, parts: &[Leaf], values: &[Value]) {
        for (leaf, &value) in parts.iter().zip(values) {
            let to = self.b.offset(target, leaf.offset);
            self.b.store(to.ptr, value, to.align, to.flags & MemFlags::VOLATILE);
        }
    }

    /// Copies in a loop, `for (i = 0; i < bytes; i += sizeof(chunk))`, where `bytes` has 64 bits and is a multiple of the step.
    /// The loop runs from the end to the beginning if the target begins within the source.
    fn copy_loop(&mut self, target: Addr, source: Addr, bytes: Value, chunk: Type) {
        let zero = self.b.int(Scalar::I64, 0);
        let step = self.b.int(Scalar::I64, i64::from(chunk.bytes()));
        let from_end = self.begins_within(target, source, bytes);
        let last = self.b.binary(BinaryOp::ISub, bytes, step);
        let open = self.b.open_loop(zero, bytes);
        let index = match from_end {
            Some(from_end) => {
                let behind = self.b.binary(BinaryOp::ISub, last, open.counter);
                self.b.select(from_end, behind, open.counter)
            }
            None => open.counter,
        };
        let at = |this: &mut Self, addr: Addr| {
            let offset = this.b.pointer_sized(index, addr.ptr, false);
            let ptr = this.b.ptr_add(addr.ptr, offset);
            Addr { ptr, align: addr.align.min(chunk.bytes()), ..addr }
        };
        let from = at(self, source);
        let to = at(self, target);
        let value = self.b.load(chunk, from.ptr, from.align, from.flags);
        self.b.store(to.ptr, value, to.align, to.flags & MemFlags::VOLATILE);
        self.b.close_loop(open, BinaryOp::IAdd, step);
    }

    /// Returns a bool: true if the target begins within the `bytes` of the source. `None` if the address spaces differ.
    fn begins_within(&mut self, target: Addr, source: Addr, bytes: Value) -> Option<Value> {
        if self.b.space(target.ptr) != self.b.space(source.ptr) {
            return None;
        }
        let [to, from] = [target.ptr, source.ptr].map(|ptr| {
            let address = self.b.address(ptr);
            self.b.resize(address, Type::I64, false)
        });
        let distance = self.b.binary(BinaryOp::ISub, to, from);
        Some(self.b.icmp(IntCC::Ult, distance, bytes))
    }
}

/// Returns parts that cover all bytes of an object: the leaves of its type, and integers between members. `None` if the type
/// does not have the object's size, or if the size exceeds `most`.
pub(super) fn parts(types: &Types, ty: Ty, size: u64, most: u64) -> Option<Vec<Leaf>> {
    let has_parts = !matches!(types.kind(ty), Kind::Void | Kind::Opaque | Kind::Function { .. });
    if !has_parts || types.size(ty) != Ok(size) || size > most {
        return None;
    }
    let leaves = types.leaves(ty).ok()?;
    let mut parts = Vec::with_capacity(leaves.len());
    let mut at = 0;
    for leaf in leaves {
        fill(&mut parts, at, leaf.offset);
        at = leaf.offset + u64::from(leaf.ty.in_memory().bytes());
        parts.push(Leaf { ty: leaf.ty.in_memory(), ..leaf });
    }
    fill(&mut parts, at, size);
    Some(parts)
}

/// Appends integers for the bytes between two offsets.
fn fill(parts: &mut Vec<Leaf>, mut at: u64, end: u64) {
    while at < end {
        let mut bytes = 8;
        while !at.is_multiple_of(bytes) || at + bytes > end {
            bytes /= 2;
        }
        parts.push(Leaf { ty: Type::of(Scalar::int(8 * bytes as u32)), offset: at });
        at += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_with_aligned_integers() {
        let mut parts = Vec::new();
        fill(&mut parts, 1, 16);
        let bytes: Vec<(u64, u32)> =
            parts.iter().map(|leaf| (leaf.offset, leaf.ty.bytes())).collect();
        assert_eq!(bytes, [(1, 1), (2, 2), (4, 4), (8, 8)]);
    }
}
