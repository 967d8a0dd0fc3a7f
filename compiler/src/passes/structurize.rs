//! Gives the control-flow graph the structure that SPIR-V demands: every branch that splits control names the block where
//! control joins again, and every loop has one header, one continue target and one merge block.
//!
//! The graph is rebuilt along its dominator tree (Ramsey, "Beyond Relooper", ICFP 2022, describes how each join is placed
//! behind the code that immediately dominates it). A block that several edges reach is a *follow* of its immediate
//! dominator: it is generated after the construct that the dominator opens. An edge to it is a *pending target*: control
//! falls through to the end of the enclosing construct and continues at the follow from there. If more than one target is
//! pending at such an end, the selector (a variable that every such edge sets) decides which follow runs. The exit of a loop
//! is a follow of the outermost loop that it leaves, so that work-items reconverge after a loop and not inside it.
//!
//! Values may lose their dominance over uses in this process; [`super::ssa_repair`] restores it.

use super::fall_through::FallThroughs;
use super::loop_exits::LoopExits;
use super::pending_targets::Targets;
use super::shared_calls::{self, SharedCallee};
use super::{irreducible, loop_tests, nesting, ssa_repair};
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::{
    Block, BlockCall, Function, Inst, InstData, IntCC, Merge, Structure, SwitchCase, Type, Value,
};
use cranelift_entity::SecondaryMap;
use hekla_device::Quirks;
use rustc_hash::{FxHashMap, FxHashSet};

/// Structures a function. After this, only passes that do not change the graph may run.
pub fn run(func: &mut Function) -> Structure {
    run_and_share(func, &[], Quirks::empty())
}

/// Like [`run`], for a driver with the given quirks. Calls of `callees` share call sites ([`shared_calls`]).
pub fn run_and_share(func: &mut Function, callees: &[SharedCallee], quirks: Quirks) -> Structure {
    super::unreachable::run(func);
    let size = func.num_insts() + func.layout.len();
    ssa_repair::demote_params(func, &FallThroughs::guess(func));
    if !callees.is_empty() {
        shared_calls::share(func, callees);
    }
    let is_bounded = quirks.contains(Quirks::BOUNDED_NESTING);
    let unstructured = (is_bounded && nesting::may_be_cut(func)).then(|| func.clone());
    let mut structure = rebuild(func, size, quirks);
    if let Some(mut unstructured) = unstructured.filter(|_| nesting::is_too_deep(func, &structure))
    {
        nesting::cut(&mut unstructured);
        *func = unstructured;
        structure = rebuild(func, size, quirks);
    }
    if quirks.contains(Quirks::COSTLY_SELECTIONS) {
        loop_tests::run(func, &mut structure);
    }
    structure
}

/// Rebuilds the graph of a function without block parameters. `size`: the function's size before its block parameters
/// were replaced.
fn rebuild(func: &mut Function, size: usize, quirks: Quirks) -> Structure {
    irreducible::run(func);
    let structure = Structurizer::new(func, quirks).run();
    // Merge instructions also name merge blocks that are unreachable, so these must stay in the layout.
    let layout = func.layout.clone();
    ssa_repair::run(func, size);
    func.layout = layout;
    structure
}

/// The state of control after some code was generated: control is at the end of `cur` and will continue at one of
/// `targets`. If there are several, the selector variable holds the target.
struct Flow {
    cur: Block,
    targets: Targets,
}

/// The SPIR-V loop being generated.
struct LoopContext {
    header: Block,
    merge: Block,
    continue_target: Block,
}

struct Structurizer<'a> {
    func: &'a mut Function,
    loops: LoopExits,
    /// Position of each block of the old graph in reverse postorder.
    order: SecondaryMap<Block, u32>,
    /// Follows of each block that are in the block's innermost loop, in reverse postorder.
    inner_follows: SecondaryMap<Block, Vec<Block>>,
    /// Follows of a loop header that are outside its loop.
    outer_follows: SecondaryMap<Block, Vec<Block>>,
    is_follow: SecondaryMap<Block, bool>,
    /// Targets of switches that are generated as cases although other cases reach them. They are not follows.
    falls: FallThroughs,
    stack: Vec<LoopContext>,
    selector: Value,
    structure: Structure,
}

impl<'a> Structurizer<'a> {
    fn new(func: &'a mut Function, quirks: Quirks) -> Structurizer<'a> {
        let cfg = Cfg::compute(func);
        let doms = DomTree::compute(&cfg);
        let keeps_only_exits = quirks.contains(Quirks::COSTLY_SELECTIONS);
        let loops = LoopExits::compute(func, &cfg, &doms, keeps_only_exits);
        let mut order = SecondaryMap::new();
        for (i, &block) in cfg.rpo().iter().enumerate() {
            order[block] = i as u32;
        }
        let selector = ssa_repair::variable_for(func, Type::I32);
        let mut this = Structurizer {
            func,
            loops,
            order,
            inner_follows: SecondaryMap::new(),
            outer_follows: SecondaryMap::new(),
            is_follow: SecondaryMap::new(),
            falls: FallThroughs::default(),
            stack: Vec::new(),
            selector,
            structure: Structure::default(),
        };
        this.place_follows(&cfg, &doms);
        this
    }

    /// Decides for every block whether it is generated in line, behind its only predecessor, or as a follow, and of
    /// which block.
    fn place_follows(&mut self, cfg: &Cfg, doms: &DomTree) {
        let mut forward_preds: SecondaryMap<Block, u32> = SecondaryMap::new();
        let mut last_pred: SecondaryMap<Block, Option<Block>> = self.func.block_map();
        for &block in cfg.rpo() {
            for &succ in cfg.succs(block) {
                if self.order[succ] > self.order[block] && last_pred[succ] != Some(block) {
                    last_pred[succ] = Some(block);
                    forward_preds[succ] += 1;
                }
            }
        }
        for &block in cfg.rpo() {
            let Some(idom) = doms.idom(block) else { continue };
            match self.loops.outermost_left(idom, block) {
                Some(header) => {
                    self.is_follow[block] = true;
                    self.outer_follows[header].push(block);
                }
                None if forward_preds[block] > 1 => {
                    self.is_follow[block] = true;
                    self.inner_follows[idom].push(block);
                }
                None => {}
            }
        }
        let is_inner = |block: Block| {
            let idom = doms.idom(block);
            let leaves = idom.and_then(|idom| self.loops.outermost_left(idom, block));
            self.is_follow[block] && leaves.is_none() && !self.loops.is_header(block)
        };
        let is_in_line = |block: Block| !self.is_follow[block];
        self.falls = FallThroughs::find(self.func, cfg, doms, is_in_line, is_inner);
        for follows in self.inner_follows.values_mut() {
            follows.retain(|&block| !self.falls.is_next(block));
        }
    }

    fn run(mut self) -> Structure {
        let old_entry = self.func.entry();
        // Allocas stay at the start of the entry. A new entry block cannot be a loop header.
        let start = self.func.add_block();
        let params = std::mem::take(&mut self.func.blocks[old_entry].params);
        self.func.set_params(start, params);
        let flow = self.region(old_entry, start);
        debug_assert!(flow.is_none(), "nothing follows the whole function");
        if let Some(flow) = flow {
            self.func.append(flow.cur, InstData::Unreachable, None);
        }
        self.func.layout = vec![start];
        self.func.layout = structured_order(self.func, start, &self.structure);
        hoist_allocas(self.func);
        self.structure
    }

    /// Generates `block`, all blocks that it dominates and the exits of its loops, at the end of `cur`.
    fn region(&mut self, mut block: Block, mut cur: Block) -> Option<Flow> {
        loop {
            let (mut flow, follows) = if self.loops.is_header(block) {
                (self.loop_construct(block, cur), std::mem::take(&mut self.outer_follows[block]))
            } else {
                (self.code(block, cur), std::mem::take(&mut self.inner_follows[block]))
            };
            let Some((&last, init)) = follows.split_last() else { return flow };
            for &follow in init {
                flow = self.follow(follow, flow);
            }
            match flow {
                // The common end of a region is generated here, without recursion.
                Some(f) if f.targets.only() == Some(last) => (block, cur) = (last, f.cur),
                other => return self.follow(last, other),
            }
        }
    }

    /// Generates a follow if it is the pending target.
    fn follow(&mut self, target: Block, flow: Option<Flow>) -> Option<Flow> {
        let flow = flow?;
        if !flow.targets.contains(target) {
            return Some(flow);
        }
        if flow.targets.len() == 1 {
            return self.region(target, flow.cur);
        }
        let then = self.func.add_block();
        let merge = self.func.add_block();
        self.branch_if_selected(flow.cur, target, then, merge);
        self.structure.merges[flow.cur] = Merge::Selection { merge };
        let mut targets = flow.targets;
        targets.remove(target);
        if let Some(taken) = self.region(target, then) {
            self.set_selector(&taken);
            self.jump(taken.cur, merge);
            targets.merge(taken.targets);
        }
        Some(Flow { cur: merge, targets })
    }

    /// Generates the loop with a header, at the end of `cur`. Returns the flow to its exits.
    fn loop_construct(&mut self, header: Block, cur: Block) -> Option<Flow> {
        let head = self.func.add_block();
        let body = self.func.add_block();
        let continue_target = self.func.add_block();
        let merge = self.func.add_block();
        self.jump(cur, head);
        self.jump(head, body);
        self.jump(continue_target, head);
        let unroll = self.func.blocks[header].unroll;
        self.structure.merges[head] = Merge::Loop { merge, continue_target, unroll };
        self.stack.push(LoopContext { header, merge, continue_target });
        let mut flow = self.code(header, body);
        for follow in std::mem::take(&mut self.inner_follows[header]) {
            flow = self.follow(follow, flow);
        }
        debug_assert!(flow.is_none(), "a loop's body ends in jumps");
        self.stack.pop();
        let exits = self.loops.exits(header).to_vec();
        self.dispatch(merge, &exits)
    }

    /// Continues at the end of `cur`, behind a loop, from which control goes to one of `exits`. Jumps to those that
    /// leave or continue the loop that is now innermost, and returns the others as pending.
    fn dispatch(&mut self, mut cur: Block, exits: &[Block]) -> Option<Flow> {
        let (pending, mut direct): (Vec<Block>, Vec<Block>) =
            exits.iter().partition(|&&t| self.is_pending_here(t));
        if pending.is_empty() {
            let Some(last) = direct.pop() else {
                self.func.append(cur, InstData::Unreachable, None);
                return None;
            };
            cur = self.jump_selected(cur, &direct);
            return self.goto(last, cur);
        }
        cur = self.jump_selected(cur, &direct);
        Some(Flow { cur, targets: Targets::of(&pending) })
    }

    /// Jumps to the selected one of `targets`. Returns the block behind the tests.
    fn jump_selected(&mut self, mut cur: Block, targets: &[Block]) -> Block {
        for &target in targets {
            let then = self.func.add_block();
            let next = self.func.add_block();
            self.branch_if_selected(cur, target, then, next);
            self.structure.merges[cur] = Merge::Selection { merge: next };
            let flow = self.goto(target, then);
            debug_assert!(flow.is_none());
            cur = next;
        }
        cur
    }

    /// Generates the instructions of one block, and the blocks in line behind its terminator.
    fn code(&mut self, block: Block, cur: Block) -> Option<Flow> {
        let mut insts = std::mem::take(&mut self.func.blocks[block].insts);
        let terminator = insts.pop()?;
        self.func.blocks[cur].insts.append(&mut insts);
        match self.func.insts[terminator].clone() {
            InstData::Jump { target } => self.edge(target.block, cur),
            InstData::Brif { then, otherwise, .. } if then.block == otherwise.block => {
                self.edge(then.block, cur)
            }
            InstData::Brif { then, otherwise, .. } => {
                self.selection(block, terminator, &[then.block, otherwise.block], cur)
            }
            InstData::Switch { cases, default, .. } => {
                let mut targets: Vec<Block> = vec![default.block];
                let mut seen: FxHashSet<Block> = targets.iter().copied().collect();
                let cases = cases.iter().map(|case| case.target.block);
                targets.extend(cases.filter(|&block| seen.insert(block)));
                match targets[..] {
                    [only] => self.edge(only, cur),
                    _ => {
                        let targets = self.falls.in_order(block, &targets);
                        self.selection(block, terminator, &targets, cur)
                    }
                }
            }
            _ => {
                self.func.blocks[cur].insts.push(terminator);
                None
            }
        }
    }

    /// Generates the two-way branch or switch of `block` at the end of `cur`. `targets` are its distinct targets.
    fn selection(
        &mut self,
        block: Block,
        terminator: Inst,
        targets: &[Block],
        cur: Block,
    ) -> Option<Flow> {
        let arms: Vec<Block> = targets.iter().map(|_| self.func.add_block()).collect();
        let by_target: FxHashMap<Block, Block> =
            targets.iter().copied().zip(arms.iter().copied()).rev().collect();
        let arm_of = |block: Block| BlockCall::new(by_target.get(&block).map_or(arms[0], |b| *b));
        let mut data = self.func.insts[terminator].clone();
        if let InstData::Switch { cases, .. } = &mut data {
            if targets.iter().any(|&target| self.falls.is_next_of(block, target)) {
                let places: FxHashMap<Block, usize> =
                    targets.iter().enumerate().map(|(place, &target)| (target, place)).collect();
                cases.sort_by_key(|case| places.get(&case.target.block).copied());
            }
        }
        data.for_each_target_mut(|call| *call = arm_of(call.block));
        let is_switch = matches!(data, InstData::Switch { .. });
        self.func.insts[terminator] = data;
        self.func.blocks[cur].insts.push(terminator);
        let mut flows = Vec::with_capacity(targets.len());
        for (place, (&target, &arm)) in targets.iter().zip(&arms).enumerate() {
            let flow = match self.falls.is_next_of(block, target) {
                true => self.region(target, arm),
                false => self.edge(target, arm),
            };
            let next =
                self.falls.next(target).filter(|&next| targets.get(place + 1) == Some(&next));
            flows.push(match (next, arms.get(place + 1)) {
                (Some(next), Some(&arm)) => self.fall_through(next, arm, flow),
                _ => flow,
            });
        }
        if !is_switch {
            // If one side never continues, the other side continues behind the selection.
            if let [a, b] = &flows[..] {
                let open = match (a.is_some(), b.is_some()) {
                    (true, true) => None,
                    (true, false) => Some(0),
                    _ => Some(1),
                };
                if let Some(side) = open {
                    self.structure.merges[cur] = Merge::Selection { merge: arms[side] };
                    return flows.into_iter().nth(side).flatten();
                }
            }
        }
        let merge = self.func.add_block();
        self.structure.merges[cur] = Merge::Selection { merge };
        self.join(flows.into_iter().flatten().collect(), merge)
    }

    /// Makes a case of a switch fall through to the next case, which begins with `arm`. Returns the flow to other
    /// targets.
    fn fall_through(&mut self, next: Block, arm: Block, flow: Option<Flow>) -> Option<Flow> {
        let mut flow = flow?;
        if !flow.targets.contains(next) {
            return Some(flow);
        }
        if flow.targets.len() == 1 {
            self.jump(flow.cur, arm);
            return None;
        }
        // A case must not be left from within a selection, so no merge instruction is added here.
        let cur = self.func.add_block();
        self.branch_if_selected(flow.cur, next, arm, cur);
        flow.targets.remove(next);
        Some(Flow { cur, targets: flow.targets })
    }

    /// Makes all flows end in `merge`.
    fn join(&mut self, flows: Vec<Flow>, merge: Block) -> Option<Flow> {
        // Flows to several targets have set the selector before.
        let ends: Vec<(Block, Option<Block>)> =
            flows.iter().map(|flow| (flow.cur, flow.targets.only())).collect();
        let mut targets = Targets::default();
        flows.into_iter().for_each(|flow| targets.merge(flow.targets));
        if targets.is_empty() {
            self.func.append(merge, InstData::Unreachable, None);
            return None;
        }
        for (end, only) in ends {
            if let Some(target) = only.filter(|_| targets.len() > 1) {
                self.store_selector(end, target);
            }
            self.jump(end, merge);
        }
        Some(Flow { cur: merge, targets })
    }

    /// Continues from the end of `cur` to `target`, and generates it here if it has no other predecessors.
    fn edge(&mut self, target: Block, cur: Block) -> Option<Flow> {
        let is_back_edge = self.stack.iter().any(|l| l.header == target);
        if is_back_edge || self.is_follow[target] {
            self.goto(target, cur)
        } else {
            self.region(target, cur)
        }
    }

    /// Returns true if a target is in the innermost loop and is reached by falling through.
    fn is_pending_here(&self, target: Block) -> bool {
        let innermost = self.stack.last().map(|l| l.header);
        !self.stack.iter().any(|l| l.header == target) && self.loops.placement(target) == innermost
    }

    /// Leaves the end of `cur` for a follow or for the header of an enclosing loop.
    fn goto(&mut self, target: Block, cur: Block) -> Option<Flow> {
        if self.is_pending_here(target) {
            return Some(Flow { cur, targets: Targets::of(&[target]) });
        }
        let innermost = self.stack.last()?;
        let (header, merge, continue_target) =
            (innermost.header, innermost.merge, innermost.continue_target);
        if header == target {
            self.jump(cur, continue_target);
        } else {
            if self.loops.exits(header).len() > 1 {
                self.store_selector(cur, target);
            }
            self.jump(cur, merge);
        }
        None
    }

    fn jump(&mut self, from: Block, to: Block) {
        self.func.append(from, InstData::Jump { target: BlockCall::new(to) }, None);
    }

    /// Sets the selector to the target of a flow with only one target (with several, it has been set already).
    fn set_selector(&mut self, flow: &Flow) {
        if let Some(target) = flow.targets.only() {
            self.store_selector(flow.cur, target);
        }
    }

    fn store_selector(&mut self, block: Block, target: Block) {
        let value = self.func.constant(Type::I32, u64::from(self.order[target]));
        let data = ssa_repair::store(self.func, self.selector, value);
        self.func.append(block, data, None);
    }

    fn branch_if_selected(&mut self, cur: Block, target: Block, then: Block, otherwise: Block) {
        let load = ssa_repair::load(self.selector, Type::I32);
        let id = self.func.constant(Type::I32, u64::from(self.order[target]));
        let Some(selected) = self.func.append(cur, load, Some(Type::I32)) else { return };
        let compare = InstData::ICmp { cc: IntCC::Eq, args: [selected, id] };
        let Some(cond) = self.func.append(cur, compare, Some(Type::BOOL)) else { return };
        let (then, otherwise) = (BlockCall::new(then), BlockCall::new(otherwise));
        self.func.append(cur, InstData::Brif { cond, then, otherwise }, None);
    }
}

/// Moves allocas to the start of the entry block. Code generation may have placed them in other blocks.
fn hoist_allocas(func: &mut Function) {
    let is_alloca =
        |func: &Function, inst: Inst| matches!(func.insts[inst], InstData::Alloca { .. });
    let mut allocas = Vec::new();
    for block in func.layout.clone() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| {
            let found = is_alloca(func, inst);
            allocas.extend(found.then_some(inst));
            !found
        });
        func.blocks[block].insts = insts;
    }
    let entry = func.entry();
    func.blocks[entry].insts.splice(0..0, allocas);
}

/// Returns the blocks in an order in which every construct is before its merge block and every loop's continue target
/// just before the loop's merge block: the reverse postorder of a walk that visits merge blocks first.
fn structured_order(func: &Function, start: Block, structure: &Structure) -> Vec<Block> {
    let mut visited: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut postorder = Vec::new();
    let mut stack = vec![(start, false)];
    while let Some((block, done)) = stack.pop() {
        if done {
            postorder.push(block);
            continue;
        }
        if std::mem::replace(&mut visited[block], true) {
            continue;
        }
        stack.push((block, true));
        // The block that is pushed last is visited first.
        for succ in func.successors(block) {
            stack.push((succ, false));
        }
        match structure.merges[block] {
            Merge::None => {}
            Merge::Selection { merge } => stack.push((merge, false)),
            Merge::Loop { merge, continue_target, .. } => {
                stack.push((continue_target, false));
                stack.push((merge, false));
            }
        }
    }
    postorder.reverse();
    postorder
}

/// Ends a block with a switch to a set of blocks, for the dispatch of [`irreducible`].
pub(super) fn switch_to(func: &mut Function, from: Block, value: Value, targets: &[(u64, Block)]) {
    let Some(&(_, default)) = targets.last() else { return };
    let cases = targets[..targets.len() - 1]
        .iter()
        .map(|&(value, block)| SwitchCase { value, target: BlockCall::new(block) })
        .collect();
    func.append(from, InstData::Switch { value, cases, default: BlockCall::new(default) }, None);
}
