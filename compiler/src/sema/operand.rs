//! Operands: the object or value that an expression denotes before it is known which of them the
//! context needs, and the conversion of objects to values (C99 6.3.2.1).

use super::hir::{Expr, ExprKind, LocalId, Place, PlaceKind};
use super::typename::QualType;
use super::types::{PointerType, Scalar, TypeId, TypeKind};
use super::{print, Origin, Sema};
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast::AddressSpace;

/// A value or an object.
#[derive(Debug)]
pub(super) enum Operand {
    Value(Expr),
    Object(Object),
}

/// An lvalue, with the properties that [`Place`] does not have.
#[derive(Debug)]
pub(super) struct Object {
    pub place: Place,
    pub is_const: bool,
    pub space: AddressSpace,
    /// The variable or member, for messages.
    pub name: Option<Symbol>,
    /// True for a part of a value (a member of a function's result): not assignable.
    pub is_temporary: bool,
}

impl Object {
    /// Returns a nameless object that is not const.
    pub fn new(place: Place, space: AddressSpace) -> Object {
        Object { place, is_const: false, space, name: None, is_temporary: false }
    }
}

impl Operand {
    pub fn ty(&self) -> TypeId {
        match self {
            Operand::Value(value) => value.ty,
            Operand::Object(object) => object.place.ty,
        }
    }
}

/// Returns a value.
pub(super) fn value(kind: ExprKind, ty: TypeId, span: Span) -> Expr {
    Expr { kind, ty, span }
}

/// Returns the place of a local.
pub(super) fn local_place(local: LocalId, ty: TypeId, span: Span) -> Place {
    Place::new(PlaceKind::Local(local), ty, span)
}

/// Returns the value of a place that can be read without a conversion.
pub(super) fn read(place: Place) -> Expr {
    let (ty, span) = (place.ty, place.span);
    value(ExprKind::Load(Box::new(place)), ty, span)
}

/// A placeholder for an entity with a reported error.
pub(super) trait Failed {
    fn failed(sema: &Sema, span: Span) -> Self;
}

impl Failed for TypeId {
    fn failed(sema: &Sema, _: Span) -> TypeId {
        sema.basic.error
    }
}

impl Failed for QualType {
    fn failed(sema: &Sema, _: Span) -> QualType {
        QualType::plain(sema.basic.error)
    }
}

impl Failed for Expr {
    fn failed(sema: &Sema, span: Span) -> Expr {
        sema.error_value(span)
    }
}

impl Failed for Operand {
    fn failed(sema: &Sema, span: Span) -> Operand {
        sema.error_operand(span)
    }
}

impl Failed for bool {
    fn failed(_: &Sema, _: Span) -> bool {
        false
    }
}

impl<T> Failed for Option<T> {
    fn failed(_: &Sema, _: Span) -> Option<T> {
        None
    }
}

impl Sema<'_> {
    /// Reports an error. Returns the placeholder for the result.
    pub(super) fn fail<T: Failed>(&mut self, span: Span, message: impl Into<String>) -> T {
        self.error(span, message);
        T::failed(self, span)
    }

    /// Returns the placeholder value for an expression with a reported error.
    pub(super) fn error_value(&self, span: Span) -> Expr {
        value(ExprKind::Int(0), self.basic.error, span)
    }

    pub(super) fn error_operand(&self, span: Span) -> Operand {
        Operand::Value(self.error_value(span))
    }

    pub(super) fn is_error(&self, ty: TypeId) -> bool {
        ty == self.basic.error
    }

    pub(super) fn int_value(&self, bits: u64, ty: TypeId, span: Span) -> Expr {
        value(ExprKind::Int(bits), ty, span)
    }

    /// Returns the type's name in quotes.
    pub(super) fn quoted(&self, ty: TypeId) -> String {
        format!("'{}'", print::type_name(&self.module.types, ty))
    }

    /// Returns the types of two operands in quotes and parentheses.
    pub(super) fn quoted_pair(&self, a: &Expr, b: &Expr) -> String {
        format!("({} and {})", self.quoted(a.ty), self.quoted(b.ty))
    }

    /// Returns the value of an operand: objects are read, arrays decay to pointers.
    pub(super) fn load(&mut self, operand: Operand) -> Expr {
        let object = match operand {
            Operand::Value(value) => return value,
            Operand::Object(object) => object,
        };
        let (ty, span) = (object.place.ty, object.place.span);
        match *self.module.types.kind(ty) {
            TypeKind::Error => self.error_value(span),
            TypeKind::Array(..) => self.decay(object),
            TypeKind::Scalar(Scalar::Half) | TypeKind::Vector(Scalar::Half, _)
                if !self.half_arithmetic() =>
            {
                let message = format!(
                    "loading directly from pointer to type {} requires cl_khr_fp16. \
                     Use vector data load builtin functions instead",
                    self.quoted(ty)
                );
                self.fail(span, message)
            }
            TypeKind::Void => self.fail(span, "incomplete type 'void' is not assignable"),
            TypeKind::Record(id) if self.module.types.records[id].size.is_none() => {
                let message = format!(
                    "incomplete type {} where a complete type is required",
                    self.quoted(ty)
                );
                self.fail(span, message)
            }
            _ => load_place(object.place),
        }
    }

    /// Returns true if the program may compute with values of type half.
    pub(super) fn half_arithmetic(&self) -> bool {
        self.target.half_arithmetic() || self.origin == Origin::Library
    }

    /// Returns a pointer to an array's first element.
    fn decay(&mut self, object: Object) -> Expr {
        let span = object.place.span;
        let element = match *self.module.types.kind(object.place.ty) {
            TypeKind::Array(element, _) => element,
            _ => object.place.ty,
        };
        let ty = self.pointer_into(&object, element);
        value(ExprKind::AddressOf(Box::new(object.place)), ty, span)
    }

    /// Returns the type of a pointer to an object, or to a part of it.
    fn pointer_into(&mut self, object: &Object, pointee: TypeId) -> TypeId {
        self.module.types.intern(TypeKind::Pointer(PointerType {
            pointee,
            space: object.space,
            is_const: object.is_const,
            is_volatile: object.place.is_volatile,
        }))
    }

    /// `&object`.
    pub(super) fn address_of(&mut self, object: Object, span: Span) -> Expr {
        let ty = self.pointer_into(&object, object.place.ty);
        // `&*p` is p itself (C99 6.5.3.2).
        match object.place.kind {
            PlaceKind::Deref(pointer) if pointer.ty == ty => *pointer,
            kind => {
                let place = Place { kind, ..object.place };
                value(ExprKind::AddressOf(Box::new(place)), ty, span)
            }
        }
    }

    /// Returns the object that a pointer value points to.
    pub(super) fn dereference(&mut self, pointer: Expr, span: Span) -> Operand {
        let Some(ty) = self.module.types.as_pointer(pointer.ty) else {
            return self.error_operand(span);
        };
        let kind = PlaceKind::Deref(Box::new(pointer));
        let is_volatile = ty.is_volatile;
        let place = Place { is_volatile, ..Place::new(kind, ty.pointee, span) };
        Operand::Object(Object { is_const: ty.is_const, ..Object::new(place, ty.space) })
    }

    /// Returns a temporary object for a value of record or vector type, so that its parts can be read.
    pub(super) fn temporary(&self, value: Expr) -> Object {
        let (ty, span) = (value.ty, value.span);
        let kind = PlaceKind::Temporary(Box::new(value));
        let place = Place::new(kind, ty, span);
        Object { is_temporary: true, ..Object::new(place, AddressSpace::Private) }
    }

    /// Returns the place of an operand if it may be written; otherwise reports why it may not.
    pub(super) fn writable(&mut self, operand: Operand, span: Span) -> Option<Place> {
        let object = match operand {
            Operand::Object(object) if !object.is_temporary => object,
            other => {
                if !self.is_error(other.ty()) {
                    self.error(span, "expression is not assignable");
                }
                return None;
            }
        };
        let ty = object.place.ty;
        if self.is_error(ty) {
            return None;
        }
        if self.module.types.is_array(ty) {
            return self.fail(span, format!("array type {} is not assignable", self.quoted(ty)));
        }
        if object.is_const || object.space == AddressSpace::Constant {
            let message = match object.name {
                Some(name) if !object.is_const => {
                    format!(
                        "cannot assign to variable '{}' in constant address space",
                        self.text(name)
                    )
                }
                Some(name) => {
                    let ty = print::type_name(&self.module.types, ty);
                    format!(
                        "cannot assign to variable '{}' with const-qualified type 'const {ty}'",
                        self.text(name)
                    )
                }
                None => "read-only variable is not assignable".to_string(),
            };
            return self.fail(span, message);
        }
        if let PlaceKind::Components { lanes, .. } = &object.place.kind {
            let mut seen = 0u32;
            for &lane in lanes {
                if seen & 1 << lane != 0 {
                    return self
                        .fail(span, "vector is not assignable (contains duplicate components)");
                }
                seen |= 1 << lane;
            }
        }
        Some(object.place)
    }
}

/// Reads a place. An unnamed object whose initialization is part of its address is initialized and
/// then read.
fn load_place(place: Place) -> Expr {
    let (ty, span) = (place.ty, place.span);
    if let PlaceKind::Deref(pointer) = place.kind {
        let kind = match pointer.kind {
            ExprKind::InitThen { local, init, value: inner } => match inner.kind {
                ExprKind::AddressOf(object) if object.ty == ty => {
                    let loaded = value(ExprKind::Load(object), ty, span);
                    ExprKind::InitThen { local, init, value: Box::new(loaded) }
                }
                kind => {
                    let inner = Box::new(Expr { kind, ..*inner });
                    let kind = ExprKind::InitThen { local, init, value: inner };
                    let pointer = Box::new(Expr { kind, ty: pointer.ty, span: pointer.span });
                    let place = Place { kind: PlaceKind::Deref(pointer), ..place };
                    ExprKind::Load(Box::new(place))
                }
            },
            kind => {
                let pointer = Box::new(Expr { kind, ty: pointer.ty, span: pointer.span });
                ExprKind::Load(Box::new(Place { kind: PlaceKind::Deref(pointer), ..place }))
            }
        };
        return value(kind, ty, span);
    }
    read(place)
}
