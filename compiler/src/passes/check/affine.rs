//! Addresses as sums of ids of work-items, counters of loops and arguments, each multiplied by a factor. No term is
//! negative, so the greatest value bounds each step of the computation, and the numbers of the launch show whether any step
//! wraps around.
//!
//! The sums are found in a copy of the function in which variables are values. Instructions have the same numbers in the copy.

use crate::analysis::trip_count::{CountedLoop, Step};
use crate::analysis::uniformity::Uniformity;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::Loops;
use crate::ir::*;
use crate::passes::mem2reg;
use rustc_hash::FxHashMap;

/// The most instructions in a chain that are followed to compute a value.
const MAX_DEPTH: u32 = 12;
/// The most terms of a sum.
const MAX_TERMS: usize = 6;
/// The most iterations of a loop that are followed one by one.
const MAX_ROUNDS: usize = 1 << 14;
/// The greatest constant factor of a term that is multiplied by a number of the launch.
const MAX_SCALE: i64 = 32;
/// The greatest constant, and the greatest factor of an id or counter alone.
const MAX_CONSTANT: i64 = 1 << 30;

/// A number that a launch gives. It is the same for all work-items of a work-group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// An integer in the arguments. It has 32 bits, or 64 if `is_wide`.
    Argument {
        arg: u32,
        offset: u32,
        is_wide: bool,
    },
    Query(WorkItemQuery, u8),
}

/// The greatest value of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Most {
    Constant(i64),
    /// One less than the number of the launch.
    Below(Factor),
}

/// The variable of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbol {
    One,
    LocalId(u8),
    GlobalId(u8),
    /// The counter of a loop, given as its parameter in the copy, and its greatest value.
    Counter(Value, Most),
}

/// A term of a sum: `symbol * by * scale`, where `scale` is positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    pub symbol: Symbol,
    pub by: Option<Factor>,
    pub scale: i64,
}

/// A sum of terms and a constant. None of them is negative.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sum {
    pub terms: Vec<Term>,
    pub constant: i64,
}

impl Sum {
    fn of(symbol: Symbol, by: Option<Factor>) -> Sum {
        Sum { terms: vec![Term { symbol, by, scale: 1 }], constant: 0 }
    }

    fn plus(mut self, other: &Sum) -> Option<Sum> {
        for term in &other.terms {
            match self.terms.iter_mut().find(|it| (it.symbol, it.by) == (term.symbol, term.by)) {
                Some(known) => known.scale += term.scale,
                None => self.terms.push(*term),
            }
        }
        self.constant += other.constant;
        self.is_small().then_some(self)
    }

    fn times(mut self, number: i64) -> Option<Sum> {
        if number == 0 {
            return Some(Sum::default());
        }
        for scale in self.terms.iter_mut().map(|term| &mut term.scale).chain([&mut self.constant]) {
            *scale = scale.checked_mul(number)?;
        }
        (number > 0 && self.is_small()).then_some(self)
    }

    /// Multiplies the sum by another one that is a number of the launch, or a constant.
    fn times_factor(mut self, factor: &Sum) -> Option<Sum> {
        let (by, scale) = match (&factor.terms[..], factor.constant) {
            ([], number) => return self.times(number),
            (&[Term { symbol: Symbol::One, by, scale }], 0) => (by, scale),
            _ => return None,
        };
        if self.terms.iter().any(|term| term.by.is_some()) {
            return None;
        }
        if self.constant > 0 {
            let scale = std::mem::take(&mut self.constant);
            self.terms.push(Term { symbol: Symbol::One, by: None, scale });
        }
        self.terms.iter_mut().for_each(|term| term.by = by);
        self.times(scale)
    }

    fn is_small(&self) -> bool {
        let most = |term: &Term| if term.by.is_some() { MAX_SCALE } else { MAX_CONSTANT };
        self.terms.len() <= MAX_TERMS
            && self.constant <= MAX_CONSTANT
            && self.terms.iter().all(|term| term.scale <= most(term))
    }
}

/// The address of an access: an object and the offset from the object's start in bytes.
#[derive(Debug, Clone)]
pub struct Address {
    /// The pointer to the object, in the copy.
    pub root: Value,
    pub offset: Sum,
    /// Sums that must be less than 2^31 for the offset to be right.
    pub narrow: Vec<Sum>,
}

/// A loop's counter.
struct Counter {
    /// The index of the loop.
    index: usize,
    most: Most,
    /// The value with which the counter begins, and the value that each iteration adds.
    start: i64,
    step: i64,
}

/// The copy of a function, and analyses of it.
pub struct Affine {
    pub func: Function,
    pub cfg: Cfg,
    pub dom: DomTree,
    pub loops: Loops,
    pub uniform: Uniformity,
    at: FxHashMap<Inst, (Block, usize)>,
    counters: FxHashMap<Value, Counter>,
}

impl Affine {
    pub fn new(func: &Function) -> Affine {
        let mut func = func.clone();
        mem2reg::run(&mut func);
        let cfg = Cfg::compute(&func);
        let dom = DomTree::compute(&cfg);
        let loops = Loops::compute(&cfg, &dom);
        let uniform = Uniformity::compute(&func, false);
        let mut at = FxHashMap::default();
        for &block in cfg.rpo() {
            let insts = func.blocks[block].insts.iter().enumerate();
            at.extend(insts.map(|(place, &inst)| (inst, (block, place))));
        }
        let counters = FxHashMap::default();
        let mut it = Affine { func, cfg, dom, loops, uniform, at, counters };
        for index in 0..it.loops.loops.len() {
            if let Some((value, counter)) = it.counter(index) {
                it.counters.insert(value, counter);
            }
        }
        it
    }

    /// Returns the block of an instruction and its index in the block; `None` if the instruction is unreachable.
    pub fn place(&self, inst: Inst) -> Option<(Block, usize)> {
        self.at.get(&inst).copied()
    }

    /// Returns true if an instruction is executed before each execution of another one.
    pub fn precedes(&self, first: Inst, then: Inst) -> bool {
        let (Some(a), Some(b)) = (self.place(first), self.place(then)) else { return false };
        if a.0 == b.0 {
            return a.1 < b.1;
        }
        self.dom.dominates(a.0, b.0)
    }

    /// Returns true if all work-items of a work-group execute an instruction together.
    pub fn is_uniform(&self, inst: Inst) -> bool {
        self.place(inst).is_some_and(|(block, _)| self.uniform.is_uniform(block))
    }

    /// Returns true if an instruction is in a loop.
    pub fn is_in_loop(&self, inst: Inst) -> bool {
        self.place(inst).is_some_and(|(block, _)| self.loops.innermost(block).is_some())
    }

    /// Returns the counter of a loop that is tested before each iteration and has no other exit.
    fn counter(&self, index: usize) -> Option<(Value, Counter)> {
        let func = &self.func;
        let counted = CountedLoop::find(func, &self.cfg, &self.loops, index)?;
        let data = &self.loops.loops[index];
        let Step::Constant(step) = counted.step else { return None };
        let counts_up = matches!(counted.cc, IntCC::Slt | IntCC::Ult) && step > 0;
        if counted.test != data.header || counted.offset != 0 || !counts_up {
            return None;
        }
        let counter = func.blocks[data.header].params[counted.variable];
        let is_int = matches!(func.ty(counter), Type::I32 | Type::I64);
        if !is_int || step >= MAX_CONSTANT {
            return None;
        }
        let mut starts = Vec::new();
        for pred in data.entering(&self.cfg) {
            func.insts[func.terminator(pred)?].for_each_target(|call| {
                if call.block == data.header {
                    starts.push(call.args[counted.variable]);
                }
            });
        }
        let starts: Option<Vec<i64>> = starts.iter().map(|&it| func.as_signed_const(it)).collect();
        let starts = starts?;
        if !starts.iter().all(|start| (0..MAX_CONSTANT).contains(start)) {
            return None;
        }
        let start = *starts.first()?;
        if starts.iter().any(|&other| other != start) {
            return None;
        }
        let most = match func.as_signed_const(counted.bound) {
            Some(bound) => Most::Constant((1..MAX_CONSTANT).contains(&bound).then_some(bound - 1)?),
            None => Most::Below(self.factor(counted.bound)?),
        };
        Some((counter, Counter { index, most, start, step }))
    }

    /// Returns the loop that executes an instruction once in each iteration, and the counter's values in these iterations.
    /// The term must be the loop's counter with a constant end.
    pub fn rounds(&self, inst: Inst, term: &Term) -> Option<(usize, Vec<i64>)> {
        let Symbol::Counter(value, Most::Constant(most)) = term.symbol else { return None };
        let counter = self.counters.get(&value)?;
        let (block, _) = self.place(inst)?;
        let [latch] = self.loops.loops[counter.index].latches[..] else { return None };
        let is_once = self.loops.innermost(block) == Some(counter.index)
            && self.dom.dominates(block, latch)
            && term.by.is_none();
        let values = (counter.start..=most).step_by(counter.step as usize).take(MAX_ROUNDS + 1);
        let values: Vec<i64> = values.collect();
        (is_once && values.len() <= MAX_ROUNDS).then_some((counter.index, values))
    }

    /// Returns true if an instruction is behind a counted loop, whose iterations have all been executed when the
    /// instruction is.
    pub fn is_behind(&self, index: usize, inst: Inst) -> bool {
        let header = self.loops.loops[index].header;
        self.place(inst).is_some_and(|(block, _)| {
            !self.loops.contains(index, block) && self.dom.dominates(header, block)
        })
    }

    /// Returns the number of the launch that a value is, if it is one.
    fn factor(&self, value: Value) -> Option<Factor> {
        use WorkItemQuery::{GlobalSize, LocalSize, NumGroups};
        let is_wide = match self.func.ty(value) {
            Type::I32 => false,
            Type::I64 => true,
            _ => return None,
        };
        match *self.func.def_inst(value)? {
            InstData::LoadArg { arg, offset } => Some(Factor::Argument { arg, offset, is_wide }),
            InstData::WorkItem { query: query @ (GlobalSize | LocalSize | NumGroups), dim } => {
                Some(Factor::Query(query, dim))
            }
            // Resizing does not change the number, since conditions require it to be small.
            InstData::Convert { op, arg } if is_resizing(op) => self.factor(arg),
            _ => None,
        }
    }

    /// Returns the counter of a loop as a sum, if the block is inside of the loop.
    fn counter_in(&self, value: Value, block: Block) -> Option<Sum> {
        let counter = self.counters.get(&value)?;
        let data = &self.loops.loops[counter.index];
        let is_inside = block != data.header && self.loops.contains(counter.index, block);
        is_inside.then(|| Sum::of(Symbol::Counter(value, counter.most), None))
    }

    /// Returns an integer as a sum, as it is in a block.
    fn sum(&self, value: Value, block: Block, depth: u32, narrow: &mut Vec<Sum>) -> Option<Sum> {
        let func = &self.func;
        let depth = depth.checked_sub(1)?;
        if let Some(constant) = func.as_signed_const(value) {
            let constant = (0..MAX_CONSTANT).contains(&constant).then_some(constant)?;
            return Some(Sum { terms: Vec::new(), constant });
        }
        if let Some(counter) = self.counter_in(value, block) {
            return Some(counter);
        }
        if let Some(factor) = self.factor(value) {
            return Some(Sum::of(Symbol::One, Some(factor)));
        }
        match *func.def_inst(value)? {
            InstData::WorkItem { query: WorkItemQuery::LocalId, dim } => {
                Some(Sum::of(Symbol::LocalId(dim), None))
            }
            InstData::WorkItem { query: WorkItemQuery::GlobalId, dim } => {
                Some(Sum::of(Symbol::GlobalId(dim), None))
            }
            InstData::Binary { op: BinaryOp::Shl, args: [a, by], .. } => {
                let by = func.as_const(by).filter(|&by| by < 30)?;
                self.sum(a, block, depth, narrow)?.times(1 << by)
            }
            InstData::Binary { op: BinaryOp::IAdd, args: [a, b], .. } => {
                let sum = self.sum(a, block, depth, narrow)?;
                sum.plus(&self.sum(b, block, depth, narrow)?)
            }
            InstData::Binary { op: BinaryOp::IMul, args: [a, b], .. } => {
                let [a, b] = [a, b].map(|arg| self.sum(arg, block, depth, narrow));
                let (a, b) = (a?, b?);
                a.clone().times_factor(&b).or_else(|| b.times_factor(&a))
            }
            InstData::Convert { op, arg } if is_resizing(op) && func.ty(arg) != Type::BOOL => {
                let bits = [value, arg].map(|it| func.ty(it).scalar.bits());
                if bits[0].min(bits[1]) < 32 {
                    return None;
                }
                let sum = self.sum(arg, block, depth, narrow)?;
                if !narrow.contains(&sum) {
                    narrow.push(sum.clone());
                }
                Some(sum)
            }
            _ => None,
        }
    }

    /// Returns the address that an instruction accesses, if it is a sum.
    ///
    /// The address is right in every execution in which all sums in `narrow` are less than 2^31.
    pub fn address(&self, inst: Inst) -> Option<Address> {
        let (block, _) = self.place(inst)?;
        let mut ptr = self.func.insts[inst].address()?;
        let (mut offset, mut narrow) = (Sum::default(), Vec::new());
        for _ in 0..MAX_DEPTH {
            match *self.func.def_inst(ptr)? {
                InstData::PtrAdd { ptr: base, offset: by, .. } => {
                    let by_sum = self.sum(by, block, MAX_DEPTH, &mut narrow)?;
                    if self.func.ty(by) != Type::I64 && !narrow.contains(&by_sum) {
                        narrow.push(by_sum.clone());
                    }
                    offset = offset.plus(&by_sum)?;
                    ptr = base;
                }
                InstData::Alloca { .. } | InstData::GlobalAddr { .. } => break,
                InstData::LoadArg { offset: 0, .. } => break,
                _ => return None,
            }
        }
        // Offsets in work-group and private memory have 32 bits.
        if !narrow.contains(&offset) && self.func.ty(ptr).space() != Some(AddressSpace::Global) {
            narrow.push(offset.clone());
        }
        Some(Address { root: ptr, offset, narrow })
    }
}

fn is_resizing(op: ConvertOp) -> bool {
    matches!(op, ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc)
}
