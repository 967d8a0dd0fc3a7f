//! Checks for barriers that not all work-items of a work-group reach. Each work-item counts its executions of each barrier of
//! the kernel, and the last work-item that ends compares the counts. So the check makes no work-item wait that would not wait
//! anyway.

use super::describe::Describer;
use super::{description_address, Library};
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
            size: 4 * (1 + 2 * self.list.len() as u64),
            align: 4,
            space: AddressSpace::Local,
            is_const: false,
            init: None,
            relocations: Vec::new(),
            linkage: Linkage::Internal,
        });
        let counters: Vec<Value> = self.list.iter().map(|_| counter(func)).collect();
        for block in func.layout.clone() {
            let mut c = Cursor::new(func);
            let insts = c.begin(block);
            for &inst in &insts {
                c.func.stand_at(inst);
                let number = self.list.iter().position(|barrier| barrier.0 == inst);
                if let Some(number) = number {
                    count(&mut c, counters[number]);
                }
                c.keep(inst);
                if inst == area_inst {
                    begin(&mut c, words, &counters, library);
                }
            }
            c.finish_in(block, insts);
        }
        for block in func.layout.clone() {
            let Some(last) = func.terminator(block) else { continue };
            if matches!(func.insts[last], InstData::Return { .. }) {
                sites = self.end(func, block, (area, words), &counters, library, globals, sites);
            }
        }
        sites
    }

    /// Compares the counts at the end of the kernel, in place of a return.
    #[expect(clippy::too_many_arguments)]
    fn end(
        &self,
        func: &mut Function,
        block: Block,
        (area, words): (Value, Global),
        counters: &[Value],
        library: &Library,
        globals: &mut PrimaryMap<Global, GlobalData>,
        mut sites: u32,
    ) -> u32 {
        let mut c = Cursor::new(func);
        c.out = c.begin(block);
        let Some(end) = c.out.pop() else { return sites };
        c.func.stand_at(end);
        let words = c.global_addr(words, AddressSpace::Local);
        for (number, &counter) in counters.iter().enumerate() {
            let number = c.iconst(Type::I32, number as i64);
            let times = c.load(Type::I32, counter, 4, MemFlags::empty());
            c.call(library.barriers_tell, &[words, number, times], None);
        }
        let is_last = c.call(library.barriers_end, &[words], Some(Type::BOOL));
        let [report, after] = [c.func.add_block(), c.func.add_block()];
        if let Some(is_last) = is_last {
            c.brif_with(is_last, (report, &[]), (after, &[]));
        }
        c.finish(block);
        for (number, (_, description)) in self.list.iter().enumerate() {
            let text = description_address(&mut c, globals, description.clone());
            let site = c.iconst(Type::I32, i64::from(sites));
            sites += 1;
            let kind = c.iconst(Type::I32, i64::from(Checks::BARRIERS.bits()));
            let number = c.iconst(Type::I32, number as i64);
            let args = [area, site, text, kind, words, number];
            c.call(library.barriers_report, &args, None);
        }
        c.jump(after, &[]);
        c.finish(report);
        c.keep(end);
        c.finish(after);
        sites
    }
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

/// Adds 1 to a counter.
fn count(c: &mut Cursor<'_>, counter: Value) {
    let before = c.load(Type::I32, counter, 4, MemFlags::empty());
    let now = c.binary_imm(BinaryOp::IAdd, before, 1);
    c.store(counter, now, 4, MemFlags::empty());
}

/// Clears the work-group's words and the counters.
fn begin(c: &mut Cursor<'_>, words: Global, counters: &[Value], library: &Library) {
    let words = c.global_addr(words, AddressSpace::Local);
    let barriers = c.iconst(Type::I32, counters.len() as i64);
    c.call(library.barriers_begin, &[words, barriers], None);
    let zero = c.iconst(Type::I32, 0);
    for &counter in counters {
        c.store(counter, zero, 4, MemFlags::empty());
    }
}
