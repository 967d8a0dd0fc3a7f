//! The extended instruction set OpenCL.std.

use super::function::Translator;
use super::words::Inst;
use rspirv::spirv::OpenclStd100Op;

/// Translates the instruction number `number` of the set on these operands.
pub(super) fn instruction(
    _: &mut Translator<'_, '_, '_>,
    _: &Inst<'_>,
    number: u32,
    _: &[u32],
) -> Result<(), String> {
    match OpenclStd100Op::from_u32(number) {
        Some(name) => Err(format!("OpenCL.std {name:?} is not supported")),
        None => Err(format!("OpenCL.std has no instruction number {number}")),
    }
}
