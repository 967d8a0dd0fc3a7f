//! Makes the graph reducible: a cycle that can be entered at several blocks gets a dispatch block, and all edges to these
//! blocks go through it. Only `goto` and SPIR-V input create such cycles.
//!
//! Block parameters must have been demoted before ([`super::ssa_repair::demote_params`]).

use super::ssa_repair::{load, store, variable_for};
use super::structurize::switch_to;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::{Block, BlockCall, Function, InstData, Type, Value};
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// The deepest cycles that are searched one by one: each depth takes a search through all blocks.
const MAX_DEPTH: u32 = 64;

/// Rewrites every irreducible cycle, outer ones first. All blocks must be reachable.
pub fn run(func: &mut Function) {
    if is_reducible(func) {
        return;
    }
    let entry = func.entry();
    let mut graph = Graph::of(func);
    let mut work = vec![(func.layout.clone(), 1)];
    while let Some((region, depth)) = work.pop() {
        for component in components(&graph, &region) {
            let entries = match depth < MAX_DEPTH {
                true => graph.entries_of(&component, entry),
                // If there is a dispatcher between any two blocks of the cycle, every remaining cycle contains it.
                false => component.clone(),
            };
            let header = match entries[..] {
                [] => continue,
                [header] => header,
                _ => {
                    let sources = graph.sources_of(&entries);
                    let dispatcher = dispatch_from(func, &entries, &sources);
                    graph.update(func, &entries, &sources, dispatcher);
                    dispatcher
                }
            };
            let mut rest: Vec<Block> =
                component.into_iter().filter(|&block| block != header).collect();
            rest.sort_unstable_by_key(|&block| graph.place[block]);
            work.push((rest, depth + 1));
        }
    }
}

/// The graph of a function that is being rewritten.
struct Graph {
    preds: SecondaryMap<Block, Vec<Block>>,
    succs: SecondaryMap<Block, Vec<Block>>,
    /// Position of each block in the layout.
    place: SecondaryMap<Block, u32>,
}

impl Graph {
    fn of(func: &Function) -> Graph {
        let mut graph =
            Graph { preds: func.block_map(), succs: func.block_map(), place: func.block_map() };
        for (place, &block) in func.layout.iter().enumerate() {
            graph.place[block] = place as u32;
            graph.add(func, block);
        }
        graph
    }

    /// Adds the edges that leave a block.
    fn add(&mut self, func: &Function, block: Block) {
        let succs = func.successors(block);
        succs.iter().for_each(|&succ| self.preds[succ].push(block));
        self.succs[block] = succs;
    }

    /// Returns the blocks of a cycle that have predecessors outside of it.
    fn entries_of(&self, component: &[Block], entry: Block) -> Vec<Block> {
        let inside: FxHashSet<Block> = component.iter().copied().collect();
        let is_entry = |block: &Block| {
            *block == entry || self.preds[*block].iter().any(|pred| !inside.contains(pred))
        };
        let mut entries: Vec<Block> = component.iter().copied().filter(is_entry).collect();
        entries.sort();
        entries
    }

    /// Returns the predecessors of `targets`, in the order of the layout.
    fn sources_of(&self, targets: &[Block]) -> Vec<Block> {
        let mut sources: Vec<Block> =
            targets.iter().flat_map(|&target| &self.preds[target]).copied().collect();
        sources.sort_unstable_by_key(|&block| self.place[block]);
        sources.dedup();
        sources
    }

    /// Updates the graph for a new dispatcher. Only blocks of edges to the dispatcher have been added after it.
    fn update(&mut self, func: &Function, entries: &[Block], sources: &[Block], dispatcher: Block) {
        entries.iter().for_each(|&entry| self.preds[entry].clear());
        for &source in sources {
            self.succs[source] = func.successors(source);
        }
        let known = func.layout.iter().rposition(|&block| block == dispatcher).unwrap_or(0);
        for place in known..func.layout.len() {
            let block = func.layout[place];
            self.place[block] = place as u32;
            self.add(func, block);
        }
        for &source in sources {
            for i in 0..self.succs[source].len() {
                let succ = self.succs[source][i];
                if self.place[succ] as usize > known {
                    self.preds[succ].push(source);
                }
            }
        }
    }
}

/// Returns true if the target of every back edge dominates its source. This holds for nearly all programs. They need no
/// search for cycles, which takes time in proportion to blocks times loops.
pub(super) fn is_reducible(func: &Function) -> bool {
    let cfg = Cfg::compute(func);
    let doms = DomTree::compute(&cfg);
    cfg.rpo().iter().enumerate().all(|(at, &block)| {
        let goes_back = |to: Block| cfg.rpo_index(to).is_some_and(|index| index as usize <= at);
        cfg.succs(block).iter().all(|&to| !goes_back(to) || doms.dominates(to, block))
    })
}

/// Redirects every edge to one of `entries` through a new block that switches on a variable.
pub(super) fn dispatch(func: &mut Function, entries: &[Block]) -> Block {
    let sources = func.layout.clone();
    dispatch_from(func, entries, &sources)
}

/// Like [`dispatch`], if all edges to `entries` come from `sources`.
fn dispatch_from(func: &mut Function, entries: &[Block], sources: &[Block]) -> Block {
    let selector = variable_for(func, Type::I32);
    let indices: FxHashMap<Block, usize> =
        entries.iter().enumerate().map(|(index, &entry)| (entry, index)).collect();
    let dispatcher = func.add_block();
    for &source in sources {
        let Some(terminator) = func.terminator(source) else { continue };
        let mut data = func.insts[terminator].clone();
        data.for_each_target_mut(|call| {
            if let Some(&index) = indices.get(&call.block) {
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
fn components(graph: &Graph, region: &[Block]) -> Vec<Vec<Block>> {
    let states = region.iter().map(|&block| (block, State::default())).collect();
    let mut tarjan = Tarjan { graph, states, stack: Vec::new(), next: 1, found: Vec::new() };
    for &block in region {
        if tarjan.states[&block].index == 0 {
            tarjan.visit(block);
        }
    }
    tarjan.found
}

/// The state of a block in the search.
#[derive(Clone, Copy, Default)]
struct State {
    /// Visiting order from 1; 0 is unvisited.
    index: u32,
    low: u32,
    is_on_stack: bool,
}

struct Tarjan<'a> {
    graph: &'a Graph,
    /// The state of each block of the region.
    states: FxHashMap<Block, State>,
    stack: Vec<Block>,
    next: u32,
    found: Vec<Vec<Block>>,
}

impl Tarjan<'_> {
    fn visit(&mut self, root: Block) {
        self.enter(root);
        let mut work = vec![(root, 0)];
        while let Some((block, position)) = work.pop() {
            if let Some(&succ) = self.graph.succs[block].get(position) {
                work.push((block, position + 1));
                match self.states.get(&succ) {
                    Some(state) if state.index == 0 => {
                        self.enter(succ);
                        work.push((succ, 0));
                    }
                    Some(state) if state.is_on_stack => self.lower(block, state.index),
                    _ => {}
                }
                continue;
            }
            let State { index, low, .. } = self.states[&block];
            if low == index {
                self.pop_component(block);
            }
            if let Some(&(parent, _)) = work.last() {
                self.lower(parent, low);
            }
        }
    }

    fn enter(&mut self, block: Block) {
        let state = State { index: self.next, low: self.next, is_on_stack: true };
        self.states.insert(block, state);
        self.next += 1;
        self.stack.push(block);
    }

    fn lower(&mut self, block: Block, low: u32) {
        if let Some(state) = self.states.get_mut(&block) {
            state.low = state.low.min(low);
        }
    }

    fn pop_component(&mut self, root: Block) {
        let mut component = Vec::new();
        while let Some(block) = self.stack.pop() {
            if let Some(state) = self.states.get_mut(&block) {
                state.is_on_stack = false;
            }
            component.push(block);
            if block == root {
                break;
            }
        }
        let is_cycle = component.len() > 1 || self.graph.succs[root].contains(&root);
        if is_cycle {
            self.found.push(component);
        }
    }
}
