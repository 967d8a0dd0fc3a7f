//! Load and store vectorization: accesses to adjacent scalars in device memory become one access to a vector, if the address
//! is known to be aligned to the vector, or the device accesses vectors of words wherever it accesses words
//! ([`Quirks::WORD_VECTORS`](hekla_device::Quirks::WORD_VECTORS)). If the device's driver makes use of it, accesses to
//! work-group memory are merged, too ([`Quirks::WHOLE_LOCAL_VECTORS`](hekla_device::Quirks::WHOLE_LOCAL_VECTORS)).
//!
//! An access shows the alignment of its address, and so the alignment of other addresses with the same base pointer.

use crate::analysis::alias::{AliasClasses, ClassSet};
use crate::analysis::known_bits::KnownBits;
use crate::ir::cfg::Cfg;
use crate::ir::*;
use crate::kernel::ArgKind;
use crate::passes::cursor::Cursor;
use crate::target::Target;
use cranelift_entity::PrimaryMap;
use hekla_device::Quirks;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The most bytes of a vectorized access.
const MAX_BYTES: i64 = 16;

/// The most accesses of a group, and the most groups that accesses may still join.
const MAX_MEMBERS: usize = 1024;
const MAX_GROUPS: usize = 4096;

/// The alignment that objects in work-group memory get, in bytes.
const LOCAL_ALIGN: u32 = 16;

/// The memory whose accesses are vectorized.
#[derive(Clone, Copy)]
enum Memory<'a> {
    /// `by_words`: vectors need no more alignment than their lanes.
    Device { by_words: bool },
    /// Work-group memory, with the module's variables.
    Local(&'a PrimaryMap<Global, GlobalData>),
}

impl Memory<'_> {
    fn contains(self, space: Option<AddressSpace>) -> bool {
        match self {
            Memory::Device { .. } => {
                matches!(space, Some(AddressSpace::Global | AddressSpace::Constant))
            }
            Memory::Local(_) => space == Some(AddressSpace::Local),
        }
    }

    /// Returns the variable whose address a value is, if the variable is known.
    fn variable<'b>(&'b self, func: &Function, base: Value) -> Option<&'b GlobalData> {
        match (self, func.def_inst(base)) {
            (Memory::Local(globals), Some(&InstData::GlobalAddr { global })) => globals.get(global),
            _ => None,
        }
    }
}

/// One access of a group.
#[derive(Clone, Copy)]
struct Member {
    /// Offset from the group's base pointer in bytes.
    offset: i64,
    align: u32,
    /// Index of the access in the block.
    at: usize,
}

/// Accesses with one base pointer that may be moved together: nothing between them has to keep its order with them.
struct Group {
    base: Value,
    /// Type of the accessed scalars.
    ty: Type,
    is_store: bool,
    flags: MemFlags,
    /// Alias classes that the accesses read or write.
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

/// A part of a group that becomes one access to a vector.
struct Run {
    base: Value,
    ty: Type,
    is_store: bool,
    flags: MemFlags,
    /// Offset of the first lane in bytes, and the number of lanes. A load may have lanes that no member uses.
    offset: i64,
    lanes: u8,
    align: u32,
    members: SmallVec<[Member; 4]>,
}

/// Vectorizes accesses to device memory in a function. `kernel` is given if the function is a kernel's entry. Returns true if
/// anything changed.
pub fn run(func: &mut Function, kernel: Option<&KernelEntry>, target: &Target) -> bool {
    let by_words = target.has(Quirks::WORD_VECTORS) && target.scalar_block_layout && target.int64;
    vectorize(func, kernel, Memory::Device { by_words })
}

/// Vectorizes accesses to work-group memory in all functions. Objects in it get an alignment that allows vectors, if there is
/// room. Returns the functions that changed.
pub fn run_on_local(module: &mut Module, target: &Target) -> Vec<Func> {
    align_local_objects(module, target);
    let mut changed = Vec::new();
    let Module { functions, globals, kernels, .. } = module;
    for (id, func) in functions.iter_mut() {
        let kernel = kernels.of(id);
        if vectorize(func, kernel, Memory::Local(globals)) {
            changed.push(id);
        }
    }
    changed
}

/// Aligns variables and arguments in work-group memory.
fn align_local_objects(module: &mut Module, target: &Target) {
    let is_local = |data: &GlobalData| data.space == AddressSpace::Local;
    let bytes =
        module.globals.values().filter(|data| is_local(data)).try_fold(0u64, |sum, data| {
            sum.checked_add(data.size)?.checked_add(u64::from(LOCAL_ALIGN.max(data.align)))
        });
    if bytes.is_some_and(|bytes| bytes <= target.local_memory_size) {
        for data in module.globals.values_mut().filter(|data| is_local(data)) {
            data.align = data.align.max(LOCAL_ALIGN);
        }
    }
    for place in 0..module.kernels.len() {
        let Some(kernel) = module.kernels.at_mut(place) else { continue };
        for (arg, known) in kernel.args.iter_mut().zip(&mut kernel.pointee_alignments) {
            if let ArgKind::Local { align, .. } = &mut arg.kind {
                *align = (*align).max(LOCAL_ALIGN);
                *known = (*known).max(LOCAL_ALIGN);
            }
        }
    }
}

fn vectorize(func: &mut Function, kernel: Option<&KernelEntry>, memory: Memory<'_>) -> bool {
    let may_vectorize = |&block: &Block| {
        let insts = &func.blocks[block].insts;
        insts.iter().filter(|&&inst| access(func, inst, memory).is_some()).nth(1).is_some()
    };
    let blocks: Vec<Block> = func.layout.iter().copied().filter(may_vectorize).collect();
    if blocks.is_empty() {
        return false;
    }
    let classes = AliasClasses::compute(func, kernel, &Cfg::compute(func));
    let mut changed = false;
    for block in blocks {
        let groups = groups(func, &classes, block, memory);
        let runs: Vec<Run> =
            groups.iter().flat_map(|group| runs(func, kernel, group, memory)).collect();
        changed |= !runs.is_empty();
        rewrite(func, block, &runs);
    }
    changed
}

/// A scalar access.
struct Access {
    ptr: Value,
    ty: Type,
    align: u32,
    flags: MemFlags,
    is_store: bool,
}

/// Returns the access of an instruction, if it may become part of an access to a vector.
fn access(func: &Function, inst: Inst, memory: Memory<'_>) -> Option<Access> {
    let (ptr, ty, align, flags, is_store) = match func.insts[inst] {
        InstData::Load { ptr, align, flags } => {
            (ptr, func.ty(func.result(inst)?), align, flags, false)
        }
        InstData::Store { ptr, value, align, flags } => (ptr, func.ty(value), align, flags, true),
        _ => return None,
    };
    let is_there = memory.contains(func.ty(ptr).space());
    let is_plain = !flags.contains(MemFlags::VOLATILE) && ty.lanes == 1 && !ty.scalar.is_ptr();
    let has_size = matches!(ty.scalar.bytes(), 4 | 8) && align >= ty.scalar.bytes();
    (is_there && is_plain && has_size).then_some(Access { ptr, ty, align, flags, is_store })
}

/// Gathers the accesses of a block in groups.
fn groups(func: &Function, classes: &AliasClasses, block: Block, memory: Memory<'_>) -> Vec<Group> {
    let (mut open, mut closed): (Vec<Group>, Vec<Group>) = (Vec::new(), Vec::new());
    // The number of open groups with each base pointer, and the alias classes that open groups load and store. The
    // classes may include more.
    let mut of_base: FxHashMap<Value, u32> = FxHashMap::default();
    let mut used: [ClassSet; 2] = [0; 2];
    for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
        let found = access(func, inst, memory);
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
        // The alias classes of the accesses with which the instruction must stay in order.
        let written = classes.clobbered(func, inst);
        let read = match func.insts[inst] {
            InstData::Load { ptr, .. } | InstData::MatrixLoad { ptr, .. } => {
                1 << classes.read(func, ptr)
            }
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

/// Returns the parts of a group whose accesses are adjacent and aligned.
fn runs(
    func: &Function,
    kernel: Option<&KernelEntry>,
    group: &Group,
    memory: Memory<'_>,
) -> Vec<Run> {
    let mut members = group.members.clone();
    members.sort_unstable_by_key(|member| member.offset);
    let variable = memory.variable(func, group.base);
    // The base is `misalignment` bytes behind a multiple of `align`.
    let known = match variable {
        Some(data) => i64::from(data.align),
        None => alignment(func, kernel, group.base, memory),
    };
    let told = members.iter().map(|member| {
        let align = i64::from(member.align);
        (align, (-member.offset).rem_euclid(align))
    });
    let (align, misalignment) =
        told.fold((known, 0), |best, other| if other.0 > best.0 { other } else { best });
    let size = i64::from(group.ty.bytes());
    let by_words = matches!(memory, Memory::Device { by_words: true });
    let sizes: &[i64] = if by_words { &[4, 3, 2] } else { &[4, 2] };
    // A load from a variable of known size may have unused lanes, as behind the rows of a padded array.
    let end = variable.map_or(0, |data| data.size as i64);
    let mut runs = Vec::new();
    let mut rest = &members[..];
    while let Some(first) = rest.first() {
        let start = |bytes: i64| (misalignment + first.offset).rem_euclid(bytes);
        let run_of = |lanes: i64| {
            let bytes = lanes * size;
            let begin = first.offset - if is_loaded_whole(group, end) { start(bytes) } else { 0 };
            let wanted = rest.iter().take_while(|m| m.offset < begin + bytes).count();
            let has_gaps = wanted as i64 != lanes;
            let on_lanes = rest[..wanted].iter().all(|m| (m.offset - begin) % size == 0);
            let is_run = bytes <= MAX_BYTES
                && (by_words || align % bytes == 0 && start(bytes) == (first.offset - begin))
                && wanted > 1
                && on_lanes
                && (!has_gaps
                    || wanted as i64 + 1 == lanes
                        && is_loaded_whole(group, end)
                        && (0..=end - bytes).contains(&begin));
            is_run.then_some((begin, lanes as u8, wanted))
        };
        let (begin, lanes, wanted) =
            sizes.iter().find_map(|&lanes| run_of(lanes)).unwrap_or((first.offset, 1, 1));
        let (run, others) = rest.split_at(wanted);
        rest = others;
        if lanes > 1 {
            let Group { base, ty, is_store, flags, .. } = *group;
            let members = SmallVec::from_slice(run);
            // The vector is aligned to its size, or by words as far as is known.
            let place = (misalignment + begin).rem_euclid(align);
            let known = if place == 0 { align } else { 1 << place.trailing_zeros() };
            let bytes = size * i64::from(lanes);
            let align = known.clamp(size, (bytes as u64).next_power_of_two() as i64) as u32;
            runs.push(Run { base, ty, is_store, flags, offset: begin, lanes, align, members });
        }
    }
    runs
}

/// Returns true if a group loads from a variable of `bytes` bytes, all of which may be loaded.
fn is_loaded_whole(group: &Group, bytes: i64) -> bool {
    !group.is_store && bytes > 0
}

/// Returns the alignment of a pointer that is not itself a variable's address.
fn alignment(func: &Function, kernel: Option<&KernelEntry>, ptr: Value, memory: Memory<'_>) -> i64 {
    let variable = |base| memory.variable(func, base).map(|data| i64::from(data.align));
    KnownBits::new(func, kernel).alignment_from(ptr, variable)
}

/// Replaces the accesses of each run: loads by one at the place of the first, stores by one at the place of the last.
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
        c.func.stand_at(inst);
        let Some(index) = run_at[at] else {
            c.keep(inst);
            continue;
        };
        let run = &runs[index];
        let ty = Type::vector(run.ty.scalar, run.lanes);
        let align = run.align;
        let ptr = |c: &mut Cursor<'_>| c.ptr_add_const(run.base, run.offset);
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
        let member = run.members.iter().find(|member| member.at == at);
        let bytes = member.map_or(0, |member| member.offset - run.offset);
        let lane = (bytes / i64::from(run.ty.bytes())) as u8;
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
