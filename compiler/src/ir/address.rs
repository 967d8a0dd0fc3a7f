//! Addresses with their known properties, and the builder's methods for accesses to them.

use super::builder::Builder;
use super::entities::Value;
use super::inst::{BinaryOp, ConvertOp, IntCC, MemFlags, Within};
use super::types::{Scalar, Type};

/// An address with its alignment and how accesses to it behave.
#[derive(Debug, Clone, Copy)]
pub struct Addr {
    pub ptr: Value,
    /// The alignment in bytes, a power of two.
    pub align: u32,
    pub flags: MemFlags,
}

impl Addr {
    /// Returns an ordinary address.
    pub fn new(ptr: Value, align: u32) -> Addr {
        Addr { ptr, align: align.max(1), flags: MemFlags::empty() }
    }

    /// Returns the alignment of an address that is a multiple of `bytes` behind this address.
    fn align_after(self, bytes: u64) -> u32 {
        match bytes {
            0 => self.align,
            n => self.align.min(1 << n.trailing_zeros().min(16)),
        }
    }
}

impl Type {
    /// Returns the type that a value of this type has in memory: bools take a byte.
    pub fn in_memory(self) -> Type {
        match self.scalar {
            Scalar::Bool => self.with_scalar(Scalar::I8),
            _ => self,
        }
    }
}

impl Builder<'_> {
    /// Returns the address of new private memory.
    pub fn private_memory(&mut self, size: u64, align: u32) -> Addr {
        let align = align.max(1);
        let ptr = self.alloca(size.max(1), align);
        Addr::new(ptr, align)
    }

    /// Reads a value (bools from bytes).
    pub fn read(&mut self, ty: Type, addr: Addr) -> Value {
        let memory = ty.in_memory();
        let value = self.load(memory, addr.ptr, addr.align, addr.flags);
        if memory == ty {
            return value;
        }
        let zero = self.iconst(memory, 0);
        self.icmp(IntCC::Ne, value, zero)
    }

    /// Writes a value (bools as bytes 0 and 1).
    pub fn write(&mut self, addr: Addr, value: Value) {
        let memory = self.ty(value).in_memory();
        let value = self.convert(ConvertOp::ZExt, value, memory);
        let flags = addr.flags & MemFlags::VOLATILE;
        self.store(addr.ptr, value, addr.align, flags);
    }

    /// Returns the address that is `bytes` bytes behind this one.
    pub fn offset(&mut self, addr: Addr, bytes: u64) -> Addr {
        let ptr = self.ptr_add_const(addr.ptr, bytes as i64);
        Addr { ptr, align: addr.align_after(bytes), ..addr }
    }

    /// Returns the address that is `index * stride` bytes behind this one; `index` has the width of the pointer.
    pub fn indexed(&mut self, addr: Addr, index: Value, stride: u64) -> Addr {
        self.indexed_within(addr, index, stride, Within::ANYWHERE)
    }

    /// Like [`Builder::indexed`], for an address that stays in a part of the object.
    pub fn indexed_within(
        &mut self,
        addr: Addr,
        index: Value,
        stride: u64,
        within: Within,
    ) -> Addr {
        let ty = self.ty(index);
        let stride_value = self.iconst(ty, stride as i64);
        let bytes = self.binary(BinaryOp::IMul, index, stride_value);
        let ptr = self.ptr_add_within(addr.ptr, bytes, within);
        Addr { ptr, align: addr.align_after(stride), ..addr }
    }
}
