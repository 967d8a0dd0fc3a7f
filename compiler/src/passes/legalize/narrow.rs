//! Integers of 8 and 16 bits on devices without them: values of 32 bits whose upper bits are zero.
//!
//! A value becomes an I32. Operations that may carry into the upper bits are followed by a mask; operations that use the
//! sign extend it first. In memory integers keep their width: loaded values are zero-extended, stored values are truncated,
//! and so are the bits of a half.

use crate::ir::*;
use crate::passes::cursor::Cursor;
use crate::passes::simplify::Simplified::{self, Become, Keep};
use crate::passes::unreachable;
use crate::target::Target;
use cranelift_entity::SecondaryMap;

/// Legalizes a function, including its parameters and results. Returns true if anything changed.
pub fn run(func: &mut Function, target: &Target) -> bool {
    let is_narrow = |ty: Type| is_missing(ty.scalar, target);
    if !func.values.values().any(|value| is_narrow(value.ty)) {
        return false;
    }
    let (cfg, _) = unreachable::remove(func);
    let (mut widths, replaced) = (func.value_map::<u32>(), func.value_map());
    for (value, data) in func.values.iter_mut().filter(|(_, data)| is_narrow(data.ty)) {
        widths[value] = data.ty.scalar.bits();
        if !matches!(data.def, ValueDef::Const(_)) {
            data.ty = data.ty.with_scalar(Scalar::I32);
        }
    }
    for ty in func.returns.iter_mut().filter(|ty| is_narrow(**ty)) {
        *ty = ty.with_scalar(Scalar::I32);
    }
    let mut pass = Narrowing { c: Cursor::new(func), widths, replaced };
    for &block in cfg.rpo() {
        pass.block(block);
    }
    true
}

/// Returns true if a type is an integer that the device does not have, except in memory.
pub fn is_missing(scalar: Scalar, target: &Target) -> bool {
    match scalar {
        Scalar::I8 => !target.int8,
        Scalar::I16 => !target.int16,
        _ => false,
    }
}

struct Narrowing<'a> {
    c: Cursor<'a>,
    /// The number of bits that a value had before it became an I32; 0 for all other values.
    widths: SecondaryMap<Value, u32>,
    /// By value, the value that replaces it.
    replaced: SecondaryMap<Value, Option<Value>>,
}

impl Narrowing<'_> {
    fn block(&mut self, block: Block) {
        let insts = self.c.begin(block);
        for &inst in &insts {
            self.c.func.stand_at(inst);
            match self.rewritten(inst) {
                Keep => {}
                Become(data) => self.c.func.replace_inst(inst, data),
                Simplified::Value(value) => {
                    if let Some(result) = self.c.func.result(inst) {
                        self.replaced[result] = Some(value);
                    }
                    continue;
                }
            }
            self.c.keep(inst);
        }
        self.c.finish_in(block, insts);
    }

    /// Returns the replacement of an instruction whose operands have become I32.
    fn rewritten(&mut self, inst: Inst) -> Simplified {
        let operand = match self.c.func.insts[inst] {
            InstData::ICmp { args, .. } => Some(args[0]),
            InstData::Convert { arg, .. } => Some(arg),
            InstData::Store { value, .. } => Some(value),
            _ => None,
        };
        let from = operand.map_or(0, |value| self.widths[value]);
        let result = self.c.func.result(inst);
        let to = result.map_or(0, |value| self.widths[value]);
        let mut data = std::mem::replace(&mut self.c.func.insts[inst], InstData::Unreachable);
        data.map_args(|arg| self.operand(arg));
        self.c.func.insts[inst] = data.clone();
        let ty = result.map_or(Type::I32, |value| self.c.ty(value));
        match data {
            InstData::Unary { op, arg, .. } if to != 0 => self.unary(op, arg, to),
            InstData::Binary { op, args: [a, b], .. } if to != 0 => self.binary(op, a, b, to),
            InstData::Math { op: MathOp::SAbs, ref args, .. } if to != 0 => {
                let arg = self.sign_extended(args[0], to);
                Become(InstData::Math {
                    op: MathOp::SAbs,
                    args: [arg].as_slice().into(),
                    flags: self.c.flags,
                })
            }
            InstData::ICmp { cc, args } if from != 0 && is_signed(cc) => {
                let args = args.map(|arg| self.sign_extended(arg, from));
                Become(InstData::ICmp { cc, args })
            }
            InstData::Convert { op, arg } if from != 0 || to != 0 => {
                self.convert(op, arg, from, to, ty)
            }
            InstData::Load { .. } | InstData::LoadArg { .. } if to != 0 => {
                let arg = self.c.inst(data, ty.with_scalar(Scalar::int(to)));
                Become(InstData::Convert { op: ConvertOp::ZExt, arg })
            }
            InstData::Store { ptr, value, align, flags } if from != 0 => {
                let value = self.truncated(value, from);
                Become(InstData::Store { ptr, value, align, flags })
            }
            _ => Keep,
        }
    }

    /// Returns the I32 for an operand that was narrow; other operands unchanged.
    fn operand(&mut self, arg: Value) -> Value {
        if let Some(value) = self.replaced[arg] {
            return value;
        }
        let func = &mut *self.c.func;
        match func.def(arg) {
            ValueDef::Const(constant) if self.widths[arg] != 0 => {
                let ty = func.ty(arg).with_scalar(Scalar::I32);
                match constant {
                    Constant::Bits(bits) => func.constant(ty, bits),
                    Constant::Undef if ty.lanes > 1 => func.undef(ty),
                    // The upper bits must be zero here, too.
                    Constant::Undef => func.constant(ty, 0),
                }
            }
            _ => arg,
        }
    }

    /// Returns a value with the same low bits and any upper bits.
    fn low_bits(&self, value: Value, bits: u32) -> Value {
        match self.c.func.def_inst(value) {
            Some(&InstData::Binary { op: BinaryOp::And, args: [unmasked, mask], .. })
                if self.c.func.as_const(mask) == Some(mask_of(bits)) =>
            {
                unmasked
            }
            _ => value,
        }
    }

    fn sign_extended(&mut self, value: Value, bits: u32) -> Value {
        let value = self.low_bits(value, bits);
        let up = i64::from(32 - bits);
        let high = self.c.binary_imm(BinaryOp::Shl, value, up);
        self.c.binary_imm(BinaryOp::AShr, high, up)
    }

    /// Clears the upper bits.
    fn masked(&mut self, value: Value, bits: u32) -> Simplified {
        let value = self.low_bits(value, bits);
        if let Some(constant) = self.c.func.as_const(value) {
            return Simplified::Value(self.c.func.constant(Type::I32, constant & mask_of(bits)));
        }
        let mask = self.c.func.constant(Type::I32, mask_of(bits));
        Become(binary(BinaryOp::And, value, mask))
    }

    /// Returns a value with the type that it has in memory and in halves. The conversion is not folded: the device has
    /// no constants of such types.
    fn truncated(&mut self, value: Value, bits: u32) -> Value {
        let ty = self.c.ty(value).with_scalar(Scalar::int(bits));
        let arg = match self.c.func.def_inst(value) {
            Some(&InstData::Convert { op: ConvertOp::ZExt, arg }) if self.c.ty(arg) == ty => {
                return arg;
            }
            Some(InstData::Build { args }) => {
                let lanes: Vec<Value> =
                    args.iter().map(|&lane| self.low_bits(lane, bits)).collect();
                self.c.build(&lanes)
            }
            _ => self.low_bits(value, bits),
        };
        self.c.inst(InstData::Convert { op: ConvertOp::Trunc, arg }, ty)
    }

    fn unary(&mut self, op: UnaryOp, arg: Value, bits: u32) -> Simplified {
        if op == UnaryOp::Not {
            let mask = self.c.func.constant(Type::I32, mask_of(bits));
            return Become(binary(BinaryOp::Xor, arg, mask));
        }
        let arg = self.low_bits(arg, bits);
        let wide = self.c.unary(op, arg);
        self.masked(wide, bits)
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value, bits: u32) -> Simplified {
        use BinaryOp::*;
        let (a, b) = match op {
            And | Or | Xor | UDiv | URem | LShr | UMin | UMax => return Keep,
            IAdd | ISub | IMul => (self.low_bits(a, bits), self.low_bits(b, bits)),
            Shl => (self.low_bits(a, bits), b),
            AShr => (self.sign_extended(a, bits), b),
            _ => (self.sign_extended(a, bits), self.sign_extended(b, bits)),
        };
        let wide = self.c.binary(op, a, b);
        self.masked(wide, bits)
    }

    /// Returns the replacement of a conversion of a value that had `from` bits to one that had `to` bits. A number is 0 if
    /// the type is not an I32 that stands for a narrower type. `ty` is the current type of the result.
    fn convert(&mut self, op: ConvertOp, arg: Value, from: u32, to: u32, ty: Type) -> Simplified {
        use ConvertOp::*;
        match op {
            Bitcast => {
                let arg = if from == 0 { arg } else { self.truncated(arg, from) };
                if to == 0 {
                    return Become(InstData::Convert { op, arg });
                }
                let arg = self.c.bitcast(arg, ty.with_scalar(Scalar::int(to)));
                Become(InstData::Convert { op: ZExt, arg })
            }
            Trunc if to != 0 => {
                let word = self.c.resize(arg, Type::I32, false);
                self.masked(word, to)
            }
            ZExt if from != 0 => self.resized(arg, ty, false),
            SExt if from != 0 => {
                let word = self.sign_extended(arg, from);
                match to {
                    0 => self.resized(word, ty, true),
                    _ => self.masked(word, to),
                }
            }
            SExt => {
                let word = self.c.convert(op, arg, Type::I32);
                self.masked(word, to)
            }
            FToS | FToU if to != 0 => {
                let word = self.c.convert(op, arg, Type::I32);
                self.masked(word, to)
            }
            SToF => {
                let arg = self.sign_extended(arg, from);
                Become(InstData::Convert { op, arg })
            }
            // The value is not negative. A device's unsigned conversion may be worse than the signed one.
            UToF => Become(InstData::Convert { op: SToF, arg }),
            _ => Keep,
        }
    }

    /// Converts an I32 to an integer of the given width.
    fn resized(&mut self, arg: Value, ty: Type, signed: bool) -> Simplified {
        Simplified::Value(self.c.resize(arg, ty, signed))
    }
}

fn is_signed(cc: IntCC) -> bool {
    matches!(cc, IntCC::Slt | IntCC::Sle | IntCC::Sgt | IntCC::Sge)
}

fn mask_of(bits: u32) -> u64 {
    (1 << bits) - 1
}

fn binary(op: BinaryOp, a: Value, b: Value) -> InstData {
    InstData::Binary { op, args: [a, b], flags: OpFlags::empty() }
}
