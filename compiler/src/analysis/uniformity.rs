//! Uniformity: the blocks that either all work-items of a work-group reach together, or none does. No branch with a condition
//! that may differ between work-items decides whether these blocks are reached.

use super::dependence::{add_block, add_parameters, blocks_between, is_decided_by};
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::*;
use cranelift_entity::EntitySet;

/// The blocks and values of a kernel that may differ between the work-items of a work-group.
pub struct Uniformity {
    /// True if a work-group has only one sub-group.
    one_subgroup: bool,
    varying: EntitySet<Value>,
    divergent: EntitySet<Block>,
}

impl Uniformity {
    /// Finds varying values and divergent blocks until there are no new ones. Values loaded from memory that may change
    /// vary. With `one_subgroup`, each work-group is one sub-group.
    pub fn compute(func: &Function, one_subgroup: bool) -> Uniformity {
        let cfg = Cfg::compute(func);
        let post = DomTree::compute(&cfg.reversed());
        let mut it =
            Uniformity { one_subgroup, varying: EntitySet::new(), divergent: EntitySet::new() };
        it.vary(func.params().iter().copied());
        let mut branches: EntitySet<Block> = EntitySet::new();
        let mut changed = true;
        while changed {
            changed = false;
            for &block in cfg.rpo() {
                changed |= it.follow_values(func, block);
                if is_decided_by(func, block, &it.varying) && branches.insert(block) {
                    it.follow_branch(func, &cfg, &post, block);
                    changed = true;
                }
            }
        }
        it
    }

    /// Marks values as varying.
    fn vary(&mut self, values: impl IntoIterator<Item = Value>) {
        for value in values {
            self.varying.insert(value);
        }
    }

    /// Returns true if all work-items reach the block together.
    pub fn is_uniform(&self, block: Block) -> bool {
        !self.divergent.contains(block)
    }

    /// Visits the instructions of a block. Returns true if a result or parameter was found to vary that was not known
    /// to.
    fn follow_values(&mut self, func: &Function, block: Block) -> bool {
        let mut changed = false;
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            changed |= add_parameters(func, data, &mut self.varying);
            let result = func.result(inst).filter(|&result| !self.varying.contains(result));
            changed |=
                result.is_some_and(|result| self.may_vary(data) && self.varying.insert(result));
        }
        changed
    }

    /// Returns true if the result of an instruction may differ between work-items.
    fn may_vary(&self, data: &InstData) -> bool {
        use WorkItemQuery::*;
        let is_source = match *data {
            InstData::WorkItem { query: SubgroupId | SubgroupSize, .. } => !self.one_subgroup,
            InstData::WorkItem { query, .. } => {
                matches!(query, GlobalId | LocalId | InvocationId | SubgroupInvocation)
            }
            InstData::Load { flags, .. } => !flags.contains(MemFlags::INVARIANT),
            InstData::Call { .. } | InstData::Alloca { .. } => true,
            // The results are the same in a sub-group if all its work-items come here together; in divergent blocks
            // everything varies.
            InstData::SubgroupVote { .. }
            | InstData::SubgroupBallot { .. }
            | InstData::SubgroupBroadcastFirst { .. }
            | InstData::SubgroupScan { scan: SubgroupScan::Reduce, cluster: 0, .. }
                if self.one_subgroup =>
            {
                return false;
            }
            _ => data.has_side_effect() || data.reads_memory() || data.is_convergent(),
        };
        let mut varies = is_source;
        data.for_each_arg(|value| varies |= self.varying.contains(value));
        varies
    }

    /// Marks the blocks between a branch that work-items take differently and the block where they meet again. Values
    /// computed between them vary there and behind, and so do the parameters of the block where the work-items meet. If some
    /// work-items never reach an end, they do not meet.
    fn follow_branch(&mut self, func: &Function, cfg: &Cfg, post: &DomTree, branch: Block) {
        let mut meeting = post.idom(branch);
        let mut between = blocks_between(cfg, branch, meeting);
        if between.iter().any(|&block| post.idom(block).is_none()) {
            meeting = None;
            between = blocks_between(cfg, branch, None);
        }
        if let Some(meeting) = meeting.and_then(|block| func.blocks.get(block)) {
            self.vary(meeting.params.iter().copied());
        }
        for block in between {
            self.divergent.insert(block);
            add_block(func, block, &mut self.varying);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns for each block of a function whether all work-items reach it together.
    fn uniform_blocks(text: &str) -> Vec<bool> {
        let module = crate::ir::parse::parse_module(text).expect("a module");
        let func = module.functions.values().next().expect("a function");
        let uniformity = Uniformity::compute(func, false);
        func.layout.iter().map(|&block| uniformity.is_uniform(block)).collect()
    }

    #[test]
    fn branches_on_local_ids_part_work_items_until_they_meet() {
        let text = "fn @f() {
block0:
    v1:i32 = workitem local_id 0
    v2:bool = icmp eq v1, 0:i32
    brif v2, block1, block2
block1:
    jump block3(1:i32)
block2:
    jump block3(2:i32)
block3(v3:i32):
    v4:i32 = workitem local_size 0
    v5:bool = icmp eq v4, 0:i32
    brif v5, block4, block5
block4:
    v6:bool = icmp eq v3, 1:i32
    brif v6, block5, block6
block5:
    jump block7
block6:
    jump block7
block7:
    return
}";
        let uniform = [true, false, false, true, true, false, false, true];
        assert_eq!(uniform_blocks(text), uniform);
    }

    #[test]
    fn loops_that_work_items_leave_in_different_rounds() {
        // The inner loop ends for all work-items at the same time; the outer loop does not.
        let text = "fn @f() {
block0:
    v0:i32 = workitem local_id 0
    jump block1(0:i32)
block1(v1:i32):
    v2:i32 = iadd v1, 1:i32
    v3:bool = icmp ult v2, 9:i32
    brif v3, block1(v2), block2(0:i32)
block2(v4:i32):
    v5:i32 = iadd v4, 1:i32
    v6:bool = icmp ult v5, v0
    brif v6, block2(v5), block3
block3:
    v7:bool = icmp eq v5, 3:i32
    brif v7, block4, block5
block4:
    jump block5
block5:
    return
}";
        assert_eq!(uniform_blocks(text), [true, true, false, true, false, true]);
    }

    #[test]
    fn what_is_behind_a_return_by_some() {
        let text = "fn @f() {
block0:
    v0:i32 = workitem subgroup_invocation 0
    v1:bool = icmp eq v0, 3:i32
    brif v1, block1, block2
block1:
    return
block2:
    return
}";
        assert_eq!(uniform_blocks(text), [true, false, false]);
    }

    #[test]
    fn blocks_that_never_end() {
        let text = "fn @f() {
block0:
    v0:i32 = workitem local_id 0
    v1:bool = icmp eq v0, 3:i32
    brif v1, block1, block2
block1:
    jump block1
block2:
    return
}";
        assert_eq!(uniform_blocks(text), [true, false, false]);
    }
}
