//! Promotes private objects that are only loaded and stored as a whole to SSA values: pruned SSA with
//! block parameters at iterated dominance frontiers (Cytron et al., 1991).

use super::cursor::Cursor;
use super::dce;
use super::unreachable;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::iterated_frontiers::IteratedFrontiers;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// The index of values that are not an alloca's address.
const NONE: u32 = u32::MAX;

/// An alloca that may be promoted.
struct AllocaInfo {
    alloca: Inst,
    /// Type of the alloca's SSA values: the type of its first access.
    ty: Option<Type>,
    promotable: bool,
}

/// Promotes private objects to SSA values. Returns true if any was promoted. Objects whose parameters would be too many
/// for the size of the function stay in memory (see `Budget`).
pub fn run(func: &mut Function) -> bool {
    let room = Budget::of(func);
    promote(func, room, |_| true)
}

/// Like [`run`], but promotes only variables that are pointers.
pub fn run_on_pointers(func: &mut Function) -> bool {
    let room = Budget::of(func);
    promote(func, room, |ty| ty.scalar.is_ptr())
}

/// Like [`run`], for a function that is already legal. `size`: its number of instructions before variables were added.
pub fn run_on_legal(func: &mut Function, size: usize) -> bool {
    // hashcat's inflater with its nested loops has ten arguments for each instruction.
    let room = Budget { is_legal: true, args: 16 * size + (1 << 17), ..Budget::of_size(size) };
    promote(func, room, |_| true)
}

fn promote(func: &mut Function, room: Budget, is_wanted: impl Fn(Type) -> bool) -> bool {
    let mut allocas = find_allocas(func);
    for alloca in &mut allocas.list {
        alloca.promotable &= alloca.ty.is_none_or(&is_wanted);
    }
    if allocas.list.iter().all(|s| !s.promotable) {
        return false;
    }
    let (cfg, _) = unreachable::remove(func);
    let dom = DomTree::compute(&cfg);
    allocas.keep_promotable();
    let (params, is_pruned) = place_params(func, &mut allocas, &cfg, &dom, room);
    Renamer::new(func, &allocas, params).run(&dom);
    if !is_pruned {
        dce::run(func);
    }
    true
}

struct Allocas {
    list: Vec<AllocaInfo>,
    /// By value, the index of the alloca whose address the value is.
    of_value: SecondaryMap<Value, u32>,
}

impl Allocas {
    fn index(&self, value: Value) -> Option<usize> {
        match self.of_value[value] {
            NONE => None,
            index => Some(index as usize),
        }
    }

    /// Removes the allocas that cannot be promoted.
    fn keep_promotable(&mut self) {
        let mut renumber = Vec::with_capacity(self.list.len());
        let mut next = 0;
        for alloca in &self.list {
            renumber.push(if alloca.promotable { next } else { NONE });
            next += u32::from(alloca.promotable);
        }
        for index in self.of_value.values_mut() {
            if *index != NONE {
                *index = renumber[*index as usize];
            }
        }
        self.list.retain(|s| s.promotable);
    }

    /// Marks an alloca as staying in memory.
    fn give_up(&mut self, func: &Function, index: usize) {
        if let Some(address) = func.result(self.list[index].alloca) {
            self.of_value[address] = NONE;
        }
    }

    /// Adds an access; all accesses of a promotable alloca take the same number of bytes.
    fn access(&mut self, ptr: Value, ty: Type, flags: MemFlags) {
        if let Some(index) = self.index(ptr) {
            let alloca = &mut self.list[index];
            let first = *alloca.ty.get_or_insert(ty);
            // A vector of pointers has no integer to go through.
            let odd = |ty: Type| ty.scalar.is_ptr() && ty.lanes > 1 || ty.scalar.is_matrix();
            let fits = first == ty || first.bytes() == ty.bytes() && !odd(first) && !odd(ty);
            if !fits || flags.contains(MemFlags::VOLATILE) {
                alloca.promotable = false;
            }
        }
    }
}

fn find_allocas(func: &Function) -> Allocas {
    let mut allocas = Allocas { list: Vec::new(), of_value: SecondaryMap::with_default(NONE) };
    for &inst in &func.blocks[func.entry()].insts {
        if let (InstData::Alloca { .. }, Some(value)) = (&func.insts[inst], func.result(inst)) {
            allocas.of_value[value] = allocas.list.len() as u32;
            allocas.list.push(AllocaInfo { alloca: inst, ty: None, promotable: true });
        }
    }
    if allocas.list.is_empty() {
        return allocas;
    }
    for inst in func.layout_insts() {
        match func.insts[inst] {
            InstData::Load { ptr, flags, .. } => {
                let ty = func.result(inst).map_or(Type::I32, |v| func.ty(v));
                allocas.access(ptr, ty, flags);
            }
            InstData::Store { ptr, value, flags, .. } => {
                allocas.access(ptr, func.ty(value), flags);
                if let Some(index) = allocas.index(value) {
                    allocas.list[index].promotable = false;
                }
            }
            ref other => other.for_each_arg(|arg| {
                if let Some(index) = allocas.index(arg) {
                    allocas.list[index].promotable = false;
                }
            }),
        }
    }
    allocas
}

/// By block, the parameters that were added, as (index of the alloca, parameter), in order.
type Params = SecondaryMap<Block, SmallVec<[(u32, Value); 2]>>;

/// The most work and growth that the promotion of a function's objects may cause.
struct Budget {
    /// Edges that searches for frontiers may follow.
    steps: usize,
    /// Edges that searches for live ranges may follow, at most [`LIVE_STEPS`] for one object.
    live_steps: usize,
    /// Arguments of branches. A block with a parameter takes as many as it has incoming edges.
    args: usize,
    /// Blocks in all dominance frontiers. If there are more, each object's frontier is searched for separately.
    frontiers: usize,
    /// True if only objects whose values are legal in memory may stay in memory.
    is_legal: bool,
}

impl Budget {
    fn of(func: &Function) -> Budget {
        let mut args = 0;
        for &block in &func.layout {
            if let Some(last) = func.terminator(block) {
                func.insts[last].for_each_target(|call| args += call.args.len());
            }
        }
        let room = Budget::of_size(func.num_insts() + func.layout.len());
        Budget { args: room.args.saturating_sub(args), ..room }
    }

    fn of_size(size: usize) -> Budget {
        Budget {
            steps: 64 * size + (1 << 18),
            live_steps: 64 * size + (1 << 18),
            args: 4 * size + (1 << 14),
            frontiers: 16 * size,
            is_legal: false,
        }
    }
}

/// Returns true if an object with values of this type is legal in memory.
fn may_be_in_memory(ty: Type) -> bool {
    match ty.scalar {
        _ if ty.lanes > 1 => false,
        Scalar::I32 | Scalar::F32 | Scalar::I64 | Scalar::F64 => true,
        Scalar::Ptr(space) => matches!(space, AddressSpace::Global | AddressSpace::Constant),
        _ => false,
    }
}

/// How the blocks where definitions meet are found.
enum Frontiers<'a> {
    /// From the dominance frontiers of all blocks.
    All(SecondaryMap<Block, SmallVec<[Block; 4]>>),
    Iterated(IteratedFrontiers<'a>),
}

/// The blocks that get a parameter for an alloca.
#[derive(Default)]
struct Joins {
    blocks: SmallVec<[Block; 8]>,
    /// The number of branch arguments for these parameters.
    args: usize,
}

impl Joins {
    fn add(&mut self, block: Block, cfg: &Cfg) {
        self.blocks.push(block);
        self.args += cfg.preds(block).len();
    }
}

/// The most edges that the search for an alloca's live range follows. A longer range counts as the whole function, and
/// unused parameters are removed in the end: thousands of long ranges would take time quadratic in the size of the
/// text.
const LIVE_STEPS: usize = 1 << 11;

/// Adds a parameter for an alloca to each block where definitions meet and the alloca's value is live. Allocas beyond the
/// budget stay in memory. Returns the parameters, and false if some may be in blocks where the value is not live.
fn place_params(
    func: &mut Function,
    allocas: &mut Allocas,
    cfg: &Cfg,
    dom: &DomTree,
    mut room: Budget,
) -> (Params, bool) {
    let mut is_pruned = true;
    let mut frontiers = match dom.frontiers(cfg, room.frontiers) {
        Some(frontiers) => Frontiers::All(frontiers),
        None => Frontiers::Iterated(IteratedFrontiers::new(cfg, dom)),
    };
    let Accesses { mut defs, mut uses } = Accesses::find(func, allocas, cfg);
    let mut params = Params::new();
    // A stamp is the index of the alloca for which a block was marked last.
    let mut live = SecondaryMap::<Block, u32>::with_default(NONE);
    live.resize(func.blocks.len());
    let (mut defined, mut placed) = (live.clone(), live.clone());
    let mut work: Vec<Block> = Vec::new();
    for index in 0..allocas.list.len() {
        let stamp = index as u32;
        let Some(ty) = allocas.list[index].ty.filter(|_| !defs[index].is_empty()) else { continue };
        let may_stay = !room.is_legal || may_be_in_memory(ty);
        work.clear();
        work.append(&mut uses[index]);
        if let [def] = defs[index][..] {
            if work.iter().all(|&block| block != def && dom.dominates(def, block)) {
                continue;
            }
        }
        defs[index].iter().for_each(|&block| defined[block] = stamp);
        let most_steps = LIVE_STEPS.min(room.live_steps);
        let (mut live_steps, mut is_cut) = (most_steps, false);
        while let Some(block) = work.pop() {
            if live[block] == stamp {
                continue;
            }
            live[block] = stamp;
            live_steps = live_steps.saturating_sub(cfg.preds(block).len());
            is_cut = live_steps == 0;
            if is_cut {
                break;
            }
            work.extend(cfg.preds(block).iter().filter(|&&p| defined[p] != stamp));
        }
        room.live_steps -= most_steps - live_steps;
        is_pruned &= !is_cut;
        let is_live = |at| is_cut || live[at] == stamp;
        work.clear();
        work.append(&mut defs[index]);
        let mut joins = Joins::default();
        let most_args = if may_stay { room.args } else { usize::MAX };
        let has_room = |joins: &Joins| joins.args <= most_args;
        match &mut frontiers {
            Frontiers::All(frontiers) => {
                while let Some(block) = work.pop().filter(|_| has_room(&joins)) {
                    for &at in &frontiers[block] {
                        if placed[at] != stamp && is_live(at) {
                            placed[at] = stamp;
                            joins.add(at, cfg);
                            work.push(at);
                        }
                    }
                }
            }
            Frontiers::Iterated(frontiers) => {
                frontiers.search(&work, is_live, &mut room.steps, !may_stay, |at| {
                    joins.add(at, cfg);
                    has_room(&joins)
                });
            }
        }
        if !has_room(&joins) || may_stay && room.steps == 0 {
            allocas.give_up(func, index);
            continue;
        }
        room.args = room.args.saturating_sub(joins.args);
        for at in joins.blocks {
            params[at].push((stamp, func.add_param(at, ty)));
        }
    }
    (params, is_pruned)
}

/// For each alloca the blocks that store to it, and the blocks that load from it before any store.
struct Accesses {
    defs: Vec<Vec<Block>>,
    uses: Vec<Vec<Block>>,
}

impl Accesses {
    fn find(func: &Function, allocas: &Allocas, cfg: &Cfg) -> Accesses {
        let count = allocas.list.len();
        let mut defs: Vec<Vec<Block>> = vec![Vec::new(); count];
        let mut uses: Vec<Vec<Block>> = vec![Vec::new(); count];
        let mut stored_in: Vec<u32> = vec![NONE; count];
        for &block in cfg.rpo() {
            for &inst in &func.blocks[block].insts {
                match func.insts[inst] {
                    InstData::Load { ptr, .. } => {
                        if let Some(index) = allocas.index(ptr) {
                            let stored = stored_in[index] == block.as_u32();
                            if !stored && uses[index].last() != Some(&block) {
                                uses[index].push(block);
                            }
                        }
                    }
                    InstData::Store { ptr, .. } => {
                        if let Some(index) = allocas.index(ptr) {
                            if stored_in[index] != block.as_u32() {
                                stored_in[index] = block.as_u32();
                                defs[index].push(block);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        Accesses { defs, uses }
    }
}

/// Walks the dominator tree and replaces loads by the reaching values.
struct Renamer<'a> {
    cursor: Cursor<'a>,
    allocas: &'a Allocas,
    params: Params,
    /// The value of each alloca at the current point of the walk.
    current: Vec<Option<Value>>,
    /// The earlier contents of [`Renamer::current`], which are restored when the walk goes back up the tree.
    undo: Vec<(u32, Option<Value>)>,
    /// The values that replace the results of removed loads.
    replaced: SecondaryMap<Value, Option<Value>>,
}

impl<'a> Renamer<'a> {
    fn new(func: &'a mut Function, allocas: &'a Allocas, params: Params) -> Renamer<'a> {
        let current = vec![None; allocas.list.len()];
        let replaced = func.value_map();
        let cursor = Cursor::new(func);
        Renamer { cursor, allocas, params, current, undo: Vec::new(), replaced }
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
                    if let Some((index, value)) = self.undo.pop() {
                        self.current[index as usize] = value;
                    }
                }
                stack.pop();
            }
        }
    }

    fn set(&mut self, index: usize, value: Value) {
        self.undo.push((index as u32, self.current[index]));
        self.current[index] = Some(value);
    }

    /// Returns the current value of an alloca; undefined before the first store.
    fn get(&mut self, index: usize) -> Value {
        let ty = self.allocas.list[index].ty.unwrap_or(Type::I32);
        self.current[index].unwrap_or_else(|| self.cursor.func.undef(ty))
    }

    fn block(&mut self, block: Block) {
        for (index, param) in self.params[block].clone() {
            self.set(index as usize, param);
        }
        let insts = self.cursor.begin(block);
        for &inst in &insts {
            self.cursor.func.stand_at(inst);
            let replaced = &self.replaced;
            let data = &mut self.cursor.func.insts[inst];
            data.map_args(|arg| replaced[arg].unwrap_or(arg));
            match *data {
                InstData::Alloca { .. } => {
                    let value = self.cursor.func.result(inst);
                    let index = value.and_then(|v| self.allocas.index(v));
                    match index {
                        Some(index) if self.allocas.list[index].alloca == inst => {}
                        _ => self.cursor.keep(inst),
                    }
                }
                InstData::Load { ptr, .. } => self.load(inst, ptr),
                InstData::Store { ptr, value, .. } => match self.allocas.index(ptr) {
                    None => self.cursor.keep(inst),
                    Some(index) => {
                        let ty = self.allocas.list[index].ty.unwrap_or(Type::I32);
                        let value = self.cursor.reinterpret(value, ty);
                        self.set(index, value);
                    }
                },
                _ => self.cursor.keep(inst),
            }
        }
        self.cursor.finish_in(block, insts);
        self.branch_args(block);
    }

    fn load(&mut self, inst: Inst, ptr: Value) {
        let (Some(index), Some(result)) = (self.allocas.index(ptr), self.cursor.func.result(inst))
        else {
            return self.cursor.keep(inst);
        };
        let value = self.get(index);
        let ty = self.cursor.ty(result);
        let value = self.cursor.reinterpret(value, ty);
        self.replaced[result] = Some(value);
    }

    /// Passes the current values as arguments for the parameters that were added.
    fn branch_args(&mut self, block: Block) {
        let Some(inst) = self.cursor.func.terminator(block) else { return };
        let mut data = std::mem::replace(&mut self.cursor.func.insts[inst], InstData::Unreachable);
        data.for_each_target_mut(|call| {
            for i in 0..self.params[call.block].len() {
                let index = self.params[call.block][i].0 as usize;
                let value = self.get(index);
                call.args.push(value);
            }
        });
        self.cursor.func.insts[inst] = data;
    }
}
