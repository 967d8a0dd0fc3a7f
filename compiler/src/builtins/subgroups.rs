//! Sub-group functions: queries (OpenCL C 6.15.1), the barrier, votes, broadcasts, reductions, scans, ballots, shuffles and
//! rotations (6.15.19). The functions on ballots, which are four words, are arithmetic.

use super::integer::{add_op, max_op, min_op};
use super::row::{Check, Lower, LowerUnary, Names, Row};
use super::signature::TypePattern::{self, Void, G};
use super::signature::{Elements, Scalar as Name, Sig, SCALAR};
use super::{Call, Lowerer};
use crate::ir::{
    BinaryOp, IntCC, MathOp, MemoryOrder, MemoryScope, Scalar, SubgroupScan, SubgroupShuffle,
    SubgroupVote, SyncSemantics, Type, Value, WorkItemQuery,
};
use SubgroupScan::{Exclusive, Inclusive, Reduce};

const INT: TypePattern = TypePattern::S(Name::Int);
const UINT: TypePattern = TypePattern::S(Name::UInt);
const BALLOT: TypePattern = TypePattern::V(Name::UInt, 4);
const ALL: Elements = Elements::ALL;

const QUERY: &[Sig] = &[Sig::plain(UINT, &[])];
const VOTE: &[Sig] = &[Sig::plain(INT, &[INT])];
const VALUE: &[Sig] = &[Sig::new(ALL, G, &[G]).lanes(SCALAR)];
const INTS: &[Sig] = &[Sig::new(Elements::INTS, G, &[G]).lanes(SCALAR)];
const SHUFFLE: &[Sig] = &[Sig::new(ALL, G, &[G, UINT]).lanes(SCALAR)];
const BROADCAST: &[Sig] = &[Sig::new(ALL, G, &[G, UINT])];
const CLUSTERED: &[Sig] = SHUFFLE;
const CLUSTERED_INTS: &[Sig] = &[Sig::new(Elements::INTS, G, &[G, UINT]).lanes(SCALAR)];
const CLUSTERED_VOTE: &[Sig] = &[Sig::plain(INT, &[INT, UINT])];
const OF_BALLOT: &[Sig] = &[Sig::plain(UINT, &[BALLOT])];
const MASK: &[Sig] = &[Sig::plain(BALLOT, &[])];

const CORE: &str = "__opencl_c_subgroups";
const VOTES: &str = "cl_khr_subgroup_non_uniform_vote";
const BALLOTS: &str = "cl_khr_subgroup_ballot";
const ARITHMETIC: &str = "cl_khr_subgroup_non_uniform_arithmetic";
const CLUSTERS: &str = "cl_khr_subgroup_clustered_reduce";
const SHUFFLES: &str = "cl_khr_subgroup_shuffle";
const RELATIVE: &str = "cl_khr_subgroup_shuffle_relative";
const ROTATE: &str = "cl_khr_subgroup_rotate";

const fn row(extension: &'static str, names: Names, sigs: &'static [Sig], lower: Lower) -> Row {
    Row::new(names, sigs, lower).check(Check::Subgroup(extension))
}

const fn unary(e: &'static str, names: Names, sigs: &'static [Sig], lower: LowerUnary) -> Row {
    row(e, names, sigs, Lower::Unary(lower))
}

/// Returns the operation of a reduction or scan for the type of a call.
pub(super) type Operation = fn(&Call<'_>) -> BinaryOp;

pub(super) const ADD: Operation = add_op;
pub(super) const MUL: Operation =
    |c| if c.number().is_float() { BinaryOp::FMul } else { BinaryOp::IMul };
pub(super) const MIN: Operation = min_op;
pub(super) const MAX: Operation = max_op;

/// The rows of the reduction and the scans of one operation, which need the same extension.
macro_rules! scans {
    ($op:expr, [$($names:literal $scan:ident),* $(,)?], $extension:expr) => {
        [$(unary($extension, &[$names], VALUE, |l, c, x| l.subgroup_scan($scan, $op(c), x, 0))),*]
    };
}

macro_rules! bitwise {
    ($op:expr, [$($names:literal $scan:ident),* $(,)?]) => {
        [$(unary(ARITHMETIC, &[$names], INTS, |l, _, x| l.subgroup_scan($scan, $op, x, 0))),*]
    };
}

macro_rules! logical {
    ($op:expr, [$($names:literal $scan:ident),* $(,)?]) => {
        [$(unary(ARITHMETIC, &[$names], VOTE, |l, _, x| l.logical_scan($scan, $op, x, 0))),*]
    };
}

/// The reduction of clusters. The last argument, a constant, is the number of work-items in a cluster.
macro_rules! clustered {
    ($name:literal, $sigs:expr, $lower:ident, $op:expr) => {
        row(
            CLUSTERS,
            &[$name],
            $sigs,
            Lower::Call(|l, c| {
                let &[x, cluster] = c.args else { return None };
                let cluster = l.cluster_size(cluster);
                Some(l.$lower(Reduce, $op(c), x, cluster))
            }),
        )
        .check(Check::Clustered(CLUSTERS))
    };
}

macro_rules! query {
    ($name:literal, $query:ident) => {
        row(
            CORE,
            &[$name],
            QUERY,
            Lower::Call(|l, _| Some(l.b.work_item(WorkItemQuery::$query, 0))),
        )
    };
}

macro_rules! shuffle {
    ($extension:expr, $names:expr, $sigs:expr, $op:ident) => {
        row(
            $extension,
            $names,
            $sigs,
            Lower::Call(|l, c| match *c.args {
                [x, by] => Some(l.subgroup_shuffle(SubgroupShuffle::$op, x, by)),
                _ => None,
            }),
        )
    };
}

macro_rules! mask {
    ($name:literal, $cc:ident) => {
        row(BALLOTS, &[$name], MASK, Lower::Call(|l, _| Some(l.subgroup_mask(IntCC::$cc))))
    };
}

pub(super) const ROWS: &[&[Row]] = &[
    &[
        query!("get_sub_group_size", SubgroupSize),
        query!("get_max_sub_group_size", SubgroupMaxSize),
        query!("get_num_sub_groups", NumSubgroups),
        query!("get_enqueued_num_sub_groups", EnqueuedNumSubgroups),
        query!("get_sub_group_id", SubgroupId),
        query!("get_sub_group_local_id", SubgroupInvocation),
        row(
            CORE,
            &["sub_group_barrier"],
            &[Sig::plain(Void, &[UINT]), Sig::plain(Void, &[UINT, INT])],
            Lower::Call(|l, c| l.subgroup_barrier(c)),
        ),
        unary(CORE, &["sub_group_all"], VOTE, |l, _, x| l.subgroup_vote(SubgroupVote::All, x)),
        unary(CORE, &["sub_group_any"], VOTE, |l, _, x| l.subgroup_vote(SubgroupVote::Any, x)),
        shuffle!(CORE, &["sub_group_broadcast"], BROADCAST, Broadcast),
        row(
            VOTES,
            &["sub_group_elect"],
            &[Sig::plain(INT, &[])],
            Lower::Call(|l, _| {
                let elected = l.b.subgroup_elect();
                Some(l.b.int_of_bool(elected, Type::I32))
            }),
        ),
        unary(VOTES, &["sub_group_non_uniform_all"], VOTE, |l, _, x| {
            l.subgroup_vote(SubgroupVote::All, x)
        }),
        unary(VOTES, &["sub_group_non_uniform_any"], VOTE, |l, _, x| {
            l.subgroup_vote(SubgroupVote::Any, x)
        }),
        unary(
            VOTES,
            &["sub_group_non_uniform_all_equal"],
            &[Sig::new(ALL, INT, &[G]).lanes(SCALAR)],
            |l, _, x| {
                let equal = l.b.subgroup_vote(SubgroupVote::AllEqual, x);
                l.b.int_of_bool(equal, Type::I32)
            },
        ),
        shuffle!(BALLOTS, &["sub_group_non_uniform_broadcast"], BROADCAST, Broadcast),
        unary(BALLOTS, &["sub_group_broadcast_first"], VALUE, |l, _, x| {
            l.b.subgroup_broadcast_first(x)
        }),
        unary(BALLOTS, &["sub_group_ballot"], &[Sig::plain(BALLOT, &[INT])], |l, _, x| {
            let truth = l.b.is_nonzero(x);
            l.b.subgroup_ballot(truth)
        }),
        row(
            BALLOTS,
            &["sub_group_inverse_ballot"],
            &[Sig::plain(INT, &[BALLOT])],
            Lower::Call(|l, c| match *c.args {
                [ballot] => Some(l.inverse_ballot(ballot)),
                _ => None,
            }),
        ),
        row(
            BALLOTS,
            &["sub_group_ballot_bit_extract"],
            &[Sig::plain(INT, &[BALLOT, UINT])],
            Lower::Call(|l, c| match *c.args {
                [ballot, index] => Some(l.ballot_bit(ballot, index)),
                _ => None,
            }),
        ),
        unary(BALLOTS, &["sub_group_ballot_bit_count"], OF_BALLOT, |l, _, x| {
            l.ballot_count(Reduce, x)
        }),
        unary(BALLOTS, &["sub_group_ballot_inclusive_scan"], OF_BALLOT, |l, _, x| {
            l.ballot_count(Inclusive, x)
        }),
        unary(BALLOTS, &["sub_group_ballot_exclusive_scan"], OF_BALLOT, |l, _, x| {
            l.ballot_count(Exclusive, x)
        }),
        unary(BALLOTS, &["sub_group_ballot_find_lsb"], OF_BALLOT, |l, _, x| {
            l.ballot_find(MathOp::Ctz, x)
        }),
        unary(BALLOTS, &["sub_group_ballot_find_msb"], OF_BALLOT, |l, _, x| {
            l.ballot_find(MathOp::Clz, x)
        }),
        mask!("get_sub_group_eq_mask", Eq),
        mask!("get_sub_group_ge_mask", Uge),
        mask!("get_sub_group_gt_mask", Ugt),
        mask!("get_sub_group_le_mask", Ule),
        mask!("get_sub_group_lt_mask", Ult),
        shuffle!(SHUFFLES, &["sub_group_shuffle"], SHUFFLE, Index),
        shuffle!(SHUFFLES, &["sub_group_shuffle_xor"], SHUFFLE, Xor),
        shuffle!(RELATIVE, &["sub_group_shuffle_up"], SHUFFLE, Up),
        shuffle!(RELATIVE, &["sub_group_shuffle_down"], SHUFFLE, Down),
        row(
            ROTATE,
            &["sub_group_rotate"],
            &[Sig::new(ALL, G, &[G, INT]).lanes(SCALAR)],
            Lower::Call(|l, c| match *c.args {
                [x, by] => Some(l.b.subgroup_rotate(x, by, 0)),
                _ => None,
            }),
        ),
        row(
            ROTATE,
            &["sub_group_clustered_rotate"],
            &[Sig::new(ALL, G, &[G, INT, UINT]).lanes(SCALAR)],
            Lower::Call(|l, c| {
                let &[x, by, cluster] = c.args else { return None };
                let cluster = l.cluster_size(cluster);
                Some(l.b.subgroup_rotate(x, by, cluster))
            }),
        )
        .check(Check::Clustered(ROTATE)),
        clustered!("sub_group_clustered_reduce_add", CLUSTERED, subgroup_scan, ADD),
        clustered!("sub_group_clustered_reduce_mul", CLUSTERED, subgroup_scan, MUL),
        clustered!("sub_group_clustered_reduce_min", CLUSTERED, subgroup_scan, MIN),
        clustered!("sub_group_clustered_reduce_max", CLUSTERED, subgroup_scan, MAX),
        clustered!("sub_group_clustered_reduce_and", CLUSTERED_INTS, subgroup_scan, |_| {
            BinaryOp::And
        }),
        clustered!("sub_group_clustered_reduce_or", CLUSTERED_INTS, subgroup_scan, |_| {
            BinaryOp::Or
        }),
        clustered!("sub_group_clustered_reduce_xor", CLUSTERED_INTS, subgroup_scan, |_| {
            BinaryOp::Xor
        }),
        clustered!("sub_group_clustered_reduce_logical_and", CLUSTERED_VOTE, logical_scan, |_| {
            BinaryOp::And
        }),
        clustered!("sub_group_clustered_reduce_logical_or", CLUSTERED_VOTE, logical_scan, |_| {
            BinaryOp::Or
        }),
        clustered!("sub_group_clustered_reduce_logical_xor", CLUSTERED_VOTE, logical_scan, |_| {
            BinaryOp::Xor
        }),
    ],
    &scans!(
        ADD,
        [
            "sub_group_reduce_add" Reduce,
            "sub_group_scan_inclusive_add" Inclusive,
            "sub_group_scan_exclusive_add" Exclusive,
        ],
        CORE
    ),
    &scans!(
        MIN,
        [
            "sub_group_reduce_min" Reduce,
            "sub_group_scan_inclusive_min" Inclusive,
            "sub_group_scan_exclusive_min" Exclusive,
        ],
        CORE
    ),
    &scans!(
        MAX,
        [
            "sub_group_reduce_max" Reduce,
            "sub_group_scan_inclusive_max" Inclusive,
            "sub_group_scan_exclusive_max" Exclusive,
        ],
        CORE
    ),
    &scans!(
        ADD,
        [
            "sub_group_non_uniform_reduce_add" Reduce,
            "sub_group_non_uniform_scan_inclusive_add" Inclusive,
            "sub_group_non_uniform_scan_exclusive_add" Exclusive,
        ],
        ARITHMETIC
    ),
    &scans!(
        MUL,
        [
            "sub_group_non_uniform_reduce_mul" Reduce,
            "sub_group_non_uniform_scan_inclusive_mul" Inclusive,
            "sub_group_non_uniform_scan_exclusive_mul" Exclusive,
        ],
        ARITHMETIC
    ),
    &scans!(
        MIN,
        [
            "sub_group_non_uniform_reduce_min" Reduce,
            "sub_group_non_uniform_scan_inclusive_min" Inclusive,
            "sub_group_non_uniform_scan_exclusive_min" Exclusive,
        ],
        ARITHMETIC
    ),
    &scans!(
        MAX,
        [
            "sub_group_non_uniform_reduce_max" Reduce,
            "sub_group_non_uniform_scan_inclusive_max" Inclusive,
            "sub_group_non_uniform_scan_exclusive_max" Exclusive,
        ],
        ARITHMETIC
    ),
    &bitwise!(
        BinaryOp::And,
        [
            "sub_group_non_uniform_reduce_and" Reduce,
            "sub_group_non_uniform_scan_inclusive_and" Inclusive,
            "sub_group_non_uniform_scan_exclusive_and" Exclusive,
        ]
    ),
    &bitwise!(
        BinaryOp::Or,
        [
            "sub_group_non_uniform_reduce_or" Reduce,
            "sub_group_non_uniform_scan_inclusive_or" Inclusive,
            "sub_group_non_uniform_scan_exclusive_or" Exclusive,
        ]
    ),
    &bitwise!(
        BinaryOp::Xor,
        [
            "sub_group_non_uniform_reduce_xor" Reduce,
            "sub_group_non_uniform_scan_inclusive_xor" Inclusive,
            "sub_group_non_uniform_scan_exclusive_xor" Exclusive,
        ]
    ),
    &logical!(
        BinaryOp::And,
        [
            "sub_group_non_uniform_reduce_logical_and" Reduce,
            "sub_group_non_uniform_scan_inclusive_logical_and" Inclusive,
            "sub_group_non_uniform_scan_exclusive_logical_and" Exclusive,
        ]
    ),
    &logical!(
        BinaryOp::Or,
        [
            "sub_group_non_uniform_reduce_logical_or" Reduce,
            "sub_group_non_uniform_scan_inclusive_logical_or" Inclusive,
            "sub_group_non_uniform_scan_exclusive_logical_or" Exclusive,
        ]
    ),
    &logical!(
        BinaryOp::Xor,
        [
            "sub_group_non_uniform_reduce_logical_xor" Reduce,
            "sub_group_non_uniform_scan_inclusive_logical_xor" Inclusive,
            "sub_group_non_uniform_scan_exclusive_logical_xor" Exclusive,
        ]
    ),
];

impl Lowerer<'_, '_> {
    /// A barrier of a wider scope is a fence on both sides too.
    fn subgroup_barrier(&mut self, call: &Call<'_>) -> Option<Value> {
        let flags = self.fence_flags(call);
        let fence = match call.args.get(1).map(|&scope| self.b.func.as_const(scope)) {
            None | Some(Some(0 | 4)) => None,
            Some(Some(1)) => Some(MemoryScope::WorkGroup),
            _ => Some(MemoryScope::Device),
        };
        let sync = fence.map(|scope| SyncSemantics { order: MemoryOrder::AcqRel, scope });
        if let Some(sync) = sync {
            self.b.fence(flags, sync);
        }
        self.b.subgroup_barrier(flags);
        if let Some(sync) = sync {
            self.b.fence(flags, sync);
        }
        None
    }

    /// Votes on a condition, which is a number that is zero or not; the result is 1 or 0.
    fn subgroup_vote(&mut self, op: SubgroupVote, predicate: Value) -> Value {
        let truth = self.b.is_nonzero(predicate);
        let result = self.b.subgroup_vote(op, truth);
        self.b.int_of_bool(result, Type::I32)
    }

    /// Exchanges the lanes of a number or a vector; `by` is an I32.
    pub fn subgroup_shuffle(&mut self, op: SubgroupShuffle, value: Value, by: Value) -> Value {
        let lanes = self.b.ty(value).lanes;
        let lane = |lane| {
            let number = self.b.extract(value, lane);
            self.b.subgroup_shuffle(op, number, by)
        };
        let results: Vec<Value> = (0..lanes).map(lane).collect();
        self.b.build(&results)
    }

    pub fn subgroup_scan(
        &mut self,
        scan: SubgroupScan,
        op: BinaryOp,
        value: Value,
        cluster: u32,
    ) -> Value {
        self.b.subgroup_scan(scan, op, value, cluster)
    }

    /// Scans conditions, which are numbers that are zero or not; the result is 1 or 0.
    fn logical_scan(
        &mut self,
        scan: SubgroupScan,
        op: BinaryOp,
        predicate: Value,
        cluster: u32,
    ) -> Value {
        let truth = self.b.is_nonzero(predicate);
        let result = self.b.subgroup_scan(scan, op, truth, cluster);
        self.b.int_of_bool(result, Type::I32)
    }

    /// Returns the constant size of a cluster, which front ends check; 0 if it is not a constant power of two.
    fn cluster_size(&self, size: Value) -> u32 {
        let size = self.b.func.as_const(size).and_then(|size| u32::try_from(size).ok());
        size.filter(|size| size.is_power_of_two()).unwrap_or(0)
    }

    fn subgroup_id(&mut self) -> Value {
        self.b.work_item(WorkItemQuery::SubgroupInvocation, 0)
    }

    /// Returns a ballot with the bits of the work-items whose number compares to this one's as `cc` says. No bits are set
    /// beyond the largest sub-group.
    pub fn subgroup_mask(&mut self, cc: IntCC) -> Value {
        let id = self.subgroup_id();
        let next = self.b.add_const(id, 1);
        let words = |this: &mut Self, number| match cc {
            IntCC::Ult => this.bits_below(id, number),
            IntCC::Ule => this.bits_below(next, number),
            IntCC::Ugt | IntCC::Uge => {
                let size = this.b.work_item(WorkItemQuery::SubgroupMaxSize, 0);
                let all = this.bits_below(size, number);
                let start = if cc == IntCC::Ugt { next } else { id };
                let below = this.bits_below(start, number);
                this.b.binary(BinaryOp::Xor, all, below)
            }
            _ => {
                let (low, high) = (this.bits_below(id, number), this.bits_below(next, number));
                this.b.binary(BinaryOp::Xor, low, high)
            }
        };
        let words: Vec<Value> = (0..4).map(|number| words(self, number)).collect();
        self.b.build(&words)
    }

    /// Returns the bits of word `number` of a ballot that stand for work-items before `end`.
    fn bits_below(&mut self, end: Value, number: i64) -> Value {
        let count = self.b.add_const(end, -32 * number);
        let (none, all) = (self.b.int(Scalar::I32, 0), self.b.int(Scalar::I32, -1));
        let low = self.b.and_const(count, 31);
        let one = self.b.int(Scalar::I32, 1);
        let bit = self.b.binary(BinaryOp::Shl, one, low);
        let some = self.b.add_const(bit, -1);
        let is_full = self.b.icmp_imm(IntCC::Sge, count, 32);
        let bits = self.b.select(is_full, all, some);
        let is_after = self.b.icmp_imm(IntCC::Slt, count, 0);
        self.b.select(is_after, none, bits)
    }

    /// Returns the bit of this work-item in a ballot, 1 or 0.
    pub fn inverse_ballot(&mut self, ballot: Value) -> Value {
        let id = self.subgroup_id();
        self.ballot_bit(ballot, id)
    }

    /// Returns a bit of a ballot, 1 or 0; 0 for an index beyond the ballot.
    pub fn ballot_bit(&mut self, ballot: Value, index: Value) -> Value {
        let place = self.b.lshr_const(index, 5);
        let mut word = self.b.int(Scalar::I32, 0);
        for number in 0..4 {
            let here = self.b.icmp_imm(IntCC::Eq, place, i64::from(number));
            let candidate = self.b.extract(ballot, number);
            word = self.b.select(here, candidate, word);
        }
        let low = self.b.and_const(index, 31);
        let bit = self.b.binary(BinaryOp::LShr, word, low);
        self.b.and_const(bit, 1)
    }

    /// Returns the words of a ballot with only the bits that stand for work-items before `end`.
    fn ballot_words(&mut self, ballot: Value, end: Value) -> Vec<Value> {
        let word = |number: u8| {
            let (word, mask) =
                (self.b.extract(ballot, number), self.bits_below(end, number.into()));
            self.b.binary(BinaryOp::And, word, mask)
        };
        (0..4).map(word).collect()
    }

    /// Returns the number of a ballot's bits that are set: of all work-items, of those up to this one, or of those before it.
    pub fn ballot_count(&mut self, scan: SubgroupScan, ballot: Value) -> Value {
        let end = match scan {
            Reduce => self.b.work_item(WorkItemQuery::SubgroupMaxSize, 0),
            Exclusive => self.subgroup_id(),
            Inclusive => {
                let id = self.subgroup_id();
                self.b.add_const(id, 1)
            }
        };
        let mut sum = self.b.int(Scalar::I32, 0);
        for word in self.ballot_words(ballot, end) {
            let count = self.b.math(MathOp::PopCount, &[word]);
            sum = self.b.binary(BinaryOp::IAdd, sum, count);
        }
        sum
    }

    /// Returns the number of the lowest (`Ctz`) or highest (`Clz`) bit of a ballot.
    pub fn ballot_find(&mut self, op: MathOp, ballot: Value) -> Value {
        let end = self.b.work_item(WorkItemQuery::SubgroupMaxSize, 0);
        let words = self.ballot_words(ballot, end);
        let mut found = self.b.int(Scalar::I32, 0);
        let mut numbered: Vec<(i64, Value)> = (0..).zip(words).collect();
        if op == MathOp::Ctz {
            numbered.reverse();
        }
        for (number, word) in numbered {
            let count = self.b.math(op, &[word]);
            let place = match op {
                MathOp::Ctz => self.b.add_const(count, 32 * number),
                _ => {
                    let last = self.b.int(Scalar::I32, 32 * number + 31);
                    self.b.binary(BinaryOp::ISub, last, count)
                }
            };
            let is_here = self.b.icmp_imm(IntCC::Ne, word, 0);
            found = self.b.select(is_here, place, found);
        }
        found
    }
}
