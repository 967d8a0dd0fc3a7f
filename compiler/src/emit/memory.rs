//! Loads and stores of any type in any address space, cut into the accesses that the memory allows.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::places::{ArrayId, Elem, Mem, Offset};
use super::repr::{Ids, Repr};
use crate::ir::{AddressSpace, Scalar, Type, Value};
use rspirv::spirv::Op;
use smallvec::SmallVec;

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
        match self.func.ty(ptr).space() {
            Some(AddressSpace::Local) => Ok(Mem::Array(ArrayId::Local, Offset::Value(ptr))),
            Some(AddressSpace::Private) => {
                let array = match self.frame.object_index(ptr) {
                    Some(index) if !self.frame.objects[index].escapes => {
                        ArrayId::FrameObject(index)
                    }
                    _ => ArrayId::Stack,
                };
                Ok(Mem::Array(array, Offset::Value(ptr)))
            }
            Some(AddressSpace::Global | AddressSpace::Constant) => Ok(Mem::Physical(self.id(ptr)?)),
            _ => Err(EmitError::malformed("an access through no pointer, or a generic one")),
        }
    }

    pub fn load(&mut self, ptr: Value, ty: Type, align: u32, volatile: bool) -> EmitResult<u32> {
        let mem = self.mem(ptr)?;
        self.load_from(mem, ty, align, volatile)
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
        let mem = self.mem(ptr)?;
        self.store_to(mem, id, ty, align, volatile)
    }

    /// Returns the element type that an access of a scalar has in a memory, if it has it whole.
    fn whole_elem(&mut self, mem: Mem, scalar: Scalar, align: u32) -> EmitResult<Option<Elem>> {
        if align < scalar.bytes() {
            return Ok(None);
        }
        match mem {
            Mem::Physical(_) => Ok(self.physical_elem(scalar)),
            Mem::Array(array, _) => Ok(self.view(array, scalar.bytes())?.map(|view| view.elem)),
        }
    }

    /// Returns the number of bytes at a time of an access that cannot be made in elements of its type.
    fn unit(ty: Type, align: u32) -> u32 {
        let mut unit = align.clamp(1, 4);
        while !ty.bytes().is_multiple_of(unit) {
            unit /= 2;
        }
        unit
    }

    pub fn load_from(&mut self, mem: Mem, ty: Type, align: u32, volatile: bool) -> EmitResult<u32> {
        if ty.scalar == Scalar::Bool {
            return Err(EmitError::malformed("a bool in memory"));
        }
        if let Some(elem) = self.whole_elem(mem, ty.scalar, align)? {
            if let (Mem::Physical(address), true) = (mem, ty.lanes == 1 || elem != Elem::Pair) {
                let id = self.physical_load(address, elem, ty.lanes, align, volatile)?;
                return self.loaded(id, elem, ty);
            }
            let mut lanes = Ids::new();
            for lane in 0..u32::from(ty.lanes) {
                let id = self.load_elem(mem, lane, elem, volatile)?;
                lanes.push(self.loaded(id, elem, ty.lane())?);
            }
            return self.join(&lanes, ty);
        }
        let unit = Self::unit(ty, align);
        let mut words: SmallVec<[u32; 8]> = SmallVec::new();
        for at in (0..ty.bytes()).step_by(unit as usize) {
            let piece = self.load_unit(mem, at, unit, volatile)?;
            match (words.last_mut(), at % 4) {
                (Some(last), 1..) => {
                    let high = self.u32_op_const(Op::ShiftLeftLogical, piece, at % 4 * 8);
                    *last = self.u32_op(Op::BitwiseOr, *last, high);
                }
                _ => words.push(piece),
            }
        }
        self.value_of_words(&words, ty)
    }

    pub fn store_to(
        &mut self,
        mem: Mem,
        id: u32,
        ty: Type,
        align: u32,
        volatile: bool,
    ) -> EmitResult<()> {
        if ty.scalar == Scalar::Bool {
            return Err(EmitError::malformed("a bool in memory"));
        }
        if let Some(elem) = self.whole_elem(mem, ty.scalar, align)? {
            if let (Mem::Physical(address), true) = (mem, ty.lanes == 1 || elem != Elem::Pair) {
                let id = self.storable(id, ty, elem)?;
                return self.physical_store(address, id, elem, ty.lanes, align, volatile);
            }
            let lanes = self.lanes(id, ty)?;
            for (lane, &id) in lanes.iter().enumerate() {
                let id = self.storable(id, ty.lane(), elem)?;
                self.store_elem(mem, lane as u32, elem, id, volatile)?;
            }
            return Ok(());
        }
        let unit = Self::unit(ty, align);
        let words = self.words_of(id, ty)?;
        for at in (0..ty.bytes()).step_by(unit as usize) {
            let word = words[(at / 4) as usize];
            let piece = match at % 4 {
                0 => word,
                byte => self.u32_op_const(Op::ShiftRightLogical, word, byte * 8),
            };
            self.store_unit(mem, at, unit, piece, volatile)?;
        }
        Ok(())
    }

    fn load_elem(&mut self, mem: Mem, index: u32, elem: Elem, volatile: bool) -> EmitResult<u32> {
        match mem {
            Mem::Physical(address) => {
                let address = self.address_add_const(address, index * elem.bytes());
                self.physical_load(address, elem, 1, elem.bytes(), volatile)
            }
            Mem::Array(array, offset) => self.array_load(array, offset, index, elem, volatile),
        }
    }

    fn store_elem(
        &mut self,
        mem: Mem,
        index: u32,
        elem: Elem,
        id: u32,
        volatile: bool,
    ) -> EmitResult<()> {
        match mem {
            Mem::Physical(address) => {
                let address = self.address_add_const(address, index * elem.bytes());
                self.physical_store(address, id, elem, 1, elem.bytes(), volatile)
            }
            Mem::Array(array, offset) => self.array_store(array, offset, index, elem, id, volatile),
        }
    }

    /// Reads 1, 2 or 4 bytes at a byte offset, zero-extended to a word.
    fn load_unit(&mut self, mem: Mem, at: u32, unit: u32, volatile: bool) -> EmitResult<u32> {
        match mem {
            Mem::Physical(address) => self.physical_load_unit(address, at, unit, volatile),
            Mem::Array(array, offset) => self.array_load_unit(array, offset, at, unit, volatile),
        }
    }

    /// Writes the low 1, 2 or 4 bytes of a word.
    fn store_unit(
        &mut self,
        mem: Mem,
        at: u32,
        unit: u32,
        id: u32,
        volatile: bool,
    ) -> EmitResult<()> {
        match mem {
            Mem::Physical(address) => self.physical_store_unit(address, at, unit, id, volatile),
            Mem::Array(array, offset) => {
                self.array_store_unit(array, offset, at, unit, id, volatile)
            }
        }
    }

    /// Returns a loaded element (or vector of them) as an IR type of the same number of lanes.
    fn loaded(&mut self, id: u32, elem: Elem, to: Type) -> EmitResult<u32> {
        let ty = self.ty(to)?;
        Ok(match (elem, self.repr(to.scalar)) {
            (Elem::Int(x), Repr::Int(y)) if x == y => id,
            (Elem::Float(x), Repr::Float(y)) if x == y => id,
            (Elem::Pair, Repr::Pair) => id,
            // Local and private pointers take eight bytes.
            (Elem::Pair, Repr::Int(32)) => self.extract(ty, id, 0),
            (Elem::Int(_), Repr::Int(_) | Repr::Narrow(_)) => self.op(Op::UConvert, ty, &[id]),
            (Elem::Int(bits), Repr::Float(_)) => {
                // What is stored as an integer and taken as a float is computed with between.
                self.int_type(bits);
                self.op(Op::Bitcast, ty, &[id])
            }
            _ => self.op(Op::Bitcast, ty, &[id]),
        })
    }

    /// Inverts [`Emitter::loaded`].
    fn storable(&mut self, id: u32, from: Type, elem: Elem) -> EmitResult<u32> {
        let mut ty = self.elem_type(elem)?;
        if from.lanes > 1 {
            ty = self.builder.vector(ty, u32::from(from.lanes));
        }
        Ok(match (self.repr(from.scalar), elem) {
            (Repr::Int(x), Elem::Int(y)) if x == y => id,
            (Repr::Float(x), Elem::Float(y)) if x == y => id,
            (Repr::Pair, Elem::Pair) => id,
            (Repr::Int(32), Elem::Pair) => {
                let zero = self.const_u32(0);
                self.pair(id, zero)
            }
            (Repr::Int(_) | Repr::Narrow(_), Elem::Int(_)) => self.op(Op::UConvert, ty, &[id]),
            (Repr::Float(_), Elem::Int(bits)) => {
                self.int_type(bits);
                self.op(Op::Bitcast, ty, &[id])
            }
            _ => self.op(Op::Bitcast, ty, &[id]),
        })
    }
}
