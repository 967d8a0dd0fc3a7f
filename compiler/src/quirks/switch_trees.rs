//! Switches for drivers that compile a switch to one comparison per case, one behind the other
//! ([`Quirks::SEQUENTIAL_SWITCHES`]): they are replaced by trees of comparisons.
//!
//! Mesa's drivers turn a switch with a phi behind it into `if (v == 0) { r = a; } if (v == 1) { r = b; } ...`, as the output
//! of spirv_to_nir of Mesa 26.2 shows. Before the first comparison r has no value, and none of the tests shows that it gets
//! one. So in a loop the r of the previous iteration stays alive, in a register. hashcat's switches have 32 such phis for each
//! of 32 cases: its kernel m01710 took 144,000 instructions and spilled 10,961 registers on RADV (navi31), and now takes
//! 114,000 and spills none.
//!
//! A switch becomes one test for its default and a binary search among its cases or, if the cases are far apart, a chain of
//! tests. Switches with cases that fall through to others do not change: SPIR-V has no branch for that.
//!
//! [`Quirks::SEQUENTIAL_SWITCHES`]: hekla_device::Quirks::SEQUENTIAL_SWITCHES

use crate::ir::cfg::Cfg;
use crate::ir::*;

/// The most cases of a switch that becomes a chain. The chain is as deep as the number of cases.
const MAX_CHAIN: usize = 16;
/// The most cases of a switch that becomes a tree.
const MAX_TREE: usize = 256;

/// Consecutive cases with one target.
struct Range<'a> {
    first: u64,
    last: u64,
    target: &'a BlockCall,
}

/// Replaces switches. Returns true if there were any.
pub fn run(func: &mut Function) -> bool {
    let cfg = Cfg::compute(func);
    let mut changed = false;
    for block in func.layout.clone() {
        let Some(&last) = func.blocks[block].insts.last() else { continue };
        let InstData::Switch { value, cases, default } = func.insts[last].clone() else { continue };
        let Some(join) = join(&cfg, block, &cases, &default) else { continue };
        let Some(ranges) = ranges(&cases, &default, join) else { continue };
        let holes = Holes::of(&ranges);
        if matches!(holes, Holes::Many) && ranges.len() > MAX_CHAIN {
            continue;
        }
        func.blocks[block].insts.pop();
        let mut b = Builder::new(func);
        b.switch_to(block);
        match holes {
            Holes::Many => chain(&mut b, value, &ranges, default),
            _ if ranges.is_empty() => b.jump(default.block, &default.args),
            _ => {
                let is_default = holes.is_hole(&mut b, value, &ranges);
                let tree = b.new_block();
                let to_default = (default.block, &default.args[..]);
                b.brif_with(is_default, to_default, (tree, &[]));
                b.switch_to(tree);
                search(&mut b, value, &ranges);
            }
        }
        changed = true;
    }
    changed
}

/// Returns the target of the switch at the end of a block that has other predecessors, too, if there is one: the block where
/// all cases join, or the target to which another one falls through. `None` if there are several such targets, or too many
/// cases.
fn join(
    cfg: &Cfg,
    block: Block,
    cases: &[SwitchCase],
    default: &BlockCall,
) -> Option<Option<Block>> {
    let targets = cases.iter().map(|case| case.target.block).chain([default.block]);
    let is_entered = |target: &Block| cfg.preds(*target).iter().any(|&pred| pred != block);
    let mut entered = targets.filter(is_entered);
    let first = entered.next();
    let is_one = entered.all(|other| Some(other) == first);
    (is_one && cases.len() <= MAX_TREE).then_some(first)
}

/// Returns the cases in order, with consecutive cases of one target as one range; `None` if other cases share a target that
/// is not `join`.
fn ranges<'a>(
    cases: &'a [SwitchCase],
    default: &BlockCall,
    join: Option<Block>,
) -> Option<Vec<Range<'a>>> {
    // Cases with the target of the default need no comparison.
    let mut cases: Vec<_> = cases.iter().filter(|case| case.target != *default).collect();
    cases.sort_by_key(|case| case.value);
    let mut ranges: Vec<Range<'a>> = Vec::new();
    for case in cases {
        match ranges.last_mut() {
            Some(range)
                if range.last.checked_add(1) == Some(case.value)
                    && *range.target == case.target =>
            {
                range.last = case.value;
            }
            _ => ranges.push(Range { first: case.value, last: case.value, target: &case.target }),
        }
    }
    let mut blocks: Vec<Block> = ranges.iter().map(|range| range.target.block).collect();
    blocks.retain(|&block| Some(block) != join);
    blocks.sort_unstable();
    let is_shared = blocks.windows(2).any(|pair| pair[0] == pair[1]);
    (!is_shared).then_some(ranges)
}

/// The numbers between the first case and the last case that are not cases.
enum Holes {
    None,
    /// There are at most 32 numbers. The mask has a bit for each number that is a case: bit 0 is that of the first
    /// case.
    Mask(u32),
    Many,
}

impl Holes {
    fn of(ranges: &[Range<'_>]) -> Holes {
        let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else { return Holes::None };
        if ranges.windows(2).all(|pair| pair[0].last + 1 == pair[1].first) {
            return Holes::None;
        }
        if last.last - first.first >= 32 {
            return Holes::Many;
        }
        let bits = ranges.iter().flat_map(|range| range.first..=range.last);
        Holes::Mask(bits.fold(0, |mask, value| mask | 1 << (value - first.first)))
    }

    /// Computes whether a number is not a case.
    fn is_hole(&self, b: &mut Builder<'_>, value: Value, ranges: &[Range<'_>]) -> Value {
        let (first, last) = (ranges[0].first, ranges[ranges.len() - 1].last);
        let from_first = minus(b, value, first);
        let is_outside = b.icmp_imm(IntCC::Ugt, from_first, (last - first) as i64);
        let Holes::Mask(mask) = *self else { return is_outside };
        // For numbers beyond the width of the mask, the mask is not needed, and the low bits of the number select any
        // bit.
        let ty = Type::I32;
        let by = b.resize(from_first, ty, false);
        let by = b.binary_imm(BinaryOp::And, by, 31);
        let mask = b.iconst(ty, i64::from(mask));
        let shifted = b.binary(BinaryOp::LShr, mask, by);
        let bit = b.binary_imm(BinaryOp::And, shifted, 1);
        let is_none = b.icmp_imm(IntCC::Eq, bit, 0);
        b.binary(BinaryOp::Or, is_outside, is_none)
    }
}

/// Returns the difference between a number and a lower one.
fn minus(b: &mut Builder<'_>, value: Value, other: u64) -> Value {
    match other {
        0 => value,
        other => b.binary_imm(BinaryOp::ISub, value, other as i64),
    }
}

/// Ends the current block with a binary search for a number that is one of the cases.
fn search(b: &mut Builder<'_>, value: Value, ranges: &[Range<'_>]) {
    let (below, above) = ranges.split_at(ranges.len() / 2);
    if below.is_empty() {
        let target = above[0].target;
        return b.jump(target.block, &target.args);
    }
    let is_below = b.icmp_imm(IntCC::Ult, value, above[0].first as i64);
    let [then, otherwise] = [b.new_block(), b.new_block()];
    b.brif_with(is_below, (then, &[]), (otherwise, &[]));
    b.switch_to(then);
    search(b, value, below);
    b.switch_to(otherwise);
    search(b, value, above);
}

/// Ends the current block with a chain of tests, one for each target.
fn chain(b: &mut Builder<'_>, value: Value, ranges: &[Range<'_>], default: BlockCall) {
    for range in ranges {
        let is_here = match range.last - range.first {
            0 => b.icmp_imm(IntCC::Eq, value, range.first as i64),
            more => {
                let from_first = minus(b, value, range.first);
                b.icmp_imm(IntCC::Ule, from_first, more as i64)
            }
        };
        let next = b.new_block();
        let target = range.target;
        b.brif_with(is_here, (target.block, &target.args), (next, &[]));
        b.switch_to(next);
    }
    b.jump(default.block, &default.args);
}
