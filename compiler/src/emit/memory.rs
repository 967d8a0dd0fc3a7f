//! Loads and stores. Each is one access: legalization has cut those that the memory does not do whole.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::places::{Elem, Mem};
use super::repr::Repr;
use crate::ir::{AddressSpace, InstData, Scalar, Type, Value};
use rspirv::spirv::Op;

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
            _ if !matches!(self.func.def_inst(ptr), Some(InstData::ElementAddr { .. })) => {
                Err(EmitError::malformed("an access of no element"))
            }
            _ => Ok(Mem::Array(self.array_of(ptr)?, id)),
        }
    }

    pub fn load(&mut self, ptr: Value, ty: Type, align: u32, volatile: bool) -> EmitResult<u32> {
        let (id, elem) = match self.mem(ptr)? {
            Mem::Physical(address) => {
                let elem = self.physical_elem(ty.scalar)?;
                (self.physical_load(address, elem, ty.lanes, align, volatile)?, elem)
            }
            Mem::Array(array, pointer) => {
                let elem = self.element_view(array, ty.bytes())?.elem;
                let element = self.elem_type(elem)?;
                (self.array_load(array, pointer, element, volatile), elem)
            }
        };
        self.loaded(id, elem, ty)
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
                let id = self.storable(id, ty, elem)?;
                self.physical_store(address, id, elem, ty.lanes, align, volatile)?;
            }
            Mem::Array(array, pointer) => {
                let elem = self.element_view(array, ty.bytes())?.elem;
                let id = self.storable(id, ty, elem)?;
                self.array_store(array, pointer, id, volatile);
            }
        }
        Ok(())
    }

    /// Returns true if an element is of a type's representation.
    fn is_same(&self, elem: Elem, ty: Type) -> bool {
        match (elem, self.repr(ty.scalar)) {
            (Elem::Int(x), Repr::Int(y)) => x == y,
            (Elem::Float(x), Repr::Float(y)) => x == y,
            (Elem::Pair, repr) => repr == Repr::Pair || ty == Type::PAIR,
            _ => false,
        }
    }

    /// Returns a loaded element (or vector of them) as an IR type of the same number of lanes. Types that the device
    /// has in memory alone are widened.
    fn loaded(&mut self, id: u32, elem: Elem, to: Type) -> EmitResult<u32> {
        let ty = self.ty(to)?;
        if self.is_same(elem, to) {
            return Ok(id);
        }
        match (elem, self.repr(to.scalar)) {
            (Elem::Int(_), Repr::Narrow(_)) => Ok(self.op(Op::UConvert, ty, &[id])),
            _ => Err(EmitError::malformed(format!("a load of {to} from other elements"))),
        }
    }

    /// Inverts [`Emitter::loaded`].
    fn storable(&mut self, id: u32, from: Type, elem: Elem) -> EmitResult<u32> {
        if self.is_same(elem, from) {
            return Ok(id);
        }
        match (self.repr(from.scalar), elem) {
            (Repr::Narrow(_), Elem::Int(_)) => {
                let mut ty = self.elem_type(elem)?;
                if from.lanes > 1 {
                    ty = self.builder.vector(ty, u32::from(from.lanes));
                }
                Ok(self.op(Op::UConvert, ty, &[id]))
            }
            _ => Err(EmitError::malformed(format!("a store of {from} to other elements"))),
        }
    }
}
