//! Partial unrolling: several iterations of a counted loop between two tests, so that their loads run at the same time.
//!
//! ```text
//! while (i < n) body(i++)    becomes    limit = n - 3
//!                                       while (i < limit) { body(i++) body(i++) body(i++) body(i++) }
//!                                       while (i < n) body(i++)
//! ```
//!
//! The second loop is the old one. If the trip count is a known multiple, there is only one loop. The limit saturates, so
//! that no bound wraps around. What is added to the variable may be a value, as in `i += get_global_size(0)`.
//!
//! Loops are unrolled because the program asks for it, because they are small and load, or because their work takes no
//! longer than the test; only because the program asks for it on devices with [`Quirks::PLAIN_LOOPS`].

use super::cloned_iteration::ClonedIteration;
use super::cursor::Cursor;
use super::unroll;
use crate::analysis::trip_count::{trip_count, CountedLoop, Step};
use crate::analysis::underlying_objects::is_private;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::{Loop, Loops};
use crate::ir::*;
use hekla_device::Quirks;

/// Copies of the body if the program gives no number.
const COPIES: usize = 4;
/// The most instructions of a loop that is unrolled although the program does not ask for it.
const MAX_SMALL_LOOP: usize = 24;
/// The most instructions of a loop without side effects that is unrolled on devices with [`Quirks::ROLLED_LOOPS`].
const MAX_ROLLED_LOOP: usize = 64;
/// The most instructions of a loop that is unrolled although it does not load.
const MAX_TINY_LOOP: usize = 8;
/// The most instructions of a loop without side effects that is unrolled on devices where an iteration has an overhead of
/// tens of instructions.
const MAX_SLOW_LOOP: usize = 80;
/// The most instructions of an unrolled loop.
const MAX_UNROLLED: usize = 1024;
/// The most instructions of all unrolled loops of a function, for each of the function's own instructions.
/// [`MIN_GROWTH`] are allowed in any function.
const GROWTH: usize = 4;
const MIN_GROWTH: usize = 1 << 16;
/// The most rounds of loops that drivers with [`Quirks::UNROLLED_BY_DRIVER`] unroll completely.
const MAX_OF_DRIVERS: usize = 32;
/// Greatest trip count that is computed.
const MAX_TRIP_COUNT: usize = 4096;
/// Greatest step of a variable, and greatest constant that is added to it for the test.
const MAX_STEP: i64 = 1 << 16;

/// Unrolls innermost loops, once. Returns true if any was unrolled.
pub fn run(func: &mut Function, quirks: Quirks) -> bool {
    let cfg = Cfg::compute(func);
    let dom = DomTree::compute(&cfg);
    let loops = Loops::compute(&cfg, &dom);
    let is_miscompiled = quirks.contains(Quirks::MISCOMPILED_REMAINDER_LOOPS);
    let avoids_remainders = is_miscompiled
        && func.layout_insts().any(|inst| matches!(func.insts[inst], InstData::Barrier { .. }));
    let mut changed = false;
    let mut room = GROWTH * func.num_insts() + MIN_GROWTH;
    for (index, data) in loops.innermost_loops() {
        let Some(copies) = copies(func, data, quirks) else { continue };
        let Some(left) = room.checked_sub(copies * data.insts(func).count()) else { continue };
        room = left;
        let Some(counted) = CountedLoop::find(func, &cfg, &loops, index) else { continue };
        let is_asked_for = func.blocks[data.header].unroll.is_some();
        let is_strided = matches!(counted.step, Step::Value(_));
        // NVK's estimate of cycles counts each loop as many rounds, so an unrolled loop and its remainder as twice as many.
        if is_strided && quirks.contains(Quirks::UNROLLED_BY_DRIVER) && !is_asked_for {
            continue;
        }
        changed |= match trip_count(func, &cfg, data, MAX_TRIP_COUNT) {
            Some(count) if drivers_own(count, quirks) && !is_asked_for => false,
            Some(count) if iterations(data, &counted, count).is_multiple_of(copies) => {
                let rest = unroll_multiple(func, &cfg, data, &counted, copies);
                // The number of remaining iterations is constant, too, so the driver may unroll them.
                func.blocks[rest].unroll = is_miscompiled.then_some(UnrollHint::Disable);
                true
            }
            // The driver must not unroll this loop either.
            _ if avoids_remainders => {
                func.blocks[data.header].unroll = Some(UnrollHint::Disable);
                false
            }
            _ => unroll_with_remainder(func, &cfg, data, &counted, copies),
        };
    }
    changed
}

/// Returns true if the driver unrolls a loop with this trip count completely.
fn drivers_own(count: usize, quirks: Quirks) -> bool {
    // The header runs once more than the body.
    quirks.contains(Quirks::UNROLLED_BY_DRIVER) && count <= MAX_OF_DRIVERS + 1
}

/// Returns the number of copies that are made of a loop's body; `None` if the loop is not unrolled.
fn copies(func: &Function, data: &Loop, quirks: Quirks) -> Option<usize> {
    let insts = data.insts(func).count();
    let copies = match func.blocks[data.header].unroll {
        Some(UnrollHint::Disable) => return None,
        Some(UnrollHint::Count(count)) => count as usize,
        Some(UnrollHint::Full) => COPIES,
        None if quirks.contains(Quirks::PLAIN_LOOPS) => return None,
        None if unroll::branches(func, data) == 1 && is_profitable(func, data, insts, quirks) => {
            COPIES
        }
        None => return None,
    };
    (copies > 1 && copies * insts <= MAX_UNROLLED && can_repeat(func, data)).then_some(copies)
}

/// Returns true if a loop of `insts` instructions should be unrolled although the program does not ask for it.
fn is_profitable(func: &Function, data: &Loop, insts: usize, quirks: Quirks) -> bool {
    // An iteration has an overhead.
    let is_slow = quirks.contains(Quirks::SLOW_LOOPS) && insts <= MAX_SLOW_LOOP;
    // The driver unrolls smaller loops itself, and better.
    let is_rolled = quirks.contains(Quirks::ROLLED_LOOPS)
        && (MAX_SMALL_LOOP + 1..=MAX_ROLLED_LOOP).contains(&insts);
    if (is_slow || is_rolled) && !has_side_effects(func, data) {
        return true;
    }
    insts <= MAX_SMALL_LOOP
        && (loads(func, data) || insts <= MAX_TINY_LOOP && is_float_arithmetic(func, data))
}

/// Returns true if a loop loads from memory that is not private, or from images, and has no side effects.
fn loads(func: &Function, data: &Loop) -> bool {
    let has_load = data.insts(func).any(|inst| match func.insts[inst] {
        InstData::Load { ptr, .. } => !is_private(func, ptr),
        InstData::ImageFetch { .. } | InstData::ImageSample { .. } => true,
        _ => false,
    });
    has_load && !has_side_effects(func, data)
}

/// Returns true if a loop has instructions that do more than compute and load.
fn has_side_effects(func: &Function, data: &Loop) -> bool {
    let mut insts = data.insts(func).map(|inst| &func.insts[inst]);
    insts.any(|data| !data.is_terminator() && data.has_side_effect())
}

/// Returns true if a loop computes with floats and has no other instructions.
fn is_float_arithmetic(func: &Function, data: &Loop) -> bool {
    let mut computes = false;
    let only_computes = data.insts(func).all(|inst| {
        let result = func.result(inst);
        let data = &func.insts[inst];
        computes |= data.is_arithmetic() && result.is_some_and(|v| func.ty(v).scalar.is_float());
        data.is_terminator() || data.is_arithmetic() || matches!(data, InstData::ICmp { .. })
    });
    only_computes && computes
}

/// Returns true if the body may be copied: it contains neither calls nor convergent instructions.
fn can_repeat(func: &Function, data: &Loop) -> bool {
    let stays = |data: &InstData| data.is_convergent() || matches!(data, InstData::Call { .. });
    !data.insts(func).any(|inst| stays(&func.insts[inst]))
}

/// Returns how often the body of a loop runs, if its header runs `count` times.
fn iterations(data: &Loop, counted: &CountedLoop, count: usize) -> usize {
    let is_test_first = counted.test == data.header && counted.test != counted.latch;
    count - usize::from(is_test_first)
}

/// Unrolls a loop whose number of iterations is a multiple of `copies`. Only the test of the old iteration remains. Returns
/// the header of the new loop.
fn unroll_multiple(
    func: &mut Function,
    cfg: &Cfg,
    data: &Loop,
    counted: &CountedLoop,
    copies: usize,
) -> Block {
    let clones = clone_iterations(func, data, counted, copies - 1);
    let first = clones[0].block(data.header);
    // Values that are used after the loop come from the old iteration. It is the first iteration if the loop tests
    // first, otherwise the last.
    let mut header = data.header;
    if counted.test != data.header || counted.test == counted.latch {
        header = first;
        enter(func, cfg, data, counted, first);
    }
    func.redirect(counted.latch, data.header, first);
    chain(func, data, counted, &clones, data.header);
    func.blocks[data.header].unroll = None;
    header
}

/// Adds a loop of several iterations in front of a loop, which then runs the remaining iterations. Returns false and
/// changes nothing if no test can show that enough iterations are left.
fn unroll_with_remainder(
    func: &mut Function,
    cfg: &Cfg,
    data: &Loop,
    counted: &CountedLoop,
    copies: usize,
) -> bool {
    let Some(test) = MainTest::new(func, counted, data.header, copies) else { return false };
    let [preheader, main] = [(); 2].map(|()| func.add_block_like(data.header));
    let clones = clone_iterations(func, data, counted, copies);
    enter(func, cfg, data, counted, preheader);
    let mut c = Cursor::new(func);
    let limit = test.limit(&mut c, counted.bound);
    let args = c.func.blocks[preheader].params.clone();
    c.jump(main, &args);
    c.finish(preheader);
    let args = c.func.blocks[main].params.clone();
    let goes_on = test.goes_on(&mut c, args[counted.variable], limit);
    c.brif_with(goes_on, (clones[0].block(data.header), &args), (data.header, &args));
    c.finish(main);
    chain(func, data, counted, &clones, main);
    for header in [main, data.header] {
        func.blocks[header].unroll = Some(UnrollHint::Disable);
    }
    true
}

/// Returns clones of a loop's iteration. Each clone continues without regard to its test.
fn clone_iterations(
    func: &mut Function,
    data: &Loop,
    counted: &CountedLoop,
    count: usize,
) -> Vec<ClonedIteration> {
    let mut order = data.blocks.clone();
    order.sort_unstable();
    let mut inside = None;
    if let Some(inst) = func.terminator(counted.test) {
        func.insts[inst].for_each_target(|call| {
            inside = if order.contains(&call.block) { Some(call.block) } else { inside };
        });
    }
    let clones: Vec<_> = (0..count).map(|_| ClonedIteration::of(func, &order)).collect();
    for clone in &clones {
        let inside = inside.map(|block| clone.block(block));
        let Some(inst) = func.terminator(clone.block(counted.test)) else { continue };
        let mut goes_on = None;
        func.insts[inst].for_each_target(|call| {
            if Some(call.block) == inside {
                goes_on = Some(call.clone());
            }
        });
        if let Some(target) = goes_on {
            func.insts[inst] = InstData::Jump { target };
        }
    }
    clones
}

/// Redirects the back edge of each clone to the next one, and the last one's to `end`.
fn chain(
    func: &mut Function,
    data: &Loop,
    counted: &CountedLoop,
    clones: &[ClonedIteration],
    end: Block,
) {
    for (i, clone) in clones.iter().enumerate() {
        let next = clones.get(i + 1).map_or(end, |next| next.block(data.header));
        func.redirect(clone.block(counted.latch), clone.block(data.header), next);
    }
}

/// Redirects the edges that enter a loop to another block.
fn enter(func: &mut Function, cfg: &Cfg, data: &Loop, counted: &CountedLoop, block: Block) {
    for &pred in cfg.preds(data.header).iter().filter(|&&pred| pred != counted.latch) {
        func.redirect(pred, data.header, block);
    }
}

/// A test that several more iterations will run: `variable cc limit`.
enum MainTest {
    /// The last of the iterations' tests decides. The bound is clamped to `to` and moved by `back`, so that it does not
    /// wrap around.
    Order { cc: IntCC, saturate: BinaryOp, to: i64, back: i64 },
    /// As `Order`, where a value is added to the variable. If it is not within `1..=most`, the test fails: the limit is
    /// `least`.
    Strided {
        cc: IntCC,
        saturate: BinaryOp,
        step: Value,
        copies: i64,
        less: i64,
        least: i64,
        most: i64,
    },
    /// The loop runs while the variable is not equal to the bound, so at least `copies` steps must be left.
    Distance { offset: i64, is_up: bool, copies: i64 },
}

impl MainTest {
    fn new(
        func: &Function,
        counted: &CountedLoop,
        header: Block,
        copies: usize,
    ) -> Option<MainTest> {
        use IntCC::*;
        let ty = func.ty(func.blocks[header].params[counted.variable]);
        let CountedLoop { step, offset, cc, .. } = *counted;
        if ty != Type::I32 && ty != Type::I64 {
            return None;
        }
        let (is_inclusive, is_signed) =
            (matches!(cc, Sle | Ule | Sge | Uge), matches!(cc, Slt | Sle | Sgt | Sge));
        let bits = ty.scalar.bits();
        let (least, greatest) = match is_signed {
            true => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
            false => (0, -1),
        };
        let copies = copies as i64;
        let step = match step {
            Step::Constant(step) => step,
            Step::Value(step) => {
                let (cc, saturate) = match cc {
                    Slt | Sle => (Slt, BinaryOp::SMax),
                    Ult | Ule => (Ult, BinaryOp::UMax),
                    _ => return None,
                };
                // The sum of the steps has a bit less than the variable.
                let (less, most) = (i64::from(is_inclusive), (i64::MAX >> (64 - bits)) / copies);
                let strided = MainTest::Strided { cc, saturate, step, copies, less, least, most };
                return (offset == 0).then_some(strided);
            }
        };
        let is_up = step > 0;
        let goes_one_way = offset == 0 || (offset > 0) == is_up;
        if !goes_one_way || step.abs() > MAX_STEP || offset.abs() > MAX_STEP {
            return None;
        }
        if cc == Ne {
            return (step.abs() == 1).then_some(MainTest::Distance { offset, is_up, copies });
        }
        // The last test of an iteration adds the largest number to the variable. `<= bound` is `< bound + 1`.
        let last = offset.abs() + (copies - 1) * step.abs();
        let by = last - i64::from(is_inclusive);
        let (cc, saturate, to, back) = match (cc, is_up) {
            (Slt | Sle, true) => (Slt, BinaryOp::SMax, least + by, -by),
            (Ult | Ule, true) => (Ult, BinaryOp::UMax, least + by, -by),
            (Sgt | Sge, false) => (Sgt, BinaryOp::SMin, greatest - by, by),
            (Ugt | Uge, false) => (Ugt, BinaryOp::UMin, greatest - by, by),
            _ => return None,
        };
        Some(MainTest::Order { cc, saturate, to, back })
    }

    /// Returns the limit with which the variable is compared.
    fn limit(&self, c: &mut Cursor<'_>, bound: Value) -> Value {
        match *self {
            MainTest::Order { saturate, to, back, .. } => {
                let bound = c.binary_imm(saturate, bound, to);
                c.binary_imm(BinaryOp::IAdd, bound, back)
            }
            MainTest::Strided { saturate, step, copies, less, least, most, .. } => {
                // What the last test of an iteration adds to the variable.
                let last = c.binary_imm(BinaryOp::IMul, step, copies - 1);
                let last = c.binary_imm(BinaryOp::ISub, last, less);
                let lowest = c.binary_imm(BinaryOp::IAdd, last, least);
                let bound = c.binary(saturate, bound, lowest);
                let limit = c.binary(BinaryOp::ISub, bound, last);
                let others = c.binary_imm(BinaryOp::IAdd, step, -1);
                let is_usual = c.icmp_imm(IntCC::Ult, others, most);
                let least = c.iconst(c.ty(step), least);
                c.select(is_usual, limit, least)
            }
            MainTest::Distance { offset, .. } => c.binary_imm(BinaryOp::IAdd, bound, -offset),
        }
    }

    fn goes_on(&self, c: &mut Cursor<'_>, variable: Value, limit: Value) -> Value {
        match *self {
            MainTest::Order { cc, .. } | MainTest::Strided { cc, .. } => {
                c.icmp(cc, variable, limit)
            }
            MainTest::Distance { is_up, copies, .. } => {
                let (a, b) = if is_up { (limit, variable) } else { (variable, limit) };
                let distance = c.binary(BinaryOp::ISub, a, b);
                c.icmp_imm(IntCC::Uge, distance, copies)
            }
        }
    }
}
