//! Work-group and private memory, which have logical addressing: arrays of the type that all accesses have.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::places::{ArrayId, Elem, View};
use crate::analysis::access_types::{AccessType, LocalLayout};
use crate::ir::{BinaryOp, ConvertOp, InstData, Scalar, Value, ValueDef};
use crate::kernel::spec_id;
use rspirv::spirv::{Capability, Decoration, MemoryAccess, Op, StorageClass};
use smallvec::SmallVec;

/// Bytes of an element of the work-group block when it is seen through several views.
const EXPLICIT_ELEMENT: u32 = 16;
/// The depth to which the computation of an address is followed.
const INDEX_DEPTH: u32 = 8;

/// An element's index: a computed part and a constant one.
#[derive(Debug, Clone, Copy)]
struct Index {
    dynamic: Option<u32>,
    constant: u32,
}

impl Emitter<'_> {
    fn local_layout(&self) -> LocalLayout {
        self.info.local.local_layout(self.target)
    }

    /// Returns the number of bytes of an element of the work-group block, as the runtime counts its length.
    pub fn local_element_size(&self) -> u32 {
        match self.local_layout() {
            LocalLayout::Views => EXPLICIT_ELEMENT,
            LocalLayout::Array(element) => element.bytes(),
        }
    }

    /// Returns the value of an Alloca: its byte offset in the stack, or in itself.
    pub fn alloca(&mut self, value: Value) -> u32 {
        self.const_u32(self.frame.offset(value) as u32)
    }

    /// Returns the view of an array with elements of that many bytes, if there is one.
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

    /// Returns the view of an array with elements of that many bytes.
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

    /// Returns the array type for private memory, and its elements.
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

    /// The work-group block's elements for one that sets all of them: how they are seen, and how many there
    /// are.
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
        let ty = match view.in_block {
            true => self.elem_type(view.elem)?,
            false => self.array_elem_type(view.elem)?,
        };
        let zero = self.builder.intern(Op::ConstantNull, Some(ty), &[]);
        let pointer = self.element_pointer(ArrayId::Local, view, index)?;
        self.store_pointer(ArrayId::Local, pointer, zero, false);
        Ok(())
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
        let elem = Elem::Int(bytes * 8);
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
    fn element_pointer(&mut self, array: ArrayId, view: View, index: u32) -> EmitResult<u32> {
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

    /// Returns a pointer to the element that a pointer of the IR points to.
    pub fn array_pointer(&mut self, array: ArrayId, ptr: Value, bytes: u32) -> EmitResult<u32> {
        let view = self.element_view(array, bytes)?;
        let index = self.pointer_index(ptr, bytes, INDEX_DEPTH)?;
        let index = self.index_id(index);
        self.element_pointer(array, view, index)
    }

    /// Returns the memory operand of an access, if it needs one.
    fn access_operand(&self, array: ArrayId, volatile: bool) -> Option<u32> {
        let mut access = match array {
            ArrayId::Local => self.shared_access(),
            ArrayId::Stack | ArrayId::FrameObject(_) => MemoryAccess::empty(),
        };
        access.set(MemoryAccess::VOLATILE, volatile);
        (!access.is_empty()).then_some(access.bits())
    }

    fn load_pointer(&mut self, array: ArrayId, pointer: u32, ty: u32, volatile: bool) -> u32 {
        let mut operands: SmallVec<[u32; 2]> = SmallVec::from_slice(&[pointer]);
        operands.extend(self.access_operand(array, volatile));
        self.op(Op::Load, ty, &operands)
    }

    fn store_pointer(&mut self, array: ArrayId, pointer: u32, id: u32, volatile: bool) {
        let mut operands: SmallVec<[u32; 3]> = SmallVec::from_slice(&[pointer, id]);
        operands.extend(self.access_operand(array, volatile));
        self.op_void(Op::Store, &operands);
    }

    pub fn array_load(
        &mut self,
        array: ArrayId,
        ptr: Value,
        elem: Elem,
        volatile: bool,
    ) -> EmitResult<u32> {
        let pointer = self.array_pointer(array, ptr, elem.bytes())?;
        let ty = self.elem_type(elem)?;
        Ok(self.load_pointer(array, pointer, ty, volatile))
    }

    pub fn array_store(
        &mut self,
        array: ArrayId,
        ptr: Value,
        elem: Elem,
        id: u32,
        volatile: bool,
    ) -> EmitResult<()> {
        let pointer = self.array_pointer(array, ptr, elem.bytes())?;
        self.store_pointer(array, pointer, id, volatile);
        Ok(())
    }

    // Indices. A byte offset that is computed as index * size is not multiplied and divided again,
    // so that drivers see plain array indexing.

    fn divide(&mut self, id: u32, bytes: u32) -> u32 {
        match bytes {
            1 => id,
            _ => self.u32_op_const(Op::ShiftRightLogical, id, bytes.ilog2()),
        }
    }

    fn index_id(&mut self, index: Index) -> u32 {
        match index {
            Index { dynamic: None, constant } => self.const_u32(constant),
            Index { dynamic: Some(id), constant: 0 } => id,
            Index { dynamic: Some(id), constant } => self.u32_op_const(Op::IAdd, id, constant),
        }
    }

    fn add_indices(&mut self, a: Index, b: Index) -> Index {
        let dynamic = match (a.dynamic, b.dynamic) {
            (Some(x), Some(y)) => Some(self.u32_op(Op::IAdd, x, y)),
            (x, y) => x.or(y),
        };
        Index { dynamic, constant: a.constant.wrapping_add(b.constant) }
    }

    /// Index of the element that an aligned local or private pointer points to.
    fn pointer_index(&mut self, ptr: Value, bytes: u32, depth: u32) -> EmitResult<Index> {
        let constant = |offset: u64| Index { dynamic: None, constant: offset as u32 / bytes };
        match self.func.def_inst(ptr) {
            Some(InstData::Alloca { .. }) => {
                return Ok(constant(self.frame.offset(ptr)));
            }
            Some(InstData::GlobalAddr { global }) => {
                let offset = self.info.local_offsets[*global];
                if offset.is_multiple_of(u64::from(bytes)) {
                    return Ok(constant(offset));
                }
            }
            Some(&InstData::PtrAdd { ptr: base, offset }) if depth > 0 => {
                if let Some(index) = self.scaled(offset, bytes, depth)? {
                    let base = self.pointer_index(base, bytes, depth - 1)?;
                    return Ok(self.add_indices(base, index));
                }
            }
            _ => {}
        }
        let id = self.id(ptr)?;
        Ok(Index { dynamic: Some(self.divide(id, bytes)), constant: 0 })
    }

    /// `value / bytes`, if the way it is computed shows a multiple.
    fn scaled(&mut self, value: Value, bytes: u32, depth: u32) -> EmitResult<Option<Index>> {
        if let Some(bits) = self.func.as_const(value) {
            let offset = bits as u32 as i32;
            let exact = offset % bytes as i32 == 0;
            let constant = (offset / bytes as i32) as u32;
            return Ok(exact.then_some(Index { dynamic: None, constant }));
        }
        if bytes == 1 {
            return Ok(Some(Index { dynamic: Some(self.word_of(value)?), constant: 0 }));
        }
        let ValueDef::Inst(inst) = self.func.def(value) else { return Ok(None) };
        match self.func.insts[inst] {
            _ if depth == 0 => Ok(None),
            InstData::Binary { op: BinaryOp::IAdd, args: [a, b], .. } => {
                let Some(a) = self.scaled(a, bytes, depth - 1)? else { return Ok(None) };
                let Some(b) = self.scaled(b, bytes, depth - 1)? else { return Ok(None) };
                Ok(Some(self.add_indices(a, b)))
            }
            InstData::Binary { op: BinaryOp::Shl, args: [a, b], .. } => {
                let Some(shift @ 0..=31) = self.func.as_const(b) else { return Ok(None) };
                self.scaled_product(a, 1 << shift, bytes)
            }
            InstData::Binary { op: BinaryOp::IMul, args: [a, b], .. } => {
                match (self.func.as_const(a), self.func.as_const(b)) {
                    (_, Some(factor)) => self.scaled_product(a, factor as u32, bytes),
                    (Some(factor), _) => self.scaled_product(b, factor as u32, bytes),
                    _ => Ok(None),
                }
            }
            InstData::Convert { op, arg }
                if matches!(op, ConvertOp::Trunc | ConvertOp::SExt | ConvertOp::ZExt)
                    && matches!(self.func.ty(arg).scalar, Scalar::I32 | Scalar::I64) =>
            {
                self.scaled(arg, bytes, depth - 1)
            }
            _ => Ok(None),
        }
    }

    fn scaled_product(
        &mut self,
        value: Value,
        factor: u32,
        bytes: u32,
    ) -> EmitResult<Option<Index>> {
        if !factor.is_multiple_of(bytes) {
            return Ok(None);
        }
        let id = self.word_of(value)?;
        let dynamic = match factor / bytes {
            1 => id,
            factor => self.u32_op_const(Op::IMul, id, factor),
        };
        Ok(Some(Index { dynamic: Some(dynamic), constant: 0 }))
    }

    /// Returns the low word of an I32 or I64.
    fn word_of(&mut self, value: Value) -> EmitResult<u32> {
        if let Some(InstData::Convert { op: ConvertOp::SExt | ConvertOp::ZExt, arg }) =
            self.func.def_inst(value)
        {
            if self.func.ty(*arg).scalar == Scalar::I32 {
                return self.id(*arg);
            }
        }
        let id = self.id(value)?;
        Ok(match self.func.ty(value).scalar {
            Scalar::I64 => self.low_word(id),
            _ => id,
        })
    }
}
