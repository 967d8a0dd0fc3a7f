//! The return statement; and returns from within loops, where work-items act on their sub-group.
//!
//! In the graph of control flow a block that returns lies outside of the loops around it, so work-items that return in
//! different rounds would do together what stands before the `return`. Where a program has functions of sub-groups, such a
//! return leaves each loop as `break` does ([`Lowering::close_breaks`]), and is done behind the outermost one.

use super::function::Lowering;
use crate::ir::{Addr, Block, IntCC, Type, Value};
use crate::sema::hir::Expr;

/// What a work-item that leaves loops to return carries along.
#[derive(Clone, Copy)]
pub struct PendingReturn {
    /// An I32 that is not 0 once it returns.
    flag: Addr,
    /// The result.
    value: Option<Addr>,
    /// Returns from within loops that were lowered so far.
    count: usize,
}

impl Lowering<'_, '_> {
    /// Makes the memory of pending returns, at the beginning of a function whose program uses sub-groups.
    pub fn prepare_returns(&mut self) {
        if !self.hir.uses_subgroups {
            return;
        }
        let flag = self.b.private_memory(4, 4);
        let zero = self.b.iconst(Type::I32, 0);
        self.b.write(flag, zero);
        let value = self.b.func.ret().map(|ty| {
            let bytes = ty.in_memory().bytes().next_power_of_two();
            self.b.private_memory(u64::from(bytes), bytes)
        });
        self.pending_return = Some(PendingReturn { flag, value, count: 0 });
    }

    pub fn return_stmt(&mut self, value: Option<&Expr>) {
        let value = value.and_then(|value| match self.result {
            Some(result) if self.is_record(value.ty) => {
                let from = self.record(value);
                self.copy_object(value.ty, result, from);
                None
            }
            _ => self.any(value),
        });
        if !self.b.is_terminated() {
            // A function with a result that returns none (after an error) returns anything.
            let value = self.b.func.ret().map(|ty| match value {
                Some(value) if self.b.ty(value) == ty => value,
                _ => self.b.undef(ty),
            });
            self.return_value(value);
        }
        let rest = self.b.new_block();
        self.b.switch_to(rest);
    }

    /// Returns, at once or by way of the end of the loop around.
    fn return_value(&mut self, value: Option<Value>) {
        let (Some(pending), Some(target)) = (self.pending_return, self.loop_exit()) else {
            return self.b.ret(value);
        };
        if let (Some(place), Some(value)) = (pending.value, value) {
            self.b.write(place, value);
        }
        let one = self.b.iconst(Type::I32, 1);
        self.b.write(pending.flag, one);
        self.b.jump(target, &[]);
        self.pending_return = Some(PendingReturn { count: pending.count + 1, ..pending });
    }

    /// Returns where a `break` of the innermost loop goes.
    fn loop_exit(&self) -> Option<Block> {
        let around = self.jump_targets.iter().rev();
        around
            .filter(|targets| targets.on_continue.is_some())
            .map(|targets| targets.on_break)
            .next()
    }

    /// Returns how many returns from within loops were lowered so far.
    pub fn pending_returns(&self) -> usize {
        self.pending_return.map_or(0, |pending| pending.count)
    }

    /// Goes on with returns from within a loop, behind that loop: `before` as it was before the loop's body.
    pub fn forward_returns(&mut self, before: usize) {
        let Some(pending) = self.pending_return.filter(|pending| pending.count > before) else {
            return;
        };
        let flag = self.b.read(Type::I32, pending.flag);
        let returns = self.b.icmp_imm(IntCC::Ne, flag, 0);
        let [leave, stay] = [self.b.new_block(), self.b.new_block()];
        self.b.brif(returns, leave, stay);
        self.b.switch_to(leave);
        match self.loop_exit() {
            Some(target) => self.b.jump(target, &[]),
            None => {
                let ret = self.b.func.ret();
                let value = ret.zip(pending.value).map(|(ty, place)| self.b.read(ty, place));
                self.b.ret(value);
            }
        }
        self.b.switch_to(stay);
    }
}
