//! Checks for barriers that not all work-items of a work-group reach. Each work-item counts its executions of each barrier of
//! the kernel, and notes the greatest count before it waits. One that ends compares its counts with those: it will never come
//! where others wait. So the check makes no work-item wait that would not wait anyway, and tells what it finds even if the
//! device never goes on behind such a barrier.

use super::describe::Describer;
use super::{description_variable, low_address, Library};
use crate::checks::Checks;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use cranelift_entity::PrimaryMap;

/// The most barriers of a kernel that are checked.
const MOST: usize = 64;

/// The barriers of a kernel. They are instrumented after the kernel's accesses.
pub struct Barriers {
    /// The barriers, each with its description.
    list: Vec<(Inst, Vec<u8>)>,
}

impl Barriers {
    /// Finds the barriers of a kernel in the program's own text.
    pub fn find(func: &Function, describer: &Describer<'_>) -> Barriers {
        let barriers = func
            .layout_insts()
            .filter(|&inst| matches!(func.insts[inst], InstData::Barrier { .. }))
            .take(MOST);
        Barriers { list: barriers.map(|inst| (inst, describer.describe(func, inst))).collect() }
    }

    /// Instruments the barriers and the ends of the kernel. `area`: the launch's check area, which the entry computes.
    /// Returns the number of places so far.
    pub fn instrument(
        self,
        func: &mut Function,
        area: Value,
        library: &Library,
        globals: &mut PrimaryMap<Global, GlobalData>,
        mut sites: u32,
    ) -> u32 {
        let ValueDef::Inst(area_inst) = func.def(area) else { return sites };
        if self.list.is_empty() {
            return sites;
        }
        let words = globals.push(GlobalData {
            name: ".barriers".to_string(),
            size: 4 * (1 + 3 * self.list.len() as u64),
            align: 4,
            space: AddressSpace::Local,
            is_const: false,
            init: None,
            relocations: Vec::new(),
            linkage: Linkage::Internal,
        });
        let mut places = Vec::new();
        for (_, description) in self.list.iter() {
            places.push(Watched {
                counter: counter(func),
                description: description_variable(globals, description.clone()),
                site: sites,
            });
            sites += 1;
        }
        for block in func.layout.clone() {
            let mut c = Cursor::new(func);
            let insts = c.begin(block);
            for &inst in &insts {
                c.func.stand_at(inst);
                let number = self.list.iter().position(|barrier| barrier.0 == inst);
                if let Some((number, place)) = number.and_then(|at| Some((at, places.get(at)?))) {
                    let times = count(&mut c, place.counter);
                    let args = place.arguments(&mut c, (area, words), number, times);
                    c.call(library.barriers_come, &args, None);
                }
                c.keep(inst);
                if inst == area_inst {
                    begin(&mut c, words, &places, library);
                }
            }
            c.finish_in(block, insts);
        }
        for block in func.layout.clone() {
            let Some(last) = func.terminator(block) else { continue };
            if matches!(func.insts[last], InstData::Return { .. }) {
                end(func, block, (area, words), &places, library);
            }
        }
        sites
    }
}

/// A barrier whose executions are counted.
struct Watched {
    /// The work-item's counter.
    counter: Value,
    description: Global,
    site: u32,
}

impl Watched {
    /// Returns the arguments of the library's functions that report the barrier, which is number `number` of the kernel.
    fn arguments(
        &self,
        c: &mut Cursor<'_>,
        (area, words): (Value, Global),
        number: usize,
        last: Value,
    ) -> [Value; 7] {
        let site = c.iconst(Type::I32, i64::from(self.site));
        let text = low_address(c, self.description);
        let kind = c.iconst(Type::I32, i64::from(Checks::BARRIERS.bits()));
        let words = c.global_addr(words, AddressSpace::Local);
        let number = c.iconst(Type::I32, number as i64);
        [area, site, text, kind, words, number, last]
    }
}

/// Compares the counts at an end of the kernel, in place of a return: with what others have come to so far, and once more as
/// the last work-item of the work-group.
fn end(
    func: &mut Function,
    block: Block,
    (area, words): (Value, Global),
    places: &[Watched],
    library: &Library,
) {
    let mut c = Cursor::new(func);
    c.out = c.begin(block);
    let Some(end) = c.out.pop() else { return };
    c.func.stand_at(end);
    let own = c.global_addr(words, AddressSpace::Local);
    let mut differs = None;
    for (number, place) in places.iter().enumerate() {
        let number = c.iconst(Type::I32, number as i64);
        let times = c.load(Type::I32, place.counter, 4, MemFlags::empty());
        let told = c.call(library.barriers_tell, &[own, number, times], Some(Type::BOOL));
        differs = match (differs, told) {
            (Some(before), Some(told)) => Some(c.binary(BinaryOp::Or, before, told)),
            (before, told) => before.or(told),
        };
    }
    let report = |c: &mut Cursor<'_>, is_last: i64| {
        for (number, place) in places.iter().enumerate() {
            let is_last = c.iconst(Type::I32, is_last);
            let args = place.arguments(c, (area, words), number, is_last);
            c.call(library.barriers_report, &args, None);
        }
    };
    let [early, told, last, after] = [(); 4].map(|()| c.func.add_block());
    if let Some(differs) = differs {
        c.brif_with(differs, (early, &[]), (told, &[]));
    }
    c.finish(block);
    report(&mut c, 0);
    c.jump(told, &[]);
    c.finish(early);
    let own = c.global_addr(words, AddressSpace::Local);
    let is_last = c.call(library.barriers_end, &[own], Some(Type::BOOL));
    if let Some(is_last) = is_last {
        c.brif_with(is_last, (last, &[]), (after, &[]));
    }
    c.finish(told);
    report(&mut c, 1);
    c.jump(after, &[]);
    c.finish(last);
    c.keep(end);
    c.finish(after);
}

/// Returns a new private counter.
pub(super) fn counter(func: &mut Function) -> Value {
    let entry = func.entry();
    if let Some(&first) = func.blocks[entry].insts.first() {
        func.stand_at(first);
    }
    let ty = Type::ptr(AddressSpace::Private);
    let value = func.values.next_key();
    let inst = func.make_inst(InstData::Alloca { size: 4, align: 4 }, Some(ty));
    func.blocks[entry].insts.insert(0, inst);
    value
}

/// Adds 1 to a counter. Returns the sum.
fn count(c: &mut Cursor<'_>, counter: Value) -> Value {
    let before = c.load(Type::I32, counter, 4, MemFlags::empty());
    let now = c.binary_imm(BinaryOp::IAdd, before, 1);
    c.store(counter, now, 4, MemFlags::empty());
    now
}

/// Clears the work-group's words and the counters.
fn begin(c: &mut Cursor<'_>, words: Global, places: &[Watched], library: &Library) {
    let words = c.global_addr(words, AddressSpace::Local);
    let barriers = c.iconst(Type::I32, places.len() as i64);
    c.call(library.barriers_begin, &[words, barriers], None);
    let zero = c.iconst(Type::I32, 0);
    for place in places {
        c.store(place.counter, zero, 4, MemFlags::empty());
    }
}
