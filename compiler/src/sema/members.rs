//! Members of structs and unions, and components of vectors (OpenCL C 6.1.7).

use super::hir::{Expr, ExprKind, Place, PlaceKind};
use super::operand::{value, Object, Operand};
use super::types::{RecordId, TypeId, TypeKind};
use super::Sema;
use crate::options::ClStd;
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast;
use smallvec::SmallVec;

/// Lanes that a component selector names.
type Lanes = SmallVec<[u8; 16]>;

/// The error in a component selector.
enum BadSelector {
    /// A letter is not the name of a component.
    Unknown,
    /// A component beyond the vector's last.
    OutOfRange(char),
    /// The number of components is none that vectors have: it is 5 to 7, or more than 8 and not 16.
    Length(usize),
}

/// Returns the lanes that `name` selects of a vector of `lanes` components. A vector of 3 has the halves of a
/// vector of 4. They may contain lane 3, which has an undefined value and drops writes (OpenCL C 6.3.7).
fn select_lanes(name: &str, lanes: u8) -> Result<Lanes, BadSelector> {
    let even = lanes.next_multiple_of(2);
    let halves: Option<Lanes> = match name {
        "lo" => Some((0..even / 2).collect()),
        "hi" => Some((even / 2..even).collect()),
        "even" => Some((0..even).step_by(2).collect()),
        "odd" => Some((1..even).step_by(2).collect()),
        _ => None,
    };
    if let Some(halves) = halves {
        return Ok(halves);
    }
    let digits = name.strip_prefix(['s', 'S']).filter(|digits| !digits.is_empty());
    let letters = if name.starts_with(['r', 'g', 'b', 'a']) { "rgba" } else { "xyzw" };
    let mut selected = Lanes::new();
    for c in digits.unwrap_or(name).chars() {
        let lane = match digits {
            Some(_) => c.to_digit(16),
            None => letters.find(c).map(|at| at as u32),
        };
        let Some(lane) = lane else { return Err(BadSelector::Unknown) };
        if lane >= u32::from(lanes) {
            return Err(BadSelector::OutOfRange(c));
        }
        selected.push(lane as u8);
        if selected.len() > 16 {
            return Err(BadSelector::Length(name.len()));
        }
    }
    match selected.len() {
        1 | 2 | 3 | 4 | 8 | 16 => Ok(selected),
        n => Err(BadSelector::Length(n)),
    }
}

impl Sema<'_> {
    /// `base.name` or `base->name`.
    pub(super) fn member(
        &mut self,
        base: &ast::Expr,
        name: Symbol,
        name_span: Span,
        arrow: bool,
        span: Span,
    ) -> Operand {
        let mut base = self.expr(base);
        if arrow {
            let pointer = self.load(base);
            if self.is_error(pointer.ty) {
                return self.error_operand(span);
            }
            if self.module.types.as_pointer(pointer.ty).is_none() {
                let message = format!(
                    "member reference type {} is not a pointer; did you mean to use '.'?",
                    self.quoted(pointer.ty)
                );
                return self.fail(name_span, message);
            }
            base = self.dereference(pointer, span);
        }
        let ty = base.ty();
        match *self.module.types.kind(ty) {
            TypeKind::Error => self.error_operand(span),
            TypeKind::Vector(..) => self.components(base, name, name_span, span),
            TypeKind::Record(id) => self.record_member(base, id, name, name_span, span),
            TypeKind::Pointer(_) => {
                let ty = self.quoted(ty);
                let what = "is a pointer; did you mean to use '->'?";
                self.fail(name_span, format!("member reference type {ty} {what}"))
            }
            _ => {
                let (ty, what) = (self.quoted(ty), "is not a structure or union");
                self.fail(name_span, format!("member reference base type {ty} {what}"))
            }
        }
    }

    fn record_member(
        &mut self,
        base: Operand,
        id: RecordId,
        name: Symbol,
        name_span: Span,
        span: Span,
    ) -> Operand {
        let text = self.text(name);
        if self.module.types.records[id].size.is_none() {
            let message = format!("incomplete definition of type {}", self.quoted(base.ty()));
            return self.fail(name_span, message);
        }
        let mut path = Vec::new();
        if !self.find_member(id, text, &mut path) {
            let message = format!("no member named '{text}' in {}", self.quoted(base.ty()));
            return self.fail(name_span, message);
        }
        let mut object = match base {
            Operand::Object(object) => object,
            Operand::Value(value) => self.temporary(value),
        };
        for (record, index) in path {
            object = self.field_of(object, record, index, span);
        }
        object.name = Some(name);
        Operand::Object(object)
    }

    /// Finds a member, also in anonymous members. The record and field number of each step are appended to `path`.
    pub(super) fn find_member(
        &self,
        mut id: RecordId,
        name: &str,
        path: &mut Vec<(RecordId, usize)>,
    ) -> bool {
        loop {
            let record = &self.module.types.records[id];
            let Some(&index) = record.names.get(name) else { return false };
            path.push((id, index as usize));
            let Some(field) = record.fields.get(index as usize) else { return false };
            match *self.module.types.kind(field.ty) {
                TypeKind::Record(inner) if field.name.is_empty() => id = inner,
                _ => return true,
            }
        }
    }

    fn field_of(&self, base: Object, record: RecordId, index: usize, span: Span) -> Object {
        let types = &self.module.types;
        let Some(field) = types.records[record].fields.get(index) else { return base };
        // The alignment is that of the base, as far as the member's offset keeps it.
        let base_align = base.place.align.unwrap_or_else(|| types.align(base.place.ty));
        let align = match field.offset {
            0 => base_align,
            offset => base_align.min(1 << offset.trailing_zeros()),
        };
        let is_volatile = base.place.is_volatile || field.is_volatile;
        let kind = PlaceKind::Field { base: Box::new(base.place), offset: field.offset };
        Object {
            place: Place {
                kind,
                ty: field.ty,
                is_volatile,
                align: (align < types.align(field.ty)).then_some(align),
                span,
            },
            is_const: base.is_const || field.is_const,
            ..base
        }
    }

    fn components(&mut self, base: Operand, name: Symbol, name_span: Span, span: Span) -> Operand {
        let (ty, text) = (base.ty(), self.text(name));
        let Some((_, count)) = self.module.types.numeric(ty) else {
            return self.error_operand(span);
        };
        let message = match select_lanes(text, count) {
            Ok(lanes) => {
                self.check_rgba(text, name_span);
                return self.take_lanes(base, lanes, span);
            }
            Err(BadSelector::Unknown) => format!("illegal vector component name '{text}'"),
            Err(BadSelector::OutOfRange(c)) => {
                format!("vector component access exceeds type {}: '{c}'", self.quoted(ty))
            }
            Err(BadSelector::Length(n)) => {
                format!("vector component access has invalid length {n}.  Supported: 1,2,3,4,8,16.")
            }
        };
        self.fail(name_span, message)
    }

    /// Warns of `.rgba` in versions before OpenCL C 3.0 (6.3.7).
    fn check_rgba(&mut self, name: &str, span: Span) {
        let Some(first) = name.chars().next().filter(|&c| "rgba".contains(c)) else { return };
        if self.options.std < ClStd::Cl30 {
            let message = format!(
                "vector component name '{first}' is a feature from OpenCL version 3.0 onwards"
            );
            self.diags.warning(span, message);
        }
    }

    /// Returns the type of some components of a vector type.
    fn lanes_type(&mut self, ty: TypeId, count: usize) -> TypeId {
        match self.module.types.numeric(ty) {
            Some((scalar, _)) => self.module.types.vector(scalar, count as u8),
            None => self.basic.error,
        }
    }

    /// Returns components of a vector operand; a selection of a selection becomes one selection.
    fn take_lanes(&mut self, base: Operand, lanes: Lanes, span: Span) -> Operand {
        let ty = self.lanes_type(base.ty(), lanes.len());
        match base {
            Operand::Value(Expr {
                kind: ExprKind::Swizzle { value: inner, lanes: first }, ..
            }) => {
                let lanes = compose(&first, &lanes);
                Operand::Value(value(ExprKind::Swizzle { value: inner, lanes }, ty, span))
            }
            Operand::Value(base) => {
                let last = self.module.types.numeric(base.ty).map_or(0, |(_, lanes)| lanes - 1);
                let lanes = lanes.iter().map(|&lane| lane.min(last)).collect();
                let kind = ExprKind::Swizzle { value: Box::new(base), lanes };
                Operand::Value(value(kind, ty, span))
            }
            Operand::Object(object) => {
                let kind = match object.place.kind {
                    PlaceKind::Components { base, lanes: first } => {
                        PlaceKind::Components { base, lanes: compose(&first, &lanes) }
                    }
                    kind => PlaceKind::Components {
                        base: Box::new(Place { kind, ..object.place }),
                        lanes: lanes.to_vec(),
                    },
                };
                let (is_volatile, align) = (object.place.is_volatile, object.place.align);
                let place = Place { kind, ty, is_volatile, align, span };
                Operand::Object(Object { place, ..object })
            }
        }
    }

    /// `vector[index]`.
    pub(super) fn vector_index(&mut self, base: Operand, index: Expr, span: Span) -> Operand {
        let Some(index) = self.subscript(index) else {
            return self.error_operand(span);
        };
        let Some((_, count)) = self.module.types.numeric(base.ty()) else {
            return self.error_operand(span);
        };
        match self.eval_int(&index) {
            Some(n) if (0..i128::from(count)).contains(&n) => {
                let lanes = Lanes::from_slice(&[n as u8]);
                self.take_lanes(base, lanes, span)
            }
            Some(n) => {
                let base = self.quoted(base.ty());
                self.fail(span, format!("vector component access exceeds type {base}: index {n}"))
            }
            None => {
                let object = match base {
                    Operand::Object(object) => object,
                    Operand::Value(value) => self.temporary(value),
                };
                let ty = self.lanes_type(object.place.ty, 1);
                let (is_volatile, align) = (object.place.is_volatile, object.place.align);
                let (base, index) = (Box::new(object.place), Box::new(index));
                let kind = PlaceKind::ComponentAt { base, index };
                let place = Place { kind, ty, is_volatile, align, span };
                Operand::Object(Object { place, ..object })
            }
        }
    }
}

/// Returns the lanes of `first` that `second` selects.
fn compose(first: &[u8], second: &[u8]) -> Vec<u8> {
    second.iter().filter_map(|&lane| first.get(usize::from(lane)).copied()).collect()
}
