//! Statements: plain control flow; a structurizer follows.

use super::function::{JumpTargets, Lowering};
use super::Origin;
use crate::ir::{Addr, Block, InstData, Type, UnrollHint};
use crate::sema::hir::{Expr, Init, LocalId, Part, Stmt, Unroll};

fn hint(unroll: Unroll) -> UnrollHint {
    match unroll {
        Unroll::Full => UnrollHint::Full,
        Unroll::Count(count) => UnrollHint::Count(count),
        Unroll::Disable => UnrollHint::Disable,
    }
}

impl Lowering<'_, '_> {
    pub fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Expr(expr) => self.discard(expr),
            Stmt::Declare(local, Some(init)) => self.initialize(*local, init),
            Stmt::Declare(local, None) => self.without_initializer(*local),
            Stmt::Block(body) => self.stmts(body),
            Stmt::If { cond, then, otherwise } => self.if_stmt(cond, then, otherwise),
            Stmt::While { cond, body, unroll } => self.for_stmt(Some(cond), None, body, *unroll),
            Stmt::DoWhile { body, cond, unroll } => self.do_stmt(body, cond, *unroll),
            Stmt::For { init, cond, step, body, unroll } => {
                self.stmts(init);
                self.for_stmt(cond.as_ref(), step.as_ref(), body, *unroll);
            }
            Stmt::Switch { value, cases, has_default, body } => {
                self.switch_stmt(value, cases, *has_default, body);
            }
            Stmt::CaseLabel(n) => {
                let block = self.switches.last().and_then(|s| s.cases.get(*n as usize).copied());
                if let Some(block) = block {
                    self.fall_into(block);
                }
            }
            Stmt::DefaultLabel => {
                if let Some(block) = self.switches.last().map(|s| s.default) {
                    self.fall_into(block);
                }
            }
            Stmt::Break => {
                if let Some(block) = self.jump_targets.last().map(|e| e.on_break) {
                    self.jump_away(block);
                }
            }
            Stmt::Continue => {
                if let Some(block) = self.jump_targets.iter().rev().find_map(|e| e.on_continue) {
                    self.jump_away(block);
                }
            }
            Stmt::Return(value) => self.return_stmt(value.as_ref()),
            Stmt::Goto(label) => self.goto_stmt(*label),
            Stmt::Label(label) => {
                let block = self.label(*label);
                self.fall_into(block);
            }
        }
    }

    fn if_stmt(&mut self, cond: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        let cond = self.truth(cond);
        let then_block = self.b.new_block();
        let after = self.b.new_block();
        let else_block = if otherwise.is_empty() { after } else { self.b.new_block() };
        self.b.brif(cond, then_block, else_block);
        self.b.switch_to(then_block);
        self.stmts(then);
        if !otherwise.is_empty() {
            self.fall_into_from(after, else_block);
            self.stmts(otherwise);
        }
        self.fall_into(after);
    }

    /// Jumps to `target`, begins it, and continues in `next`.
    fn fall_into_from(&mut self, target: crate::ir::Block, next: crate::ir::Block) {
        self.fall_into(target);
        self.b.switch_to(next);
    }

    fn for_stmt(
        &mut self,
        cond: Option<&Expr>,
        step: Option<&Expr>,
        body: &[Stmt],
        unroll: Option<Unroll>,
    ) {
        let header = self.b.new_block();
        self.b.func.blocks[header].unroll = unroll.map(hint);
        let inner = self.b.new_block();
        let after = self.b.new_block();
        self.fall_into(header);
        match cond {
            Some(cond) => {
                let cond = self.truth(cond);
                self.b.brif(cond, inner, after);
            }
            None => self.b.jump(inner, &[]),
        }
        let has_next = step.is_some() || self.hir.uses_subgroups;
        let next = if has_next { self.b.new_block() } else { header };
        let on_break = self.break_target(after);
        let outer = self.begin_loop(body);
        self.b.switch_to(inner);
        self.jump_targets.push(JumpTargets { on_break, on_continue: Some(next) });
        self.stmts(body);
        self.jump_targets.pop();
        if has_next {
            self.fall_into(next);
        }
        if let Some(step) = step {
            self.discard(step);
        }
        let back = self.close_breaks(header, on_break, after);
        self.fall_into_from(back, after);
        self.end_loop(outer);
    }

    fn do_stmt(&mut self, body: &[Stmt], cond: &Expr, unroll: Option<Unroll>) {
        let inner = self.b.new_block();
        self.b.func.blocks[inner].unroll = unroll.map(hint);
        let test = self.b.new_block();
        let after = self.b.new_block();
        let on_break = self.break_target(after);
        let outer = self.begin_loop(body);
        self.fall_into(inner);
        self.jump_targets.push(JumpTargets { on_break, on_continue: Some(test) });
        self.stmts(body);
        self.jump_targets.pop();
        self.fall_into(test);
        let cond = self.truth(cond);
        let back = self.close_breaks(inner, on_break, after);
        self.b.brif(cond, back, after);
        self.b.switch_to(after);
        self.end_loop(outer);
    }

    /// Returns the target of a `break` out of a loop that `after` follows.
    fn break_target(&mut self, after: Block) -> Block {
        match self.hir.uses_subgroups {
            true => self.b.new_block(),
            false => after,
        }
    }

    /// Connects the breaks of a loop with the code that follows it, and returns the block to which the loop's end jumps for the
    /// next round. In programs whose work-items act on their sub-group, work-items that break also pass through that block. So
    /// the code before the break belongs to the loop in the control flow graph, and work-items of other rounds do not execute
    /// it together with them.
    fn close_breaks(&mut self, header: Block, on_break: Block, after: Block) -> Block {
        if on_break == after {
            return header;
        }
        let here = self.b.out;
        let acts = |data: &InstData| match data {
            InstData::Call { .. } => true,
            InstData::Barrier { .. } => false,
            data => data.is_convergent(),
        };
        let func = &*self.b.func;
        let since = func.layout.iter().position(|&block| block == header).unwrap_or(0);
        let mut insts = func.layout[since..].iter().flat_map(|&block| &func.blocks[block].insts);
        if !insts.any(|&inst| acts(&func.insts[inst])) {
            self.b.switch_to(on_break);
            self.b.jump(after, &[]);
            self.b.switch_to(here);
            return header;
        }
        let [latch, onward] = [self.b.new_block(), self.b.new_block()];
        let leaves = self.b.func.add_param(latch, Type::BOOL);
        let [stay, leave] = [0, 1].map(|truth| self.b.func.constant(Type::BOOL, truth));
        self.b.switch_to(on_break);
        self.b.jump(latch, &[leave]);
        self.b.switch_to(onward);
        self.b.jump(latch, &[stay]);
        self.b.switch_to(latch);
        self.b.brif(leaves, after, header);
        self.b.switch_to(here);
        onward
    }

    /// Sets a variable without initializer to zero, if private memory is to be zero at first: whenever its
    /// declaration is reached, not only in the first round of a loop.
    fn without_initializer(&mut self, local: LocalId) {
        if self.context.target.zero_private && self.origin == Origin::User {
            let ty = self.source.locals[local].ty;
            let object = self.local(local);
            self.zero_object(ty, object);
        }
    }

    /// Runs an initializer.
    pub fn initialize(&mut self, local: LocalId, init: &Init) {
        let Some(known) = self.source.locals.get(local) else { return };
        let (ty, outer) = (known.ty, self.enter(known.span));
        match init {
            Init::Value(value) if self.is_record(value.ty) => {
                let from = self.record(value);
                let to = self.local(local);
                self.copy_value(value, ty, to, from);
            }
            Init::Value(value) => {
                let value = self.value(value);
                let to = self.local(local);
                self.b.write(to, value);
            }
            Init::Parts { zero, parts } => {
                let to = self.local(local);
                if *zero {
                    self.zero_object(ty, to);
                }
                for part in parts {
                    match part {
                        Part::Value(offset, value) => self.initialize_part(to, *offset, value),
                        Part::Zero(offset, ty) => {
                            let part = self.b.offset(to, u64::from(*offset));
                            self.zero_object(*ty, part);
                        }
                        Part::Repeat(repeat) => self.repeat_part(to, repeat),
                    }
                }
            }
        }
        self.stand_back(outer);
    }

    fn initialize_part(&mut self, object: Addr, offset: u32, value: &Expr) {
        if self.is_record(value.ty) {
            let from = self.record(value);
            let to = self.b.offset(object, u64::from(offset));
            self.copy_value(value, value.ty, to, from);
        } else {
            let stored = self.value(value);
            let to = self.b.offset(object, u64::from(offset));
            self.b.write(to, stored);
        }
    }
}
