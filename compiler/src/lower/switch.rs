//! The switch statement: its table, and comparisons for wide ranges of case values.

use super::function::{JumpTargets, Lowering, SwitchLabels};
use crate::ir::{BinaryOp, Block, BlockCall, IntCC, SwitchCase, Value};
use crate::sema::hir::{Case, Expr, Stmt};

/// Ranges up to this many values become single cases.
const EXPANDED_RANGE: u64 = 32;

impl Lowering<'_, '_> {
    pub fn switch_stmt(&mut self, value: &Expr, cases: &[Case], has_default: bool, body: &[Stmt]) {
        let value = self.value(value);
        let bits = self.b.ty(value).scalar.bits();
        let cases = &in_width(cases, bits);
        let after = self.b.new_block();
        let blocks: Vec<Block> = cases.iter().map(|_| self.b.new_block()).collect();
        let default = if has_default { self.b.new_block() } else { after };
        let first_test = self.dispatch(value, cases, &blocks, default);
        self.test_ranges(first_test, value, cases, &blocks, default);

        let before_labels = self.b.new_block();
        self.b.switch_to(before_labels);
        self.switches.push(SwitchLabels { cases: blocks, default });
        self.jump_targets.push(JumpTargets { on_break: after, on_continue: None });
        self.stmts(body);
        self.jump_targets.pop();
        self.switches.pop();
        self.fall_into(after);
    }

    /// Ends the block with the switch over single values; returns the block where the tests of wide
    /// ranges go, if there are any.
    fn dispatch(
        &mut self,
        value: Value,
        cases: &[Case],
        blocks: &[Block],
        default: Block,
    ) -> Option<Block> {
        let mut table = Vec::new();
        let mask = u64::MAX >> (64 - self.b.ty(value).scalar.bits().clamp(1, 64));
        for (case, &block) in cases.iter().zip(blocks) {
            if let Some(count) = narrow(case) {
                for i in 0..=count {
                    let value = case.low.wrapping_add(i) & mask;
                    table.push(SwitchCase { value, target: BlockCall::new(block) });
                }
            }
        }
        let ranges = cases.iter().any(|case| narrow(case).is_none());
        let tests = ranges.then(|| self.b.new_block());
        let otherwise = tests.unwrap_or(default);
        if table.is_empty() {
            self.b.jump(otherwise, &[]);
        } else {
            self.b.switch(value, table, otherwise);
        }
        tests
    }

    /// Emits one comparison per wide range: `value - low <= high - low`, unsigned.
    fn test_ranges(
        &mut self,
        start: Option<Block>,
        value: Value,
        cases: &[Case],
        blocks: &[Block],
        default: Block,
    ) {
        let Some(start) = start else { return };
        self.b.switch_to(start);
        let ty = self.b.ty(value);
        for (case, &block) in cases.iter().zip(blocks) {
            if narrow(case).is_some() {
                continue;
            }
            let low = self.b.iconst(ty, case.low as i64);
            let width = self.b.iconst(ty, case.high.wrapping_sub(case.low) as i64);
            let distance = self.b.binary(BinaryOp::ISub, value, low);
            let inside = self.b.icmp(IntCC::Ule, distance, width);
            let next = self.b.new_block();
            self.b.brif(inside, block, next);
            self.b.switch_to(next);
        }
        self.b.jump(default, &[]);
    }
}

/// Returns the cases with their lower bounds truncated to a number of bits. The upper bound becomes the lower bound plus
/// the length, so that a range from negative to positive values stays one range.
fn in_width(cases: &[Case], bits: u32) -> Vec<Case> {
    let mask = u64::MAX >> (64 - bits.clamp(1, 64));
    let count = |case: &Case| case.high.wrapping_sub(case.low) & mask;
    let low = |case: &Case| case.low & mask;
    cases
        .iter()
        .map(|case| Case { low: low(case), high: low(case).wrapping_add(count(case)) })
        .collect()
}

/// Returns the number of values behind the first one if a range is short enough to become single cases.
fn narrow(case: &Case) -> Option<u64> {
    let count = case.high.wrapping_sub(case.low);
    (count < EXPANDED_RANGE).then_some(count)
}
