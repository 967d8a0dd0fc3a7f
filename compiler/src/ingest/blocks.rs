//! The body of a function: blocks, their parameters (phis), branches and returns. The IR's graph allows any control flow, so
//! SPIR-V's structure is ignored, except for hints on loops.

use super::function::{unsupported, Translator};
use super::module::FunctionInfo;
use super::types::{Kind, Ty};
use super::words::{Inst, Words};
use crate::ir::fold::mask;
use crate::ir::{self, Addr, Block, BlockCall, InstData, Loc, SwitchCase, UnrollHint, Value};
use rspirv::spirv::{LoopControl, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A block of a function.
#[derive(Debug)]
pub(super) struct BlockInfo {
    /// The block of the IR where the block begins.
    first: Block,
    /// The block of the IR where the block's instructions end.
    last: Block,
    /// For each phi of the block, the id of its value by the label of the preceding block.
    phis: Vec<FxHashMap<u32, u32>>,
    phi_types: Vec<Ty>,
}

/// A block in the text.
struct Text<'a> {
    label: u32,
    /// The indices of the instructions behind the label.
    range: Range<usize>,
    end: Inst<'a>,
}

/// Translates a function's blocks.
pub(super) fn body(t: &mut Translator<'_, '_, '_>, info: &FunctionInfo) -> Result<(), String> {
    let words = t.m.words;
    let texts = split(words, info.body.clone())?;
    let reached = reachable(words, &texts)?;
    let texts: Vec<&Text<'_>> = texts.iter().filter(|text| reached.contains(&text.label)).collect();
    for text in &texts {
        open(t, text)?;
    }
    let Some(entry) = texts.first() else { return Err("a function has no block".to_string()) };
    if !t.blocks[&entry.label].phis.is_empty() {
        return Err(format!("block %{} is the first and has phis", entry.label));
    }
    for text in &texts {
        let first = t.blocks[&text.label].first;
        t.b.switch_to(first);
        t.b.func.location = Loc::NONE;
        for inst in words.range(text.range.clone()) {
            if matches!(inst.op, Op::Phi | Op::SelectionMerge)
                || matches!(inst.op, Op::LoopMerge | Op::LoopControlINTEL)
            {
                continue;
            }
            t.instruction(&inst).map_err(|message| format!("{inst}: {message}"))?;
        }
        let last = t.b.out;
        if let Some(block) = t.blocks.get_mut(&text.label) {
            block.last = last;
        }
    }
    for text in &texts {
        let last = t.blocks[&text.label].last;
        t.b.switch_to(last);
        if let Some(&inst) = t.b.func.blocks[last].insts.last() {
            t.b.func.stand_at(inst);
        }
        let located = |message| format!("{}: {message}", text.end);
        terminator(t, text.label, &text.end).map_err(located)?;
    }
    let first = t.blocks[&entry.label].first;
    t.end_prologue(first);
    Ok(())
}

fn is_terminator(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Branch
            | BranchConditional
            | Switch
            | Return
            | ReturnValue
            | Unreachable
            | Kill
            | TerminateInvocation
    )
}

/// Splits a body into blocks.
fn split(words: &Words, body: Range<usize>) -> Result<Vec<Text<'_>>, String> {
    let mut texts = Vec::new();
    let mut open: Option<(u32, usize)> = None;
    for (index, inst) in body.clone().zip(words.range(body)) {
        let wrong = |message: &str| Err(format!("{inst}: {message}"));
        match (inst.op, open) {
            (Op::Label, None) => open = Some((inst.id, index + 1)),
            (Op::Label, Some(_)) => return wrong("the block before does not end"),
            (Op::Line | Op::NoLine | Op::Nop, None) => {}
            (_, None) => return wrong("it does not stand in a block"),
            (op, Some((label, first))) if is_terminator(op) => {
                texts.push(Text { label, range: first..index, end: inst });
                open = None;
            }
            _ => {}
        }
    }
    match open {
        Some((label, _)) => Err(format!("block %{label} does not end")),
        None => Ok(texts),
    }
}

/// Calls `f` with the targets of a terminator; each literal of a switch has `literal_words` words.
fn for_each_target(
    end: &Inst<'_>,
    literal_words: usize,
    mut f: impl FnMut(u32),
) -> Result<(), String> {
    match end.op {
        Op::Branch => f(end.arg(0)?),
        Op::BranchConditional => {
            let [_, then, otherwise] = end.get()?;
            f(then);
            f(otherwise);
        }
        Op::Switch => {
            f(end.arg(1)?);
            end.rest(2).chunks_exact(literal_words + 1).for_each(|pair| f(pair[literal_words]));
        }
        _ => {}
    }
    Ok(())
}

/// Returns true for a switch on 64 bits.
fn is_wide_switch(words: &Words, end: &Inst<'_>) -> bool {
    let selector = end.args.first().and_then(|&id| words.definition(id));
    let ty = selector.and_then(|selector| words.definition(selector.ty));
    end.op == Op::Switch && ty.is_some_and(|ty| ty.args.first() == Some(&64))
}

/// Returns the labels of the blocks that can be reached. All other blocks are ignored, even if they are invalid.
fn reachable(words: &Words, texts: &[Text<'_>]) -> Result<FxHashSet<u32>, String> {
    let by_label: FxHashMap<u32, &Text<'_>> = texts.iter().map(|text| (text.label, text)).collect();
    let mut reached = FxHashSet::default();
    let mut pending: Vec<u32> = texts.first().map(|text| text.label).into_iter().collect();
    while let Some(label) = pending.pop() {
        let Some(text) = by_label.get(&label) else { continue };
        if reached.insert(label) {
            let literal_words = if is_wide_switch(words, &text.end) { 2 } else { 1 };
            for_each_target(&text.end, literal_words, |target| pending.push(target))?;
        }
    }
    Ok(reached)
}

/// Makes a block with its parameters.
fn open(t: &mut Translator<'_, '_, '_>, text: &Text<'_>) -> Result<(), String> {
    let words = t.m.words;
    let block = t.b.new_block();
    let mut info = BlockInfo { first: block, last: block, phis: Vec::new(), phi_types: Vec::new() };
    for inst in words.range(text.range.clone()) {
        match inst.op {
            Op::Phi => {
                let located = |message| format!("{inst}: {message}");
                let ty = t.m.types.of(inst.ty).map_err(located)?;
                let leaves = t.leaves_of(ty).map_err(located)?;
                let params: Vec<Value> =
                    leaves.iter().map(|leaf| t.b.func.add_param(block, leaf.ty)).collect();
                t.define(&inst, &params).map_err(located)?;
                let pairs = inst.args.chunks_exact(2);
                info.phis.push(pairs.map(|pair| (pair[1], pair[0])).collect());
                info.phi_types.push(ty);
            }
            Op::LoopMerge | Op::LoopControlINTEL => {
                let place = if inst.op == Op::LoopMerge { 2 } else { 0 };
                let control = inst.args.get(place).copied().unwrap_or(0);
                let control = LoopControl::from_bits_truncate(control);
                t.b.func.blocks[block].unroll = match () {
                    () if control.contains(LoopControl::UNROLL) => Some(UnrollHint::Full),
                    () if control.contains(LoopControl::DONT_UNROLL) => Some(UnrollHint::Disable),
                    () => None,
                };
            }
            _ => {}
        }
    }
    t.blocks.insert(text.label, info);
    Ok(())
}

/// Returns a branch from one label to another, with the values of the target's phis.
fn branch(t: &mut Translator<'_, '_, '_>, from: u32, to: u32) -> Result<BlockCall, String> {
    let Some(target) = t.blocks.get(&to) else {
        return Err(format!("%{to} is not a block of the function"));
    };
    let block = target.first;
    let mut sources = Vec::with_capacity(target.phis.len());
    for (phi, &ty) in target.phis.iter().zip(&target.phi_types) {
        let source = phi.get(&from);
        let source = source.ok_or_else(|| format!("a phi in %{to} has no value for %{from}"))?;
        sources.push((*source, ty));
    }
    let mut args = Vec::new();
    for (id, ty) in sources {
        let val = t.val(id)?;
        if !t.m.types.alike(val.ty, ty) {
            return Err(format!("%{id} is not of the type of the phi"));
        }
        t.m.count_parts(val.leaves.len())?;
        args.extend(val.leaves);
    }
    Ok(BlockCall::with_args(block, &args))
}

fn terminator(t: &mut Translator<'_, '_, '_>, label: u32, inst: &Inst<'_>) -> Result<(), String> {
    let data = match inst.op {
        Op::Branch => InstData::Jump { target: branch(t, label, inst.arg(0)?)? },
        Op::BranchConditional => {
            let [cond, then, otherwise] = inst.get()?;
            let cond = t.number(cond)?;
            if t.b.ty(cond) != ir::Type::BOOL {
                return Err("the condition is not a bool".to_string());
            }
            let then = branch(t, label, then)?;
            InstData::Brif { cond, then, otherwise: branch(t, label, otherwise)? }
        }
        Op::Switch => switch(t, label, inst)?,
        Op::Return => InstData::Return { values: returned(t, None)? },
        Op::ReturnValue => {
            let id = inst.arg(0)?;
            InstData::Return { values: returned(t, Some(id))? }
        }
        Op::Unreachable => InstData::Unreachable,
        _ => return unsupported(),
    };
    t.b.void(data);
    Ok(())
}

fn switch(t: &mut Translator<'_, '_, '_>, label: u32, inst: &Inst<'_>) -> Result<InstData, String> {
    let [value, default] = inst.get()?;
    let value = t.number(value)?;
    let ty = t.b.ty(value);
    if !ty.scalar.is_int() || ty.lanes != 1 {
        return Err("the selector is not an integer".to_string());
    }
    let literal_words = if ty.scalar.bits() == 64 { 2 } else { 1 };
    let mut seen = FxHashSet::default();
    let mut cases = Vec::new();
    let pairs = inst.rest(2).chunks_exact(literal_words + 1);
    if !pairs.remainder().is_empty() {
        return Err("a literal has no label".to_string());
    }
    for pair in pairs {
        let high = if literal_words == 2 { u64::from(pair[1]) << 32 } else { 0 };
        let value = mask(ty.scalar.bits(), u64::from(pair[0]) | high);
        if !seen.insert(value) {
            return Err(format!("{value} stands there twice"));
        }
        cases.push(SwitchCase { value, target: branch(t, label, pair[literal_words])? });
    }
    Ok(InstData::Switch { value, cases, default: branch(t, label, default)? })
}

/// Returns the values of the IR that a return instruction passes to the caller.
fn returned(
    t: &mut Translator<'_, '_, '_>,
    id: Option<u32>,
) -> Result<smallvec::SmallVec<[Value; 1]>, String> {
    let ret = t.ret.ok_or("it does not stand in a function")?;
    let is_void = *t.m.types.kind(ret) == Kind::Void;
    let Some(id) = id else {
        return match is_void {
            true => Ok(smallvec::SmallVec::new()),
            false => Err("the function has a result".to_string()),
        };
    };
    let val = t.val(id)?;
    if is_void || !t.m.types.alike(val.ty, ret) {
        return Err(format!("%{id} is not of the type of the function's result"));
    }
    if t.m.returns_in_memory(ret)? {
        let pointer = t.b.func.params()[0];
        let align = t.m.types.align(ret);
        t.store_leaves(&val, Addr::new(pointer, align))?;
        return Ok(smallvec::SmallVec::new());
    }
    Ok(val.leaves)
}
