//! Scalar promotion: memory that a loop accesses at an unchanging address becomes a value while the loop runs. The value is
//! loaded in front of the loop and, if the loop stores to the memory, stored behind each exit.
//!
//! ```text
//! for (…) force[i].x += f(j);    becomes    x = force[i].x; for (…) x += f(j); force[i].x = x;
//! ```
//!
//! Nothing else in the loop may access the same bytes, nor let other work-items see them (barriers, fences, atomic
//! operations). Memory that others may reach is promoted only if an access to it runs whenever the loop does: only then is
//! its address known to be valid, and does the program itself store to it whenever the pass stores behind the loop. Private
//! objects of known size need not fulfil these conditions. If other code indexes an array, its elements still become values in
//! loops that do not index it.

use super::licm::{find_preheader, LoopNest};
use super::most_searches;
use crate::analysis::alias::ClassSet;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The most 32-bit words of the values that are promoted in one loop: each takes a register while the loop runs.
const MAX_WORDS: u32 = 64;

/// The most edges that leave a loop and get stores.
const MAX_EXITS: usize = 16;

/// The most locations of a loop that are analysed.
const MAX_LOCATIONS: usize = 256;

/// Bytes that a loop accesses at an address computed outside of the loop.
struct Location {
    base: Value,
    offset: i64,
    ty: Type,
    /// The least alignment of its accesses, in bytes.
    align: u32,
    is_stored: bool,
    /// True if all bytes are in a private object.
    is_inside: bool,
    /// True if an access, or a store, runs whenever the loop is entered.
    has_certain_access: bool,
    has_certain_store: bool,
    accesses: Vec<Inst>,
}

impl Location {
    /// Returns true if the location may be loaded in front of the loop and, if the loop stores to it, stored behind the
    /// loop.
    fn is_certain(&self) -> bool {
        let runs = if self.is_stored { self.has_certain_store } else { self.has_certain_access };
        self.is_inside || runs
    }

    fn overlaps(&self, other: &Location) -> bool {
        let end = |location: &Location| location.offset + i64::from(location.ty.bytes());
        self.offset < end(other) && other.offset < end(self)
    }
}

/// Promotes memory in the loops of a function. `kernel` is given if the function is a kernel's entry. Returns true if
/// anything was promoted.
pub fn run(func: &mut Function, kernel: Option<&KernelEntry>) -> bool {
    let mut seen: FxHashSet<Block> = FxHashSet::default();
    // Promoting a loop adds blocks at its exits, so the remaining loops are computed again.
    for round in 0..most_searches(func) {
        let Some(nest) = LoopNest::compute(func, kernel) else { return round > 0 };
        // Inner loops first: accesses that are moved out of one loop may be moved out of the next.
        let found = (0..nest.loops.loops.len()).rev().find_map(|index| {
            let data = &nest.loops.loops[index];
            if !seen.insert(data.header) {
                return None;
            }
            let preheader = find_preheader(func, &nest.cfg, data)?;
            let promoted = find(func, &nest, index, false)?;
            Some((index, preheader, promoted))
        });
        let Some((index, preheader, promoted)) = found else { return round > 0 };
        promote(func, &nest, index, preheader, &promoted);
    }
    true
}

/// Returns true if memory of a loop, other than private objects, can be promoted once the loop is rotated.
pub(super) fn pays_once_rotated(func: &Function, nest: &LoopNest<'_>, index: usize) -> bool {
    let promoted = find(func, nest, index, true);
    let is_wanted = |location: &Location| location.is_stored && !location.is_inside;
    promoted.is_some_and(|locations| locations.iter().any(is_wanted))
}

/// Returns the locations of a loop that can be promoted, if there are any. `is_rotated`: returns those after rotation, when
/// the test in the header is behind the other blocks and also in front of the loop.
fn find(
    func: &Function,
    nest: &LoopNest<'_>,
    index: usize,
    is_rotated: bool,
) -> Option<Vec<Location>> {
    let data = &nest.loops.loops[index];
    let locations = gather(func, nest, index, is_rotated)?;
    let exits = exit_edges(func, nest, index);
    if exits == 0 || exits > MAX_EXITS {
        return None;
    }
    let classes = nest.memory(func);
    let own: FxHashSet<Inst> =
        locations.iter().flat_map(|location| location.accesses.iter().copied()).collect();
    // The classes that the rest of the loop reads and writes.
    let (mut read, mut written): (ClassSet, ClassSet) = (0, 0);
    for inst in data.insts(func).filter(|inst| !own.contains(inst)) {
        let clobbered = classes.clobbered(func, inst);
        (read, written) = (read | clobbered, written | clobbered);
        if let InstData::Load { ptr, flags, .. } = func.insts[inst] {
            if !flags.contains(MemFlags::INVARIANT) {
                read |= 1 << classes.read(func, ptr);
            }
        }
    }
    let of = |location: &Location| {
        (1 << classes.read(func, location.base), classes.written(func, location.base))
    };
    let sets: Vec<(ClassSet, ClassSet)> = locations.iter().map(of).collect();
    let conflicts = |at: usize, other: usize| {
        let (a, b) = (&locations[at], &locations[other]);
        match a.base == b.base {
            _ if at == other => false,
            true => a.overlaps(b),
            false => {
                a.is_stored && sets[at].1 & (sets[other].0 | sets[other].1) != 0
                    || b.is_stored && sets[other].1 & sets[at].0 != 0
            }
        }
    };
    let is_alone = |at: usize| {
        let (reads, writes) = sets[at];
        let location = &locations[at];
        location.is_certain()
            && (reads | if location.is_stored { writes } else { 0 }) & written == 0
            && !(location.is_stored && writes & read != 0)
            && !(0..locations.len()).any(|other| conflicts(at, other))
    };
    let alone: Vec<bool> = (0..locations.len()).map(is_alone).collect();
    let mut words = 0;
    let mut promoted: Vec<Location> = Vec::new();
    for (location, is_alone) in locations.into_iter().zip(alone) {
        let more = location.ty.bytes().div_ceil(4);
        if is_alone && words + more <= MAX_WORDS {
            words += more;
            promoted.push(location);
        }
    }
    (!promoted.is_empty()).then_some(promoted)
}

/// Returns the locations of a loop's plain accesses, if the loop stores to one of them.
fn gather(
    func: &Function,
    nest: &LoopNest<'_>,
    index: usize,
    is_rotated: bool,
) -> Option<Vec<Location>> {
    let data = &nest.loops.loops[index];
    let is_invariant = |value: Value| {
        nest.block_of(func, value).is_none_or(|home| !nest.loops.contains(index, home))
    };
    let stores_there = |&inst: &Inst| {
        let InstData::Store { ptr, .. } = func.insts[inst] else { return false };
        plain_access(func, inst).is_some() && is_invariant(func.base_and_offset(ptr).0)
    };
    if !data.blocks.iter().any(|&block| func.blocks[block].insts.iter().any(stores_there)) {
        return None;
    }
    let mut locations: Vec<Location> = Vec::new();
    let mut known: FxHashMap<(Value, i64, Type), usize> = FxHashMap::default();
    let certain: FxHashSet<Block> = nest.certain_blocks(index, is_rotated).into_iter().collect();
    for &block in &data.blocks {
        let is_certain = certain.contains(&block);
        for &inst in &func.blocks[block].insts {
            let Some((ptr, ty, align)) = plain_access(func, inst) else { continue };
            let is_store = matches!(func.insts[inst], InstData::Store { .. });
            let (base, offset) = func.base_and_offset(ptr);
            if !is_invariant(base) {
                continue;
            }
            let at = *known.entry((base, offset, ty)).or_insert_with(|| {
                locations.push(Location {
                    base,
                    offset,
                    ty,
                    align,
                    is_stored: false,
                    is_inside: is_inside(func, base, offset, ty),
                    has_certain_access: false,
                    has_certain_store: false,
                    accesses: Vec::new(),
                });
                locations.len() - 1
            });
            let location = &mut locations[at];
            location.align = location.align.min(align);
            location.is_stored |= is_store;
            location.has_certain_access |= is_certain;
            location.has_certain_store |= is_certain && is_store;
            location.accesses.push(inst);
        }
    }
    (locations.len() <= MAX_LOCATIONS).then_some(locations)
}

/// Returns the address, type and alignment of a load or store that may be promoted.
fn plain_access(func: &Function, inst: Inst) -> Option<(Value, Type, u32)> {
    let (ptr, ty, align, flags) = match func.insts[inst] {
        InstData::Load { ptr, align, flags } => (ptr, func.ty(func.result(inst)?), align, flags),
        InstData::Store { ptr, value, align, flags } => (ptr, func.ty(value), align, flags),
        _ => return None,
    };
    let is_plain = flags.is_empty() && !ty.scalar.is_ptr() && ty != Type::BOOL;
    (is_plain && func.ty(ptr).space() != Some(AddressSpace::Constant)).then_some((ptr, ty, align))
}

/// Returns true if the bytes are in a private object with the address `base`.
fn is_inside(func: &Function, base: Value, offset: i64, ty: Type) -> bool {
    match func.def_inst(base) {
        Some(&InstData::Alloca { size, .. }) => {
            offset >= 0 && offset as u64 + u64::from(ty.bytes()) <= size
        }
        _ => false,
    }
}

/// Returns the number of edges that leave a loop.
fn exit_edges(func: &Function, nest: &LoopNest<'_>, index: usize) -> usize {
    let mut edges = 0;
    for &block in &nest.loops.loops[index].blocks {
        for succ in func.successors(block) {
            edges += usize::from(!nest.loops.contains(index, succ));
        }
    }
    edges
}

/// Replaces the accesses to a loop's locations by accesses to variables, one for each lane, which mem2reg turns into values.
fn promote(
    func: &mut Function,
    nest: &LoopNest<'_>,
    index: usize,
    preheader: Block,
    locations: &[Location],
) {
    let slots: Vec<SmallVec<[Value; 4]>> = locations.iter().map(|l| slots(func, l.ty)).collect();
    let mut of_inst: FxHashMap<Inst, usize> = FxHashMap::default();
    for (at, location) in locations.iter().enumerate() {
        location.accesses.iter().for_each(|&inst| _ = of_inst.insert(inst, at));
    }
    insert_before_end(func, preheader, |b| {
        for (location, slots) in locations.iter().zip(&slots) {
            let ptr = b.ptr_add_const(location.base, location.offset);
            let value = b.load(location.ty, ptr, location.align, MemFlags::empty());
            store_lanes(b, slots, value);
        }
    });
    let blocks = nest.loops.loops[index].blocks.clone();
    for &block in &blocks {
        replace_accesses(func, block, &of_inst, &slots);
    }
    if locations.iter().any(|location| location.is_stored) {
        for &block in &blocks {
            store_at_exits(func, nest, index, block, locations, &slots);
        }
    }
}

/// Creates a variable for each lane of a type.
fn slots(func: &mut Function, ty: Type) -> SmallVec<[Value; 4]> {
    let bytes = ty.scalar.bytes();
    (0..ty.lanes).map(|_| Builder::new(func).alloca(u64::from(bytes), bytes)).collect()
}

fn store_lanes(b: &mut Builder<'_>, slots: &[Value], value: Value) {
    let align = b.ty(value).scalar.bytes();
    for (lane, &slot) in slots.iter().enumerate() {
        let scalar = match slots.len() {
            1 => value,
            _ => b.extract(value, lane as u8),
        };
        b.store(slot, scalar, align, MemFlags::empty());
    }
}

fn load_lanes(b: &mut Builder<'_>, slots: &[Value], ty: Type) -> SmallVec<[Value; 4]> {
    let (scalar, align) = (Type::of(ty.scalar), ty.scalar.bytes());
    slots.iter().map(|&slot| b.load(scalar, slot, align, MemFlags::empty())).collect()
}

/// Inserts instructions in front of a block's terminator.
fn insert_before_end(func: &mut Function, block: Block, insert: impl FnOnce(&mut Builder<'_>)) {
    let end = func.blocks[block].insts.pop();
    let mut b = Builder::new(func);
    b.switch_to(block);
    insert(&mut b);
    func.blocks[block].insts.extend(end);
}

/// Makes the accesses of a block access the variables of their locations.
fn replace_accesses(
    func: &mut Function,
    block: Block,
    of_inst: &FxHashMap<Inst, usize>,
    slots: &[SmallVec<[Value; 4]>],
) {
    if !func.blocks[block].insts.iter().any(|inst| of_inst.contains_key(inst)) {
        return;
    }
    let insts = std::mem::take(&mut func.blocks[block].insts);
    for inst in insts {
        let Some(&at) = of_inst.get(&inst) else {
            func.blocks[block].insts.push(inst);
            continue;
        };
        let slots = &slots[at];
        let mut b = Builder::new(func);
        b.switch_to(block);
        if let InstData::Store { value, .. } = b.func.insts[inst] {
            store_lanes(&mut b, slots, value);
            continue;
        }
        let Some(result) = b.func.result(inst) else { continue };
        let ty = b.func.ty(result);
        if let [slot] = slots[..] {
            let (align, flags) = (ty.scalar.bytes(), MemFlags::empty());
            b.func.replace_inst(inst, InstData::Load { ptr: slot, align, flags });
        } else {
            let args = load_lanes(&mut b, slots, ty).into_iter().collect();
            b.func.replace_inst(inst, InstData::Build { args });
        }
        func.blocks[block].insts.push(inst);
    }
}

/// Stores the final values of the variables to their locations, on each edge from `block` that leaves the loop.
fn store_at_exits(
    func: &mut Function,
    nest: &LoopNest<'_>,
    index: usize,
    block: Block,
    locations: &[Location],
    slots: &[SmallVec<[Value; 4]>],
) {
    let Some(end) = func.terminator(block) else { return };
    let mut leaving: SmallVec<[BlockCall; 2]> = SmallVec::new();
    func.insts[end].for_each_target(|call| {
        if !nest.loops.contains(index, call.block) {
            leaving.push(call.clone());
        }
    });
    let mut edges: SmallVec<[Block; 2]> = SmallVec::new();
    for call in leaving {
        let edge = func.add_block();
        let mut b = Builder::new(func);
        b.switch_to(edge);
        for (location, slots) in locations.iter().zip(slots) {
            if !location.is_stored {
                continue;
            }
            let lanes = load_lanes(&mut b, slots, location.ty);
            let value = if lanes.len() == 1 { lanes[0] } else { b.build(&lanes) };
            let ptr = b.ptr_add_const(location.base, location.offset);
            b.store(ptr, value, location.align, MemFlags::empty());
        }
        func.append(edge, InstData::Jump { target: call }, None);
        edges.push(edge);
    }
    let mut edges = edges.into_iter();
    func.insts[end].for_each_target_mut(|call| {
        if nest.loops.contains(index, call.block) {
            return;
        }
        if let Some(edge) = edges.next() {
            *call = BlockCall::new(edge);
        }
    });
}
