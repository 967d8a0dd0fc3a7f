//! Expressions: values, truth values, records.

use super::function::Lowering;
use super::types;
use crate::ir::{
    Addr, AddressSpace, BinaryOp, Block, FloatCC, IntCC, OpFlags, Type, UnaryOp, Value, Within,
};
use crate::sema::hir::{ArithOp, CompareOp, Expr, ExprKind, FunctionId, PlaceKind};
use crate::sema::types::{Scalar as Name, TypeKind};
use crate::source::Span;

/// The most nodes of an expression that is computed in any case, instead of in a branch.
const CHEAP_NODES: u32 = 8;

impl Lowering<'_, '_> {
    /// Evaluates an expression for its side effects.
    pub fn discard(&mut self, expr: &Expr) {
        let outer = self.enter(expr.span);
        match &expr.kind {
            ExprKind::IncDec { place, increment, stride, .. } => {
                self.inc_dec(place, *increment, true, *stride);
            }
            // A load of a non-volatile object whose value is not used has no effect.
            ExprKind::Load(place) if !place.is_volatile => {
                self.place(place);
            }
            _ => {
                self.any(expr);
            }
        }
        self.stand_back(outer);
    }

    /// Evaluates an expression of any type. Returns `None` for void and for records, which are evaluated, too.
    pub fn any(&mut self, expr: &Expr) -> Option<Value> {
        let outer = self.enter(expr.span);
        if self.is_record(expr.ty) {
            self.record(expr);
            self.stand_back(outer);
            return None;
        }
        let result = match &expr.kind {
            ExprKind::Call { function, args } => self.call(*function, args, expr),
            ExprKind::Builtin { function, args } => self.builtin(*function, args, expr),
            ExprKind::Matrix { call, args } => self.matrix_call(*call, expr, args),
            ExprKind::Conditional { cond, then, otherwise } if self.is_void(expr.ty) => {
                self.branch_void(cond, then, otherwise);
                None
            }
            ExprKind::Comma(first, second) => {
                self.discard(first);
                self.any(second)
            }
            ExprKind::StmtExpr { body, value } => {
                self.stmts(body);
                value.as_ref().and_then(|value| self.any(value))
            }
            ExprKind::InitThen { local, init, value } => {
                self.initialize(*local, init);
                self.any(value)
            }
            ExprKind::Convert { value, .. } if self.is_void(expr.ty) => {
                self.discard(value);
                None
            }
            _ => Some(self.value(expr)),
        };
        self.stand_back(outer);
        result
    }

    /// Evaluates an expression of scalar, vector or pointer type.
    pub fn value(&mut self, expr: &Expr) -> Value {
        let outer = self.enter(expr.span);
        let ty = self.value_type(expr.ty);
        if ty.scalar.is_matrix() {
            if let Some(result) = self.matrix_operator(expr) {
                self.stand_back(outer);
                return result;
            }
        }
        let result = match &expr.kind {
            ExprKind::Int(bits) if ty.scalar.is_float() => self.b.fconst(ty, *bits as f64),
            ExprKind::Int(bits) => self.b.iconst(ty, *bits as i64),
            ExprKind::Float(value) => self.b.fconst(ty, *value),
            ExprKind::NullPointer | ExprKind::Zero => self.b.zero(ty),
            ExprKind::Load(place) => {
                let lvalue = self.place(place);
                self.read(&lvalue, ty)
            }
            ExprKind::AddressOf(place) => self.address_of(place).ptr,
            ExprKind::Neg(value) => {
                let value = self.value(value);
                let op = if ty.scalar.is_float() { UnaryOp::FNeg } else { UnaryOp::INeg };
                self.b.unary(op, value)
            }
            ExprKind::BitNot(value) => {
                let value = self.value(value);
                self.b.unary(UnaryOp::Not, value)
            }
            ExprKind::Not(value) if ty.is_vector() => self.vector_not(value, ty),
            ExprKind::Not(_) | ExprKind::Logical { .. } => {
                let truth = self.truth(expr);
                self.b.int_of_bool(truth, ty)
            }
            ExprKind::Compare(op, lhs, rhs) => {
                let truth = self.compare(*op, lhs, rhs);
                self.b.int_of_bool(truth, ty)
            }
            ExprKind::Arith(op, lhs, rhs) if self.contracts(*op, &[lhs, rhs]) => {
                let (lhs, rhs) = (self.term(lhs), self.term(rhs));
                let rhs = self.b.match_lanes(rhs, lhs);
                let name = self.numeric(expr.ty).0;
                self.contractible(|lowering| lowering.arith(*op, lhs, rhs, name))
            }
            ExprKind::Arith(op, lhs, rhs) => {
                let (lhs, rhs) = (self.value(lhs), self.value(rhs));
                let rhs = self.b.match_lanes(rhs, lhs);
                self.arith(*op, lhs, rhs, self.numeric(expr.ty).0)
            }
            ExprKind::Shift { left, value, amount } => {
                let (value, amount) = (self.value(value), self.value(amount));
                self.shift(*left, value, amount, self.numeric(expr.ty).0)
            }
            ExprKind::VectorLogical { and, lhs, rhs } => self.vector_logical(*and, lhs, rhs, ty),
            ExprKind::Conditional { cond, then, otherwise } => {
                self.conditional(cond, then, otherwise, ty)
            }
            ExprKind::VectorSelect { cond, then, otherwise } => {
                let (cond, then) = (self.value(cond), self.value(then));
                let otherwise = self.value(otherwise);
                let negative = self.b.is_negative(cond);
                self.b.select(negative, then, otherwise)
            }
            _ => self.value_of_operation(expr, ty),
        };
        self.stand_back(outer);
        result
    }

    /// Evaluates the expressions that [`Self::value`] does not handle itself: conversions, pointers, vectors, assignments,
    /// calls.
    fn value_of_operation(&mut self, expr: &Expr, ty: Type) -> Value {
        match &expr.kind {
            ExprKind::Convert { .. } if self.numeric(expr.ty) == (Name::Bool, 1) => {
                self.truth(expr)
            }
            ExprKind::Convert { value, rounding, saturate } => {
                let from = self.numeric(value.ty).0;
                let to = self.numeric(expr.ty).0;
                let value = self.value(value);
                self.convert_with(value, (from, to), *rounding, *saturate)
            }
            ExprKind::Splat(value) => {
                let value = self.value(value);
                self.b.splat(value, ty.lanes)
            }
            ExprKind::Bitcast(value) => {
                let value = self.value(value);
                self.reinterpret(value, ty)
            }
            ExprKind::PointerCast(value) => {
                let value = self.value(value);
                self.pointer_cast(value, ty)
            }
            ExprKind::PointerToInt(value) => {
                let value = self.value(value);
                let address = self.b.address(value);
                self.b.resize_lanes(address, ty.scalar, false)
            }
            ExprKind::IntToPointer(value) => {
                let signed = self.numeric(value.ty).0.is_signed();
                let value = self.value(value);
                self.int_to_pointer(value, signed, ty)
            }
            ExprKind::PointerAdd { pointer, index, stride, subtract } => {
                self.pointer_add(pointer, index, (*stride, *subtract), Within::ANYWHERE)
            }
            ExprKind::PointerDiff { lhs, rhs, stride } => self.pointer_diff(lhs, rhs, *stride),
            ExprKind::VectorLiteral(parts) => self.vector_literal(parts, ty),
            ExprKind::Swizzle { value, lanes } => {
                let value = self.value(value);
                self.b.swizzle(value, lanes)
            }
            ExprKind::Assign { place, value } => match self.assign(place, value) {
                Some(value) => value,
                None => self.b.undef(ty),
            },
            ExprKind::CompoundAssign { place, op, value, compute } => {
                self.compound_assign(place, *op, value, *compute)
            }
            ExprKind::PointerAssign { place, index, stride, subtract } => {
                self.pointer_assign(place, index, *stride, *subtract)
            }
            ExprKind::IncDec { place, increment, prefix, stride } => {
                self.inc_dec(place, *increment, *prefix, *stride)
            }
            ExprKind::Enqueue(enqueue) => self.enqueue(enqueue, expr.span),
            ExprKind::KernelProperty { property, kernel, range } => {
                self.kernel_property(*property, *kernel, range.as_deref(), expr.span)
            }
            ExprKind::Call { .. }
            | ExprKind::Builtin { .. }
            | ExprKind::Matrix { .. }
            | ExprKind::Comma(..)
            | ExprKind::InitThen { .. }
            | ExprKind::StmtExpr { .. } => match self.any(expr) {
                Some(value) => value,
                None => self.b.undef(ty),
            },
            _ => self.b.undef(ty),
        }
    }

    /// Evaluates a scalar expression as a condition, directly to a bool instead of an int 0 or 1.
    pub fn truth(&mut self, expr: &Expr) -> Value {
        let outer = self.enter(expr.span);
        let result = match &expr.kind {
            ExprKind::Compare(op, lhs, rhs) if self.numeric(expr.ty).1 == 1 => {
                self.compare(*op, lhs, rhs)
            }
            ExprKind::Not(value) => {
                let value = self.truth(value);
                self.b.unary(UnaryOp::Not, value)
            }
            ExprKind::Logical { and, lhs, rhs } => self.logical(*and, lhs, rhs),
            ExprKind::Convert { value, .. } if self.numeric(expr.ty) == (Name::Bool, 1) => {
                self.truth(value)
            }
            _ => {
                let value = self.value(expr);
                self.b.is_nonzero(value)
            }
        };
        self.stand_back(outer);
        result
    }

    fn vector_not(&mut self, value: &Expr, ty: Type) -> Value {
        let value = self.value(value);
        let truth = self.b.is_nonzero(value);
        let truth = self.b.unary(UnaryOp::Not, truth);
        self.b.int_of_bool(truth, ty)
    }

    fn vector_logical(&mut self, and: bool, lhs: &Expr, rhs: &Expr, ty: Type) -> Value {
        let (lhs, rhs) = (self.value(lhs), self.value(rhs));
        let (lhs, rhs) = (self.b.is_nonzero(lhs), self.b.is_nonzero(rhs));
        let op = if and { BinaryOp::And } else { BinaryOp::Or };
        let truth = self.b.binary(op, lhs, rhs);
        self.b.int_of_bool(truth, ty)
    }

    fn compare(&mut self, op: CompareOp, lhs: &Expr, rhs: &Expr) -> Value {
        let signed = match self.types().kind(lhs.ty) {
            TypeKind::Scalar(name) | TypeKind::Vector(name, _) => name.is_signed(),
            _ => false,
        };
        let (lhs, rhs) = (self.value(lhs), self.value(rhs));
        if self.b.ty(lhs).scalar.is_float() {
            return self.b.fcmp(float_cc(op), lhs, rhs);
        }
        let (lhs, rhs) = (self.b.address(lhs), self.b.address(rhs));
        self.b.icmp(int_cc(op, signed), lhs, rhs)
    }

    /// `lhs op rhs` in a numeric type.
    pub fn arith(&mut self, op: ArithOp, lhs: Value, rhs: Value, name: Name) -> Value {
        let (float, signed) = (name.is_float(), name.is_signed());
        let op = match op {
            ArithOp::Add if float => BinaryOp::FAdd,
            ArithOp::Sub if float => BinaryOp::FSub,
            ArithOp::Mul if float => BinaryOp::FMul,
            ArithOp::Div if float => return self.float_divide(lhs, rhs),
            ArithOp::Rem if float => BinaryOp::FRem,
            ArithOp::Add => BinaryOp::IAdd,
            ArithOp::Sub => BinaryOp::ISub,
            ArithOp::Mul => BinaryOp::IMul,
            ArithOp::Div if signed => BinaryOp::SDiv,
            ArithOp::Div => BinaryOp::UDiv,
            ArithOp::Rem if signed => BinaryOp::SRem,
            ArithOp::Rem => BinaryOp::URem,
            ArithOp::And => BinaryOp::And,
            ArithOp::Or => BinaryOp::Or,
            ArithOp::Xor => BinaryOp::Xor,
        };
        self.b.with_flags(Self::overflow_flags(op, name), |b| b.binary(op, lhs, rhs))
    }

    /// Returns the flags of an operation on a type in which overflow is undefined (C99 6.5 p5).
    pub fn overflow_flags(op: BinaryOp, name: Name) -> OpFlags {
        let may_overflow = matches!(op, BinaryOp::IAdd | BinaryOp::ISub | BinaryOp::IMul);
        match may_overflow && matches!(name, Name::Int | Name::Long | Name::LongLong) {
            true => OpFlags::NO_SIGNED_WRAP,
            false => OpFlags::empty(),
        }
    }

    /// Emits a shift; the amount counts modulo the width (OpenCL C 6.5.9).
    pub fn shift(&mut self, left: bool, value: Value, amount: Value, name: Name) -> Value {
        let ty = self.b.ty(value);
        let amount = self.b.match_lanes(amount, value);
        let amount = self.b.resize_lanes(amount, ty.scalar, false);
        let mask = i64::from(ty.scalar.bits().saturating_sub(1));
        let amount = match self.b.func.as_const(amount) {
            Some(bits) => self.b.iconst(ty, bits as i64 & mask),
            None => {
                let mask = self.b.iconst(ty, mask);
                self.b.binary(BinaryOp::And, amount, mask)
            }
        };
        let op = match (left, name.is_signed()) {
            (true, _) => BinaryOp::Shl,
            (false, true) => BinaryOp::AShr,
            (false, false) => BinaryOp::LShr,
        };
        self.b.binary(op, value, amount)
    }

    fn logical(&mut self, and: bool, lhs: &Expr, rhs: &Expr) -> Value {
        let left = self.truth(lhs);
        if self.is_cheap(rhs) {
            let right = self.truth(rhs);
            let op = if and { BinaryOp::And } else { BinaryOp::Or };
            return self.b.binary(op, left, right);
        }
        let more = self.b.new_block();
        let join = self.b.new_block();
        let result = self.b.func.add_param(join, Type::BOOL);
        let short = self.b.func.bool_const(!and);
        self.branch(left, and, more, join, short);
        self.b.switch_to(more);
        let right = self.truth(rhs);
        self.b.jump(join, &[right]);
        self.b.switch_to(join);
        result
    }

    /// Branches to `more` if `cond` is `on`, else to `join` with `arg`.
    fn branch(&mut self, cond: Value, on: bool, more: Block, join: Block, arg: Value) {
        // `brif` passes no arguments, so a block of its own passes `arg`.
        let skip = self.b.new_block();
        let (then, otherwise) = if on { (more, skip) } else { (skip, more) };
        self.b.brif(cond, then, otherwise);
        self.b.switch_to(skip);
        self.b.jump(join, &[arg]);
    }

    fn conditional(&mut self, cond: &Expr, then: &Expr, otherwise: &Expr, ty: Type) -> Value {
        let cond = self.truth(cond);
        let private = ty.space() == Some(AddressSpace::Private);
        if self.is_cheap(then) && self.is_cheap(otherwise) && !private {
            let (then, otherwise) = (self.value(then), self.value(otherwise));
            return self.b.select(cond, then, otherwise);
        }
        let sides = [then, otherwise];
        let join = self.in_branches(cond, sides, |lowering, side| Some(lowering.value(side)));
        self.b.func.add_param(join, ty)
    }

    fn branch_void(&mut self, cond: &Expr, then: &Expr, otherwise: &Expr) {
        let cond = self.truth(cond);
        self.in_branches(cond, [then, otherwise], |lowering, side| {
            lowering.discard(side);
            None
        });
    }

    /// Evaluates one of two expressions by a condition, each in a branch of its own. `evaluate` returns the value to pass to
    /// the block where the branches join. Returns this block.
    pub(super) fn in_branches(
        &mut self,
        cond: Value,
        sides: [&Expr; 2],
        mut evaluate: impl FnMut(&mut Self, &Expr) -> Option<Value>,
    ) -> Block {
        let blocks = sides.map(|_| self.b.new_block());
        let join = self.b.new_block();
        self.b.brif(cond, blocks[0], blocks[1]);
        for (block, side) in blocks.into_iter().zip(sides) {
            self.b.switch_to(block);
            let value = evaluate(self, side);
            self.b.jump(join, value.as_slice());
        }
        self.b.switch_to(join);
        join
    }

    fn is_cheap(&self, expr: &Expr) -> bool {
        // With this check only reads of the program itself may be executed.
        if self.checks_init() {
            return false;
        }
        let mut budget = CHEAP_NODES;
        self.spend(expr, &mut budget)
    }

    /// Subtracts the number of an expression's nodes from the budget. Returns true if the expression has no side effect, reads
    /// only private variables and fits the budget.
    fn spend(&self, expr: &Expr, budget: &mut u32) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::NullPointer | ExprKind::Zero => true,
            ExprKind::Load(place) => {
                let private = match &place.kind {
                    PlaceKind::Local(_) => true,
                    PlaceKind::Components { base, .. } => {
                        matches!(base.kind, PlaceKind::Local(_))
                    }
                    _ => false,
                };
                private && !place.is_volatile && !self.is_record(place.ty)
            }
            ExprKind::Neg(x) | ExprKind::BitNot(x) | ExprKind::Not(x) | ExprKind::Splat(x) => {
                self.spend(x, budget)
            }
            ExprKind::Bitcast(x) | ExprKind::Swizzle { value: x, .. } => self.spend(x, budget),
            ExprKind::Convert { value, rounding: None, saturate: false } => {
                self.spend(value, budget)
            }
            ExprKind::Arith(op, a, b) => {
                !matches!(op, ArithOp::Div | ArithOp::Rem)
                    && self.spend(a, budget)
                    && self.spend(b, budget)
            }
            ExprKind::Shift { value: a, amount: b, .. }
            | ExprKind::Compare(_, a, b)
            | ExprKind::Logical { lhs: a, rhs: b, .. } => {
                self.spend(a, budget) && self.spend(b, budget)
            }
            _ => false,
        }
    }

    fn vector_literal(&mut self, parts: &[Expr], ty: Type) -> Value {
        let mut lanes = Vec::new();
        for part in parts {
            let value = self.value(part);
            for lane in 0..self.b.ty(value).lanes {
                lanes.push(self.b.extract(value, lane));
            }
        }
        if lanes.len() != usize::from(ty.lanes) || ty.lanes < 2 {
            return self.b.undef(ty);
        }
        self.b.build(&lanes)
    }

    /// Returns the same bits as another type; vectors of 3 count as 4 with an undefined last component.
    pub fn reinterpret(&mut self, value: Value, to: Type) -> Value {
        let from = self.b.ty(value);
        if from == to {
            return value;
        }
        if from.bits() == to.bits() {
            return self.b.bitcast(value, to);
        }
        let widened = match from.lanes {
            3 => self.b.swizzle(value, &[0, 1, 2, 2]),
            _ => value,
        };
        let full = if to.lanes == 3 { Type::vector(to.scalar, 4) } else { to };
        if self.b.ty(widened).bits() != full.bits() {
            return self.b.undef(to);
        }
        let whole = self.b.bitcast(widened, full);
        if to.lanes == 3 {
            self.b.swizzle(whole, &[0, 1, 2])
        } else {
            whole
        }
    }

    /// Evaluates an expression whose value is a record. Returns the address of an object with this value, which must not be
    /// written to.
    pub fn record(&mut self, expr: &Expr) -> Addr {
        let outer = self.enter(expr.span);
        let result = match &expr.kind {
            ExprKind::Load(place) => self.address_of(place),
            ExprKind::Assign { place, value } => self.assign_record(place, value),
            ExprKind::Call { function, args } => {
                let result = self.temporary(expr.ty);
                self.emit_call(*function, args, Some(result), expr.span);
                result
            }
            ExprKind::Conditional { cond, then, otherwise } => {
                let result = self.temporary(expr.ty);
                let cond = self.truth(cond);
                self.in_branches(cond, [then, otherwise], |lowering, side| {
                    let from = lowering.record(side);
                    lowering.copy_value(side, expr.ty, result, from);
                    None
                });
                result
            }
            ExprKind::Comma(first, second) => {
                self.discard(first);
                self.record(second)
            }
            ExprKind::InitThen { local, init, value } => {
                self.initialize(*local, init);
                self.record(value)
            }
            ExprKind::StmtExpr { body, value: Some(value) } => {
                self.stmts(body);
                self.record(value)
            }
            _ => {
                let result = self.temporary(expr.ty);
                self.zero_object(expr.ty, result);
                result
            }
        };
        self.stand_back(outer);
        result
    }

    fn call(&mut self, function: FunctionId, args: &[Expr], expr: &Expr) -> Option<Value> {
        self.emit_call(function, args, None, expr.span)
    }

    fn emit_call(
        &mut self,
        function: FunctionId,
        args: &[Expr],
        result: Option<Addr>,
        span: Span,
    ) -> Option<Value> {
        let mut values: Vec<Value> = result.map(|addr| addr.ptr).into_iter().collect();
        for arg in args {
            let value = if self.is_record(arg.ty) {
                let from = self.record(arg);
                let copy = self.temporary(arg.ty);
                self.copy_value(arg, arg.ty, copy, from);
                copy.ptr
            } else {
                self.value(arg)
            };
            values.push(value);
        }
        let func = self.context.function(self.origin, function, span);
        let ret = types::value_type(self.types(), self.hir.functions[function].ret);
        self.b.call(func, &values, ret)
    }
}

fn float_cc(op: CompareOp) -> FloatCC {
    match op {
        CompareOp::Eq => FloatCC::Oeq,
        CompareOp::Ne => FloatCC::Une,
        CompareOp::Lt => FloatCC::Olt,
        CompareOp::Le => FloatCC::Ole,
        CompareOp::Gt => FloatCC::Ogt,
        CompareOp::Ge => FloatCC::Oge,
    }
}

fn int_cc(op: CompareOp, signed: bool) -> IntCC {
    match (op, signed) {
        (CompareOp::Eq, _) => IntCC::Eq,
        (CompareOp::Ne, _) => IntCC::Ne,
        (CompareOp::Lt, true) => IntCC::Slt,
        (CompareOp::Le, true) => IntCC::Sle,
        (CompareOp::Gt, true) => IntCC::Sgt,
        (CompareOp::Ge, true) => IntCC::Sge,
        (CompareOp::Lt, false) => IntCC::Ult,
        (CompareOp::Le, false) => IntCC::Ule,
        (CompareOp::Gt, false) => IntCC::Ugt,
        (CompareOp::Ge, false) => IntCC::Uge,
    }
}
