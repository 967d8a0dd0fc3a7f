//! Selections move to operands: if the arms of a selection are the same operations on the same values except for constants,
//! the operations are done once, on selected constants.
//!
//! ```text
//! c ? x >> 24 | y << 8 : x >> 16 | y << 16    becomes    x >> (c ? 24 : 16) | y << (c ? 8 : 16)
//! ```
//!
//! Selections of constants by one condition are few, and are common subexpressions if the condition selects several
//! values. In a chain of selections by `v == 0`, `v == 1` and so on, the last test is not needed if `v` has no other value.
//! Together these rules reduce hashcat's `hc_bytealign` to two shifts and a selection. If-conversion leaves it as six shifts
//! and four selections, and some of hashcat's kernels contain thousands of it.

use super::cursor::{replace_values, Cursor};
use crate::analysis::known_bits::KnownBits;
use crate::ir::sparse_map::SparseMap;
use crate::ir::*;
use smallvec::SmallVec;

/// The most selections of a chain that are analysed.
const MAX_CHAIN: usize = 8;
/// The depth to which the operations of arms are compared.
const MAX_DEPTH: u32 = 3;

/// Moves selections of a function to operands. Returns true if anything changed.
pub fn run(func: &mut Function, kernel: Option<&KernelEntry>) -> bool {
    let uses = count_uses(func);
    replace_values(func, |c, inst| {
        let chain = Chain::of(c.func, inst)?.without_impossible(c.func, kernel);
        chain.is_improved(c.func, &uses).then(|| chain.build(c, &uses))
    })
}

fn count_uses(func: &Function) -> SparseMap<Value, u32> {
    let mut uses: SparseMap<Value, u32> = SparseMap::new();
    for inst in func.layout_insts() {
        func.insts[inst].for_each_arg(|arg| uses[arg] += 1);
    }
    uses
}

/// A chain of selections: `conds[0] ? arms[0] : conds[1] ? arms[1] : ... : arms[n]`.
struct Chain {
    conds: SmallVec<[Value; MAX_CHAIN]>,
    /// The selected values, one more than conditions.
    arms: SmallVec<[Value; MAX_CHAIN]>,
    /// True if impossible selections were removed.
    is_shorter: bool,
}

impl Chain {
    /// Returns the chain that begins with an instruction; `None` if the instruction is not a selection, or selects other
    /// values than integers.
    fn of(func: &Function, inst: Inst) -> Option<Chain> {
        let ty = func.ty(func.result(inst)?);
        if ty.lanes != 1 || !ty.scalar.is_int() {
            return None;
        }
        let mut chain = Chain { conds: SmallVec::new(), arms: SmallVec::new(), is_shorter: false };
        let mut next = Some(&func.insts[inst]);
        let mut last = None;
        while let Some(&InstData::Select { args: [cond, then, otherwise] }) = next {
            chain.conds.push(cond);
            chain.arms.push(then);
            last = Some(otherwise);
            next = func.def_inst(otherwise).filter(|_| chain.conds.len() < MAX_CHAIN);
        }
        chain.arms.push(last?);
        Some(chain)
    }

    /// If all conditions compare one value, removes the selections behind the comparison with its last possible value.
    fn without_impossible(mut self, func: &Function, kernel: Option<&KernelEntry>) -> Chain {
        let Some((first, _)) = compared(func, self.conds[0], MAX_DEPTH) else { return self };
        let most = KnownBits::new(func, kernel).max(first);
        if most >= MAX_CHAIN as u64 {
            return self;
        }
        let (all, mut seen) = ((2u64 << most) - 1, 0u64);
        for (index, &cond) in self.conds.iter().enumerate() {
            match compared(func, cond, MAX_DEPTH) {
                Some((value, constants)) if value == first => seen |= constants,
                _ => return self,
            }
            if seen & all == all {
                self.conds.truncate(index);
                self.arms.truncate(index + 1);
                self.is_shorter = true;
                return self;
            }
        }
        self
    }

    /// Returns true if rebuilding the chain takes fewer operations.
    fn is_improved(&self, func: &Function, uses: &SparseMap<Value, u32>) -> bool {
        self.is_shorter || self.arms.windows(2).any(|pair| are_alike(func, uses, pair[0], pair[1]))
    }

    /// Rebuilds the chain. Neighbouring arms that are alike become one arm, which is selected if any of them would be.
    fn build(&self, c: &mut Cursor<'_>, uses: &SparseMap<Value, u32>) -> Value {
        let mut selected = None;
        let mut end = self.conds.len();
        loop {
            let mut start = end;
            let mut one = self.arms[end];
            let mut any = self.conds.get(end).copied();
            while start > 0 && are_alike(c.func, uses, self.arms[start - 1], self.arms[start]) {
                start -= 1;
                one = merged(c, self.conds[start], self.arms[start], one);
                any = any.map(|any| c.binary(BinaryOp::Or, self.conds[start], any));
            }
            let all = match (any, selected) {
                (Some(any), Some(others)) => c.select(any, one, others),
                _ => one,
            };
            let Some(before) = start.checked_sub(1) else { return all };
            (selected, end) = (Some(all), before);
        }
    }
}

/// Returns the compared value, if a condition tests whether an integer is one of some constants, and a mask with a bit
/// for each of the constants below 64.
fn compared(func: &Function, cond: Value, depth: u32) -> Option<(Value, u64)> {
    let depth = depth.checked_sub(1)?;
    match *func.def_inst(cond)? {
        InstData::ICmp { cc: IntCC::Eq, args: [value, k] } => {
            let k = func.as_const(k)?;
            Some((value, if k < 64 { 1 << k } else { 0 }))
        }
        InstData::Binary { op: BinaryOp::Or, args: [a, b], .. } => {
            let ((value, k), (other, l)) = (compared(func, a, depth)?, compared(func, b, depth)?);
            (value == other).then_some((value, k | l))
        }
        _ => None,
    }
}

/// Returns true for a constant, and for a selection between constants.
fn is_selected_constant(func: &Function, value: Value, depth: u32) -> bool {
    let is_constant = |value: Value| {
        depth.checked_sub(1).is_some_and(|depth| is_selected_constant(func, value, depth))
    };
    func.as_const(value).is_some()
        || matches!(func.def_inst(value), Some(&InstData::Select { args: [_, a, b] })
            if is_constant(a) && is_constant(b))
}

/// Returns the operation and the operands of two values that may become one operation.
fn operands(func: &Function, a: Value, b: Value) -> Option<(BinaryOp, [Value; 2], [Value; 2])> {
    use BinaryOp::*;
    let (Some(a), Some(b)) = (func.def_inst(a), func.def_inst(b)) else { return None };
    match (a, b) {
        (
            &InstData::Binary {
                op: op @ (IAdd | ISub | And | Or | Xor | Shl | LShr | AShr),
                args,
                ..
            },
            &InstData::Binary { op: other, args: others, .. },
        ) if op == other => Some((op, args, others)),
        _ => None,
    }
}

/// Returns true if two values are the same operations on the same values except for constants. The operations may have
/// no other uses.
fn are_alike(func: &Function, uses: &SparseMap<Value, u32>, a: Value, b: Value) -> bool {
    fn are_alike_within(
        func: &Function,
        uses: &SparseMap<Value, u32>,
        [a, b]: [Value; 2],
        depth: u32,
    ) -> bool {
        if a == b {
            return true;
        }
        if [a, b].iter().all(|&value| is_selected_constant(func, value, MAX_DEPTH)) {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let Some((_, args, others)) = operands(func, a, b) else { return false };
        let are_used_here = [a, b].iter().all(|&value| uses[value] == 1);
        let of = |i: usize| are_alike_within(func, uses, [args[i], others[i]], depth);
        are_used_here && of(0) && of(1)
    }
    operands(func, a, b).is_some() && are_alike_within(func, uses, [a, b], MAX_DEPTH)
}

/// Returns `cond ? a : b` for two values that are alike. Constants of `b` may be selections between constants.
fn merged(c: &mut Cursor<'_>, cond: Value, a: Value, b: Value) -> Value {
    if a == b {
        return a;
    }
    match operands(c.func, a, b) {
        Some((op, args, others)) => {
            let [x, y] = [0, 1].map(|i| merged(c, cond, args[i], others[i]));
            c.binary(op, x, y)
        }
        None => c.select(cond, a, b),
    }
}
