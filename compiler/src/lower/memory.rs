//! Memory: copies and zeroing of whole objects.

use super::function::Lowering;
use super::types;
use crate::ir::{Addr, AddressSpace, BinaryOp, MemFlags, Scalar, Type, Value, Within};
use crate::sema::hir::{Expr, Range, Repeat};
use crate::sema::types::{TypeId, TypeKind};

/// Arrays of at most this many leaves are copied without a loop.
const UNROLLED_LEAVES: u64 = 64;
/// The depth of nested records and arrays beyond which a copy is made byte by byte. The parser's limits
/// do not allow types of this depth.
const MAX_DEPTH: u32 = 200;

/// The operation on each leaf of an object.
#[derive(Clone, Copy)]
enum LeafOp {
    Zero(Addr),
    Copy { to: Addr, from: Addr },
}

impl Lowering<'_, '_> {
    /// Copies an object, leaf by leaf.
    pub fn copy_object(&mut self, ty: TypeId, to: Addr, from: Addr) {
        self.walk(ty, LeafOp::Copy { to, from }, 0);
    }

    /// Copies the struct or union that an expression is, at the expression's place in the text.
    pub fn copy_value(&mut self, value: &Expr, ty: TypeId, to: Addr, from: Addr) {
        let outer = self.enter(value.span);
        self.copy_object(ty, to, from);
        self.stand_back(outer);
    }

    /// Copies a part of an object to the other parts that its range designators name. The innermost range
    /// is filled first, so that each outer range copies parts that are filled already.
    pub fn repeat_part(&mut self, object: Addr, part: &Repeat) {
        let first = self.b.offset(object, part.offset);
        for (depth, range) in part.ranges.iter().enumerate().rev() {
            let second = self.b.offset(first, range.stride);
            let op = LeafOp::Copy { to: second, from: first };
            let inner = part.ranges.get(depth + 1..).unwrap_or_default();
            self.walk_ranges(part.ty, (range.count - 1, range.stride), inner, op);
        }
    }

    /// Applies an operation to `n` parts at a distance of `stride` bytes, each of which consists of the elements of `inner`.
    fn walk_ranges(&mut self, ty: TypeId, (n, stride): (u64, u64), inner: &[Range], op: LeafOp) {
        let body = |this: &mut Self, part: LeafOp| match inner.split_first() {
            Some((range, rest)) => this.walk_ranges(ty, (range.count, range.stride), rest, part),
            None => this.walk(ty, part, 0),
        };
        let is_small = n.saturating_mul(self.leaves(ty, 0)) <= UNROLLED_LEAVES && inner.is_empty();
        self.each_part((n, stride), is_small, op, body);
    }

    /// Calls `body` for `n` parts at a distance of `stride` bytes: for each one if they are small, else once in a loop.
    fn each_part(
        &mut self,
        (n, stride): (u64, u64),
        is_small: bool,
        op: LeafOp,
        mut body: impl FnMut(&mut Self, LeafOp),
    ) {
        if is_small {
            for i in 0..n {
                let part = self.advance(op, i * stride);
                body(self, part);
            }
        } else {
            self.counted_loop(n, |this, i| {
                let part = this.advance_by(op, i, stride, n);
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
        let is_small = n.saturating_mul(self.leaves(element, 0)) <= UNROLLED_LEAVES;
        self.each_part((n, stride), is_small, op, |this, part| this.walk(element, part, depth + 1));
    }

    /// Applies an operation to `n` consecutive values of one type.
    fn repeat(&mut self, ty: Type, n: u64, op: LeafOp) {
        let parts = (n, u64::from(ty.bytes()));
        self.each_part(parts, n <= UNROLLED_LEAVES, op, |this, part| this.leaf(ty, part));
    }

    fn leaf(&mut self, ty: Type, op: LeafOp) {
        let memory = ty.in_memory();
        match op {
            LeafOp::Zero(addr) => {
                let zero = match memory.scalar {
                    Scalar::Matrix(matrix) => self.zero_matrix(matrix),
                    _ => self.b.zero(memory),
                };
                self.b.write(addr, zero);
            }
            LeafOp::Copy { to, from } => {
                let mut flags = from.flags;
                if self.checks_init() {
                    flags |= MemFlags::COPY;
                }
                let value = self.b.load(memory, from.ptr, from.align, flags);
                self.b.write(to, value);
            }
        }
    }

    fn advance(&mut self, op: LeafOp, bytes: u64) -> LeafOp {
        match op {
            LeafOp::Zero(addr) => LeafOp::Zero(self.b.offset(addr, bytes)),
            LeafOp::Copy { to, from } => {
                LeafOp::Copy { to: self.b.offset(to, bytes), from: self.b.offset(from, bytes) }
            }
        }
    }

    /// Like [`Self::advance`], to part number `index` (I32) of `n`.
    fn advance_by(&mut self, op: LeafOp, index: Value, stride: u64, n: u64) -> LeafOp {
        let mut step = |addr: Addr| {
            let index = self.b.pointer_sized(index, addr.ptr, false);
            let within = match self.b.space(addr.ptr) {
                AddressSpace::Private => Within::first(stride.saturating_mul(n)),
                _ => Within::ANYWHERE,
            };
            self.b.indexed_within(addr, index, stride, within)
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
        let n = self.b.int(Scalar::I32, n.min(u64::from(u32::MAX)) as i64);
        let zero = self.b.int(Scalar::I32, 0);
        let one = self.b.int(Scalar::I32, 1);
        let open = self.b.open_loop(zero, n);
        body(self, open.counter);
        self.b.close_loop(open, BinaryOp::IAdd, one);
    }
}
