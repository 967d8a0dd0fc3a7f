//! Accesses through device addresses (PhysicalStorageBuffer).

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::places::{Address, Elem, Element};
use crate::ir::{MemFlags, Scalar};
use hekla_device::Quirks;
use rspirv::spirv::{Capability, Decoration, MemoryAccess, Op, Scope, StorageClass};
use smallvec::SmallVec;

impl Emitter<'_> {
    /// Returns a pointer to `pointee` at an address, for loads and stores.
    pub fn physical_pointer(&mut self, address: Address, pointee: u32) -> u32 {
        let decoration = self.info.coherent.then_some(Decoration::Coherent);
        self.decorated_pointer(address, pointee, decoration)
    }

    /// Returns a pointer to `pointee` at an address, for loads.
    fn pointer_to_load(&mut self, address: Address, pointee: u32, flags: MemFlags) -> u32 {
        let is_invariant =
            flags & (MemFlags::INVARIANT | MemFlags::VOLATILE) == MemFlags::INVARIANT;
        match is_invariant && self.target.has(Quirks::READ_ONLY_LOADS) {
            true => self.decorated_pointer(address, pointee, Some(Decoration::NonWritable)),
            false => self.physical_pointer(address, pointee),
        }
    }

    /// Returns a pointer to `pointee` at an address. If it has a decoration, or if the address is an array element's, the
    /// pointee or the array is the member of a block there.
    fn decorated_pointer(
        &mut self,
        address: Address,
        pointee: u32,
        decoration: Option<Decoration>,
    ) -> u32 {
        let ty = self.builder.pointer(StorageClass::PhysicalStorageBuffer, pointee);
        let op = if self.target.int64 { Op::ConvertUToPtr } else { Op::Bitcast };
        let word = self.builder.u32;
        // What is an array's element, and what is accessed there: the element, its member, or more than the element.
        let (member, found) = match address.element {
            Some(Element { stride, offset: 0, bytes, .. }) if bytes == stride => {
                (self.builder.runtime_array(pointee, stride), pointee)
            }
            Some(Element { stride, offset: 0, bytes, .. }) if bytes > stride => {
                (self.builder.runtime_array(word, stride), word)
            }
            Some(Element { stride, offset, .. }) => {
                let element = self.builder.struct_at(pointee, offset);
                (self.builder.runtime_array(element, stride), pointee)
            }
            None if decoration.is_some() => (pointee, pointee),
            None => return self.op(op, ty, &[address.base]),
        };
        let block = self.builder.member_block(member, decoration);
        let to_block = self.builder.pointer(StorageClass::PhysicalStorageBuffer, block);
        let block = self.op(op, to_block, &[address.base]);
        let zero = self.const_u32(0);
        let mut operands: SmallVec<[u32; 4]> = SmallVec::from_slice(&[block, zero]);
        if let Some(Element { index, stride, offset, bytes }) = address.element {
            operands.push(index);
            operands.extend((offset != 0 || bytes < stride).then_some(zero));
        }
        let found_ty = self.builder.pointer(StorageClass::PhysicalStorageBuffer, found);
        let chain = self.op(Op::AccessChain, found_ty, &operands);
        match found == pointee {
            true => chain,
            false => self.op(Op::Bitcast, ty, &[chain]),
        }
    }

    /// Returns the type of element that represents a scalar in device memory.
    pub fn physical_elem(&self, scalar: Scalar) -> EmitResult<Elem> {
        let target = self.target;
        let elem = match scalar {
            Scalar::Bool | Scalar::Matrix(_) => None,
            Scalar::I8 => target.storage8.then_some(Elem::Int(8)),
            Scalar::F16 if target.float16 && target.storage16 => Some(Elem::Float(16)),
            Scalar::I16 | Scalar::F16 => target.storage16.then_some(Elem::Int(16)),
            Scalar::I32 => Some(Elem::Int(32)),
            Scalar::F32 => Some(Elem::Float(32)),
            Scalar::F64 => Some(Elem::Float(64)),
            Scalar::I64 | Scalar::Ptr(_) if target.int64 => Some(Elem::Int(64)),
            Scalar::I64 | Scalar::Ptr(_) => Some(Elem::Pair),
        };
        elem.ok_or_else(|| EmitError::malformed(format!("{scalar} in device memory")))
    }

    fn storage_capability(&mut self, bytes: u32) {
        match bytes {
            1 => self.builder.require_capability(Capability::StorageBuffer8BitAccess),
            2 => self.builder.require_capability(Capability::StorageBuffer16BitAccess),
            _ => {}
        }
    }

    pub fn physical_type(&mut self, elem: Elem, lanes: u8) -> EmitResult<u32> {
        self.storage_capability(elem.bytes());
        let ty = self.elem_type(elem)?;
        Ok(if lanes > 1 { self.builder.vector(ty, u32::from(lanes)) } else { ty })
    }

    /// Returns the memory operands of an access. Other work-items must see volatile accesses, so in Vulkan's
    /// memory model such a store makes its value available, and such a load makes available values visible.
    pub fn access_operands(
        &mut self,
        align: u32,
        volatile: bool,
        store: bool,
    ) -> SmallVec<[u32; 3]> {
        let mut access = MemoryAccess::ALIGNED | self.shared_access();
        access.set(MemoryAccess::VOLATILE, volatile);
        let is_visible = volatile && self.info.ordered;
        access.set(MemoryAccess::MAKE_POINTER_AVAILABLE, is_visible && store);
        access.set(MemoryAccess::MAKE_POINTER_VISIBLE, is_visible && !store);
        // Devices have no use for an alignment of more than 16 bytes.
        let mut operands = SmallVec::from_slice(&[access.bits(), 1 << align.clamp(1, 16).ilog2()]);
        if is_visible {
            operands.push(self.const_u32(Scope::Device as u32));
        }
        operands
    }

    fn load_physical(&mut self, pointer: u32, ty: u32, align: u32, volatile: bool) -> u32 {
        let mut operands: SmallVec<[u32; 4]> = SmallVec::from_slice(&[pointer]);
        operands.extend(self.access_operands(align, volatile, false));
        self.op(Op::Load, ty, &operands)
    }

    pub fn physical_load(
        &mut self,
        address: Address,
        elem: Elem,
        lanes: u8,
        align: u32,
        flags: MemFlags,
    ) -> EmitResult<u32> {
        let ty = self.physical_type(elem, lanes)?;
        let pointer = self.pointer_to_load(address, ty, flags);
        Ok(self.load_physical(pointer, ty, align, flags.contains(MemFlags::VOLATILE)))
    }

    pub fn physical_store(
        &mut self,
        address: Address,
        id: u32,
        elem: Elem,
        lanes: u8,
        align: u32,
        volatile: bool,
    ) -> EmitResult<()> {
        let ty = self.physical_type(elem, lanes)?;
        let pointer = self.physical_pointer(address, ty);
        let mut operands: SmallVec<[u32; 5]> = SmallVec::from_slice(&[pointer, id]);
        operands.extend(self.access_operands(align, volatile, true));
        self.op_void(Op::Store, &operands);
        Ok(())
    }
}
