//! Scalar replacement of aggregates: splits allocas that are only accessed at constant offsets into
//! independent ones, one for each partition: a set of accesses that overlap. Partitions whose accesses
//! differ in extent (a vector and its lanes, a union's members) are split into parts of the smallest.

use super::cursor::Cursor;
use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// Most parts that a partition is split into.
const MAX_PARTS: u64 = 256;

/// Returns true if anything was split.
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
    /// Bytes of one scalar.
    unit: u64,
}

/// An alloca and the accesses to it.
struct AllocaSlices {
    size: u64,
    align: u32,
    /// True if all uses are loads and stores at constant offsets inside it.
    splittable: bool,
    slices: Vec<Slice>,
    /// Disjoint, ascending.
    partitions: Vec<Partition>,
}

/// Bytes whose accesses overlap.
struct Partition {
    start: u64,
    end: u64,
    /// Bytes of one part.
    unit: u64,
    /// Address of the alloca that replaces each part.
    allocas: Vec<Value>,
}

impl AllocaSlices {
    /// Computes the partitions of a splittable alloca; none if there is nothing to gain.
    fn build_partitions(&mut self) {
        if !self.splittable || self.slices.is_empty() {
            return;
        }
        self.slices.sort_unstable_by_key(|a| (a.start, a.end));
        let mut uniform = true;
        let mut units = 0;
        for slice in &self.slices {
            match self.partitions.last_mut() {
                Some(partition) if slice.start < partition.end => {
                    uniform &= (slice.start, slice.end) == (partition.start, partition.end);
                    units |= slice.unit | (slice.start - partition.start);
                    partition.end = partition.end.max(slice.end);
                }
                _ => {
                    self.partitions.push(Partition {
                        start: slice.start,
                        end: slice.end,
                        unit: 0,
                        allocas: Vec::new(),
                    });
                    (uniform, units) = (true, slice.unit);
                }
            }
            if let Some(partition) = self.partitions.last_mut() {
                let unit = 1 << units.trailing_zeros().min(3);
                partition.unit = if uniform { partition.end - partition.start } else { unit };
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

/// The allocas of a function and the addresses inside them.
struct AllocaSet {
    list: Vec<AllocaSlices>,
    /// (index of the alloca, byte offset) of each address.
    addresses: SecondaryMap<Value, Option<(u32, i64)>>,
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
                    self.addresses[value] = Some((self.list.len() as u32, 0));
                }
                let (slices, partitions) = (Vec::new(), Vec::new());
                self.list.push(AllocaSlices { size, align, splittable: true, slices, partitions });
            }
            InstData::PtrAdd { ptr, offset } => {
                let (Some((alloca, at)), Some(value)) = (self.addresses[ptr], result) else {
                    return;
                };
                match func.as_const(offset) {
                    Some(bits) => {
                        let at = at.wrapping_add(i64::from(bits as i32));
                        self.addresses[value] = Some((alloca, at));
                    }
                    None => self.list[alloca as usize].splittable = false,
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

    /// Marks the alloca of an address that escapes, or is used in a way that does not say what is accessed.
    fn mark_unsplittable(&mut self, value: Value) {
        if let Some((alloca, _)) = self.addresses[value] {
            self.list[alloca as usize].splittable = false;
        }
    }

    fn access(&mut self, ptr: Value, ty: Type, flags: MemFlags) {
        let Some((alloca, at)) = self.addresses[ptr] else { return };
        let alloca = &mut self.list[alloca as usize];
        let bytes = u64::from(ty.bytes());
        let inside = at >= 0 && at as u64 + bytes <= alloca.size;
        if !inside || flags.contains(MemFlags::VOLATILE) || ty.scalar.is_ptr() && ty.lanes > 1 {
            alloca.splittable = false;
            return;
        }
        let start = at as u64;
        let unit = u64::from(ty.scalar.bytes());
        alloca.slices.push(Slice { start, end: start + bytes, unit });
    }

    /// Returns the partition that an access at `ptr` belongs to, and the offset in it.
    fn partition(&self, ptr: Value) -> Option<(&Partition, u64)> {
        let (alloca, at) = self.addresses[ptr]?;
        let partition = self.list[alloca as usize].partition_at(at as u64)?;
        Some((partition, (at as u64).checked_sub(partition.start)?))
    }
}

/// Makes an alloca for each part of each partition.
fn make_allocas(func: &mut Function, allocas: &mut AllocaSet) {
    let mut new_allocas = Vec::new();
    for alloca in &mut allocas.list {
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
            c.func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            match c.func.insts[inst] {
                InstData::Load { ptr, align, flags } => match allocas.partition(ptr) {
                    Some((partition, _)) if partition.allocas.len() == 1 => {
                        let ptr = partition.allocas[0];
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
                    Some((partition, _)) if partition.allocas.len() == 1 => {
                        let ptr = partition.allocas[0];
                        c.func.insts[inst] = InstData::Store { ptr, value, align, flags };
                        c.keep(inst);
                    }
                    Some((partition, at)) => store_parts(&mut c, partition, at, value),
                    None => c.keep(inst),
                },
                _ => c.keep(inst),
            }
        }
        c.finish_in(block, insts);
    }
}

/// Returns the allocas of one lane.
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
