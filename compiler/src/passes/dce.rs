//! Removes instructions, block parameters and stores whose effect nothing observes.

use crate::ir::cfg::Cfg;
use crate::ir::incoming::Incoming;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Removes dead code from a function. Returns true if anything was removed.
pub fn run(func: &mut Function) -> bool {
    let liveness = Marker::new(func).mark();
    sweep(func, &liveness)
}

/// Live instructions and values.
struct Liveness {
    insts: SecondaryMap<Inst, bool>,
    values: SecondaryMap<Value, bool>,
}

struct Marker<'a> {
    func: &'a Function,
    cfg: Cfg,
    incoming: Incoming<'a>,
    liveness: Liveness,
    work: Vec<Value>,
    /// By pointer, the alloca that it points into, found through address arithmetic.
    underlying_allocas: SecondaryMap<Value, Option<Inst>>,
    /// By alloca, stores to the object, as long as no read of it is known to be live.
    pending: FxHashMap<Inst, Vec<Inst>>,
}

impl<'a> Marker<'a> {
    fn new(func: &'a Function) -> Marker<'a> {
        let cfg = Cfg::compute(func);
        Marker {
            func,
            incoming: Incoming::find(func, cfg.rpo()),
            cfg,
            liveness: Liveness { insts: func.inst_map(), values: func.value_map() },
            work: Vec::new(),
            underlying_allocas: func.value_map(),
            pending: FxHashMap::default(),
        }
    }

    fn mark(mut self) -> Liveness {
        let func = self.func;
        for &param in func.params() {
            self.liveness.values[param] = true;
        }
        for i in 0..self.cfg.rpo().len() {
            let block = self.cfg.rpo()[i];
            for &inst in &func.blocks[block].insts {
                self.mark_if_live(inst);
            }
        }
        while let Some(value) = self.work.pop() {
            match func.def(value) {
                ValueDef::Const(_) => {}
                ValueDef::Inst(inst) => self.live_inst(inst),
                ValueDef::Param(block, index) => self.live_param(block, index as usize),
            }
        }
        self.liveness
    }

    /// Marks an instruction that is live by itself; adds underlying allocas and pending stores.
    fn mark_if_live(&mut self, inst: Inst) {
        let func = self.func;
        match &func.insts[inst] {
            InstData::Alloca { .. } => {
                if let Some(value) = func.result(inst) {
                    self.underlying_allocas[value] = Some(inst);
                }
            }
            InstData::PtrAdd { ptr, .. } | InstData::ElementAddr { ptr, .. } => {
                if let Some(value) = func.result(inst) {
                    self.underlying_allocas[value] = self.underlying_allocas[*ptr];
                }
            }
            InstData::Store { ptr, flags, .. } if !flags.contains(MemFlags::VOLATILE) => {
                match self.underlying_allocas[*ptr] {
                    Some(alloca) => self.pending.entry(alloca).or_default().push(inst),
                    None => self.live_inst(inst),
                }
            }
            data if data.has_side_effect() => self.live_inst(inst),
            _ => {}
        }
    }

    fn value(&mut self, value: Value) {
        if !std::mem::replace(&mut self.liveness.values[value], true) {
            self.work.push(value);
        }
    }

    fn live_inst(&mut self, inst: Inst) {
        if std::mem::replace(&mut self.liveness.insts[inst], true) {
            return;
        }
        let func = self.func;
        match &func.insts[inst] {
            // A branch argument is live if the parameter that it is passed for is live.
            InstData::Brif { cond: value, .. } | InstData::Switch { value, .. } => {
                self.value(*value)
            }
            InstData::Jump { .. } => {}
            data => data.for_each_arg(|arg| self.value(arg)),
        }
        if matches!(func.insts[inst], InstData::Alloca { .. }) {
            let stores = self.pending.remove(&inst).unwrap_or_default();
            stores.into_iter().for_each(|store| self.live_inst(store));
        }
    }

    fn live_param(&mut self, block: Block, index: usize) {
        for i in 0..self.incoming.calls(block).len() {
            self.value(self.incoming.calls(block)[i].args[index]);
        }
    }
}

fn sweep(func: &mut Function, liveness: &Liveness) -> bool {
    let mut changed = false;
    let entry = func.entry();
    // By block, whether each parameter is removed; empty if none is.
    let mut dead_params: SecondaryMap<Block, SmallVec<[bool; 4]>> = SecondaryMap::new();
    for i in 0..func.layout.len() {
        let block = func.layout[i];
        let data = &mut func.blocks[block];
        let before = data.insts.len();
        let insts = &func.insts;
        data.insts.retain(|&i| liveness.insts[i] || insts[i].is_terminator());
        changed |= data.insts.len() != before;
        if block != entry && data.params.iter().any(|&p| !liveness.values[p]) {
            dead_params[block] = data.params.iter().map(|&p| !liveness.values[p]).collect();
            let live = data.params.iter().copied().filter(|&p| liveness.values[p]).collect();
            func.set_params(block, live);
            changed = true;
        }
    }
    if !changed {
        return false;
    }
    for &block in &func.layout {
        let Some(inst) = func.terminator(block) else { continue };
        func.insts[inst].for_each_target_mut(|call| {
            let dead = &dead_params[call.block];
            let mut index = 0;
            call.args.retain(|_| {
                index += 1;
                !dead.get(index - 1).copied().unwrap_or(false)
            });
        });
    }
    true
}
