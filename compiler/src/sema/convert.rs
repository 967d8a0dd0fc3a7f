//! Conversions (C99 6.3, OpenCL C 6.3): promotions, usual arithmetic conversions with widening of
//! scalars to vectors, conversions by assignment, and casts.

use super::consteval::{convert_scalar, Const};
use super::hir::{ArithOp, Expr, ExprKind};
use super::operand::value;
use super::types::{
    PointerType, Scalar, TypeId, TypeKind, CLK_EVENT, EVENT, QUEUE, RESERVATION, SAMPLER,
};
use super::Sema;
use crate::source::Span;
use crate::syntax::ast::AddressSpace;

/// The context of a conversion as if by assignment, which decides the text of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    Assigning,
    Initializing,
    Passing,
    Returning,
}

/// Conversion rank of an integer type (C99 6.3.1.1).
fn rank(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Bool => 0,
        Scalar::LongLong | Scalar::ULongLong => 5,
        Scalar::Half => 6,
        Scalar::Float => 7,
        Scalar::Double => 8,
        other => other.size().trailing_zeros() + 1,
    }
}

/// Returns the type of both operands after the usual arithmetic conversions (C99 6.3.1.8).
pub(super) fn common_scalar(a: Scalar, b: Scalar) -> Scalar {
    if a.is_float() || b.is_float() {
        return match (a.is_float(), b.is_float()) {
            (true, false) => a,
            (false, true) => b,
            _ if rank(a) >= rank(b) => a,
            _ => b,
        };
    }
    let (a, b) = (promoted(a), promoted(b));
    match rank(a).cmp(&rank(b)) {
        // The signed type of greater rank does not have all values of the unsigned one, which is as wide.
        _ if [(a, b), (b, a)].contains(&(Scalar::LongLong, Scalar::ULong)) => Scalar::ULongLong,
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Less => b,
        // At equal rank the unsigned type wins.
        std::cmp::Ordering::Equal if a.is_signed() => b,
        std::cmp::Ordering::Equal => a,
    }
}

/// Returns the type after the integer promotions; floats stay.
pub(super) fn promoted(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool | Scalar::Char | Scalar::UChar | Scalar::Short | Scalar::UShort => Scalar::Int,
        other => other,
    }
}

/// Returns true if a pointer to one address space converts implicitly to the other (OpenCL C 6.7.9).
pub(super) fn space_converts(from: AddressSpace, to: AddressSpace) -> bool {
    from == to || (to == AddressSpace::Generic && from != AddressSpace::Constant)
}

/// Returns the one of two address spaces that encloses the other; `None` for disjoint ones.
pub(super) fn enclosing_space(a: AddressSpace, b: AddressSpace) -> Option<AddressSpace> {
    match (space_converts(a, b), space_converts(b, a)) {
        (true, _) => Some(b),
        (_, true) => Some(a),
        _ => None,
    }
}

/// Returns a value converted in the default rounding mode.
fn convert(e: Expr, to: TypeId, span: Span) -> Expr {
    value(ExprKind::Convert { value: Box::new(e), rounding: None, saturate: false }, to, span)
}

/// Converts a pointer to a pointer type; returns it unchanged if it has the type already.
pub(super) fn convert_pointer(e: Expr, to: TypeId) -> Expr {
    let span = e.span;
    match e.ty == to {
        true => e,
        false => value(ExprKind::PointerCast(Box::new(e)), to, span),
    }
}

impl Sema<'_> {
    /// Converts a scalar to a scalar or vector type, or a vector to a type with the same number of
    /// components, without checks.
    pub(super) fn convert_numeric(&mut self, e: Expr, to: TypeId) -> Expr {
        if e.ty == to || self.is_error(e.ty) {
            return e;
        }
        let types = &mut self.module.types;
        let (Some((from, lanes)), Some((scalar, to_lanes))) =
            (types.numeric(e.ty), types.numeric(to))
        else {
            return e;
        };
        if lanes == 1 && to_lanes > 1 {
            let element = types.scalar(scalar);
            let span = e.span;
            let e = self.convert_numeric(e, element);
            return value(ExprKind::Splat(Box::new(e)), to, span);
        }
        let constant = match e.kind {
            ExprKind::Int(bits) => convert_scalar(&Const::Int(bits), from, scalar),
            ExprKind::Float(v) => convert_scalar(&Const::Float(v), from, scalar),
            _ => None,
        };
        match constant {
            Some(Const::Int(bits)) => value(ExprKind::Int(bits), to, e.span),
            Some(Const::Float(v)) => value(ExprKind::Float(v), to, e.span),
            _ => {
                let span = e.span;
                convert(e, to, span)
            }
        }
    }

    pub(super) fn convert_to_scalar(&mut self, e: Expr, to: Scalar) -> Expr {
        let to = self.module.types.scalar(to);
        self.convert_numeric(e, to)
    }

    /// Integer promotions on scalars; everything else stays.
    pub(super) fn promote(&mut self, e: Expr) -> Expr {
        match *self.module.types.kind(e.ty) {
            TypeKind::Scalar(scalar) => self.convert_to_scalar(e, promoted(scalar)),
            _ => e,
        }
    }

    /// Converts the value of a condition to a scalar Bool; `None` after a diagnostic.
    pub(super) fn truth_of(&mut self, e: Expr) -> Option<Expr> {
        let (ty, span) = (e.ty, e.span);
        match *self.module.types.kind(ty) {
            TypeKind::Error => None,
            TypeKind::Scalar(_) => Some(self.convert_to_scalar(e, Scalar::Bool)),
            TypeKind::Pointer(_) => Some(convert(e, self.basic.bool_, span)),
            _ => {
                let message = format!(
                    "statement requires expression of scalar type ({} invalid)",
                    self.quoted(ty)
                );
                self.fail(span, message)
            }
        }
    }

    /// Applies the usual arithmetic conversions with widening of scalars (OpenCL C 6.4.6). Returns both
    /// operands in their common type; `None` after a diagnostic or if one of them is in error.
    pub(super) fn usual_conversions(
        &mut self,
        a: Expr,
        b: Expr,
        span: Span,
    ) -> Option<(Expr, Expr)> {
        if self.is_error(a.ty) || self.is_error(b.ty) {
            return None;
        }
        let types = &self.module.types;
        let (Some((s, n)), Some((t, m))) = (types.numeric(a.ty), types.numeric(b.ty)) else {
            self.invalid_operands(&a, &b, span);
            return None;
        };
        match (n, m) {
            (1, 1) => {
                let common = common_scalar(s, t);
                let a = self.convert_to_scalar(a, common);
                let b = self.convert_to_scalar(b, common);
                Some((a, b))
            }
            (1, _) if self.outranks(a.ty, b.ty) => self.rank_error(&a, &b, span),
            (_, 1) if self.outranks(b.ty, a.ty) => self.rank_error(&a, &b, span),
            (1, _) => Some((self.convert_numeric(a, b.ty), b)),
            (_, 1) => {
                let b = self.convert_numeric(b, a.ty);
                Some((a, b))
            }
            _ if a.ty == b.ty => Some((a, b)),
            _ => {
                let what = if n == m {
                    "cannot convert between vector values"
                } else {
                    "vector operands do not have the same number of elements"
                };
                self.fail(span, format!("{what} {}", self.quoted_pair(&a, &b)))
            }
        }
    }

    /// Returns true if a scalar has a greater rank than a vector's elements (OpenCL C 6.4.6). Of two
    /// integers of one size the unsigned one has the greater rank. There is no exception for constants.
    fn outranks(&self, scalar: TypeId, vector: TypeId) -> bool {
        let types = &self.module.types;
        let (Some((from, _)), Some((element, _))) = (types.numeric(scalar), types.numeric(vector))
        else {
            return false;
        };
        match (from.is_float(), element.is_float()) {
            (true, false) => true,
            (false, true) => false,
            _ => {
                let order = |s: Scalar| (rank(s), !s.is_signed());
                order(from) > order(element)
            }
        }
    }

    fn rank_error<T>(&mut self, a: &Expr, b: &Expr, span: Span) -> Option<T> {
        let types = self.quoted_pair(a, b);
        let message = format!(
            "scalar operand type has greater rank than the type of the vector element. {types}"
        );
        self.fail(span, message)
    }

    pub(super) fn invalid_operands(&mut self, a: &Expr, b: &Expr, span: Span) {
        if self.is_error(a.ty) || self.is_error(b.ty) {
            return;
        }
        let message = format!("invalid operands to binary expression {}", self.quoted_pair(a, b));
        self.error(span, message);
    }

    /// Returns true if a value is a null pointer constant (C99 6.3.2.3).
    pub(super) fn is_null_constant(&self, e: &Expr) -> bool {
        match e.kind {
            ExprKind::NullPointer => true,
            ExprKind::Int(bits) => bits == 0,
            _ => self.module.types.as_pointer(e.ty).is_none() && self.eval_int(e) == Some(0),
        }
    }

    /// Converts as if by assignment (C99 6.5.16.1); an error value after a diagnostic.
    pub(super) fn assign_convert(&mut self, e: Expr, to: TypeId, context: Context) -> Expr {
        let from = e.ty;
        if let TypeKind::Atomic(scalar) = *self.module.types.kind(to) {
            return self.assign_atomic(e, scalar, to, context);
        }
        if from == to || self.is_error(from) {
            return e;
        }
        if self.is_error(to) {
            return self.error_value(e.span);
        }
        if self.as_matrix(from).and(self.as_matrix(to)).is_some() {
            let types = format!("({} and {})", self.quoted(to), self.quoted(from));
            return self.fail(e.span, format!("incompatible cooperative matrix types {types}"));
        }
        let types = &self.module.types;
        if let (Some((_, lanes)), Some(_)) = (types.numeric(from), types.numeric(to)) {
            if lanes == 1 {
                return self.convert_numeric(e, to);
            }
            return self.incompatible(e, to, context);
        }
        match (types.as_pointer(from), types.as_pointer(to)) {
            (Some(source), Some(target)) => self.assign_pointer(e, source, target, to, context),
            (None, Some(_)) => match types.numeric(from) {
                Some((scalar, 1)) if !scalar.is_float() => {
                    if self.is_null_constant(&e) {
                        return value(ExprKind::NullPointer, to, e.span);
                    }
                    let message = format!(
                        "incompatible integer to pointer conversion {}",
                        self.phrase(from, to, context)
                    );
                    self.fail(e.span, message)
                }
                _ => self.incompatible(e, to, context),
            },
            (Some(_), None) => match types.numeric(to) {
                Some((Scalar::Bool, 1)) => {
                    let span = e.span;
                    self.truth_of(e).unwrap_or_else(|| self.error_value(span))
                }
                Some((scalar, 1)) if !scalar.is_float() => {
                    let message = format!(
                        "incompatible pointer to integer conversion {}",
                        self.phrase(from, to, context)
                    );
                    self.fail(e.span, message)
                }
                _ => self.incompatible(e, to, context),
            },
            (None, None) if matches!(types.kind(to), TypeKind::Opaque(SAMPLER)) => {
                match self.sampler_constant(&e) {
                    Some(word) => value(ExprKind::Int(word), to, e.span),
                    None => self.incompatible(e, to, context),
                }
            }
            (None, None) => {
                let is_event = matches!(
                    types.kind(to),
                    TypeKind::Opaque(EVENT | RESERVATION | QUEUE | CLK_EVENT)
                );
                if is_event && self.is_null_constant(&e) {
                    return value(ExprKind::Zero, to, e.span);
                }
                self.incompatible(e, to, context)
            }
        }
    }

    /// Converts the initializer of an atomic object, which must be in global memory (OpenCL C 6.15.12.1), to the type of the
    /// value that the object holds. Reports an assignment to an atomic object.
    fn assign_atomic(&mut self, e: Expr, scalar: Scalar, to: TypeId, context: Context) -> Expr {
        if self.is_error(e.ty) {
            return e;
        }
        if context != Context::Initializing {
            return self.incompatible(e, to, context);
        }
        if !self.initializes_global {
            let message =
                "atomic variable can be initialized to a variable only in global address space";
            return self.fail(e.span, message);
        }
        let plain = self.module.types.scalar(scalar);
        self.assign_convert(e, plain, context)
    }

    fn incompatible(&mut self, e: Expr, to: TypeId, context: Context) -> Expr {
        let (from, to) = (self.quoted(e.ty), self.quoted(to));
        let message = match context {
            Context::Assigning => format!("assigning to {to} from incompatible type {from}"),
            Context::Initializing => {
                format!("initializing {to} with an expression of incompatible type {from}")
            }
            Context::Passing => format!("passing {from} to parameter of incompatible type {to}"),
            Context::Returning => {
                format!("returning {from} from a function with incompatible result type {to}")
            }
        };
        self.fail(e.span, message)
    }

    fn phrase(&self, from: TypeId, to: TypeId, context: Context) -> String {
        let (from, to) = (self.quoted(from), self.quoted(to));
        match context {
            Context::Assigning => format!("assigning to {to} from {from}"),
            Context::Initializing => format!("initializing {to} with an expression of type {from}"),
            Context::Passing => format!("passing {from} to parameter of type {to}"),
            Context::Returning => format!("returning {from} from a function with result type {to}"),
        }
    }

    fn assign_pointer(
        &mut self,
        e: Expr,
        source: PointerType,
        target: PointerType,
        to: TypeId,
        context: Context,
    ) -> Expr {
        let span = e.span;
        if matches!(e.kind, ExprKind::NullPointer) {
            return value(ExprKind::NullPointer, to, span);
        }
        let changed = match () {
            () if !space_converts(source.space, target.space) => Some("pointer"),
            () if self.nested_spaces_differ(source.pointee, target.pointee) => {
                Some("nested pointer")
            }
            () => None,
        };
        if let Some(changed) = changed {
            let phrase = match context {
                Context::Assigning => {
                    format!("assigning {} to {}", self.quoted(e.ty), self.quoted(to))
                }
                _ => self.phrase(e.ty, to, context),
            };
            return self.fail(span, format!("{phrase} changes address space of {changed}"));
        }
        let types = &self.module.types;
        let either_void = types.is_void(source.pointee) || types.is_void(target.pointee);
        if source.pointee != target.pointee && !either_void {
            let integers = |ty| match types.numeric(ty) {
                Some((scalar, lanes)) if !scalar.is_float() => Some((scalar.size(), lanes)),
                _ => None,
            };
            let (a, b) = (integers(source.pointee), integers(target.pointee));
            let phrase = self.phrase(e.ty, to, context);
            let message = if a.is_some() && a == b {
                format!("{phrase} converts between pointers to integer types with different sign")
            } else {
                format!("incompatible pointer types {phrase}")
            };
            self.diags.warning(span, message);
        } else if (source.is_const && !target.is_const)
            || (source.is_volatile && !target.is_volatile)
        {
            let message = format!("{} discards qualifiers", self.phrase(e.ty, to, context));
            self.diags.warning(span, message);
        }
        value(ExprKind::PointerCast(Box::new(e)), to, span)
    }

    /// Returns true if two pointees are pointers, at any depth, to different address spaces.
    fn nested_spaces_differ(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.module.types;
        let (mut a, mut b) = (a, b);
        while let (Some(p), Some(q)) = (types.as_pointer(a), types.as_pointer(b)) {
            if p.space != q.space {
                return true;
            }
            (a, b) = (p.pointee, q.pointee);
        }
        false
    }

    /// `(to)e` (C99 6.5.4, OpenCL C 6.3.2).
    pub(super) fn cast(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        let from = e.ty;
        if self.is_error(from) || self.is_error(to) {
            return self.error_value(span);
        }
        let types = &self.module.types;
        if from == to {
            // A cast rounds its operand: a product in a cast is not contracted with a sum around it (C99 6.5 p8).
            let is_product = matches!(e.kind, ExprKind::Arith(ArithOp::Mul, ..) | ExprKind::Neg(_))
                && types.numeric(to).is_some_and(|(scalar, _)| scalar.is_float());
            return if is_product { convert(e, to, span) } else { Expr { span, ..e } };
        }
        if types.is_void(to) {
            return convert(e, to, span);
        }
        if self.as_matrix(from).or(self.as_matrix(to)).is_some() {
            return self.matrix_cast(e, to, span);
        }
        let types = &self.module.types;
        if let (Some((s, n)), Some((t, m))) = (types.numeric(from), types.numeric(to)) {
            return match (n, m) {
                (1, 1) => Expr { span, ..self.convert_numeric(e, to) },
                (1, _) => self.cast_to_vector(e, s, t, to, span),
                _ => self.invalid_vector_cast(from, to, span),
            };
        }
        if matches!(types.kind(to), TypeKind::Opaque(EVENT | RESERVATION | QUEUE | CLK_EVENT))
            && self.is_null_constant(&e)
        {
            return value(ExprKind::Zero, to, span);
        }
        let integer = |numeric| matches!(numeric, Some((s, 1)) if !Scalar::is_float(s));
        match (types.as_pointer(from), types.as_pointer(to)) {
            (Some(source), Some(target)) => self.cast_pointer(e, source, target, to, span),
            (Some(_), None) if types.numeric(to) == Some((Scalar::Bool, 1)) => {
                self.truth_of(e).unwrap_or_else(|| self.error_value(span))
            }
            (Some(_), None) if integer(types.numeric(to)) => {
                value(ExprKind::PointerToInt(Box::new(e)), to, span)
            }
            (None, Some(_)) if integer(types.numeric(from)) => {
                if matches!(e.kind, ExprKind::Int(0)) {
                    return value(ExprKind::NullPointer, to, span);
                }
                value(ExprKind::IntToPointer(Box::new(e)), to, span)
            }
            _ => self.invalid_cast(from, to, span),
        }
    }

    /// Casts a scalar to each component of a vector; true becomes -1 in an integer vector (OpenCL C 6.3.2.2).
    fn cast_to_vector(
        &mut self,
        e: Expr,
        from: Scalar,
        to: Scalar,
        ty: TypeId,
        span: Span,
    ) -> Expr {
        if from != Scalar::Bool || to.is_float() {
            return Expr { span, ..self.convert_numeric(e, ty) };
        }
        let e = self.convert_to_scalar(e, to);
        let element = e.ty;
        let e = value(ExprKind::Neg(Box::new(e)), element, span);
        value(ExprKind::Splat(Box::new(e)), ty, span)
    }

    fn cast_pointer(
        &mut self,
        e: Expr,
        source: PointerType,
        target: PointerType,
        to: TypeId,
        span: Span,
    ) -> Expr {
        if matches!(e.kind, ExprKind::NullPointer) {
            return value(ExprKind::NullPointer, to, span);
        }
        if enclosing_space(source.space, target.space).is_none() {
            let (e, to) = (self.quoted(e.ty), self.quoted(to));
            let message = format!("casting {e} to type {to} changes address space of pointer");
            return self.fail(span, message);
        }
        if self.nested_spaces_differ(source.pointee, target.pointee) {
            let message = format!(
                "casting {} to type {} discards qualifiers in nested pointer types",
                self.quoted(e.ty),
                self.quoted(to)
            );
            self.diags.warning(span, message);
        }
        value(ExprKind::PointerCast(Box::new(e)), to, span)
    }

    /// Converts a pointer to another address space, which encloses its own.
    pub(super) fn in_space(&mut self, e: Expr, space: AddressSpace) -> Expr {
        match self.module.types.as_pointer(e.ty) {
            Some(pointer) if pointer.space != space => {
                let pointer = PointerType { space, ..pointer };
                convert_pointer(e, self.module.types.intern(TypeKind::Pointer(pointer)))
            }
            _ => e,
        }
    }

    fn invalid_vector_cast(&mut self, from: TypeId, to: TypeId, span: Span) -> Expr {
        let scalar_target = self.module.types.numeric(to).is_some_and(|(_, lanes)| lanes == 1);
        let message = if scalar_target {
            format!(
                "invalid conversion between vector type {} and scalar type {}",
                self.quoted(from),
                self.quoted(to)
            )
        } else {
            format!(
                "invalid conversion between ext-vector type {} and {}",
                self.quoted(to),
                self.quoted(from)
            )
        };
        self.fail(span, message)
    }

    fn invalid_cast(&mut self, from: TypeId, to: TypeId, span: Span) -> Expr {
        let types = &self.module.types;
        let scalar = |ty| types.numeric(ty).is_some() || types.as_pointer(ty).is_some();
        let message = if scalar(from) && scalar(to) {
            format!("cannot cast from type {} to type {}", self.quoted(from), self.quoted(to))
        } else if scalar(from) {
            format!("used type {} where arithmetic or pointer type is required", self.quoted(to))
        } else {
            format!(
                "operand of type {} where arithmetic or pointer type is required",
                self.quoted(from)
            )
        };
        self.fail(span, message)
    }
}
