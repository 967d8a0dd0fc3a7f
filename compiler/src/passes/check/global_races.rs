//! Races in global memory. For each word that is watched, the launch's check area ([`crate::checks`]) keeps the work-group
//! and the work-item that wrote it last and those that read it last. Accesses of different work-groups are never ordered;
//! those of one work-group are ordered by barriers for global memory.
//!
//! Kernels in which accesses may be ordered in other ways are not checked: kernels that [`super::races`] does not check,
//! kernels with loops that may wait for other work-items, and kernels that may publish to other work-groups by an atomic
//! operation what they wrote. Volatile accesses count as atomic.

use super::describe::Describer;
use super::extents::{Extent, Extents};
use super::races::{begin_next_epoch, mode, Places, Texts};
use super::Library;
use crate::analysis::waits::{may_wait, observed_by, Observes};
use crate::ir::*;
use crate::passes::cursor::Cursor;
use cranelift_entity::{EntitySet, PrimaryMap};

/// The accesses of a kernel to memory of devices that may take part in a race.
#[derive(Default)]
pub struct GlobalRaces {
    places: Places,
    /// The descriptions of the accesses, and the variable in which each work-item keeps its epoch.
    known: Option<(Texts, Value)>,
}

/// Returns true for an access to memory that kernels may write and that work-groups share.
fn is_shared(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let is_access = matches!(
        data,
        InstData::Load { .. }
            | InstData::Store { .. }
            | InstData::AtomicLoad { .. }
            | InstData::AtomicStore { .. }
            | InstData::AtomicRmw { .. }
            | InstData::AtomicCmpXchg { .. }
    );
    let changes =
        !matches!(data, InstData::Load { flags, .. } if flags.contains(MemFlags::INVARIANT));
    let space = data.address().and_then(|ptr| func.ty(ptr).space());
    is_access && changes && matches!(space, Some(AddressSpace::Global | AddressSpace::Generic))
}

/// Returns true for an access that writes.
fn writes(data: &InstData) -> bool {
    !matches!(data, InstData::Load { .. } | InstData::AtomicLoad { .. })
}

/// Returns true for a kernel that may publish what it wrote to other work-groups by a barrier for global memory and an atomic
/// operation whose result is used, as programs of OpenCL 1 do.
fn may_publish(func: &Function) -> bool {
    let (mut has_barrier, mut results) = (false, EntitySet::new());
    for inst in func.layout_insts() {
        match func.insts[inst] {
            InstData::Barrier { flags } => has_barrier |= flags.contains(BarrierFlags::GLOBAL),
            InstData::AtomicRmw { .. } | InstData::AtomicCmpXchg { .. }
                if is_shared(func, inst) =>
            {
                func.result(inst).map(|result| results.insert(result));
            }
            _ => {}
        }
    }
    let is_used = |inst: Inst| {
        let mut used = false;
        func.insts[inst].for_each_arg(|arg| used |= results.contains(arg));
        func.insts[inst]
            .for_each_target(|call| used |= call.args.iter().any(|&arg| results.contains(arg)));
        used
    };
    has_barrier && func.layout_insts().any(is_used)
}

impl GlobalRaces {
    /// Finds the accesses of a kernel that may race; there are none in a kernel that may order them in other ways.
    /// `sites`: the number of places so far, which is increased by theirs.
    pub fn new(
        func: &mut Function,
        describer: &Describer<'_>,
        is_own: impl Fn(&Function, Inst) -> bool,
        globals: &mut PrimaryMap<Global, GlobalData>,
        sites: &mut u32,
    ) -> GlobalRaces {
        let mut races = GlobalRaces::default();
        let insts =
            || func.layout_insts().filter(|&inst| is_shared(func, inst) && is_own(func, inst));
        if !insts().any(|inst| writes(&func.insts[inst])) {
            return races;
        }
        let waits = may_wait(func, |data| observed_by(func, data, |_| Observes::Nothing));
        if waits || may_publish(func) {
            return races;
        }
        for inst in insts() {
            races.places.add(func, inst, describer);
        }
        let texts = races.places.write(globals, sites);
        races.known = Some((texts, super::barriers::counter(func)));
        races
    }

    /// Begins the first epoch at the start of the kernel.
    pub fn begin(&self, c: &mut Cursor<'_>, library: &Library) {
        let Some((_, epoch)) = self.known else { return };
        if let Some(first) = c.call(library.global_races_begin, &[], Some(Type::I32)) {
            c.store(epoch, first, 4, MemFlags::empty());
        }
    }

    /// Begins a new epoch behind a barrier: one of the program that orders global memory, or any of the built-in
    /// library.
    pub fn pass(&self, c: &mut Cursor<'_>, inst: Inst, is_own: bool) {
        let (Some((_, epoch)), InstData::Barrier { flags }) = (self.known, &c.func.insts[inst])
        else {
            return;
        };
        if !is_own || flags.contains(BarrierFlags::GLOBAL) {
            begin_next_epoch(c, epoch);
        }
    }

    /// Returns true for an access that has to be noted.
    pub fn notes(&self, inst: Inst) -> bool {
        self.known.is_some() && self.places.number(inst).is_some()
    }

    /// Notes an access in the check area, before the access is executed.
    pub fn note(&self, c: &mut Cursor<'_>, inst: Inst, extents: &Extents<'_>, library: &Library) {
        let (Some((texts, epoch)), Some(place)) = (self.known, self.places.number(inst)) else {
            return;
        };
        let Some((ptr, ty)) = c.func.access(inst) else { return };
        let Some(Extent::Absolute { start, .. }) = extents.of(c.func, ptr) else { return };
        let data = &c.func.insts[inst];
        let mode = match *data {
            InstData::Load { flags, .. } | InstData::Store { flags, .. }
                if flags.contains(MemFlags::VOLATILE) =>
            {
                mode(data) | super::races::ATOMIC
            }
            _ => mode(data),
        };
        let address = c.convert(ConvertOp::PtrToInt, ptr, Type::I64);
        let epoch = c.load(Type::I32, epoch, 4, MemFlags::empty());
        let described = super::low_address(c, texts.global);
        let [bytes, mode, site, stride] = [
            i64::from(ty.bytes()),
            mode | i64::from(place),
            i64::from(texts.first_site + place),
            i64::from(texts.stride),
        ]
        .map(|number| c.iconst(Type::I32, number));
        let args = [extents.area, address, start, bytes, mode, epoch, site, described, stride];
        c.call(library.global_races_note, &args, None);
    }
}
