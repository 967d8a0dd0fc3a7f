//! The return statement and `goto`, and how they leave loops in programs whose work-items act on their sub-group.
//!
//! In the control flow graph a block that returns lies outside of the loops around it, so work-items that return in
//! different rounds would execute the code before the `return` together. The same holds for a `goto` out of a loop. If a
//! program has functions of sub-groups, these statements leave each loop as `break` does ([`Lowering::close_breaks`]),
//! and take effect after the outermost loop that they leave.

use super::function::Lowering;
use crate::ir::{Addr, Block, IntCC, Type, Value};
use crate::sema::hir::{Expr, LabelId, Stmt};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::Range;

/// The state that a work-item carries along when it leaves loops by another way than `break`.
pub struct PendingExit {
    /// The address of an I32: 0, or the number of the [`Exit`] by which the work-item leaves.
    way: Addr,
    /// The address of the result, if the function has one.
    value: Option<Addr>,
    /// The exits from the innermost loop in the part of it that has been lowered.
    left: BTreeSet<Exit>,
    places: Places,
    /// The labels in each of the loops around the current statement, the outermost first.
    loops: Vec<Range<u32>>,
}

/// How a work-item leaves loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Return,
    Goto(LabelId),
}

impl Exit {
    /// Returns the number of this exit in [`PendingExit::way`], which is never 0.
    fn number(self) -> i64 {
        match self {
            Exit::Return => 1,
            Exit::Goto(label) => i64::from(label.as_u32()) + 2,
        }
    }
}

/// The position of each label in the function, and the range of labels in each loop, by the address of the loop's body.
#[derive(Default)]
struct Places {
    labels: FxHashMap<LabelId, u32>,
    loops: FxHashMap<*const Stmt, Range<u32>>,
}

impl Places {
    fn find(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Label(label) => {
                    self.labels.insert(*label, self.labels.len() as u32);
                }
                Stmt::Block(body) | Stmt::Switch { body, .. } => self.find(body),
                Stmt::If { then, otherwise, .. } => {
                    self.find(then);
                    self.find(otherwise);
                }
                Stmt::While { body, .. } | Stmt::DoWhile { body, .. } | Stmt::For { body, .. } => {
                    let first = self.labels.len() as u32;
                    self.find(body);
                    self.loops.insert(body.as_ptr(), first..self.labels.len() as u32);
                }
                _ => {}
            }
        }
    }
}

impl Lowering<'_, '_> {
    /// Makes the memory for the state of leaving loops, at the beginning of a function, if the program uses sub-groups.
    pub fn prepare_leaving(&mut self) {
        if !self.hir.uses_subgroups {
            return;
        }
        let way = self.b.private_memory(4, 4);
        let zero = self.b.iconst(Type::I32, 0);
        self.b.write(way, zero);
        let value = self.b.func.ret().map(|ty| {
            let bytes = ty.in_memory().bytes().next_power_of_two();
            self.b.private_memory(u64::from(bytes), bytes)
        });
        let mut places = Places::default();
        places.find(self.source.body.as_deref().unwrap_or_default());
        let (left, loops) = (BTreeSet::new(), Vec::new());
        self.leaving = Some(PendingExit { way, value, left, places, loops });
    }

    pub fn return_stmt(&mut self, value: Option<&Expr>) {
        let value = value.and_then(|value| match self.result {
            Some(result) if self.is_record(value.ty) => {
                let from = self.record(value);
                self.copy_value(value, value.ty, result, from);
                None
            }
            _ => self.any(value),
        });
        if !self.b.is_terminated() {
            // If a function with a result returns none (after an error), its result is undefined.
            let value = self.b.func.ret().map(|ty| match value {
                Some(value) if self.b.ty(value) == ty => value,
                _ => self.b.undef(ty),
            });
            self.return_value(value);
        }
        let rest = self.b.new_block();
        self.b.switch_to(rest);
    }

    /// Returns from the function: at once, or by way of the end of the loop around.
    fn return_value(&mut self, value: Option<Value>) {
        let (Some(leaving), Some(target)) = (&self.leaving, self.loop_exit()) else {
            return self.b.ret(value);
        };
        if let (Some(place), Some(value)) = (leaving.value, value) {
            self.b.write(place, value);
        }
        self.leave(Exit::Return, target);
    }

    /// Lowers `goto`: it jumps to a label at once, or by way of the ends of the loops that the label is not in.
    pub fn goto_stmt(&mut self, label: LabelId) {
        match self.loop_exit() {
            Some(target) if !self.b.is_terminated() && !self.is_label_here(label) => {
                self.leave(Exit::Goto(label), target);
                let rest = self.b.new_block();
                self.b.switch_to(rest);
            }
            _ => {
                let block = self.label(label);
                self.jump_away(block);
            }
        }
    }

    /// Returns true if a label is in the innermost loop, or if loops are not recorded.
    fn is_label_here(&self, label: LabelId) -> bool {
        let Some(PendingExit { places, loops, .. }) = &self.leaving else { return true };
        match (loops.last(), places.labels.get(&label)) {
            (Some(inside), Some(place)) => inside.contains(place),
            _ => true,
        }
    }

    fn leave(&mut self, way: Exit, target: Block) {
        let Some(leaving) = &mut self.leaving else { return };
        leaving.left.insert(way);
        let memory = leaving.way;
        let number = self.b.iconst(Type::I32, way.number());
        self.b.write(memory, number);
        self.b.jump(target, &[]);
    }

    /// Returns the target of a `break` out of the innermost loop.
    fn loop_exit(&self) -> Option<Block> {
        let around = self.jump_targets.iter().rev();
        around
            .filter(|targets| targets.on_continue.is_some())
            .map(|targets| targets.on_break)
            .next()
    }

    /// Begins the loop with a body. Returns the exits of the loop around, which [`Lowering::end_loop`] takes.
    pub fn begin_loop(&mut self, body: &[Stmt]) -> BTreeSet<Exit> {
        let Some(leaving) = &mut self.leaving else { return BTreeSet::new() };
        let inside = leaving.places.loops.get(&body.as_ptr()).cloned().unwrap_or_default();
        leaving.loops.push(inside);
        std::mem::take(&mut leaving.left)
    }

    /// Ends a loop: work-items that leave it by another exit than `break` continue on their way. `outer` holds the exits from
    /// the loop around it so far.
    pub fn end_loop(&mut self, outer: BTreeSet<Exit>) {
        let Some(leaving) = &mut self.leaving else { return };
        leaving.loops.pop();
        let left = std::mem::replace(&mut leaving.left, outer);
        if left.is_empty() {
            return;
        }
        let memory = leaving.way;
        let way = self.b.read(Type::I32, memory);
        let leaves = self.b.icmp_imm(IntCC::Ne, way, 0);
        let [leave, stay] = [self.b.new_block(), self.b.new_block()];
        self.b.brif(leaves, leave, stay);
        self.b.switch_to(leave);
        let is_here = |way: &Exit| matches!(*way, Exit::Goto(label) if self.is_label_here(label));
        let (mut here, onward): (Vec<Exit>, Vec<Exit>) = left.into_iter().partition(is_here);
        let last = if onward.is_empty() { here.pop() } else { None };
        for other in here {
            let [matches, rest] = [self.b.new_block(), self.b.new_block()];
            let is_it = self.b.icmp_imm(IntCC::Eq, way, other.number());
            self.b.brif(is_it, matches, rest);
            self.b.switch_to(matches);
            self.arrive(other, memory);
            self.b.switch_to(rest);
        }
        match last {
            Some(last) => self.arrive(last, memory),
            None => self.leave_onward(onward),
        }
        self.b.switch_to(stay);
    }

    /// Leaves the next loop as well, or returns from the function if there is no loop around.
    fn leave_onward(&mut self, ways: Vec<Exit>) {
        let exit = self.loop_exit();
        let Some(leaving) = &mut self.leaving else { return };
        if let Some(target) = exit {
            leaving.left.extend(ways);
            return self.b.jump(target, &[]);
        }
        let place = leaving.value;
        let value = self.b.func.ret().zip(place).map(|(ty, place)| self.b.read(ty, place));
        self.b.ret(value);
    }

    /// Ends the `goto` of work-items that have left their loops: jumps to the label.
    fn arrive(&mut self, way: Exit, memory: Addr) {
        if let Exit::Goto(label) = way {
            let zero = self.b.iconst(Type::I32, 0);
            self.b.write(memory, zero);
            let block = self.label(label);
            self.b.jump(block, &[]);
        }
    }
}
