//! Loop-invariant code motion: hoists computations and loads that have the same value in every iteration.
//!
//! Operations that cost little and cannot fail can leave a loop from any block, though they may then run where they did not
//! before; divisions cannot. A load can leave a loop only if it runs whenever the loop does, since its address may be
//! invalid otherwise, and if nothing in the loop writes what it reads. [`super::rotate`] makes more loads fulfil this.
//!
//! On devices with [`Quirks::ROWS_FIRST`](hekla_device::Quirks::ROWS_FIRST) the row of `p[row + i]` is added to p first.

use crate::analysis::alias::{AliasClasses, ClassSet};
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::{Loop, Loops};
use crate::ir::*;
use crate::passes::cursor::rewrite_insts;
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// The most loads that are hoisted out of a loop: each takes a register while the loop runs.
const MAX_LOADS: usize = 16;

/// Hoists instructions in a function. `kernel` is given if the function is a kernel's entry. `splits`: addresses that are
/// partly invariant are split. Returns true if anything moved.
pub fn run(func: &mut Function, kernel: Option<&KernelEntry>, splits: bool) -> bool {
    let mut changed = false;
    // What splits an address may have left the loop before.
    for _ in 0..2 {
        let Some(mut nest) = LoopNest::compute(func, kernel) else { break };
        // Inner loops first: what is hoisted out of one may be hoisted out of the next.
        for index in (0..nest.loops.loops.len()).rev() {
            let data = &nest.loops.loops[index];
            let Some(preheader) = find_preheader(func, &nest.cfg, data) else { continue };
            let leaving = nest.leaving(func, index, false);
            hoist(func, data, &leaving, preheader);
            changed |= !leaving.is_empty();
            leaving.iter().for_each(|&inst| nest.home[inst] = preheader);
        }
        let partly = if splits { partly_invariant(func, &nest) } else { FxHashMap::default() };
        if partly.is_empty() {
            break;
        }
        split(func, &partly);
        changed = true;
    }
    changed
}

/// The summands of an offset of 64 bits, and the multiple that is taken of their sum.
type Summands = ([Value; 2], Option<(BinaryOp, Value)>);

/// Returns the summands of an offset, if it is a sum or a multiple of one.
fn summands(func: &Function, offset: Value) -> Option<Summands> {
    let (sum, scale) = match func.def_inst(offset) {
        Some(&InstData::Binary {
            op: op @ (BinaryOp::Shl | BinaryOp::IMul),
            args: [sum, by],
            ..
        }) if func.as_const(by).is_some() => (sum, Some((op, by))),
        _ => (offset, None),
    };
    let (sum, needed) = match func.def_inst(sum) {
        Some(&InstData::Convert { op: ConvertOp::SExt, arg }) => (arg, OpFlags::NO_SIGNED_WRAP),
        _ => (sum, OpFlags::empty()),
    };
    match *func.def_inst(sum)? {
        InstData::Binary { op: BinaryOp::IAdd, args, flags } if flags.contains(needed) => {
            (func.ty(offset) == Type::I64).then_some((args, scale))
        }
        _ => None,
    }
}

/// Returns the additions to addresses that do not change in a loop whose offsets are the sums of a number that does not
/// change and one that does, with the first one: the row of `p[row + i]`.
fn partly_invariant(func: &Function, nest: &LoopNest<'_>) -> FxHashMap<Inst, Value> {
    let mut found = FxHashMap::default();
    for (index, data) in nest.loops.loops.iter().enumerate() {
        let is_invariant = |value: Value| {
            nest.block_of(func, value).is_none_or(|home| !nest.loops.contains(index, home))
        };
        let insts = data.insts(func).filter_map(|inst| {
            let InstData::PtrAdd { ptr, offset, within: Within::ANYWHERE } = func.insts[inst]
            else {
                return None;
            };
            let ([a, b], _) = summands(func, offset).filter(|_| is_invariant(ptr))?;
            match (is_invariant(a), is_invariant(b)) {
                (true, false) => Some((inst, a)),
                (false, true) if func.as_const(b).is_none() => Some((inst, b)),
                _ => None,
            }
        });
        found.extend(insts);
    }
    found
}

/// Adds the invariant parts of offsets first.
fn split(func: &mut Function, partly: &FxHashMap<Inst, Value>) {
    rewrite_insts(func, |c, inst| {
        let &first = partly.get(&inst)?;
        let InstData::PtrAdd { mut ptr, offset, within } = c.func.insts[inst] else { return None };
        let ([a, b], scale) = summands(c.func, offset)?;
        let [first, second] = [first, if first == a { b } else { a }].map(|part| {
            let wide = c.convert(ConvertOp::SExt, part, Type::I64);
            scale.map_or(wide, |(op, by)| c.binary(op, wide, by))
        });
        ptr = c.ptr_add(ptr, first);
        Some(InstData::PtrAdd { ptr, offset: second, within })
    });
}

/// Moves instructions of a loop to the end of its preheader.
fn hoist(func: &mut Function, data: &Loop, leaving: &[Inst], preheader: Block) {
    if leaving.is_empty() {
        return;
    }
    let leaves: FxHashSet<Inst> = leaving.iter().copied().collect();
    for &block in &data.blocks {
        func.blocks[block].insts.retain(|&inst| !leaves.contains(&inst));
    }
    let list = &mut func.blocks[preheader].insts;
    let end = list.len().saturating_sub(1);
    list.splice(end..end, leaving.iter().copied());
}

/// Returns the only block that enters a loop, if it has no other successor.
pub(super) fn find_preheader(func: &Function, cfg: &Cfg, data: &Loop) -> Option<Block> {
    let mut entering = data.entering(cfg);
    let (preheader, None) = (entering.next()?, entering.next()) else { return None };
    let jumps = matches!(func.insts[func.terminator(preheader)?], InstData::Jump { .. });
    jumps.then_some(preheader)
}

/// The loops of a function, and the analyses that decide whether instructions may leave them.
pub(super) struct LoopNest<'a> {
    pub cfg: Cfg,
    pub loops: Loops,
    dom: DomTree,
    /// The block of each instruction.
    home: SecondaryMap<Inst, Block>,
    kernel: Option<&'a KernelEntry>,
    /// Computed at the first use.
    memory: OnceCell<AliasClasses>,
}

impl<'a> LoopNest<'a> {
    /// Returns `None` if there are no loops.
    pub fn compute(func: &Function, kernel: Option<&'a KernelEntry>) -> Option<LoopNest<'a>> {
        let cfg = Cfg::compute(func);
        let dom = DomTree::compute(&cfg);
        let mut loops = Loops::compute(&cfg, &dom);
        if loops.loops.is_empty() {
            return None;
        }
        let mut home = SecondaryMap::with_default(func.entry());
        for &block in cfg.rpo() {
            func.blocks[block].insts.iter().for_each(|&inst| home[inst] = block);
        }
        for data in &mut loops.loops {
            data.blocks.sort_unstable_by_key(|&block| cfg.rpo_index(block));
        }
        Some(LoopNest { cfg, loops, dom, home, kernel, memory: OnceCell::new() })
    }

    /// Returns the block of a value's definition; `None` for constants.
    pub fn block_of(&self, func: &Function, value: Value) -> Option<Block> {
        match func.def(value) {
            ValueDef::Const(_) => None,
            ValueDef::Param(at, _) => Some(at),
            ValueDef::Inst(def) => Some(self.home[def]),
        }
    }

    /// Returns the instructions that may leave a loop, in their order. `is_rotated`: returns those that may leave after
    /// rotation, which copies the test in the loop's header to the front of the loop.
    pub fn leaving(&self, func: &Function, index: usize, is_rotated: bool) -> Vec<Inst> {
        let data = &self.loops.loops[index];
        let written = OnceCell::new();
        let ends = self.ends(data, index, is_rotated);
        let mut leaves: FxHashSet<Inst> = FxHashSet::default();
        let mut list = Vec::new();
        let mut loads = 0;
        for &block in &data.blocks {
            // A block that dominates all ends runs whenever the loop is entered.
            let is_certain = || self.dominates_all(block, &ends);
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                let is_load = matches!(data, InstData::Load { .. });
                if (is_load && loads < MAX_LOADS || data.speculation().leaves_loops())
                    && self.has_invariant_operands(func, index, data, &leaves)
                    && (!is_load || is_certain() && self.is_unwritten(func, inst, index, &written))
                {
                    loads += usize::from(is_load);
                    leaves.insert(inst);
                    list.push(inst);
                }
            }
        }
        list
    }

    /// Returns the blocks of a loop that run whenever the loop is entered, in reverse postorder. `is_rotated` as in
    /// [`LoopNest::leaving`].
    pub fn certain_blocks(&self, index: usize, is_rotated: bool) -> Vec<Block> {
        let data = &self.loops.loops[index];
        let ends = self.ends(data, index, is_rotated);
        let is_certain = |&block: &Block| self.dominates_all(block, &ends);
        data.blocks.iter().copied().filter(is_certain).collect()
    }

    /// Returns true if there are ends and the block dominates all of them.
    fn dominates_all(&self, block: Block, ends: &[Block]) -> bool {
        !ends.is_empty() && ends.iter().all(|&end| self.dom.dominates(block, end))
    }

    /// Returns the ends of a loop. Without rotation these are the exiting blocks: every run of the loop that ends
    /// reaches at least one. After rotation, the first iteration reaches an exiting block other than the header, or a
    /// latch.
    fn ends(&self, data: &Loop, index: usize, is_rotated: bool) -> Vec<Block> {
        let is_exiting = |&block: &Block| self.loops.is_exiting(&self.cfg, index, block);
        let mut ends: Vec<Block> = data.blocks.iter().copied().filter(is_exiting).collect();
        if is_rotated {
            ends.retain(|&block| block != data.header);
            ends.extend_from_slice(&data.latches);
        }
        ends
    }

    /// Returns the alias classes of the function.
    pub fn memory(&self, func: &Function) -> &AliasClasses {
        self.memory.get_or_init(|| AliasClasses::compute(func, self.kernel, &self.cfg))
    }

    /// Returns true if nothing in a loop changes the memory that a load reads. `written`: the classes that the loop
    /// clobbers, by writes or by synchronization; computed at the first use.
    fn is_unwritten(
        &self,
        func: &Function,
        load: Inst,
        index: usize,
        written: &OnceCell<ClassSet>,
    ) -> bool {
        let InstData::Load { ptr, flags, .. } = func.insts[load] else { return false };
        if flags.contains(MemFlags::VOLATILE) {
            return false;
        }
        if func.ty(ptr).space() == Some(AddressSpace::Constant)
            || flags.contains(MemFlags::INVARIANT)
        {
            return true;
        }
        let memory = self.memory(func);
        let written = written.get_or_init(|| {
            let insts = self.loops.loops[index].insts(func);
            insts.fold(0, |set, inst| set | memory.clobbered(func, inst))
        });
        written >> memory.read(func, ptr) & 1 == 0
    }

    fn has_invariant_operands(
        &self,
        func: &Function,
        index: usize,
        data: &InstData,
        leaves: &FxHashSet<Inst>,
    ) -> bool {
        let mut is_invariant = true;
        data.for_each_arg(|arg| {
            let leaves = matches!(func.def(arg), ValueDef::Inst(def) if leaves.contains(&def));
            let home = self.block_of(func, arg);
            is_invariant &= leaves || home.is_none_or(|home| !self.loops.contains(index, home));
        });
        is_invariant
    }
}
