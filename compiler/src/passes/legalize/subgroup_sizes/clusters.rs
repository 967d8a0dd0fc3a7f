//! Sub-groups smaller than the hardware's: several of them are side by side in one of the hardware's. An operation
//! becomes an operation on clusters, a shuffle within the sub-group's part, or uses the sub-group's bits of a ballot;
//! so control flow may differ between the sub-groups.

use super::Resizer;
use crate::ir::*;

impl Resizer<'_, '_> {
    /// Returns the value that replaces the result of a sub-group operation, computed with the hardware's sub-groups.
    pub(super) fn in_clusters(&mut self, data: &InstData) -> Option<Value> {
        use SubgroupShuffle::*;
        let size = self.sizes.asked;
        Some(match *data {
            InstData::SubgroupElect => {
                let (id, first) = (self.id(), self.first_there());
                self.c.icmp(IntCC::Eq, id, first)
            }
            InstData::SubgroupVote { op: SubgroupVote::Any, arg } => self.any_there(arg),
            InstData::SubgroupVote { op: SubgroupVote::All, arg } => self.all_there(arg),
            InstData::SubgroupVote { op: SubgroupVote::AllEqual, arg } => {
                let first = self.value_of_first(arg);
                let same = self.same(arg, first);
                self.all_there(same)
            }
            InstData::SubgroupBallot { arg } => {
                let words = self.ballot_words(arg);
                self.ballot_of(&words)
            }
            InstData::SubgroupBroadcastFirst { arg } => self.value_of_first(arg),
            InstData::SubgroupShuffle { op: Broadcast | Index, args: [arg, by] } => {
                self.value_at(arg, by)
            }
            // Values that these take from another sub-group are undefined, so they can stay.
            InstData::SubgroupShuffle { op: Xor | Up | Down, .. } => return None,
            InstData::SubgroupRotate { args: [arg, by], cluster } => {
                let cluster = self.cluster(cluster);
                self.c.subgroup_rotate(arg, by, cluster)
            }
            InstData::SubgroupScan { scan, op, arg, cluster } => {
                let cluster = self.cluster(cluster);
                debug_assert!(scan == SubgroupScan::Reduce || cluster == size);
                self.c.subgroup_scan(scan, op, arg, cluster)
            }
            _ => return None,
        })
    }

    /// Returns the index, in the hardware's sub-group, of the first work-item of this sub-group.
    fn start(&mut self) -> Value {
        let lane = self.lane();
        let mask = !(self.sizes.asked - 1);
        self.c.binary_imm(BinaryOp::And, lane, i64::from(mask))
    }

    /// Returns the value of the work-item with this number in this sub-group.
    fn value_at(&mut self, value: Value, number: Value) -> Value {
        let start = self.start();
        let inside = self.c.binary_imm(BinaryOp::And, number, i64::from(self.sizes.asked) - 1);
        let lane = self.c.binary(BinaryOp::Or, start, inside);
        self.c.subgroup_shuffle(SubgroupShuffle::Index, value, lane)
    }

    fn value_of_first(&mut self, value: Value) -> Value {
        let first = self.first_there();
        self.value_at(value, first)
    }

    /// Returns this sub-group's bits of a ballot.
    fn ballot_words(&mut self, truth: Value) -> Vec<Value> {
        let size = self.sizes.asked;
        let ballot = self.c.subgroup_ballot(truth);
        let start = self.start();
        if size < 32 {
            let word = self.c.binary_imm(BinaryOp::LShr, start, 5);
            let word = self.ballot_word(ballot, word);
            let shift = self.c.binary_imm(BinaryOp::And, start, 31);
            let bits = self.c.binary(BinaryOp::LShr, word, shift);
            return vec![self.c.binary_imm(BinaryOp::And, bits, (1 << size) - 1)];
        }
        let first = self.c.binary_imm(BinaryOp::LShr, start, 5);
        let word = |this: &mut Self, number: u32| {
            let number = this.c.binary_imm(BinaryOp::IAdd, first, i64::from(number));
            this.ballot_word(ballot, number)
        };
        (0..size / 32).map(|number| word(self, number)).collect()
    }

    /// Returns a word of a ballot by its index.
    fn ballot_word(&mut self, ballot: Value, number: Value) -> Value {
        let mut word = self.c.extract(ballot, 0);
        for other in 1..self.sizes.hardware.div_ceil(32) as u8 {
            let is_here = self.c.icmp_imm(IntCC::Eq, number, i64::from(other));
            let candidate = self.c.extract(ballot, other);
            word = self.c.select(is_here, candidate, word);
        }
        word
    }

    fn any_there(&mut self, truth: Value) -> Value {
        let words = self.ballot_words(truth);
        self.any_bit(&words)
    }

    fn all_there(&mut self, truth: Value) -> Value {
        let objects = self.not(truth);
        let any = self.any_there(objects);
        self.not(any)
    }

    /// Returns the index, in this sub-group, of the first work-item that executes this together with the others.
    fn first_there(&mut self) -> Value {
        let always = self.c.func.bool_const(true);
        let words = self.ballot_words(always);
        let mut first = self.word(0);
        for (number, &word) in words.iter().enumerate().rev() {
            let zeros = self.c.math(MathOp::Ctz, &[word]);
            let here = self.c.binary_imm(BinaryOp::IAdd, zeros, number as i64 * 32);
            let is_here = self.c.icmp_imm(IntCC::Ne, word, 0);
            first = self.c.select(is_here, here, first);
        }
        first
    }
}
