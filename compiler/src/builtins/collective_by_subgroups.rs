//! Work-group collective functions by sub-groups: each sub-group combines its own values and stores the result in a word of
//! work-group memory; each sub-group then combines these words, so that all sub-groups get the same sum of floats.

use super::scratch::Scratch;
use super::Lowerer;
use crate::ir::{
    BinaryOp, Block, IntCC, Scalar, SubgroupScan, SubgroupVote, Type, Value, WorkItemQuery,
};

/// The most words that every work-item combines by itself, one after the other.
const FEW_WORDS: i64 = 8;

impl Lowerer<'_, '_> {
    pub(super) fn vote_of_subgroups(&mut self, all: bool, predicate: Value) -> Value {
        let truth = self.b.is_nonzero(predicate);
        let (vote, op) = match all {
            true => (SubgroupVote::All, BinaryOp::And),
            false => (SubgroupVote::Any, BinaryOp::Or),
        };
        let vote = self.b.subgroup_vote(vote, truth);
        let vote = self.b.int_of_bool(vote, Type::I32);
        self.with_other_subgroups(SubgroupScan::Reduce, op, vote, vote)
    }

    /// Reduces or scans. Work-items are in their sub-groups in the order of linear local ids.
    pub(super) fn combine_subgroups(
        &mut self,
        scan: SubgroupScan,
        op: BinaryOp,
        value: Value,
    ) -> Value {
        let own = self.b.subgroup_scan(scan, op, value, 0);
        let whole = match scan {
            SubgroupScan::Exclusive => self.b.binary(op, own, value),
            SubgroupScan::Reduce | SubgroupScan::Inclusive => own,
        };
        self.with_other_subgroups(scan, op, own, whole)
    }

    /// Combines the own sub-group's value with the values of earlier sub-groups, or of all. In the last work-item of the
    /// sub-group `whole` is the combination of all its values, which is the result already if the work-group is one sub-group.
    fn with_other_subgroups(
        &mut self,
        scan: SubgroupScan,
        op: BinaryOp,
        own: Value,
        whole: Value,
    ) -> Value {
        let (several, done) = (self.b.new_block(), self.b.new_block());
        let result = self.b.func.add_param(done, self.b.ty(own));
        let alone = self.b.new_block();
        let count = self.b.work_item(WorkItemQuery::NumSubgroups, 0);
        let is_alone = self.b.icmp_imm(IntCC::Ule, count, 1);
        self.b.brif(is_alone, alone, several);
        self.b.switch_to(alone);
        self.b.jump(done, &[own]);
        self.b.switch_to(several);
        self.combine_words(scan, op, (own, whole), count, done);
        self.b.switch_to(done);
        result
    }

    /// Combines the words of several sub-groups with the own value, and jumps to `done` with the result.
    fn combine_words(
        &mut self,
        scan: SubgroupScan,
        op: BinaryOp,
        (own, whole): (Value, Value),
        count: Value,
        done: Block,
    ) {
        let (ty, zero) = (self.b.ty(own), self.b.int(Scalar::I32, 0));
        let scratch = self.scratch(ty);
        let number = self.b.work_item(WorkItemQuery::SubgroupId, 0);
        self.local_barrier();
        // All work-items have the same result of a reduction.
        let writes = match scan {
            SubgroupScan::Reduce => {
                let id = self.b.work_item(WorkItemQuery::SubgroupInvocation, 0);
                self.b.icmp_imm(IntCC::Eq, id, 0)
            }
            _ => self.is_last_of_subgroup(),
        };
        self.when(writes, |this| this.write_scratch(&scratch, number, whole));
        self.local_barrier();
        let sum = match scan {
            SubgroupScan::Reduce => self.sum_of_words(op, &scratch, count, (count, true)),
            _ => self.sum_of_words(op, &scratch, number, (count, false)),
        };
        if scan == SubgroupScan::Reduce {
            return self.b.jump(done, &[sum]);
        }
        let both = self.b.binary(op, sum, own);
        let is_first = self.b.icmp(IntCC::Eq, number, zero);
        let result = self.b.select(is_first, own, both);
        self.b.jump(done, &[result]);
    }

    /// Combines the words before `end`: each work-item by itself, or the sub-group together. The first word is always taken,
    /// also where `end` is 0.
    fn sum_of_words(
        &mut self,
        op: BinaryOp,
        scratch: &Scratch,
        end: Value,
        (count, is_same): (Value, bool),
    ) -> Value {
        let [each, together, done] = [(); 3].map(|()| self.b.new_block());
        let sum = self.b.func.add_param(done, scratch.ty());
        let by_each = self.is_combined_by_each(op, scratch.ty(), (count, is_same));
        self.b.brif(by_each, each, together);
        self.b.switch_to(each);
        let (zero, one) = (self.b.int(Scalar::I32, 0), self.b.int(Scalar::I32, 1));
        let first = self.read_scratch(scratch, zero);
        let all = self.fold_words(op, scratch, first, (one, end, one));
        self.b.jump(done, &[all]);
        self.b.switch_to(together);
        let part = self.part_of_words(op, scratch, end, count);
        let all = self.b.subgroup_scan(SubgroupScan::Reduce, op, part, 0);
        self.b.jump(done, &[all]);
        self.b.switch_to(done);
        sum
    }

    /// Combines this work-item's share of the words before `end`, of `count` words that the sub-group shares out among its
    /// work-items. Where every sub-group has at least `count` work-items, the share is one word or none.
    fn part_of_words(
        &mut self,
        op: BinaryOp,
        scratch: &Scratch,
        end: Value,
        count: Value,
    ) -> Value {
        let ty = scratch.ty();
        let nothing = self.b.func.constant(ty, op.identity(ty.scalar));
        let [one, several, done] = [(); 3].map(|()| self.b.new_block());
        let part = self.b.func.add_param(done, ty);
        let id = self.b.work_item(WorkItemQuery::SubgroupInvocation, 0);
        let most = self.b.work_item(WorkItemQuery::SubgroupMaxSize, 0);
        let fit = self.b.icmp(IntCC::Ule, count, most);
        let rest = self.items_of_partial_subgroup();
        let are_full = self.b.icmp_imm(IntCC::Eq, rest, 0);
        let has_one = self.b.binary(BinaryOp::And, fit, are_full);
        self.b.brif(has_one, one, several);
        self.b.switch_to(one);
        let last = self.b.add_const(count, -1);
        let index = self.b.binary(BinaryOp::UMin, id, last);
        let word = self.read_scratch(scratch, index);
        let is_before = self.b.icmp(IntCC::Ult, id, end);
        let word = self.b.select(is_before, word, nothing);
        self.b.jump(done, &[word]);
        self.b.switch_to(several);
        let size = self.b.work_item(WorkItemQuery::SubgroupSize, 0);
        let words = self.fold_words(op, scratch, nothing, (id, end, size));
        self.b.jump(done, &[words]);
        self.b.switch_to(done);
        part
    }

    /// Returns how many work-items the last sub-group has if it is partial, else 0. Drivers know it when they compile.
    fn items_of_partial_subgroup(&mut self) -> Value {
        let items = self.local_count();
        let size = self.b.work_item(WorkItemQuery::SubgroupMaxSize, 0);
        let mask = self.b.add_const(size, -1);
        self.b.binary(BinaryOp::And, items, mask)
    }

    /// Returns true if each work-item is to combine `count` words by itself: if the words are few. If all sub-groups combine
    /// the same words (`is_same`), floats must be added in one order, which the work-items of a partial sub-group cannot keep
    /// together; integers are left to the sub-group, since hardware has an instruction for their sums.
    fn is_combined_by_each(
        &mut self,
        op: BinaryOp,
        ty: Type,
        (count, is_same): (Value, bool),
    ) -> Value {
        if is_same && !ty.scalar.is_float() {
            return self.b.func.constant(Type::BOOL, 0);
        }
        let are_few = self.b.icmp_imm(IntCC::Ule, count, FEW_WORDS);
        if !is_same || op != BinaryOp::FAdd {
            return are_few;
        }
        let rest = self.items_of_partial_subgroup();
        let is_partial = self.b.is_nonzero(rest);
        self.b.binary(BinaryOp::Or, are_few, is_partial)
    }

    fn is_last_of_subgroup(&mut self) -> Value {
        let size = self.b.work_item(WorkItemQuery::SubgroupSize, 0);
        let id = self.b.work_item(WorkItemQuery::SubgroupInvocation, 0);
        let next = self.b.add_const(id, 1);
        self.b.icmp(IntCC::Eq, next, size)
    }

    /// `for (i = start; i < end; i += step) sum = sum op word[i]`, unsigned I32; returns the last sum.
    fn fold_words(
        &mut self,
        op: BinaryOp,
        scratch: &Scratch,
        first: Value,
        (start, end, step): (Value, Value, Value),
    ) -> Value {
        let [header, inner, after] = [(); 3].map(|()| self.b.new_block());
        let index = self.b.func.add_param(header, Type::I32);
        let sum = self.b.func.add_param(header, scratch.ty());
        self.b.jump(header, &[start, first]);
        self.b.switch_to(header);
        let is_inside = self.b.icmp(IntCC::Ult, index, end);
        self.b.brif(is_inside, inner, after);
        self.b.switch_to(inner);
        let word = self.read_scratch(scratch, index);
        let next = self.b.binary(op, sum, word);
        let index = self.b.binary(BinaryOp::IAdd, index, step);
        self.b.jump(header, &[index, next]);
        self.b.switch_to(after);
        sum
    }
}
