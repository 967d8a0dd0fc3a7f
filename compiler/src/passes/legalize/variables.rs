//! Addresses of program-scope variables: offsets in the data image, whose address is a launch value.

use super::work_items::{of_words, query};
use crate::analysis::data_layout::DataLayout;
use crate::ir::*;
use crate::passes::cursor::replace_values;

/// Legalizes a function. Returns true if anything changed.
pub fn run(func: &mut Function, layout: &DataLayout) -> bool {
    replace_values(func, |c, inst| {
        let InstData::GlobalAddr { global } = c.func.insts[inst] else { return None };
        let ty = c.ty(c.func.result(inst)?);
        if ty.space() == Some(AddressSpace::Local) {
            return None;
        }
        let words = [0, 1].map(|i| query(c, WorkItemQuery::DataAddressWord, i));
        let image = of_words(c, words, ty);
        Some(c.ptr_add_const(image, layout.offsets[global] as i64))
    })
}
