//! Values of loops on drivers that continue to compute them for invocations that have left the loop:
//! [`Quirks::UNMASKED_LOOP_VALUES`](hekla_device::Quirks::UNMASKED_LOOP_VALUES).
//!
//! SwiftShader executes several invocations in lockstep until the last one leaves. The parameters of the loop's header keep
//! the values with which each invocation has left. All other values of the loop are computed again in each iteration. This
//! makes a difference for values that depend on memory, since invocations that have left load nothing. So such a loop gets a
//! new header as its only exit, whose parameters are the values that are used after the loop:
//!
//! ```text
//! do x = f(x); while (c); use(x)    becomes    for (done = false, y; !done; done = !c, y = x) x = f(x); use(y)
//! ```

use crate::analysis::underlying_objects::is_private;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::{Loop, Loops};
use crate::ir::*;
use crate::passes::unroll::form_closed_ssa;
use cranelift_entity::EntitySet;
use rustc_hash::FxHashMap;

/// Rewrites the loops whose exits all lead to one block. Returns true if there were any.
pub fn run(func: &mut Function) -> bool {
    let mut done = EntitySet::<Block>::new();
    let mut changed = false;
    // Each rewrite changes the graph. Inner loops come first, because values that leave them are values of the loops
    // around.
    loop {
        let cfg = Cfg::compute(func);
        let dom = DomTree::compute(&cfg);
        let loops = Loops::compute(&cfg, &dom);
        let next = loops.loops.iter().rev().find(|data| {
            done.insert(data.header)
                && data.header != func.entry()
                && has_unstable_value(func, &cfg, data)
        });
        let Some(data) = next else { return changed };
        if let Some(header) = leave_from_header(func, &cfg, data) {
            done.insert(header);
            changed = true;
        }
    }
}

/// Returns true if a value that is used after a loop may change for invocations that have left it. Loops in which such
/// a value is a private address do not count: a block parameter would hide which object the address is in.
fn has_unstable_value(func: &Function, cfg: &Cfg, data: &Loop) -> bool {
    let mut blocks = data.blocks.clone();
    blocks.sort_unstable_by_key(|&block| cfg.rpo_index(block));
    // True for values that may change.
    let mut defined: FxHashMap<Value, bool> = FxHashMap::default();
    for &block in &blocks {
        let params = &func.blocks[block].params;
        defined.extend(params.iter().map(|&param| (param, block != data.header)));
        for &inst in &func.blocks[block].insts {
            let mut depends = !func.insts[inst].is_mergeable();
            func.insts[inst].for_each_arg(|arg| depends |= defined.get(&arg) == Some(&true));
            defined.extend(func.result(inst).map(|result| (result, depends)));
        }
    }
    let (mut is_used, mut has_private) = (false, false);
    let mut used = |arg: Value| {
        is_used |= defined.get(&arg) == Some(&true);
        has_private |= defined.contains_key(&arg) && is_private(func, arg);
    };
    for &block in cfg.rpo() {
        let is_inside = data.blocks.contains(&block);
        for &inst in &func.blocks[block].insts {
            match is_inside {
                false => func.insts[inst].for_each_arg(&mut used),
                true => func.insts[inst].for_each_target(|call| {
                    if !data.blocks.contains(&call.block) {
                        call.args.iter().copied().for_each(&mut used);
                    }
                }),
            }
        }
    }
    is_used && !has_private
}

/// Makes a loop exit only from a new header, which is returned. Returns `None` and changes nothing if exits lead to
/// different blocks.
fn leave_from_header(func: &mut Function, cfg: &Cfg, data: &Loop) -> Option<Block> {
    let inside = data.block_set();
    let closing = form_closed_ssa(func, data, &inside)?;
    let header = func.add_block();
    func.blocks[header].unroll = func.blocks[data.header].unroll.take();
    let mut params = Vec::new();
    for like in [data.header, closing] {
        for param in func.blocks[like].params.clone() {
            let ty = func.ty(param);
            params.push(func.add_param(header, ty));
        }
    }
    let done = func.add_param(header, Type::BOOL);
    let (on, left) = params.split_at(func.blocks[data.header].params.len());
    let (then, otherwise) =
        (BlockCall::with_args(closing, left), BlockCall::with_args(data.header, on));
    func.append(header, InstData::Brif { cond: done, then, otherwise }, None);
    let state = func.blocks[data.header].params.clone();
    let results: Vec<Value> = left.iter().map(|&value| func.undef(func.ty(value))).collect();
    let [stays, leaves] = [false, true].map(|leaves| func.bool_const(leaves));
    let entering = cfg.preds(data.header).iter().filter(|pred| !inside.contains(**pred));
    for &block in data.blocks.iter().chain(entering) {
        let Some(inst) = func.terminator(block) else { continue };
        func.insts[inst].for_each_target_mut(|call| {
            if call.block == data.header {
                call.args.extend(results.iter().copied());
                call.args.push(stays);
            } else if call.block == closing {
                let results = std::mem::take(&mut call.args);
                call.args.extend(state.iter().copied().chain(results));
                call.args.push(leaves);
            } else {
                return;
            }
            call.block = header;
        });
    }
    Some(header)
}
