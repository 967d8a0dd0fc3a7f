//! The bits of a word that a value consists of.

use crate::ir::*;

/// Longest chain of instructions that is followed.
const DEPTH: u32 = 8;

/// The bits that an integer consists of: `width` bits of a word, from its bit `low` on. They are at bit `at` of the
/// integer and higher. Bits below them are zero; bits above them are zero, or copies of the highest if `signed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// An integer, or a vector of integers of at most 64 bits, whose first lane is the lowest.
    pub word: Value,
    pub low: u32,
    pub width: u32,
    pub at: u32,
    /// True if the bits above are copies of the highest. False if there are none above.
    pub signed: bool,
}

impl Field {
    /// Returns the bits that a value consists of. Any integer consists at least of all bits of itself. `None` for
    /// values that are not scalar integers.
    pub fn of(func: &Function, value: Value) -> Option<Field> {
        let ty = func.ty(value);
        (is_int(ty) && ty.lanes == 1).then(|| trace(func, value, DEPTH))
    }

    /// Returns the first bit above the field in the integer.
    pub fn end(&self) -> u32 {
        self.at + self.width
    }

    /// Returns true if the value is one byte of a word, extended with zeros or with its sign.
    pub fn is_byte(&self) -> bool {
        (self.at, self.width) == (0, 8) && self.low.is_multiple_of(8)
    }

    fn truncated(self, bits: u32) -> Option<Field> {
        if self.end() < bits {
            return Some(self);
        }
        let width = bits.checked_sub(self.at).filter(|&width| width > 0)?;
        Some(Field { width, signed: false, ..self })
    }

    fn extended(self, from: u32, signed: bool) -> Option<Field> {
        if self.end() == from {
            return Some(Field { signed, ..self });
        }
        (signed || !self.signed).then_some(self)
    }

    fn shifted_left(self, by: u32, bits: u32) -> Option<Field> {
        Field { at: self.at.checked_add(by)?, ..self }.truncated(bits)
    }

    fn shifted_right(self, by: u32, bits: u32, arithmetic: bool) -> Option<Field> {
        let fills = self.end() == bits || self.signed;
        if !arithmetic && self.signed && by > 0 {
            // The field would be extended with copies of its sign and zeros above them.
            return None;
        }
        let lost = by.saturating_sub(self.at);
        let width = self.width.checked_sub(lost).filter(|&width| width > 0)?;
        let signed = if by > 0 { arithmetic && fills } else { self.signed };
        Some(Field {
            word: self.word,
            low: self.low + lost,
            width,
            at: self.at.saturating_sub(by),
            signed,
        })
    }

    fn masked(self, mask: u64) -> Option<Field> {
        let first = mask.trailing_zeros();
        let ones = (mask >> first.min(63)).trailing_ones();
        let is_run = mask != 0 && mask.count_ones() == ones;
        let (at, end) = (self.at.max(first), self.end().min(first + ones));
        if !is_run || at >= end || (self.signed && first + ones > self.end()) {
            return None;
        }
        let low = self.low + at - self.at;
        Some(Field { word: self.word, low, width: end - at, at, signed: false })
    }
}

/// Returns true for the types of words: integers and vectors of integers, of 8 to 64 bits in total.
fn is_int(ty: Type) -> bool {
    ty.scalar.is_int() && ty.scalar.bits() >= 8 && ty.bits() <= 64
}

fn trace(func: &Function, value: Value, depth: u32) -> Field {
    let bits = func.ty(value).bits();
    let whole = Field { word: value, low: 0, width: bits, at: 0, signed: false };
    if depth == 0 {
        return whole;
    }
    let of = |arg: Value| (is_int(func.ty(arg))).then(|| trace(func, arg, depth - 1));
    let found = match func.def_inst(value) {
        Some(&InstData::Convert { op, arg }) => of(arg).and_then(|field| match op {
            ConvertOp::Trunc => field.truncated(bits),
            ConvertOp::ZExt => field.extended(func.ty(arg).bits(), false),
            ConvertOp::SExt => field.extended(func.ty(arg).bits(), true),
            _ => None,
        }),
        Some(&InstData::Binary { op, args: [arg, by], .. }) => {
            let by = func.as_const(by);
            by.zip(of(arg)).and_then(|(by, field)| {
                let shift = u32::try_from(by).ok().filter(|&shift| shift < bits);
                match op {
                    BinaryOp::Shl => field.shifted_left(shift?, bits),
                    BinaryOp::LShr => field.shifted_right(shift?, bits, false),
                    BinaryOp::AShr => field.shifted_right(shift?, bits, true),
                    BinaryOp::And => field.masked(by),
                    _ => None,
                }
            })
        }
        Some(&InstData::Extract { arg, lane }) if is_int(func.ty(arg)) => {
            Some(Field { word: arg, low: u32::from(lane) * bits, ..whole })
        }
        _ => None,
    };
    found.unwrap_or(whole)
}
