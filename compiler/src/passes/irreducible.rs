//! Makes the graph reducible: a cycle that can be entered at several blocks gets a dispatch block
//! through which all edges to those blocks go. Only `goto` and SPIR-V input make such cycles.
//!
//! Block parameters must have been demoted ([`super::ssa_repair::demote_params`]).

use super::ssa_repair::{load, store, variable_for};
use super::structurize::switch_to;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::{Block, BlockCall, Function, InstData, Type, Value};
use cranelift_entity::{EntitySet, SecondaryMap};

/// Rewrites every irreducible cycle, outer ones first. All blocks are reachable.
pub fn run(func: &mut Function) {
    if is_reducible(func) {
        return;
    }
    let entry = func.entry();
    let mut work = vec![set_of(func.layout.iter())];
    while let Some(region) = work.pop() {
        for component in components(func, &region) {
            let entries = entries_of(func, &component, entry);
            let header = match entries[..] {
                [] => continue,
                [header] => header,
                _ => dispatch(func, &entries),
            };
            work.push(set_of(component.iter().filter(|&&block| block != header)));
        }
    }
}

/// Returns true if the target of every back edge dominates its source. Nearly all programs are so, and need no
/// search for cycles, which takes time in proportion to blocks times loops.
fn is_reducible(func: &Function) -> bool {
    let cfg = Cfg::compute(func);
    let doms = DomTree::compute(&cfg);
    cfg.rpo().iter().enumerate().all(|(at, &block)| {
        let goes_back = |to: Block| cfg.rpo_index(to).is_some_and(|index| index as usize <= at);
        cfg.succs(block).iter().all(|&to| !goes_back(to) || doms.dominates(to, block))
    })
}

fn set_of<'a>(blocks: impl Iterator<Item = &'a Block>) -> EntitySet<Block> {
    let mut set = EntitySet::new();
    for &block in blocks {
        set.insert(block);
    }
    set
}

/// Blocks of a cycle that are reached from outside of it.
fn entries_of(func: &Function, component: &[Block], entry: Block) -> Vec<Block> {
    let inside = set_of(component.iter());
    let mut entries: Vec<Block> = Vec::new();
    if inside.contains(entry) {
        entries.push(entry);
    }
    for &block in &func.layout {
        if inside.contains(block) {
            continue;
        }
        for succ in func.successors(block) {
            if inside.contains(succ) && !entries.contains(&succ) {
                entries.push(succ);
            }
        }
    }
    entries.sort();
    entries
}

/// Sends every edge to one of `entries` through a new block that switches on a variable.
pub(super) fn dispatch(func: &mut Function, entries: &[Block]) -> Block {
    let selector = variable_for(func, Type::I32);
    let sources = func.layout.clone();
    let dispatcher = func.add_block();
    for source in sources {
        let Some(terminator) = func.terminator(source) else { continue };
        let mut data = func.insts[terminator].clone();
        data.for_each_target_mut(|call| {
            if let Some(index) = entries.iter().position(|&e| e == call.block) {
                *call = BlockCall::new(select_edge(func, selector, index, dispatcher));
            }
        });
        func.insts[terminator] = data;
    }
    if let Some(value) = func.append(dispatcher, load(selector, Type::I32), Some(Type::I32)) {
        let targets: Vec<(u64, Block)> =
            entries.iter().enumerate().map(|(i, &b)| (i as u64, b)).collect();
        switch_to(func, dispatcher, value, &targets);
    }
    dispatcher
}

/// Returns a block that sets the selector and jumps to the dispatcher.
fn select_edge(func: &mut Function, selector: Value, index: usize, dispatcher: Block) -> Block {
    let edge = func.add_block();
    let value = func.constant(Type::I32, index as u64);
    func.append(edge, store(func, selector, value), None);
    func.append(edge, InstData::Jump { target: BlockCall::new(dispatcher) }, None);
    edge
}

/// Strongly connected components with a cycle, of the graph restricted to `region` (Tarjan's
/// algorithm with an explicit stack).
fn components(func: &Function, region: &EntitySet<Block>) -> Vec<Vec<Block>> {
    let mut tarjan = Tarjan {
        func,
        region,
        index: SecondaryMap::new(),
        low: SecondaryMap::new(),
        on_stack: EntitySet::new(),
        stack: Vec::new(),
        next: 1,
        found: Vec::new(),
    };
    for &block in &func.layout {
        if region.contains(block) && tarjan.index[block] == 0 {
            tarjan.visit(block);
        }
    }
    tarjan.found
}

struct Tarjan<'a> {
    func: &'a Function,
    region: &'a EntitySet<Block>,
    /// Visiting order from 1; 0 is unvisited.
    index: SecondaryMap<Block, u32>,
    low: SecondaryMap<Block, u32>,
    on_stack: EntitySet<Block>,
    stack: Vec<Block>,
    next: u32,
    found: Vec<Vec<Block>>,
}

impl Tarjan<'_> {
    fn visit(&mut self, root: Block) {
        let mut work = vec![(root, self.enter(root), 0)];
        while let Some((block, succs, position)) = work.pop() {
            if let Some(&succ) = succs.get(position) {
                work.push((block, succs, position + 1));
                if !self.region.contains(succ) {
                    continue;
                }
                if self.index[succ] == 0 {
                    let inner = self.enter(succ);
                    work.push((succ, inner, 0));
                } else if self.on_stack.contains(succ) {
                    self.low[block] = self.low[block].min(self.index[succ]);
                }
                continue;
            }
            if self.low[block] == self.index[block] {
                self.pop_component(block);
            }
            if let Some((parent, ..)) = work.last() {
                self.low[*parent] = self.low[*parent].min(self.low[block]);
            }
        }
    }

    fn enter(&mut self, block: Block) -> Vec<Block> {
        self.index[block] = self.next;
        self.low[block] = self.next;
        self.next += 1;
        self.stack.push(block);
        self.on_stack.insert(block);
        self.func.successors(block)
    }

    fn pop_component(&mut self, root: Block) {
        let mut component = Vec::new();
        while let Some(block) = self.stack.pop() {
            self.on_stack.remove(block);
            component.push(block);
            if block == root {
                break;
            }
        }
        let is_cycle = component.len() > 1 || self.func.successors(root).contains(&root);
        if is_cycle {
            self.found.push(component);
        }
    }
}
