//! The position of the emission in the graph and in the program's text.

use super::repr::Ids;
use crate::ir::{BinaryOp, Block, Function, InstData, Loc, Location, Type, Value};
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The place of emission in the graph.
#[derive(Default)]
pub(super) struct Control {
    pub labels: SecondaryMap<Block, u32>,
    /// The edges into each block, each with the label of its source and its arguments.
    pub edges: SecondaryMap<Block, Vec<(u32, Ids)>>,
}

/// The products of a block of whose both halves are used, by their operands, the lesser one first.
#[derive(Default)]
pub(super) struct Products {
    wanted: FxHashSet<[Value; 2]>,
    /// The results of OpUMulExtended.
    made: FxHashMap<[Value; 2], u32>,
}

impl Products {
    /// Begins a block: finds its products of words whose upper half is used.
    pub fn begin_block(&mut self, func: &Function, block: Block) {
        self.wanted.clear();
        self.made.clear();
        for &inst in &func.blocks[block].insts {
            if let InstData::Binary { op: BinaryOp::UMulHi, args, .. } = func.insts[inst] {
                if func.ty(args[0]) == Type::I32 {
                    self.wanted.insert(sorted(args));
                }
            }
        }
    }

    /// Returns true if the upper half of a product is used in the block.
    pub fn is_wanted(&self, args: [Value; 2]) -> bool {
        self.wanted.contains(&sorted(args))
    }

    /// Returns the place for both halves of a product; it is 0 until they are emitted.
    pub fn place(&mut self, args: [Value; 2]) -> &mut u32 {
        self.made.entry(sorted(args)).or_default()
    }
}

fn sorted(mut args: [Value; 2]) -> [Value; 2] {
    args.sort_unstable();
    args
}

/// The code that a function executes once, before its first block.
pub(super) struct Prologue {
    pub label: u32,
    /// The code after the label; it has no terminator.
    pub code: Vec<u32>,
}

/// The last line that was emitted.
#[derive(Default)]
pub(super) struct Lines {
    /// The strings of the files' names, by the files' numbers.
    pub files: BTreeMap<u32, u32>,
    /// The place of the previous instruction in this block: file, line, column, and the call that it was inlined from.
    pub current: Option<(u32, u32, u32, Option<Loc>)>,
}

impl Lines {
    /// Begins a block; lines from before it do not apply to it.
    pub fn begin_block(&mut self) {
        self.current = None;
    }
}

/// The declarations of NonSemantic.Shader.DebugInfo.100 in a module so far (`debug_info.rs`).
#[derive(Default)]
pub(super) struct DebugInfo {
    /// The import; 0 until a line is emitted.
    pub set: u32,
    /// The compilation unit.
    pub unit: u32,
    /// The type of all functions.
    pub function_type: u32,
    /// DebugSource by the file's number.
    pub sources: FxHashMap<u32, u32>,
    /// DebugFunction by the function's number among the locations.
    pub functions: FxHashMap<u32, u32>,
    /// DebugInlinedAt by the place of the call.
    pub inlined: FxHashMap<Location, u32>,
    /// The first known line of each function.
    pub first_lines: Vec<u32>,
    /// True once the current function has been declared as one of the program's.
    pub defined: bool,
}

impl DebugInfo {
    /// Begins a function of the module.
    pub fn begin_function(&mut self) {
        self.defined = false;
    }
}
