//! Memory: addresses with what is known of them, loads and stores of values, copies and zeroing of
//! whole objects.

use super::function::Lowering;
use super::types;
use crate::ir::{AddressSpace, ConvertOp, MemFlags, Scalar, Type, Value};
use crate::ir::{BinaryOp, IntCC};
use crate::sema::hir::{Range, Repeat};
use crate::sema::types::{TypeId, TypeKind};

/// An address with its alignment and how accesses to it behave.
#[derive(Debug, Clone, Copy)]
pub struct Addr {
    pub ptr: Value,
    /// Bytes, a power of two.
    pub align: u32,
    pub flags: MemFlags,
}

impl Addr {
    /// Returns an ordinary address.
    pub fn new(ptr: Value, align: u32) -> Addr {
        Addr { ptr, align: align.max(1), flags: MemFlags::empty() }
    }
}

/// Arrays of at most this many leaves are copied without a loop.
const UNROLLED_LEAVES: u64 = 64;
/// Depth of nested records and arrays beyond which a copy goes byte-wise; types cannot be that deep
/// by the parser's limits.
const MAX_DEPTH: u32 = 200;

/// The operation on each leaf of an object.
#[derive(Clone, Copy)]
enum LeafOp {
    Zero(Addr),
    Copy { to: Addr, from: Addr },
}

impl Lowering<'_, '_> {
    /// Reads a value of an IR type (bools from bytes).
    pub fn load(&mut self, ty: Type, addr: Addr) -> Value {
        let memory = types::memory_type(ty);
        let value = self.b.load(memory, addr.ptr, addr.align, addr.flags);
        if memory == ty {
            return value;
        }
        let zero = self.b.iconst(memory, 0);
        self.b.icmp(IntCC::Ne, value, zero)
    }

    /// Writes a value (bools as bytes 0 and 1).
    pub fn store(&mut self, addr: Addr, value: Value) {
        let ty = self.b.ty(value);
        let memory = types::memory_type(ty);
        let value = self.b.convert(ConvertOp::ZExt, value, memory);
        let flags = addr.flags & MemFlags::VOLATILE;
        self.b.store(addr.ptr, value, addr.align, flags);
    }

    /// Returns the address some bytes further on.
    pub fn offset(&mut self, addr: Addr, bytes: u64) -> Addr {
        let ptr = self.b.ptr_add_const(addr.ptr, bytes as i64);
        let align = match bytes {
            0 => addr.align,
            n => addr.align.min(1 << n.trailing_zeros().min(16)),
        };
        Addr { ptr, align, ..addr }
    }

    /// Returns the address `index * stride` bytes further on; `index` has the width of the pointer.
    pub fn indexed(&mut self, addr: Addr, index: Value, stride: u64) -> Addr {
        let ty = self.b.ty(index);
        let stride_value = self.b.iconst(ty, stride as i64);
        let bytes = self.b.binary(BinaryOp::IMul, index, stride_value);
        let ptr = self.b.ptr_add(addr.ptr, bytes);
        let align = match stride {
            0 => addr.align,
            n => addr.align.min(1 << n.trailing_zeros().min(16)),
        };
        Addr { ptr, align, ..addr }
    }

    /// Copies an object, leaf by leaf.
    pub fn copy_object(&mut self, ty: TypeId, to: Addr, from: Addr) {
        self.walk(ty, LeafOp::Copy { to, from }, 0);
    }

    /// Copies a part of an object to the others that its range designators name: the innermost range
    /// first, so that each further one copies what those before it have filled.
    pub fn repeat_part(&mut self, object: Addr, part: &Repeat) {
        let first = self.offset(object, part.offset);
        for (depth, range) in part.ranges.iter().enumerate().rev() {
            let second = self.offset(first, range.stride);
            let op = LeafOp::Copy { to: second, from: first };
            let inner = part.ranges.get(depth + 1..).unwrap_or_default();
            self.walk_ranges(part.ty, (range.count - 1, range.stride), inner, op);
        }
    }

    /// `n` parts at a distance of `stride`, each of which is the elements of ranges.
    fn walk_ranges(&mut self, ty: TypeId, (n, stride): (u64, u64), inner: &[Range], op: LeafOp) {
        let body = |this: &mut Self, part: LeafOp| match inner.split_first() {
            Some((range, rest)) => this.walk_ranges(ty, (range.count, range.stride), rest, part),
            None => this.walk(ty, part, 0),
        };
        if n.saturating_mul(self.leaves(ty, 0)) <= UNROLLED_LEAVES && inner.is_empty() {
            for i in 0..n {
                let part = self.advance(op, i * stride);
                body(self, part);
            }
        } else {
            self.counted_loop(n, |this, i| {
                let part = this.advance_by(op, i, stride);
                body(this, part);
            });
        }
    }

    /// Sets an object to zero, leaf by leaf.
    pub fn zero_object(&mut self, ty: TypeId, addr: Addr) {
        self.walk(ty, LeafOp::Zero(addr), 0);
    }

    fn walk(&mut self, ty: TypeId, op: LeafOp, depth: u32) {
        if let Some(value) = types::value_type(self.types(), ty) {
            return self.leaf(value, op);
        }
        let (size, align) = types::layout(self.types(), ty);
        match *self.types().kind(ty) {
            _ if depth > MAX_DEPTH => self.repeat(Type::I8, size, op),
            TypeKind::Array(element, Some(n)) => self.walk_array(element, n, op, depth),
            TypeKind::Record(id) => {
                let types = self.types();
                let record = &types.records[id];
                if record.is_union {
                    let chunk = Type::of(Scalar::int(8 * align.min(8)));
                    return self.repeat(chunk, size / u64::from(chunk.bytes()), op);
                }
                for field in &record.fields {
                    let part = self.advance(op, u64::from(field.offset));
                    self.walk(field.ty, part, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn walk_array(&mut self, element: TypeId, n: u64, op: LeafOp, depth: u32) {
        let stride = types::layout(self.types(), element).0;
        if n.saturating_mul(self.leaves(element, 0)) <= UNROLLED_LEAVES {
            for i in 0..n {
                let part = self.advance(op, i * stride);
                self.walk(element, part, depth + 1);
            }
        } else {
            self.counted_loop(n, |this, i| {
                let part = this.advance_by(op, i, stride);
                this.walk(element, part, depth + 1);
            });
        }
    }

    /// `n` consecutive values of one type.
    fn repeat(&mut self, ty: Type, n: u64, op: LeafOp) {
        let stride = u64::from(ty.bytes());
        if n <= UNROLLED_LEAVES {
            for i in 0..n {
                let part = self.advance(op, i * stride);
                self.leaf(ty, part);
            }
        } else {
            self.counted_loop(n, |this, i| {
                let part = this.advance_by(op, i, stride);
                this.leaf(ty, part);
            });
        }
    }

    fn leaf(&mut self, ty: Type, op: LeafOp) {
        let memory = types::memory_type(ty);
        match op {
            LeafOp::Zero(addr) => {
                let zero = self.zero(memory);
                self.store(addr, zero);
            }
            LeafOp::Copy { to, from } => {
                let value = self.b.load(memory, from.ptr, from.align, from.flags);
                self.store(to, value);
            }
        }
    }

    fn advance(&mut self, op: LeafOp, bytes: u64) -> LeafOp {
        match op {
            LeafOp::Zero(addr) => LeafOp::Zero(self.offset(addr, bytes)),
            LeafOp::Copy { to, from } => {
                LeafOp::Copy { to: self.offset(to, bytes), from: self.offset(from, bytes) }
            }
        }
    }

    /// As [`Self::advance`], by a run-time number (I32) of strides.
    fn advance_by(&mut self, op: LeafOp, index: Value, stride: u64) -> LeafOp {
        let mut step = |addr: Addr| {
            let index = self.pointer_sized(index, addr.ptr, false);
            self.indexed(addr, index, stride)
        };
        match op {
            LeafOp::Zero(addr) => LeafOp::Zero(step(addr)),
            LeafOp::Copy { to, from } => LeafOp::Copy { to: step(to), from: step(from) },
        }
    }

    /// Returns the number of values in an object, saturating.
    fn leaves(&self, ty: TypeId, depth: u32) -> u64 {
        match *self.types().kind(ty) {
            _ if depth > MAX_DEPTH => u64::MAX,
            TypeKind::Array(element, Some(n)) => n.saturating_mul(self.leaves(element, depth + 1)),
            TypeKind::Record(id) if self.types().records[id].is_union => {
                let (size, align) = types::layout(self.types(), ty);
                size / u64::from(align.clamp(1, 8))
            }
            TypeKind::Record(id) => {
                let fields = self.types().records[id].fields.iter();
                fields.fold(0, |sum: u64, f| sum.saturating_add(self.leaves(f.ty, depth + 1)))
            }
            _ => 1,
        }
    }

    /// `for (i = 0; i < n; i++) body(i)` with an I32 counter.
    pub fn counted_loop(&mut self, n: u64, body: impl FnOnce(&mut Self, Value)) {
        let n = self.int(Scalar::I32, n.min(u64::from(u32::MAX)) as i64);
        let zero = self.int(Scalar::I32, 0);
        let one = self.int(Scalar::I32, 1);
        self.strided_loop(zero, n, one, body);
    }

    /// `for (i = start; i < end; i += step) body(i)`, unsigned, in the type of the operands.
    pub fn strided_loop(
        &mut self,
        start: Value,
        end: Value,
        step: Value,
        body: impl FnOnce(&mut Self, Value),
    ) {
        self.stepping_loop(start, end, (BinaryOp::IAdd, step), body);
    }

    /// `for (i = start; i < end; i = i op operand) body(i)`, unsigned, in the type of the operands.
    pub fn stepping_loop(
        &mut self,
        start: Value,
        end: Value,
        (op, operand): (BinaryOp, Value),
        body: impl FnOnce(&mut Self, Value),
    ) {
        let ty = self.b.ty(start);
        let header = self.b.new_block();
        let i = self.b.func.add_param(header, ty);
        self.b.jump(header, &[start]);
        self.b.switch_to(header);
        let inside = self.b.icmp(IntCC::Ult, i, end);
        let (inner, after) = (self.b.new_block(), self.b.new_block());
        self.b.brif(inside, inner, after);
        self.b.switch_to(inner);
        body(self, i);
        let next = self.b.binary(op, i, operand);
        self.b.jump(header, &[next]);
        self.b.switch_to(after);
    }

    /// Zero (null, false) of any type.
    pub fn zero(&mut self, ty: Type) -> Value {
        let lane = self.b.func.constant(ty.lane(), 0);
        self.b.splat(lane, ty.lanes)
    }

    /// Returns the address space of a pointer value; private for anything else.
    pub fn space(&self, ptr: Value) -> AddressSpace {
        self.b.ty(ptr).space().unwrap_or(AddressSpace::Private)
    }
}
