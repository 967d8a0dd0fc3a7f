//! Blocks, phis and branches. Each block of the IR is one of SPIR-V; phis are written last, when the ids of all arguments
//! are known.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::position::Prologue;
use super::repr::{Ids, Repr};
use super::spirv_builder::encode;
use crate::ir::{
    Block, BlockCall, InstData, IntCC, Merge, Scalar, Structure, SwitchCase, UnrollHint, Value,
};
use cranelift_entity::SecondaryMap;
use hekla_device::Quirks;
use rspirv::spirv::{LoopControl, Op, SelectionControl};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::hash_map::Entry;
use std::ops::Range;

impl Emitter<'_> {
    /// Emits all blocks of the current function and appends them to the code.
    pub fn emit_blocks(
        &mut self,
        structure: &Structure,
        prologue: Option<Prologue>,
        is_kernel: bool,
        out: &mut Vec<u32>,
    ) -> EmitResult<()> {
        let func = self.func;
        let Some(&entry) = func.layout.first() else {
            return Err(EmitError::malformed("a function without blocks"));
        };
        let mut laid_out = SecondaryMap::<Block, bool>::new();
        for &block in &func.layout {
            self.control.labels[block] = self.builder.new_id();
            laid_out[block] = true;
        }
        let unreached = self.label_unreached_merges(structure, &laid_out);
        let mut ranges = Vec::with_capacity(func.layout.len());
        for &block in &func.layout {
            let start = self.body.len();
            self.emit_block(block, block == entry, structure.merges[block])?;
            ranges.push((block, start..self.body.len()));
        }
        if is_kernel && self.target.has(Quirks::QUADRATIC_PRIVATE_ARRAYS) {
            self.keep_arrays_across_a_barrier()?;
        }
        self.write_blocks(entry, prologue, &ranges, out)?;
        for block in unreached {
            encode(out, Op::Label, &[self.control.labels[block]]);
            encode(out, Op::Unreachable, &[]);
        }
        Ok(())
    }

    /// Gives labels to merge blocks that are not laid out because all ways out of their construct leave an
    /// outer one as well: merge instructions still name them. Returns these blocks.
    fn label_unreached_merges(
        &mut self,
        structure: &Structure,
        laid_out: &SecondaryMap<Block, bool>,
    ) -> Vec<Block> {
        let mut unreached = Vec::new();
        for &block in &self.func.layout {
            if let Merge::Selection { merge } | Merge::Loop { merge, .. } = structure.merges[block]
            {
                if !laid_out[merge] && self.control.labels[merge] == 0 {
                    self.control.labels[merge] = self.builder.new_id();
                    unreached.push(merge);
                }
            }
        }
        unreached
    }

    /// Writes the blocks. No branch leads to the entry block, which is not a loop's header: the structurizer adds such a block.
    fn write_blocks(
        &mut self,
        entry: Block,
        prologue: Option<Prologue>,
        ranges: &[(Block, Range<usize>)],
        out: &mut Vec<u32>,
    ) -> EmitResult<()> {
        out.reserve(self.body.len() + 64 * ranges.len());
        if let Some(Prologue { label, code }) = &prologue {
            encode(out, Op::Label, &[*label]);
            out.extend_from_slice(&self.variables);
            out.extend_from_slice(&self.entry_code);
            out.extend_from_slice(code);
            encode(out, Op::Branch, &[self.control.labels[entry]]);
        }
        for (block, range) in ranges {
            encode(out, Op::Label, &[self.control.labels[*block]]);
            if *block == entry && prologue.is_none() {
                out.extend_from_slice(&self.variables);
                out.extend_from_slice(&self.entry_code);
            }
            if *block != entry {
                self.write_phis(*block, out)?;
            }
            out.extend_from_slice(&self.body[range.clone()]);
        }
        Ok(())
    }

    fn write_phis(&mut self, block: Block, out: &mut Vec<u32>) -> EmitResult<()> {
        let params = &self.func.blocks[block].params;
        for (i, &param) in params.iter().enumerate() {
            let ty = self.ty(self.func.ty(param))?;
            let mut operands: SmallVec<[u32; 10]> = SmallVec::from_slice(&[ty, self.id(param)?]);
            for (label, args) in &self.control.edges[block] {
                let arg = args
                    .get(i)
                    .ok_or_else(|| EmitError::malformed("a branch with too few arguments"))?;
                operands.extend([*arg, *label]);
            }
            if operands.len() > 60_000 {
                return Err(EmitError::Unsupported("too many branches to one place".into()));
            }
            encode(out, Op::Phi, &operands);
        }
        Ok(())
    }

    fn emit_block(&mut self, block: Block, is_entry: bool, merge: Merge) -> EmitResult<()> {
        let func = self.func;
        if !is_entry {
            for &param in &func.blocks[block].params {
                let id = self.builder.new_id();
                self.define(param, id);
            }
        }
        let Some((&last, insts)) = func.blocks[block].insts.split_last() else {
            return Err(EmitError::malformed(format!("{block} is empty")));
        };
        self.lines.begin_block();
        if self.target.has(Quirks::PAIRED_PRODUCTS) {
            self.products.begin_block(func, block);
        }
        for &inst in insts {
            self.line(inst);
            let start = self.body.len();
            self.emit_inst(inst)?;
            self.observe(inst, start);
        }
        self.line(last);
        let start = self.body.len();
        self.emit_terminator(block, &func.insts[last], merge)?;
        self.observe(last, start);
        Ok(())
    }

    /// Returns the label to branch to for a block, with the edge noted.
    fn edge(&mut self, from: Block, to: Block, args: Ids) -> EmitResult<u32> {
        let label = self.control.labels[to];
        if label == 0 {
            return Err(EmitError::malformed(format!("a branch to {to}, which is not laid out")));
        }
        self.control.edges[to].push((self.control.labels[from], args));
        Ok(label)
    }

    fn args(&mut self, call: &BlockCall) -> EmitResult<Ids> {
        call.args.iter().map(|&arg| self.id(arg)).collect()
    }

    fn emit_terminator(&mut self, block: Block, data: &InstData, merge: Merge) -> EmitResult<()> {
        match data {
            InstData::Jump { target } => {
                let args = self.args(target)?;
                let label = self.edge(block, target.block, args)?;
                self.write_loop_merge(merge);
                self.op_void(Op::Branch, &[label]);
            }
            InstData::Brif { cond, then, otherwise } => {
                self.emit_brif(block, *cond, then, otherwise, merge)?;
            }
            InstData::Switch { value, cases, default } => {
                self.emit_switch(block, *value, cases, default, merge)?;
            }
            InstData::Return { values } => {
                let value = self.returned(values)?;
                self.write_loop_merge(merge);
                match value {
                    Some(value) => self.op_void(Op::ReturnValue, &[value]),
                    None => self.op_void(Op::Return, &[]),
                }
            }
            InstData::Unreachable => {
                self.write_loop_merge(merge);
                self.op_void(Op::Unreachable, &[]);
            }
            _ => return Err(EmitError::malformed(format!("{block} has no terminator"))),
        }
        Ok(())
    }

    fn write_loop_merge(&mut self, merge: Merge) {
        if let Merge::Loop { merge, continue_target, unroll } = merge {
            // The passes that unroll have followed all other hints.
            let control = match unroll {
                Some(UnrollHint::Disable) => LoopControl::DONT_UNROLL,
                _ => LoopControl::NONE,
            };
            let labels = &self.control.labels;
            let operands = [labels[merge], labels[continue_target], control.bits()];
            self.op_void(Op::LoopMerge, &operands);
        }
    }

    fn write_merge(&mut self, merge: Merge) {
        self.write_loop_merge(merge);
        if let Merge::Selection { merge } = merge {
            let operands = [self.control.labels[merge], SelectionControl::NONE.bits()];
            self.op_void(Op::SelectionMerge, &operands);
        }
    }

    fn emit_brif(
        &mut self,
        block: Block,
        cond: Value,
        then: &BlockCall,
        otherwise: &BlockCall,
        merge: Merge,
    ) -> EmitResult<()> {
        let cond = self.id(cond)?;
        let (mut then_args, else_args) = (self.args(then)?, self.args(otherwise)?);
        if then.block == otherwise.block {
            for (i, (arg, &other)) in then_args.iter_mut().zip(&else_args).enumerate() {
                *arg = self.merged_arg(then.block, i, cond, *arg, other)?;
            }
            let label = self.edge(block, then.block, then_args)?;
            self.write_loop_merge(merge);
            self.op_void(Op::Branch, &[label]);
            return Ok(());
        }
        let first = self.edge(block, then.block, then_args)?;
        let second = self.edge(block, otherwise.block, else_args)?;
        self.write_merge(merge);
        self.op_void(Op::BranchConditional, &[cond, first, second]);
        Ok(())
    }

    /// Returns argument `index` of a conditional branch with the same target in either case.
    fn merged_arg(
        &mut self,
        target: Block,
        index: usize,
        cond: u32,
        then: u32,
        otherwise: u32,
    ) -> EmitResult<u32> {
        let param = self.func.blocks[target].params.get(index);
        match param {
            Some(&param) if then != otherwise => {
                let ty = self.ty(self.func.ty(param))?;
                Ok(self.select(ty, cond, then, otherwise))
            }
            _ => Ok(then),
        }
    }

    fn emit_switch(
        &mut self,
        block: Block,
        value: Value,
        cases: &[SwitchCase],
        default: &BlockCall,
        merge: Merge,
    ) -> EmitResult<()> {
        let scalar = self.func.ty(value).scalar;
        let id = self.id(value)?;
        // There is one edge for each target; if several cases have it, the value selects its arguments.
        let default_args = self.args(default)?;
        let mut targets: Vec<(Block, Ids)> = vec![(default.block, default_args)];
        let mut places = FxHashMap::<Block, usize>::default();
        places.insert(default.block, 0);
        for case in cases {
            let mut args = self.args(&case.target)?;
            let found = match places.entry(case.target.block) {
                Entry::Occupied(place) => *place.get(),
                Entry::Vacant(place) => {
                    place.insert(targets.len());
                    targets.push((case.target.block, args));
                    continue;
                }
            };
            if targets[found].1 != args {
                let constant = self.constant(scalar, case.value)?;
                let here = self.int_compare(IntCC::Eq, scalar, id, constant)?;
                for (i, arg) in args.iter_mut().enumerate() {
                    let other = targets[found].1.get(i).copied().unwrap_or(*arg);
                    *arg = self.merged_arg(case.target.block, i, here, *arg, other)?;
                }
                targets[found].1 = args;
            }
        }
        let (selector, wide) = self.switch_selector(scalar, id)?;
        let mut labels = Vec::with_capacity(targets.len());
        for (target, args) in targets {
            labels.push(self.edge(block, target, args)?);
        }
        let label = |target: &BlockCall| labels[places[&target.block]];
        let mut operands = vec![selector, label(default)];
        for case in cases {
            operands.push(case.value as u32);
            if wide {
                operands.push((case.value >> 32) as u32);
            }
            operands.push(label(&case.target));
        }
        if operands.len() > 60_000 {
            return Err(EmitError::Unsupported("a switch with too many cases".into()));
        }
        self.write_merge(merge);
        self.op_void(Op::Switch, &operands);
        Ok(())
    }

    /// Returns the selector of OpSwitch, and true if its literals have 64 bits.
    fn switch_selector(&mut self, scalar: Scalar, id: u32) -> EmitResult<(u32, bool)> {
        let word = self.builder.u32;
        Ok(match self.repr(scalar) {
            Repr::Int(64) => (id, true),
            Repr::Int(32) => (id, false),
            Repr::Int(_) => (self.op(Op::UConvert, word, &[id]), false),
            _ => return Err(EmitError::malformed("a switch on no integer")),
        })
    }
}
