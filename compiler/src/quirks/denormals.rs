//! Emulation of double arithmetic for devices that flush denormal numbers. OpenCL C 7.5.3 requires denormal doubles, so
//! operations of a program on doubles become calls of the library's operations, or integer comparisons.
//!
//! The library's own functions are not changed: they take account of flushed numbers themselves.

use crate::ir::*;
use crate::passes::cursor::{replace_values, Cursor};
use rustc_hash::FxHashMap;

/// The bound 2^-900. Comparisons between magnitudes below it are decided by integers, since the numbers may be
/// denormal. Compared with a larger number, a denormal one may as well be zero.
const SMALL: i64 = 123 << 52;
const LEAST_NORMAL: i64 = 1 << 52;
const SIGN_BIT: i64 = i64::MIN;

/// Returns the library's function for an operation on doubles (`ieee_add`), if it has one.
type Callee<'a> = dyn FnMut(&str) -> Option<Func> + 'a;

/// Rewrites the operations on doubles in a function of the program.
pub fn run(func: &mut Function, callee: &mut Callee<'_>) {
    let products = products_of_sums(func);
    replace_values(func, |c, inst| {
        DenormalEmulation { c, callee, products: &products }.replacement(inst)
    });
}

/// By product, its factors.
type Products = FxHashMap<Value, [Value; 2]>;

/// Returns the products of doubles whose only use is a sum or difference in the same block. If a sum has two such products,
/// the second is returned.
fn products_of_sums(func: &Function) -> Products {
    let mut uses: FxHashMap<Value, u32> = FxHashMap::default();
    for inst in func.layout_insts() {
        func.insts[inst].for_each_arg(|arg| *uses.entry(arg).or_default() += 1);
    }
    let mut products = Products::default();
    for &block in &func.layout {
        let mut in_block = Products::default();
        for &inst in &func.blocks[block].insts {
            let InstData::Binary { op, args, .. } = func.insts[inst] else { continue };
            let Some(result) = func.result(inst) else { continue };
            match op {
                BinaryOp::FMul
                    if func.ty(result).scalar == Scalar::F64 && uses.get(&result) == Some(&1) =>
                {
                    in_block.insert(result, args);
                }
                BinaryOp::FAdd | BinaryOp::FSub => {
                    let product = args.iter().rev().find_map(|arg| in_block.get_key_value(arg));
                    products.extend(product);
                }
                _ => {}
            }
        }
    }
    products
}

struct DenormalEmulation<'a, 'c, 'f> {
    c: &'a mut Cursor<'f>,
    callee: &'a mut Callee<'c>,
    /// The products that are computed together with the sums that use them.
    products: &'a Products,
}

impl DenormalEmulation<'_, '_, '_> {
    /// Returns the value that replaces an instruction's result. Inserts the instructions that it needs.
    fn replacement(&mut self, inst: Inst) -> Option<Value> {
        if self.products.contains_key(&self.c.func.result(inst)?) {
            return None;
        }
        let (args, lane_op): (Vec<Value>, LaneOp) = match self.c.func.insts[inst].clone() {
            InstData::Binary { op, args, .. } => match self.product_and_sum(op, args) {
                Some(both) => both,
                None => (args.to_vec(), binary(op)?),
            },
            InstData::Math { op, args, .. } => (args.to_vec(), math(op)?),
            InstData::FCmp { cc, args, .. } if !matches!(cc, FloatCC::Ord | FloatCC::Uno) => {
                (args.to_vec(), LaneOp::Compare(cc))
            }
            _ => return None,
        };
        let ty = self.c.ty(args[0]);
        if ty.scalar != Scalar::F64 || !self.may_involve_denormals(lane_op, &args) {
            return None;
        }
        let mut lanes = Vec::new();
        for lane in 0..ty.lanes {
            let of_lane: Vec<Value> = args.iter().map(|&arg| self.c.extract(arg, lane)).collect();
            lanes.push(self.lane(lane_op, &of_lane)?);
        }
        Some(self.c.build(&lanes))
    }

    /// Returns the operands and the library function for a sum with a product that has no other use.
    fn product_and_sum(&self, op: BinaryOp, args: [Value; 2]) -> Option<(Vec<Value>, LaneOp)> {
        let [first, second] = args;
        let factors = [first, second].map(|value| self.products.get(&value));
        let (factors, other, name) = match (op, factors[0], factors[1]) {
            (BinaryOp::FAdd, _, Some(factors)) => (factors, first, "ieee_mad"),
            (BinaryOp::FAdd, Some(factors), _) => (factors, second, "ieee_mad"),
            (BinaryOp::FSub, _, Some(factors)) => (factors, first, "ieee_nmad"),
            (BinaryOp::FSub, Some(factors), _) => (factors, second, "ieee_msub"),
            _ => return None,
        };
        Some(([factors.as_slice(), &[other]].concat(), LaneOp::Call(name)))
    }

    /// Returns true if an operation may have a denormal operand or result. With some constants it cannot.
    fn may_involve_denormals(&self, op: LaneOp, args: &[Value]) -> bool {
        let is_large = |&arg: &Value| {
            let magnitude = self.c.func.as_const(arg).map(|bits| bits as i64 & i64::MAX);
            magnitude.is_some_and(|m| m >= SMALL)
        };
        match op {
            LaneOp::Call("ieee_add" | "ieee_sub") | LaneOp::Compare(_) => {
                !args.iter().any(is_large)
            }
            _ => true,
        }
    }

    fn lane(&mut self, op: LaneOp, args: &[Value]) -> Option<Value> {
        match (op, args) {
            (LaneOp::Call(name), _) => self.call(name, args),
            (LaneOp::Compare(cc), &[a, b]) => Some(self.compare(cc, a, b)),
            (LaneOp::MinMax(cc), &[a, b]) => {
                // The device's own operation might return zero for the operand.
                let first = self.compare(cc, a, b);
                let other_is_nan = self.c.math(MathOp::IsNan, &[b]);
                let first = self.c.binary(BinaryOp::Or, first, other_is_nan);
                Some(self.c.select(first, a, b))
            }
            (LaneOp::RoundToInt(op), &[x]) => {
                // A denormal number is replaced by a small normal one with the same result.
                let bits = self.c.bitcast(x, Type::I64);
                let magnitude = self.c.binary_imm(BinaryOp::And, bits, i64::MAX);
                let below = self.c.binary_imm(BinaryOp::ISub, magnitude, 1);
                let is_denormal = self.c.icmp_imm(IntCC::Ult, below, LEAST_NORMAL - 1);
                let sign = self.c.binary_imm(BinaryOp::And, bits, SIGN_BIT);
                let quarter = self.c.binary_imm(BinaryOp::Or, sign, 0.25f64.to_bits() as i64);
                let bits = self.c.select(is_denormal, quarter, bits);
                let x = self.c.bitcast(bits, Type::F64);
                Some(self.c.math(op, &[x]))
            }
            _ => None,
        }
    }

    fn call(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        let func = (self.callee)(name)?;
        Some(self.c.inst(InstData::Call { func, args: args.into() }, Type::F64))
    }

    fn compare(&mut self, cc: FloatCC, a: Value, b: Value) -> Value {
        let int = match cc {
            FloatCC::Oeq | FloatCC::Ueq => IntCC::Eq,
            FloatCC::One | FloatCC::Une => IntCC::Ne,
            FloatCC::Olt | FloatCC::Ult => IntCC::Slt,
            FloatCC::Ole | FloatCC::Ule => IntCC::Sle,
            FloatCC::Ogt | FloatCC::Ugt => IntCC::Sgt,
            _ => IntCC::Sge,
        };
        let (truth, is_small) = self.compare_as_integers(int, a, b);
        let other = self.c.fcmp(cc, a, b);
        self.c.select(is_small, truth, other)
    }

    /// Returns the result of comparing two numbers as integers, and whether both are small. The result is valid only if
    /// they are.
    fn compare_as_integers(&mut self, cc: IntCC, a: Value, b: Value) -> (Value, Value) {
        let (x, y) = (self.c.bitcast(a, Type::I64), self.c.bitcast(b, Type::I64));
        let mx = self.c.binary_imm(BinaryOp::And, x, i64::MAX);
        let my = self.c.binary_imm(BinaryOp::And, y, i64::MAX);
        // The sum of two denormal numbers is below the bound, whether the device keeps them or flushes them.
        let (fx, fy) = (self.c.bitcast(mx, Type::F64), self.c.bitcast(my, Type::F64));
        let sum = self.c.binary_alone(BinaryOp::FAdd, fx, fy);
        let bound = self.c.func.constant(Type::F64, SMALL as u64);
        let is_small = self.c.fcmp(FloatCC::Olt, sum, bound);
        let (x, y) = (self.integer_order(x, mx), self.integer_order(y, my));
        (self.c.icmp(cc, x, y), is_small)
    }

    /// Returns an integer that compares as the number does. It is 0 for both zeros.
    fn integer_order(&mut self, bits: Value, magnitude: Value) -> Value {
        let sign = self.c.binary_imm(BinaryOp::AShr, bits, 63);
        let flipped = self.c.binary(BinaryOp::Xor, magnitude, sign);
        self.c.binary(BinaryOp::ISub, flipped, sign)
    }
}

/// The operation that is applied to each lane.
#[derive(Clone, Copy)]
enum LaneOp {
    /// A call of a function of the library.
    Call(&'static str),
    Compare(FloatCC),
    /// The first operand if it compares with the second in this way, or if the second is NaN; otherwise the second.
    MinMax(FloatCC),
    /// Rounds to an integer.
    RoundToInt(MathOp),
}

fn binary(op: BinaryOp) -> Option<LaneOp> {
    Some(match op {
        BinaryOp::FAdd => LaneOp::Call("ieee_add"),
        BinaryOp::FSub => LaneOp::Call("ieee_sub"),
        BinaryOp::FMul => LaneOp::Call("ieee_mul"),
        BinaryOp::FDiv => LaneOp::Call("ieee_div"),
        BinaryOp::FMin => LaneOp::MinMax(FloatCC::Olt),
        BinaryOp::FMax => LaneOp::MinMax(FloatCC::Ogt),
        _ => return None,
    })
}

fn math(op: MathOp) -> Option<LaneOp> {
    Some(match op {
        MathOp::Fma => LaneOp::Call("ieee_fma"),
        MathOp::Sqrt => LaneOp::Call("ieee_sqrt"),
        MathOp::Floor | MathOp::Ceil => LaneOp::RoundToInt(op),
        _ => return None,
    })
}
