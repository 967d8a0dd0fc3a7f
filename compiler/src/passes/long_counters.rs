//! Numbers of 64 bits that branches show to fit in words, on devices that compute in words:
//! [`Quirks::SLOW_LONG_COUNTERS`](hekla_device::Quirks::SLOW_LONG_COUNTERS).
//!
//! `for (size_t i = 0; i < n; i++)` with an `n` of 32 bits: i is less than n where the next i is computed, which therefore is n
//! at most. Such a counter becomes a word, extended where the loop uses it. The index of an address that is less than a
//! word, as in `i += get_global_size(0)`, which may step over 2^32, becomes its extended low word.

use super::cursor::{rewrite_insts, Cursor};
use crate::analysis::branch_facts::{BranchFacts, Fact};
use crate::analysis::known_bits::KnownBits;
use crate::ir::cfg::Cfg;
use crate::ir::incoming::Incoming;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

/// The number of words.
const WORDS: u64 = 1 << 32;

/// A parameter of a loop that always fits in a word.
struct Counter {
    block: Block,
    index: usize,
}

/// Narrows the counters and indices of a function. `kernel` is given if the function is a kernel's entry. Returns true if
/// anything changed.
pub fn run(func: &mut Function, kernel: Option<&KernelEntry>) -> bool {
    let cfg = Cfg::compute(func);
    let counters = Bounds::new(func, kernel, &cfg).counters(&cfg);
    for counter in &counters {
        narrow(func, counter);
    }
    let cfg = Cfg::compute(func);
    let indices = Bounds::new(func, kernel, &cfg).indices(&cfg);
    rewrite_insts(func, |c, inst| match c.func.insts[inst] {
        InstData::PtrAdd { ptr, within, .. } => {
            let &(index, scale) = indices.get(&inst)?;
            let low = c.convert(ConvertOp::Trunc, index, Type::I32);
            let index = c.convert(ConvertOp::ZExt, low, Type::I64);
            let offset = scale.map_or(index, |(op, by)| c.binary(op, index, by));
            Some(InstData::PtrAdd { ptr, offset, within })
        }
        InstData::ICmp { cc, args } if !counters.is_empty() => {
            let [a, b] = args.map(|arg| match c.func.as_const(arg) {
                Some(k) if k < WORDS && c.ty(arg) == Type::I64 => {
                    Some(c.iconst(Type::I32, k as i64))
                }
                _ => extended_word(c.func, arg),
            });
            Some(InstData::ICmp { cc: cc.unsigned(), args: [a?, b?] })
        }
        _ => None,
    }) || !counters.is_empty()
}

/// Returns the word that a value extends by zeros.
fn extended_word(func: &Function, value: Value) -> Option<Value> {
    match func.def_inst(value) {
        Some(&InstData::Convert { op: ConvertOp::ZExt, arg }) if func.ty(arg) == Type::I32 => {
            Some(arg)
        }
        _ => None,
    }
}

/// An index, and the operation that makes an offset of it.
type Index = (Value, Option<(BinaryOp, Value)>);

/// Finds the numbers of a function that fit in words.
struct Bounds<'a> {
    func: &'a Function,
    bits: KnownBits<'a>,
    incoming: Incoming<'a>,
    facts: BranchFacts<'a>,
}

impl<'a> Bounds<'a> {
    fn new(func: &'a Function, kernel: Option<&'a KernelEntry>, cfg: &'a Cfg) -> Bounds<'a> {
        Bounds {
            func,
            bits: KnownBits::new(func, kernel),
            incoming: Incoming::find(func, cfg.rpo()),
            facts: BranchFacts::new(func, cfg),
        }
    }

    fn counters(&self, cfg: &Cfg) -> Vec<Counter> {
        let mut blocks: SecondaryMap<Inst, Option<Block>> = self.func.inst_map();
        for &block in cfg.rpo() {
            for &inst in &self.func.blocks[block].insts {
                blocks[inst] = Some(block);
            }
        }
        let mut counters = Vec::new();
        for &block in cfg.rpo() {
            for (index, &param) in self.func.blocks[block].params.iter().enumerate() {
                let args = || self.incoming.calls(block).iter().map(|call| call.args[index]);
                let is_next = |arg: Value| self.is_next(param, arg, &blocks);
                let is_word = |arg: Value| self.bits.max(arg) < WORDS;
                let is_wide = self.func.ty(param) == Type::I64;
                if is_wide && args().any(is_next) && args().all(|arg| is_word(arg) || is_next(arg))
                {
                    counters.push(Counter { block, index });
                }
            }
        }
        counters
    }

    /// Returns true if `next` is the sum of a parameter and a constant and fits in a word if the parameter does.
    fn is_next(
        &self,
        param: Value,
        next: Value,
        blocks: &SecondaryMap<Inst, Option<Block>>,
    ) -> bool {
        let ValueDef::Inst(inst) = self.func.def(next) else { return false };
        let InstData::Binary { op: BinaryOp::IAdd, args: [a, k], .. } = self.func.insts[inst]
        else {
            return false;
        };
        let Some((k, block)) = self.func.as_const(k).zip(blocks[inst]) else { return false };
        a == param
            && k < WORDS
            && self.most(param, block, true).is_some_and(|most| most + k < WORDS)
    }

    /// Returns the most that a number is in a block as branches show, if that fits in a word. `is_word`: the number is one.
    fn most(&self, value: Value, block: Block, is_word: bool) -> Option<u64> {
        let by_fact = |fact: Fact| {
            let [a, b] = fact.args;
            if a != value {
                return None;
            }
            let bound = self.bits.max(b);
            let most = match fact.cc {
                IntCC::Ult => bound.checked_sub(1)?,
                IntCC::Ule => bound,
                // Neither number is negative.
                IntCC::Slt if is_word => bound.checked_sub(1)?,
                IntCC::Sle if is_word => bound,
                _ => return None,
            };
            (bound < WORDS).then_some(most)
        };
        let facts = self.facts.at(block);
        facts.iter().flat_map(|fact| [*fact, fact.swapped()]).filter_map(by_fact).min()
    }

    /// Returns the additions to addresses whose index is not known to be a word from itself, but from branches.
    fn indices(&self, cfg: &Cfg) -> FxHashMap<Inst, Index> {
        let mut indices = FxHashMap::default();
        for &block in cfg.rpo() {
            for &inst in &self.func.blocks[block].insts {
                let InstData::PtrAdd { offset, .. } = self.func.insts[inst] else { continue };
                let (index, scale) = match self.func.def_inst(offset) {
                    Some(&InstData::Binary {
                        op: op @ (BinaryOp::Shl | BinaryOp::IMul),
                        args: [index, by],
                        ..
                    }) if self.func.as_const(by).is_some() => (index, Some((op, by))),
                    _ => (offset, None),
                };
                let is_wide = self.func.ty(index) == Type::I64 && self.bits.max(index) >= WORDS;
                if is_wide && self.most(index, block, false).is_some() {
                    indices.insert(inst, (index, scale));
                }
            }
        }
        indices
    }
}

/// Makes a counter a word.
fn narrow(func: &mut Function, &Counter { block, index }: &Counter) {
    let wide = func.blocks[block].params[index];
    let word = func.add_param(block, Type::I32);
    let mut params = func.blocks[block].params.clone();
    params.swap_remove(index);
    func.set_params(block, params);
    let extend =
        func.make_inst(InstData::Convert { op: ConvertOp::ZExt, arg: word }, Some(Type::I64));
    let extended = func.results[extend].expect("made with a result");
    func.replace_uses(|value| if value == wide { extended } else { value });
    func.blocks[block].insts.insert(0, extend);
    for pred in func.layout.clone() {
        let Some(end) = func.terminator(pred) else { continue };
        let mut leads = false;
        func.insts[end].for_each_target(|call| leads |= call.block == block);
        if !leads {
            continue;
        }
        let mut data = func.insts[end].clone();
        let mut c = Cursor::new(func);
        c.out = c.begin(pred);
        c.out.pop();
        data.for_each_target_mut(|call| {
            if call.block == block {
                call.args[index] = low_word(&mut c, call.args[index], extended, word);
            }
        });
        c.keep(end);
        c.finish(pred);
        func.replace_inst(end, data);
    }
}

/// Returns the low word of what a branch passes to a counter.
fn low_word(c: &mut Cursor<'_>, value: Value, extended: Value, word: Value) -> Value {
    if let Some(&InstData::Binary { op: BinaryOp::IAdd, args: [a, k], .. }) = c.func.def_inst(value)
    {
        if let (true, Some(k)) = (a == extended, c.func.as_const(k)) {
            let k = c.func.constant(Type::I32, k);
            return c.binary(BinaryOp::IAdd, word, k);
        }
    }
    match extended_word(c.func, value) {
        Some(word) => word,
        None => c.convert(ConvertOp::Trunc, value, Type::I32),
    }
}
