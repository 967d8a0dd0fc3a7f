//! Bypasses slow divisions: if two 64-bit integers are below 2^32 at run time, they are divided in 32 bits.
//!
//! Devices divide 32-bit integers several times faster than 64-bit ones. Sizes and ids are 64-bit numbers whose high words
//! are rarely used, so a branch on the high words pays off. The high word of an id is zero if the dispatch has no offset,
//! which a specialization constant says: drivers then keep only the 32-bit division.

use super::split::Splitter;
use crate::analysis::known_bits::KnownBits;
use crate::ir::*;
use crate::passes::cursor::Cursor;

/// The most branches that are added to a function. Each of them duplicates a division.
const MAX_BYPASSES: usize = 8;

/// Rewrites the divisions of a function. Returns true if anything changed.
pub fn run(func: &mut Function) -> bool {
    let mut left = MAX_BYPASSES;
    for block in func.layout.clone() {
        let insts = &func.blocks[block].insts;
        if insts.iter().any(|&inst| Division::of(func, inst).is_some()) {
            rewrite_block(func, block, &mut left);
        }
    }
    left < MAX_BYPASSES
}

fn rewrite_block(func: &mut Function, block: Block, left: &mut usize) {
    let mut s = Splitter::new(func, block);
    let mut insts = s.take_insts();
    // Results of a call must stay in the call's block.
    let is_call_result = |&inst: &Inst| matches!(s.c.func.insts[inst], InstData::CallResult { .. });
    let first = insts.iter().rposition(is_call_result).map_or(0, |last| last + 1);
    let mut at = 0;
    while let Some(&inst) = insts.get(at) {
        at += 1;
        s.c.func.stand_at(inst);
        match Division::of(s.c.func, inst) {
            Some(division) if at > first && *left > 0 => {
                *left -= 1;
                let mut group = vec![inst];
                group.extend(insts[at..].iter().filter(|&&i| division.is_shared(s.c.func, i)));
                insts.retain(|inst| !group[1..].contains(inst));
                division.bypass(&mut s, &group);
            }
            _ => s.c.keep(inst),
        }
    }
    s.finish();
}

/// The operands of a division, whose quotient, remainder or both are used.
#[derive(PartialEq)]
struct Division {
    signed: bool,
    operands: [Value; 2],
}

impl Division {
    /// Returns the division of an instruction, if a branch around it may pay off.
    fn of(func: &Function, inst: Inst) -> Option<Division> {
        let division = Division::any(func, inst)?;
        let [dividend, divisor] = division.operands;
        let are_words = division.operands.map(|value| is_word(func, value));
        let is_wide_constant =
            |(value, is_word): (Value, bool)| !is_word && func.as_const(value).is_some();
        // Drivers multiply by a constant's inverse, which is not slower than a test. Only the test of an id is free.
        let is_slow = func.as_const(divisor).is_none() || Id::of(func, dividend).is_some();
        let is_open = are_words != [true; 2]
            && !division.operands.into_iter().zip(are_words).any(is_wide_constant);
        (is_slow && is_open).then_some(division)
    }

    fn any(func: &Function, inst: Inst) -> Option<Division> {
        use BinaryOp::*;
        let InstData::Binary { op: op @ (UDiv | URem | SDiv | SRem), args, .. } = func.insts[inst]
        else {
            return None;
        };
        let signed = matches!(op, SDiv | SRem);
        (func.ty(args[0]) == Type::I64).then_some(Division { signed, operands: args })
    }

    /// Returns true if an instruction divides the same operands.
    fn is_shared(&self, func: &Function, inst: Inst) -> bool {
        Division::any(func, inst).is_some_and(|other| other == *self)
    }

    /// Writes the quotients and remainders of one division, with a branch around the slow division. If both high words
    /// are zero, signed division is unsigned division.
    fn bypass(self, s: &mut Splitter<'_>, group: &[Inst]) {
        let highs = self.operands.map(|value| high_word(&mut s.c, value));
        let mut high = s.c.iconst(Type::I32, 0);
        for word in highs.into_iter().flatten() {
            high = s.c.binary(BinaryOp::Or, high, word);
        }
        let are_words = s.c.icmp_imm(IntCC::Eq, high, 0);
        let op_of = |&inst: &Inst| match s.c.func.insts[inst] {
            InstData::Binary { op, .. } => Some(op),
            _ => None,
        };
        let ops: Vec<BinaryOp> = group.iter().filter_map(op_of).collect();
        let join = s.new_block();
        let [narrow, wide] = s.branch(are_words);

        s.switch_to(narrow);
        let [a, b] = self.operands.map(|value| low_word(&mut s.c, value));
        let words: Vec<Value> = ops.iter().map(|op| s.c.binary(op.unsigned(), a, b)).collect();
        let results: Vec<Value> =
            words.into_iter().map(|word| s.c.resize(word, Type::I64, false)).collect();
        s.jump(join, &results);

        s.switch_to(wide);
        let [a, b] = self.operands;
        let results: Vec<Value> = ops.iter().map(|&op| s.c.binary(op, a, b)).collect();
        s.jump(join, &results);

        s.switch_to(join);
        group.iter().for_each(|&inst| s.become_param(inst, join));
    }
}

/// Returns true if a number is known to be below 2^32.
fn is_word(func: &Function, value: Value) -> bool {
    KnownBits::new(func, None).max(value) <= u64::from(u32::MAX)
}

/// An id as `work_items` computes it: `number + (has_offset ? base : 0)`, where the number is a word.
struct Id {
    number: Value,
    has_offset: Value,
    base: Value,
}

impl Id {
    fn of(func: &Function, value: Value) -> Option<Id> {
        let &InstData::Binary { op: BinaryOp::IAdd, args: [number, addend], .. } =
            func.def_inst(value)?
        else {
            return None;
        };
        let &InstData::Select { args: [has_offset, base, zero] } = func.def_inst(addend)? else {
            return None;
        };
        let is_id = func.as_const(zero) == Some(0) && is_word(func, number);
        is_id.then_some(Id { number, has_offset, base })
    }
}

/// Returns the high word of a number; `None` if it is known to be zero.
fn high_word(c: &mut Cursor<'_>, value: Value) -> Option<Value> {
    if is_word(c.func, value) {
        return None;
    }
    let words = c.bitcast(value, Type::PAIR);
    let high = c.extract(words, 1);
    let Some(id) = Id::of(c.func, value) else { return Some(high) };
    let zero = c.iconst(Type::I32, 0);
    Some(c.select(id.has_offset, high, zero))
}

/// Returns the low word of a number. The low word of an id is computed from words alone.
fn low_word(c: &mut Cursor<'_>, value: Value) -> Value {
    if let Some(id) = Id::of(c.func, value) {
        let [number, base] = [id.number, id.base].map(|part| low_word(c, part));
        let zero = c.iconst(Type::I32, 0);
        let base = c.select(id.has_offset, base, zero);
        return c.binary(BinaryOp::IAdd, number, base);
    }
    match c.func.def_inst(value) {
        Some(&InstData::Convert { op: ConvertOp::ZExt, arg }) => c.resize(arg, Type::I32, false),
        Some(&InstData::Convert { op: ConvertOp::Bitcast, arg }) if c.ty(arg) == Type::PAIR => {
            c.extract(arg, 0)
        }
        _ => c.convert(ConvertOp::Trunc, value, Type::I32),
    }
}
