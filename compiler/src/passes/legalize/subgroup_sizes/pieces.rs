//! Sub-groups larger than the hardware's: a sub-group consists of several of the hardware's, its pieces, which exchange
//! numbers through work-group memory. All work-items of the work-group exchange numbers together, between barriers, so each
//! of them must reach the operation.

use super::{Resizer, Sizes};
use crate::ir::*;
use crate::target::{Subgroups, Target};

/// The size of a work-item's place in the exchange memory, in bytes.
const PLACE: u32 = 8;

/// Returns the exchange memory: a place for each work-item of the largest work-group, rounded up to whole sub-groups.
pub(super) fn scratch(target: &Target) -> GlobalData {
    let items = target.max_work_group_size.next_multiple_of(Subgroups::MAX_SIZE);
    GlobalData {
        name: "subgroup_pieces".to_string(),
        size: u64::from(PLACE) * u64::from(items),
        align: PLACE,
        space: AddressSpace::Local,
        is_const: false,
        init: None,
        relocations: Vec::new(),
        linkage: Linkage::Internal,
    }
}

/// Returns the replacement of a sub-group barrier; `None` for other instructions.
pub(super) fn barrier(data: &InstData) -> Option<InstData> {
    match *data {
        InstData::SubgroupBarrier { flags } => Some(InstData::Barrier { flags }),
        _ => None,
    }
}

impl Resizer<'_, '_> {
    /// Returns the value that replaces the result of a sub-group operation, computed with the hardware's sub-groups and
    /// the exchange memory.
    pub(super) fn in_pieces(&mut self, data: &InstData) -> Option<Value> {
        Some(match *data {
            InstData::SubgroupElect => {
                let id = self.id();
                self.c.icmp_imm(IntCC::Eq, id, 0)
            }
            InstData::SubgroupVote { op: SubgroupVote::Any, arg } => self.any_of_all(arg),
            InstData::SubgroupVote { op: SubgroupVote::All, arg } => self.all_of_all(arg),
            InstData::SubgroupVote { op: SubgroupVote::AllEqual, arg } => {
                let first = self.value_of_item(arg, |this| this.word(0));
                let same = self.same(arg, first);
                self.all_of_all(same)
            }
            InstData::SubgroupBallot { arg } => {
                let words = self.gathered_ballot(arg);
                self.ballot_of(&words)
            }
            InstData::SubgroupBroadcastFirst { arg } => {
                self.value_of_item(arg, |this| this.word(0))
            }
            InstData::SubgroupShuffle { op, args: [arg, by] } => {
                self.value_of_item(arg, |this| this.shuffled(op, by))
            }
            InstData::SubgroupRotate { args: [arg, by], cluster } => {
                let cluster = self.cluster(cluster);
                self.value_of_item(arg, |this| this.rotated(by, cluster))
            }
            InstData::SubgroupScan { scan, op, arg, cluster } => {
                let cluster = self.cluster(cluster);
                self.scan_pieces(scan, op, arg, cluster)
            }
            _ => return None,
        })
    }

    fn shuffled(&mut self, op: SubgroupShuffle, by: Value) -> Value {
        let id = self.id();
        match op {
            SubgroupShuffle::Broadcast | SubgroupShuffle::Index => by,
            SubgroupShuffle::Xor => self.c.binary(BinaryOp::Xor, id, by),
            SubgroupShuffle::Up => self.c.binary(BinaryOp::ISub, id, by),
            SubgroupShuffle::Down => self.c.binary(BinaryOp::IAdd, id, by),
        }
    }

    fn rotated(&mut self, by: Value, cluster: u32) -> Value {
        let (id, mask) = (self.id(), i64::from(cluster) - 1);
        let sum = self.c.binary(BinaryOp::IAdd, id, by);
        let inside = self.c.binary_imm(BinaryOp::And, sum, mask);
        let start = self.c.binary_imm(BinaryOp::And, id, !mask & 0xffff_ffff);
        self.c.binary(BinaryOp::Or, start, inside)
    }

    /// Returns the address of a word of a work-item's place. `item` is the work-item's index in the work-group.
    fn place(&mut self, item: Value, word: usize) -> Option<Value> {
        let ty = Type::ptr(AddressSpace::Local);
        let base = self.c.inst(InstData::GlobalAddr { global: self.scratch? }, ty);
        let offset = self.c.binary_imm(BinaryOp::IMul, item, i64::from(PLACE));
        let offset = self.c.binary_imm(BinaryOp::IAdd, offset, 4 * word as i64);
        let (ptr, within) = (base, Within::ANYWHERE);
        Some(self.c.inst(InstData::PtrAdd { ptr, offset, within }, ty))
    }

    fn meet(&mut self) {
        self.c.void(InstData::Barrier { flags: BarrierFlags::LOCAL });
    }

    /// Publishes a number to the whole work-group, once all work-items have read the number that was published before.
    fn give(&mut self, words: &[Value]) {
        self.meet();
        let linear = self.linear();
        for (number, &value) in words.iter().enumerate() {
            if let Some(ptr) = self.place(linear, number) {
                self.c.void(InstData::Store { ptr, value, align: 4, flags: MemFlags::empty() });
            }
        }
        self.meet();
    }

    /// Returns the words that a work-item has published. `item` is its index in the work-group.
    fn take(&mut self, item: Value, words: usize) -> Vec<Value> {
        let flags = MemFlags::empty();
        let places = (0..words).filter_map(|word| self.place(item, word)).collect::<Vec<_>>();
        let load = |ptr| self.c.inst(InstData::Load { ptr, align: 4, flags }, Type::I32);
        places.into_iter().map(load).collect()
    }

    /// Returns a number as words.
    fn words_of(&mut self, value: Value) -> Vec<Value> {
        let ty = self.c.ty(value);
        if ty == Type::BOOL {
            return vec![self.c.convert(ConvertOp::ZExt, value, Type::I32)];
        }
        if ty.bytes() == 8 {
            let (low, high) = self.c.words_of(value);
            return vec![low, high];
        }
        let bits = self.c.to_memory_int(value);
        vec![self.c.resize(bits, Type::I32, false)]
    }

    /// Returns the number that consists of words: the inverse of [`Resizer::words_of`].
    fn of_words(&mut self, words: &[Value], ty: Type) -> Value {
        if ty == Type::BOOL {
            return self.c.icmp_imm(IntCC::Ne, words[0], 0);
        }
        if ty.bytes() == 8 {
            let pair = self.c.build(words);
            return self.c.bitcast(pair, ty);
        }
        let narrow = Type::of(Scalar::int(ty.scalar.bytes() * 8));
        let bits = self.c.resize(words[0], narrow, false);
        self.c.from_memory_int(bits, ty.scalar)
    }

    /// Returns the value of the work-item with this index in the sub-group; the index is taken modulo the sub-group's
    /// size.
    fn value_of_item(&mut self, value: Value, number: impl FnOnce(&mut Self) -> Value) -> Value {
        let ty = self.c.ty(value);
        let words = self.words_of(value);
        self.give(&words);
        let (linear, number) = (self.linear(), number(self));
        let mask = i64::from(self.sizes.asked) - 1;
        let start = self.c.binary_imm(BinaryOp::And, linear, !mask & 0xffff_ffff);
        let inside = self.c.binary_imm(BinaryOp::And, number, mask);
        let item = self.c.binary(BinaryOp::Or, start, inside);
        let words = self.take(item, words.len());
        self.of_words(&words, ty)
    }

    /// Returns the index of the first piece of the cluster of `cluster` work-items that contains this work-item.
    fn first_piece(&mut self, cluster: u32) -> Value {
        let piece = self.piece();
        let pieces = cluster / self.sizes.hardware;
        self.c.binary_imm(BinaryOp::And, piece, i64::from(!(pieces - 1)))
    }

    /// Returns the index of the hardware's sub-group.
    fn piece(&mut self) -> Value {
        super::query(self.c, WorkItemQuery::SubgroupId, 0)
    }

    /// Returns the index of work-item `lane` of piece `first + number`, and whether the work-group has this piece.
    fn item_of_piece(&mut self, first: Value, number: u32, lane: u32) -> (Value, Value) {
        let hardware = self.sizes.hardware;
        let piece = self.c.binary_imm(BinaryOp::IAdd, first, i64::from(number));
        let start = self.c.binary_imm(BinaryOp::IMul, piece, i64::from(hardware));
        let count = self.work_items(WorkItemQuery::LocalSize);
        let is_there = self.c.icmp(IntCC::Ult, start, count);
        (self.c.binary_imm(BinaryOp::IAdd, start, i64::from(lane)), is_there)
    }

    /// Returns the words of a ballot of the whole sub-group.
    fn gathered_ballot(&mut self, truth: Value) -> Vec<Value> {
        let Sizes { asked, hardware } = self.sizes;
        let ballot = self.c.subgroup_ballot(truth);
        let own = self.c.extract(ballot, 0);
        self.give(&[own]);
        let first = self.first_piece(asked);
        let mut words = vec![self.word(0); asked.div_ceil(32) as usize];
        for number in 0..asked / hardware {
            let (item, is_there) = self.item_of_piece(first, number, 0);
            let zero = self.word(0);
            for bits in self.take(item, 1) {
                let bits = self.c.select(is_there, bits, zero);
                let at = number * hardware;
                let bits = self.c.binary_imm(BinaryOp::Shl, bits, i64::from(at % 32));
                let word = &mut words[(at / 32) as usize];
                *word = self.c.binary(BinaryOp::Or, *word, bits);
            }
        }
        words
    }

    fn any_of_all(&mut self, truth: Value) -> Value {
        let words = self.gathered_ballot(truth);
        self.any_bit(&words)
    }

    fn all_of_all(&mut self, truth: Value) -> Value {
        let objects = self.not(truth);
        let any = self.any_of_all(objects);
        self.not(any)
    }

    /// Scans in two steps: each piece combines the values of its work-items, and the results of the pieces are combined
    /// in their order.
    fn scan_pieces(&mut self, scan: SubgroupScan, op: BinaryOp, arg: Value, cluster: u32) -> Value {
        let hardware = self.sizes.hardware;
        if cluster <= hardware && scan == SubgroupScan::Reduce {
            let cluster = if cluster == hardware { 0 } else { cluster };
            return self.c.subgroup_scan(scan, op, arg, cluster);
        }
        let ty = self.c.ty(arg);
        let own = self.c.subgroup_scan(scan, op, arg, 0);
        let whole = match scan {
            SubgroupScan::Exclusive => self.c.binary(op, own, arg),
            SubgroupScan::Reduce | SubgroupScan::Inclusive => own,
        };
        let words = self.words_of(whole);
        self.give(&words);
        let (first, piece) = (self.first_piece(cluster), self.piece());
        // Pieces before this one have all their work-items.
        let lane = if scan == SubgroupScan::Reduce { 0 } else { hardware - 1 };
        let last = cluster / hardware - u32::from(scan != SubgroupScan::Reduce);
        let (mut sum, mut counts) = (None, None);
        for number in 0..last {
            let (item, mut is_counted) = self.item_of_piece(first, number, lane);
            if scan != SubgroupScan::Reduce {
                let other = self.c.binary_imm(BinaryOp::IAdd, first, i64::from(number));
                is_counted = self.c.icmp(IntCC::Ult, other, piece);
            }
            let words = self.take(item, words.len());
            let value = self.of_words(&words, ty);
            sum = Some(match sum {
                None => value,
                Some(before) => {
                    let both = self.c.binary(op, before, value);
                    self.c.select(is_counted, both, before)
                }
            });
            counts = counts.or(Some(is_counted));
        }
        match (sum, counts) {
            (Some(sum), _) if scan == SubgroupScan::Reduce => sum,
            (Some(sum), Some(any)) => {
                let both = self.c.binary(op, sum, own);
                self.c.select(any, both, own)
            }
            _ => own,
        }
    }
}
