//! Which functions may wait for another work-item: in a loop whose exit depends on what another work-item writes while the
//! loop runs.
//!
//! Such a loop reads the value by an atomic operation or a volatile load, or, if it contains a fence, by any load: without
//! a fence a plain load may be hoisted out of the loop. The value may pass through private memory. A retry of a lock-free
//! update cannot be distinguished from a wait, and counts as one.

use super::dependence::{add_block, add_parameters, blocks_between, is_decided_by};
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::{Loop, Loops};
use crate::ir::*;
use cranelift_entity::EntitySet;

/// How an instruction observes writes of other work-items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Observes {
    #[default]
    Nothing,
    /// The result may be a value that another work-item wrote.
    ByResult,
    /// Loads behind the instruction may read such values.
    ByLoads,
}

/// Returns how an instruction observes writes of other work-items; `of_call` returns it for calls.
pub fn observed_by(
    func: &Function,
    data: &InstData,
    of_call: impl FnOnce(Func) -> Observes,
) -> Observes {
    use InstData::*;
    match *data {
        Load { flags, .. } if flags.contains(MemFlags::VOLATILE) => Observes::ByResult,
        // Such an operation stores a part of a word in local memory; it observes nothing.
        AtomicRmw { ptr, sync: SyncSemantics::PART_OF_STORE, .. }
            if func.ty(ptr).space() == Some(AddressSpace::Local) =>
        {
            Observes::Nothing
        }
        AtomicLoad { sync, .. } | AtomicRmw { sync, .. } | AtomicCmpXchg { sync, .. } => {
            match sync.orders() {
                true => Observes::ByLoads,
                false => Observes::ByResult,
            }
        }
        Fence { .. } => Observes::ByLoads,
        Call { func, .. } => of_call(func),
        _ => Observes::Nothing,
    }
}

/// Returns true if a function, whose cycles are natural loops, may wait.
pub fn may_wait(func: &Function, observes: impl Fn(&InstData) -> Observes) -> bool {
    let cfg = Cfg::compute(func);
    if !cfg.has_loops() {
        return false;
    }
    let observes = |inst: Inst| observes(&func.insts[inst]);
    let loops = Loops::compute(&cfg, &DomTree::compute(&cfg)).loops;
    loops.iter().any(|data| match data.insts(func).map(observes).max().unwrap_or_default() {
        Observes::Nothing => false,
        Observes::ByResult => {
            LoopExits::depend(func, &cfg, data, |inst| observes(inst) == Observes::ByResult)
        }
        Observes::ByLoads => LoopExits::depend(func, &cfg, data, |inst| reads(&func.insts[inst])),
    })
}

/// Returns true if an instruction's result may come from memory that other work-items write.
fn reads(data: &InstData) -> bool {
    match *data {
        InstData::Load { flags, .. } => !flags.contains(MemFlags::INVARIANT),
        _ => data.has_side_effect() || data.reads_memory(),
    }
}

/// The values and blocks of a loop that depend on values that other work-items write.
struct LoopExits<'a> {
    func: &'a Function,
    header: Block,
    inside: EntitySet<Block>,
    values: EntitySet<Value>,
    /// True if a value that depends on such writes may be in private memory.
    in_private_memory: bool,
    /// Blocks whose execution depends on such a value.
    blocks: EntitySet<Block>,
}

impl LoopExits<'_> {
    /// Returns true if the exit of a loop depends on the results of instructions in the loop for which `sources` is
    /// true.
    fn depend(func: &Function, cfg: &Cfg, data: &Loop, sources: impl Fn(Inst) -> bool) -> bool {
        let (header, inside) = (data.header, data.block_set());
        let iteration = cfg.iteration(header, |block| inside.contains(block));
        let post = DomTree::compute(&iteration.reversed());
        let (values, in_private_memory, blocks) = Default::default();
        let mut it = LoopExits { func, header, inside, values, in_private_memory, blocks };
        for inst in data.insts(func).filter(|&inst| sources(inst)) {
            it.in_private_memory |= matches!(func.insts[inst], InstData::Call { .. });
            func.result(inst).map(|result| it.values.insert(result));
        }
        let mut branches: EntitySet<Block> = EntitySet::new();
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &data.blocks {
                changed |= it.follow_values(block);
                if is_decided_by(func, block, &it.values) && branches.insert(block) {
                    it.follow_branch(&iteration, &post, block);
                    changed = true;
                }
            }
        }
        let leaves = |block: Block| cfg.succs(block).iter().any(|&next| !it.inside.contains(next));
        let depends = |block| branches.contains(block) || it.blocks.contains(block);
        data.blocks.iter().any(|&block| leaves(block) && depends(block))
    }

    /// Returns true if an address may be of private memory.
    fn is_private(&self, ptr: Value) -> bool {
        let space = self.func.ty(ptr).space();
        matches!(space, Some(AddressSpace::Private | AddressSpace::Generic))
    }

    /// Visits the instructions of a block. Returns true if a value was found to depend that was not known to.
    fn follow_values(&mut self, block: Block) -> bool {
        let mut changed = false;
        for &inst in &self.func.blocks[block].insts {
            let data = &self.func.insts[inst];
            changed |= add_parameters(self.func, data, &mut self.values);
            let mut depends = match *data {
                InstData::Store { ptr, value, .. }
                    if !self.in_private_memory && self.is_private(ptr) =>
                {
                    self.in_private_memory =
                        self.values.contains(value) || self.blocks.contains(block);
                    changed |= self.in_private_memory;
                    continue;
                }
                InstData::Load { ptr, .. } => self.in_private_memory && self.is_private(ptr),
                _ => false,
            };
            let Some(result) = self.func.result(inst) else { continue };
            data.for_each_arg(|value| depends |= self.values.contains(value));
            changed |= depends && self.values.insert(result);
        }
        changed
    }

    /// Marks the blocks between a branch and the block where its paths join in the same iteration, with all values computed
    /// in them and the parameters whose arguments differ between the paths.
    fn follow_branch(&mut self, iteration: &Cfg, post: &DomTree, branch: Block) {
        let join = post.idom(branch).filter(|&block| self.inside.contains(block));
        let mut paths = blocks_between(iteration, branch, join);
        paths.retain(|&block| self.inside.contains(block));
        for &block in &paths {
            self.blocks.insert(block);
            add_block(self.func, block, &mut self.values);
        }
        paths.push(branch);
        for join in [join, Some(self.header)].into_iter().flatten() {
            self.follow_join(&paths, join);
        }
    }

    /// Marks the parameters of a block whose arguments differ between the paths to it.
    fn follow_join(&mut self, paths: &[Block], join: Block) {
        let params = &self.func.blocks[join].params;
        let mut first: Vec<Option<Value>> = vec![None; params.len()];
        for inst in paths.iter().filter_map(|&block| self.func.terminator(block)) {
            self.func.insts[inst].for_each_target(|call| {
                if call.block != join {
                    return;
                }
                for ((&arg, first), &param) in call.args.iter().zip(&mut first).zip(params) {
                    if *first.get_or_insert(arg) != arg {
                        self.values.insert(param);
                    }
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if the function `@f` in an IR text may wait.
    fn waits(body: &str) -> bool {
        let text = format!("fn @f(v0:ptr.global, v1:i32) {{\n{body}}}\n");
        let module = crate::ir::parse::parse_module(&text).expect("a module");
        let func = module.functions.values().next().expect("a function");
        may_wait(func, |data| match data {
            InstData::AtomicRmw { .. } => Observes::ByResult,
            InstData::Fence { .. } => Observes::ByLoads,
            _ => Observes::Nothing,
        })
    }

    #[test]
    fn loops_that_are_left_by_what_is_read_in_them() {
        let until = "block0:
    jump block1
block1:
    v2:i32 = atomic_rmw or v0, 0:i32
    v3:bool = icmp eq v2, v1
    brif v3, block2, block1
block2:
    return
";
        assert!(waits(until));
        assert!(!waits(&until.replace("atomic_rmw or v0, 0:i32", "load v0, align 4")));
        // The flag is read by a plain load, which only a fence makes the device repeat.
        let plain = "block0:
    jump block1
block1:
    fence global seq_cst device
    v3:i32 = load v0, align 4
    v4:bool = icmp eq v3, v1
    brif v4, block2, block1
block2:
    return
";
        assert!(waits(plain));
        let counted = "v2:i32 = atomic_rmw add v0, 1:i32";
        assert!(!waits(&plain.replace("fence global seq_cst device", counted)));
    }

    #[test]
    fn loops_whose_exit_is_control_dependent_on_what_is_read() {
        // if (atomic) { if (v1 == i) break; }
        let inner = "block0:
    jump block1(0:i32)
block1(v2:i32):
    v3:i32 = atomic_rmw add v0, 1:i32
    v4:bool = icmp eq v3, 7:i32
    brif v4, block2, block3
block2:
    v5:bool = icmp eq v1, 0:i32
    brif v5, block4, block3
block3:
    v6:i32 = iadd v2, 1:i32
    jump block1(v6)
block4:
    return
";
        assert!(waits(inner));
        // done = atomic ? 1 : done, in a variable.
        let chosen = "block0:
    jump block1
block1:
    v3:i32 = atomic_rmw add v0, 1:i32
    v4:bool = icmp eq v3, 7:i32
    brif v4, block2, block3(0:i32)
block2:
    jump block3(1:i32)
block3(v5:i32):
    v6:bool = icmp eq v5, 1:i32
    brif v6, block4, block1
block4:
    return
";
        assert!(waits(chosen));
    }

    #[test]
    fn loops_that_are_left_by_what_is_kept_in_private_memory() {
        let kept = "block0:
    v2:ptr.private = alloca 4, align 4
    jump block1
block1:
    v3:i32 = atomic_rmw add v0, 1:i32
    v4:bool = icmp eq v3, 7:i32
    brif v4, block2, block3
block2:
    store v2, 1:i32, align 4
    jump block3
block3:
    v5:i32 = load v2, align 4
    v6:bool = icmp eq v5, 1:i32
    brif v6, block4, block1
block4:
    return
";
        assert!(waits(kept));
        assert!(waits(
            &kept
                .replace("brif v4, block2, block3", "jump block2")
                .replace("1:i32, align", "v3, align")
        ));
        assert!(!waits(&kept.replace("brif v4, block2, block3", "jump block2")));
    }

    #[test]
    fn loops_that_count_do_not_wait() {
        // An atomic operation counts a match, and its result is the index at which the match is stored.
        let count = "block0:
    jump block1(0:i32)
block1(v2:i32):
    v3:i32 = load v0, align 4
    v4:bool = icmp eq v3, v2
    brif v4, block2, block4
block2:
    v5:i32 = atomic_rmw add v0, 1:i32
    v6:bool = icmp eq v5, 0:i32
    brif v6, block3, block4
block3:
    store v0, v2, align 4
    jump block4
block4:
    v7:i32 = iadd v2, 1:i32
    v8:bool = icmp ult v7, v1
    brif v8, block1(v7), block5
block5:
    return
";
        assert!(!waits(count));
        // The same loop with `continue`.
        let goes_on = "block0:
    jump block1(0:i32)
block1(v2:i32):
    v8:bool = icmp ult v2, v1
    brif v8, block2, block5
block2:
    v7:i32 = iadd v2, 1:i32
    v5:i32 = atomic_rmw add v0, 1:i32
    v6:bool = icmp eq v5, 0:i32
    brif v6, block1(v7), block3
block3:
    store v0, v2, align 4
    jump block1(v7)
block5:
    return
";
        assert!(!waits(goes_on));
        assert!(waits(&goes_on.replace("    jump block1(v7)", "    jump block1(v1)")));
        // An atomic operation before the loop returns the number of iterations.
        let number = "block0:
    v9:i32 = atomic_rmw add v0, 1:i32
    jump block1(0:i32)
block1(v2:i32):
    v3:i32 = atomic_rmw add v0, 1:i32
    v7:i32 = iadd v2, 1:i32
    v8:bool = icmp ult v7, v9
    brif v8, block1(v7), block5
block5:
    return
";
        assert!(!waits(number));
    }
}
