//! Register pressure: the largest number of 32-bit registers that hold live values at the same time, if instructions run
//! in the order of the IR.
//!
//! A device's compiler reorders instructions, keeps some values in scalar or predicate registers and computes others
//! twice, so this is an estimate.

use crate::ir::cfg::Cfg;
use crate::ir::sparse_map::SparseMap;
use crate::ir::*;
use cranelift_entity::SecondaryMap;

/// Returns the register pressure of the last function in `bottom_up`, which lists callees before their callers.
pub fn register_pressure(module: &Module, bottom_up: &[Func]) -> u32 {
    let mut known: SparseMap<Func, u32> = SparseMap::new();
    for &func in bottom_up {
        known[func] = of_function(&module.functions[func], &known);
    }
    bottom_up.last().map_or(0, |func| known[*func])
}

/// Returns the number of registers that a value needs. Booleans are predicates and need none. Constants need none
/// because they are parts of instructions, nor do arguments, which lie in constant memory.
fn registers(func: &Function, value: Value) -> u32 {
    let ty = func.ty(value);
    match func.def_inst(value) {
        None if func.as_const(value).is_some() || func.is_undef(value) => 0,
        Some(InstData::LoadArg { .. }) => 0,
        _ if ty.scalar == Scalar::Bool => 0,
        _ => ty.scalar.bits().div_ceil(32) * u32::from(ty.lanes),
    }
}

fn of_function(func: &Function, callees: &SparseMap<Func, u32>) -> u32 {
    let cfg = Cfg::compute(func);
    let mut at_exit = LiveAtExit::compute(func, &cfg);
    let mut alive: SecondaryMap<Value, bool> = func.value_map();
    let mut most = 0;
    for &block in cfg.rpo() {
        let mut count = at_exit.registers[block];
        let mentioned = std::mem::take(&mut at_exit.mentioned[block]);
        mentioned.iter().for_each(|&value| alive[value] = true);
        most = most.max(count);
        for &inst in func.blocks[block].insts.iter().rev() {
            if let Some(result) = func.result(inst) {
                if std::mem::take(&mut alive[result]) {
                    count = count.saturating_sub(registers(func, result));
                }
            }
            if let InstData::Call { func: callee, .. } = &func.insts[inst] {
                most = most.max(count.saturating_add(callees[*callee]));
            }
            func.insts[inst].for_each_arg(|arg| {
                if !std::mem::replace(&mut alive[arg], true) {
                    count = count.saturating_add(registers(func, arg));
                }
            });
            most = most.max(count);
        }
        // Clears the marks of values that are alive where the block begins.
        mentioned.iter().for_each(|&value| alive[value] = false);
        for &inst in &func.blocks[block].insts {
            func.insts[inst].for_each_arg(|arg| alive[arg] = false);
        }
    }
    most
}

/// The values that are alive where each block ends. Values that the terminator alone uses are left out.
struct LiveAtExit {
    /// The registers of all live values.
    registers: SecondaryMap<Block, u32>,
    /// The values that the block defines or uses.
    mentioned: SecondaryMap<Block, Vec<Value>>,
}

/// The most blocks that the search for live ranges visits, for each value and block of a function. The search may visit
/// at least [`MIN_STEPS`] blocks in any function.
const STEPS: usize = 32;
const MIN_STEPS: usize = 1 << 18;

impl LiveAtExit {
    fn compute(func: &Function, cfg: &Cfg) -> LiveAtExit {
        let mut uses: SecondaryMap<Value, Vec<Block>> = func.value_map();
        let mut definitions: SecondaryMap<Value, Option<Block>> = func.value_map();
        for &block in cfg.rpo() {
            let data = &func.blocks[block];
            data.params.iter().for_each(|&param| definitions[param] = Some(block));
            for &inst in &data.insts {
                func.insts[inst].for_each_arg(|arg| {
                    if uses[arg].last() != Some(&block) {
                        uses[arg].push(block);
                    }
                });
                if let Some(result) = func.result(inst) {
                    definitions[result] = Some(block);
                }
            }
        }
        let mut out = LiveAtExit { registers: func.block_map(), mentioned: func.block_map() };
        let mut stamps = Stamps {
            mentions: func.block_map(),
            entered: func.block_map(),
            left: func.block_map(),
        };
        let mut room = STEPS * (cfg.rpo().len() + func.values.len()) + MIN_STEPS;
        let mut ends: Vec<(u32, u32)> = vec![(0, 0); cfg.rpo().len() + 1];
        for (value, definition) in definitions.iter() {
            let Some(definition) = *definition else { continue };
            let size = registers(func, value);
            let uses = std::mem::take(&mut uses[value]);
            match room {
                0 => out.add_interval(cfg, &mut ends, value, size, definition, &uses),
                _ => out.add_range(cfg, &mut stamps, &mut room, value, size, definition, uses),
            }
        }
        let mut count = 0u32;
        for (&block, &(begun, ended)) in cfg.rpo().iter().zip(&ends) {
            count = count.saturating_add(begun).saturating_sub(ended);
            out.registers[block] = out.registers[block].saturating_add(count);
        }
        out
    }

    /// Marks a value as alive in all blocks where it is: the search goes backwards from each use to the definition.
    #[allow(clippy::too_many_arguments)]
    fn add_range(
        &mut self,
        cfg: &Cfg,
        stamps: &mut Stamps,
        room: &mut usize,
        value: Value,
        size: u32,
        definition: Block,
        mut work: Vec<Block>,
    ) {
        stamps.mentions[definition] = Some(value);
        work.iter().for_each(|&block| stamps.mentions[block] = Some(value));
        while let Some(block) = work.pop() {
            if block == definition || stamps.entered[block] == Some(value) {
                continue;
            }
            stamps.entered[block] = Some(value);
            for &pred in cfg.preds(block) {
                *room = room.saturating_sub(1);
                if stamps.left[pred] != Some(value) {
                    stamps.left[pred] = Some(value);
                    self.registers[pred] = self.registers[pred].saturating_add(size);
                    if stamps.mentions[pred] == Some(value) {
                        self.mentioned[pred].push(value);
                    }
                    work.push(pred);
                }
            }
        }
    }

    /// Marks a value as alive from its definition to its last use in reverse postorder.
    fn add_interval(
        &mut self,
        cfg: &Cfg,
        ends: &mut [(u32, u32)],
        value: Value,
        size: u32,
        definition: Block,
        uses: &[Block],
    ) {
        let index = |block: Block| cfg.rpo_index(block).unwrap_or(0) as usize;
        let (first, last) = (index(definition), uses.iter().map(|&block| index(block)).max());
        let Some(last) = last.filter(|&last| last > first) else { return };
        ends[first].0 = ends[first].0.saturating_add(size);
        ends[last].1 = ends[last].1.saturating_add(size);
        self.mentioned[definition].push(value);
        for &block in uses.iter().filter(|&&block| (first + 1..last).contains(&index(block))) {
            self.mentioned[block].push(value);
        }
    }
}

/// By block, the value for which the block was marked last: because it contains the definition or a use (`mentions`),
/// because the value is alive at the beginning (`entered`), and because it is alive at the end (`left`).
struct Stamps {
    mentions: SecondaryMap<Block, Option<Value>>,
    entered: SecondaryMap<Block, Option<Value>>,
    left: SecondaryMap<Block, Option<Value>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::call_graph::bottom_up;
    use crate::ir::parse::parse_module;

    /// Returns the pressure of the last function of a text.
    fn pressure(text: &str) -> u32 {
        let module = parse_module(text).unwrap();
        let last = module.functions.keys().next_back().unwrap();
        register_pressure(&module, &bottom_up(&module, [last]).unwrap())
    }

    #[test]
    fn values_weigh_by_their_width() {
        // The sum of eight bytes and a vector of 16 count; the constant and the comparison do not.
        let text = "fn @f(v0:i64, v1:f32x4, v2:ptr.global) {
            block0:
                v3:i64 = iadd v0, 5:i64
                v4:bool = icmp slt v3, 7:i64
                v5:i64 = select v4, v3, v0
                store v2, v1, align 16
                store v2, v5, align 8
                return
            }";
        // v0 and v3, the vector and the address are alive at the same time.
        assert_eq!(pressure(text), 2 + 2 + 4 + 2);
    }

    #[test]
    fn arguments_and_constants_are_in_no_register() {
        let text = "fn @f() {
            block0:
                v0:ptr.global = load_arg 0, 0
                v1:i32 = load v0, align 4
                v2:i32 = iadd v1, 1:i32
                store v0, v2, align 4
                return
            }";
        assert_eq!(pressure(text), 1);
    }

    #[test]
    fn values_live_through_loops_and_calls() {
        let text = "fn @g(v0:i32, v1:i32) -> i32 {
            block0:
                v2:i32 = iadd v0, v1
                v3:i32 = imul v2, v0
                v4:i32 = imul v3, v1
                return v4
            }
            fn @f(v0:i32, v1:i32, v2:ptr.local) {
            block0:
                jump block1(0:i32)
            block1(v3:i32):
                v4:i32 = call @g(v3, v3)
                v5:bool = icmp slt v4, v0
                brif v5, block1(v4), block2
            block2:
                store v2, v1, align 4
                return
            }";
        // Three of the caller's registers are live across the call, and the callee needs three.
        assert_eq!(pressure(text), 3 + 3);
    }

    #[test]
    fn values_die_with_their_last_use() {
        let text = "fn @f(v0:ptr.local) {
            block0:
                v1:i32 = load v0, align 4
                v2:i32 = iadd v1, 1:i32
                v3:i32 = iadd v2, v1
                v4:i32 = iadd v3, v3
                store v0, v4, align 4
                return
            }";
        assert_eq!(pressure(text), 3);
    }
}
