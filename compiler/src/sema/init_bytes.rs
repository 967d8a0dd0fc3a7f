//! The bytes of constant initializers, and the addresses among them.

use super::hir::{self, ExprKind, GlobalId, Range, Relocation};
use super::init::{FlatInitializer, InitEntry};
use super::types::TypeId;
use super::{Sema, MAX_DATA_SIZE};
use crate::source::Span;
use std::collections::BTreeMap;

/// Bytes of a constant object.
pub(super) struct ConstantImage {
    pub bytes: Vec<u8>,
    /// Addresses by the offset of their eight bytes: an object, and the number of bytes that is added.
    pub addresses: BTreeMap<usize, (GlobalId, i64)>,
}

impl ConstantImage {
    /// Returns an image of zeros.
    pub(super) fn new(size: u64) -> Option<ConstantImage> {
        let bytes = vec![0; usize::try_from(size).ok()?];
        Some(ConstantImage { bytes, addresses: BTreeMap::new() })
    }

    /// Sets a part to zero, which removes the values of earlier initializers.
    fn clear(&mut self, offset: usize, size: usize) {
        if let Some(part) = self.bytes.get_mut(offset..offset + size) {
            part.fill(0);
        }
        self.forget_addresses(offset, size);
    }

    fn forget_addresses(&mut self, offset: usize, size: usize) {
        while let Some((&at, _)) = self.addresses.range(offset..offset + size).next() {
            self.addresses.remove(&at);
        }
    }

    /// Copies a part to the other parts that its range designators name.
    fn repeat(&mut self, offset: usize, size: usize, ranges: &[Range]) {
        let part = self.addresses.range(offset..offset + size);
        let addresses: Vec<_> = part.map(|(at, address)| (at - offset, *address)).collect();
        each_start(offset, ranges, &mut |start| {
            if start != offset && start + size <= self.bytes.len() {
                self.bytes.copy_within(offset..offset + size, start);
                self.forget_addresses(start, size);
                self.addresses.extend(addresses.iter().map(|(at, to)| (start + at, *to)));
            }
        });
    }
}

impl Sema<'_> {
    /// Returns the bytes of a constant object, and the addresses among them; `None` after a diagnostic.
    pub(super) fn constant_init(
        &mut self,
        entries: &FlatInitializer,
        ty: TypeId,
        span: Span,
    ) -> Option<(Vec<u8>, Vec<Relocation>)> {
        let size = self.module.types.size(ty)?;
        self.add_data(size, span)?;
        let mut image = ConstantImage::new(size)?;
        for (offset, entry) in &entries.list {
            let offset = usize::try_from(*offset).ok()?;
            match entry {
                InitEntry::Zero(ty) => {
                    let size = self.module.types.size(*ty)?;
                    self.add_data(size, span)?;
                    image.clear(offset, usize::try_from(size).ok()?);
                }
                InitEntry::Repeat(part) => {
                    let size = self.module.types.size(part.ty)?;
                    let counts = part.ranges.iter().map(|range| range.count);
                    self.add_data(counts.fold(size, u64::saturating_mul), span)?;
                    image.repeat(offset, usize::try_from(size).ok()?, &part.ranges);
                }
                InitEntry::Bytes(text) => {
                    if let Some(target) = image.bytes.get_mut(offset..offset + text.len()) {
                        target.copy_from_slice(text);
                    }
                }
                InitEntry::Value(e) if self.is_error(e.ty) => return None,
                InitEntry::Value(e) => {
                    if entries.designated {
                        image.clear(offset, usize::try_from(self.module.types.size(e.ty)?).ok()?);
                    }
                    if self.constant_entry(e, offset, &mut image).is_none() {
                        return self
                            .fail(e.span, "initializer element is not a compile-time constant");
                    }
                }
            }
        }
        let relocation = |(offset, (target, addend))| {
            Some(Relocation { offset: u32::try_from(offset).ok()?, target, addend })
        };
        let relocations = image.addresses.into_iter().map(relocation).collect::<Option<_>>()?;
        Some((image.bytes, relocations))
    }

    /// Counts initialized bytes; reports an error if there are too many.
    fn add_data(&mut self, size: u64, span: Span) -> Option<()> {
        self.data_size = self.data_size.saturating_add(size);
        if self.data_size > MAX_DATA_SIZE {
            return self
                .fail(span, "size of array is too large: program-scope data exceeds 64 MiB");
        }
        Some(())
    }

    fn constant_entry(
        &self,
        e: &hir::Expr,
        offset: usize,
        image: &mut ConstantImage,
    ) -> Option<()> {
        if let Some(constant) = self.eval(e) {
            return self.write_const(&constant, e.ty, offset, image);
        }
        // A whole constant object (a compound literal): its bytes and addresses.
        let ExprKind::Load(place) = &e.kind else { return None };
        let hir::PlaceKind::Global(id) = place.kind else { return None };
        let source = self.module.globals.get(id).filter(|_| self.const_globals[id])?;
        let size = usize::try_from(self.module.types.size(e.ty)?).ok()?;
        let target = image.bytes.get_mut(offset..offset.checked_add(size)?)?;
        match &source.init {
            Some(init) => target.copy_from_slice(init.get(..size)?),
            None => target.fill(0),
        }
        for relocation in &source.relocations {
            let offset = offset + relocation.offset as usize;
            image.addresses.insert(offset, (relocation.target, relocation.addend));
        }
        Some(())
    }
}

/// Calls `f` with the offset of each element of some ranges.
fn each_start(start: usize, ranges: &[Range], f: &mut impl FnMut(usize)) {
    let Some((range, inner)) = ranges.split_first() else { return f(start) };
    for i in 0..range.count {
        each_start(start + (i * range.stride) as usize, inner, f);
    }
}
