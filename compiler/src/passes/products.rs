//! Sums and products of indices that differ from earlier ones by a number that is known are computed from those.
//!
//! `p[(y - 1) * w + x] + p[y * w + x] + p[(y + 1) * w + x]`: the sums `y * w + x` and `(y + 1) * w + x` differ by w, so
//! the second one is the first plus w. Drivers' compilers multiply three times, which on GPUs takes as long as four
//! additions, or three instructions.
//!
//! Integers wrap around, so a sum of products is a polynomial of the values that it is computed from, by coefficients of
//! its width. Flags about overflow are not kept: the pass runs where nothing asks for them any more.

use super::cursor::Cursor;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

/// The most summands of a polynomial.
const MAX_TERMS: usize = 6;
/// The most factors of a summand.
const MAX_FACTORS: usize = 3;
/// The most polynomials that one is compared with: the latest ones.
const MAX_COMPARED: usize = 16;

/// A product: its factors in the order of their numbers, and its coefficient.
type Term = ([Option<Value>; MAX_FACTORS], u64);
/// A sum of products that differ in their factors. No coefficient is zero.
type Polynomial = Vec<Term>;

/// Reuses sums and products of a function. Returns true if anything changed.
pub fn run(func: &mut Function) -> bool {
    let cfg = Cfg::compute(func);
    let dom = DomTree::compute(&cfg);
    let uses = uses(func);
    let mut known = Known::default();
    let mut changed = false;
    let mut c = Cursor::new(func);
    for &block in dom.preorder() {
        let insts = c.begin(block);
        let first = known.earlier.len();
        for &inst in &insts {
            c.func.stand_at(inst);
            let sum = c.func.result(inst).zip(Sum::new(c.func, &known, inst));
            if let Some((result, sum)) = sum {
                // A sum costs as little as a step, but the product in it may be for the sum alone.
                let is_single =
                    |(value, _): &(Value, Block)| sum.args.contains(value) && uses[*value] == 1;
                let pays = has_product(&sum.polynomial)
                    && (sum.is_product || known.earlier[first..].iter().any(is_single));
                if let Some((from, step)) =
                    pays.then(|| known.step(c.func, &dom, block, &sum)).flatten()
                {
                    let data = stepped(&mut c, from, step);
                    c.func.replace_inst(inst, data);
                    changed = true;
                }
                known.note(result, block, sum.polynomial);
            }
            c.keep(inst);
        }
        c.finish_in(block, insts);
    }
    changed
}

/// The sums of products that were computed so far.
#[derive(Default)]
struct Known {
    polynomials: FxHashMap<Value, Polynomial>,
    /// The sums that have products of values in them, in the order of the dominator tree.
    earlier: Vec<(Value, Block)>,
}

impl Known {
    /// Returns the best step to a sum, and the earlier sum that it is taken from. A step that need not be multiplied is best; of
    /// those the one from the first sum is, so that sums do not wait for each other.
    fn step(
        &self,
        func: &Function,
        dom: &DomTree,
        block: Block,
        sum: &Sum,
    ) -> Option<(Value, Step)> {
        let ty = func.ty(sum.args[0]);
        let latest = self.earlier.len().saturating_sub(MAX_COMPARED);
        let others = self.earlier[latest..].iter().filter(|(value, at)| {
            func.ty(*value) == ty && !sum.args.contains(value) && dom.dominates(*at, block)
        });
        let steps = others.filter_map(|&(value, _)| {
            Some((value, step(&sum.polynomial, &self.polynomials[&value], ty)?))
        });
        steps.min_by_key(|(_, (factors, ..))| factors[1].is_some())
    }

    fn note(&mut self, value: Value, block: Block, polynomial: Polynomial) {
        if has_product(&polynomial) {
            self.earlier.push((value, block));
        }
        self.polynomials.insert(value, polynomial);
    }
}

fn has_product(polynomial: &Polynomial) -> bool {
    polynomial.iter().any(|(factors, _)| factors[1].is_some())
}

/// Returns the number of uses of each value. Extensions do not count: what is extended beside a use in 32 bits is so for
/// launches with an offset (`narrow_offsets`), whose pipelines are others.
fn uses(func: &Function) -> SecondaryMap<Value, u32> {
    let mut uses: SecondaryMap<Value, u32> = func.value_map();
    let extends = |inst: &Inst| {
        matches!(func.insts[*inst], InstData::Convert { op: ConvertOp::SExt | ConvertOp::ZExt, .. })
    };
    for inst in func.layout_insts().filter(|inst| !extends(inst)) {
        func.insts[inst].for_each_arg(|arg| uses[arg] += 1);
    }
    uses
}

/// What an instruction computes of others.
struct Sum {
    polynomial: Polynomial,
    args: [Value; 2],
    /// True for a product of numbers that are not constant.
    is_product: bool,
}

impl Sum {
    /// Returns the sum that an instruction computes; `None` for other instructions, and where the sum is too long.
    fn new(func: &Function, known: &Known, inst: Inst) -> Option<Sum> {
        let InstData::Binary { op, args, .. } = func.insts[inst] else { return None };
        let ty = func.ty(args[0]);
        if !matches!(ty, Type::I32 | Type::I64) {
            return None;
        }
        let of = |value: Value| match (func.as_const(value), known.polynomials.get(&value)) {
            (Some(0), _) => Vec::new(),
            (Some(k), _) => vec![([None; MAX_FACTORS], k)],
            (_, Some(polynomial)) => polynomial.clone(),
            _ => vec![([Some(value), None, None], 1)],
        };
        let (mut a, b) = (of(args[0]), of(args[1]));
        let sum = match op {
            BinaryOp::IAdd | BinaryOp::ISub => {
                let sign = if op == BinaryOp::IAdd { 1 } else { u64::MAX };
                a.extend(b.iter().map(|&(factors, k)| (factors, k.wrapping_mul(sign))));
                a
            }
            BinaryOp::IMul => {
                let mut all = Vec::new();
                for (x, k) in &a {
                    for (y, l) in &b {
                        let mut factors: Vec<Value> =
                            x.iter().chain(y).flatten().copied().collect();
                        factors.sort_unstable();
                        let mut term = ([None; MAX_FACTORS], k.wrapping_mul(*l));
                        if factors.len() > MAX_FACTORS {
                            return None;
                        }
                        for (place, factor) in term.0.iter_mut().zip(factors) {
                            *place = Some(factor);
                        }
                        all.push(term);
                    }
                }
                all
            }
            BinaryOp::Shl => {
                let by = func.as_const(args[1]).filter(|&by| by < u64::from(ty.scalar.bits()))?;
                a.iter_mut().for_each(|(_, k)| *k = k.wrapping_shl(by as u32));
                a
            }
            _ => return None,
        };
        let polynomial = collected(sum, ty);
        let is_product = op == BinaryOp::IMul && func.as_const(args[1]).is_none();
        (polynomial.len() <= MAX_TERMS).then_some(Sum { polynomial, args, is_product })
    }
}

/// Adds up the summands with equal factors.
fn collected(summands: Polynomial, ty: Type) -> Polynomial {
    let mask = u64::MAX >> (64 - ty.scalar.bits());
    let mut sum = Polynomial::new();
    for (factors, k) in summands {
        match sum.iter_mut().find(|(others, _)| *others == factors) {
            Some((_, all)) => *all = all.wrapping_add(k) & mask,
            None => sum.push((factors, k & mask)),
        }
    }
    sum.retain(|&(_, k)| k != 0);
    sum
}

/// The difference of two polynomials: a product of at most two factors, times a power of two, and whether it is subtracted.
type Step = ([Option<Value>; MAX_FACTORS], u32, bool);

/// Returns the step from a polynomial to another one.
fn step(to: &Polynomial, from: &Polynomial, ty: Type) -> Option<Step> {
    let negative = from.iter().map(|&(factors, k)| (factors, k.wrapping_neg()));
    let sum = to.iter().copied().chain(negative).collect();
    let [(factors @ [Some(_), _, None], k)] = collected(sum, ty)[..] else { return None };
    let negated = k.wrapping_neg() & (u64::MAX >> (64 - ty.scalar.bits()));
    let (by, is_less) = (k.min(negated), negated < k);
    by.is_power_of_two().then(|| (factors, by.trailing_zeros(), is_less))
}

/// Returns the instruction that takes a step from a value.
fn stepped(c: &mut Cursor, from: Value, (factors, by, is_less): Step) -> InstData {
    let ty = c.ty(from);
    let all = factors.into_iter().flatten();
    let step = all.reduce(|a, b| c.binary(BinaryOp::IMul, a, b)).unwrap_or(from);
    let by = c.iconst(ty, by.into());
    let step = c.binary(BinaryOp::Shl, step, by);
    let op = if is_less { BinaryOp::ISub } else { BinaryOp::IAdd };
    InstData::Binary { op, args: [from, step], flags: OpFlags::empty() }
}
