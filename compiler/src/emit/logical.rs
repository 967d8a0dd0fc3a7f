//! Work-group and private memory, which have logical addressing: each is an array whose elements have the type that all
//! accesses use.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::places::{ArrayId, Elem, Mem, View};
use crate::analysis::access_types::{AccessType, LocalLayout};
use crate::ir::{AddressSpace, InstData, Value};
use crate::kernel::spec_id;
use rspirv::spirv::{Capability, Decoration, MemoryAccess, Op, StorageClass};
use smallvec::SmallVec;

/// Bytes of an element of the work-group block if the block has several views.
const EXPLICIT_ELEMENT: u32 = 16;

impl Emitter<'_> {
    /// Returns the layout of the work-group block.
    pub fn local_layout(&self) -> LocalLayout {
        self.info.local.local_layout(self.target)
    }

    /// Returns the bytes of an element of the work-group block, in which the runtime counts the block's length.
    pub fn local_element_size(&self) -> u32 {
        match self.local_layout() {
            LocalLayout::Views => EXPLICIT_ELEMENT,
            LocalLayout::Array(element) => element.bytes(),
        }
    }

    /// Returns the value of an Alloca: the object's byte offset in the stack, or 0 if the object is an array of its own.
    pub fn alloca(&mut self, value: Value) -> u32 {
        self.const_u32(self.frame.offset(value) as u32)
    }

    /// Returns the view of an array whose elements have `bytes` bytes, if there is one.
    pub fn view(&mut self, array: ArrayId, bytes: u32) -> EmitResult<Option<View>> {
        let view = match array {
            ArrayId::Local if self.local_layout() == LocalLayout::Views => {
                return self.explicit_view(bytes)
            }
            ArrayId::Local => match self.arrays.local.first() {
                Some(view) => *view,
                None => {
                    let view = self.declare_local()?;
                    self.arrays.local.push(view);
                    view
                }
            },
            ArrayId::Stack => match self.arrays.stack {
                Some(view) => view,
                None => {
                    let view = self.declare_stack()?;
                    *self.arrays.stack.insert(view)
                }
            },
            ArrayId::FrameObject(index) => {
                match self.arrays.objects.get(index).copied().flatten() {
                    Some(view) => view,
                    None => {
                        let object = &self.frame.accesses.objects[index];
                        let view = self.declare_private(object.size, object.access_type)?;
                        *self.arrays.objects[index].insert(view)
                    }
                }
            }
        };
        Ok((view.elem.bytes() == bytes).then_some(view))
    }

    /// Returns the view of an array whose elements have `bytes` bytes, or an error.
    pub fn element_view(&mut self, array: ArrayId, bytes: u32) -> EmitResult<View> {
        let view = self.view(array, bytes)?;
        view.ok_or_else(|| {
            EmitError::malformed(format!("an access of {bytes} bytes of an element"))
        })
    }

    fn array_elem_type(&mut self, elem: Elem) -> EmitResult<u32> {
        match elem {
            Elem::Int(bits) => Ok(self.int_type(bits)),
            _ => self.elem_type(elem),
        }
    }

    /// Returns the array type for private memory, and the type of its elements.
    fn private_array(&mut self, bytes: u64, access_type: AccessType) -> EmitResult<(u32, Elem)> {
        let elem = Elem::of(access_type.element(self.target));
        let element = self.array_elem_type(elem)?;
        let length = self.const_u32(bytes.div_ceil(u64::from(elem.bytes())).max(1) as u32);
        Ok((self.builder.array(element, length), elem))
    }

    fn declare_stack(&mut self) -> EmitResult<View> {
        let (bytes, access_type) = (self.info.stack_bytes(), self.info.stack);
        if !self.info.shared_stack {
            return self.declare_private(bytes, access_type);
        }
        let (array, elem) = self.private_array(bytes, access_type)?;
        let zero = self.initializer(array);
        let variable = self.builder.initialized_variable(StorageClass::Private, array, zero);
        Ok(View { elem, variable, in_block: false })
    }

    fn declare_private(&mut self, bytes: u64, access_type: AccessType) -> EmitResult<View> {
        let (array, elem) = self.private_array(bytes, access_type)?;
        let ty = self.builder.pointer(StorageClass::Function, array);
        let variable = self.builder.new_id();
        let mut operands: SmallVec<[u32; 4]> =
            SmallVec::from_slice(&[ty, variable, StorageClass::Function as u32]);
        operands.extend(self.initializer(array));
        super::spirv_builder::encode(&mut self.variables, Op::Variable, &operands);
        Ok(View { elem, variable, in_block: false })
    }

    /// Returns the initializer of private memory of an array type, if it has one.
    fn initializer(&mut self, array: u32) -> Option<u32> {
        let zeroed = self.target.zero_private;
        zeroed.then(|| self.builder.intern(Op::ConstantNull, Some(array), &[]))
    }

    /// Returns a view of the work-group block and its number of elements there, for code that sets all
    /// elements.
    pub fn whole_local(&mut self) -> EmitResult<(View, u32)> {
        let bytes = match self.local_layout() {
            LocalLayout::Views => 4,
            LocalLayout::Array(element) => element.bytes(),
        };
        let view = self.element_view(ArrayId::Local, bytes)?;
        let length = self.local_length();
        Ok((view, self.u32_op_const(Op::IMul, length, self.local_element_size() / bytes)))
    }

    /// Sets an element of the work-group block to zero.
    pub fn zero_local_element(&mut self, view: View, index: u32) -> EmitResult<()> {
        let zero = match view.in_block {
            true => {
                let ty = self.elem_type(view.elem)?;
                self.builder.intern(Op::ConstantNull, Some(ty), &[])
            }
            false => self.zero_of(view.elem)?,
        };
        let pointer = self.element_pointer(ArrayId::Local, view, index)?;
        self.array_store(ArrayId::Local, pointer, zero, false);
        Ok(())
    }

    /// Returns zero of the type of an array's elements.
    pub fn zero_of(&mut self, elem: Elem) -> EmitResult<u32> {
        let ty = self.array_elem_type(elem)?;
        Ok(self.builder.intern(Op::ConstantNull, Some(ty), &[]))
    }

    fn local_length(&mut self) -> u32 {
        if let Some(id) = self.arrays.local_length {
            return id;
        }
        let element = u64::from(self.local_element_size());
        let default = self.info.local_static_size.div_ceil(element).max(1);
        let id = self.builder.spec_const_u32(spec_id::LOCAL_BLOCK_LEN, default as u32);
        *self.arrays.local_length.insert(id)
    }

    /// Returns the index of the first element of the own work-group's local memory in that of the pack, in elements of `bytes`
    /// bytes; `None` if the kernel's work-groups are never packed.
    fn own_block(&mut self, bytes: u32) -> Option<u32> {
        if !self.info.packs_groups {
            return None;
        }
        let known = self.arrays.local_bases.iter().find(|(known, _)| *known == bytes);
        if let Some(&(_, base)) = known {
            return Some(base);
        }
        let base = self.at_entry(|emitter| emitter.compute_own_block(bytes));
        self.arrays.local_bases.push((bytes, base));
        Some(base)
    }

    fn compute_own_block(&mut self, bytes: u32) -> u32 {
        let ([count, several], word) = (self.packed_groups(), self.builder.u32);
        let (own, all) = (self.own_group(), self.local_length());
        let length = self.u32_op(Op::UDiv, all, count);
        let length = self.u32_op_const(Op::IMul, length, self.local_element_size() / bytes);
        let (base, zero) = (self.u32_op(Op::IMul, own, length), self.const_u32(0));
        self.select(word, several, base, zero)
    }

    fn declare_local(&mut self) -> EmitResult<View> {
        let LocalLayout::Array(element) = self.local_layout() else {
            return Err(EmitError::malformed("one array where there are views"));
        };
        let elem = Elem::of(element);
        let element = self.array_elem_type(elem)?;
        let length = self.local_length();
        let array = self.builder.array(element, length);
        let variable = self.builder.variable(StorageClass::Workgroup, array);
        Ok(View { elem, variable, in_block: false })
    }

    fn explicit_view(&mut self, bytes: u32) -> EmitResult<Option<View>> {
        let known = self.arrays.local.iter().find(|view| view.elem.bytes() == bytes);
        if let Some(view) = known {
            return Ok(Some(*view));
        }
        if !LocalLayout::has_view(bytes, self.target) {
            return Ok(None);
        }
        match bytes {
            1 => self
                .builder
                .require_capability(Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR),
            2 => self
                .builder
                .require_capability(Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR),
            _ => {}
        }
        self.builder.require_capability(Capability::WorkgroupMemoryExplicitLayoutKHR);
        self.builder.extension("SPV_KHR_workgroup_memory_explicit_layout");
        let elem = if bytes == Elem::Quad.bytes() { Elem::Quad } else { Elem::Int(bytes * 8) };
        let element = self.elem_type(elem)?;
        let blocks = self.local_length();
        let factor = self.const_u32(EXPLICIT_ELEMENT / bytes);
        let word = self.builder.u32;
        let operands = [Op::IMul as u32, blocks, factor];
        let length = self.builder.declare(Op::SpecConstantOp, Some(word), &operands);
        let block = self.builder.block_of_array(element, length, bytes);
        let variable = self.builder.variable(StorageClass::Workgroup, block);
        self.builder.decorate(variable, Decoration::Aliased, &[]);
        let view = View { elem, variable, in_block: true };
        self.arrays.local.push(view);
        Ok(Some(view))
    }

    fn storage_class(&self, array: ArrayId) -> StorageClass {
        match array {
            ArrayId::Local => StorageClass::Workgroup,
            ArrayId::Stack if self.info.shared_stack => StorageClass::Private,
            ArrayId::Stack | ArrayId::FrameObject(_) => StorageClass::Function,
        }
    }

    /// Returns a pointer to an element.
    pub fn element_pointer(&mut self, array: ArrayId, view: View, index: u32) -> EmitResult<u32> {
        let element = match view.in_block {
            true => self.elem_type(view.elem)?,
            false => self.array_elem_type(view.elem)?,
        };
        let ty = self.builder.pointer(self.storage_class(array), element);
        Ok(if view.in_block {
            let zero = self.const_u32(0);
            self.op(Op::AccessChain, ty, &[view.variable, zero, index])
        } else {
            self.op(Op::AccessChain, ty, &[view.variable, index])
        })
    }

    /// Returns the place of a private object of one element, which is a variable that the structurizer added.
    pub fn whole_object(&mut self, ptr: Value) -> EmitResult<Mem> {
        let array = self.array_of(ptr)?;
        let ArrayId::FrameObject(index) = array else {
            return Err(EmitError::malformed("an access of a whole object in the stack"));
        };
        let element = self.frame.accesses.objects[index].access_type.element(self.target);
        let view = self.element_view(array, element.bytes())?;
        let first = self.const_u32(0);
        Ok(Mem::Array(array, self.element_pointer(array, view, first)?))
    }

    /// ElementAddr.
    pub fn element_addr(&mut self, result: Value, data: &InstData) -> EmitResult<u32> {
        let InstData::ElementAddr { ptr, index, skipped, bytes } = *data else {
            return Err(EmitError::malformed("no address of an element"));
        };
        let array = self.array_of(result)?;
        let view = self.element_view(array, bytes)?;
        let (base, first) = self.element_number(ptr, bytes)?;
        let (index, known) = match self.func.as_const(index) {
            Some(bits) => (None, bits as u32),
            None => (Some(self.id(index)?), 0),
        };
        let block = if array == ArrayId::Local { self.own_block(bytes) } else { None };
        let varying = self.sum(base, index);
        let varying = self.sum(block, varying);
        if varying.is_some() {
            self.count_use(array);
        }
        let constant = first.wrapping_add(known).wrapping_add(skipped as u32);
        let index = match (varying, constant) {
            (None, constant) => self.const_u32(constant),
            (Some(id), 0) => id,
            (Some(id), constant) => self.u32_op_const(Op::IAdd, id, constant),
        };
        self.element_pointer(array, view, index)
    }

    fn sum(&mut self, a: Option<u32>, b: Option<u32>) -> Option<u32> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.u32_op(Op::IAdd, a, b)),
            (a, b) => a.or(b),
        }
    }

    /// Returns the index of the element that an aligned pointer points to, as a varying part and a constant part.
    fn element_number(&mut self, ptr: Value, bytes: u32) -> EmitResult<(Option<u32>, u32)> {
        let offset = match self.func.def_inst(ptr) {
            Some(InstData::Alloca { .. }) => Some(self.frame.offset(ptr)),
            Some(&InstData::GlobalAddr { global }) => Some(self.info.local_offsets[global]),
            _ => self.func.as_const(ptr),
        };
        if let Some(offset) = offset {
            return Ok((None, offset as u32 / bytes));
        }
        let id = self.id(ptr)?;
        if bytes == 1 {
            return Ok((Some(id), 0));
        }
        let by = self.const_u32(bytes.ilog2());
        let shift = Op::ShiftRightLogical;
        if matches!(self.func.def_inst(ptr), Some(InstData::LoadArg { .. })) {
            let (word, operands) = (self.builder.u32, [shift as u32, id, by]);
            return Ok((Some(self.builder.intern(Op::SpecConstantOp, Some(word), &operands)), 0));
        }
        Ok((Some(self.u32_op(shift, id, by)), 0))
    }

    /// Returns the array that a pointer points into.
    pub fn array_of(&self, ptr: Value) -> EmitResult<ArrayId> {
        match self.func.ty(ptr).space() {
            Some(AddressSpace::Local) => Ok(ArrayId::Local),
            Some(AddressSpace::Private) => {
                let own = self.frame.accesses.own_array(ptr);
                Ok(own.map_or(ArrayId::Stack, ArrayId::FrameObject))
            }
            _ => Err(EmitError::malformed("an access through no pointer, or a generic one")),
        }
    }

    /// Returns the memory operand of an access, if it needs one.
    pub fn access_operand(&self, array: ArrayId, volatile: bool) -> Option<u32> {
        let mut access = match array {
            ArrayId::Local => self.shared_access(),
            ArrayId::Stack | ArrayId::FrameObject(_) => MemoryAccess::empty(),
        };
        access.set(MemoryAccess::VOLATILE, volatile);
        (!access.is_empty()).then_some(access.bits())
    }

    pub fn array_load(&mut self, array: ArrayId, pointer: u32, ty: u32, volatile: bool) -> u32 {
        let mut operands: SmallVec<[u32; 2]> = SmallVec::from_slice(&[pointer]);
        operands.extend(self.access_operand(array, volatile));
        self.op(Op::Load, ty, &operands)
    }

    pub fn array_store(&mut self, array: ArrayId, pointer: u32, id: u32, volatile: bool) {
        let mut operands: SmallVec<[u32; 3]> = SmallVec::from_slice(&[pointer, id]);
        operands.extend(self.access_operand(array, volatile));
        self.op_void(Op::Store, &operands);
    }
}
