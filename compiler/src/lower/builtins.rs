//! Calls of built-in functions, and the operations that [`crate::builtins`] asks of this front end.

use super::function::Lowering;
use super::{types, Context, Origin};
use crate::builtins::{ArgType, Builtin, Call, FrontEnd, Lowerer, Number, Packet, Rounding};
use crate::ir::{Func, Global, GlobalData, Scalar, Value};
use crate::library::{self, Unit};
use crate::sema::hir::Expr;
use crate::sema::types::{Scalar as Name, TypeId, TypeKind};
use crate::source::Span;

/// The front end's side of the lowering of a built-in function at one place of the source.
pub(super) struct CallSite<'c, 'a> {
    pub(super) context: &'c mut Context<'a>,
    pub(super) span: Span,
}

impl FrontEnd for CallSite<'_, '_> {
    fn library_function(&mut self, name: &str, scalar: Scalar) -> Option<Func> {
        let (unit, suffix) = match scalar {
            Scalar::F64 => (Unit::Double, "f64"),
            _ => (Unit::Float, "f32"),
        };
        let library = library::unit(unit, self.context.target);
        let id = *library.functions.get(&format!("__{name}_{suffix}"))?;
        Some(self.context.function(Origin::Library(unit), id, self.span))
    }

    fn image_function(&mut self, name: &str) -> Option<Func> {
        let library = library::unit(Unit::Image, self.context.target);
        let id = *library.functions.get(&format!("__{name}"))?;
        Some(self.context.function(Origin::Library(Unit::Image), id, self.span))
    }

    fn shared_global(&mut self, data: GlobalData) -> Global {
        let key = (data.name.clone(), data.size, data.init.clone());
        let globals = &mut self.context.out.globals;
        *self.context.shared_globals.entry(key).or_insert_with(|| globals.push(data))
    }

    fn has_larger_subgroups(&self) -> bool {
        self.context.larger_subgroups
    }
}

impl<'m> Lowering<'m, '_> {
    /// Lowers a call of a built-in function.
    pub fn builtin(&mut self, function: Builtin, args: &[Expr], expr: &Expr) -> Option<Value> {
        let values: Vec<Value> = args.iter().map(|arg| self.value(arg)).collect();
        let arg_types: Vec<ArgType> = args.iter().map(|arg| self.arg_type(arg.ty)).collect();
        let result = self.value_type(expr.ty);
        let call = Call { builtin: function, args: &values, types: &arg_types, result };
        let packet = args.first().and_then(|arg| self.packet(arg.ty));
        let value = self.with_lowerer(expr.span, |lowerer| match packet {
            Some(packet) => lowerer.pipe_function(&call, packet),
            None => lowerer.call(&call),
        });
        if value.is_some() || self.is_void(expr.ty) {
            return value;
        }
        let name = function.name();
        let message = format!("built-in function '{name}' is not supported for these types");
        self.error(expr.span, message);
        Some(self.b.undef(result))
    }

    /// Returns `lhs / rhs` of floats.
    pub fn float_divide(&mut self, lhs: Value, rhs: Value) -> Value {
        self.with_lowerer(self.source.span, |lowerer| lowerer.divide(lhs, rhs))
    }

    /// Emits the implicit conversion.
    pub fn convert(&mut self, value: Value, from: Name, to: Name) -> Value {
        self.convert_with(value, (from, to), None, false)
    }

    /// `convert_<to>[_sat][_rounding]`.
    pub fn convert_with(
        &mut self,
        value: Value,
        (from, to): (Name, Name),
        rounding: Option<Rounding>,
        saturate: bool,
    ) -> Value {
        self.b.convert_number(value, (number(from), number(to)), rounding, saturate)
    }

    pub(super) fn with_lowerer<R>(
        &mut self,
        span: Span,
        body: impl FnOnce(&mut Lowerer<'_, 'm>) -> R,
    ) -> R {
        let (target, options) = (self.context.target, self.context.options);
        body(&mut Lowerer {
            b: &mut self.b,
            target,
            options,
            in_library: self.origin != Origin::User,
            front: &mut CallSite { context: self.context, span },
        })
    }

    /// Returns the description of a pipe's packets.
    fn packet(&self, ty: TypeId) -> Option<Packet> {
        let TypeKind::Pipe(packet, _) = *self.types().kind(ty) else { return None };
        let (size, align) = types::layout(self.types(), packet);
        let value = types::value_type(self.types(), packet);
        Some(Packet { size, align, value, checked: false })
    }

    fn arg_type(&self, ty: TypeId) -> ArgType {
        let image = match *self.types().kind(ty) {
            TypeKind::Image(image) => Some(image),
            _ => None,
        };
        let (ty, is_pointer) = match self.types().kind(ty) {
            TypeKind::Pointer(pointer) => (pointer.pointee, true),
            _ => (ty, false),
        };
        let (name, lanes) = match *self.types().kind(ty) {
            TypeKind::Atomic(name) => (name, 1),
            // Pointers to other types count as pointers to bytes, for which any alignment is right.
            _ if is_pointer => self.types().numeric(ty).unwrap_or((Name::UChar, 1)),
            _ => self.numeric(ty),
        };
        ArgType { number: number(name), lanes, image }
    }
}

fn number(name: Name) -> Number {
    Number { scalar: types::scalar(name), signed: name.is_signed() }
}
