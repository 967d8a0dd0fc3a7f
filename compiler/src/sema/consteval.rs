//! Constant expressions (C99 6.6): values of typed expressions that are known at compile time, and their bytes.

use super::hir::{ArithOp, CompareOp, Expr, ExprKind, GlobalId, LocalId, Place, PlaceKind};
use super::init_bytes::ConstantImage;
use super::types::{Scalar, TypeId, TypeKind};
use super::Sema;
use crate::rounding::half_bits;
use crate::syntax::ast::AddressSpace;
use half::f16;

/// A value known at compile time; the expression has its type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Const {
    /// Integer, bool or pointer without an object: bits truncated to the width, zero extended.
    Int(u64),
    /// A floating-point number, which is exactly representable in its type.
    Float(f64),
    Vector(Vec<Const>),
    /// The address of an object plus a number of bytes.
    Address {
        target: GlobalId,
        addend: i64,
    },
    /// The value of a record or opaque type whose bits are all zero.
    Zero,
}

impl Const {
    fn truth(&self) -> Option<bool> {
        match *self {
            Const::Int(bits) => Some(bits != 0),
            Const::Float(v) => Some(v != 0.0),
            Const::Address { .. } => Some(true),
            _ => None,
        }
    }
}

/// Returns bits truncated to a type's width.
fn truncate(bits: u64, scalar: Scalar) -> u64 {
    match scalar.size() {
        _ if scalar == Scalar::Bool => u64::from(bits != 0),
        8 => bits,
        size => bits & ((1 << (8 * size)) - 1),
    }
}

/// Returns the integer that bits of a type encode.
fn number(bits: u64, scalar: Scalar) -> i128 {
    if scalar.is_signed() {
        let shift = 64 - 8 * scalar.size();
        i128::from(((bits << shift) as i64) >> shift)
    } else {
        i128::from(bits)
    }
}

/// Returns a value rounded to a floating type.
fn round_to(v: f64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Half => f16::from_bits(half_bits(v)).to_f64(),
        Scalar::Float => f64::from(v as f32),
        _ => v,
    }
}

/// Converts a scalar constant; `None` if the result is not known at compile time.
pub(super) fn convert_scalar(v: &Const, from: Scalar, to: Scalar) -> Option<Const> {
    Some(match *v {
        _ if to == Scalar::Bool => Const::Int(u64::from(v.truth()?)),
        Const::Int(bits) if to.is_float() => {
            let n = number(bits, from);
            Const::Float(match to {
                Scalar::Float => f64::from(n as f32),
                _ => round_to(n as f64, to),
            })
        }
        Const::Int(bits) => Const::Int(truncate(number(bits, from) as u64, to)),
        Const::Float(v) if to.is_float() => Const::Float(round_to(v, to)),
        Const::Float(v) => {
            let width = 8 * to.size();
            let (low, high) = match to.is_signed() {
                true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
                false => (0, (1i128 << width) - 1),
            };
            Const::Int(truncate((v as i128).clamp(low, high) as u64, to))
        }
        _ => return None,
    })
}

impl Sema<'_> {
    /// Returns the value of a scalar integer expression, if it is known here.
    pub(super) fn eval_int(&self, expr: &Expr) -> Option<i128> {
        let TypeKind::Scalar(scalar) = *self.module.types.kind(expr.ty) else { return None };
        match self.eval(expr)? {
            Const::Int(bits) if !scalar.is_float() => Some(number(bits, scalar)),
            _ => None,
        }
    }

    /// Returns the value of an expression, if it is known here.
    pub(super) fn eval(&self, expr: &Expr) -> Option<Const> {
        let types = &self.module.types;
        match &expr.kind {
            ExprKind::Int(bits) => (!self.is_error(expr.ty)).then_some(Const::Int(*bits)),
            ExprKind::Float(v) => Some(Const::Float(*v)),
            ExprKind::NullPointer => Some(Const::Int(0)),
            ExprKind::Zero => Some(match types.numeric(expr.ty) {
                Some((scalar, lanes)) => {
                    let zero = if scalar.is_float() { Const::Float(0.0) } else { Const::Int(0) };
                    Const::Vector(vec![zero; usize::from(lanes)])
                }
                None => Const::Zero,
            }),
            ExprKind::Load(place) => self.eval_load(place),
            ExprKind::AddressOf(place) => {
                let (target, addend) = self.eval_address(place)?;
                Some(Const::Address { target, addend })
            }
            ExprKind::Neg(e) => self.map(e, |v, s| match *v {
                Const::Int(bits) => Some(Const::Int(truncate(bits.wrapping_neg(), s))),
                Const::Float(v) => Some(Const::Float(-v)),
                _ => None,
            }),
            ExprKind::BitNot(e) => self.map(e, |v, s| match *v {
                Const::Int(bits) => Some(Const::Int(truncate(!bits, s))),
                _ => None,
            }),
            ExprKind::Not(e) => {
                let (result, lanes) = types.numeric(expr.ty)?;
                let yes = if lanes > 1 { truncate(u64::MAX, result) } else { 1 };
                self.map(e, |v, _| Some(Const::Int(if v.truth()? { 0 } else { yes })))
            }
            ExprKind::Arith(op, a, b) => self.map2(a, b, |a, b, s| arith(*op, a, b, s)),
            ExprKind::Shift { left, value, amount } => self.eval_shift(*left, value, amount),
            ExprKind::Compare(op, a, b) => {
                let (result, lanes) = types.numeric(expr.ty)?;
                let yes = if lanes > 1 { truncate(u64::MAX, result) } else { 1 };
                self.map2(a, b, |a, b, s| {
                    Some(Const::Int(if compare(*op, a, b, s)? { yes } else { 0 }))
                })
            }
            ExprKind::Logical { and, lhs, rhs } => {
                let lhs = self.eval(lhs)?.truth()?;
                let result = if lhs == *and { self.eval(rhs)?.truth()? } else { lhs };
                Some(Const::Int(u64::from(result)))
            }
            ExprKind::Conditional { cond, then, otherwise } => {
                self.eval(if self.eval(cond)?.truth()? { then } else { otherwise })
            }
            ExprKind::Convert { value, rounding: None, saturate: false } => {
                self.eval_convert(value, expr.ty)
            }
            ExprKind::Splat(e) => {
                let (_, lanes) = types.numeric(expr.ty)?;
                Some(Const::Vector(vec![self.eval(e)?; usize::from(lanes)]))
            }
            ExprKind::Bitcast(e) => self.eval_bitcast(e, expr.ty),
            ExprKind::PointerCast(e) | ExprKind::PointerToInt(e) | ExprKind::IntToPointer(e) => {
                self.eval(e)
            }
            ExprKind::PointerAdd { pointer, index, stride, subtract } => {
                let offset = self.eval_int(index)?.checked_mul(i128::from(*stride))?;
                let offset = i64::try_from(if *subtract { -offset } else { offset }).ok()?;
                Some(match self.eval(pointer)? {
                    Const::Address { target, addend } => {
                        Const::Address { target, addend: addend.checked_add(offset)? }
                    }
                    Const::Int(bits) => Const::Int(bits.wrapping_add(offset as u64)),
                    _ => return None,
                })
            }
            ExprKind::VectorLiteral(parts) => {
                let mut lanes = Vec::new();
                for part in parts {
                    match self.eval(part)? {
                        Const::Vector(more) => lanes.extend(more),
                        lane => lanes.push(lane),
                    }
                }
                Some(Const::Vector(lanes))
            }
            ExprKind::Swizzle { value, lanes } => {
                let Const::Vector(values) = self.eval(value)? else { return None };
                let mut picked = Vec::new();
                for &lane in lanes {
                    picked.push(values.get(usize::from(lane))?.clone());
                }
                if picked.len() == 1 {
                    return picked.pop();
                }
                Some(Const::Vector(picked))
            }
            _ => None,
        }
    }

    fn map(&self, e: &Expr, f: impl Fn(&Const, Scalar) -> Option<Const>) -> Option<Const> {
        let (scalar, _) = self.module.types.numeric(e.ty)?;
        match self.eval(e)? {
            Const::Vector(lanes) => {
                Some(Const::Vector(lanes.iter().map(|v| f(v, scalar)).collect::<Option<_>>()?))
            }
            v => f(&v, scalar),
        }
    }

    fn map2(
        &self,
        a: &Expr,
        b: &Expr,
        f: impl Fn(&Const, &Const, Scalar) -> Option<Const>,
    ) -> Option<Const> {
        let (scalar, _) = self.module.types.numeric(a.ty)?;
        match (self.eval(a)?, self.eval(b)?) {
            (Const::Vector(a), Const::Vector(b)) => {
                let lanes = a.iter().zip(&b).map(|(a, b)| f(a, b, scalar));
                Some(Const::Vector(lanes.collect::<Option<_>>()?))
            }
            (a, b) => f(&a, &b, scalar),
        }
    }

    fn eval_shift(&self, left: bool, value: &Expr, amount: &Expr) -> Option<Const> {
        let (by, _) = self.module.types.numeric(amount.ty)?;
        self.map2(value, amount, |v, n, s| {
            let (&Const::Int(bits), &Const::Int(n)) = (v, n) else { return None };
            // The amount counts modulo the width of the shifted value (OpenCL C 6.4.10).
            let n = (number(n, by) as u64 & u64::from(8 * s.size() - 1)) as u32;
            let shifted = if left { bits << n } else { (number(bits, s) >> n) as u64 };
            Some(Const::Int(truncate(shifted, s)))
        })
    }

    fn eval_convert(&self, e: &Expr, ty: TypeId) -> Option<Const> {
        let types = &self.module.types;
        let (to, _) = types.numeric(ty)?;
        if types.as_pointer(e.ty).is_some() {
            return Some(Const::Int(u64::from(self.eval(e)?.truth()?)));
        }
        self.map(e, |v, from| convert_scalar(v, from, to))
    }

    fn eval_bitcast(&self, e: &Expr, ty: TypeId) -> Option<Const> {
        let value = self.eval(e)?;
        let mut image = ConstantImage::new(self.module.types.size(e.ty)?)?;
        self.write_const(&value, e.ty, 0, &mut image)?;
        self.read_const(&image.bytes, ty)
    }

    /// Returns the value of an object that never changes.
    fn eval_load(&self, place: &Place) -> Option<Const> {
        if place.is_volatile {
            return None;
        }
        if let PlaceKind::Local(id) = place.kind {
            return self.const_local(id);
        }
        let (target, addend) = self.eval_address(place)?;
        let global = self.module.globals.get(target)?;
        if !self.const_globals[target] || !global.relocations.is_empty() {
            return None;
        }
        let start = usize::try_from(addend).ok()?;
        let size = usize::try_from(self.module.types.size(place.ty)?).ok()?;
        let end = start.checked_add(size)?;
        match &global.init {
            Some(bytes) => self.read_const(bytes.get(start..end)?, place.ty),
            None => self.read_const(&vec![0; size], place.ty),
        }
    }

    fn const_local(&self, id: LocalId) -> Option<Const> {
        self.function.as_ref()?.const_locals.get(&id).cloned()
    }

    /// Returns the object and byte offset of a place, if they are known here.
    fn eval_address(&self, place: &Place) -> Option<(GlobalId, i64)> {
        match &place.kind {
            PlaceKind::Global(id) => Some((*id, 0)),
            PlaceKind::Field { base, offset } => {
                let (id, start) = self.eval_address(base)?;
                Some((id, start.checked_add(i64::from(*offset))?))
            }
            PlaceKind::Deref(pointer) => match self.eval(pointer)? {
                Const::Address { target, addend } => Some((target, addend)),
                _ => None,
            },
            PlaceKind::Components { base, lanes } => match lanes.as_slice() {
                [lane] => {
                    let (id, start) = self.eval_address(base)?;
                    let size = self.module.types.size(place.ty)? as i64;
                    Some((id, start.checked_add(i64::from(*lane) * size)?))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Reads a scalar or vector from its bytes.
    fn read_const(&self, bytes: &[u8], ty: TypeId) -> Option<Const> {
        let (scalar, lanes) = self.module.types.numeric(ty)?;
        let size = scalar.size() as usize;
        let mut values = Vec::new();
        for chunk in bytes.chunks_exact(size).take(usize::from(lanes)) {
            let mut word = [0; 8];
            word[..size].copy_from_slice(chunk);
            let bits = u64::from_le_bytes(word);
            values.push(match scalar {
                Scalar::Half => Const::Float(f16::from_bits(bits as u16).to_f64()),
                Scalar::Float => Const::Float(f64::from(f32::from_bits(bits as u32))),
                Scalar::Double => Const::Float(f64::from_bits(bits)),
                _ => Const::Int(bits),
            });
        }
        if values.len() < usize::from(lanes) {
            return None;
        }
        if lanes == 1 {
            return values.pop();
        }
        Some(Const::Vector(values))
    }

    /// Writes a constant of a type at an offset; `None` if bytes cannot represent it.
    pub(super) fn write_const(
        &self,
        value: &Const,
        ty: TypeId,
        offset: usize,
        image: &mut ConstantImage,
    ) -> Option<()> {
        let types = &self.module.types;
        let mut put = |offset: usize, bits: u64, size: usize| {
            let target = image.bytes.get_mut(offset..offset.checked_add(size)?)?;
            target.copy_from_slice(bits.to_le_bytes().get(..size)?);
            Some(())
        };
        match value {
            Const::Zero => Some(()),
            Const::Address { target, addend } => {
                // A pointer into work-group memory has no address before the launch.
                if self.module.globals.get(*target)?.space == AddressSpace::Local {
                    return None;
                }
                if types.size(ty) != Some(8) {
                    return None;
                }
                image.addresses.insert(offset, (*target, *addend));
                Some(())
            }
            Const::Vector(lanes) => {
                let (scalar, _) = types.numeric(ty)?;
                let size = scalar.size() as usize;
                for (i, lane) in lanes.iter().enumerate() {
                    put(offset.checked_add(i * size)?, bits_of(lane, scalar)?, size)?;
                }
                Some(())
            }
            scalar_value => {
                let (bits, size) = match types.numeric(ty) {
                    Some((scalar, 1)) => (bits_of(scalar_value, scalar)?, scalar.size() as usize),
                    Some(_) => return None,
                    None => match scalar_value {
                        Const::Int(bits) => (*bits, usize::try_from(types.size(ty)?).ok()?.min(8)),
                        _ => return None,
                    },
                };
                put(offset, bits, size)
            }
        }
    }
}

/// Returns the bits of a scalar constant in memory.
fn bits_of(value: &Const, scalar: Scalar) -> Option<u64> {
    match (value, scalar) {
        (Const::Float(v), Scalar::Half) => Some(u64::from(half_bits(*v))),
        (Const::Float(v), Scalar::Float) => Some(u64::from((*v as f32).to_bits())),
        (Const::Float(v), Scalar::Double) => Some(v.to_bits()),
        (Const::Int(bits), _) if !scalar.is_float() => Some(*bits),
        _ => None,
    }
}

fn arith(op: ArithOp, a: &Const, b: &Const, s: Scalar) -> Option<Const> {
    match (a, b) {
        (&Const::Float(a), &Const::Float(b)) => {
            // One operation in double, rounded once more, is correctly rounded in float and half.
            let v = match op {
                ArithOp::Add => a + b,
                ArithOp::Sub => a - b,
                ArithOp::Mul => a * b,
                ArithOp::Div => a / b,
                _ => return None,
            };
            Some(Const::Float(round_to(v, s)))
        }
        (&Const::Int(a), &Const::Int(b)) => {
            let (x, y) = (number(a, s), number(b, s));
            let bits = match op {
                ArithOp::Add => a.wrapping_add(b),
                ArithOp::Sub => a.wrapping_sub(b),
                ArithOp::Mul => a.wrapping_mul(b),
                ArithOp::Div => x.checked_div(y)? as u64,
                ArithOp::Rem => x.checked_rem(y)? as u64,
                ArithOp::And => a & b,
                ArithOp::Or => a | b,
                ArithOp::Xor => a ^ b,
            };
            Some(Const::Int(truncate(bits, s)))
        }
        _ => None,
    }
}

fn compare(op: CompareOp, a: &Const, b: &Const, s: Scalar) -> Option<bool> {
    let order = match (a, b) {
        (&Const::Float(a), &Const::Float(b)) => a.partial_cmp(&b),
        (&Const::Int(a), &Const::Int(b)) => Some(number(a, s).cmp(&number(b, s))),
        _ => return None,
    };
    Some(match (op, order) {
        (CompareOp::Ne, order) => order.is_none_or(|order| order.is_ne()),
        (_, None) => false,
        (CompareOp::Eq, Some(order)) => order.is_eq(),
        (CompareOp::Lt, Some(order)) => order.is_lt(),
        (CompareOp::Le, Some(order)) => order.is_le(),
        (CompareOp::Gt, Some(order)) => order.is_gt(),
        (CompareOp::Ge, Some(order)) => order.is_ge(),
    })
}
