//! The conditions on a launch under which accesses need no check. They are evaluated where a kernel begins. If the work-group
//! size is known when the pipeline is created, drivers remove the code behind conditions that depend on it alone.

use super::affine::{Factor, Most, Sum, Symbol, Term};
use crate::checks;
use crate::ir::*;
use crate::kernel::ArgKind;
use crate::passes::cursor::Cursor;

/// The greatest supported number of a launch, and the greatest supported global size and offset. With them a term is at most
/// 2^60.
const MAX_FACTOR: i64 = 1 << 26;
const MAX_ID: i64 = 1 << 28;
/// The greatest signed integer of 32 bits.
const MAX_NARROW: i64 = i32::MAX as i64;

/// An object in memory, of which a launch gives the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Object {
    /// A variable of this many bytes.
    Variable(u64),
    /// The memory that an argument points to.
    Argument { arg: u32, is_local: bool },
}

/// A condition that a launch may fulfil.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The sum fits in a signed integer of 32 bits.
    Narrow(Sum),
    /// The `bytes` bytes at an offset are in the object. In the memory of devices, the object's pointer is a multiple
    /// of `align`.
    Inside { object: Object, offset: Sum, bytes: i64, align: i64 },
    /// Different work-items, of the work-group (`in_group`) or of the launch, touch different bytes. Each touches `span`
    /// bytes from the sum of `terms` on; there is a term for each dimension with several work-items. The greatest value of
    /// `more` is added to the span.
    Apart { terms: Vec<Term>, span: i64, more: Sum, in_group: bool },
    /// The work-items of a work-group touch all bytes up to `size`. Each touches `bytes` bytes at the sum of `terms`.
    Covers { terms: Vec<Term>, bytes: i64, size: i64 },
    /// No other argument points to memory of the argument with this number.
    Alone(u32),
}

/// Writes the evaluation of conditions. `area`: the launch's check area.
pub struct Writer<'a, 'b> {
    pub c: &'a mut Cursor<'b>,
    pub area: Value,
    pub kernel: &'a KernelEntry,
    ok: Value,
}

impl<'a, 'b> Writer<'a, 'b> {
    pub fn new(c: &'a mut Cursor<'b>, area: Value, kernel: &'a KernelEntry) -> Writer<'a, 'b> {
        let ok = c.func.bool_const(true);
        Writer { c, area, kernel, ok }
    }

    /// Returns whether the launch fulfils all conditions.
    pub fn all(mut self, conditions: &[Condition]) -> Value {
        for condition in conditions {
            self.write(condition);
        }
        self.ok
    }

    fn write(&mut self, condition: &Condition) {
        match condition {
            Condition::Narrow(sum) => {
                let most = self.most(sum);
                self.require_at_most(most, MAX_NARROW);
            }
            Condition::Inside { object, offset, bytes, align } => {
                let room = self.room(*object, *align);
                let most = self.most(offset);
                let end = self.c.binary_imm(BinaryOp::IAdd, most, *bytes);
                self.require(IntCC::Ule, end, room);
            }
            Condition::Apart { terms, span, more, in_group } => {
                let more = self.most(more);
                let mut span = self.c.binary_imm(BinaryOp::IAdd, more, *span);
                for term in terms {
                    let stride = self.stride(term);
                    self.require(IntCC::Ule, span, stride);
                    let last = self.last(term, *in_group);
                    let rest = self.c.binary(BinaryOp::IMul, stride, last);
                    span = self.c.binary(BinaryOp::IAdd, span, rest);
                }
                for dim in (0..3).filter(|&dim| !terms.iter().any(|term| dimension(term) == dim)) {
                    let size = self.size(dim, *in_group);
                    self.require_at_most(size, 1);
                }
            }
            Condition::Covers { terms, bytes, size } => {
                let mut covered = self.number(*bytes);
                for term in terms {
                    let stride = self.stride(term);
                    self.require(IntCC::Ule, stride, covered);
                    let size = self.size(dimension(term), true);
                    covered = self.c.binary(BinaryOp::IMul, stride, size);
                }
                let size = self.number(*size);
                self.require(IntCC::Uge, covered, size);
            }
            Condition::Alone(arg) => {
                let place = self.c.ptr_add_const(self.area, checks::ALONE as i64);
                let word = self.c.load(Type::I32, place, 4, MemFlags::INVARIANT);
                let bit = self.c.binary_imm(BinaryOp::And, word, 1i64 << arg);
                let is_alone = self.c.icmp_imm(IntCC::Ne, bit, 0);
                self.ok = super::and(self.c, self.ok, is_alone);
            }
        }
    }

    fn number(&mut self, number: i64) -> Value {
        self.c.iconst(Type::I64, number)
    }

    fn require(&mut self, cc: IntCC, a: Value, b: Value) {
        let holds = self.c.icmp(cc, a, b);
        self.ok = super::and(self.c, self.ok, holds);
    }

    fn require_at_most(&mut self, value: Value, most: i64) {
        let most = self.number(most);
        self.require(IntCC::Ule, value, most);
    }

    /// Returns a number of the launch in 64 bits. Adds the condition that the number is at most `MAX_FACTOR`.
    fn factor(&mut self, factor: Factor) -> Value {
        let value = match factor {
            Factor::Argument { arg, offset, is_wide } => {
                let ty = if is_wide { Type::I64 } else { Type::I32 };
                self.c.load_arg(ty, arg, offset)
            }
            Factor::Query(WorkItemQuery::LocalSize, dim) => return self.size(dim, true),
            Factor::Query(query, dim) => self.c.work_item(query, dim),
        };
        let value = self.c.resize(value, Type::I64, true);
        self.require_at_most(value, MAX_FACTOR);
        value
    }

    /// Returns the number of work-items of a work-group, or of the launch, in a dimension.
    fn size(&mut self, dim: u8, in_group: bool) -> Value {
        if !in_group {
            let size = self.c.work_item(WorkItemQuery::GlobalSize, dim);
            self.require_at_most(size, MAX_ID);
            return size;
        }
        match self.kernel.required_local_size {
            Some(size) => self.number(size[usize::from(dim)].into()),
            None => {
                let size = self.c.work_item(WorkItemQuery::LocalSize, dim);
                self.c.convert(ConvertOp::ZExt, size, Type::I64)
            }
        }
    }

    /// Returns the number of the last work-item in the dimension of a term.
    fn last(&mut self, term: &Term, in_group: bool) -> Value {
        let size = self.size(dimension(term), in_group);
        self.c.binary_imm(BinaryOp::ISub, size, 1)
    }

    /// Returns the distance between neighbours in the dimension of a term, in bytes.
    fn stride(&mut self, term: &Term) -> Value {
        let scale = self.number(term.scale);
        match term.by {
            Some(factor) => {
                let factor = self.factor(factor);
                self.c.binary(BinaryOp::IMul, factor, scale)
            }
            None => scale,
        }
    }

    /// Returns the greatest value of a sum.
    fn most(&mut self, sum: &Sum) -> Value {
        let mut most = self.number(sum.constant);
        for term in &sum.terms {
            let stride = self.stride(term);
            let count = match term.symbol {
                Symbol::One => self.number(1),
                Symbol::LocalId(_) => self.last(term, true),
                Symbol::GlobalId(dim) => {
                    let offset = self.c.work_item(WorkItemQuery::GlobalOffset, dim);
                    self.require_at_most(offset, MAX_ID);
                    let last = self.last(term, false);
                    self.c.binary(BinaryOp::IAdd, offset, last)
                }
                Symbol::Counter(_, Most::Constant(most)) => self.number(most),
                Symbol::Counter(_, Most::Below(factor)) => {
                    // If the factor is 0, no iteration is executed; this condition then does not hold.
                    let factor = self.factor(factor);
                    let most = self.c.binary_imm(BinaryOp::ISub, factor, 1);
                    self.require_at_most(most, MAX_FACTOR);
                    most
                }
            };
            let part = self.c.binary(BinaryOp::IMul, stride, count);
            most = self.c.binary(BinaryOp::IAdd, most, part);
        }
        most
    }

    /// Returns the number of bytes of an object from its pointer to its end.
    fn room(&mut self, object: Object, align: i64) -> Value {
        let (arg, is_local) = match object {
            Object::Variable(size) => return self.number(size as i64),
            Object::Argument { arg, is_local } => (arg, is_local),
        };
        let at = (checks::HEADER_BYTES + 16 * arg as usize) as i64;
        let [start, size] = [at, at + 8].map(|at| {
            let place = self.c.ptr_add_const(self.area, at);
            self.c.load(Type::I64, place, 8, MemFlags::INVARIANT)
        });
        if is_local {
            return self.c.binary_imm(BinaryOp::And, size, 0xffff_ffff);
        }
        let pointer = self.c.load_arg(Type::ptr(AddressSpace::Global), arg, 0);
        let address = self.c.convert(ConvertOp::PtrToInt, pointer, Type::I64);
        let lost = self.c.binary_imm(BinaryOp::And, address, align.max(1) - 1);
        let zero = self.number(0);
        self.require(IntCC::Eq, lost, zero);
        let before = self.c.binary(BinaryOp::ISub, address, start);
        self.require(IntCC::Ule, before, size);
        self.c.binary(BinaryOp::ISub, size, before)
    }
}

/// Returns the dimension of the id in a term; 3 if the term has no id.
fn dimension(term: &Term) -> u8 {
    match term.symbol {
        Symbol::LocalId(dim) | Symbol::GlobalId(dim) => dim,
        _ => 3,
    }
}

/// Returns true for an argument whose memory is in the launch's check area.
pub fn is_told(kernel: &KernelEntry, arg: u32) -> bool {
    let kind = kernel.args.get(arg as usize).map(|arg| &arg.kind);
    (arg as usize) < checks::ARGUMENTS
        && matches!(kind, Some(ArgKind::Buffer | ArgKind::Local { .. }))
}
