//! Offsets in the memory of devices that are extended 32-bit numbers:
//! [`Target::narrow_offsets`](crate::target::Target::narrow_offsets).
//!
//! `p + (extended(x) << 2)` becomes `p + extended(x << 2)`. An address that is accessed points into the same object as `p`
//! (C99 6.5.6 p8), and objects are smaller than 2^32 bytes on these devices. So an offset that is not negative is below 2^32
//! and equal to its low word, which can be computed from the low words of its operands. Pointers that are compared, stored
//! or passed on, or to which a negative number is added, do not change.
//!
//! `int i = get_global_id(0)` is negative from 2^31 on. Launches with so many work-items count as launches with an offset
//! ([`spec_id::HAS_GLOBAL_OFFSET`](crate::kernel::spec_id::HAS_GLOBAL_OFFSET)). An offset that depends on such an id is
//! narrowed only in launches without an offset.
//!
//! Of other offsets nothing need be known where they are added to the start of an object (`starts`). Launches whose
//! arguments are addresses, which may lie anywhere in an object, count as launches with an offset, too.

mod starts;

use super::cursor::{rewrite_insts, Cursor};
use crate::analysis::branch_facts::{BranchFacts, Fact};
use crate::analysis::known_bits::KnownBits;
use crate::analysis::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::ir::cfg::Cfg;
use crate::ir::incoming::Incoming;
use crate::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use starts::{Starts, Sum};

/// The most values that are visited to find the sign of one value.
const MAX_STEPS: u32 = 64;
/// The most branch conditions about a number that are followed.
const MAX_COMPARISONS: u32 = 4;
/// The most instructions in a chain that are repeated in 32 bits to compute an offset.
const MAX_DEPTH: u32 = 8;

/// Narrows the offsets of a function. `kernel` is given if the function is a kernel's entry. `largest`: the size of the
/// largest object in bytes. Returns true if anything changed.
pub fn run(func: &mut Function, kernel: Option<&KernelEntry>, largest: u64) -> bool {
    let cfg = Cfg::compute(func);
    let narrow = narrow_offsets(func, kernel, largest, &cfg);
    let starts = match kernel {
        Some(kernel) => Starts::find(func, kernel, &cfg, |inst| narrow.contains_key(&inst)),
        None => Starts::default(),
    };
    rewrite_insts(func, |c, inst| {
        if let Some(sign) = narrow.get(&inst) {
            let InstData::PtrAdd { ptr, offset, within } = c.func.insts[inst] else { return None };
            let low = low_word(c, offset, MAX_DEPTH);
            let offset = match *sign {
                Sign::PositiveWithoutOffset => low_without_offset(c, low, offset),
                _ => c.convert(ConvertOp::ZExt, low, Type::I64),
            };
            return Some(InstData::PtrAdd { ptr, offset, within });
        }
        let within = Within::ANYWHERE;
        if let Some(Sum { start, offsets, constant }) = starts.sums.get(&inst) {
            let mut low = c.iconst(Type::I32, *constant);
            let mut wide = c.iconst(Type::I64, *constant);
            for &offset in offsets {
                let low_offset = low_word(c, offset, MAX_DEPTH);
                low = c.binary(BinaryOp::IAdd, low_offset, low);
                wide = c.binary(BinaryOp::IAdd, offset, wide);
            }
            let offset = low_without_offset(c, low, wide);
            return Some(InstData::PtrAdd { ptr: *start, offset, within });
        }
        let mut data = c.func.insts[inst].clone();
        if let Some(&constant) = starts.constants.get(&inst) {
            let InstData::PtrAdd { ptr, .. } = data else { return None };
            let offset = c.iconst(Type::I64, constant);
            return Some(InstData::PtrAdd { ptr, offset, within });
        }
        let (&constant, address) = starts.accesses.get(&inst).zip(data.address())?;
        let offset = c.iconst(Type::I64, constant);
        let ty = c.ty(address);
        let moved = c.inst(InstData::PtrAdd { ptr: address, offset, within }, ty);
        data.map_args(|arg| if arg == address { moved } else { arg });
        Some(data)
    })
}

/// Returns an offset of 64 bits: its low word in launches without an offset, else all of it.
fn low_without_offset(c: &mut Cursor<'_>, low: Value, wide: Value) -> Value {
    let low = c.convert(ConvertOp::ZExt, low, Type::I64);
    let query = WorkItemQuery::HasOffset;
    let has_offset = c.inst(InstData::WorkItem { query, dim: 0 }, query.ty());
    c.select(has_offset, wide, low)
}

/// Returns the additions to addresses whose offsets are not negative and below 2^32, with the offsets' signs.
fn narrow_offsets(
    func: &Function,
    kernel: Option<&KernelEntry>,
    largest: u64,
    cfg: &Cfg,
) -> FxHashMap<Inst, Sign> {
    let signs = Signs {
        func,
        bits: KnownBits::new(func, kernel),
        incoming: Incoming::find(func, cfg.rpo()),
        facts: BranchFacts::new(func, cfg),
    };
    let slack = (1i64 << 32).saturating_sub_unsigned(largest);
    let others = used_otherwise(func, cfg, &signs, slack);
    let objects = UnderlyingObjects::compute(func, cfg);
    let sign_of = |(block, inst)| {
        let InstData::PtrAdd { ptr, offset, .. } = func.insts[inst] else { return None };
        let result = func.result(inst)?;
        let is_known = matches!(
            objects.of(func, ptr).object,
            UnderlyingObject::KernelArgument(_)
                | UnderlyingObject::Argument(_)
                | UnderlyingObject::Variable(_)
        );
        let is_wide = func.ty(offset) == Type::I64 && func.as_const(offset).is_none();
        let is_extended =
            matches!(func.def_inst(offset), Some(InstData::Convert { op: ConvertOp::ZExt, .. }));
        let is_candidate = is_of_device(func, ptr) && is_known && is_wide && !is_extended;
        let sign = (is_candidate && !others.contains(&result)).then(|| signs.of(offset, block))?;
        (sign != Sign::Unknown).then_some((inst, sign))
    };
    insts(func, cfg).filter_map(sign_of).collect()
}

/// Returns the reachable instructions, with their blocks.
fn insts<'a>(func: &'a Function, cfg: &'a Cfg) -> impl Iterator<Item = (Block, Inst)> + 'a {
    let of = |&block: &Block| func.blocks[block].insts.iter().map(move |&inst| (block, inst));
    cfg.rpo().iter().flat_map(of)
}

fn is_of_device(func: &Function, ptr: Value) -> bool {
    matches!(func.ty(ptr).space(), Some(AddressSpace::Global | AddressSpace::Constant))
}

/// Returns the pointers that have other uses than accesses and additions, or to which a number less than `-slack` may be
/// added.
fn used_otherwise(func: &Function, cfg: &Cfg, signs: &Signs<'_>, slack: i64) -> FxHashSet<Value> {
    let mut others: FxHashSet<Value> = FxHashSet::default();
    let bases: FxHashSet<Value> = func
        .layout_insts()
        .filter_map(|inst| match func.insts[inst] {
            InstData::PtrAdd { ptr, .. } => Some(ptr),
            _ => None,
        })
        .collect();
    for (block, inst) in insts(func, cfg) {
        let data = &func.insts[inst];
        match *data {
            InstData::PtrAdd { ptr, offset, .. } => {
                let is_base = || func.result(inst).is_none_or(|result| bases.contains(&result));
                let is_forward = match func.as_signed_const(offset) {
                    Some(k) => k >= 0 || k >= -slack && !is_base(),
                    None => signs.of(offset, block) == Sign::Positive,
                };
                if !is_forward {
                    others.insert(ptr);
                }
            }
            InstData::Store { value, .. } | InstData::AtomicStore { value, .. } => {
                others.insert(value);
            }
            InstData::Load { .. } => {}
            _ => {
                let address = data.address();
                data.for_each_arg(|arg| {
                    if Some(arg) != address && func.ty(arg).scalar.is_ptr() {
                        others.insert(arg);
                    }
                });
                data.for_each_target(|call| others.extend(&call.args));
            }
        }
    }
    let mut work: Vec<Value> = others.iter().copied().collect();
    while let Some(value) = work.pop() {
        if let Some(&InstData::PtrAdd { ptr, .. }) = func.def_inst(value) {
            if others.insert(ptr) {
                work.push(ptr);
            }
        }
    }
    others
}

/// The sign of a number, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    Unknown,
    /// The value is not negative in launches without an offset.
    PositiveWithoutOffset,
    /// The value is never negative.
    Positive,
}

/// Finds the signs of numbers.
struct Signs<'a> {
    func: &'a Function,
    bits: KnownBits<'a>,
    incoming: Incoming<'a>,
    facts: BranchFacts<'a>,
}

impl Signs<'_> {
    /// Returns the sign of an integer in a block.
    fn of(&self, value: Value, block: Block) -> Sign {
        self.by_facts(value, &self.facts.at(block), MAX_DEPTH)
    }

    /// Returns the sign of an integer, by the facts that hold in the block and by the values that it is computed from.
    fn by_facts(&self, value: Value, facts: &[Fact], depth: u32) -> Sign {
        let sign = self.follow(value, &mut FxHashSet::default());
        let Some(depth) = depth.checked_sub(1) else { return sign };
        if sign == Sign::Positive || facts.is_empty() {
            return sign;
        }
        if self.least(value, facts, MAX_COMPARISONS).is_some_and(|least| least >= 0) {
            return Sign::Positive;
        }
        // Block parameters are not followed: for the values of the previous iteration of a loop, other facts hold.
        match self.func.def(value) {
            ValueDef::Inst(inst) => {
                let of = &mut |arg| self.by_facts(arg, facts, depth);
                sign.max(self.of_result(inst, self.func.ty(value), of))
            }
            _ => sign,
        }
    }

    /// Returns the sign of a value by the values that it is computed from. `seen`: the values that are being visited.
    /// The parameter of a loop has the sign of its start value, if what the loop adds has the same sign.
    fn follow(&self, value: Value, seen: &mut FxHashSet<Value>) -> Sign {
        let func = self.func;
        let ty = func.ty(value);
        if !ty.scalar.is_int() || ty.lanes != 1 || ty.scalar == Scalar::Bool {
            return Sign::Unknown;
        }
        if self.bits.max(value) >> (ty.scalar.bits() - 1) == 0 {
            return Sign::Positive;
        }
        if !seen.insert(value) {
            return Sign::Positive;
        }
        if seen.len() as u32 > MAX_STEPS {
            return Sign::Unknown;
        }
        match func.def(value) {
            ValueDef::Const(_) => Sign::Unknown,
            ValueDef::Param(block, index) => self.of_parameter(block, index as usize, seen),
            ValueDef::Inst(inst) => self.of_result(inst, ty, &mut |arg| self.follow(arg, seen)),
        }
    }

    /// Returns a lower bound of a signed integer that branches imply.
    fn least(&self, value: Value, facts: &[Fact], steps: u32) -> Option<i64> {
        if let Some(k) = self.func.as_signed_const(value) {
            return Some(k);
        }
        let by_bits =
            (self.bits.max(value) >> (self.func.ty(value).scalar.bits() - 1) == 0).then_some(0);
        let Some(steps) = steps.checked_sub(1) else { return by_bits };
        // For a sum that does not wrap around, bounds of the sum follow from bounds of its first operand, and the
        // reverse.
        let sum = |sum: Value| match self.func.def_inst(sum) {
            Some(&InstData::Binary { op: BinaryOp::IAdd, args: [a, k], flags })
                if flags.contains(OpFlags::NO_SIGNED_WRAP) =>
            {
                Some((a, self.func.as_signed_const(k)?))
            }
            _ => None,
        };
        let by_sum = sum(value).and_then(|(a, k)| self.least(a, facts, steps)?.checked_add(k));
        let by_fact = |fact: &Fact| {
            [*fact, fact.swapped()]
                .into_iter()
                .filter_map(|fact| {
                    let [a, b] = fact.args;
                    let added = match sum(a) {
                        _ if a == value => 0,
                        Some((of, k)) if of == value => k,
                        _ => return None,
                    };
                    let least = match fact.cc {
                        IntCC::Sgt => self.least(b, facts, steps)?.checked_add(1)?,
                        IntCC::Sge | IntCC::Eq => self.least(b, facts, steps)?,
                        IntCC::Ult | IntCC::Ule => {
                            self.least(b, facts, steps).filter(|&b| b >= 0).map(|_| 0)?
                        }
                        _ => return None,
                    };
                    least.checked_sub(added)
                })
                .max()
        };
        facts.iter().filter_map(by_fact).chain(by_bits).chain(by_sum).max()
    }

    fn of_parameter(&self, block: Block, index: usize, seen: &mut FxHashSet<Value>) -> Sign {
        let calls = self.incoming.calls(block);
        if calls.is_empty() {
            return Sign::Unknown;
        }
        calls.iter().fold(Sign::Positive, |sign, call| match sign {
            Sign::Unknown => sign,
            _ => sign.min(self.follow(call.args[index], seen)),
        })
    }

    fn of_result(&self, inst: Inst, ty: Type, of: &mut dyn FnMut(Value) -> Sign) -> Sign {
        use BinaryOp::*;
        // Sums of 64 bits are exact, or greater than the size of any object.
        let is_exact = |flags: OpFlags| ty == Type::I64 || flags.contains(OpFlags::NO_SIGNED_WRAP);
        match self.func.insts[inst] {
            InstData::Binary { op: IAdd | IMul, args: [a, b], flags } if is_exact(flags) => {
                of_both(a, b, of)
            }
            InstData::Binary { op: Shl, args: [a, _], flags } if is_exact(flags) => of(a),
            InstData::Binary { op: SDiv | SMin, args: [a, b], .. } => of_both(a, b, of),
            InstData::Binary { op: SRem, args: [a, _], .. } => of(a),
            InstData::Select { args: [_, a, b] } => of_both(a, b, of),
            InstData::Convert { op: ConvertOp::ZExt, .. } => Sign::Positive,
            InstData::Convert { op: ConvertOp::SExt, arg } => of(arg),
            InstData::Convert { op: ConvertOp::Trunc, arg } if ty == Type::I32 => {
                match self.func.def_inst(arg) {
                    Some(InstData::WorkItem { query, .. }) if is_of_launch(*query) => {
                        Sign::PositiveWithoutOffset
                    }
                    _ => Sign::Unknown,
                }
            }
            InstData::WorkItem { query, .. } if is_of_launch(query) => Sign::Positive,
            _ => Sign::Unknown,
        }
    }
}

/// Returns the sign that both of two numbers have.
fn of_both(a: Value, b: Value, of: &mut dyn FnMut(Value) -> Sign) -> Sign {
    match of(a) {
        Sign::Unknown => Sign::Unknown,
        sign => sign.min(of(b)),
    }
}

/// Returns true for ids and sizes of work-items and work-groups, which are at most 2^31 in launches without an offset.
fn is_of_launch(query: WorkItemQuery) -> bool {
    matches!(query, WorkItemQuery::GlobalId | WorkItemQuery::GroupId)
}

/// Returns the low word of a 64-bit number.
fn low_word(c: &mut Cursor<'_>, value: Value, depth: u32) -> Value {
    use BinaryOp::*;
    let depth = depth.saturating_sub(1);
    if let Some(bits) = c.func.as_const(value) {
        return c.func.constant(Type::I32, bits & 0xffff_ffff);
    }
    match c.func.def_inst(value).filter(|_| depth > 0) {
        Some(&InstData::Convert { op: op @ (ConvertOp::ZExt | ConvertOp::SExt), arg })
            if c.ty(arg).scalar != Scalar::Bool =>
        {
            match c.ty(arg) == Type::I32 {
                true => arg,
                false => c.convert(op, arg, Type::I32),
            }
        }
        Some(&InstData::Binary { op: op @ (IAdd | IMul), args: [a, b], .. }) => {
            let (a, b) = (low_word(c, a, depth), low_word(c, b, depth));
            c.binary(op, a, b)
        }
        Some(&InstData::Binary { op: Shl, args: [a, by], .. })
            if c.func.as_const(by).is_some_and(|by| by < 32) =>
        {
            let (a, by) = (low_word(c, a, depth), low_word(c, by, depth));
            c.binary(Shl, a, by)
        }
        _ => c.convert(ConvertOp::Trunc, value, Type::I32),
    }
}
