//! Addresses in work-group and private memory as indices of elements.
//!
//! A byte offset that is computed as `index * size` is not multiplied and divided again, so that drivers see plain array
//! indexing. Constants are added last: accesses at constant distances from each other share the rest of the index.

use crate::ir::*;
use crate::passes::cursor::{rewrite_insts, Cursor};
use smallvec::SmallVec;

/// The most instructions in a chain that are followed back from an address.
const MAX_DEPTH: u32 = 8;

/// Legalizes a function in which every access is to one element. Returns true if anything changed.
pub fn run(func: &mut Function) -> bool {
    rewrite_insts(func, |c, inst| {
        let (ptr, ty) = c.func.access(inst)?;
        if !is_array(c.ty(ptr)) {
            return None;
        }
        let element = element_addr(c, ptr, ty.bytes());
        let mut data = c.func.insts[inst].clone();
        data.map_args(|arg| if arg == ptr { element } else { arg });
        Some(data)
    })
}

/// Returns true for pointers into memory that consists of arrays.
pub fn is_array(ptr: Type) -> bool {
    matches!(ptr.space(), Some(AddressSpace::Local | AddressSpace::Private))
}

/// A number of elements: the sum of a constant part and, possibly, a computed part.
struct Count {
    varying: Option<Value>,
    constant: i32,
    /// The number of summands of the computed part, if each is the quotient of an exact number of 32 bits; otherwise
    /// `None`.
    summands: Option<u32>,
}

impl Count {
    fn constant(constant: i32) -> Count {
        Count { varying: None, constant, summands: Some(0) }
    }

    fn varying(value: Value, is_exact: bool) -> Count {
        Count { varying: Some(value), constant: 0, summands: is_exact.then_some(1) }
    }

    /// Adds a count of elements with the same size in bytes.
    fn plus(self, c: &mut Cursor<'_>, other: Count, bytes: u32) -> Count {
        let summands = self.summands.zip(other.summands).map(|(a, b)| a + b);
        // A sum of at most `bytes` quotients by `bytes` fits in 32 bits, since each dividend does.
        let flags = exact_if(summands.is_some_and(|summands| summands <= bytes));
        let varying = match (self.varying, other.varying) {
            (Some(a), Some(b)) => Some(c.with_flags(flags, |c| c.binary(BinaryOp::IAdd, a, b))),
            (a, b) => a.or(b),
        };
        Count { varying, constant: self.constant.wrapping_add(other.constant), summands }
    }
}

/// Returns NO_SIGNED_WRAP if `is_exact`: the operation is known not to wrap around.
fn exact_if(is_exact: bool) -> OpFlags {
    if is_exact {
        OpFlags::NO_SIGNED_WRAP
    } else {
        OpFlags::empty()
    }
}

/// Returns the address of the element that a pointer points to.
fn element_addr(c: &mut Cursor<'_>, ptr: Value, bytes: u32) -> Value {
    let mut base = ptr;
    let mut counts: SmallVec<[Count; 4]> = SmallVec::new();
    for _ in 0..MAX_DEPTH {
        let Some(&InstData::PtrAdd { ptr, offset, .. }) = c.func.def_inst(base) else { break };
        let Some(count) = divided(c, offset, bytes, MAX_DEPTH) else { break };
        counts.push(count);
        base = ptr;
    }
    // Addresses in one object share the sums of the offsets from its start on, so these are added first.
    let inner_first = counts.into_iter().rev();
    let Count { varying, constant, .. } =
        inner_first.fold(Count::constant(0), |sum, count| sum.plus(c, count, bytes));
    let is_object = matches!(
        c.func.def_inst(base),
        Some(InstData::Alloca { .. } | InstData::GlobalAddr { .. })
    );
    let (index, skipped) = match (varying, is_object) {
        (None, _) => (c.iconst(Type::I32, constant.into()), 0),
        (Some(index), true) => (index, constant),
        (Some(index), false) => (c.binary_imm(BinaryOp::IAdd, index, constant.into()), 0),
    };
    c.element_addr(base, index, skipped, bytes)
}

/// Returns `value / bytes` of an I32 or I64, if its computation shows that it is a multiple. Sums and products of 32 bits
/// count only if they do not wrap around: bits that they lose would be part of the quotients.
fn divided(c: &mut Cursor<'_>, value: Value, bytes: u32, depth: u32) -> Option<Count> {
    if let Some(bits) = c.func.as_const(value) {
        let (offset, bytes) = (bits as u32 as i32, bytes as i32);
        return (offset % bytes == 0).then_some(Count::constant(offset / bytes));
    }
    if bytes == 1 {
        return Some(Count::varying(low_word(c, value), false));
    }
    let depth = depth.checked_sub(1)?;
    let is_wide = c.ty(value) == Type::I64;
    let is_exact = |flags: OpFlags| is_wide || flags.contains(OpFlags::NO_SIGNED_WRAP);
    match *c.func.def_inst(value)? {
        InstData::Binary { op: BinaryOp::IAdd, args: [a, b], flags } if is_exact(flags) => {
            let (a, b) = (divided(c, a, bytes, depth)?, divided(c, b, bytes, depth)?);
            Some(a.plus(c, b, bytes))
        }
        InstData::Binary { op: BinaryOp::Shl, args: [a, by], flags } if is_exact(flags) => {
            let by = c.func.as_const(by).filter(|&by| by < 32)?;
            divided_product(c, a, 1 << by, bytes, !is_wide)
        }
        InstData::Binary { op: BinaryOp::IMul, args: [a, factor], flags } if is_exact(flags) => {
            let factor = c.func.as_const(factor)?;
            divided_product(c, a, factor as u32, bytes, !is_wide)
        }
        InstData::Binary { op: BinaryOp::And, args: [a, mask], .. } => {
            let mask = c.func.as_const(mask)? as u32 as i32;
            if mask % bytes as i32 != 0 {
                return None;
            }
            let word = low_word(c, a);
            let by = bytes.ilog2();
            let shifted = c.binary_imm(BinaryOp::AShr, word, by.into());
            let count = match mask >> by {
                -1 => shifted,
                mask => c.binary_imm(BinaryOp::And, shifted, mask.into()),
            };
            Some(Count::varying(count, !is_wide))
        }
        InstData::Convert { op: ConvertOp::Trunc | ConvertOp::SExt | ConvertOp::ZExt, arg }
            if is_offset(c.ty(arg)) =>
        {
            divided(c, arg, bytes, depth)
        }
        _ => None,
    }
}

/// Returns `value * factor / bytes`. `is_exact`: the product does not wrap around in 32 bits.
fn divided_product(
    c: &mut Cursor<'_>,
    value: Value,
    factor: u32,
    bytes: u32,
    is_exact: bool,
) -> Option<Count> {
    if !factor.is_multiple_of(bytes) {
        return None;
    }
    let word = low_word(c, value);
    let factor = factor / bytes;
    let product = c.with_flags(exact_if(is_exact), |c| match factor.is_power_of_two() {
        true => c.binary_imm(BinaryOp::Shl, word, factor.ilog2().into()),
        false => c.binary_imm(BinaryOp::IMul, word, factor.into()),
    });
    Some(Count::varying(product, is_exact))
}

/// Returns the low word of an I32 or I64.
fn low_word(c: &mut Cursor<'_>, value: Value) -> Value {
    match c.func.def_inst(value) {
        Some(&InstData::Convert { op: ConvertOp::SExt | ConvertOp::ZExt, arg })
            if c.ty(arg) == Type::I32 =>
        {
            arg
        }
        _ => c.resize(value, Type::I32, false),
    }
}

fn is_offset(ty: Type) -> bool {
    matches!(ty, Type::I32 | Type::I64)
}
