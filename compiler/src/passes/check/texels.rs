//! Coordinates of texels: calls of the library's mark function stand for checks of coordinates, and are replaced by
//! such checks.

use super::describe::Describer;
use super::{description_address, Library};
use crate::checks::{Checks, TEXEL_MARK};
use crate::ir::*;
use crate::passes::cursor::Cursor;
use cranelift_entity::PrimaryMap;

/// Returns the mark function, whose calls stand for checks of coordinates, if the program has it.
pub fn mark(module: &Module) -> Option<Func> {
    let mut functions = module.functions.iter();
    functions.find(|(_, function)| function.name == TEXEL_MARK).map(|(func, _)| func)
}

/// Returns true for a call of any function but the mark function.
pub(super) fn is_call(data: &InstData, mark: Option<Func>) -> bool {
    matches!(*data, InstData::Call { func, .. } if Some(func) != mark)
}

/// Returns true for a call that stands for a check of coordinates.
pub(super) fn is_mark(data: &InstData, mark: Option<Func>) -> bool {
    matches!(*data, InstData::Call { func, .. } if Some(func) == mark)
}

/// Checks coordinates in place of the call `inst`. `site`: the number of the place.
pub(super) fn look(
    c: &mut Cursor<'_>,
    inst: Inst,
    (area, site): (Value, u32),
    describer: &Describer<'_>,
    library: &Library,
    globals: &mut PrimaryMap<Global, GlobalData>,
) {
    let InstData::Call { ref args, .. } = c.func.insts[inst] else { return };
    let &[at, size, ..] = &args[..] else { return };
    let text = description_address(c, globals, describer.describe(c.func, inst));
    let [site, kind] = [site, Checks::BOUNDS.bits()].map(|n| c.iconst(Type::I32, i64::from(n)));
    c.call(library.texel, &[area, site, text, kind, at, size], None);
}
