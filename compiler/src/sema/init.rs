//! Initializers (C99 6.7.8): braces, designators and strings, flattened to values at byte offsets;
//! and the bytes of constant ones.

use super::convert::Context;
use super::hir::{self, ExprKind, Init, Relocation};
use super::operand::value;
use super::types::{Scalar, TypeId, TypeKind};
use super::{Sema, MAX_DATA_SIZE, MAX_OBJECT_SIZE};
use crate::source::Span;
use crate::syntax::ast::{self, DesignatedInit, Designator, Initializer};

/// What is stored at one offset.
#[derive(Debug)]
pub(super) enum Piece {
    Value(hir::Expr),
    /// Characters of a string literal.
    Bytes(Vec<u8>),
}

/// A flattened initializer: stores in order; what no piece covers is zero.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pub list: Vec<(u64, Piece)>,
    /// Bytes covered, padding apart.
    covered: u64,
    /// A designator was used: pieces may overlap.
    designated: bool,
}

impl Pieces {
    fn push(&mut self, offset: u64, piece: Piece, size: u64) {
        self.covered = self.covered.saturating_add(size);
        self.list.push((offset, piece));
    }
}

/// Progress through the items of one pair of braces.
struct Cursor<'t> {
    items: &'t [DesignatedInit],
    next: usize,
    /// The current item's designators have been followed.
    entered: bool,
    /// The current item's value, once analyzed.
    pending: Option<hir::Expr>,
}

impl<'t> Cursor<'t> {
    fn new(items: &'t [DesignatedInit]) -> Cursor<'t> {
        Cursor { items, next: 0, entered: false, pending: None }
    }

    fn item(&self) -> Option<&'t DesignatedInit> {
        self.items.get(self.next)
    }

    fn advance(&mut self) {
        self.next += 1;
        self.entered = false;
        self.pending = None;
    }

    /// Whether the current item may go into the next part of an aggregate without braces.
    fn continues(&self) -> bool {
        self.item().is_some_and(|item| self.entered || item.designators.is_empty())
    }

    /// The current item, if it is a string literal.
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
    ) -> Option<Pieces> {
        if self.is_error(*ty) {
            if let Initializer::Expr(expr) = init {
                self.rvalue(expr);
            }
            return None;
        }
        let mut pieces = Pieces::default();
        let array = match *self.module.types.kind(*ty) {
            TypeKind::Array(element, length) => Some((element, length)),
            _ => None,
        };
        let count = match (init, array) {
            (Initializer::List(items, at), _) => self.init_list(*ty, 0, items, *at, &mut pieces)?,
            (Initializer::Expr(expr), Some((element, length))) => {
                let ast::ExprKind::Str(bytes) = &expr.kind else {
                    self.rvalue(expr);
                    let message = "array initializer must be an initializer list or string literal";
                    self.error(expr.span, message);
                    return None;
                };
                self.string_piece(element, length, 0, bytes, expr.span, &mut pieces)?
            }
            (Initializer::Expr(expr), None) => {
                let e = self.converted(expr, *ty, Context::Initializing);
                let size = self.leaf_size(*ty);
                pieces.push(0, Piece::Value(e), size);
                0
            }
        };
        if let Some((element, None)) = array {
            if count == 0 {
                self.error(span, "zero size arrays are not supported in OpenCL");
                return None;
            }
            let size = self.module.types.size(element).and_then(|size| size.checked_mul(count));
            if size.is_none_or(|size| size > MAX_OBJECT_SIZE) {
                self.error(span, "size of array is too large");
                return None;
            }
            *ty = self.module.types.intern(TypeKind::Array(element, Some(count)));
        }
        Some(pieces)
    }

    /// Bytes of a type that an initializer can cover: its size without padding.
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

    /// A string literal in an array of characters; gives the length with the terminating zero.
    fn string_piece(
        &mut self,
        element: TypeId,
        length: Option<u64>,
        offset: u64,
        bytes: &[u8],
        span: Span,
        pieces: &mut Pieces,
    ) -> Option<u64> {
        if !self.is_char(element) {
            let message = "array initializer must be an initializer list";
            self.error(span, message);
            return None;
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
        pieces.push(offset, Piece::Bytes(bytes), size);
        Some(length.unwrap_or(full))
    }

    fn is_char(&self, ty: TypeId) -> bool {
        matches!(self.module.types.kind(ty), TypeKind::Scalar(Scalar::Char | Scalar::UChar))
    }

    /// `{ items }` for an object at an offset. Gives the number of elements of an array.
    fn init_list(
        &mut self,
        ty: TypeId,
        offset: u64,
        items: &[DesignatedInit],
        span: Span,
        pieces: &mut Pieces,
    ) -> Option<u64> {
        match *self.module.types.kind(ty) {
            TypeKind::Array(element, length) => {
                self.init_array(element, length, offset, items, pieces)
            }
            TypeKind::Record(_) => {
                self.init_record(ty, offset, items, pieces)?;
                Some(0)
            }
            TypeKind::Vector(..) => {
                self.init_vector(ty, offset, items, span, pieces);
                Some(0)
            }
            _ => {
                if items.len() > 1 {
                    self.diags.warning(span, "excess elements in scalar initializer");
                }
                match items.first().map(|item| &item.init) {
                    None => {}
                    Some(Initializer::List(inner, at)) => {
                        self.init_list(ty, offset, inner, *at, pieces)?;
                    }
                    Some(Initializer::Expr(expr)) => {
                        let e = self.converted(expr, ty, Context::Initializing);
                        let size = self.leaf_size(ty);
                        pieces.push(offset, Piece::Value(e), size);
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
        pieces: &mut Pieces,
    ) -> Option<u64> {
        let stride = self.module.types.size(element)?;
        let mut cursor = Cursor::new(items);
        if let ([only], Some(bytes)) = (items, cursor.string()) {
            if self.is_char(element) && only.designators.is_empty() {
                let span = init_span(&only.init);
                return self.string_piece(element, length, offset, bytes, span, pieces);
            }
        }
        let (mut index, mut count) = (0u64, 0u64);
        while let Some(item) = cursor.item() {
            let mut rest: &[Designator] = &[];
            if let Some((first, more)) = item.designators.split_first() {
                index = self.array_designator(first, length)?;
                rest = more;
                pieces.designated = true;
            } else if length.is_some_and(|length| index >= length) {
                let span = init_span(&item.init);
                self.diags.warning(span, "excess elements in array initializer");
                break;
            }
            let at = index.checked_mul(stride).and_then(|at| at.checked_add(offset));
            let Some(at) = at.filter(|&at| at <= MAX_OBJECT_SIZE) else {
                self.error(init_span(&item.init), "size of array is too large");
                return None;
            };
            if rest.is_empty() {
                self.init_element(element, at, &mut cursor, pieces)?;
            } else {
                self.init_designated(element, at, rest, item, pieces)?;
                cursor.advance();
            }
            index += 1;
            count = count.max(index);
        }
        Some(count)
    }

    /// The index that `[n]` designates.
    fn array_designator(&mut self, designator: &Designator, length: Option<u64>) -> Option<u64> {
        let expr = match designator {
            Designator::Index(expr) => expr,
            Designator::Field(_, span) => {
                self.error(
                    *span,
                    "field designator cannot initialize a non-struct, non-union type",
                );
                return None;
            }
        };
        let e = self.rvalue(expr);
        if self.is_error(e.ty) {
            return None;
        }
        let Some(n) = self.eval_int(&e) else {
            self.error(expr.span, "array designator index is not an integer constant expression");
            return None;
        };
        match u64::try_from(n) {
            Ok(n) if length.is_none_or(|length| n < length) => Some(n),
            Ok(_) => {
                let message = format!("array designator index ({n}) exceeds array bounds");
                self.error(expr.span, message);
                None
            }
            Err(_) => {
                self.error(expr.span, format!("array designator value '{n}' is negative"));
                None
            }
        }
    }

    fn init_record(
        &mut self,
        ty: TypeId,
        offset: u64,
        items: &[DesignatedInit],
        pieces: &mut Pieces,
    ) -> Option<()> {
        let id = hir::record_of(&self.module.types, ty)?;
        let is_union = self.module.types.records[id].is_union;
        let mut cursor = Cursor::new(items);
        let mut index = 0usize;
        while let Some(item) = cursor.item() {
            if let Some(first) = item.designators.first() {
                pieces.designated = true;
                let mut path = Vec::new();
                if let Designator::Field(name, _) = first {
                    self.find_member(id, self.text(*name), &mut path);
                    index = path.first().map_or(index, |&(_, index)| index);
                }
                self.init_designated(ty, offset, &item.designators, item, pieces)?;
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
            self.init_element(field.0, offset + u64::from(field.1), &mut cursor, pieces)?;
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
        pieces: &mut Pieces,
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
        let size = self.leaf_size(ty);
        pieces.push(offset, Piece::Value(e), size);
    }

    /// Initializes a part of an aggregate from the cursor's items: one, or as many as the part has
    /// members when its braces are left out.
    fn init_element(
        &mut self,
        ty: TypeId,
        offset: u64,
        cursor: &mut Cursor<'_>,
        pieces: &mut Pieces,
    ) -> Option<()> {
        let Some(item) = cursor.item() else { return Some(()) };
        cursor.entered = true;
        if let Initializer::List(items, span) = &item.init {
            self.init_list(ty, offset, items, *span, pieces)?;
            cursor.advance();
            return Some(());
        }
        let start = cursor.next;
        match *self.module.types.kind(ty) {
            TypeKind::Array(element, length) => {
                if let (true, Some(bytes)) = (self.is_char(element), cursor.string()) {
                    let span = init_span(&item.init);
                    self.string_piece(element, length, offset, bytes, span, pieces)?;
                    cursor.advance();
                    return Some(());
                }
                let stride = self.module.types.size(element)?;
                let mut index = 0;
                while length.is_none_or(|length| index < length) && cursor.continues() {
                    let at = offset.saturating_add(index.saturating_mul(stride));
                    self.init_element(element, at, cursor, pieces)?;
                    index += 1;
                }
            }
            TypeKind::Record(id) => {
                let e = self.pending(cursor);
                if e.is_some_and(|from| from == ty || self.is_error(from)) {
                    self.whole_element(ty, offset, cursor, pieces);
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
                    self.init_element(ty, offset + u64::from(at), cursor, pieces)?;
                }
            }
            _ => {
                self.pending(cursor);
                self.whole_element(ty, offset, cursor, pieces);
            }
        }
        // A part without members takes nothing: the item is left over.
        if cursor.next == start {
            self.diags.warning(init_span(&item.init), "excess elements in initializer");
            cursor.advance();
        }
        Some(())
    }

    /// Analyzes the current item, once, unless it is a string literal (which may be an array's
    /// contents); gives its type.
    fn pending(&mut self, cursor: &mut Cursor<'_>) -> Option<TypeId> {
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
        cursor: &mut Cursor<'_>,
        pieces: &mut Pieces,
    ) {
        let e = match (cursor.pending.take(), cursor.item()) {
            (Some(e), _) => e,
            (None, Some(DesignatedInit { init: Initializer::Expr(expr), .. })) => self.rvalue(expr),
            _ => return,
        };
        let e = self.assign_convert(e, ty, Context::Initializing);
        let size = self.leaf_size(ty);
        pieces.push(offset, Piece::Value(e), size);
        cursor.advance();
    }

    /// Follows designators to a part and initializes that.
    fn init_designated(
        &mut self,
        mut ty: TypeId,
        mut offset: u64,
        designators: &[Designator],
        item: &DesignatedInit,
        pieces: &mut Pieces,
    ) -> Option<()> {
        for designator in designators {
            match *self.module.types.kind(ty) {
                TypeKind::Array(element, length) => {
                    let index = self.array_designator(designator, length)?;
                    let stride = self.module.types.size(element)?;
                    offset = index.checked_mul(stride)?.checked_add(offset)?;
                    ty = element;
                }
                TypeKind::Record(id) => {
                    let Designator::Field(name, span) = designator else {
                        self.error(
                            init_span(&item.init),
                            "array designator cannot initialize a structure",
                        );
                        return None;
                    };
                    let mut path = Vec::new();
                    if !self.find_member(id, self.text(*name), &mut path) {
                        let message = format!(
                            "field designator '{}' does not refer to any field in type {}",
                            self.text(*name),
                            self.quoted(ty)
                        );
                        self.error(*span, message);
                        return None;
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
                    self.error(init_span(&item.init), message);
                    return None;
                }
            }
        }
        let mut cursor = Cursor::new(std::slice::from_ref(item));
        self.init_element(ty, offset, &mut cursor, pieces)
    }

    /// The initializer of a private object.
    pub(super) fn local_init(&self, mut pieces: Pieces, ty: TypeId) -> Init {
        if let [(0, Piece::Value(e))] = pieces.list.as_slice() {
            if e.ty == ty {
                if let Some((_, Piece::Value(e))) = pieces.list.pop() {
                    return Init::Value(e);
                }
            }
        }
        let zero = pieces.designated || pieces.covered < self.leaf_size(ty);
        let mut fields = Vec::with_capacity(pieces.list.len());
        for (offset, piece) in pieces.list {
            match piece {
                Piece::Value(e) => fields.push((offset as u32, e)),
                Piece::Bytes(bytes) => {
                    for (i, byte) in bytes.into_iter().enumerate() {
                        let kind = ExprKind::Int(u64::from(byte));
                        let e = value(kind, self.basic.char_, Span::default());
                        fields.push((offset as u32 + i as u32, e));
                    }
                }
            }
        }
        Init::Fields { zero, fields }
    }

    /// The bytes of a constant object, and the addresses among them; `None` after a diagnostic.
    pub(super) fn constant_init(
        &mut self,
        pieces: &Pieces,
        ty: TypeId,
        span: Span,
    ) -> Option<(Vec<u8>, Vec<Relocation>)> {
        let size = self.module.types.size(ty)?;
        self.data_size = self.data_size.saturating_add(size);
        if self.data_size > MAX_DATA_SIZE {
            self.error(span, "size of array is too large: program-scope data exceeds 64 MiB");
            return None;
        }
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        let mut relocations = Vec::new();
        for (offset, piece) in &pieces.list {
            let offset = usize::try_from(*offset).ok()?;
            match piece {
                Piece::Bytes(text) => {
                    if let Some(target) = bytes.get_mut(offset..offset + text.len()) {
                        target.copy_from_slice(text);
                    }
                }
                Piece::Value(e) if self.is_error(e.ty) => return None,
                Piece::Value(e) => {
                    let done = self.constant_piece(e, offset, &mut bytes, &mut relocations);
                    if done.is_none() {
                        self.error(e.span, "initializer element is not a compile-time constant");
                        return None;
                    }
                }
            }
        }
        relocations.sort_by_key(|relocation| relocation.offset);
        relocations.dedup_by(|later, earlier| {
            let same = later.offset == earlier.offset;
            if same {
                *earlier = *later;
            }
            same
        });
        Some((bytes, relocations))
    }

    fn constant_piece(
        &self,
        e: &hir::Expr,
        offset: usize,
        bytes: &mut [u8],
        relocations: &mut Vec<Relocation>,
    ) -> Option<()> {
        if let Some(constant) = self.eval(e) {
            return self.write_const(&constant, e.ty, offset, bytes, relocations);
        }
        // A whole constant object (a compound literal): its bytes and addresses.
        let ExprKind::Load(place) = &e.kind else { return None };
        let hir::PlaceKind::Global(id) = place.kind else { return None };
        let source = self.module.globals.get(id).filter(|_| self.const_globals[id])?;
        let size = usize::try_from(self.module.types.size(e.ty)?).ok()?;
        let target = bytes.get_mut(offset..offset.checked_add(size)?)?;
        match &source.init {
            Some(init) => target.copy_from_slice(init.get(..size)?),
            None => target.fill(0),
        }
        for relocation in &source.relocations {
            let offset = relocation.offset + u32::try_from(offset).ok()?;
            relocations.push(Relocation { offset, ..*relocation });
        }
        Some(())
    }
}

/// Where an initializer stands.
pub(super) fn init_span(init: &Initializer) -> Span {
    match init {
        Initializer::Expr(expr) => expr.span,
        Initializer::List(_, span) => *span,
    }
}
