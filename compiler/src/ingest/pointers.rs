//! Pointers: access chains as sums of bytes, casts, comparison and differences.

use super::function::Translator;
use super::types::{Kind, Ty};
use super::words::Inst;
use crate::ir::{
    AddressSpace, BinaryOp, ConvertOp, InstData, IntCC, OpFlags, Scalar, Type, Value, Within,
};
use rspirv::spirv::{MemorySemantics, Op};

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        AccessChain
            | InBoundsAccessChain
            | PtrAccessChain
            | InBoundsPtrAccessChain
            | UntypedAccessChainKHR
            | UntypedInBoundsAccessChainKHR
            | UntypedPtrAccessChainKHR
            | UntypedInBoundsPtrAccessChainKHR
            | PtrEqual
            | PtrNotEqual
            | PtrDiff
            | ConvertPtrToU
            | ConvertUToPtr
            | PtrCastToGeneric
            | GenericCastToPtr
            | GenericCastToPtrExplicit
            | GenericPtrMemSemantics
    )
}

impl Translator<'_, '_, '_> {
    pub(super) fn pointers(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        match inst.op {
            Op::AccessChain | Op::InBoundsAccessChain => self.access_chain(inst, None),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let element = inst.arg(1)?;
                self.access_chain(inst, Some(element))
            }
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => {
                self.untyped_chain(inst, None)
            }
            Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR => {
                let element = inst.arg(2)?;
                self.untyped_chain(inst, Some(element))
            }
            Op::PtrEqual | Op::PtrNotEqual => {
                let cc = if inst.op == Op::PtrEqual { IntCC::Eq } else { IntCC::Ne };
                let [(a, _), (b, _)] = [self.pointer(inst.arg(0)?)?, self.pointer(inst.arg(1)?)?];
                self.check_same(a, b)?;
                let truth = self.b.icmp(cc, a, b);
                self.give(inst, truth)
            }
            Op::PtrDiff => self.difference(inst),
            Op::ConvertPtrToU => {
                let (ptr, _) = self.pointer(inst.arg(0)?)?;
                let ty = self.integer_result(inst)?;
                let address = self.b.address(ptr);
                let value = self.b.resize(address, ty, false);
                self.give(inst, value)
            }
            Op::ConvertUToPtr => {
                let value = self.number(inst.arg(0)?)?;
                let ptr = self.int_to_pointer(value, inst)?;
                self.give(inst, ptr)
            }
            Op::GenericCastToPtrExplicit => self.cast(inst, ConvertOp::ToSpace),
            Op::GenericPtrMemSemantics => self.semantics_of(inst),
            _ => self.cast(inst, ConvertOp::SpaceCast),
        }
    }

    fn check_same(&self, a: Value, b: Value) -> Result<(), String> {
        match self.b.ty(a) == self.b.ty(b) {
            true => Ok(()),
            false => Err("the pointers differ in storage class".to_string()),
        }
    }

    fn integer_result(&self, inst: &Inst<'_>) -> Result<Type, String> {
        let ty = self.numeric_result(inst)?;
        match ty.scalar.is_int() && ty.lanes == 1 {
            true => Ok(ty),
            false => Err("its type is not that of an integer".to_string()),
        }
    }

    /// Returns an instruction's result type, which must be a pointer type.
    pub(super) fn pointer_result(&self, inst: &Inst<'_>) -> Result<Type, String> {
        let ty = self.result(inst)?;
        match ty.scalar.is_ptr() {
            true => Ok(ty),
            false => Err("its type is not that of a pointer".to_string()),
        }
    }

    /// Returns a pointer of an instruction's type to an address, which is an integer.
    pub(super) fn int_to_pointer(
        &mut self,
        value: Value,
        inst: &Inst<'_>,
    ) -> Result<Value, String> {
        let to = self.pointer_result(inst)?;
        let ty = self.b.ty(value);
        if ty.lanes != 1 || !ty.scalar.is_int() {
            return Err("the operand is not an integer".to_string());
        }
        let address = self.b.resize_lanes(value, Scalar::int(to.scalar.bits()), false);
        Ok(self.b.convert(ConvertOp::IntToPtr, address, to))
    }

    fn cast(&mut self, inst: &Inst<'_>, op: ConvertOp) -> Result<(), String> {
        let (ptr, _) = self.pointer(inst.arg(0)?)?;
        let (from, to) = (self.b.ty(ptr), self.pointer_result(inst)?);
        let generic = Type::ptr(AddressSpace::Generic);
        let fits = match inst.op {
            Op::PtrCastToGeneric => to == generic && from != Type::ptr(AddressSpace::Constant),
            _ => from == generic && to != generic && to != Type::ptr(AddressSpace::Constant),
        };
        if !fits {
            return Err("no such cast of pointers".to_string());
        }
        let ptr = self.b.convert(op, ptr, to);
        self.give(inst, ptr)
    }

    /// Translates the query for the memory that a generic pointer points to, as bits of memory semantics.
    fn semantics_of(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let (ptr, _) = self.pointer(inst.arg(0)?)?;
        if self.b.space(ptr) != AddressSpace::Generic {
            return Err("the pointer is not generic".to_string());
        }
        let ty = self.integer_result(inst)?;
        let mut is = |space| {
            let other = self.b.convert(ConvertOp::ToSpace, ptr, Type::ptr(space));
            let null = self.b.zero(self.b.ty(other));
            self.b.icmp(IntCC::Ne, other, null)
        };
        let (local, global) = (is(AddressSpace::Local), is(AddressSpace::Global));
        let [none, workgroup, cross] = [
            MemorySemantics::empty(),
            MemorySemantics::WORKGROUP_MEMORY,
            MemorySemantics::CROSS_WORKGROUP_MEMORY,
        ]
        .map(|bits| self.b.iconst(ty, i64::from(bits.bits())));
        let other = self.b.select(global, cross, none);
        let value = self.b.select(local, workgroup, other);
        self.give(inst, value)
    }

    fn difference(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let (a, ty) = self.pointer(inst.arg(0)?)?;
        let (b, _) = self.pointer(inst.arg(1)?)?;
        self.check_same(a, b)?;
        // Untyped pointers count bytes.
        let stride = match self.m.types.is_untyped(ty) {
            true => 1,
            false => self.m.types.size(self.m.types.pointee(ty)?)?,
        };
        let result = self.integer_result(inst)?;
        let (a, b) = (self.b.address(a), self.b.address(b));
        let bytes = self.b.binary(BinaryOp::ISub, a, b);
        let bytes = self.b.resize_lanes(bytes, Scalar::I64, true);
        let stride = self.b.int(Scalar::I64, stride.max(1) as i64);
        let elements = self.b.binary(BinaryOp::SDiv, bytes, stride);
        let value = self.b.resize(elements, result, true);
        self.give(inst, value)
    }

    /// Translates an access chain. `element`, if there is one, is an index in objects of the base's type.
    fn access_chain(&mut self, inst: &Inst<'_>, element: Option<u32>) -> Result<(), String> {
        let (base, ty) = self.pointer(inst.arg(0)?)?;
        if self.b.ty(base) != self.pointer_result(inst)? {
            return Err("base and result differ in storage class".to_string());
        }
        let in_bounds = matches!(inst.op, Op::InBoundsAccessChain | Op::InBoundsPtrAccessChain);
        let mut chain = Chain { ptr: base, offset: 0, in_bounds };
        let mut ty = self.m.types.pointee(ty)?;
        let wanted = self.m.types.pointee(self.m.types.of(inst.ty)?)?;
        if self.counts_bytes(inst, ty, wanted)? {
            self.step(&mut chain, inst.arg(2)?, 1)?;
            let ptr = self.b.ptr_add_const(chain.ptr, chain.offset);
            return self.give(inst, ptr);
        }
        let indices = if element.is_some() { inst.rest(2) } else { inst.rest(1) };
        ty = self.follow(&mut chain, ty, element, indices)?;
        if !self.points_alike(ty, wanted) {
            return Err("it does not lead to what its type points to".to_string());
        }
        let ptr = self.b.ptr_add_const(chain.ptr, chain.offset);
        self.give(inst, ptr)
    }

    /// Translates an untyped access chain, from any pointer to an untyped one. The first operand is the type that the indices
    /// are for.
    fn untyped_chain(&mut self, inst: &Inst<'_>, element: Option<u32>) -> Result<(), String> {
        let ty = self.m.types.of(inst.arg(0)?)?;
        let (base, _) = self.pointer(inst.arg(1)?)?;
        if self.b.ty(base) != self.pointer_result(inst)? {
            return Err("base and result differ in storage class".to_string());
        }
        if !self.m.types.is_untyped(self.m.types.of(inst.ty)?) {
            return Err("its type is not that of an untyped pointer".to_string());
        }
        use Op::{UntypedInBoundsAccessChainKHR, UntypedInBoundsPtrAccessChainKHR};
        let in_bounds =
            matches!(inst.op, UntypedInBoundsAccessChainKHR | UntypedInBoundsPtrAccessChainKHR);
        let mut chain = Chain { ptr: base, offset: 0, in_bounds };
        let indices = if element.is_some() { inst.rest(3) } else { inst.rest(2) };
        self.follow(&mut chain, ty, element, indices)?;
        let ptr = self.b.ptr_add_const(chain.ptr, chain.offset);
        self.give(inst, ptr)
    }

    /// Returns the address of the part that indices select in the object at an access chain's base.
    pub(super) fn chain_to(&mut self, inst: &Inst<'_>, indices: &[u32]) -> Result<Value, String> {
        let (ptr, ty) = self.pointer(inst.arg(0)?)?;
        let mut chain = Chain { ptr, offset: 0, in_bounds: inst.op == Op::InBoundsAccessChain };
        let ty = self.m.types.pointee(ty)?;
        self.follow(&mut chain, ty, None, indices)?;
        Ok(self.b.ptr_add_const(chain.ptr, chain.offset))
    }

    /// Moves a chain by `element` objects of a type, and then by indices into the object there. Returns the type of the part.
    fn follow(
        &mut self,
        chain: &mut Chain,
        mut ty: Ty,
        element: Option<u32>,
        indices: &[u32],
    ) -> Result<Ty, String> {
        if let Some(element) = element {
            let stride = self.m.types.size(ty)?;
            self.step(chain, element, stride)?;
        }
        for &index in indices {
            ty = self.enter(chain, ty, index)?;
        }
        Ok(ty)
    }

    /// Returns true for an access chain that counts bytes although its base is an array of another type. clang 22 writes it in
    /// constants: element 0, and the number of bytes as the only index.
    fn counts_bytes(&mut self, inst: &Inst<'_>, base: Ty, wanted: Ty) -> Result<bool, String> {
        let Kind::Array { element, .. } = *self.m.types.kind(base) else { return Ok(false) };
        let is_byte = *self.m.types.kind(wanted) == Kind::Value(Type::I8);
        let is_pointer = matches!(inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
        if !is_byte || !is_pointer || inst.args.len() != 3 || self.points_alike(element, wanted) {
            return Ok(false);
        }
        Ok(self.known_integer(inst.arg(1)?)? == Some(0))
    }

    fn points_alike(&self, found: Ty, wanted: Ty) -> bool {
        found == wanted || self.m.types.alike(found, wanted)
    }

    /// Moves a chain to a part of an object. Returns the part's type.
    fn enter(&mut self, chain: &mut Chain, ty: Ty, index: u32) -> Result<Ty, String> {
        match *self.m.types.kind(ty) {
            Kind::Struct { .. } => {
                let Some(member) = self.known_integer(index)? else {
                    return Err("a struct's member is not chosen by a constant".to_string());
                };
                let (member, offset) = self.m.types.member(ty, member)?;
                chain.offset = chain.offset.wrapping_add(offset as i64);
                Ok(member)
            }
            Kind::Array { element, .. } => {
                let stride = self.m.types.size(element)?;
                self.step(chain, index, stride)?;
                Ok(element)
            }
            Kind::Value(vector) if vector.lanes > 1 => {
                self.step(chain, index, u64::from(vector.scalar.bytes()))?;
                self.m.types.component(ty)
            }
            _ => Err("it leads into what has no parts".to_string()),
        }
    }

    /// Moves a chain by a number of elements. Indices are signed (SPIR-V 3.49.8).
    fn step(&mut self, chain: &mut Chain, index: u32, stride: u64) -> Result<(), String> {
        let index = self.number(index)?;
        let ty = self.b.ty(index);
        if ty.lanes != 1 || !ty.scalar.is_int() {
            return Err("an index is not an integer".to_string());
        }
        if let Some(index) = self.b.func.as_signed_const(index) {
            chain.offset = chain.offset.wrapping_add(index.wrapping_mul(stride as i64));
            return Ok(());
        }
        let width = Scalar::int(self.b.ty(chain.ptr).scalar.bits());
        let mut bytes = self.b.resize_lanes(index, width, true);
        if stride != 1 {
            let stride = self.b.int(width, stride as i64);
            let flags = if chain.in_bounds { OpFlags::NO_SIGNED_WRAP } else { OpFlags::empty() };
            let data = InstData::Binary { op: BinaryOp::IMul, args: [bytes, stride], flags };
            bytes = self.b.inst(data, Type::of(width));
        }
        chain.ptr = self.b.ptr_add_within(chain.ptr, bytes, Within::ANYWHERE);
        Ok(())
    }
}

/// An address being computed: a pointer and a constant number of bytes.
struct Chain {
    ptr: Value,
    offset: i64,
    in_bounds: bool,
}
