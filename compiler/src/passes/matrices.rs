//! Checks how kernels use cooperative matrices, after optimization: matrices are values by then.

use crate::ir::{InstData, KernelEntry, Module};
use crate::target::Target;

/// Checks all functions.
///
/// Errors: a variable with matrices that did not become values, as a large array with an index that is not constant; a kernel
/// that asks for sub-groups of another size than the device's.
pub fn check(module: &Module, target: &Target) -> Result<(), String> {
    if target.matrices.is_empty() {
        return Ok(());
    }
    let mut is_used = false;
    for func in module.functions.values() {
        for inst in func.layout_insts() {
            let data = &func.insts[inst];
            let is_matrix = |value| func.ty(value).scalar.is_matrix();
            let stays = match *data {
                InstData::Store { value, .. } => is_matrix(value),
                InstData::Load { .. } => func.result(inst).is_some_and(is_matrix),
                _ => false,
            };
            if stays {
                return Err(format!(
                    "{}: an array of more than 64 cooperative matrices is indexed by what is not constant, or the address of \
                     a variable that holds matrices is used otherwise",
                    func.name
                ));
            }
            is_used |= matches!(data, InstData::MatrixProduct { .. } | InstData::Matrix { .. });
            is_used |= matches!(data, InstData::MatrixLoad { .. } | InstData::MatrixStore { .. });
        }
    }
    match is_used {
        true => module.kernels.iter().try_for_each(|kernel| check_size(kernel, target)),
        false => Ok(()),
    }
}

fn check_size(kernel: &KernelEntry, target: &Target) -> Result<(), String> {
    let hardware = target.hardware_subgroup_size(kernel.required_subgroup_size);
    let asked = target.subgroup_size(kernel.required_subgroup_size);
    match asked == hardware {
        true => Ok(()),
        false => Err(format!(
            "{}: cooperative matrices are of the device's own sub-groups, and the kernel asks for others",
            kernel.name
        )),
    }
}
