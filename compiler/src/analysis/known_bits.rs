//! Known bits: the greatest possible value of an integer, and the power of two that an integer or address is a multiple
//! of.

use crate::ir::*;
use crate::target::{Subgroups, MAX_WORK_GROUP_SIZE};
use std::ops::RangeInclusive;

/// The most instructions in a chain that are followed to compute a value.
const MAX_DEPTH: u32 = 6;
/// The greatest alignment that is returned, in bytes.
const MAX_ALIGN: i64 = 64;

/// Known bits of the values of a function. `kernel` is given if the function is a kernel's entry.
pub struct KnownBits<'a> {
    func: &'a Function,
    kernel: Option<&'a KernelEntry>,
}

impl<'a> KnownBits<'a> {
    pub fn new(func: &'a Function, kernel: Option<&'a KernelEntry>) -> KnownBits<'a> {
        KnownBits { func, kernel }
    }

    /// Returns the alignment of an address in bytes, at least 1.
    pub fn alignment(&self, ptr: Value) -> i64 {
        self.alignment_within(ptr, MAX_DEPTH).min(MAX_ALIGN)
    }

    /// Like [`KnownBits::alignment`]. `variable` returns the alignment of some addresses from which other addresses are
    /// computed.
    pub fn alignment_from(&self, ptr: Value, variable: impl Fn(Value) -> Option<i64>) -> i64 {
        let (mut base, mut zeros) = (ptr, 16);
        while let Some(&InstData::PtrAdd { ptr, offset, .. }) = self.func.def_inst(base) {
            zeros = self.trailing_zeros(offset).min(zeros);
            base = ptr;
        }
        match variable(base) {
            Some(align) => align.min(1 << zeros),
            None => self.alignment(ptr),
        }
    }

    fn alignment_within(&self, ptr: Value, depth: u32) -> i64 {
        let Some(depth) = depth.checked_sub(1) else { return 1 };
        match self.func.def_inst(ptr) {
            Some(&InstData::Alloca { align, .. }) => i64::from(align),
            Some(&InstData::LoadArg { arg, .. }) => self.argument_alignment(arg),
            Some(&InstData::PtrAdd { ptr, offset, .. }) => {
                let zeros = self.trailing_zeros_within(offset, depth).min(16);
                self.alignment_within(ptr, depth).min(1 << zeros)
            }
            _ => 1,
        }
    }

    /// Returns the alignment that the type of a kernel's argument demands, in bytes.
    fn argument_alignment(&self, arg: u32) -> i64 {
        let alignments = self.kernel.map_or(&[][..], |kernel| &kernel.pointee_alignments);
        i64::from(alignments.get(arg as usize).copied().unwrap_or(0)).max(1)
    }

    /// Returns the number of low bits of an integer that are zero; 64 if all bits are.
    pub fn trailing_zeros(&self, value: Value) -> u32 {
        self.trailing_zeros_within(value, MAX_DEPTH)
    }

    fn trailing_zeros_within(&self, value: Value, depth: u32) -> u32 {
        if let Some(bits) = self.func.as_const(value) {
            return bits.trailing_zeros();
        }
        let Some(depth) = depth.checked_sub(1) else { return 0 };
        let zeros = |value: Value| self.trailing_zeros_within(value, depth);
        match self.func.def_inst(value) {
            Some(&InstData::Binary { op, args: [a, b], .. }) => match op {
                BinaryOp::IAdd | BinaryOp::ISub | BinaryOp::Or | BinaryOp::Xor => {
                    zeros(a).min(zeros(b))
                }
                BinaryOp::IMul => (zeros(a) + zeros(b)).min(64),
                BinaryOp::And => zeros(a).max(zeros(b)),
                BinaryOp::Shl => {
                    let by = self.func.as_const(b).unwrap_or(0);
                    (zeros(a) + by as u32).min(64)
                }
                _ => 0,
            },
            Some(&InstData::Convert {
                op: ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc,
                arg,
            }) if self.func.ty(arg).scalar != Scalar::Bool => zeros(arg),
            _ => 0,
        }
    }

    /// Returns the greatest unsigned value that an integer may have.
    pub fn max(&self, value: Value) -> u64 {
        self.max_within(value, MAX_DEPTH)
    }

    fn max_within(&self, value: Value, depth: u32) -> u64 {
        let ones = |ty: Type| u64::MAX >> (64 - ty.scalar.bits().clamp(1, 64));
        let all = ones(self.func.ty(value));
        if let Some(bits) = self.func.as_const(value) {
            return bits;
        }
        let Some(depth) = depth.checked_sub(1) else { return all };
        let max = |value: Value| self.max_within(value, depth);
        match self.func.def_inst(value) {
            Some(&InstData::Binary { op, args: [a, b], .. }) => match op {
                BinaryOp::IAdd => max(a).checked_add(max(b)).filter(|&sum| sum <= all),
                BinaryOp::IMul => max(a).checked_mul(max(b)).filter(|&product| product <= all),
                BinaryOp::And | BinaryOp::UMin => Some(max(a).min(max(b))),
                BinaryOp::UMax => Some(max(a).max(max(b))),
                BinaryOp::Or | BinaryOp::Xor => {
                    Some(u64::MAX.checked_shr((max(a) | max(b)).leading_zeros()).unwrap_or(0))
                }
                BinaryOp::Shl => {
                    let by = self.func.as_const(b).filter(|&by| by < 64);
                    by.and_then(|by| max(a).checked_mul(1 << by)).filter(|&shifted| shifted <= all)
                }
                BinaryOp::UDiv => Some(max(a) / self.func.as_const(b).unwrap_or(1).max(1)),
                BinaryOp::URem => Some(max(a).min(max(b))),
                BinaryOp::LShr => self.func.as_const(b).map(|by| max(a) >> by.min(63)),
                _ => None,
            },
            Some(&InstData::Convert { op: ConvertOp::ZExt, arg }) => Some(max(arg)),
            Some(&InstData::Convert { op: ConvertOp::Trunc, arg }) => {
                Some(max(arg)).filter(|&max| max <= all)
            }
            Some(&InstData::Select { args: [_, a, b] }) => Some(max(a).max(max(b))),
            Some(&InstData::Convert { op: ConvertOp::FToS | ConvertOp::FToU, .. }) => {
                let range = self.range_within(value, depth);
                range.filter(|range| *range.start() >= 0).map(|range| *range.end() as u64)
            }
            Some(&InstData::WorkItem { query, dim }) => self.max_of_query(query, dim),
            _ => None,
        }
        .unwrap_or(all)
    }

    /// Returns the greatest value of a work-item query, if the value has a bound.
    fn max_of_query(&self, query: WorkItemQuery, dim: u8) -> Option<u64> {
        use WorkItemQuery::*;
        let local_size = || {
            let required = self.kernel.and_then(|kernel| kernel.required_local_size);
            u64::from(required.map_or(MAX_WORK_GROUP_SIZE, |size| size[usize::from(dim)]))
        };
        match query {
            LocalId => Some(local_size().saturating_sub(1)),
            LocalSize | EnqueuedLocalSize => Some(local_size()),
            WorkDim => Some(3),
            SubgroupInvocation => Some(u64::from(Subgroups::MAX_SIZE) - 1),
            SubgroupMaxSize | SubgroupSize => Some(u64::from(Subgroups::MAX_SIZE)),
            SubgroupId | NumSubgroups | EnqueuedNumSubgroups => {
                Some(u64::from(MAX_WORK_GROUP_SIZE))
            }
            _ => None,
        }
    }

    /// Returns the range of a signed integer, if it is known to be smaller than the range of the type. It is known for
    /// a float between two constants that is converted to an integer, as saturating conversions do.
    pub fn range(&self, value: Value) -> Option<RangeInclusive<i64>> {
        self.range_within(value, MAX_DEPTH)
    }

    fn range_within(&self, value: Value, depth: u32) -> Option<RangeInclusive<i64>> {
        if let Some(constant) = self.func.as_signed_const(value) {
            return Some(constant..=constant);
        }
        let depth = depth.checked_sub(1)?;
        match *self.func.def_inst(value)? {
            InstData::Convert { op: ConvertOp::FToS | ConvertOp::FToU, arg } => {
                let (arg, high) = self.bounded(arg, BinaryOp::FMin)?;
                let (_, low) = self.bounded(arg, BinaryOp::FMax)?;
                (low.abs() < 1e15 && high.abs() < 1e15).then_some(low as i64..=high as i64)
            }
            InstData::Select { args: [_, a, b] } => {
                let (a, b) = (self.range_within(a, depth)?, self.range_within(b, depth)?);
                Some(*a.start().min(b.start())..=*a.end().max(b.end()))
            }
            _ => None,
        }
    }

    /// Splits a minimum or maximum with a constant into the other operand and the constant.
    fn bounded(&self, value: Value, bound: BinaryOp) -> Option<(Value, f64)> {
        let &InstData::Binary { op, args: [a, b], .. } = self.func.def_inst(value)? else {
            return None;
        };
        let bits = self.func.as_const(b).filter(|_| op == bound)?;
        Some(match self.func.ty(b).scalar {
            Scalar::F32 => (a, f64::from(f32::from_bits(bits as u32))),
            Scalar::F64 => (a, f64::from_bits(bits)),
            _ => return None,
        })
    }
}
