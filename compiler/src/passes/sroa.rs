//! Scalar replacement of aggregates: splits an alloca whose accesses all have known offsets into independent ones, one for
//! each partition. A partition is a set of overlapping accesses. If its accesses differ in extent (a vector and its lanes,
//! a union's members), it is split into parts with the size of the smallest access.
//!
//! An access at an offset that is not constant may be anywhere in the bytes that the address is [`Within`], as in a
//! subscripted member of a struct. These bytes become a partition that is not split.

use super::cursor::Cursor;
use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// The most parts into which a partition is split.
const MAX_PARTS: u64 = 256;

/// Splits allocas. Returns true if any was split.
pub fn run(func: &mut Function) -> bool {
    let mut entry = func.blocks[func.entry()].insts.iter();
    if !entry.any(|&inst| matches!(func.insts[inst], InstData::Alloca { .. })) {
        return false;
    }
    let cfg = Cfg::compute(func);
    let mut allocas = AllocaSet::find(func, &cfg);
    let mut any = false;
    for alloca in &mut allocas.list {
        alloca.build_partitions();
        any |= !alloca.partitions.is_empty();
    }
    if !any {
        return false;
    }
    make_allocas(func, &mut allocas);
    rewrite(func, &cfg, &allocas);
    true
}

/// The bytes of an access to an alloca.
#[derive(Clone, Copy)]
struct Slice {
    start: u64,
    end: u64,
    /// Bytes of one scalar; `None` if the access may be anywhere in the slice.
    unit: Option<u64>,
}

/// An alloca and the accesses to it.
struct AllocaSlices {
    inst: Inst,
    size: u64,
    align: u32,
    /// True if all uses are loads and stores inside the alloca, each at a constant offset or in known bytes.
    splittable: bool,
    slices: Vec<Slice>,
    /// Disjoint partitions, in ascending order.
    partitions: Vec<Partition>,
}

/// The bytes of a set of overlapping accesses.
struct Partition {
    start: u64,
    end: u64,
    /// The size of a part in bytes.
    unit: u64,
    /// True if the partition is not split, because accesses have offsets that are not constant.
    is_indexed: bool,
    /// For each part, the address of the alloca that replaces it.
    allocas: Vec<Value>,
}

impl AllocaSlices {
    /// Computes the partitions of a splittable alloca; none if splitting gains nothing.
    fn build_partitions(&mut self) {
        if !self.splittable || self.slices.is_empty() {
            return;
        }
        self.slices.sort_unstable_by_key(|a| (a.start, a.end));
        let mut uniform = true;
        let mut units = 0;
        for slice in &self.slices {
            let (unit, is_indexed) = (slice.unit.unwrap_or(0), slice.unit.is_none());
            match self.partitions.last_mut() {
                Some(partition) if slice.start < partition.end => {
                    uniform &= (slice.start, slice.end) == (partition.start, partition.end);
                    units |= unit | (slice.start - partition.start);
                    partition.end = partition.end.max(slice.end);
                    partition.is_indexed |= is_indexed;
                }
                _ => {
                    self.partitions.push(Partition {
                        start: slice.start,
                        end: slice.end,
                        unit: 0,
                        is_indexed,
                        allocas: Vec::new(),
                    });
                    (uniform, units) = (true, unit);
                }
            }
            if let Some(partition) = self.partitions.last_mut() {
                let unit = 1 << units.trailing_zeros().min(3);
                let whole = uniform || partition.is_indexed;
                partition.unit = if whole { partition.end - partition.start } else { unit };
            }
        }
        let too_many = |p: &Partition| (p.end - p.start) / p.unit > MAX_PARTS;
        let whole = matches!(&self.partitions[..], [p] if p.start == 0 && p.unit == p.end);
        if whole || self.partitions.iter().any(too_many) {
            self.partitions.clear();
        }
    }

    fn partition_at(&self, start: u64) -> Option<&Partition> {
        let after = self.partitions.partition_point(|p| p.start <= start);
        self.partitions.get(after.checked_sub(1)?)
    }
}

/// The position of an address in an alloca.
#[derive(Clone, Copy)]
enum Offset {
    At(i64),
    /// Accesses through the address are between these offsets.
    Within(u64, u64),
}

/// The allocas of a function and the addresses inside them.
struct AllocaSet {
    list: Vec<AllocaSlices>,
    /// By address, the index of its alloca and the position in it.
    addresses: SecondaryMap<Value, Option<(u32, Offset)>>,
}

impl AllocaSet {
    fn find(func: &Function, cfg: &Cfg) -> AllocaSet {
        let mut allocas = AllocaSet { list: Vec::new(), addresses: func.value_map() };
        for &block in cfg.rpo() {
            for &inst in &func.blocks[block].insts {
                allocas.visit(func, inst);
            }
        }
        allocas
    }

    fn visit(&mut self, func: &Function, inst: Inst) {
        let result = func.result(inst);
        match func.insts[inst] {
            InstData::Alloca { size, align } => {
                if let Some(value) = result {
                    self.addresses[value] = Some((self.list.len() as u32, Offset::At(0)));
                }
                let (slices, partitions) = (Vec::new(), Vec::new());
                let splittable = true;
                let data = AllocaSlices { inst, size, align, splittable, slices, partitions };
                self.list.push(data);
            }
            InstData::PtrAdd { ptr, offset, within } => {
                let (Some((alloca, at)), Some(value)) = (self.addresses[ptr], result) else {
                    return;
                };
                let data = &mut self.list[alloca as usize];
                let by = func.as_const(offset).map(|bits| i64::from(bits as i32));
                match moved(at, by, within, data.size) {
                    Some(at) => self.addresses[value] = Some((alloca, at)),
                    None => data.splittable = false,
                }
            }
            InstData::Load { ptr, flags, .. } => {
                if let Some(value) = result {
                    self.access(ptr, func.ty(value), flags);
                }
            }
            InstData::Store { ptr, value, flags, .. } => {
                self.mark_unsplittable(value);
                self.access(ptr, func.ty(value), flags);
            }
            ref other => other.for_each_arg(|arg| self.mark_unsplittable(arg)),
        }
    }

    /// Marks an alloca as unsplittable, because an address in it escapes, or has a use that does not show which bytes
    /// are accessed.
    fn mark_unsplittable(&mut self, value: Value) {
        if let Some((alloca, _)) = self.addresses[value] {
            self.list[alloca as usize].splittable = false;
        }
    }

    fn access(&mut self, ptr: Value, ty: Type, flags: MemFlags) {
        let Some((alloca, at)) = self.addresses[ptr] else { return };
        let alloca = &mut self.list[alloca as usize];
        let bytes = u64::from(ty.bytes());
        let (inside, slice) = match at {
            Offset::At(at) => {
                let (start, end) = (at as u64, (at as u64).saturating_add(bytes));
                let unit = Some(u64::from(ty.scalar.bytes()));
                (at >= 0 && end <= alloca.size, Slice { start, end, unit })
            }
            Offset::Within(start, end) => (start + bytes <= end, Slice { start, end, unit: None }),
        };
        if !inside || flags.contains(MemFlags::VOLATILE) || ty.scalar.is_ptr() && ty.lanes > 1 {
            alloca.splittable = false;
            return;
        }
        alloca.slices.push(slice);
    }

    /// Returns the partition to which an access at a constant offset belongs, and the offset in the partition.
    fn partition(&self, ptr: Value) -> Option<(&Partition, u64)> {
        let Some((alloca, Offset::At(at))) = self.addresses[ptr] else { return None };
        let partition = self.list[alloca as usize].partition_at(at as u64)?;
        Some((partition, (at as u64).checked_sub(partition.start)?))
    }

    /// Returns the address in the new alloca that replaces `ptr`. `value` is the sum of `ptr` and an offset that is not
    /// constant.
    fn indexed_base(&self, c: &mut Cursor, ptr: Value, value: Value) -> Option<Value> {
        let ((alloca, Offset::At(at)), (_, Offset::Within(start, end))) =
            (self.addresses[ptr]?, self.addresses[value]?)
        else {
            return None;
        };
        let partition = self.list[alloca as usize].partition_at(start)?;
        let is_accessed = partition.is_indexed && end <= partition.end;
        let base = *partition.allocas.first().filter(|_| is_accessed)?;
        Some(c.ptr_add_const(base, at.wrapping_sub_unsigned(partition.start)))
    }
}

/// Returns the position of an address in an alloca of `size` bytes, given the position of another address and the distance
/// `by` between them. If the distance is not constant, the result is the range `within` which the address stays; `None` if
/// nothing is known.
fn moved(from: Offset, by: Option<i64>, within: Within, size: u64) -> Option<Offset> {
    match (from, by) {
        (Offset::Within(..), _) => Some(from),
        (Offset::At(at), Some(by)) => Some(Offset::At(at.wrapping_add(by))),
        (Offset::At(_), None) if within == Within::ANYWHERE => None,
        (Offset::At(at), None) => {
            let [start, end] = [within.start, within.end].map(|by| at.wrapping_add(by.into()));
            let (start, end) = (u64::try_from(start).ok()?, u64::try_from(end).ok()?.min(size));
            (start < end).then_some(Offset::Within(start, end))
        }
    }
}

/// Creates an alloca for each part of each partition.
fn make_allocas(func: &mut Function, allocas: &mut AllocaSet) {
    let mut new_allocas = Vec::new();
    for alloca in &mut allocas.list {
        func.stand_at(alloca.inst);
        for partition in &mut alloca.partitions {
            for start in (partition.start..partition.end).step_by(partition.unit as usize) {
                let align = super::cursor::align_at(alloca.align, start);
                let data = InstData::Alloca { size: partition.unit, align };
                let inst = func.make_inst(data, Some(Type::ptr(AddressSpace::Private)));
                new_allocas.push(inst);
                partition.allocas.extend(func.result(inst));
            }
        }
    }
    let entry = func.entry();
    func.blocks[entry].insts.splice(0..0, new_allocas);
}

fn rewrite(func: &mut Function, cfg: &Cfg, allocas: &AllocaSet) {
    let mut replaced: SecondaryMap<Value, Option<Value>> = func.value_map();
    let mut c = Cursor::new(func);
    for &block in cfg.rpo() {
        let insts = c.begin(block);
        for &inst in &insts {
            c.func.stand_at(inst);
            c.func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            match c.func.insts[inst] {
                InstData::Load { ptr, align, flags } => match allocas.partition(ptr) {
                    Some((partition, at)) if partition.allocas.len() == 1 => {
                        let ptr = c.ptr_add_const(partition.allocas[0], at as i64);
                        c.func.insts[inst] = InstData::Load { ptr, align, flags };
                        c.keep(inst);
                    }
                    Some((partition, at)) => {
                        if let Some(result) = c.func.result(inst) {
                            let ty = c.ty(result);
                            replaced[result] = Some(load_parts(&mut c, partition, at, ty));
                        }
                    }
                    None => c.keep(inst),
                },
                InstData::Store { ptr, value, align, flags } => match allocas.partition(ptr) {
                    Some((partition, at)) if partition.allocas.len() == 1 => {
                        let ptr = c.ptr_add_const(partition.allocas[0], at as i64);
                        c.func.insts[inst] = InstData::Store { ptr, value, align, flags };
                        c.keep(inst);
                    }
                    Some((partition, at)) => store_parts(&mut c, partition, at, value),
                    None => c.keep(inst),
                },
                InstData::PtrAdd { ptr, offset, within } => {
                    let value = c.func.result(inst);
                    let base = value.and_then(|value| allocas.indexed_base(&mut c, ptr, value));
                    if let Some(ptr) = base {
                        c.func.insts[inst] = InstData::PtrAdd { ptr, offset, within };
                    }
                    c.keep(inst);
                }
                _ => c.keep(inst),
            }
        }
        c.finish_in(block, insts);
    }
}

/// Returns the allocas of the parts of one lane.
fn lane_allocas(partition: &Partition, at: u64, lane: u64, bytes: u64) -> &[Value] {
    let first = ((at + lane * bytes) / partition.unit) as usize;
    let count = (bytes / partition.unit) as usize;
    partition.allocas.get(first..first + count).unwrap_or(&[])
}

fn load_parts(c: &mut Cursor, partition: &Partition, at: u64, ty: Type) -> Value {
    let bytes = u64::from(ty.scalar.bytes());
    let none = MemFlags::empty();
    let unit = partition.unit as u32;
    let mut lanes: SmallVec<[Value; 16]> = SmallVec::new();
    for lane in 0..u64::from(ty.lanes) {
        let allocas = lane_allocas(partition, at, lane, bytes);
        if let [alloca] = *allocas {
            lanes.push(c.load(ty.lane(), alloca, unit, none));
            continue;
        }
        let wide = Type::of(Scalar::int(bytes as u32 * 8));
        let mut all = c.iconst(wide, 0);
        for (i, &alloca) in allocas.iter().enumerate() {
            let part = c.load(Type::of(Scalar::int(unit * 8)), alloca, unit, none);
            let part = c.resize(part, wide, false);
            let part = c.binary_imm(BinaryOp::Shl, part, i as i64 * i64::from(unit) * 8);
            all = c.binary(BinaryOp::Or, all, part);
        }
        lanes.push(c.from_memory_int(all, ty.scalar));
    }
    c.build(&lanes)
}

fn store_parts(c: &mut Cursor, partition: &Partition, at: u64, value: Value) {
    let ty = c.ty(value);
    let bytes = u64::from(ty.scalar.bytes());
    let none = MemFlags::empty();
    let unit = partition.unit as u32;
    for lane in 0..ty.lanes {
        let element = c.extract(value, lane);
        let allocas = lane_allocas(partition, at, lane.into(), bytes);
        if let [alloca] = *allocas {
            c.store(alloca, element, unit, none);
            continue;
        }
        let all = c.to_memory_int(element);
        for (i, &alloca) in allocas.iter().enumerate() {
            let part = c.binary_imm(BinaryOp::LShr, all, i as i64 * i64::from(unit) * 8);
            let part = c.resize(part, Type::of(Scalar::int(unit * 8)), false);
            c.store(alloca, part, unit, none);
        }
    }
}
