//! Arithmetic, bits, comparisons and logic (SPIR-V 3.49.13 to 3.49.15).

use super::function::{unsupported, Translator};
use super::words::Inst;
use crate::ir::{BinaryOp, FloatCC, IntCC, MathOp, Scalar, ScalarKinds, UnaryOp, Value};
use rspirv::spirv::{Decoration, FPRoundingMode, Op};

/// Returns the IR's operation for an instruction on two numbers of one type.
fn binary(op: Op) -> Option<BinaryOp> {
    Some(match op {
        Op::IAdd => BinaryOp::IAdd,
        Op::ISub => BinaryOp::ISub,
        Op::IMul => BinaryOp::IMul,
        Op::UDiv => BinaryOp::UDiv,
        Op::SDiv => BinaryOp::SDiv,
        Op::UMod => BinaryOp::URem,
        Op::SRem => BinaryOp::SRem,
        Op::FAdd => BinaryOp::FAdd,
        Op::FSub => BinaryOp::FSub,
        Op::FMul => BinaryOp::FMul,
        Op::BitwiseAnd | Op::LogicalAnd => BinaryOp::And,
        Op::BitwiseOr | Op::LogicalOr => BinaryOp::Or,
        Op::BitwiseXor | Op::LogicalNotEqual => BinaryOp::Xor,
        _ => return None,
    })
}

fn int_comparison(op: Op) -> Option<IntCC> {
    Some(match op {
        Op::IEqual => IntCC::Eq,
        Op::INotEqual => IntCC::Ne,
        Op::UGreaterThan => IntCC::Ugt,
        Op::SGreaterThan => IntCC::Sgt,
        Op::UGreaterThanEqual => IntCC::Uge,
        Op::SGreaterThanEqual => IntCC::Sge,
        Op::ULessThan => IntCC::Ult,
        Op::SLessThan => IntCC::Slt,
        Op::ULessThanEqual => IntCC::Ule,
        Op::SLessThanEqual => IntCC::Sle,
        _ => return None,
    })
}

fn float_comparison(op: Op) -> Option<FloatCC> {
    Some(match op {
        Op::FOrdEqual => FloatCC::Oeq,
        Op::FUnordEqual => FloatCC::Ueq,
        Op::FOrdNotEqual | Op::LessOrGreater => FloatCC::One,
        Op::FUnordNotEqual => FloatCC::Une,
        Op::FOrdLessThan => FloatCC::Olt,
        Op::FUnordLessThan => FloatCC::Ult,
        Op::FOrdGreaterThan => FloatCC::Ogt,
        Op::FUnordGreaterThan => FloatCC::Ugt,
        Op::FOrdLessThanEqual => FloatCC::Ole,
        Op::FUnordLessThanEqual => FloatCC::Ule,
        Op::FOrdGreaterThanEqual => FloatCC::Oge,
        Op::FUnordGreaterThanEqual => FloatCC::Uge,
        Op::Ordered => FloatCC::Ord,
        Op::Unordered => FloatCC::Uno,
        _ => return None,
    })
}

impl Translator<'_, '_, '_> {
    pub(super) fn arithmetic(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let rounding = self.decorations().operand(inst.id, Decoration::FPRoundingMode);
        if rounding.is_some_and(|mode| mode != FPRoundingMode::RTE as u32) {
            return Err("rounding modes are for conversions".to_string());
        }
        if let Some(op) = binary(inst.op) {
            return self.binary_operation(inst, op);
        }
        if let Some(cc) = int_comparison(inst.op) {
            let [a, b] = self.comparable(inst)?;
            let truth = self.b.icmp(cc, a, b);
            return self.give(inst, truth);
        }
        if let Some(cc) = float_comparison(inst.op) {
            let [a, b] = self.operands(inst, ScalarKinds::FLOAT)?;
            let truth = self.with_float_flags(inst, |this| this.b.fcmp(cc, a, b));
            return self.give(inst, truth);
        }
        match inst.op {
            Op::FDiv => {
                let [a, b] = self.operands(inst, ScalarKinds::FLOAT)?;
                let value = self.with_float_flags(inst, |this| {
                    this.with_lowerer(|lowerer| lowerer.divide(a, b))
                });
                self.give(inst, value)
            }
            Op::FRem => self.float_remainder(inst),
            Op::FMod => self.float_modulo(inst),
            Op::SMod => self.signed_modulo(inst),
            Op::VectorTimesScalar => self.scaled(inst),
            Op::Dot if self.m.types.is_bfloat16(self.m.types.of(inst.ty)?) => {
                self.bfloat16_dot(inst)
            }
            Op::Dot => self.dot(inst),
            Op::LogicalEqual => {
                let [a, b] = self.operands(inst, ScalarKinds::BOOL)?;
                let value = self.b.binary(BinaryOp::Xor, a, b);
                let value = self.b.unary(UnaryOp::Not, value);
                self.give(inst, value)
            }
            Op::Select => self.selected(inst),
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                self.extended_arithmetic(inst)
            }
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                self.shift(inst)
            }
            Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => {
                self.bit_field(inst)
            }
            Op::Any | Op::All => self.vote(inst),
            Op::ExpectKHR | Op::CopyObject | Op::CopyLogical => {
                let val = self.val(inst.arg(0)?)?;
                self.define(inst, &val.leaves)
            }
            _ => self.unary_operation(inst),
        }
    }

    /// Returns the two operands of an instruction, which must have one type, of one of these kinds.
    fn operands(&mut self, inst: &Inst<'_>, kinds: ScalarKinds) -> Result<[Value; 2], String> {
        let values = self.numbers(inst.get()?)?;
        self.check_kind(values[0], kinds)?;
        Ok(values)
    }

    pub(super) fn check_kind(&self, value: Value, kinds: ScalarKinds) -> Result<(), String> {
        match kinds.has(self.b.ty(value).scalar) {
            true => Ok(()),
            false => Err("an operand is of the wrong type".to_string()),
        }
    }

    fn binary_operation(&mut self, inst: &Inst<'_>, op: BinaryOp) -> Result<(), String> {
        let [a, b] = self.operands(inst, op.takes())?;
        let is_logical = matches!(inst.op, Op::LogicalAnd | Op::LogicalOr | Op::LogicalNotEqual);
        if is_logical != (self.b.ty(a).scalar == Scalar::Bool) {
            return Err("an operand is of the wrong type".to_string());
        }
        let wraps = !self.decorations().has(inst.id, Decoration::NoSignedWrap);
        let value = match wraps || op.is_float() {
            true => self.with_float_flags(inst, |this| this.b.binary(op, a, b)),
            false => {
                let flags = crate::ir::OpFlags::NO_SIGNED_WRAP;
                self.b.with_flags(flags, |builder| builder.binary(op, a, b))
            }
        };
        self.give(inst, value)
    }

    /// Returns the two operands of an instruction, which must be integers or pointers of one type.
    fn comparable(&mut self, inst: &Inst<'_>) -> Result<[Value; 2], String> {
        let [a, b]: [u32; 2] = inst.get()?;
        let mut values = [self.one(a)?, self.one(b)?];
        let [mut x, mut y] = values.map(|value| self.b.ty(value));
        let is_equality = matches!(inst.op, Op::IEqual | Op::INotEqual);
        if is_equality && x == y && x.scalar.is_float() {
            // clang 22 compares the results of a compare-and-exchange on floats in this way; it means their bits.
            values = values.map(|value| self.b.as_bits(value));
            [x, y] = values.map(|value| self.b.ty(value));
        }
        match x == y && (x.scalar.is_int() || x.scalar.is_ptr()) {
            true => Ok(values),
            false => Err("the operands differ in type, or are no integers".to_string()),
        }
    }

    fn unary_operation(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        use ScalarKinds as Kinds;
        let kinds = match inst.op {
            Op::SNegate | Op::Not | Op::BitReverse | Op::BitCount => Kinds::INT,
            Op::LogicalNot => Kinds::BOOL,
            Op::FNegate | Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => {
                Kinds::FLOAT
            }
            _ => return unsupported(),
        };
        let arg = self.number(inst.arg(0)?)?;
        self.check_kind(arg, kinds)?;
        let result = self.numeric_result(inst)?;
        let value = self.with_float_flags(inst, |this| match inst.op {
            Op::SNegate => Ok(this.b.unary(UnaryOp::INeg, arg)),
            Op::Not | Op::LogicalNot => Ok(this.b.unary(UnaryOp::Not, arg)),
            Op::FNegate => Ok(this.b.unary(UnaryOp::FNeg, arg)),
            Op::BitReverse => Ok(this.b.math(MathOp::BitReverse, &[arg])),
            Op::BitCount => {
                let count = this.b.math(MathOp::PopCount, &[arg]);
                match result.scalar.is_int() {
                    true => Ok(this.b.resize_lanes(count, result.scalar, false)),
                    false => Err("its type is not that of integers".to_string()),
                }
            }
            _ => this.classification(inst.op, arg),
        })?;
        self.give(inst, value)
    }

    /// `isnan` and its like, as bools.
    fn classification(&mut self, op: Op, arg: Value) -> Result<Value, String> {
        let name = match op {
            Op::IsNan => "isnan",
            Op::IsInf => "isinf",
            Op::IsFinite => "isfinite",
            Op::IsNormal => "isnormal",
            _ => "signbit",
        };
        let ty = self.b.ty(arg);
        // OpenCL C's functions return int for scalars, and for vectors integers as wide as the floats.
        let bits = if ty.lanes == 1 { 32 } else { ty.scalar.bits() };
        let types = self.arg_types(&[arg], true);
        let result = ty.with_scalar(Scalar::int(bits));
        let truth = self.builtin(name, &[arg], &types, result)?;
        let truth = truth.ok_or("it is not supported for these types")?;
        Ok(self.b.is_nonzero(truth))
    }

    /// The remainder with the sign of the dividend.
    fn float_remainder(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let args = self.operands(inst, ScalarKinds::FLOAT)?;
        let value = self.fmod(args)?;
        self.give(inst, value)
    }

    fn fmod(&mut self, args: [Value; 2]) -> Result<Value, String> {
        let types = self.arg_types(&args, true);
        let result = self.b.ty(args[0]);
        let value = self.builtin("fmod", &args, &types, result)?;
        value.ok_or_else(|| "it is not supported for these types".to_string())
    }

    /// The remainder with the sign of the divisor.
    fn float_modulo(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [a, b] = self.operands(inst, ScalarKinds::FLOAT)?;
        let rest = self.fmod([a, b])?;
        let ty = self.b.ty(rest);
        let zero = self.b.zero(ty);
        let is_less = self.b.fcmp(FloatCC::Olt, rest, zero);
        let divides_less = self.b.fcmp(FloatCC::Olt, b, zero);
        let nonzero = self.b.fcmp(FloatCC::One, rest, zero);
        let differ = self.b.binary(BinaryOp::Xor, is_less, divides_less);
        let differ = self.b.binary(BinaryOp::And, differ, nonzero);
        let moved = self.b.binary(BinaryOp::FAdd, rest, b);
        let value = self.b.select(differ, moved, rest);
        self.give(inst, value)
    }

    /// The remainder with the sign of the divisor.
    fn signed_modulo(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [a, b] = self.operands(inst, ScalarKinds::INT)?;
        let rest = self.b.binary(BinaryOp::SRem, a, b);
        let signs = self.b.binary(BinaryOp::Xor, rest, b);
        let differ = self.b.is_negative(signs);
        let zero = self.b.zero(self.b.ty(rest));
        let nonzero = self.b.icmp(IntCC::Ne, rest, zero);
        let differ = self.b.binary(BinaryOp::And, differ, nonzero);
        let moved = self.b.binary(BinaryOp::IAdd, rest, b);
        let value = self.b.select(differ, moved, rest);
        self.give(inst, value)
    }

    fn scaled(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [vector, scalar]: [u32; 2] = inst.get()?;
        let (vector, scalar) = (self.number(vector)?, self.number(scalar)?);
        self.check_kind(vector, ScalarKinds::FLOAT)?;
        if self.b.ty(scalar) != self.b.ty(vector).lane() {
            return Err("the scalar is not of the vector's component type".to_string());
        }
        let value = self.with_float_flags(inst, |this| {
            let scalar = this.b.match_lanes(scalar, vector);
            this.b.binary(BinaryOp::FMul, vector, scalar)
        });
        self.give(inst, value)
    }

    fn dot(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [a, b] = self.operands(inst, ScalarKinds::FLOAT)?;
        let value = self.with_float_flags(inst, |this| {
            let products = this.b.binary(BinaryOp::FMul, a, b);
            let lanes = this.lanes(products);
            lanes.into_iter().reduce(|sum, lane| this.b.binary(BinaryOp::FAdd, sum, lane))
        });
        self.give(inst, value.ok_or("it is not of vectors")?)
    }

    fn selected(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [cond, then, otherwise]: [u32; 3] = inst.get()?;
        let cond = self.number(cond)?;
        let (then, otherwise) = (self.val(then)?, self.val(otherwise)?);
        if !self.m.types.alike(then.ty, otherwise.ty) {
            return Err("the operands differ in type".to_string());
        }
        let lanes = self.b.ty(cond).lanes;
        self.check_kind(cond, ScalarKinds::BOOL)?;
        let mut leaves = Vec::with_capacity(then.leaves.len());
        for (&then, &otherwise) in then.leaves.iter().zip(&otherwise.leaves) {
            if lanes != 1 && lanes != self.b.ty(then).lanes {
                return Err("the condition has another number of components".to_string());
            }
            let chosen = match self.b.ty(then).scalar.is_matrix() {
                true => self.chosen_matrix(cond, then, otherwise),
                false => self.b.select(cond, then, otherwise),
            };
            leaves.push(chosen);
        }
        self.define(inst, &leaves)
    }

    /// Translates the instructions that return both words of a sum, difference or product, in a struct.
    fn extended_arithmetic(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [a, b] = self.operands(inst, ScalarKinds::INT)?;
        let (low, high) = match inst.op {
            Op::IAddCarry => {
                let sum = self.b.binary(BinaryOp::IAdd, a, b);
                (sum, self.b.icmp(IntCC::Ult, sum, a))
            }
            Op::ISubBorrow => (self.b.binary(BinaryOp::ISub, a, b), self.b.icmp(IntCC::Ult, a, b)),
            Op::UMulExtended => {
                (self.b.binary(BinaryOp::IMul, a, b), self.b.binary(BinaryOp::UMulHi, a, b))
            }
            _ => (self.b.binary(BinaryOp::IMul, a, b), self.b.binary(BinaryOp::SMulHi, a, b)),
        };
        let ty = self.b.ty(low);
        let high = match self.b.ty(high).scalar {
            Scalar::Bool => {
                let (zero, one) = (self.b.zero(ty), self.b.iconst(ty, 1));
                self.b.select(high, one, zero)
            }
            _ => high,
        };
        self.define(inst, &[low, high])
    }

    /// Translates a shift. The result is undefined if the amount is not less than the width; here it counts modulo the width.
    fn shift(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [base, by]: [u32; 2] = inst.get()?;
        let (base, by) = (self.number(base)?, self.number(by)?);
        self.check_kind(base, ScalarKinds::INT)?;
        let by = self.same_lanes(by, base)?;
        let op = match inst.op {
            Op::ShiftLeftLogical => BinaryOp::Shl,
            Op::ShiftRightLogical => BinaryOp::LShr,
            _ => BinaryOp::AShr,
        };
        let width = i64::from(self.b.ty(base).scalar.bits());
        let by = self.b.and_const(by, width - 1);
        let value = self.b.binary(op, base, by);
        self.give(inst, value)
    }

    /// Converts an integer to the type of another one, which must have the same number of components.
    fn same_lanes(&mut self, value: Value, like: Value) -> Result<Value, String> {
        self.check_kind(value, ScalarKinds::INT)?;
        let (ty, wanted) = (self.b.ty(value), self.b.ty(like));
        match ty.lanes == wanted.lanes {
            true => Ok(self.b.resize_lanes(value, wanted.scalar, false)),
            false => Err("the operands differ in the number of components".to_string()),
        }
    }

    /// Translates an operation on a bit field. Fields that reach beyond the number, or have no bits, give any value.
    fn bit_field(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let base = self.number(inst.arg(0)?)?;
        self.check_kind(base, ScalarKinds::INT)?;
        let ty = self.b.ty(base);
        let width = i64::from(ty.scalar.bits());
        let is_insert = inst.op == Op::BitFieldInsert;
        let first = if is_insert { 2 } else { 1 };
        let [offset, count] = [inst.arg(first)?, inst.arg(first + 1)?];
        let mut amount = |id| -> Result<Value, String> {
            let value = self.number(id)?;
            self.check_kind(value, ScalarKinds::INT)?;
            if self.b.ty(value).lanes != 1 {
                return Err("offset and count are not scalars".to_string());
            }
            let value = self.b.resize_lanes(value, ty.scalar, false);
            Ok(self.b.splat(value, ty.lanes))
        };
        let (offset, count) = (amount(offset)?, amount(count)?);
        let all = self.b.iconst(ty, width);
        let shift = |this: &mut Self, op, value, by| {
            let masked = this.b.and_const(by, width - 1);
            this.b.binary(op, value, masked)
        };
        let none = self.b.icmp_imm(IntCC::Eq, count, 0);
        let value = if is_insert {
            let insert = self.numbers([inst.arg(0)?, inst.arg(1)?])?[1];
            let unused = self.b.binary(BinaryOp::ISub, all, count);
            let ones = self.b.iconst(ty, -1);
            let mask = shift(self, BinaryOp::LShr, ones, unused);
            let mask = shift(self, BinaryOp::Shl, mask, offset);
            let field = shift(self, BinaryOp::Shl, insert, offset);
            let field = self.b.binary(BinaryOp::And, field, mask);
            let kept = self.b.unary(UnaryOp::Not, mask);
            let kept = self.b.binary(BinaryOp::And, base, kept);
            let value = self.b.binary(BinaryOp::Or, kept, field);
            self.b.select(none, base, value)
        } else {
            let end = self.b.binary(BinaryOp::IAdd, offset, count);
            let above = self.b.binary(BinaryOp::ISub, all, end);
            let top = shift(self, BinaryOp::Shl, base, above);
            let unused = self.b.binary(BinaryOp::ISub, all, count);
            let is_signed = inst.op == Op::BitFieldSExtract;
            let op = if is_signed { BinaryOp::AShr } else { BinaryOp::LShr };
            let value = shift(self, op, top, unused);
            let zero = self.b.zero(ty);
            self.b.select(none, zero, value)
        };
        self.give(inst, value)
    }

    fn vote(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let mut arg = self.number(inst.arg(0)?)?;
        if self.b.ty(arg).scalar.is_int() {
            // clang 22 writes any() and all() of integers in this way, which test the most significant bits.
            arg = self.b.is_negative(arg);
        }
        self.check_kind(arg, ScalarKinds::BOOL)?;
        let op = if inst.op == Op::Any { BinaryOp::Or } else { BinaryOp::And };
        let lanes = self.lanes(arg);
        let value = lanes.into_iter().reduce(|a, b| self.b.binary(op, a, b));
        self.give(inst, value.unwrap_or(arg))
    }
}
