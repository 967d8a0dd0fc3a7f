//! Structs, unions and enums: their members and layout (C99 6.7.2.1, OpenCL C 6.13).

use super::attributes::Attributes;
use super::scope::{Entity, Tag};
use super::typename::QualType;
use super::types::{Field, Record, RecordId, Scalar, TypeId, TypeKind};
use super::{Sema, MAX_OBJECT_SIZE, MAX_TYPE_DEPTH};
use crate::source::Span;
use crate::syntax::ast::{Attribute, Enumerator, FieldDecl, FieldDeclarator, Name};
use rustc_hash::FxHashMap;

/// A record while its members are laid out.
struct Layout {
    is_union: bool,
    packed: bool,
    /// The largest alignment of the members in bytes.
    pack: u32,
    size: u64,
    align: u32,
    depth: u32,
    has_host_sized: bool,
    /// The flexible array member, which is the last one.
    flexible: Option<(String, Span)>,
    fields: Vec<Field>,
    /// All members, including those of anonymous members, each with its offset and the field through which it is reached.
    names: FxHashMap<String, (Span, u32)>,
}

/// The properties of a record besides its members.
#[derive(Clone, Copy)]
pub(super) struct RecordAttributes<'a> {
    pub list: &'a [Attribute],
    /// `#pragma pack` where the members begin, in bytes; 0 for none.
    pub pack: u32,
}

impl Sema<'_> {
    /// Analyzes a struct or union specifier: a definition, or a reference that may declare the tag.
    pub(super) fn record_type(
        &mut self,
        is_union: bool,
        tag: Option<Name>,
        fields: Option<&[FieldDecl]>,
        attributes: RecordAttributes,
        span: Span,
    ) -> TypeId {
        let found = tag.and_then(|tag| match fields {
            Some(_) => self.scopes.find_tag_here(tag.symbol).cloned(),
            None => self.scopes.find_tag(tag.symbol).cloned(),
        });
        let name = tag.map_or("", |tag| self.text(tag.symbol));
        let span = tag.map_or(span, |tag| tag.span);
        let (id, ty) = match found.as_ref().map(|binding| binding.entity) {
            Some(Tag::Record(id, ty)) if self.module.types.records[id].is_union == is_union => {
                (id, ty)
            }
            Some(_) => {
                let message = format!(
                    "use of '{name}' with tag type that does not match previous declaration"
                );
                self.error(span, message);
                if let Some(binding) = found {
                    self.diags.note(binding.span, "previous use is here");
                }
                return self.basic.error;
            }
            None => {
                let record =
                    Record { name: name.to_string(), is_union, align: 1, ..Record::default() };
                let id = self.module.types.records.push(record);
                let ty = self.module.types.intern(TypeKind::Record(id));
                if let Some(tag) = tag {
                    self.scopes.declare_tag(tag.symbol, Tag::Record(id, ty), span);
                }
                (id, ty)
            }
        };
        if let Some(fields) = fields {
            if self.module.types.records[id].size.is_some() {
                self.error(span, format!("redefinition of '{name}'"));
                if let Some(binding) = found {
                    self.diags.note(binding.span, "previous definition is here");
                }
                return ty;
            }
            self.define_record(id, fields, attributes);
        }
        ty
    }

    fn define_record(&mut self, id: RecordId, fields: &[FieldDecl], given: RecordAttributes) {
        let attributes = self.attributes(given.list);
        let mut layout = Layout {
            is_union: self.module.types.records[id].is_union,
            packed: attributes.packed,
            pack: if given.pack == 0 { u32::MAX } else { given.pack },
            size: 0,
            align: attributes.aligned.max(1),
            depth: 0,
            has_host_sized: false,
            flexible: None,
            fields: Vec::new(),
            names: FxHashMap::default(),
        };
        for field in fields {
            let base = self.specified_type(&field.specs);
            let attributes = self.attributes(&field.specs.attributes);
            if field.declarators.is_empty() {
                self.anonymous_field(field, base.ty, &attributes, &mut layout);
            }
            for declarator in &field.declarators {
                self.field(field, (base, &attributes), declarator, &mut layout);
            }
        }
        let size = layout.size.next_multiple_of(u64::from(layout.align));
        let record = &mut self.module.types.records[id];
        record.fields = layout.fields;
        record.size = Some(size);
        record.align = layout.align;
        record.depth = layout.depth;
        record.has_host_sized = layout.has_host_sized;
        record.names = layout.names.into_iter().map(|(name, (_, field))| (name, field)).collect();
    }

    fn field(
        &mut self,
        decl: &FieldDecl,
        (base, attributes): (QualType, &Attributes),
        field: &FieldDeclarator,
        layout: &mut Layout,
    ) {
        let declarator = &field.declarator;
        let span = if declarator.name.is_some() { declarator.span } else { decl.span };
        let mut ty = self.derive(base, &declarator.derivations, span, declarator.name);
        let name = declarator.name.map_or("", |name| self.text(name));
        if field.bit_width.is_some() {
            self.error(span, "bit-fields are not supported in OpenCL");
        }
        if ty.space.is_some() {
            self.error(span, "field may not be qualified with an address space");
        }
        let problem = match self.module.types.kind(ty.ty) {
            TypeKind::Error => return,
            TypeKind::Function { .. } => Some(format!("field '{name}' declared as a function")),
            TypeKind::Scalar(_) | TypeKind::Array(..) if self.is_storage_half(ty.ty) => {
                Some(format!("declaring field of type {} is not allowed", self.quoted(ty.ty)))
            }
            &TypeKind::Array(element, None) => {
                ty.ty = self.module.types.intern(TypeKind::Array(element, Some(0)));
                self.flexible_member(name, layout, span)
            }
            TypeKind::Image(_)
            | TypeKind::Pipe(..)
            | TypeKind::Opaque(_)
            | TypeKind::Block { .. } => Some(format!(
                "the {} type cannot be used to declare a structure or union field",
                self.quoted(ty.ty)
            )),
            _ if self.has_matrices(ty.ty) => Some(format!(
                "the {} type cannot be used to declare a structure or union field",
                self.quoted(ty.ty)
            )),
            _ if self.module.types.size(ty.ty).is_none() => {
                Some(format!("field has incomplete type {}", self.quoted(ty.ty)))
            }
            _ => None,
        };
        if let Some(problem) = problem {
            return self.error(span, problem);
        }
        let attributes = self.more_attributes(attributes, &declarator.attributes);
        self.check_pointer_attributes(&attributes, &ty);
        let natural = self.alignment(&ty);
        layout.has_host_sized |= ty.is_host_sized;
        let packed = layout.packed || attributes.packed;
        let align = if packed { 1 } else { natural }.max(attributes.aligned).min(layout.pack);
        self.claim_name(layout, name, span);
        self.place_field(
            layout,
            Field {
                name: name.to_string(),
                ty: ty.ty,
                offset: 0,
                is_const: ty.is_const,
                is_volatile: ty.is_volatile,
                align,
            },
            span,
        );
    }

    /// Takes an array member without a length as one of no elements at the end of its struct, as clang does. OpenCL C has no
    /// such members (6.11), so it warns. Returns what is wrong where C has none either (C99 6.7.2.1).
    fn flexible_member(&mut self, name: &str, layout: &mut Layout, span: Span) -> Option<String> {
        if layout.is_union {
            return Some(format!("flexible array member '{name}' in a union is not allowed"));
        }
        if layout.fields.is_empty() {
            let problem = "not allowed in otherwise empty struct";
            return Some(format!("flexible array member '{name}' {problem}"));
        }
        let warning = format!("flexible array member '{name}' is not part of OpenCL C");
        self.diags.warning(span, warning);
        layout.flexible = Some((name.to_string(), span));
        None
    }

    fn anonymous_field(
        &mut self,
        decl: &FieldDecl,
        ty: TypeId,
        attributes: &Attributes,
        layout: &mut Layout,
    ) {
        let TypeKind::Record(id) = *self.module.types.kind(ty) else {
            self.diags.warning(decl.span, "declaration does not declare anything");
            return;
        };
        let record = &self.module.types.records[id];
        if !record.name.is_empty() || record.size.is_none() {
            self.diags.warning(decl.span, "declaration does not declare anything");
            return;
        }
        let names: Vec<String> = record.names.keys().cloned().collect();
        for name in names {
            self.claim_name(layout, &name, decl.span);
        }
        let natural = self.module.types.align(ty);
        let align = if layout.packed { 1 } else { natural };
        let align = align.max(attributes.aligned).min(layout.pack);
        let field = Field {
            name: String::new(),
            ty,
            offset: 0,
            is_const: decl.specs.quals.is_const,
            is_volatile: decl.specs.quals.is_volatile,
            align,
        };
        self.place_field(layout, field, decl.span);
    }

    fn claim_name(&mut self, layout: &mut Layout, name: &str, span: Span) {
        if name.is_empty() {
            return;
        }
        if let Some(&(first, _)) = layout.names.get(name) {
            self.error(span, format!("duplicate member '{name}'"));
            self.diags.note(first, "previous declaration is here");
        }
        let field = layout.fields.len() as u32;
        layout.names.insert(name.to_string(), (span, field));
    }

    fn place_field(&mut self, layout: &mut Layout, mut field: Field, span: Span) {
        if let Some((name, flexible)) = layout.flexible.take_if(|(_, place)| *place != span) {
            let problem = format!("flexible array member '{name}' is not at the end of struct");
            self.error(flexible, problem);
        }
        let size = self.module.types.size(field.ty).unwrap_or(0);
        let start = if layout.is_union { 0 } else { layout.size };
        let offset = start.next_multiple_of(u64::from(field.align));
        let end = offset.saturating_add(size);
        if end > MAX_OBJECT_SIZE {
            return self.error(span, "size of structure is too large");
        }
        let depth = self.module.types.depth(field.ty);
        if depth >= MAX_TYPE_DEPTH {
            return self.error(span, "type is nested too deeply");
        }
        layout.has_host_sized |= self.has_host_sized(field.ty);
        field.offset = offset as u32;
        layout.size = layout.size.max(end);
        layout.align = layout.align.max(field.align);
        layout.depth = layout.depth.max(depth);
        layout.fields.push(field);
    }

    /// Returns true if a record with a member of this type cannot be an argument of a kernel.
    fn has_host_sized(&self, ty: TypeId) -> bool {
        let types = &self.module.types;
        match *types.kind(ty) {
            TypeKind::Scalar(Scalar::Bool) => true,
            TypeKind::Record(id) => types.records[id].has_host_sized,
            TypeKind::Array(element, _) => self.has_host_sized(element),
            _ => false,
        }
    }

    /// Analyzes an enum specifier. Its type is int, or the first of uint and long that holds every value; for a
    /// packed enum it is the smallest integer type that holds every value.
    pub(super) fn enum_type(
        &mut self,
        tag: Option<Name>,
        enumerators: Option<&[Enumerator]>,
        packed: bool,
        span: Span,
    ) -> TypeId {
        let span = tag.map_or(span, |tag| tag.span);
        let Some(enumerators) = enumerators else {
            let name = tag.map_or("", |tag| self.text(tag.symbol));
            let found = tag.and_then(|tag| self.scopes.find_tag(tag.symbol));
            return match found.map(|binding| binding.entity) {
                Some(Tag::Enum(ty)) => ty,
                Some(Tag::Record(..)) => {
                    let message = format!(
                        "use of '{name}' with tag type that does not match previous declaration"
                    );
                    self.fail(span, message)
                }
                None => self.fail(span, "ISO C forbids forward references to 'enum' types"),
            };
        };
        if let Some(tag) = tag {
            if let Some(span_before) = self.scopes.find_tag_here(tag.symbol).map(|b| b.span) {
                self.error(span, format!("redefinition of '{}'", self.text(tag.symbol)));
                self.diags.note(span_before, "previous definition is here");
            }
        }
        let (mut next, mut low, mut high) = (0i128, 0i128, 0i128);
        for enumerator in enumerators {
            if let Some(value) = &enumerator.value {
                next = self.enumerator_value(value, next);
            }
            low = low.min(next);
            high = high.max(next);
            let ty = self.enumerator_type(next, next);
            self.declare_enumerator(enumerator, next, ty);
            next += 1;
        }
        let ty = match packed {
            true => self.smallest_type(low, high),
            false => self.enumerator_type(low, high),
        };
        if let Some(tag) = tag {
            self.scopes.declare_tag(tag.symbol, Tag::Enum(ty), span);
        }
        ty
    }

    fn enumerator_type(&self, low: i128, high: i128) -> TypeId {
        if low >= i128::from(i32::MIN) && high <= i128::from(i32::MAX) {
            self.basic.int
        } else if low >= 0 && high <= i128::from(u32::MAX) {
            self.basic.uint
        } else if high <= i128::from(i64::MAX) {
            self.basic.long
        } else {
            self.basic.ulong
        }
    }

    fn smallest_type(&mut self, low: i128, high: i128) -> TypeId {
        use Scalar::*;
        let candidates = match low < 0 {
            true => {
                [(Char, i8::MIN.into(), i8::MAX.into()), (Short, i16::MIN.into(), i16::MAX.into())]
            }
            false => [(UChar, 0, u8::MAX.into()), (UShort, 0, u16::MAX.into())],
        };
        let fits = candidates.into_iter().find(|&(_, least, most)| low >= least && high <= most);
        match fits {
            Some((scalar, ..)) => self.module.types.scalar(scalar),
            None => self.enumerator_type(low, high),
        }
    }

    fn enumerator_value(&mut self, expr: &crate::syntax::ast::Expr, otherwise: i128) -> i128 {
        let value = self.rvalue(expr);
        if self.is_error(value.ty) {
            return otherwise;
        }
        match self.eval_int(&value) {
            Some(n) => n,
            None => {
                self.error(expr.span, "expression is not an integer constant expression");
                otherwise
            }
        }
    }

    fn declare_enumerator(&mut self, enumerator: &Enumerator, value: i128, ty: TypeId) {
        let (name, span) = (enumerator.name, enumerator.span);
        if let Some(binding) = self.scopes.find_here(name).cloned() {
            let message = match binding.entity {
                Entity::Enumerator(..) => {
                    format!("redefinition of enumerator '{}'", self.text(name))
                }
                _ => {
                    format!("redefinition of '{}' as different kind of symbol", self.text(name))
                }
            };
            self.error(span, message);
            self.diags.note(binding.span, "previous definition is here");
            return;
        }
        let bits = match self.module.types.size(ty) {
            Some(4) => u64::from(value as u32),
            _ => value as u64,
        };
        self.scopes.declare(name, Entity::Enumerator(bits, ty), span);
    }
}
