//! How a module of SPIR-V is changed: word by word, and instruction by instruction.

use super::super::batch::random::Random;
use hekla_spirv::{first_word, split, Op, HEADER};
use std::collections::HashSet;

/// Numbers that make trouble.
const NUMBERS: [u32; 14] = [
    0,
    1,
    2,
    3,
    5,
    16,
    64,
    255,
    0xFFFF,
    0x1_0000,
    0x4000_0000,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
];
/// Opcodes of one kind, which take each other's places, as ranges: the first and the last.
const KINDS: [&[(Op, Op)]; 12] = {
    use Op::*;
    [
        // Types.
        &[
            (TypeVoid, TypeVector),
            (TypeArray, TypeArray),
            (TypeStruct, TypeStruct),
            (TypePointer, TypeFunction),
        ],
        // Constants.
        &[
            (ConstantTrue, ConstantComposite),
            (ConstantNull, ConstantNull),
            (SpecConstantTrue, SpecConstantOp),
        ],
        // Conversions.
        &[(ConvertFToU, Bitcast)],
        // Binary arithmetic.
        &[(IAdd, MatrixTimesScalar)],
        // Shifts and bits.
        &[(ShiftRightLogical, Not)],
        // Comparisons.
        &[(LogicalEqual, SLessThanEqual)],
        // Floats compared.
        &[(FOrdEqual, FUnordGreaterThanEqual)],
        // Memory.
        &[(Load, ArrayLength), (InBoundsPtrAccessChain, InBoundsPtrAccessChain)],
        // Composites and vectors.
        &[(VectorExtractDynamic, CopyObject)],
        // Atomic operations.
        &[(AtomicLoad, AtomicXor)],
        // Ends of blocks, merge instructions, labels and phis.
        &[(Phi, Unreachable)],
        // Instructions of work-groups, and barriers.
        &[(GroupAsyncCopy, GroupSMax), (ControlBarrier, MemoryBarrier)],
    ]
};
/// The largest number of words of a module, so that repeated parts stay small.
const MOST: usize = 20_000;

/// The range of an instruction's words.
type Place = std::ops::Range<usize>;

/// Changes a module in one to four places. `others` are modules from which instructions are taken.
pub fn change(words: &mut Vec<u32>, others: &[Vec<u32>], random: &mut Random) {
    for _ in 0..=random.small(4) {
        if words.len() <= HEADER || words.len() > MOST {
            return;
        }
        let all = instructions(words);
        let at = random.of(&all).clone();
        match random.below(32) {
            0..=13 => change_operand(words, &all, &at, random),
            14..=16 => change_opcode(words, &at, random),
            17 => change_length(words, &at, random),
            18 => drop(words.drain(at)),
            19 | 20 => {
                let copy = renamed(words, random.of(&all), random);
                words.splice(at.start..at.start, copy);
            }
            21 => {
                let copy = renamed(words, random.of(&all), random);
                words.splice(at, copy);
            }
            22 => swap(words, &at, &all, random),
            23 => move_run(words, &all, random),
            24 => splice(words, at.start, &others[random.below(others.len())], random),
            25 => words.truncate(at.start + random.below(at.len() + 1)),
            26 | 27 => resize(words, &at, random),
            28..=30 => exchange_ids(words, &all, random),
            _ if random.once_in(4) => words[random.below(HEADER)] = number(random),
            _ => words[at.start + random.below(at.len())] ^= 1 << random.below(32),
        }
    }
}

/// Returns a copy of an instruction, with a new id for its result, nearly always. Nothing uses the new id.
fn renamed(words: &mut [u32], at: &Place, random: &mut Random) -> Vec<u32> {
    let mut copy = words[at.clone()].to_vec();
    if let Some(result) = result_of(words, at).filter(|_| !random.once_in(8)) {
        copy[result] = words[3];
        words[3] = words[3].saturating_add(1);
    }
    copy
}

/// Returns the index of the word of an instruction that is most likely the id of its result.
fn result_of(words: &[u32], at: &Place) -> Option<usize> {
    use Op::*;
    let opcode = split(words[at.start]).1;
    let index = match Op::from_u32(opcode) {
        _ if is_type(opcode) => 1,
        Some(Label | String | ExtInstImport | DecorationGroup) => 1,
        // Instructions without a result, and two whose result is left alone.
        Some(
            Store | CopyMemory | CopyMemorySized | ArrayLength | ControlBarrier | MemoryBarrier
            | AtomicStore | Phi | Source | SourceExtension | Name | MemberName | Line | Extension
            | MemoryModel | EntryPoint | ExecutionMode | Capability | Decorate | MemberDecorate
            | GroupDecorate | GroupMemberDecorate | LoopMerge | SelectionMerge | Branch
            | BranchConditional | Switch | Kill | Return | ReturnValue | Unreachable,
        ) => return None,
        _ => 2,
    };
    (at.len() > index).then_some(index)
}

/// Returns true for opcodes that declare a type.
fn is_type(opcode: u32) -> bool {
    (Op::TypeVoid as u32..=Op::TypeForwardPointer as u32).contains(&opcode)
}

/// Removes a word or repeats one; the instruction's length is changed with it, more often than not.
fn resize(words: &mut Vec<u32>, at: &Place, random: &mut Random) {
    let place = at.start + random.below(at.len());
    let length = if random.once_in(2) {
        words.insert(place + 1, words[place]);
        at.len() + 1
    } else {
        words.remove(place);
        at.len() - 1
    };
    if at.start < words.len() && !random.once_in(4) {
        words[at.start] = first_word(split(words[at.start]).1, length);
    }
}

/// Returns the instructions of a module; the words behind a wrong length count as one instruction.
pub fn instructions(words: &[u32]) -> Vec<Place> {
    let mut all = Vec::new();
    let mut at = HEADER;
    while at < words.len() {
        let length = split(words[at]).0.max(1);
        let end = (at + length).min(words.len());
        all.push(at..end);
        at = end;
    }
    all
}

fn number(random: &mut Random) -> u32 {
    match random.below(3) {
        0 => random.small(1 << 20) as u32,
        1 => random.any() as u32,
        _ => *random.of(&NUMBERS),
    }
}

/// Changes a word behind the first: to an id of the same type, to one near it, or to any.
fn change_operand(words: &mut [u32], all: &[Place], at: &Place, random: &mut Random) {
    if at.len() < 2 {
        return;
    }
    let mut index = 1 + random.below(at.len() - 1);
    if result_of(words, at) == Some(index) && !random.once_in(8) {
        index = 1 + random.below(at.len() - 1);
    }
    let place = at.start + index;
    let bound = words[3].max(2) as usize;
    words[place] = match random.below(12) {
        0..=5 => alike(words, all, words[place], random),
        6 | 7 => 1 + random.below(bound - 1) as u32,
        8 => words[place].wrapping_add(1),
        9 => words[place].wrapping_sub(1),
        10 => words[HEADER + random.below(words.len() - HEADER)],
        _ => number(random),
    };
}

/// Returns an id of the same type as another id, or another type where the id is a type.
fn alike(words: &[u32], all: &[Place], id: u32, random: &mut Random) -> u32 {
    let is_type = |at: &&Place| at.len() > 1 && is_type(split(words[at.start]).1);
    let types: HashSet<u32> = all.iter().filter(is_type).map(|at| words[at.start + 1]).collect();
    if types.contains(&id) {
        let mut types: Vec<u32> = types.into_iter().collect();
        types.sort_unstable();
        return *random.of(&types);
    }
    // An instruction whose first operand is a type has its own id for the second.
    let typed = all.iter().filter(|at| at.len() > 2 && types.contains(&words[at.start + 1]));
    let typed: Vec<(u32, u32)> =
        typed.map(|at| (words[at.start + 1], words[at.start + 2])).collect();
    let Some(&(ty, _)) = typed.iter().find(|(_, own)| *own == id) else {
        return number(random);
    };
    let same: Vec<u32> = typed.iter().filter(|pair| pair.0 == ty).map(|pair| pair.1).collect();
    *random.of(&same)
}

/// Changes an instruction into another one, more often than not of its kind.
fn change_opcode(words: &mut [u32], at: &Place, random: &mut Random) {
    let (length, old) = split(words[at.start]);
    let kinds = KINDS.map(|ranges| {
        ranges.iter().flat_map(|(first, last)| *first as u32..=*last as u32).collect::<Vec<u32>>()
    });
    let kind = kinds.iter().find(|kind| kind.contains(&old));
    let new = match kind {
        Some(kind) if !random.once_in(4) => *random.of(kind),
        _ if random.once_in(2) => {
            let kind = random.of(&kinds);
            *random.of(kind)
        }
        _ => random.below(450) as u32,
    };
    words[at.start] = first_word(new, length);
}

fn change_length(words: &mut [u32], at: &Place, random: &mut Random) {
    let length = match random.below(4) {
        0 => at.len() as u32 + 1,
        1 => at.len() as u32 - 1,
        2 => random.below(16) as u32,
        _ => number(random) & 0xFFFF,
    };
    words[at.start] = first_word(split(words[at.start]).1, length as usize);
}

/// Swaps two instructions.
fn swap(words: &mut Vec<u32>, at: &Place, all: &[Place], random: &mut Random) {
    let other = random.of(all).clone();
    let (first, second) =
        if at.start < other.start { (at.clone(), other) } else { (other, at.clone()) };
    if first.end > second.start {
        return;
    }
    let (early, late) = (words[first.clone()].to_vec(), words[second.clone()].to_vec());
    words.splice(second, early);
    words.splice(first, late);
}

/// Moves some instructions to another place: before the declarations, or behind the end of their function.
fn move_run(words: &mut Vec<u32>, all: &[Place], random: &mut Random) {
    let first = random.below(all.len());
    let last = (first + random.small(12)).min(all.len() - 1);
    let run: Vec<u32> = words.drain(all[first].start..all[last].end).collect();
    let rest = instructions(words);
    let place = if rest.is_empty() { words.len() } else { random.of(&rest).start };
    words.splice(place..place, run);
}

/// Copies some instructions of another module, whose ids mean other things here.
fn splice(words: &mut Vec<u32>, place: usize, other: &[u32], random: &mut Random) {
    let all = instructions(other);
    if all.is_empty() {
        return;
    }
    let first = random.below(all.len());
    let last = (first + random.small(40)).min(all.len() - 1);
    words.splice(place..place, other[all[first].start..all[last].end].iter().copied());
    words[3] = words[3].max(other[3]);
}

/// Replaces an id by another one everywhere.
fn exchange_ids(words: &mut [u32], all: &[Place], random: &mut Random) {
    let bound = words[3].max(2) as usize;
    let old = 1 + random.below(bound - 1) as u32;
    let new = alike(words, all, old, random);
    for place in all {
        for word in &mut words[place.start + 1..place.end] {
            if *word == old {
                *word = new;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hekla_spirv::{encode, header};

    /// OpTypeVoid %1, OpTypeInt %2 32 0, OpConstant %2 %3 7.
    fn module() -> Vec<u32> {
        let mut words = header(0, 9).to_vec();
        encode(&mut words, Op::TypeVoid, &[1]);
        encode(&mut words, Op::TypeInt, &[2, 32, 0]);
        encode(&mut words, Op::Constant, &[2, 3, 7]);
        words
    }

    #[test]
    fn instructions_are_found_whatever_their_lengths_say() {
        assert_eq!(instructions(&module()), [5..7, 7..11, 11..15]);
        let mut broken = module();
        broken[5] = 19;
        assert_eq!(instructions(&broken)[..2], [5..6, 6..7]);
        broken[7] = 0xFFFF_0015;
        assert_eq!(instructions(&broken).last(), Some(&(7..15)));
    }

    #[test]
    fn every_change_is_survived_and_most_change_something() {
        let mut random = Random::new(5);
        let module = module();
        let others = [module.clone(), module[..7].to_vec()];
        let mut same = 0;
        for _ in 0..20_000 {
            let mut words = module.clone();
            change(&mut words, &others, &mut random);
            same += usize::from(words == module);
        }
        assert!(same < 4000, "{same}");
    }
}
