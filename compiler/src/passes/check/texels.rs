//! Coordinates of texels: calls of the library's function that stands for looks at them become such.

use super::describe::Describer;
use super::{description_address, Library};
use crate::checks::{Checks, TEXEL_MARK};
use crate::ir::*;
use crate::passes::cursor::Cursor;
use cranelift_entity::PrimaryMap;

/// Returns the function whose calls stand for looks at coordinates, if the program has any.
pub fn mark(module: &Module) -> Option<Func> {
    let mut functions = module.functions.iter();
    functions.find(|(_, function)| function.name == TEXEL_MARK).map(|(func, _)| func)
}

/// True for a call of a function, but for that one.
pub(super) fn is_call(data: &InstData, mark: Option<Func>) -> bool {
    matches!(*data, InstData::Call { func, .. } if Some(func) != mark)
}

/// True for what stands for a look at coordinates.
pub(super) fn is_mark(data: &InstData, mark: Option<Func>) -> bool {
    matches!(*data, InstData::Call { func, .. } if Some(func) == mark)
}

/// Looks at coordinates in place of `inst`. `site`: the number of the place.
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
