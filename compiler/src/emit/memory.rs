//! Loads and stores. Each is one access: legalization has cut those that the memory does not do whole.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::places::{Elem, Mem};
use super::repr::Repr;
use crate::ir::{AddressSpace, InstData, MemFlags, Scalar, Type, Value};

impl Emitter<'_> {
    /// Returns the SPIR-V type of an element. Capabilities for its storage are the accessor's affair.
    pub fn elem_type(&mut self, elem: Elem) -> EmitResult<u32> {
        Ok(match elem {
            Elem::Int(64) => self.int_type(64),
            Elem::Int(bits) => self.builder.int(bits),
            Elem::Float(64) => self.scalar_type(Scalar::F64)?,
            Elem::Float(16) => self.scalar_type(Scalar::F16)?,
            Elem::Float(bits) => self.builder.float(bits),
            Elem::Pair => self.builder.pair(),
        })
    }

    /// Returns where a pointer points.
    pub fn mem(&mut self, ptr: Value) -> EmitResult<Mem> {
        let id = self.id(ptr)?;
        match self.func.ty(ptr).space() {
            Some(AddressSpace::Global | AddressSpace::Constant) => Ok(Mem::Physical(id)),
            _ => match self.func.def_inst(ptr) {
                Some(InstData::ElementAddr { .. }) => Ok(Mem::Array(self.array_of(ptr)?, id)),
                Some(InstData::Alloca { .. }) => self.whole_object(ptr),
                _ => Err(EmitError::malformed("an access of no element")),
            },
        }
    }

    pub fn load(&mut self, ptr: Value, ty: Type, align: u32, flags: MemFlags) -> EmitResult<u32> {
        match self.mem(ptr)? {
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
        match self.mem(ptr)? {
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

    /// Returns the type of SPIR-V of what is loaded or stored. An error unless it is an element, or a vector of them.
    fn accessed_type(&mut self, elem: Elem, ty: Type) -> EmitResult<u32> {
        let id = self.ty(ty)?;
        let is_same = match (elem, self.repr(ty.scalar)) {
            (Elem::Int(x), Repr::Int(y) | Repr::Narrow(y)) => x == y,
            (Elem::Float(x), Repr::Float(y)) => x == y,
            (Elem::Pair, repr) => repr == Repr::Pair || ty == Type::PAIR,
            _ => false,
        };
        match is_same {
            true => Ok(id),
            false => Err(EmitError::malformed(format!("an access of {ty} to other elements"))),
        }
    }
}
