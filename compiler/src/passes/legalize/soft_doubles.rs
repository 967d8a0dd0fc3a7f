//! Doubles on devices that have none: their bits, and arithmetic on the bits.
//!
//! Every value of type F64 becomes an I64, which later passes may split further. Sums, products, quotients, roots and
//! conversions become calls of functions of the built-in library (`library/soft_f64.cl`), which are not inlined. Operations
//! that take only a few operations on the bits (signs, comparisons, minima) are written in place, so that constants are folded.

use super::half;
use crate::ir::*;
use crate::passes::cursor::{replace_values, Cursor};
use rustc_hash::FxHashMap;

/// The functions of the library that may be called.
pub const FUNCTIONS: &[&str] = &[
    "add",
    "mul",
    "fma",
    "div",
    "sqrt",
    "floor",
    "rint",
    "to_float",
    "from_float",
    "to_long",
    "from_long",
    "from_int",
];

const SIGN: i64 = i64::MIN;
const MAGNITUDE: i64 = i64::MAX;
const INFINITY: i64 = 0x7ff0_0000_0000_0000;
const ONE: i64 = 0x3ff0_0000_0000_0000;

/// Returns true if a function of a module has values that are doubles.
pub fn is_needed(module: &Module) -> bool {
    module.functions.values().any(has_doubles)
}

fn has_doubles(func: &Function) -> bool {
    func.values.values().any(|value| value.ty.scalar == Scalar::F64)
}

/// Turns all doubles of a module into integers. Calls `changed` for each function that it changes. Functions of the `library`
/// that are called are copied into the module.
pub fn run(module: &mut Module, library: &Module, mut changed: impl FnMut(Func)) {
    let mut callees: FxHashMap<&'static str, Func> = FxHashMap::default();
    let functions: Vec<Func> = module.functions.keys().collect();
    for id in functions {
        if !has_doubles(&module.functions[id]) {
            continue;
        }
        let empty = Function::new("", &[], None);
        let mut func = std::mem::replace(&mut module.functions[id], empty);
        // From here on, a float operation that has integer operands is an operation on doubles.
        func.retype(Scalar::F64, Scalar::I64);
        replace_values(&mut func, |c, inst| {
            let callee = &mut |name: &'static str| {
                *callees.entry(name).or_insert_with(|| copy(module, library, name))
            };
            replacement(c, inst, callee)
        });
        module.functions[id] = func;
        changed(id);
    }
}

/// Copies a function of the library into a module.
fn copy(module: &mut Module, library: &Module, name: &str) -> Func {
    let found = library.functions.values().find(|function| function.name == name);
    let mut function = found.cloned().unwrap_or_else(|| Function::new(name, &[], None));
    function.name = format!("double_{name}");
    module.functions.push(function)
}

/// Returns the library function with this name, copied into the module.
type Callee<'a> = dyn FnMut(&'static str) -> Func + 'a;

/// Returns the value that replaces an instruction's result.
fn replacement(c: &mut Cursor<'_>, inst: Inst, callee: &mut Callee<'_>) -> Option<Value> {
    let ty = c.ty(c.func.result(inst)?);
    let data = c.func.insts[inst].clone();
    if let InstData::Convert { op: ConvertOp::Bitcast, arg } = data {
        return (c.ty(arg) == ty).then_some(arg);
    }
    let args: Vec<Value> = match &data {
        InstData::Unary { op: UnaryOp::FNeg, arg, .. } => vec![*arg],
        InstData::Binary { op, args, .. } if op.is_float() => args.to_vec(),
        InstData::Math { op, args, .. } if op.takes() == ScalarKinds::FLOAT => args.to_vec(),
        InstData::FCmp { args, .. } => args.to_vec(),
        InstData::Convert { op, arg } if is_of_floats(*op) => vec![*arg],
        _ => return None,
    };
    let from = c.ty(args[0]);
    let is_of_double = match &data {
        // If the result of this conversion is an integer, it is a double.
        InstData::Convert { op: ConvertOp::SToF | ConvertOp::UToF, .. } => ty.scalar.is_int(),
        InstData::Convert { op: ConvertOp::FConvert, .. } => {
            from.scalar.is_int() || ty.scalar.is_int()
        }
        _ => from.scalar.is_int(),
    };
    if !is_of_double {
        return None;
    }
    let mut lanes = Vec::new();
    for lane in 0..ty.lanes {
        let args: Vec<Value> = args.iter().map(|&arg| c.extract(arg, lane)).collect();
        lanes.push(Doubles { c, callee }.operation(&data, &args, ty.lane())?);
    }
    Some(c.build(&lanes))
}

fn is_of_floats(op: ConvertOp) -> bool {
    use ConvertOp::*;
    matches!(op, FToS | FToU | SToF | UToF | FConvert)
}

struct Doubles<'a, 'c, 'f> {
    c: &'a mut Cursor<'f>,
    callee: &'a mut Callee<'c>,
}

impl Doubles<'_, '_, '_> {
    /// Returns the result of an operation on scalars; `None` if the operation does not exist for doubles.
    fn operation(&mut self, data: &InstData, args: &[Value], ty: Type) -> Option<Value> {
        Some(match (data, args) {
            (InstData::Unary { .. }, &[x]) => self.negated(x),
            (InstData::Binary { op, .. }, &[a, b]) => return self.binary(*op, a, b),
            (InstData::Math { op, .. }, args) => return self.math(*op, args),
            (InstData::FCmp { cc, .. }, &[a, b]) => self.compare(*cc, a, b),
            (InstData::Convert { op, .. }, &[x]) => return self.convert(*op, x, ty),
            _ => return None,
        })
    }

    fn call(&mut self, name: &'static str, args: &[Value], ty: Type) -> Value {
        let func = (self.callee)(name);
        self.c.inst(InstData::Call { func, args: args.into() }, ty)
    }

    fn double(&mut self, name: &'static str, args: &[Value]) -> Value {
        self.call(name, args, Type::I64)
    }

    fn negated(&mut self, x: Value) -> Value {
        self.c.binary_imm(BinaryOp::Xor, x, SIGN)
    }

    fn magnitude(&mut self, x: Value) -> Value {
        self.c.binary_imm(BinaryOp::And, x, MAGNITUDE)
    }

    fn is_nan(&mut self, x: Value) -> Value {
        let magnitude = self.magnitude(x);
        self.c.icmp_imm(IntCC::Ugt, magnitude, INFINITY)
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Option<Value> {
        Some(match op {
            BinaryOp::FAdd => self.double("add", &[a, b]),
            BinaryOp::FSub => {
                let b = self.negated(b);
                self.double("add", &[a, b])
            }
            BinaryOp::FMul => self.double("mul", &[a, b]),
            BinaryOp::FDiv => self.double("div", &[a, b]),
            BinaryOp::FMin => self.choice(IntCC::Slt, a, b),
            BinaryOp::FMax => self.choice(IntCC::Sgt, a, b),
            _ => return None,
        })
    }

    fn math(&mut self, op: MathOp, args: &[Value]) -> Option<Value> {
        let &x = args.first()?;
        Some(match op {
            MathOp::Fma => self.double("fma", args),
            MathOp::FAbs => self.magnitude(x),
            MathOp::Floor => self.double("floor", &[x]),
            MathOp::Ceil => {
                let x = self.negated(x);
                let floor = self.double("floor", &[x]);
                self.negated(floor)
            }
            MathOp::Trunc => {
                let magnitude = self.magnitude(x);
                let whole = self.double("floor", &[magnitude]);
                let sign = self.c.binary_imm(BinaryOp::And, x, SIGN);
                self.c.binary(BinaryOp::Or, whole, sign)
            }
            MathOp::Rint => self.double("rint", &[x]),
            MathOp::Sqrt => self.double("sqrt", &[x]),
            MathOp::RSqrt => {
                let root = self.double("sqrt", &[x]);
                let one = self.c.iconst(Type::I64, ONE);
                self.double("div", &[one, root])
            }
            MathOp::IsNan => self.is_nan(x),
            MathOp::IsInf => {
                let magnitude = self.magnitude(x);
                self.c.icmp_imm(IntCC::Eq, magnitude, INFINITY)
            }
            _ => return None,
        })
    }

    /// Returns an integer that compares as the double does. It is 0 for both zeros.
    fn order(&mut self, x: Value) -> Value {
        let magnitude = self.magnitude(x);
        let sign = self.c.binary_imm(BinaryOp::AShr, x, 63);
        let flipped = self.c.binary(BinaryOp::Xor, magnitude, sign);
        self.c.binary(BinaryOp::ISub, flipped, sign)
    }

    /// Returns `a` if it compares with `b` as `cc` says, or if `b` is NaN; otherwise `b`.
    fn choice(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        let (x, y) = (self.order(a), self.order(b));
        let wins = self.c.icmp(cc, x, y);
        let a_is_nan = self.is_nan(a);
        let a_is_number = self.c.unary(UnaryOp::Not, a_is_nan);
        let wins = self.c.binary(BinaryOp::And, wins, a_is_number);
        let b_is_nan = self.is_nan(b);
        let wins = self.c.binary(BinaryOp::Or, wins, b_is_nan);
        self.c.select(wins, a, b)
    }

    fn compare(&mut self, cc: FloatCC, a: Value, b: Value) -> Value {
        use FloatCC::*;
        let mut unordered = self.is_nan(a);
        if a != b {
            let second = self.is_nan(b);
            unordered = self.c.binary(BinaryOp::Or, unordered, second);
        }
        let (int, with_nan) = match cc {
            Uno => return unordered,
            Ord => return self.c.unary(UnaryOp::Not, unordered),
            Oeq => (IntCC::Eq, false),
            One => (IntCC::Ne, false),
            Olt => (IntCC::Slt, false),
            Ole => (IntCC::Sle, false),
            Ogt => (IntCC::Sgt, false),
            Oge => (IntCC::Sge, false),
            Ueq => (IntCC::Eq, true),
            Une => (IntCC::Ne, true),
            Ult => (IntCC::Slt, true),
            Ule => (IntCC::Sle, true),
            Ugt => (IntCC::Sgt, true),
            Uge => (IntCC::Sge, true),
        };
        let (x, y) = (self.order(a), self.order(b));
        let holds = self.c.icmp(int, x, y);
        match with_nan {
            true => self.c.binary(BinaryOp::Or, holds, unordered),
            false => {
                let ordered = self.c.unary(UnaryOp::Not, unordered);
                self.c.binary(BinaryOp::And, holds, ordered)
            }
        }
    }

    fn convert(&mut self, op: ConvertOp, x: Value, ty: Type) -> Option<Value> {
        Some(match op {
            ConvertOp::SToF | ConvertOp::UToF => self.of_integer(op == ConvertOp::SToF, x),
            ConvertOp::FToS | ConvertOp::FToU => {
                let whole = self.double("to_long", &[x]);
                self.c.resize(whole, ty, false)
            }
            _ if ty == Type::F16 => half::from_double_bits(self.c, x),
            _ if ty == Type::F32 => {
                let bits = self.call("to_float", &[x], Type::I32);
                self.c.bitcast(bits, Type::F32)
            }
            _ => {
                // No float operation is used, because the device's may flush denormal numbers.
                let is_half = self.c.ty(x) == Type::F16;
                let float = if is_half { half::to_single(self.c, x) } else { x };
                let bits = self.c.bitcast(float, Type::I32);
                self.double("from_float", &[bits])
            }
        })
    }

    fn of_integer(&mut self, signed: bool, x: Value) -> Value {
        let is_wide = self.c.ty(x) == Type::I64;
        let ty = if is_wide { Type::I64 } else { Type::I32 };
        let x = self.c.resize(x, ty, signed);
        let name = if is_wide { "from_long" } else { "from_int" };
        let (mut magnitude, mut sign) = (x, self.c.iconst(ty, 0));
        if signed {
            let bits = i64::from(ty.scalar.bits());
            let mask = self.c.binary_imm(BinaryOp::AShr, x, bits - 1);
            let flipped = self.c.binary(BinaryOp::Xor, x, mask);
            magnitude = self.c.binary(BinaryOp::ISub, flipped, mask);
            sign = self.c.binary_imm(BinaryOp::And, x, i64::MIN >> (64 - bits));
        }
        self.double(name, &[magnitude, sign])
    }
}
