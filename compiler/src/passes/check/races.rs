//! Races in work-group memory. For each word of the variables and arguments in work-group memory, a shadow keeps which
//! work-item wrote it last, which one read it last, and after how many barriers. An access to the same bytes by another
//! work-item after the same number of barriers is a race, if one of the two accesses is a write and they are not both atomic.
//!
//! Only certain races are reported: kernels with calls that are not inlined, fences, sub-group barriers or atomic operations
//! that order other accesses are not checked, since work-items may wait for each other by these.

use super::describe::Describer;
use super::extents::{Extent, Extents};
use super::texels::is_call;
use super::Library;
use crate::analysis::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::ir::*;
use crate::passes::cursor::Cursor;
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

/// The most places of a kernel: place numbers have 7 bits.
const MOST_PLACES: usize = 128;
/// The most bytes of work-group memory that the shadow takes.
const MOST_BYTES: u64 = 8192;
/// Bytes of work-group memory that are left for other checks.
const RESERVE: u64 = 2048;
/// Bytes of the shadow for each word.
const SHADOW: u64 = 8;
/// The number of words of an argument that are watched, if there is room for them.
const ARGUMENT_WORDS: u64 = 256;

const WRITES: i64 = 0x100;
const SAME: i64 = 0x200;
pub(super) const ATOMIC: i64 = 0x80;

/// The places of a kernel that may take part in a race, and their descriptions.
#[derive(Default)]
pub(super) struct Places {
    numbers: FxHashMap<Inst, u32>,
    texts: Vec<Vec<u8>>,
}

/// A variable with the descriptions of places: one behind the other, `stride` bytes each.
#[derive(Clone, Copy)]
pub(super) struct Texts {
    pub global: Global,
    pub stride: u32,
    /// The number of the first place in the program.
    pub first_site: u32,
}

impl Places {
    /// Adds an access if there is room for it. Returns true if it was added.
    pub fn add(&mut self, func: &Function, inst: Inst, describer: &Describer<'_>) -> bool {
        let has_room = self.texts.len() < MOST_PLACES;
        if has_room {
            self.numbers.insert(inst, self.texts.len() as u32);
            self.texts.push(describer.describe(func, inst));
        }
        has_room
    }

    /// Returns the number of an access, if it has one.
    pub fn number(&self, inst: Inst) -> Option<u32> {
        self.numbers.get(&inst).copied()
    }

    /// Adds a variable with the descriptions. `sites`: the number of places so far, which is increased by these.
    pub fn write(&self, globals: &mut PrimaryMap<Global, GlobalData>, sites: &mut u32) -> Texts {
        let stride = self.texts.iter().map(Vec::len).max().unwrap_or_default();
        let mut bytes = Vec::new();
        for text in &self.texts {
            bytes.extend(text);
            bytes.resize(bytes.len() + stride - text.len(), 0);
        }
        let first_site = *sites;
        *sites += self.texts.len() as u32;
        let global = super::description_variable(globals, bytes);
        Texts { global, stride: stride as u32, first_site }
    }
}

/// The accesses of a kernel to work-group memory that may take part in a race.
#[derive(Default)]
pub struct Races {
    places: Places,
    /// For each object, its first word in the shadow and its number of words.
    objects: Vec<(UnderlyingObject, u32, u32)>,
    known: Option<Known>,
}

#[derive(Clone, Copy)]
struct Known {
    shadow: Global,
    /// Size of the shadow in words.
    words: u32,
    texts: Texts,
    /// The variable in which each work-item keeps its epoch.
    epoch: Value,
}

/// Returns the object in work-group memory that an instruction accesses.
fn object(func: &Function, objects: &UnderlyingObjects, inst: Inst) -> Option<UnderlyingObject> {
    let (ptr, _) = func.access(inst)?;
    if func.ty(ptr).space() != Some(AddressSpace::Local) {
        return None;
    }
    match objects.of(func, ptr).object {
        it @ (UnderlyingObject::Variable(_) | UnderlyingObject::KernelArgument(_)) => Some(it),
        _ => None,
    }
}

/// Returns true for instructions by which work-items may wait for each other, or which may contain barriers.
pub(super) fn may_order(data: &InstData, mark: Option<Func>) -> bool {
    match data {
        InstData::Call { .. } => is_call(data, mark),
        InstData::Fence { .. } | InstData::SubgroupBarrier { .. } => true,
        InstData::AtomicRmw { sync, .. }
        | InstData::AtomicCmpXchg { sync, .. }
        | InstData::AtomicLoad { sync, .. }
        | InstData::AtomicStore { sync, .. } => sync.order != MemoryOrder::Relaxed,
        _ => false,
    }
}

impl Races {
    /// Finds the accesses of a kernel that may race. Nothing in the kernel may order accesses in other ways (`may_order`).
    /// `room`: the device's work-group memory in bytes. `sites`: the number of places so far, which is increased by theirs.
    pub fn new(
        func: &mut Function,
        describer: &Describer<'_>,
        is_own: impl Fn(&Function, Inst) -> bool,
        globals: &mut PrimaryMap<Global, GlobalData>,
        room: u64,
        sites: &mut u32,
    ) -> Races {
        let mut races = Races::default();
        let mut sizes = Vec::new();
        for inst in func.layout_insts() {
            let Some(object) = object(func, describer.objects(), inst) else { continue };
            if !is_own(func, inst) || !races.places.add(func, inst, describer) {
                continue;
            }
            if !sizes.iter().any(|&(known, _)| known == object) {
                let words = match object {
                    UnderlyingObject::Variable(global) => globals[global].size.div_ceil(4),
                    _ => ARGUMENT_WORDS,
                };
                sizes.push((object, words));
            }
        }
        let local = globals.values().filter(|data| data.space == AddressSpace::Local);
        let used: u64 = local.map(|data| data.size).sum();
        let arguments = sizes.iter().filter(|it| !matches!(it.0, UnderlyingObject::Variable(_)));
        let rest = room.saturating_sub(used + RESERVE) >> u32::from(arguments.count() > 0);
        let share = rest.min(MOST_BYTES) / SHADOW / (sizes.len() as u64).max(1);
        let mut words = 0;
        for (object, size) in sizes {
            let size = size.min(share) as u32;
            races.objects.push((object, words, size));
            words += size;
        }
        if words == 0 {
            return Races::default();
        }
        let shadow = globals.push(GlobalData {
            name: ".accesses".to_string(),
            size: SHADOW * u64::from(words),
            align: 4,
            space: AddressSpace::Local,
            is_const: false,
            init: None,
            relocations: Vec::new(),
            linkage: Linkage::Internal,
        });
        let texts = races.places.write(globals, sites);
        let epoch = super::barriers::counter(func);
        races.known = Some(Known { shadow, words: 2 * words, texts, epoch });
        races
    }

    /// Clears the shadow at the start of the kernel.
    pub fn begin(&self, c: &mut Cursor<'_>, library: &Library) {
        let Some(known) = self.known else { return };
        let shadow = c.global_addr(known.shadow, AddressSpace::Local);
        let words = c.iconst(Type::I32, i64::from(known.words));
        if let Some(first) = c.call(library.races_begin, &[shadow, words], Some(Type::I32)) {
            c.store(known.epoch, first, 4, MemFlags::empty());
        }
    }

    /// Begins a new epoch behind a barrier.
    pub fn pass(&self, c: &mut Cursor<'_>, is_barrier: bool) {
        if let (Some(known), true) = (self.known, is_barrier) {
            begin_next_epoch(c, known.epoch);
        }
    }

    /// Returns true for an access that has to be noted.
    pub fn notes(&self, inst: Inst) -> bool {
        self.known.is_some() && self.places.number(inst).is_some()
    }

    /// Notes an access, which is in bounds, in the shadow, before the access is executed.
    pub fn note(
        &self,
        c: &mut Cursor<'_>,
        inst: Inst,
        extents: &Extents<'_>,
        objects: &UnderlyingObjects,
        library: &Library,
    ) {
        let (Some(known), Some(place)) = (self.known, self.places.number(inst)) else { return };
        let Some(which) = object(c.func, objects, inst) else { return };
        let Some(&(_, first, words)) = self.objects.iter().find(|it| it.0 == which) else { return };
        let Some((ptr, ty)) = c.func.access(inst) else { return };
        let Some(Extent::Relative { offset, .. }) = extents.of(c.func, ptr) else { return };
        let same = match c.func.insts[inst] {
            InstData::Store { value, .. } if c.func.as_const(value).is_some() => SAME,
            _ => 0,
        };
        let mode = i64::from(place) | mode(&c.func.insts[inst]) | same;
        let shadow = c.global_addr(known.shadow, AddressSpace::Local);
        let shadow = c.ptr_add_const(shadow, i64::from(first) * SHADOW as i64);
        let epoch = c.load(Type::I32, known.epoch, 4, MemFlags::empty());
        let texts = super::low_address(c, known.texts.global);
        let [words, bytes, mode, site, stride] = [
            i64::from(words),
            i64::from(ty.bytes()),
            mode,
            i64::from(known.texts.first_site + place),
            i64::from(known.texts.stride),
        ]
        .map(|number| c.iconst(Type::I32, number));
        let args = [extents.area, shadow, words, offset, bytes, mode, epoch, site, texts, stride];
        c.call(library.races_note, &args, None);
    }
}

/// The epoch from which on accesses are no longer checked.
const LAST_EPOCH: i64 = 511;

/// Returns the bits of `mode` that describe an access to the library.
pub(super) fn mode(data: &InstData) -> i64 {
    match data {
        InstData::Load { .. } => 0,
        InstData::Store { .. } => WRITES,
        InstData::AtomicLoad { .. } => ATOMIC,
        _ => WRITES | ATOMIC,
    }
}

/// Counts a barrier that a work-item has passed.
pub(super) fn begin_next_epoch(c: &mut Cursor<'_>, epoch: Value) {
    let before = c.load(Type::I32, epoch, 4, MemFlags::empty());
    let is_last = c.icmp_imm(IntCC::Uge, before, LAST_EPOCH);
    let next = c.binary_imm(BinaryOp::IAdd, before, 1);
    let now = c.select(is_last, before, next);
    c.store(epoch, now, 4, MemFlags::empty());
}
