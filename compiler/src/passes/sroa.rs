//! Splits private objects that are only accessed at constant offsets into independent ones, one
//! for each set of accesses that overlap; those whose accesses differ in extent (a vector and its
//! lanes, a union's members) into pieces of the smallest.

use super::cursor::Cursor;
use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// More pieces than this for one set of overlapping accesses are not worth it.
const MAX_PIECES: u64 = 256;

/// Returns true if anything was split.
pub fn run(func: &mut Function) -> bool {
    let mut entry = func.blocks[func.entry()].insts.iter();
    if !entry.any(|&inst| matches!(func.insts[inst], InstData::Alloca { .. })) {
        return false;
    }
    let cfg = Cfg::compute(func);
    let mut objects = Objects::find(func, &cfg);
    let mut any = false;
    for object in &mut objects.list {
        object.plan();
        any |= !object.groups.is_empty();
    }
    if !any {
        return false;
    }
    make_slots(func, &mut objects);
    rewrite(func, &cfg, &objects);
    true
}

/// An access to an object.
#[derive(Clone, Copy)]
struct Access {
    start: u64,
    end: u64,
    /// Bytes of one scalar.
    unit: u64,
}

/// A private object.
struct Object {
    size: u64,
    align: u32,
    /// True if all uses are loads and stores at constant offsets inside it.
    split: bool,
    accesses: Vec<Access>,
    /// Disjoint, ascending.
    groups: Vec<Group>,
}

/// Bytes whose accesses overlap.
struct Group {
    start: u64,
    end: u64,
    /// Bytes of one piece.
    unit: u64,
    /// Address of the object that took the place of each piece.
    slots: Vec<Value>,
}

impl Object {
    /// Finds the groups of a splittable object; none if there is nothing to gain.
    fn plan(&mut self) {
        if !self.split || self.accesses.is_empty() {
            return;
        }
        self.accesses.sort_unstable_by_key(|a| (a.start, a.end));
        let mut uniform = true;
        let mut units = 0;
        for access in &self.accesses {
            match self.groups.last_mut() {
                Some(group) if access.start < group.end => {
                    uniform &= (access.start, access.end) == (group.start, group.end);
                    units |= access.unit | (access.start - group.start);
                    group.end = group.end.max(access.end);
                }
                _ => {
                    self.groups.push(Group {
                        start: access.start,
                        end: access.end,
                        unit: 0,
                        slots: Vec::new(),
                    });
                    (uniform, units) = (true, access.unit);
                }
            }
            if let Some(group) = self.groups.last_mut() {
                let unit = 1 << units.trailing_zeros().min(3);
                group.unit = if uniform { group.end - group.start } else { unit };
            }
        }
        let too_many = |g: &Group| (g.end - g.start) / g.unit > MAX_PIECES;
        let whole = matches!(&self.groups[..], [g] if g.start == 0 && g.unit == g.end);
        if whole || self.groups.iter().any(too_many) {
            self.groups.clear();
        }
    }

    fn group(&self, start: u64) -> Option<&Group> {
        let after = self.groups.partition_point(|g| g.start <= start);
        self.groups.get(after.checked_sub(1)?)
    }
}

/// The private objects and the addresses inside them.
struct Objects {
    list: Vec<Object>,
    /// (object, byte offset) of each address.
    places: SecondaryMap<Value, Option<(u32, i64)>>,
}

impl Objects {
    fn find(func: &Function, cfg: &Cfg) -> Objects {
        let mut objects = Objects { list: Vec::new(), places: func.value_map() };
        for &block in cfg.rpo() {
            for &inst in &func.blocks[block].insts {
                objects.note(func, inst);
            }
        }
        objects
    }

    fn note(&mut self, func: &Function, inst: Inst) {
        let result = func.result(inst);
        match func.insts[inst] {
            InstData::Alloca { size, align } => {
                if let Some(value) = result {
                    self.places[value] = Some((self.list.len() as u32, 0));
                }
                let (accesses, groups) = (Vec::new(), Vec::new());
                self.list.push(Object { size, align, split: true, accesses, groups });
            }
            InstData::PtrAdd { ptr, offset } => {
                let (Some((object, at)), Some(value)) = (self.places[ptr], result) else { return };
                match func.as_const(offset) {
                    Some(bits) => {
                        let at = at.wrapping_add(i64::from(bits as i32));
                        self.places[value] = Some((object, at));
                    }
                    None => self.list[object as usize].split = false,
                }
            }
            InstData::Load { ptr, flags, .. } => {
                if let Some(value) = result {
                    self.access(ptr, func.ty(value), flags);
                }
            }
            InstData::Store { ptr, value, flags, .. } => {
                self.escape(value);
                self.access(ptr, func.ty(value), flags);
            }
            ref other => other.for_each_arg(|arg| self.escape(arg)),
        }
    }

    /// An address is used in a way that says nothing about what is accessed.
    fn escape(&mut self, value: Value) {
        if let Some((object, _)) = self.places[value] {
            self.list[object as usize].split = false;
        }
    }

    fn access(&mut self, ptr: Value, ty: Type, flags: MemFlags) {
        let Some((object, at)) = self.places[ptr] else { return };
        let object = &mut self.list[object as usize];
        let bytes = u64::from(ty.bytes());
        let inside = at >= 0 && at as u64 + bytes <= object.size;
        if !inside || flags.contains(MemFlags::VOLATILE) || ty.scalar.is_ptr() && ty.lanes > 1 {
            object.split = false;
            return;
        }
        let start = at as u64;
        let unit = u64::from(ty.scalar.bytes());
        object.accesses.push(Access { start, end: start + bytes, unit });
    }

    /// Returns the object's group that an access at `ptr` belongs to, and the offset in it.
    fn group(&self, ptr: Value) -> Option<(&Group, u64)> {
        let (object, at) = self.places[ptr]?;
        let group = self.list[object as usize].group(at as u64)?;
        Some((group, (at as u64).checked_sub(group.start)?))
    }
}

/// Makes an object for each piece of each group.
fn make_slots(func: &mut Function, objects: &mut Objects) {
    let mut allocas = Vec::new();
    for object in &mut objects.list {
        for group in &mut object.groups {
            for start in (group.start..group.end).step_by(group.unit as usize) {
                let align = super::cursor::align_at(object.align, start);
                let data = InstData::Alloca { size: group.unit, align };
                let inst = func.make_inst(data, Some(Type::ptr(AddressSpace::Private)));
                allocas.push(inst);
                group.slots.extend(func.result(inst));
            }
        }
    }
    let entry = func.entry();
    func.blocks[entry].insts.splice(0..0, allocas);
}

fn rewrite(func: &mut Function, cfg: &Cfg, objects: &Objects) {
    let mut replaced: SecondaryMap<Value, Option<Value>> = func.value_map();
    let mut c = Cursor::new(func);
    for &block in cfg.rpo() {
        let insts = c.begin(block);
        for &inst in &insts {
            c.func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            match c.func.insts[inst] {
                InstData::Load { ptr, align, flags } => match objects.group(ptr) {
                    Some((group, _)) if group.slots.len() == 1 => {
                        let ptr = group.slots[0];
                        c.func.insts[inst] = InstData::Load { ptr, align, flags };
                        c.keep(inst);
                    }
                    Some((group, at)) => {
                        if let Some(result) = c.func.result(inst) {
                            let ty = c.ty(result);
                            replaced[result] = Some(load_pieces(&mut c, group, at, ty));
                        }
                    }
                    None => c.keep(inst),
                },
                InstData::Store { ptr, value, align, flags } => match objects.group(ptr) {
                    Some((group, _)) if group.slots.len() == 1 => {
                        let ptr = group.slots[0];
                        c.func.insts[inst] = InstData::Store { ptr, value, align, flags };
                        c.keep(inst);
                    }
                    Some((group, at)) => store_pieces(&mut c, group, at, value),
                    None => c.keep(inst),
                },
                _ => c.keep(inst),
            }
        }
        c.finish_in(block, insts);
    }
}

/// Returns the slots of one lane.
fn lane_slots(group: &Group, at: u64, lane: u64, bytes: u64) -> &[Value] {
    let first = ((at + lane * bytes) / group.unit) as usize;
    let count = (bytes / group.unit) as usize;
    group.slots.get(first..first + count).unwrap_or(&[])
}

fn load_pieces(c: &mut Cursor, group: &Group, at: u64, ty: Type) -> Value {
    let bytes = u64::from(ty.scalar.bytes());
    let none = MemFlags::empty();
    let unit = group.unit as u32;
    let mut lanes: SmallVec<[Value; 16]> = SmallVec::new();
    for lane in 0..u64::from(ty.lanes) {
        let slots = lane_slots(group, at, lane, bytes);
        if let [slot] = *slots {
            lanes.push(c.load(ty.lane(), slot, unit, none));
            continue;
        }
        let wide = Type::of(Scalar::int(bytes as u32 * 8));
        let mut all = c.iconst(wide, 0);
        for (i, &slot) in slots.iter().enumerate() {
            let piece = c.load(Type::of(Scalar::int(unit * 8)), slot, unit, none);
            let piece = c.resize(piece, wide, false);
            let piece = c.binary_imm(BinaryOp::Shl, piece, i as i64 * i64::from(unit) * 8);
            all = c.binary(BinaryOp::Or, all, piece);
        }
        lanes.push(c.from_memory_int(all, ty.scalar));
    }
    c.build(&lanes)
}

fn store_pieces(c: &mut Cursor, group: &Group, at: u64, value: Value) {
    let ty = c.ty(value);
    let bytes = u64::from(ty.scalar.bytes());
    let none = MemFlags::empty();
    let unit = group.unit as u32;
    for lane in 0..ty.lanes {
        let element = c.extract(value, lane);
        let slots = lane_slots(group, at, lane.into(), bytes);
        if let [slot] = *slots {
            c.store(slot, element, unit, none);
            continue;
        }
        let all = c.to_memory_int(element);
        for (i, &slot) in slots.iter().enumerate() {
            let piece = c.binary_imm(BinaryOp::LShr, all, i as i64 * i64::from(unit) * 8);
            let piece = c.resize(piece, Type::of(Scalar::int(unit * 8)), false);
            c.store(slot, piece, unit, none);
        }
    }
}
