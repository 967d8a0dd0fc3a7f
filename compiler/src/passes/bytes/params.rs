//! Parameters of blocks that are the bytes, or the halves, of words.

use super::field::Field;
use crate::ir::incoming::Incoming;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use smallvec::SmallVec;

/// The most branches to a block whose arguments are searched for words. Groups that are found must fit all branches.
const MAX_SEEDS: usize = 4;

/// Parameters of a block that are the parts of one word, the lowest first.
struct Group {
    /// The indices of the parameters.
    members: Parts<usize>,
    /// For each branch to the block, the value that it passes for the parameters together.
    words: Vec<Word>,
}

type Parts<T> = SmallVec<[T; 4]>;

/// A word: 32 bits of an integer, from bit `low` on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Source {
    value: Value,
    /// The first bit of the word, 0 or 32.
    low: u32,
}

/// The value that a branch passes for a group.
#[derive(Clone, Copy)]
enum Word {
    Value(Source),
    Constant(u64),
    /// The parameters of the group themselves, unchanged.
    Same,
}

/// A block whose groups have been joined.
struct Joined {
    block: Block,
    groups: Vec<Group>,
    /// The new parameter of each group.
    params: Vec<Value>,
    /// The parameters that the block had before.
    old: Vec<Value>,
    /// Indices of the parameters that stay.
    kept: Vec<usize>,
    /// The number of branches to the block that pass words already.
    done: usize,
}

/// Replaces the parameters of blocks that are all parts of a word by one parameter. Returns true if there were any.
pub fn run(func: &mut Function) -> bool {
    let layout = func.layout.clone();
    let has_parts = |&block: &Block| {
        let params = func.blocks[block].params.iter();
        params.filter(|&&param| part_bits(func.ty(param)).is_some()).nth(1).is_some()
    };
    let blocks: Vec<Block> = layout[1..].iter().copied().filter(has_parts).collect();
    if blocks.is_empty() {
        return false;
    }
    let found = groups_of(func, &layout, blocks);
    if found.is_empty() {
        return false;
    }
    let joined = found.into_iter().map(|(block, groups)| join(func, block, groups));
    let mut joined: Vec<Joined> = joined.collect();
    pass_words(func, &mut joined);
    take_out_parts(func, &joined);
    true
}

/// Returns the groups of each block that has any.
fn groups_of(func: &Function, layout: &[Block], blocks: Vec<Block>) -> Vec<(Block, Vec<Group>)> {
    let incoming = Incoming::find(func, layout);
    let groups = |block: Block| {
        let edges: Vec<&[Value]> =
            incoming.calls(block).iter().map(|call| call.args.as_slice()).collect();
        (block, groups(func, &func.blocks[block].params, &edges))
    };
    blocks.into_iter().map(groups).filter(|(_, groups)| !groups.is_empty()).collect()
}

/// Returns the number of bits of a type, if its values can be parts of a word.
fn part_bits(ty: Type) -> Option<u32> {
    let bits = ty.scalar.bits();
    (ty.scalar.is_int() && ty.lanes == 1 && matches!(bits, 8 | 16)).then_some(bits)
}

/// Finds the groups among a block's parameters. `edges`: the arguments of each branch to the block.
fn groups(func: &Function, params: &[Value], edges: &[&[Value]]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut taken = vec![false; params.len()];
    for seed in edges.iter().take(MAX_SEEDS) {
        for members in complete(func, params, seed, &taken) {
            let members_of = |edge: &&[Value]| word(func, params, &members, edge);
            let Some(words) = edges.iter().map(members_of).collect() else { continue };
            members.iter().for_each(|&index| taken[index] = true);
            groups.push(Group { members, words });
        }
    }
    groups
}

/// Returns the indices of parameters for which a branch passes all parts of one word, for each such word.
fn complete(
    func: &Function,
    params: &[Value],
    args: &[Value],
    taken: &[bool],
) -> Vec<Parts<usize>> {
    let mut words: Vec<(Source, u32, Parts<Option<usize>>)> = Vec::new();
    for (index, &arg) in args.iter().enumerate().filter(|&(index, _)| !taken[index]) {
        let Some(bits) = part_bits(func.ty(params[index])) else { continue };
        let Some((source, part)) = part_of_word(func, arg, bits) else { continue };
        // The parts of a word are mostly neighbours, so only the last words are compared.
        let known = words.iter().rev().take(8).position(|it| (it.0, it.1) == (source, bits));
        let at = known.map_or(words.len(), |back| words.len() - 1 - back);
        if at == words.len() {
            let none = SmallVec::from_elem(None, (32 / bits) as usize);
            words.push((source, bits, none));
        }
        words[at].2[part as usize].get_or_insert(index);
    }
    words.into_iter().filter_map(|(_, _, parts)| parts.into_iter().collect()).collect()
}

/// Returns the word that contains a value as one of its parts of `bits` bits, and the index of the part, the lowest
/// being 0.
fn part_of_word(func: &Function, value: Value, bits: u32) -> Option<(Source, u32)> {
    let field = Field::of(func, value)?;
    let ty = func.ty(field.word);
    let fits = (field.at, field.width) == (0, bits) && field.low.is_multiple_of(bits);
    let source = Source { value: field.word, low: field.low / 32 * 32 };
    (fits && ty.lanes == 1 && ty.bits() >= 32).then_some((source, field.low % 32 / bits))
}

/// Returns the word that a branch passes for a group.
fn word(func: &Function, params: &[Value], members: &[usize], edge: &[Value]) -> Option<Word> {
    let args: Parts<Value> = members.iter().map(|&index| edge[index]).collect();
    let bits = part_bits(func.ty(args[0]))?;
    if args.iter().zip(members).all(|(&arg, &index)| arg == params[index]) {
        return Some(Word::Same);
    }
    let constant = |&arg: &Value| func.as_const(arg).or(func.is_undef(arg).then_some(0));
    if let Some(constants) = args.iter().map(constant).collect::<Option<Parts<u64>>>() {
        let parts = constants.iter().enumerate();
        return Some(Word::Constant(
            parts.fold(0, |all, (i, part)| all | part << (i as u32 * bits)),
        ));
    }
    let (first, _) = part_of_word(func, args[0], bits)?;
    let is_next =
        |(i, &arg): (usize, &Value)| part_of_word(func, arg, bits) == Some((first, i as u32));
    args.iter().enumerate().all(is_next).then_some(Word::Value(first))
}

/// Replaces the parameters of each group with one parameter.
fn join(func: &mut Function, block: Block, groups: Vec<Group>) -> Joined {
    let old = std::mem::take(&mut func.blocks[block].params);
    let mut is_kept = vec![true; old.len()];
    groups.iter().flat_map(|group| &group.members).for_each(|&index| is_kept[index] = false);
    let kept: Vec<usize> = (0..old.len()).filter(|&index| is_kept[index]).collect();
    func.set_params(block, kept.iter().map(|&index| old[index]).collect());
    let params = groups.iter().map(|_| func.add_param(block, Type::I32)).collect();
    Joined { block, groups, params, old, kept, done: 0 }
}

/// Makes all branches to the blocks pass words for the groups.
fn pass_words(func: &mut Function, joined: &mut [Joined]) {
    let mut by_block = func.block_map::<Option<usize>>();
    for (index, it) in joined.iter().enumerate() {
        by_block[it.block] = Some(index);
    }
    for from in func.layout.clone() {
        let Some(terminator) = func.blocks[from].insts.pop() else { continue };
        let mut data = func.insts[terminator].clone();
        data.for_each_target_mut(|call| {
            let Some(index) = by_block[call.block] else { return };
            let it = &mut joined[index];
            let kept = it.kept.iter().map(|&index| call.args[index]);
            let words = it.groups.iter().zip(&it.params).map(|(group, &param)| {
                match group.words[it.done] {
                    Word::Value(source) => word_of(func, from, source),
                    Word::Constant(bits) => func.constant(Type::I32, bits),
                    Word::Same => param,
                }
            });
            call.args = kept.chain(words).collect();
            it.done += 1;
        });
        func.insts[terminator] = data;
        func.blocks[from].insts.push(terminator);
    }
}

/// Computes a word at the end of a block.
fn word_of(func: &mut Function, block: Block, Source { value, low }: Source) -> Value {
    let mut c = Cursor::new(func);
    c.out = c.begin(block);
    let word = c.binary_imm(BinaryOp::LShr, value, low.into());
    let word = c.resize(word, Type::I32, false);
    c.finish(block);
    word
}

/// Extracts the old parameters of the groups from the words.
fn take_out_parts(func: &mut Function, joined: &[Joined]) {
    let mut parts = func.value_map::<Option<Value>>();
    for it in joined {
        let mut c = Cursor::new(func);
        let rest = c.begin(it.block);
        for (group, &param) in it.groups.iter().zip(&it.params) {
            for (place, &index) in group.members.iter().enumerate() {
                let ty = c.ty(it.old[index]);
                let shift = place as i64 * i64::from(ty.bits());
                let shifted = c.binary_imm(BinaryOp::LShr, param, shift);
                parts[it.old[index]] = Some(c.convert(ConvertOp::Trunc, shifted, ty));
            }
        }
        c.out.extend(rest);
        c.finish(it.block);
    }
    func.replace_uses(|value| parts[value].unwrap_or(value));
}
