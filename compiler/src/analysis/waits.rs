//! Which functions may wait for another work-item: in a loop that is left by what another one writes while the loop runs.
//!
//! Such a loop reads it by an atomic operation or a volatile load, or beside a fence by any load: elsewhere a plain load may be
//! done once, before the loop. What it reads it may keep in private memory. Retries of a lock-free update look the same, and
//! are taken for it.

use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::{Loop, Loops};
use crate::ir::*;
use cranelift_entity::EntitySet;

/// By what an instruction lets a work-item see what others write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    Nothing,
    /// Its own result.
    Result,
    /// All that is read after it.
    All,
}

/// Returns true if a function may wait.
pub fn may_wait(func: &Function, sight: impl Fn(&InstData) -> Sight) -> bool {
    let cfg = Cfg::compute(func);
    let sight = |inst: Inst| sight(&func.insts[inst]);
    if !cfg.has_loops() || func.layout_insts().all(|inst| sight(inst) == Sight::Nothing) {
        return false;
    }
    let dom = DomTree::compute(&cfg);
    let goes_back = |from: Block, to: Block| cfg.rpo_index(to) <= cfg.rpo_index(from);
    let enters_twice = |from: Block| {
        cfg.succs(from).iter().any(|&to| goes_back(from, to) && !dom.dominates(to, from))
    };
    if cfg.rpo().iter().any(|&block| enters_twice(block)) {
        return true;
    }
    let loops = Loops::compute(&cfg, &dom).loops;
    loops.iter().any(|data| match data.insts(func).map(sight).max() {
        None | Some(Sight::Nothing) => false,
        Some(Sight::Result) => Seen::waits(func, &cfg, data, |inst| sight(inst) == Sight::Result),
        Some(Sight::All) => Seen::waits(func, &cfg, data, |inst| reads(&func.insts[inst])),
    })
}

/// Returns true if an instruction's result may come from memory that others write.
fn reads(data: &InstData) -> bool {
    match *data {
        InstData::Load { flags, .. } => !flags.contains(MemFlags::INVARIANT),
        _ => data.has_side_effect() || data.reads_memory(),
    }
}

/// What depends on what others write, as it is read in a loop.
struct Seen<'a> {
    func: &'a Function,
    header: Block,
    inside: EntitySet<Block>,
    values: EntitySet<Value>,
    /// True if it is kept in private memory.
    is_kept: bool,
    /// Blocks that are reached or not by it.
    blocks: EntitySet<Block>,
}

impl Seen<'_> {
    /// Returns true if leaving a loop depends on the results of instructions in it that are `sources`.
    fn waits(func: &Function, cfg: &Cfg, data: &Loop, sources: impl Fn(Inst) -> bool) -> bool {
        let (header, inside) = (data.header, data.block_set());
        let iteration = cfg.iteration(header, |block| inside.contains(block));
        let post = DomTree::compute(&iteration.reversed());
        let (values, is_kept, blocks) = Default::default();
        let mut it = Seen { func, header, inside, values, is_kept, blocks };
        for inst in data.insts(func).filter(|&inst| sources(inst)) {
            it.is_kept |= matches!(func.insts[inst], InstData::Call { .. });
            func.result(inst).map(|result| it.values.insert(result));
        }
        let mut branches: EntitySet<Block> = EntitySet::new();
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &data.blocks {
                changed |= it.follow_values(block);
                if it.decides(block) && branches.insert(block) {
                    it.follow_branch(&iteration, &post, block);
                    changed = true;
                }
            }
        }
        let leaves = |block: Block| cfg.succs(block).iter().any(|&next| !it.inside.contains(next));
        data.blocks
            .iter()
            .any(|&block| leaves(block) && (it.decides(block) || it.blocks.contains(block)))
    }

    /// Returns true if a block ends with a branch by what is read.
    fn decides(&self, block: Block) -> bool {
        match self.func.terminator(block).map(|inst| &self.func.insts[inst]) {
            Some(InstData::Brif { cond: value, .. } | InstData::Switch { value, .. }) => {
                self.values.contains(*value)
            }
            _ => false,
        }
    }

    /// Returns true if an address may be of private memory.
    fn is_private(&self, ptr: Value) -> bool {
        let space = self.func.ty(ptr).space();
        matches!(space, Some(AddressSpace::Private | AddressSpace::Generic))
    }

    /// Goes through the instructions of a block. Returns true if a value was found to depend on what is read.
    fn follow_values(&mut self, block: Block) -> bool {
        let mut changed = false;
        for &inst in &self.func.blocks[block].insts {
            let data = &self.func.insts[inst];
            data.for_each_target(|call| {
                let params = &self.func.blocks[call.block].params;
                for (&arg, &param) in call.args.iter().zip(params) {
                    changed |= self.values.contains(arg) && self.values.insert(param);
                }
            });
            let mut depends = match *data {
                InstData::Store { ptr, value, .. } if !self.is_kept && self.is_private(ptr) => {
                    self.is_kept = self.values.contains(value) || self.blocks.contains(block);
                    changed |= self.is_kept;
                    continue;
                }
                InstData::Load { ptr, .. } => self.is_kept && self.is_private(ptr),
                _ => false,
            };
            let Some(result) = self.func.result(inst) else { continue };
            data.for_each_arg(|value| depends |= self.values.contains(value));
            changed |= depends && self.values.insert(result);
        }
        changed
    }

    /// Marks what lies between a branch and where its ways meet in the same iteration, with all that is computed there or
    /// chosen by the way.
    fn follow_branch(&mut self, iteration: &Cfg, post: &DomTree, branch: Block) {
        let meeting = post.idom(branch).filter(|&block| self.inside.contains(block));
        let mut ways: Vec<Block> = vec![branch];
        let mut found: EntitySet<Block> = EntitySet::new();
        let mut pending: Vec<Block> = iteration.succs(branch).to_vec();
        while let Some(block) = pending.pop() {
            let is_way = self.inside.contains(block) && Some(block) != meeting;
            if !is_way || !found.insert(block) {
                continue;
            }
            ways.push(block);
            self.blocks.insert(block);
            let data = &self.func.blocks[block];
            let results = data.insts.iter().filter_map(|&inst| self.func.result(inst));
            let all = results.chain(data.params.iter().copied());
            all.for_each(|value| _ = self.values.insert(value));
            pending.extend_from_slice(iteration.succs(block));
        }
        for meeting in [meeting, Some(self.header)].into_iter().flatten() {
            self.follow_choices(&ways, meeting);
        }
    }

    /// Marks the parameters of a block that are not the same by all ways to it.
    fn follow_choices(&mut self, ways: &[Block], meeting: Block) {
        let params = &self.func.blocks[meeting].params;
        let mut chosen: Vec<Option<Value>> = vec![None; params.len()];
        for inst in ways.iter().filter_map(|&block| self.func.terminator(block)) {
            self.func.insts[inst].for_each_target(|call| {
                if call.block != meeting {
                    return;
                }
                for ((&arg, first), &param) in call.args.iter().zip(&mut chosen).zip(params) {
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

    /// Returns true if the function `@f` of a text may wait.
    fn waits(body: &str) -> bool {
        let text = format!("fn @f(v0:ptr.global, v1:i32) {{\n{body}}}\n");
        let module = crate::ir::parse::parse_module(&text).expect("a module");
        let func = module.functions.values().next().expect("a function");
        may_wait(func, |data| match data {
            InstData::AtomicRmw { .. } => Sight::Result,
            InstData::Fence { .. } => Sight::All,
            _ => Sight::Nothing,
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
        // The flag is a plain load, which nothing but a fence has done again.
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
    fn loops_that_are_left_on_a_way_that_what_is_read_decides() {
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
        // A match is counted by an atomic operation, whose result chooses where it is stored.
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
        // The same with `continue`.
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
        // So many rounds as an atomic operation before the loop says.
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
