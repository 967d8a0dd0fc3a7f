//! Loads and stores. Each is one access: legalization has split those that the memory cannot do as one.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::places::{Address, Elem, Element, Mem};
use super::repr::Repr;
use crate::ir::{AddressSpace, BinaryOp, InstData, MemFlags, Scalar, Type, Value};
use hekla_device::Quirks;
use rspirv::spirv::Op;

/// The most bytes from one element of an array to the next.
const MAX_STRIDE: u32 = 1 << 16;

impl Emitter<'_> {
    /// Returns the SPIR-V type of an element. The code that accesses it declares the capabilities for its storage.
    pub fn elem_type(&mut self, elem: Elem) -> EmitResult<u32> {
        Ok(match elem {
            Elem::Int(64) => self.int_type(64),
            Elem::Int(bits) => self.builder.int(bits),
            Elem::Float(64) => self.scalar_type(Scalar::F64)?,
            Elem::Float(16) => self.scalar_type(Scalar::F16)?,
            Elem::Float(bits) => self.builder.float(bits),
            Elem::Pair => self.builder.pair(),
            Elem::Quad => self.ty(Type::vector(Scalar::I32, 4))?,
        })
    }

    /// Returns the memory that a pointer points to, for an access of `bytes` bytes.
    pub fn mem(&mut self, ptr: Value, bytes: u32) -> EmitResult<Mem> {
        let id = self.id(ptr)?;
        match self.func.ty(ptr).space() {
            Some(AddressSpace::Global | AddressSpace::Constant) => {
                let element = self.element(ptr, bytes)?;
                Ok(Mem::Physical(element.unwrap_or(Address { base: id, element: None })))
            }
            _ => match self.func.def_inst(ptr) {
                Some(InstData::ElementAddr { .. }) => Ok(Mem::Array(self.array_of(ptr)?, id)),
                Some(InstData::Alloca { .. }) => self.whole_object(ptr),
                _ => Err(EmitError::malformed("an access of no element")),
            },
        }
    }

    /// Returns an address as a place in an array element, if this is faster
    /// ([`Quirks::CHAINED_ADDRESSES`](hekla_device::Quirks::CHAINED_ADDRESSES)) and the address has the form `base + index *
    /// stride`, maybe plus a constant. `bytes` bytes are accessed there: at a place in one element, or from its start on. A
    /// constant that leads to neither moves the base, which is the same for all work-items more often than the index.
    fn element(&mut self, ptr: Value, bytes: u32) -> EmitResult<Option<Address>> {
        if !(self.target.has(Quirks::CHAINED_ADDRESSES) && self.target.int64) {
            return Ok(None);
        }
        let sum = |ptr: Value| match self.func.def_inst(ptr) {
            Some(&InstData::PtrAdd { ptr, offset, .. }) => Some((ptr, offset)),
            _ => None,
        };
        let constant = |(ptr, offset)| Some((ptr, self.func.as_signed_const(offset)?));
        let (first, behind) = sum(ptr).and_then(constant).unwrap_or((ptr, 0));
        let Some((base, offset)) = sum(first) else { return Ok(None) };
        let Some(&InstData::Binary { op, args: [index, factor], .. }) = self.func.def_inst(offset)
        else {
            return Ok(None);
        };
        let stride = match (op, self.func.as_const(factor)) {
            (BinaryOp::Shl, Some(by)) => 1u64.checked_shl(by as u32),
            (BinaryOp::IMul, Some(by)) => Some(by),
            _ => None,
        };
        let is_stride = |&stride: &u32| stride > 0 && stride <= MAX_STRIDE;
        let Some(stride) = stride.and_then(|by| u32::try_from(by).ok()).filter(is_stride) else {
            return Ok(None);
        };
        let width = i64::from(stride);
        let (more, offset) = (behind.div_euclid(width), behind.rem_euclid(width) as u32);
        let is_inside = offset + bytes <= stride;
        let is_from_start = offset == 0 && stride.is_multiple_of(4);
        let moves_base = !(is_inside || is_from_start);
        if moves_base && !stride.is_multiple_of(4) || self.func.ty(index) != Type::I64 {
            return Ok(None);
        }
        let (mut base, mut index) = (self.id(base)?, self.id(index)?);
        if moves_base {
            let behind = self.constant(Scalar::I64, behind as u64)?;
            let ty = self.int_type(64);
            base = self.op(Op::IAdd, ty, &[base, behind]);
            return Ok(Some(Address {
                base,
                element: Some(Element { index, stride, offset: 0, bytes }),
            }));
        }
        if more != 0 {
            let more = self.constant(Scalar::I64, more as u64)?;
            let ty = self.int_type(64);
            index = self.op(Op::IAdd, ty, &[index, more]);
        }
        Ok(Some(Address { base, element: Some(Element { index, stride, offset, bytes }) }))
    }

    pub fn load(&mut self, ptr: Value, ty: Type, align: u32, flags: MemFlags) -> EmitResult<u32> {
        match self.mem(ptr, ty.bytes())? {
            Mem::Physical(address) => {
                let elem = self.physical_elem(ty.scalar)?;
                self.accessed_type(elem, ty)?;
                self.physical_load(address, elem, ty.lanes, align, flags)
            }
            Mem::Array(array, pointer) => {
                let elem = self.element_view(array, ty.bytes())?.elem;
                let element = self.accessed_type(elem, ty)?;
                Ok(self.array_load(array, pointer, element, flags.contains(MemFlags::VOLATILE)))
            }
        }
    }

    pub fn store(
        &mut self,
        ptr: Value,
        value: Value,
        align: u32,
        volatile: bool,
    ) -> EmitResult<()> {
        let ty = self.func.ty(value);
        let id = self.id(value)?;
        match self.mem(ptr, ty.bytes())? {
            Mem::Physical(address) => {
                let elem = self.physical_elem(ty.scalar)?;
                self.accessed_type(elem, ty)?;
                self.physical_store(address, id, elem, ty.lanes, align, volatile)?;
            }
            Mem::Array(array, pointer) => {
                let elem = self.element_view(array, ty.bytes())?.elem;
                self.accessed_type(elem, ty)?;
                self.array_store(array, pointer, id, volatile);
            }
        }
        Ok(())
    }

    /// Returns the SPIR-V type of a value that is loaded or stored. It is an error if the value is neither an element nor a
    /// vector of elements.
    fn accessed_type(&mut self, elem: Elem, ty: Type) -> EmitResult<u32> {
        let id = self.ty(ty)?;
        let is_same = match (elem, self.repr(ty.scalar)) {
            (Elem::Int(x), Repr::Int(y) | Repr::Narrow(y)) => x == y,
            (Elem::Float(x), Repr::Float(y)) => x == y,
            (Elem::Pair, repr) => repr == Repr::Pair || ty == Type::PAIR,
            (Elem::Quad, _) => ty == Type::vector(Scalar::I32, 4),
            _ => false,
        };
        match is_same {
            true => Ok(id),
            false => Err(EmitError::malformed(format!("an access of {ty} to other elements"))),
        }
    }
}
