//! Selections move to operands: where the arms of a selection are the same operations on the same values but for
//! constants, the operations are done once, on constants that are selected.
//!
//! ```text
//! c ? x >> 24 | y << 8 : x >> 16 | y << 16    becomes    x >> (c ? 24 : 16) | y << (c ? 8 : 16)
//! ```
//!
//! Selections of constants by one condition are few, and common subexpressions of all that is selected so. In a chain of
//! selections by `v == 0`, `v == 1` and so on, the last is of no use if `v` has no other value. Together they make two shifts and a
//! selection of hashcat's `hc_bytealign`, which if-conversion leaves as six shifts and four selections, and of which some of its
//! kernels have thousands.

use super::cursor::{replace_values, Cursor};
use crate::analysis::known_bits::KnownBits;
use crate::ir::sparse_map::SparseMap;
use crate::ir::*;
use smallvec::SmallVec;

/// The most selections of a chain that are looked at.
const MAX_CHAIN: usize = 8;
/// How many operations deep arms are compared.
const MAX_DEPTH: u32 = 3;

/// Returns true if anything changed.
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

/// `conds[0] ? arms[0] : conds[1] ? arms[1] : ... : arms[n]`.
struct Chain {
    conds: SmallVec<[Value; MAX_CHAIN]>,
    /// The values; one more than conditions.
    arms: SmallVec<[Value; MAX_CHAIN]>,
    /// True if selections were left out.
    is_shorter: bool,
}

impl Chain {
    /// Returns the chain that begins with an instruction; `None` if that selects nothing, or other values than integers.
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

    /// Removes what follows the comparison with the last value that is possible, if all compare one value.
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

    /// Returns true if building it anew takes fewer operations.
    fn is_improved(&self, func: &Function, uses: &SparseMap<Value, u32>) -> bool {
        self.is_shorter || self.arms.windows(2).any(|pair| are_alike(func, uses, pair[0], pair[1]))
    }

    /// Builds it anew: of neighbours that are alike becomes one, which is selected if any of them was.
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

/// Returns what a condition compares, if it asks whether an integer is one of some constants: those below 64, as bits.
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

/// Returns true for a constant, and for one that conditions select.
fn is_selected_constant(func: &Function, value: Value, depth: u32) -> bool {
    let is_constant = |value: Value| {
        depth.checked_sub(1).is_some_and(|depth| is_selected_constant(func, value, depth))
    };
    func.as_const(value).is_some()
        || matches!(func.def_inst(value), Some(&InstData::Select { args: [_, a, b] })
            if is_constant(a) && is_constant(b))
}

/// The operands of two operations that may become one.
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

/// Returns true if two values are the same operations, used here alone, on the same values but for constants.
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

/// Returns `cond ? a : b` of two values that are alike; constants of `b` may be selected ones.
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
