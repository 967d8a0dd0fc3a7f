//! Sub-group operations that a device does not have, or not for a type. They are computed by shuffles and ballots, which
//! every device with sub-groups has for 32 bits.
//!
//! A missing reduction or scan follows the list of the work-items that execute it together: each knows its predecessor,
//! combines the predecessor's value with its own, and continues with the predecessor's predecessor (pointer jumping).

use super::work_items::query;
use crate::ir::*;
use crate::passes::cursor::{replace_values, Cursor};
use crate::target::{Subgroups, Target};
use hekla_device::Quirks;

/// Set in the link of a work-item that has no predecessor. The link then contains its own number.
const FIRST: i64 = 1 << 16;

/// Legalizes a function of kernels for which the hardware has sub-groups of `size` work-items. `together`: all
/// work-items of a sub-group reach each operation. Returns true if anything changed.
pub fn run(func: &mut Function, target: &Target, size: u32, together: bool) -> bool {
    if !func.layout_insts().any(|inst| func.insts[inst].is_of_subgroup()) {
        return false;
    }
    let features = target.subgroups.unwrap_or(Subgroups::LEAST);
    replace_values(func, |c, inst| {
        let mut l = Legalizer { c, target, features, size, together };
        l.replacement(inst)
    })
}

struct Legalizer<'a, 'f> {
    c: &'a mut Cursor<'f>,
    target: &'a Target,
    features: Subgroups,
    /// The number of work-items of a whole sub-group.
    size: u32,
    /// True if all work-items of a sub-group reach each operation.
    together: bool,
}

impl Legalizer<'_, '_> {
    /// Returns the value that replaces an instruction's result; `None` if the instruction stays.
    fn replacement(&mut self, inst: Inst) -> Option<Value> {
        match self.c.func.insts[inst] {
            InstData::SubgroupVote { op: SubgroupVote::AllEqual, arg } => self.all_equal(arg),
            InstData::SubgroupBroadcastFirst { arg } => {
                self.exchange(arg, |c, word| c.subgroup_broadcast_first(word))
            }
            InstData::SubgroupShuffle { op, args: [arg, by] } => self.shuffle(op, arg, by),
            InstData::SubgroupRotate { args: [arg, by], cluster } => {
                let cluster = self.cluster(cluster);
                let id = self.id();
                let sum = self.c.binary(BinaryOp::IAdd, id, by);
                Some(self.in_cluster(arg, id, sum, cluster))
            }
            InstData::SubgroupScan { scan, op, arg, cluster } if cluster >= self.size => {
                Some(self.scan_or_keep(scan, op, arg, self.size))
            }
            InstData::SubgroupScan { scan, op, arg, cluster } => {
                let cluster = self.cluster(cluster);
                self.scan(scan, op, arg, cluster)
            }
            _ => None,
        }
    }

    fn word(&mut self, value: u32) -> Value {
        self.c.iconst(Type::I32, i64::from(value))
    }

    /// Returns the index of this work-item in the sub-group.
    fn id(&mut self) -> Value {
        query(self.c, WorkItemQuery::SubgroupInvocation, 0)
    }

    /// Returns the size of a cluster for an instruction's cluster size; no cluster is larger than the sub-group.
    fn cluster(&self, cluster: u32) -> u32 {
        match cluster {
            0 => self.size,
            cluster => cluster.min(self.size),
        }
    }

    /// Exchanges the words of a number with `exchange`; `None` if the device can exchange the number itself.
    fn exchange(
        &mut self,
        value: Value,
        mut exchange: impl FnMut(&mut Cursor<'_>, Value) -> Value,
    ) -> Option<Value> {
        let ty = self.c.ty(value);
        if self.target.has_in_subgroups(ty.scalar) {
            return None;
        }
        if ty.bits() == 64 {
            let (low, high) = self.c.words_of(value);
            let words = [exchange(self.c, low), exchange(self.c, high)];
            let pair = self.c.build(&words);
            return Some(self.c.bitcast(pair, ty));
        }
        let bits = self.c.to_memory_int(value);
        let narrow = self.c.ty(bits);
        let word = self.c.resize(bits, Type::I32, false);
        let word = exchange(self.c, word);
        let bits = self.c.resize(word, narrow, false);
        Some(self.c.from_memory_int(bits, ty.scalar))
    }

    fn shuffle(&mut self, op: SubgroupShuffle, arg: Value, by: Value) -> Option<Value> {
        use SubgroupShuffle::*;
        let is_known = self.c.func.as_const(by).is_some() || self.features.dynamic_broadcast;
        let index = match op {
            Up | Down if !self.features.shuffle_relative => {
                let id = self.id();
                let op = if op == Up { BinaryOp::ISub } else { BinaryOp::IAdd };
                self.c.binary(op, id, by)
            }
            Broadcast if !is_known => by,
            _ => return self.exchange(arg, |c, word| c.subgroup_shuffle(op, word, by)),
        };
        Some(self.value_of(arg, index))
    }

    /// Returns the value of the work-item with this index.
    fn value_of(&mut self, value: Value, index: Value) -> Value {
        let op = SubgroupShuffle::Index;
        let split = self.exchange(value, |c, word| c.subgroup_shuffle(op, word, index));
        split.unwrap_or_else(|| self.c.subgroup_shuffle(op, value, index))
    }

    /// Returns the value of a work-item of the cluster that contains work-item `id`. `index` is taken modulo the
    /// cluster's size.
    fn in_cluster(&mut self, value: Value, id: Value, index: Value, cluster: u32) -> Value {
        let mask = i64::from(cluster) - 1;
        let inside = self.c.binary_imm(BinaryOp::And, index, mask);
        let start = self.c.binary_imm(BinaryOp::And, id, !mask & 0xffff_ffff);
        let index = self.c.binary(BinaryOp::Or, start, inside);
        self.value_of(value, index)
    }

    /// Returns whether all work-items have equal values. Floats are compared as floats, since drivers do not handle
    /// NaN; other numbers are compared by words.
    fn all_equal(&mut self, arg: Value) -> Option<Value> {
        let ty = self.c.ty(arg);
        if ty.scalar.is_float() {
            let split = self.exchange(arg, |c, word| c.subgroup_broadcast_first(word));
            let first = split.unwrap_or_else(|| self.c.subgroup_broadcast_first(arg));
            let same = self.c.fcmp(FloatCC::Oeq, arg, first);
            return Some(self.c.subgroup_vote(SubgroupVote::All, same));
        }
        if self.target.has_in_subgroups(ty.scalar) {
            return None;
        }
        let equal = |c: &mut Cursor<'_>, arg| c.subgroup_vote(SubgroupVote::AllEqual, arg);
        if ty == Type::I64 {
            let (low, high) = self.c.words_of(arg);
            let (low, high) = (equal(self.c, low), equal(self.c, high));
            return Some(self.c.binary(BinaryOp::And, low, high));
        }
        let word = self.c.resize(arg, Type::I32, false);
        Some(equal(self.c, word))
    }

    fn scan(
        &mut self,
        scan: SubgroupScan,
        op: BinaryOp,
        arg: Value,
        cluster: u32,
    ) -> Option<Value> {
        let ty = self.c.ty(arg);
        let is_whole = cluster == self.size;
        if ty == Type::BOOL {
            return Some(self.logical(scan, op, arg, cluster));
        }
        let is_slow = self.target.has(Quirks::SLOW_SUBGROUP_SCANS) && scan != SubgroupScan::Reduce;
        if is_slow && is_whole && self.together && matches!(ty.bits(), 32 | 64) {
            return Some(self.shuffled_scan(scan, op, arg));
        }
        let has_clusters = self.features.clustered && scan == SubgroupScan::Reduce;
        let has_operation = self.features.arithmetic && (is_whole || has_clusters);
        if has_operation && self.target.has_in_subgroups(ty.scalar) {
            return None;
        }
        if cluster == 1 {
            return Some(arg);
        }
        match ty.scalar {
            Scalar::F16 if !self.target.has_in_subgroups(ty.scalar) => {
                let wide = self.c.convert(ConvertOp::FConvert, arg, Type::F32);
                let result = self.scan_or_keep(scan, op, wide, cluster);
                Some(self.c.convert(ConvertOp::FConvert, result, ty))
            }
            Scalar::I8 | Scalar::I16 if !self.target.has_in_subgroups(ty.scalar) => {
                Some(self.narrow_scan(scan, op, arg, cluster))
            }
            Scalar::I64 if matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) => {
                let (low, high) = self.c.words_of(arg);
                let words = [low, high].map(|word| self.scan_or_keep(scan, op, word, cluster));
                let pair = self.c.build(&words);
                Some(self.c.bitcast(pair, ty))
            }
            _ => Some(self.linked_scan(scan, op, arg, cluster)),
        }
    }

    fn scan_or_keep(
        &mut self,
        scan: SubgroupScan,
        op: BinaryOp,
        arg: Value,
        cluster: u32,
    ) -> Value {
        let whole = if cluster == self.size { 0 } else { cluster };
        let other = self.scan(scan, op, arg, cluster);
        other.unwrap_or_else(|| self.c.subgroup_scan(scan, op, arg, whole))
    }

    /// Scans in 32 bits. The identity of the narrow type replaces that of the wide type.
    fn narrow_scan(&mut self, scan: SubgroupScan, op: BinaryOp, arg: Value, cluster: u32) -> Value {
        let ty = self.c.ty(arg);
        let signed = matches!(op, BinaryOp::SMin | BinaryOp::SMax);
        let wide = self.c.resize(arg, Type::I32, signed);
        let mut result = self.scan_or_keep(scan, op, wide, cluster);
        if signed && scan == SubgroupScan::Exclusive {
            let identity = self.c.func.constant(ty, op.identity(ty.scalar));
            let identity = self.c.resize(identity, Type::I32, true);
            result = self.c.binary(op, result, identity);
        }
        self.c.resize(result, ty, false)
    }

    /// Scans bools, using the set of work-items that execute the scan together and the set of those with a true
    /// argument.
    fn logical(&mut self, scan: SubgroupScan, op: BinaryOp, arg: Value, cluster: u32) -> Value {
        let (truth, range) = (self.ballot(arg), self.range(scan, cluster));
        let always = self.c.func.constant(Type::BOOL, 1);
        let together = self.ballot(always);
        let zero = self.word(0);
        let mut result = None;
        for ((truth, together), range) in truth.into_iter().zip(together).zip(range) {
            let counted = self.c.binary(BinaryOp::And, truth, range);
            let word = match op {
                BinaryOp::And => {
                    let asked = self.c.binary(BinaryOp::And, together, range);
                    self.c.binary(BinaryOp::Xor, asked, counted)
                }
                _ => counted,
            };
            let join = if op == BinaryOp::Xor { BinaryOp::Xor } else { BinaryOp::Or };
            result = Some(match result {
                Some(before) => self.c.binary(join, before, word),
                None => word,
            });
        }
        let word = result.unwrap_or(zero);
        match op {
            BinaryOp::And => self.c.icmp(IntCC::Eq, word, zero),
            BinaryOp::Xor => {
                let count = self.c.math(MathOp::PopCount, &[word]);
                let odd = self.c.binary_imm(BinaryOp::And, count, 1);
                self.c.icmp(IntCC::Ne, odd, zero)
            }
            _ => self.c.icmp(IntCC::Ne, word, zero),
        }
    }

    /// Returns the words of a ballot that a sub-group of this size uses.
    fn ballot(&mut self, arg: Value) -> Vec<Value> {
        let ballot = self.c.subgroup_ballot(arg);
        (0..self.size.div_ceil(32) as u8).map(|lane| self.c.extract(ballot, lane)).collect()
    }

    /// Returns a mask of the work-items whose values a scan combines.
    fn range(&mut self, scan: SubgroupScan, cluster: u32) -> Vec<Value> {
        let id = self.id();
        let words = self.size.div_ceil(32);
        let word = |this: &mut Self, number: u32| {
            let cluster = this.cluster_word(id, number, cluster);
            let below = match scan {
                SubgroupScan::Reduce => return cluster,
                SubgroupScan::Inclusive => this.c.binary_imm(BinaryOp::IAdd, id, 1),
                SubgroupScan::Exclusive => id,
            };
            let below = this.below_word(below, number);
            this.c.binary(BinaryOp::And, cluster, below)
        };
        (0..words).map(|number| word(self, number)).collect()
    }

    /// Returns a mask of the bits in a word that belong to the cluster of a work-item.
    fn cluster_word(&mut self, id: Value, number: u32, cluster: u32) -> Value {
        let all = self.word(u32::MAX);
        if cluster >= self.size {
            return all;
        }
        let here = if cluster >= 32 {
            all
        } else {
            let start = !(i64::from(cluster) - 1) & 31;
            let start = self.c.binary_imm(BinaryOp::And, id, start);
            let bits = self.word((1 << cluster) - 1);
            self.c.binary(BinaryOp::Shl, bits, start)
        };
        if self.size <= 32 {
            return here;
        }
        let shift = cluster.max(32).trailing_zeros();
        let place = self.c.binary_imm(BinaryOp::LShr, id, i64::from(shift));
        let first = (number * 32) >> shift;
        let is_here = self.c.icmp_imm(IntCC::Eq, place, i64::from(first));
        let none = self.word(0);
        self.c.select(is_here, here, none)
    }

    /// Returns a mask of the bits in a word that belong to work-items with indices below `end`.
    fn below_word(&mut self, end: Value, number: u32) -> Value {
        let start = i64::from(number * 32);
        let (all, none) = (self.word(u32::MAX), self.word(0));
        let count = self.c.binary_imm(BinaryOp::ISub, end, start);
        let one = self.word(1);
        let low = self.c.binary_imm(BinaryOp::And, count, 31);
        let bit = self.c.binary(BinaryOp::Shl, one, low);
        let some = self.c.binary_imm(BinaryOp::ISub, bit, 1);
        let is_full = self.c.icmp_imm(IntCC::Sge, count, 32);
        let bits = self.c.select(is_full, all, some);
        if number == 0 {
            return bits;
        }
        let is_before = self.c.icmp_imm(IntCC::Slt, count, 0);
        self.c.select(is_before, none, bits)
    }

    /// Returns the index of the highest bit that is set in words, and whether any bit is set.
    fn highest(&mut self, words: &[Value]) -> (Value, Value) {
        let mut any = self.c.func.constant(Type::BOOL, 0);
        let mut highest = self.word(0);
        for (&word, number) in words.iter().zip(0u32..) {
            let zeros = self.c.math(MathOp::Clz, &[word]);
            let last = self.word(number * 32 + 31);
            let here = self.c.binary(BinaryOp::ISub, last, zeros);
            let is_here = self.c.icmp_imm(IntCC::Ne, word, 0);
            highest = self.c.select(is_here, here, highest);
            any = self.c.binary(BinaryOp::Or, any, is_here);
        }
        (highest, any)
    }

    /// Scans by shuffles, if all work-items take part: each combines its value with the value of the work-item `reach`
    /// before it.
    fn shuffled_scan(&mut self, scan: SubgroupScan, op: BinaryOp, arg: Value) -> Value {
        let id = self.id();
        let mut value = arg;
        let mut reach = 1;
        while reach < self.size {
            let other = self.before(value, reach);
            let sum = self.c.binary(op, other, value);
            let has_other = self.c.icmp_imm(IntCC::Uge, id, i64::from(reach));
            value = self.c.select(has_other, sum, value);
            reach *= 2;
        }
        if scan == SubgroupScan::Inclusive {
            return value;
        }
        let other = self.before(value, 1);
        let ty = self.c.ty(arg);
        let identity = self.c.func.constant(ty, op.identity(ty.scalar));
        let has_other = self.c.icmp_imm(IntCC::Uge, id, 1);
        self.c.select(has_other, other, identity)
    }

    /// Returns the value of the work-item that is `distance` before this one.
    fn before(&mut self, value: Value, distance: u32) -> Value {
        let (op, by) = (SubgroupShuffle::Up, self.word(distance));
        let other = self.shuffle(op, value, by);
        other.unwrap_or_else(|| self.c.subgroup_shuffle(op, value, by))
    }

    /// Scans along the list of the work-items that execute the scan together, in their order.
    fn linked_scan(&mut self, scan: SubgroupScan, op: BinaryOp, arg: Value, cluster: u32) -> Value {
        let always = self.c.func.constant(Type::BOOL, 1);
        let together = self.ballot(always);
        let before = self.among(&together, SubgroupScan::Exclusive, cluster);
        let (before, has_before) = self.highest(&before);
        let id = self.id();
        let alone = self.c.binary_imm(BinaryOp::Or, id, FIRST);
        let mut link = self.c.select(has_before, before, alone);
        let mut value = arg;
        let mut reach = 1;
        while reach < cluster {
            let first = self.c.binary_imm(BinaryOp::And, link, FIRST);
            let is_first = self.c.icmp_imm(IntCC::Ne, first, 0);
            let index = self.c.binary_imm(BinaryOp::And, link, FIRST - 1);
            let other = self.value_of(value, index);
            let sum = self.c.binary(op, other, value);
            value = self.c.select(is_first, value, sum);
            link = self.value_of(link, index);
            reach *= 2;
        }
        match scan {
            SubgroupScan::Inclusive => value,
            SubgroupScan::Exclusive => {
                let index = self.c.select(has_before, before, id);
                let sum = self.value_of(value, index);
                let ty = self.c.ty(arg);
                let identity = self.c.func.constant(ty, op.identity(ty.scalar));
                self.c.select(has_before, sum, identity)
            }
            SubgroupScan::Reduce => {
                let all = self.among(&together, scan, cluster);
                let (last, _) = self.highest(&all);
                self.value_of(value, last)
            }
        }
    }

    /// Returns a mask of the work-items among `words` whose values a scan combines.
    fn among(&mut self, words: &[Value], scan: SubgroupScan, cluster: u32) -> Vec<Value> {
        let range = self.range(scan, cluster);
        words.iter().zip(range).map(|(&a, b)| self.c.binary(BinaryOp::And, a, b)).collect()
    }
}
