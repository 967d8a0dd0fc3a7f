//! Makes fewer rounds of loops that may run long, for drivers that end a work-item's loops after so many
//! rounds.
//!
//! Mesa's llvmpipe counts the rounds of all loops of an invocation (of all that are in one vector) in one
//! counter, which nothing resets: a loop within a loop goes on counting, and one that is passed without a
//! round of its own counts as one. So all that helps is to count less: a loop's body is copied, and one of
//! the driver's rounds is then several of the program's. Loops of known length inside of others are
//! unrolled altogether where that is little code.
//!
//! Copies that are not needed any more cost time all the same, since such a driver executes them with no
//! work-item enabled: the fewer, the less likely it is that a loop is long.

use super::{mem2reg, ssa_repair, unroll};
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::{Loop, Loops};
use crate::ir::{Block, Function, InstData, MemFlags, Type, Value};
use cranelift_entity::EntitySet;

/// Which loops are widened, and from when on.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// Rounds in all, those of the loops around it included, up to which a loop is left alone. Longer
    /// ones are not counted.
    pub short: usize,
    /// Rounds that the loops that are passed once make one by one, all together. That is faster as a
    /// rule: more code is more to decode.
    pub first: u16,
}

impl Policy {
    pub const DEFAULT: Policy = Policy { short: 2048, first: 16384 };
    /// Widens every innermost loop; for tests.
    pub const ALL: Policy = Policy { short: 0, first: 2 };
}

/// Most of the program's rounds in one: of a loop whose length is known, of one that is passed once, of
/// one inside of others, and of one with a barrier, where every copy makes the work-items wait.
const MOST_KNOWN: usize = 32;
const MOST_OUTSIDE: usize = 16;
const MOST_INSIDE: usize = 8;
const MOST_WITH_BARRIER: usize = 4;
/// Most exits of a widened loop: each copy lies in a branch of the exit before it, and llvmpipe ignores
/// conditions that are nested more than 80 deep.
const MAX_EXITS: usize = 40;
/// Most instructions that a loop may become.
const MAX_LOOP: usize = 1024;
/// Most instructions that a loop may become by being unrolled altogether.
const MAX_UNROLLED: usize = 512;
/// Most instructions that a function may grow to.
const MAX_FUNCTION: usize = 16384;

/// Widens innermost loops that may run long. Whether there were any.
pub fn run(func: &mut Function, policy: Policy) -> bool {
    let mut size = func.num_insts();
    let mut changed = false;
    let mut counter = None;
    for Candidate { data, rounds, insts } in candidates(func, policy) {
        let inside = blocks_of(&data);
        let once = data.depth == 1 && rounds.is_none() && !reads(func, &data);
        let exits = data.blocks.iter().filter(|&&block| leaves(func, &inside, block)).count();
        let most = most(func, &data, rounds).min(MAX_LOOP / insts).min(MAX_EXITS / exits.max(1));
        // As many rounds as it takes, and in each as few copies as do.
        let factor = match rounds {
            Some(rounds) if most > 0 => rounds.div_ceil(rounds.div_ceil(most)),
            _ => most,
        };
        if factor < 2 || size + insts * factor > MAX_FUNCTION {
            continue;
        }
        ssa_repair::through_variables(func, |def, at| inside.contains(def) && !inside.contains(at));
        match once {
            true => {
                let counter = *counter.get_or_insert_with(|| zero_variable(func));
                unroll::widen_later(func, &data, factor, counter, policy.first);
            }
            false => unroll::widen(func, &data, factor),
        }
        size += insts * factor;
        changed = true;
    }
    if changed {
        mem2reg::run(func);
    }
    changed
}

/// A private variable of 32 bits that is zero at first.
fn zero_variable(func: &mut Function) -> Value {
    let ptr = ssa_repair::alloca_for(func, Type::I32);
    let value = func.constant(Type::I32, 0);
    let store = InstData::Store { ptr, value, align: 4, flags: MemFlags::empty() };
    let store = func.make_inst(store, None);
    let entry = func.entry();
    func.blocks[entry].insts.insert(1, store);
    ptr
}

/// Unrolls small loops of known length that are inside of others and may not be left alone. Whether there
/// were any.
pub fn unroll_short(func: &mut Function) -> bool {
    let mut size = func.num_insts();
    let mut changed = false;
    for Candidate { data, rounds, insts } in candidates(func, Policy::DEFAULT) {
        let Some(rounds) = rounds.filter(|_| data.depth > 1) else { continue };
        let grown = insts * rounds;
        if grown <= MAX_UNROLLED
            && size + grown <= MAX_FUNCTION
            && unroll::unroll(func, &data, rounds)
        {
            size += grown;
            changed = true;
        }
    }
    changed
}

/// An innermost loop that may run long.
struct Candidate {
    data: Loop,
    /// How often its header runs each time, if that is known.
    rounds: Option<usize>,
    insts: usize,
}

fn candidates(func: &Function, policy: Policy) -> Vec<Candidate> {
    let cfg = Cfg::compute(func);
    let Loops { loops, .. } = Loops::compute(&cfg, &DomTree::compute(&cfg));
    let rounds: Vec<Option<usize>> =
        loops.iter().map(|data| unroll::count_rounds(func, &cfg, data, policy.short)).collect();
    let mut total: Vec<Option<usize>> = Vec::with_capacity(loops.len());
    let mut has_inner = vec![false; loops.len()];
    for (data, rounds) in loops.iter().zip(&rounds) {
        let around = data.parent.map_or(Some(1), |parent| total[parent]);
        total.push(around.zip(*rounds).map(|(around, own)| around.saturating_mul(own)));
        if let Some(parent) = data.parent {
            has_inner[parent] = true;
        }
    }
    let is_short = |index: usize| total[index].is_some_and(|total| total <= policy.short);
    let is_candidate = |index: usize, data: &Loop| {
        !has_inner[index] && !is_short(index) && data.header != func.entry()
    };
    loops
        .into_iter()
        .enumerate()
        .filter(|(index, data)| is_candidate(*index, data))
        .map(|(index, data)| {
            let insts = data.blocks.iter().map(|&block| func.blocks[block].insts.len()).sum();
            Candidate { data, rounds: rounds[index], insts }
        })
        .collect()
}

/// Whether control may leave a loop at the end of a block of it.
fn leaves(func: &Function, inside: &EntitySet<Block>, block: Block) -> bool {
    func.successors(block).into_iter().any(|to| !inside.contains(to))
}

/// Whether a loop reads memory. Where its end depends on that, the lanes of a vector that have no work-item,
/// whose loads give nothing, go on when the others have left; those then made a round too many in a second
/// loop.
fn reads(func: &Function, data: &Loop) -> bool {
    let mut insts = data.blocks.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.any(|&inst| {
        use InstData::{AtomicCmpXchg, AtomicLoad, AtomicRmw, Load};
        let data = &func.insts[inst];
        matches!(data, Load { .. } | AtomicLoad { .. } | AtomicRmw { .. } | AtomicCmpXchg { .. })
    })
}

fn most(func: &Function, data: &Loop, rounds: Option<usize>) -> usize {
    let waits = |inst| matches!(func.insts[inst], InstData::Barrier { .. });
    if data.blocks.iter().any(|&block| func.blocks[block].insts.iter().any(|&inst| waits(inst))) {
        return MOST_WITH_BARRIER;
    }
    match rounds {
        Some(_) => MOST_KNOWN,
        None if data.depth == 1 => MOST_OUTSIDE,
        None => MOST_INSIDE,
    }
}

fn blocks_of(data: &Loop) -> EntitySet<Block> {
    let mut blocks = EntitySet::new();
    for &block in &data.blocks {
        blocks.insert(block);
    }
    blocks
}
