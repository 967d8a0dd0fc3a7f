//! Load and store vectorization: accesses of adjacent scalars in device memory become one of a vector, where the
//! address is known to be aligned to it.
//!
//! An access tells the alignment of its address, and with it that of the others from the same base pointer.

use crate::analysis::alias::{AliasClasses, ClassSet};
use crate::analysis::known_bits::KnownBits;
use crate::ir::cfg::Cfg;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most bytes of an access.
const MAX_BYTES: i64 = 16;

/// Most accesses of a group, and most groups that accesses may yet join.
const MAX_MEMBERS: usize = 1024;
const MAX_GROUPS: usize = 4096;

/// One access of a group.
#[derive(Clone, Copy)]
struct Member {
    /// Bytes from the group's base pointer.
    offset: i64,
    align: u32,
    /// Index in the block.
    at: usize,
}

/// Accesses from one base pointer between which nothing has to stay in its place.
struct Group {
    base: Value,
    /// Type of the accessed scalars.
    ty: Type,
    is_store: bool,
    flags: MemFlags,
    /// Classes that are read or written.
    classes: ClassSet,
    members: SmallVec<[Member; 8]>,
    /// The least and the greatest offset of a member.
    offsets: (i64, i64),
}

impl Group {
    fn has_member_at(&self, offset: i64) -> bool {
        let (least, greatest) = self.offsets;
        (least..=greatest).contains(&offset)
            && self.members.iter().any(|member| member.offset == offset)
    }
}

/// A part of a group that becomes one access.
struct Run {
    base: Value,
    ty: Type,
    is_store: bool,
    flags: MemFlags,
    members: SmallVec<[Member; 4]>,
}

/// Vectorizes a function, a kernel's entry where `kernel` is given. Returns true if anything changed.
pub fn run(func: &mut Function, kernel: Option<&KernelEntry>) -> bool {
    let may_vectorize = |&block: &Block| {
        let insts = &func.blocks[block].insts;
        insts.iter().filter(|&&inst| access(func, inst).is_some()).nth(1).is_some()
    };
    let blocks: Vec<Block> = func.layout.iter().copied().filter(may_vectorize).collect();
    if blocks.is_empty() {
        return false;
    }
    let classes = AliasClasses::compute(func, kernel, &Cfg::compute(func));
    let mut changed = false;
    for block in blocks {
        let groups = groups(func, &classes, block);
        let runs: Vec<Run> = groups.iter().flat_map(|group| runs(func, kernel, group)).collect();
        changed |= !runs.is_empty();
        rewrite(func, block, &runs);
    }
    changed
}

/// A scalar access of device memory.
struct Access {
    ptr: Value,
    ty: Type,
    align: u32,
    flags: MemFlags,
    is_store: bool,
}

/// Returns the access of an instruction that may become part of a vector's.
fn access(func: &Function, inst: Inst) -> Option<Access> {
    let (ptr, ty, align, flags, is_store) = match func.insts[inst] {
        InstData::Load { ptr, align, flags } => {
            (ptr, func.ty(func.result(inst)?), align, flags, false)
        }
        InstData::Store { ptr, value, align, flags } => (ptr, func.ty(value), align, flags, true),
        _ => return None,
    };
    let space = func.ty(ptr).space();
    let is_global = matches!(space, Some(AddressSpace::Global | AddressSpace::Constant));
    let is_plain = !flags.contains(MemFlags::VOLATILE) && ty.lanes == 1 && !ty.scalar.is_ptr();
    let has_size = matches!(ty.scalar.bytes(), 4 | 8) && align >= ty.scalar.bytes();
    (is_global && is_plain && has_size).then_some(Access { ptr, ty, align, flags, is_store })
}

/// Gathers the accesses of a block.
fn groups(func: &Function, classes: &AliasClasses, block: Block) -> Vec<Group> {
    let (mut open, mut closed): (Vec<Group>, Vec<Group>) = (Vec::new(), Vec::new());
    // How many open groups have a base pointer, and the classes of those that load and that store, or of more.
    let mut of_base: FxHashMap<Value, u32> = FxHashMap::default();
    let mut used: [ClassSet; 2] = [0; 2];
    for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
        let found = access(func, inst);
        let home = found.as_ref().map(|access| {
            let (base, offset) = func.base_and_offset(access.ptr);
            (base, Member { offset, align: access.align, at })
        });
        let belongs = |group: &Group| match (&found, &home) {
            (Some(access), Some((base, member))) => {
                group.members.len() < MAX_MEMBERS
                    && group.base == *base
                    && (group.ty, group.is_store, group.flags)
                        == (access.ty, access.is_store, access.flags)
                    && !group.has_member_at(member.offset)
            }
            _ => false,
        };
        // What it has to stay in order with.
        let written = classes.clobbered(func, inst);
        let read = match func.insts[inst] {
            InstData::Load { ptr, .. } => 1 << classes.read(func, ptr),
            _ => 0,
        };
        if used[0] & written | used[1] & (written | read) != 0 {
            used = [0; 2];
            let mut i = 0;
            while i < open.len() {
                let group = &open[i];
                let order = if group.is_store { written | read } else { written };
                if group.classes & order != 0 && !belongs(group) {
                    let group = open.swap_remove(i);
                    of_base.entry(group.base).and_modify(|count| *count -= 1);
                    closed.push(group);
                    continue;
                }
                used[usize::from(group.is_store)] |= group.classes;
                i += 1;
            }
        }
        let (Some(access), Some((base, member))) = (&found, home) else { continue };
        let with_base = of_base.entry(base).or_default();
        let group = (*with_base > 0).then(|| open.iter().position(belongs)).flatten();
        if let Some(group) = group {
            let group = &mut open[group];
            let (least, greatest) = group.offsets;
            group.offsets = (least.min(member.offset), greatest.max(member.offset));
            group.members.push(member);
            continue;
        }
        *with_base += 1;
        used[usize::from(access.is_store)] |= written | read;
        if open.len() >= MAX_GROUPS {
            closed.append(&mut open);
            of_base.clear();
            of_base.insert(base, 1);
        }
        open.push(Group {
            base,
            ty: access.ty,
            is_store: access.is_store,
            flags: access.flags,
            classes: written | read,
            members: SmallVec::from_slice(&[member]),
            offsets: (member.offset, member.offset),
        });
    }
    closed.append(&mut open);
    closed.retain(|group| group.members.len() > 1);
    closed
}

/// Returns the parts of a group that are adjacent and aligned.
fn runs(func: &Function, kernel: Option<&KernelEntry>, group: &Group) -> Vec<Run> {
    let mut members = group.members.clone();
    members.sort_unstable_by_key(|member| member.offset);
    // The base is `misalignment` bytes past a multiple of `align`.
    let known = (KnownBits::new(func, kernel).alignment(group.base), 0);
    let told = members.iter().map(|member| {
        let align = i64::from(member.align);
        (align, (-member.offset).rem_euclid(align))
    });
    let (align, misalignment) =
        told.fold(known, |best, other| if other.0 > best.0 { other } else { best });
    let size = i64::from(group.ty.bytes());
    let mut runs = Vec::new();
    let mut rest = &members[..];
    while let Some(first) = rest.first() {
        let is_run = |&lanes: &i64| {
            let bytes = lanes * size;
            let adjacent = (0..lanes)
                .all(|i| rest.get(i as usize).is_some_and(|m| m.offset == first.offset + i * size));
            let start = misalignment + first.offset;
            bytes <= MAX_BYTES && adjacent && align % bytes == 0 && start.rem_euclid(bytes) == 0
        };
        let lanes = [4, 2].into_iter().find(is_run).unwrap_or(1);
        let (run, others) = rest.split_at(lanes as usize);
        rest = others;
        if lanes > 1 {
            let Group { base, ty, is_store, flags, .. } = *group;
            runs.push(Run { base, ty, is_store, flags, members: SmallVec::from_slice(run) });
        }
    }
    runs
}

/// Replaces the accesses of each run: loads by one where the first stands, stores by one where the last stands.
fn rewrite(func: &mut Function, block: Block, runs: &[Run]) {
    let mut run_at: Vec<Option<usize>> = vec![None; func.blocks[block].insts.len()];
    for (index, run) in runs.iter().enumerate() {
        for member in &run.members {
            run_at[member.at] = Some(index);
        }
    }
    let mut loaded: Vec<Option<Value>> = vec![None; runs.len()];
    let mut c = Cursor::new(func);
    let insts = c.begin(block);
    for (at, &inst) in insts.iter().enumerate() {
        let Some(index) = run_at[at] else {
            c.keep(inst);
            continue;
        };
        let run = &runs[index];
        let lanes = run.members.len() as u8;
        let (ty, align) = (Type::vector(run.ty.scalar, lanes), run.ty.bytes() * u32::from(lanes));
        let ptr = |c: &mut Cursor<'_>| c.ptr_add_const(run.base, run.members[0].offset);
        if run.is_store {
            if run.members.iter().all(|member| member.at <= at) {
                let values: SmallVec<[Value; 4]> =
                    run.members.iter().filter_map(|m| stored(c.func, insts[m.at])).collect();
                let (vector, ptr) = (c.build(&values), ptr(&mut c));
                c.store(ptr, vector, align, run.flags);
            }
            continue;
        }
        let vector = match loaded[index] {
            Some(vector) => vector,
            None => {
                let ptr = ptr(&mut c);
                *loaded[index].insert(c.load(ty, ptr, align, run.flags))
            }
        };
        let lane = run.members.iter().position(|member| member.at == at).unwrap_or(0) as u8;
        c.func.replace_inst(inst, InstData::Extract { arg: vector, lane });
        c.keep(inst);
    }
    c.finish_in(block, insts);
}

fn stored(func: &Function, inst: Inst) -> Option<Value> {
    match func.insts[inst] {
        InstData::Store { value, .. } => Some(value),
        _ => None,
    }
}
