//! Literals: numbers (C99 6.4.4, OpenCL C 6.3.1), strings and vector literals (OpenCL C 6.1.6).

use super::hir::{self, ExprKind, GlobalId, Place, PlaceKind};
use super::operand::{value, Object, Operand};
use super::typename::QualType;
use super::types::{Scalar, TypeId, TypeKind};
use super::Sema;
use crate::source::Span;
use crate::syntax::ast::{
    AddressSpace, Expr, ExprKind as AstKind, FloatLiteral, IntLiteral, TypeName,
};
use half::f16;

impl Sema<'_> {
    /// Analyzes an integer literal. Its type is the first one that its suffix allows and that holds its
    /// value. A long is 64 bits wide.
    pub(super) fn int_literal(&mut self, literal: IntLiteral, span: Span) -> hir::Expr {
        let v = literal.value;
        let fits_int = v <= i32::MAX as u64 && !literal.is_unsigned && !literal.is_long;
        let fits_uint = v <= u64::from(u32::MAX)
            && !literal.is_long
            && (literal.is_unsigned || !literal.is_decimal);
        let fits_long = v <= i64::MAX as u64 && !literal.is_unsigned;
        let ty = if fits_int {
            self.basic.int
        } else if fits_uint {
            self.basic.uint
        } else if literal.is_long_long {
            let signed = if fits_long { Scalar::LongLong } else { Scalar::ULongLong };
            self.module.types.scalar(signed)
        } else if fits_long {
            self.basic.long
        } else {
            if literal.is_decimal && !literal.is_unsigned {
                let message =
                    "integer literal is too large to be represented in a signed integer type, \
                               interpreting as unsigned";
                self.diags.warning(span, message);
            }
            self.basic.ulong
        };
        self.int_value(v, ty, span)
    }

    /// Returns -2^63 if a minus is applied to the literal 2^63. The literal does not fit in a long, but programs write the
    /// least long in this way, since compilers with integers of 128 bits accept it (C99 6.4.4.1 p5).
    pub(super) fn least_long(&mut self, operand: &Expr, span: Span) -> Option<hir::Expr> {
        match operand.kind {
            AstKind::Int(IntLiteral { value, is_unsigned: false, is_decimal: true, .. })
                if value == 1 << 63 =>
            {
                Some(self.int_value(value, self.basic.long, span))
            }
            _ => None,
        }
    }

    /// Analyzes a floating literal. Without a suffix it is double if the device has doubles and no option asks for float.
    pub(super) fn float_literal(&mut self, literal: FloatLiteral, span: Span) -> hir::Expr {
        let (v, ty) = match literal {
            FloatLiteral::Plain { double, single } => {
                if self.target.float64 && !self.options.single_precision_constant {
                    (double, self.basic.double)
                } else {
                    (f64::from(single), self.basic.float)
                }
            }
            FloatLiteral::Single(v) => (f64::from(v), self.basic.float),
            FloatLiteral::Half(bits) => {
                if !self.half_arithmetic() {
                    return self.fail(span, "half precision constant requires cl_khr_fp16");
                }
                (f16::from_bits(bits).to_f64(), self.module.types.scalar(Scalar::Half))
            }
            FloatLiteral::Double(v) => {
                if !self.target.float64 {
                    return self.fail(
                        span,
                        "use of type 'double' requires cl_khr_fp64 which this device does not offer",
                    );
                }
                (v, self.basic.double)
            }
        };
        value(ExprKind::Float(v), ty, span)
    }

    /// Analyzes a string literal: an array of char in constant memory. Equal literals are one object.
    pub(super) fn string_literal(&mut self, bytes: &[u8], span: Span) -> Operand {
        let (id, ty) = self.string_global(bytes, span);
        let place = Place::new(PlaceKind::Global(id), ty, span);
        Operand::Object(Object::new(place, AddressSpace::Constant))
    }

    fn string_global(&mut self, bytes: &[u8], span: Span) -> (GlobalId, TypeId) {
        if let Some(&id) = self.strings.get(bytes) {
            return (id, self.module.globals[id].ty);
        }
        let mut init = bytes.to_vec();
        init.push(0);
        let array = TypeKind::Array(self.basic.char_, Some(init.len() as u64));
        let ty = self.module.types.intern(array);
        let name = format!(".str{}", self.strings.len());
        let id = self.push_global(&name, QualType::plain(ty), span);
        self.module.globals[id].init = Some(init);
        self.const_globals[id] = true;
        self.strings.insert(bytes.to_vec(), id);
        (id, ty)
    }

    /// `(float4)(a, b.xy, c)`.
    pub(super) fn vector_literal(
        &mut self,
        name: &TypeName,
        parts: &[Expr],
        span: Span,
    ) -> hir::Expr {
        let ty = self.type_name(name).ty;
        let values: Vec<hir::Expr> = parts.iter().map(|part| self.rvalue(part)).collect();
        if self.is_error(ty) || values.iter().any(|value| self.is_error(value.ty)) {
            return self.error_value(span);
        }
        if matches!(self.module.types.kind(ty), TypeKind::Vector(..)) {
            return self.vector_of(ty, values, span);
        }
        // If the type is not a vector, the literal is a cast of a comma expression.
        let mut values = values.into_iter();
        let Some(first) = values.next() else { return self.error_value(span) };
        let all = values.fold(first, |a, b| {
            let ty = b.ty;
            value(ExprKind::Comma(Box::new(a), Box::new(b)), ty, span)
        });
        self.cast(all, ty, span)
    }

    /// Returns a vector that is built of parts. A single scalar fills all components; otherwise the parts must have as many
    /// components as the vector.
    pub(super) fn vector_of(
        &mut self,
        ty: TypeId,
        mut parts: Vec<hir::Expr>,
        span: Span,
    ) -> hir::Expr {
        let Some((element, lanes)) = self.module.types.numeric(ty) else {
            return self.error_value(span);
        };
        if parts.len() == 1 {
            if let Some(only) = parts.pop() {
                return self.cast(only, ty, span);
            }
        }
        let mut converted = Vec::new();
        let mut have = 0usize;
        for part in parts {
            let Some((from, n)) = self.module.types.numeric(part.ty) else {
                return self.bad_component(&part, element);
            };
            have += usize::from(n);
            if n == 1 {
                converted.push(self.convert_to_scalar(part, element));
            } else if from == element {
                converted.push(part);
            } else {
                return self.bad_component(&part, element);
            }
        }
        let lanes = usize::from(lanes);
        if have != lanes {
            let message = if have < lanes {
                format!("too few elements in vector initialization (expected {lanes} elements, have {have})")
            } else {
                "excess elements in vector initializer".to_string()
            };
            return self.fail(span, message);
        }
        value(ExprKind::VectorLiteral(converted), ty, span)
    }

    fn bad_component(&mut self, part: &hir::Expr, element: Scalar) -> hir::Expr {
        if !self.is_error(part.ty) {
            let message = format!(
                "initializing '{}' with an expression of incompatible type {}",
                element.spelling(),
                self.quoted(part.ty)
            );
            self.error(part.span, message);
        }
        self.error_value(part.span)
    }
}
