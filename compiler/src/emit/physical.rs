//! Accesses through device addresses (PhysicalStorageBuffer).

use super::emitter::Emitter;
use super::error::EmitResult;
use super::places::Elem;
use crate::ir::Scalar;
use rspirv::spirv::{Capability, MemoryAccess, MemorySemantics, Op, Scope, StorageClass};
use smallvec::SmallVec;

impl Emitter<'_> {
    /// Returns a pointer to `pointee` at an address plus a constant number of bytes.
    pub fn physical_pointer(&mut self, address: u32, offset: u32, pointee: u32) -> u32 {
        let address = self.address_add_const(address, offset);
        let ty = self.builder.pointer(StorageClass::PhysicalStorageBuffer, pointee);
        let op = if self.target.int64 { Op::ConvertUToPtr } else { Op::Bitcast };
        if self.info.coherent {
            let block = self.builder.coherent_block(pointee);
            let to_block = self.builder.pointer(StorageClass::PhysicalStorageBuffer, block);
            let block = self.op(op, to_block, &[address]);
            let first = self.const_u32(0);
            return self.op(Op::AccessChain, ty, &[block, first]);
        }
        self.op(op, ty, &[address])
    }

    /// Returns the element that a scalar is in device memory, if the device can access its width.
    pub fn physical_elem(&mut self, scalar: Scalar) -> Option<Elem> {
        let target = self.target;
        match scalar {
            Scalar::Bool => None,
            Scalar::I8 => target.storage8.then_some(Elem::Int(8)),
            Scalar::F16 if target.float16 && target.storage16 => Some(Elem::Float(16)),
            Scalar::I16 | Scalar::F16 => target.storage16.then_some(Elem::Int(16)),
            Scalar::I32 => Some(Elem::Int(32)),
            Scalar::F32 => Some(Elem::Float(32)),
            Scalar::F64 => Some(Elem::Float(64)),
            Scalar::I64 | Scalar::Ptr(_) if target.int64 => Some(Elem::Int(64)),
            Scalar::I64 | Scalar::Ptr(_) => Some(Elem::Pair),
        }
    }

    fn storage_capability(&mut self, bytes: u32) {
        match bytes {
            1 => self.builder.require_capability(Capability::StorageBuffer8BitAccess),
            2 => self.builder.require_capability(Capability::StorageBuffer16BitAccess),
            _ => {}
        }
    }

    fn physical_type(&mut self, elem: Elem, lanes: u8) -> EmitResult<u32> {
        self.storage_capability(elem.bytes());
        let ty = self.elem_type(elem)?;
        Ok(if lanes > 1 { self.builder.vector(ty, u32::from(lanes)) } else { ty })
    }

    /// Memory operands of an access: alignment, and volatile if so. What is volatile is for others to see,
    /// so that in Vulkan's memory model a store makes itself available and a load sees what is.
    fn access_operands(&mut self, align: u32, volatile: bool, store: bool) -> SmallVec<[u32; 3]> {
        let mut access = MemoryAccess::ALIGNED | self.shared_access();
        access.set(MemoryAccess::VOLATILE, volatile);
        let is_visible = volatile && self.info.ordered;
        access.set(MemoryAccess::MAKE_POINTER_AVAILABLE, is_visible && store);
        access.set(MemoryAccess::MAKE_POINTER_VISIBLE, is_visible && !store);
        // More than 16 bytes are of no use to a device.
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
        address: u32,
        elem: Elem,
        lanes: u8,
        align: u32,
        volatile: bool,
    ) -> EmitResult<u32> {
        let ty = self.physical_type(elem, lanes)?;
        let pointer = self.physical_pointer(address, 0, ty);
        Ok(self.load_physical(pointer, ty, align, volatile))
    }

    pub fn physical_store(
        &mut self,
        address: u32,
        id: u32,
        elem: Elem,
        lanes: u8,
        align: u32,
        volatile: bool,
    ) -> EmitResult<()> {
        let ty = self.physical_type(elem, lanes)?;
        let pointer = self.physical_pointer(address, 0, ty);
        let mut operands: SmallVec<[u32; 5]> = SmallVec::from_slice(&[pointer, id]);
        operands.extend(self.access_operands(align, volatile, true));
        self.op_void(Op::Store, &operands);
        Ok(())
    }

    fn has_storage(&self, unit: u32) -> bool {
        match unit {
            1 => self.target.storage8,
            2 => self.target.storage16,
            _ => true,
        }
    }

    /// Pointer to the aligned word that holds an address, and the bit position of the byte in it.
    fn containing_word(&mut self, address: u32, at: u32) -> EmitResult<(u32, u32)> {
        let address = self.address_add_const(address, at);
        let low = self.low_word(address);
        let shift = self.byte_shift(low);
        let low = self.u32_op_const(Op::BitwiseAnd, low, !3);
        let high = self.high_word(address);
        let aligned = self.wide_from_words(low, high)?;
        let word = self.builder.u32;
        Ok((self.physical_pointer(aligned, 0, word), shift))
    }

    /// Reads 1, 2 or 4 bytes, zero-extended to a word.
    pub fn physical_load_unit(
        &mut self,
        address: u32,
        at: u32,
        unit: u32,
        volatile: bool,
    ) -> EmitResult<u32> {
        let word = self.builder.u32;
        if !self.has_storage(unit) {
            let (pointer, shift) = self.containing_word(address, at)?;
            let all = self.load_physical(pointer, word, 4, volatile);
            let piece = self.u32_op(Op::ShiftRightLogical, all, shift);
            return Ok(self.mask_low(piece, unit * 8));
        }
        let address = self.address_add_const(address, at);
        let id = self.physical_load(address, Elem::Int(unit * 8), 1, unit, volatile)?;
        Ok(if unit == 4 { id } else { self.op(Op::UConvert, word, &[id]) })
    }

    /// Writes the low 1, 2 or 4 bytes of a word. Where the device cannot, the bytes are cleared and
    /// set by atomics, so that neighbours written by others stay.
    pub fn physical_store_unit(
        &mut self,
        address: u32,
        at: u32,
        unit: u32,
        id: u32,
        volatile: bool,
    ) -> EmitResult<()> {
        if !self.has_storage(unit) {
            let (pointer, shift) = self.containing_word(address, at)?;
            self.atomic_insert(pointer, Scope::Device, shift, unit, id);
            return Ok(());
        }
        let address = self.address_add_const(address, at);
        let id = match unit {
            4 => id,
            _ => {
                self.storage_capability(unit);
                let ty = self.builder.int(unit * 8);
                self.op(Op::UConvert, ty, &[id])
            }
        };
        self.physical_store(address, id, Elem::Int(unit * 8), 1, unit, volatile)
    }

    /// Bit position in its word of the byte at an offset.
    pub fn byte_shift(&mut self, offset: u32) -> u32 {
        let byte = self.u32_op_const(Op::BitwiseAnd, offset, 3);
        self.u32_op_const(Op::ShiftLeftLogical, byte, 3)
    }

    /// Returns the bits of `unit` bytes at a bit position, and the low bytes of `id` moved there.
    pub fn mask_and_value(&mut self, shift: u32, unit: u32, id: u32) -> (u32, u32) {
        let mask = self.const_u32((1 << (unit * 8)) - 1);
        let mask = self.u32_op(Op::ShiftLeftLogical, mask, shift);
        let value = self.mask_low(id, unit * 8);
        (mask, self.u32_op(Op::ShiftLeftLogical, value, shift))
    }

    /// Replaces `unit` bytes of the word at a pointer by two atomic operations. Neither changes bytes
    /// that have the value already, as when all work-items of a group write the same.
    pub fn atomic_insert(&mut self, pointer: u32, scope: Scope, shift: u32, unit: u32, id: u32) {
        let word = self.builder.u32;
        let (mask, value) = self.mask_and_value(shift, unit, id);
        let keep = self.op(Op::Not, word, &[mask]);
        let keep = self.u32_op(Op::BitwiseOr, keep, value);
        let scope = self.const_u32(scope as u32);
        let relaxed = self.const_u32(MemorySemantics::RELAXED.bits());
        for (op, bits) in [(Op::AtomicOr, value), (Op::AtomicAnd, keep)] {
            let operands: SmallVec<[u32; 4]> = SmallVec::from([pointer, scope, relaxed, bits]);
            self.op(op, word, &operands);
        }
    }
}
