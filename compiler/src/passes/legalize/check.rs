//! Checks in debug builds that legalization has kept its guarantees.

use super::atomics::is_seq_cst_fence;
use super::elements::is_array;
use super::narrow;
use crate::ir::print::print_inst;
use crate::ir::*;
use crate::target::Target;

/// In debug builds, returns an error that names an instruction with a type that the device does not have.
pub fn debug_check(module: &Module, target: &Target) -> Result<(), String> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    module.functions.values().try_for_each(|func| check(func, target))
}

fn check(func: &Function, target: &Target) -> Result<(), String> {
    for &block in &func.layout {
        for &param in &func.blocks[block].params {
            if is_missing(func.ty(param), target) {
                return Err(format!("internal error: {param} of {block} is not legal\n{func}"));
            }
        }
        for &inst in &func.blocks[block].insts {
            if !is_legal(func, inst, target) {
                let text = print_inst(func, inst);
                return Err(format!("internal error: `{text}` is not legal\n{func}"));
            }
        }
    }
    Ok(())
}

/// Returns true if a type is an integer that the device does not compute with.
fn is_missing(ty: Type, target: &Target) -> bool {
    narrow::is_missing(ty.scalar, target)
        || ty.scalar == Scalar::I64 && !target.int64
        || ty.scalar == Scalar::F64 && target.soft_float64
}

fn is_legal(func: &Function, inst: Inst, target: &Target) -> bool {
    use InstData::*;
    let data = &func.insts[inst];
    let mut types: Vec<Type> = func.result(inst).iter().map(|&value| func.ty(value)).collect();
    data.for_each_arg(|arg| types.push(func.ty(arg)));
    let is_device = |ty: Type| ty.scalar.is_ptr() && ty.scalar.bits() == 64;
    if matches!(data, GlobalAddr { .. }) && is_device(types[0]) || is_seq_cst_fence(data) {
        return false;
    }
    if let Some((ptr, ty)) = func.access(inst).filter(|access| is_array(func.ty(access.0))) {
        let of_element =
            |data: &InstData| matches!(data, ElementAddr { bytes, .. } if *bytes == ty.bytes());
        if !func.def_inst(ptr).is_some_and(of_element) {
            return false;
        }
    }
    if let (PtrAdd { .. } | ICmp { .. }, false) = (data, target.int64) {
        if types.iter().any(|ty| is_device(*ty)) {
            return false;
        }
    }
    if let Convert { op: ConvertOp::Bitcast, .. } = data {
        // Scalarization has regrouped lanes before. Only the words of a number may still be joined.
        if types.iter().any(|ty| ty.is_vector() && *ty != Type::PAIR) {
            return false;
        }
    }
    types.iter().filter(|ty| is_missing(**ty, target)).all(|ty| match (data, ty.scalar) {
        // The emitter refuses these.
        (AtomicRmw { .. } | AtomicCmpXchg { .. }, Scalar::I64) => true,
        (AtomicLoad { .. } | AtomicStore { .. }, Scalar::I64) => true,
        (Convert { op: ConvertOp::Bitcast, .. }, _) => true,
        (_, Scalar::I64) => false,
        // Integers that were loaded or will be stored.
        (Load { .. } | LoadArg { .. } | Store { .. }, _) => true,
        (Convert { op: ConvertOp::ZExt | ConvertOp::Trunc, .. }, _) => true,
        _ => false,
    })
}
