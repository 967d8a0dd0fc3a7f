//! Program-scope and local variables: bytes, relocations and their addresses.

use super::{Context, Origin};
use crate::ir::{Global, GlobalData, Linkage};
use crate::sema::hir::GlobalId;

impl Context<'_> {
    /// Returns the IR variable for a variable of the typed tree. It is made on first use, together with
    /// the variables whose addresses its initializer holds.
    pub(super) fn global(&mut self, origin: Origin, id: GlobalId) -> Global {
        let first = self.declare(origin, id);
        let Some((first, true)) = first else {
            return first.map_or(Global::from_u32(0), |(global, _)| global);
        };
        let mut pending = vec![(id, first)];
        while let Some((id, global)) = pending.pop() {
            for relocation in &self.module(origin).globals[id].relocations {
                let Some((target, is_new)) = self.declare(origin, relocation.target) else {
                    continue;
                };
                if is_new {
                    pending.push((relocation.target, target));
                }
                let entry = (relocation.offset, target, relocation.addend);
                self.out.globals[global].relocations.push(entry);
            }
        }
        first
    }

    /// Returns the IR variable, and true if it is new: a new one has no relocations yet.
    fn declare(&mut self, origin: Origin, id: GlobalId) -> Option<(Global, bool)> {
        if let Some(&global) = self.globals.get(&(origin, id)) {
            return Some((global, false));
        }
        let module = self.module(origin);
        let source = module.globals.get(id)?;
        let linkage = match (source.is_external && self.separate, source.is_defined) {
            (true, true) => Linkage::External,
            (true, false) => Linkage::Import,
            (false, _) => Linkage::Internal,
        };
        if !source.is_defined && !self.separate {
            let message = format!("undefined variable '{}' is used", source.name);
            self.diags.error(source.span, message);
        }
        let (size, align) = super::types::layout(&module.types, source.ty);
        let mut init = source.init.clone();
        if let Some(bytes) = &mut init {
            bytes.resize(size as usize, 0);
        }
        let global = self.out.globals.push(GlobalData {
            name: source.name.clone(),
            size,
            align: source.align.max(align),
            space: source.space,
            is_const: source.is_const,
            init,
            relocations: Vec::new(),
            linkage,
        });
        self.globals.insert((origin, id), global);
        Some((global, true))
    }
}
