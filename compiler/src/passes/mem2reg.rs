//! Promotes private objects that are only loaded and stored whole to SSA values: pruned SSA with
//! block parameters at iterated dominance frontiers (Cytron et al., 1991).

use super::cursor::Cursor;
use super::unreachable;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// No slot: the value is not an alloca's address.
const NONE: u32 = u32::MAX;

/// A candidate for promotion.
struct Slot {
    alloca: Inst,
    /// Type of its SSA values: that of its first access.
    ty: Option<Type>,
    promotable: bool,
}

/// Returns true if anything was promoted.
pub fn run(func: &mut Function) -> bool {
    let mut slots = find_slots(func);
    if slots.slots.iter().all(|s| !s.promotable) {
        return false;
    }
    let (cfg, _) = unreachable::remove(func);
    let dom = DomTree::compute(&cfg);
    slots.keep_promotable();
    let params = place_params(func, &slots, &cfg, &dom);
    Renamer::new(func, &slots, params).run(&dom);
    true
}

struct Slots {
    slots: Vec<Slot>,
    /// Slot whose address a value is.
    of_value: SecondaryMap<Value, u32>,
}

impl Slots {
    fn slot(&self, value: Value) -> Option<usize> {
        match self.of_value[value] {
            NONE => None,
            slot => Some(slot as usize),
        }
    }

    /// Forgets the slots that cannot be promoted.
    fn keep_promotable(&mut self) {
        let mut renumber = Vec::with_capacity(self.slots.len());
        let mut next = 0;
        for slot in &self.slots {
            renumber.push(if slot.promotable { next } else { NONE });
            next += u32::from(slot.promotable);
        }
        for slot in self.of_value.values_mut() {
            if *slot != NONE {
                *slot = renumber[*slot as usize];
            }
        }
        self.slots.retain(|s| s.promotable);
    }

    /// Notes an access; accesses of one slot take the same number of bytes.
    fn access(&mut self, ptr: Value, ty: Type, flags: MemFlags) {
        if let Some(slot) = self.slot(ptr) {
            let slot = &mut self.slots[slot];
            let first = *slot.ty.get_or_insert(ty);
            // A vector of pointers has no integer to go through.
            let odd = |ty: Type| ty.scalar.is_ptr() && ty.lanes > 1;
            let fits = first == ty || first.bytes() == ty.bytes() && !odd(first) && !odd(ty);
            if !fits || flags.contains(MemFlags::VOLATILE) {
                slot.promotable = false;
            }
        }
    }
}

fn find_slots(func: &Function) -> Slots {
    let mut slots = Slots { slots: Vec::new(), of_value: SecondaryMap::with_default(NONE) };
    for &inst in &func.blocks[func.entry()].insts {
        if let (InstData::Alloca { .. }, Some(value)) = (&func.insts[inst], func.result(inst)) {
            slots.of_value[value] = slots.slots.len() as u32;
            slots.slots.push(Slot { alloca: inst, ty: None, promotable: true });
        }
    }
    if slots.slots.is_empty() {
        return slots;
    }
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            match func.insts[inst] {
                InstData::Load { ptr, flags, .. } => {
                    let ty = func.result(inst).map_or(Type::I32, |v| func.ty(v));
                    slots.access(ptr, ty, flags);
                }
                InstData::Store { ptr, value, flags, .. } => {
                    slots.access(ptr, func.ty(value), flags);
                    if let Some(slot) = slots.slot(value) {
                        slots.slots[slot].promotable = false;
                    }
                }
                ref other => other.for_each_arg(|arg| {
                    if let Some(slot) = slots.slot(arg) {
                        slots.slots[slot].promotable = false;
                    }
                }),
            }
        }
    }
    slots
}

/// Parameters that were added: (slot, parameter) for each block, in order.
type Params = SecondaryMap<Block, SmallVec<[(u32, Value); 2]>>;

/// Adds a parameter for a slot wherever definitions meet and the slot is live.
fn place_params(func: &mut Function, slots: &Slots, cfg: &Cfg, dom: &DomTree) -> Params {
    let frontiers = dom.frontiers(cfg);
    let count = slots.slots.len();
    // Blocks that store to a slot, and blocks that load from it before any store.
    let mut defs: Vec<Vec<Block>> = vec![Vec::new(); count];
    let mut uses: Vec<Vec<Block>> = vec![Vec::new(); count];
    let mut stored_in: Vec<u32> = vec![NONE; count];
    for &block in cfg.rpo() {
        for &inst in &func.blocks[block].insts {
            match func.insts[inst] {
                InstData::Load { ptr, .. } => {
                    if let Some(slot) = slots.slot(ptr) {
                        let stored = stored_in[slot] == block.as_u32();
                        if !stored && uses[slot].last() != Some(&block) {
                            uses[slot].push(block);
                        }
                    }
                }
                InstData::Store { ptr, .. } => {
                    if let Some(slot) = slots.slot(ptr) {
                        if stored_in[slot] != block.as_u32() {
                            stored_in[slot] = block.as_u32();
                            defs[slot].push(block);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let mut params = Params::new();
    // Stamps say for which slot a block was marked last.
    let mut live = SecondaryMap::<Block, u32>::with_default(NONE);
    live.resize(func.blocks.len());
    let (mut defined, mut placed) = (live.clone(), live.clone());
    for slot in 0..count {
        let stamp = slot as u32;
        let Some(ty) = slots.slots[slot].ty else { continue };
        defs[slot].iter().for_each(|&block| defined[block] = stamp);
        let mut work = std::mem::take(&mut uses[slot]);
        while let Some(block) = work.pop() {
            if live[block] == stamp {
                continue;
            }
            live[block] = stamp;
            work.extend(cfg.preds(block).iter().filter(|&&p| defined[p] != stamp));
        }
        let mut work = std::mem::take(&mut defs[slot]);
        while let Some(block) = work.pop() {
            for &at in &frontiers[block] {
                if placed[at] != stamp && live[at] == stamp {
                    placed[at] = stamp;
                    let param = func.add_param(at, ty);
                    params[at].push((stamp, param));
                    work.push(at);
                }
            }
        }
    }
    params
}

/// Walks the dominator tree and replaces loads by the values that reach them.
struct Renamer<'a> {
    cursor: Cursor<'a>,
    slots: &'a Slots,
    params: Params,
    /// Value of each slot at the point of the walk.
    current: Vec<Option<Value>>,
    /// The earlier contents of [`Renamer::current`], to go back up the tree.
    undo: Vec<(u32, Option<Value>)>,
    /// The values that replace the results of removed loads.
    replaced: SecondaryMap<Value, Option<Value>>,
}

impl<'a> Renamer<'a> {
    fn new(func: &'a mut Function, slots: &'a Slots, params: Params) -> Renamer<'a> {
        let current = vec![None; slots.slots.len()];
        let replaced = func.value_map();
        let cursor = Cursor::new(func);
        Renamer { cursor, slots, params, current, undo: Vec::new(), replaced }
    }

    fn run(mut self, dom: &DomTree) {
        let entry = self.cursor.func.entry();
        // (block, undo length at its entry, next child)
        let mut stack = vec![(entry, 0, 0)];
        self.block(entry);
        while let Some((block, mark, next)) = stack.last_mut() {
            if let Some(&child) = dom.children(*block).get(*next) {
                *next += 1;
                stack.push((child, self.undo.len(), 0));
                self.block(child);
            } else {
                while self.undo.len() > *mark {
                    if let Some((slot, value)) = self.undo.pop() {
                        self.current[slot as usize] = value;
                    }
                }
                stack.pop();
            }
        }
    }

    fn set(&mut self, slot: usize, value: Value) {
        self.undo.push((slot as u32, self.current[slot]));
        self.current[slot] = Some(value);
    }

    /// Returns the slot's value here; undefined before the first store.
    fn get(&mut self, slot: usize) -> Value {
        let ty = self.slots.slots[slot].ty.unwrap_or(Type::I32);
        self.current[slot].unwrap_or_else(|| self.cursor.func.undef(ty))
    }

    fn block(&mut self, block: Block) {
        for (slot, param) in self.params[block].clone() {
            self.set(slot as usize, param);
        }
        let insts = self.cursor.begin(block);
        for &inst in &insts {
            let replaced = &self.replaced;
            let data = &mut self.cursor.func.insts[inst];
            data.map_args(|arg| replaced[arg].unwrap_or(arg));
            match *data {
                InstData::Alloca { .. } => {
                    let value = self.cursor.func.result(inst);
                    let slot = value.and_then(|v| self.slots.slot(v));
                    match slot {
                        Some(slot) if self.slots.slots[slot].alloca == inst => {}
                        _ => self.cursor.keep(inst),
                    }
                }
                InstData::Load { ptr, .. } => self.load(inst, ptr),
                InstData::Store { ptr, value, .. } => match self.slots.slot(ptr) {
                    None => self.cursor.keep(inst),
                    Some(slot) => {
                        let ty = self.slots.slots[slot].ty.unwrap_or(Type::I32);
                        let value = self.cursor.reinterpret(value, ty);
                        self.set(slot, value);
                    }
                },
                _ => self.cursor.keep(inst),
            }
        }
        self.cursor.finish_in(block, insts);
        self.branch_args(block);
    }

    fn load(&mut self, inst: Inst, ptr: Value) {
        let (Some(slot), Some(result)) = (self.slots.slot(ptr), self.cursor.func.result(inst))
        else {
            return self.cursor.keep(inst);
        };
        let value = self.get(slot);
        let ty = self.cursor.ty(result);
        let value = self.cursor.reinterpret(value, ty);
        self.replaced[result] = Some(value);
    }

    /// Passes the current values to the parameters that were added.
    fn branch_args(&mut self, block: Block) {
        let Some(inst) = self.cursor.func.terminator(block) else { return };
        let mut data = std::mem::replace(&mut self.cursor.func.insts[inst], InstData::Unreachable);
        data.for_each_target_mut(|call| {
            for i in 0..self.params[call.block].len() {
                let slot = self.params[call.block][i].0 as usize;
                let value = self.get(slot);
                call.args.push(value);
            }
        });
        self.cursor.func.insts[inst] = data;
    }
}
