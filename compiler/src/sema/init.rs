//! Initializers (C99 6.7.8): braces, designators and strings, flattened to values at byte offsets.

use super::convert::Context;
use super::hir::{self, ExprKind, Init, Part, Range, Repeat};
use super::operand::value;
use super::types::{Scalar, TypeId, TypeKind};
use super::{Sema, MAX_OBJECT_SIZE};
use crate::source::Span;
use crate::syntax::ast::{self, DesignatedInit, Designator, Initializer};

/// The value stored at one offset.
#[derive(Debug)]
pub(super) enum InitEntry {
    Value(hir::Expr),
    /// Characters of a string literal.
    Bytes(Vec<u8>),
    /// Zero of a type, which replaces the values of earlier entries.
    Zero(TypeId),
    /// Copies of the part at the entry's offset, which earlier entries initialize.
    Repeat(Repeat),
}

/// A flattened initializer: a list of stores, in order. Bytes that no entry covers are zero.
#[derive(Debug, Default)]
pub(super) struct FlatInitializer {
    pub list: Vec<(u64, InitEntry)>,
    /// The number of bytes that entries cover, without padding.
    covered: u64,
    /// The end of the last byte that entries cover.
    end: u64,
    /// True if a designator was used: entries may overlap.
    pub designated: bool,
}

impl FlatInitializer {
    fn push(&mut self, offset: u64, entry: InitEntry, size: u64) {
        self.covered = self.covered.saturating_add(size);
        self.end = self.end.max(offset.saturating_add(size));
        self.list.push((offset, entry));
    }

    /// Begins an initializer for a whole part: sets the values of earlier initializers there to zero.
    fn restart(&mut self, offset: u64, ty: TypeId) {
        if offset < self.end {
            self.list.push((offset, InitEntry::Zero(ty)));
        }
    }

    /// Repeats the part at an offset over the ranges of its designators, if there are any.
    fn repeat(&mut self, offset: u64, ty: TypeId, ranges: Vec<Range>) {
        let has_bytes = ranges.iter().all(|range| range.stride > 0);
        if has_bytes && ranges.iter().any(|range| range.count > 1) {
            self.end = u64::MAX;
            self.list.push((offset, InitEntry::Repeat(Repeat { offset, ty, ranges })));
        }
    }
}

/// Progress through the items of one pair of braces.
struct InitListCursor<'t> {
    items: &'t [DesignatedInit],
    next: usize,
    /// True if the current item's designators have been followed.
    entered: bool,
    /// The current item's value, once analyzed.
    pending: Option<hir::Expr>,
}

impl<'t> InitListCursor<'t> {
    fn new(items: &'t [DesignatedInit]) -> InitListCursor<'t> {
        InitListCursor { items, next: 0, entered: false, pending: None }
    }

    fn item(&self) -> Option<&'t DesignatedInit> {
        self.items.get(self.next)
    }

    fn advance(&mut self) {
        self.next += 1;
        self.entered = false;
        self.pending = None;
    }

    /// Returns true if the current item may go into the next part of an aggregate without braces.
    fn continues(&self) -> bool {
        self.item().is_some_and(|item| self.entered || item.designators.is_empty())
    }

    /// Returns the current item, if it is a string literal.
    fn string(&self) -> Option<&'t [u8]> {
        match &self.item()?.init {
            Initializer::Expr(ast::Expr { kind: ast::ExprKind::Str(bytes), .. }) => Some(bytes),
            _ => None,
        }
    }
}

impl Sema<'_> {
    /// Flattens an initializer for an object of type `ty`, whose array length it may complete.
    pub(super) fn initializer(
        &mut self,
        ty: &mut TypeId,
        init: &Initializer,
        span: Span,
    ) -> Option<FlatInitializer> {
        if self.is_error(*ty) {
            if let Initializer::Expr(expr) = init {
                self.rvalue(expr);
            }
            return None;
        }
        let mut entries = FlatInitializer::default();
        let array = match *self.module.types.kind(*ty) {
            TypeKind::Array(element, length) => Some((element, length)),
            _ => None,
        };
        let count = match (init, array) {
            (Initializer::List(items, at), _) => {
                self.init_list(*ty, 0, items, *at, &mut entries)?
            }
            (Initializer::Expr(expr), Some((element, length))) => {
                let ast::ExprKind::Str(bytes) = &expr.kind else {
                    self.rvalue(expr);
                    let message = "array initializer must be an initializer list or string literal";
                    return self.fail(expr.span, message);
                };
                self.string_entry(element, length, 0, bytes, expr.span, &mut entries)?
            }
            (Initializer::Expr(expr), None) => {
                let e = self.converted(expr, *ty, Context::Initializing);
                self.push_value(*ty, 0, e, &mut entries);
                0
            }
        };
        if let Some((element, None)) = array {
            let size = self.module.types.size(element).and_then(|size| size.checked_mul(count));
            if size.is_none_or(|size| size > MAX_OBJECT_SIZE) {
                return self.fail(span, "size of array is too large");
            }
            *ty = self.module.types.intern(TypeKind::Array(element, Some(count)));
        }
        Some(entries)
    }

    /// Returns the number of bytes of a type that an initializer can cover: its size without padding.
    fn leaf_size(&self, ty: TypeId) -> u64 {
        let types = &self.module.types;
        match types.kind(ty) {
            TypeKind::Array(element, Some(n)) => self.leaf_size(*element).saturating_mul(*n),
            TypeKind::Record(id) if !types.records[*id].is_union => {
                types.records[*id].fields.iter().map(|field| self.leaf_size(field.ty)).sum()
            }
            _ => types.size(ty).unwrap_or(0),
        }
    }

    fn push_value(&self, ty: TypeId, offset: u64, e: hir::Expr, entries: &mut FlatInitializer) {
        entries.push(offset, InitEntry::Value(e), self.leaf_size(ty));
    }

    /// Reads a string literal for an array of characters; returns the length with the terminating zero.
    fn string_entry(
        &mut self,
        element: TypeId,
        length: Option<u64>,
        offset: u64,
        bytes: &[u8],
        span: Span,
        entries: &mut FlatInitializer,
    ) -> Option<u64> {
        if !self.is_char(element) {
            return self.fail(span, "array initializer must be an initializer list");
        }
        let mut bytes = bytes.to_vec();
        bytes.push(0);
        let full = bytes.len() as u64;
        if let Some(length) = length {
            if full - 1 > length {
                self.diags.warning(span, "initializer-string for char array is too long");
            }
            bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        }
        let size = bytes.len() as u64;
        entries.push(offset, InitEntry::Bytes(bytes), size);
        Some(length.unwrap_or(full))
    }

    fn is_char(&self, ty: TypeId) -> bool {
        matches!(self.module.types.kind(ty), TypeKind::Scalar(Scalar::Char | Scalar::UChar))
    }

    /// Flattens `{ items }` for an object at an offset. Returns the number of elements for an array.
    fn init_list(
        &mut self,
        ty: TypeId,
        offset: u64,
        items: &[DesignatedInit],
        span: Span,
        entries: &mut FlatInitializer,
    ) -> Option<u64> {
        match *self.module.types.kind(ty) {
            TypeKind::Array(element, length) => {
                self.init_array(element, length, offset, items, entries)
            }
            TypeKind::Record(_) => {
                self.init_record(ty, offset, items, entries)?;
                Some(0)
            }
            TypeKind::Vector(..) => {
                self.init_vector(ty, offset, items, span, entries);
                Some(0)
            }
            _ => {
                if items.iter().any(|item| !item.designators.is_empty()) {
                    let message =
                        format!("designator in initializer for scalar type {}", self.quoted(ty));
                    return self.fail(span, message);
                }
                if items.len() > 1 {
                    self.diags.warning(span, "excess elements in scalar initializer");
                }
                match items.first().map(|item| &item.init) {
                    None => {
                        return self.fail(span, "scalar initializer cannot be empty");
                    }
                    Some(Initializer::List(inner, at)) => {
                        self.init_list(ty, offset, inner, *at, entries)?;
                    }
                    Some(Initializer::Expr(expr)) => {
                        let e = self.converted(expr, ty, Context::Initializing);
                        self.push_value(ty, offset, e, entries);
                    }
                }
                Some(0)
            }
        }
    }

    fn init_array(
        &mut self,
        element: TypeId,
        length: Option<u64>,
        offset: u64,
        items: &[DesignatedInit],
        entries: &mut FlatInitializer,
    ) -> Option<u64> {
        let stride = self.module.types.size(element)?;
        let mut cursor = InitListCursor::new(items);
        if let ([only], Some(bytes)) = (items, cursor.string()) {
            if self.is_char(element) && only.designators.is_empty() {
                let span = init_span(&only.init);
                return self.string_entry(element, length, offset, bytes, span, entries);
            }
        }
        let (mut index, mut count) = (0u64, 0u64);
        while let Some(item) = cursor.item() {
            let mut rest: &[Designator] = &[];
            let mut last = index;
            if let Some((first, more)) = item.designators.split_first() {
                (index, last) = self.array_designator(first, length)?;
                rest = more;
                entries.designated = true;
            } else if length.is_some_and(|length| index >= length) {
                let span = init_span(&item.init);
                self.diags.warning(span, "excess elements in array initializer");
                break;
            }
            let end = last.checked_mul(stride).and_then(|end| end.checked_add(offset));
            if end.is_none_or(|end| end > MAX_OBJECT_SIZE) {
                return self.fail(init_span(&item.init), "size of array is too large");
            }
            let at = offset + index * stride;
            let range = Range { stride, count: last - index + 1 };
            if rest.is_empty() {
                self.init_element(element, at, &mut cursor, entries)?;
                entries.repeat(at, element, vec![range]);
            } else {
                self.init_designated(element, at, vec![range], rest, item, entries)?;
                cursor.advance();
            }
            index = last + 1;
            count = count.max(index);
        }
        Some(count)
    }

    /// Returns the first and the last index that `[n]` or `[n ... m]` designates.
    fn array_designator(
        &mut self,
        designator: &Designator,
        length: Option<u64>,
    ) -> Option<(u64, u64)> {
        match designator {
            Designator::Index(index) => {
                let index = self.designated_index(index, length)?;
                Some((index, index))
            }
            Designator::Range(first, last) => {
                let low = self.designated_index(first, length)?;
                let high = self.designated_index(last, length)?;
                if low > high {
                    let message = format!("array designator range [{low}, {high}] is empty");
                    return self.fail(first.span, message);
                }
                Some((low, high))
            }
            Designator::Field(_, span) => {
                self.fail(*span, "field designator cannot initialize a non-struct, non-union type")
            }
        }
    }

    fn designated_index(&mut self, expr: &ast::Expr, length: Option<u64>) -> Option<u64> {
        let e = self.rvalue(expr);
        if self.is_error(e.ty) {
            return None;
        }
        let Some(n) = self.eval_int(&e) else {
            return self
                .fail(expr.span, "array designator index is not an integer constant expression");
        };
        let Ok(index) = u64::try_from(n) else {
            return self.fail(expr.span, format!("array designator value '{n}' is negative"));
        };
        match length {
            Some(length) if index >= length => {
                let message =
                    format!("array designator index ({n}) exceeds array bounds ({length})");
                self.fail(expr.span, message)
            }
            _ => Some(index),
        }
    }

    fn init_record(
        &mut self,
        ty: TypeId,
        offset: u64,
        items: &[DesignatedInit],
        entries: &mut FlatInitializer,
    ) -> Option<()> {
        let id = hir::record_of(&self.module.types, ty)?;
        let is_union = self.module.types.records[id].is_union;
        let mut cursor = InitListCursor::new(items);
        let mut index = 0usize;
        while let Some(item) = cursor.item() {
            if let Some(first) = item.designators.first() {
                entries.designated = true;
                let mut path = Vec::new();
                if let Designator::Field(name, _) = first {
                    self.find_member(id, self.text(*name), &mut path);
                    index = path.first().map_or(index, |&(_, index)| index);
                }
                self.init_designated(ty, offset, Vec::new(), &item.designators, item, entries)?;
                cursor.advance();
                index += 1;
                continue;
            }
            let field = match self.module.types.records[id].fields.get(index) {
                Some(field) if !is_union || index == 0 => (field.ty, field.offset),
                _ => {
                    let what = if is_union { "union" } else { "struct" };
                    let message = format!("excess elements in {what} initializer");
                    self.diags.warning(init_span(&item.init), message);
                    break;
                }
            };
            self.init_element(field.0, offset + u64::from(field.1), &mut cursor, entries)?;
            index += 1;
        }
        Some(())
    }

    fn init_vector(
        &mut self,
        ty: TypeId,
        offset: u64,
        items: &[DesignatedInit],
        span: Span,
        entries: &mut FlatInitializer,
    ) {
        let mut parts = Vec::new();
        for item in items {
            match &item.init {
                Initializer::Expr(expr) if item.designators.is_empty() => {
                    parts.push(self.rvalue(expr));
                }
                other => {
                    self.error(
                        init_span(other),
                        "vector initializer must be a list of expressions",
                    );
                    return;
                }
            }
        }
        if parts.is_empty() || parts.iter().any(|part| self.is_error(part.ty)) {
            return;
        }
        let e = self.vector_of(ty, parts, span);
        self.push_value(ty, offset, e, entries);
    }

    /// Initializes a part of an aggregate from the cursor's items: one, or as many as the part has
    /// members when its braces are left out.
    fn init_element(
        &mut self,
        ty: TypeId,
        offset: u64,
        cursor: &mut InitListCursor<'_>,
        entries: &mut FlatInitializer,
    ) -> Option<()> {
        let Some(item) = cursor.item() else { return Some(()) };
        cursor.entered = true;
        if let Initializer::List(items, span) = &item.init {
            entries.restart(offset, ty);
            self.init_list(ty, offset, items, *span, entries)?;
            cursor.advance();
            return Some(());
        }
        let start = cursor.next;
        match *self.module.types.kind(ty) {
            TypeKind::Array(element, length) => {
                if let (true, Some(bytes)) = (self.is_char(element), cursor.string()) {
                    let span = init_span(&item.init);
                    entries.restart(offset, ty);
                    self.string_entry(element, length, offset, bytes, span, entries)?;
                    cursor.advance();
                    return Some(());
                }
                let stride = self.module.types.size(element)?;
                let mut index = 0;
                while length.is_none_or(|length| index < length) && cursor.continues() {
                    let at = offset.saturating_add(index.saturating_mul(stride));
                    self.init_element(element, at, cursor, entries)?;
                    index += 1;
                }
            }
            TypeKind::Record(id) => {
                let e = self.pending(cursor);
                if e.is_some_and(|from| from == ty || self.is_error(from)) {
                    self.whole_element(ty, offset, cursor, entries);
                    return Some(());
                }
                let record = &self.module.types.records[id];
                let count = if record.is_union { 1 } else { record.fields.len() };
                for index in 0..count {
                    let field = &self.module.types.records[id].fields.get(index);
                    let Some((ty, at)) = field.map(|field| (field.ty, field.offset)) else { break };
                    if !cursor.continues() {
                        break;
                    }
                    self.init_element(ty, offset + u64::from(at), cursor, entries)?;
                }
            }
            TypeKind::Matrix(_) => self.whole_element(ty, offset, cursor, entries),
            _ => {
                self.pending(cursor);
                self.whole_element(ty, offset, cursor, entries);
            }
        }
        // A part without members uses no item, so the item is in excess.
        if cursor.next == start {
            self.diags.warning(init_span(&item.init), "excess elements in initializer");
            cursor.advance();
        }
        Some(())
    }

    /// Analyzes the current item, once, unless it is a string literal (which may be an array's
    /// contents); returns its type.
    fn pending(&mut self, cursor: &mut InitListCursor<'_>) -> Option<TypeId> {
        if cursor.pending.is_none() && cursor.string().is_none() {
            if let Some(DesignatedInit { init: Initializer::Expr(expr), .. }) = cursor.item() {
                cursor.pending = Some(self.rvalue(expr));
            }
        }
        cursor.pending.as_ref().map(|e| e.ty)
    }

    /// Stores the current item as the whole of a part.
    fn whole_element(
        &mut self,
        ty: TypeId,
        offset: u64,
        cursor: &mut InitListCursor<'_>,
        entries: &mut FlatInitializer,
    ) {
        let e = match (cursor.pending.take(), cursor.item()) {
            (Some(e), _) => e,
            (None, Some(DesignatedInit { init: Initializer::Expr(expr), .. })) => {
                self.rvalue_for(expr, ty)
            }
            _ => return,
        };
        let e = self.assign_convert(e, ty, Context::Initializing);
        self.push_value(ty, offset, e, entries);
        cursor.advance();
    }

    /// Follows designators to a part and initializes it, together with the other parts that the `ranges`
    /// on the way name.
    fn init_designated(
        &mut self,
        mut ty: TypeId,
        mut offset: u64,
        mut ranges: Vec<Range>,
        designators: &[Designator],
        item: &DesignatedInit,
        entries: &mut FlatInitializer,
    ) -> Option<()> {
        for designator in designators {
            match *self.module.types.kind(ty) {
                TypeKind::Array(element, length) => {
                    let (index, last) = self.array_designator(designator, length)?;
                    let stride = self.module.types.size(element)?;
                    offset = index.checked_mul(stride)?.checked_add(offset)?;
                    if last > index {
                        ranges.push(Range { stride, count: last - index + 1 });
                    }
                    ty = element;
                }
                TypeKind::Record(id) => {
                    let (name, span) = match designator {
                        Designator::Field(name, span) => (name, span),
                        Designator::Index(index) | Designator::Range(index, _) => {
                            let message = format!(
                                "array designator cannot initialize non-array type {}",
                                self.quoted(ty)
                            );
                            return self.fail(index.span, message);
                        }
                    };
                    let mut path = Vec::new();
                    if !self.find_member(id, self.text(*name), &mut path) {
                        let message = format!(
                            "field designator '{}' does not refer to any field in type {}",
                            self.text(*name),
                            self.quoted(ty)
                        );
                        return self.fail(*span, message);
                    }
                    for (record, index) in path {
                        let field = self.module.types.records[record].fields.get(index)?;
                        offset += u64::from(field.offset);
                        ty = field.ty;
                    }
                }
                _ => {
                    let message =
                        format!("designator in initializer for scalar type {}", self.quoted(ty));
                    return self.fail(init_span(&item.init), message);
                }
            }
        }
        let mut cursor = InitListCursor::new(std::slice::from_ref(item));
        self.init_element(ty, offset, &mut cursor, entries)?;
        entries.repeat(offset, ty, ranges);
        Some(())
    }

    /// Returns the initializer of a private object.
    pub(super) fn local_init(&self, mut entries: FlatInitializer, ty: TypeId) -> Init {
        if let [(0, InitEntry::Value(e))] = entries.list.as_slice() {
            if e.ty == ty {
                if let Some((_, InitEntry::Value(e))) = entries.list.pop() {
                    return Init::Value(e);
                }
            }
        }
        let zero = entries.designated || entries.covered < self.leaf_size(ty);
        let mut parts = Vec::with_capacity(entries.list.len());
        for (offset, entry) in entries.list {
            match entry {
                InitEntry::Value(e) => parts.push(Part::Value(offset as u32, e)),
                InitEntry::Zero(ty) => parts.push(Part::Zero(offset as u32, ty)),
                InitEntry::Repeat(repeat) => parts.push(Part::Repeat(repeat)),
                InitEntry::Bytes(bytes) => {
                    for (i, byte) in bytes.into_iter().enumerate() {
                        let kind = ExprKind::Int(u64::from(byte));
                        let e = value(kind, self.basic.char_, Span::default());
                        parts.push(Part::Value(offset as u32 + i as u32, e));
                    }
                }
            }
        }
        Init::Parts { zero, parts }
    }
}

/// Returns the span of an initializer.
pub(super) fn init_span(init: &Initializer) -> Span {
    match init {
        Initializer::Expr(expr) => expr.span,
        Initializer::List(_, span) => *span,
    }
}
