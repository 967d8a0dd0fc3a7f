//! Variables decorated BuiltIn: ids and sizes that a work-item can read (environment specification, 2.9).

use super::function::Translator;
use super::module::Entity;
use crate::ir::{Scalar, Type, Value};
use crate::target::Target;
use rspirv::spirv::BuiltIn;

/// A variable whose value comes from the launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Input {
    /// The function of OpenCL C that returns the value.
    function: &'static str,
    /// True if the function is called once for each component, with the component as the dimension.
    is_vector: bool,
    /// The type of the variable.
    ty: Type,
}

/// Returns the variable for a built-in and the type that it is declared with.
pub(super) fn input(built_in: u32, ty: Type, target: &Target) -> Result<Input, String> {
    use BuiltIn::*;
    let built_in = BuiltIn::from_u32(built_in).ok_or("unknown built-in variable")?;
    let (function, is_vector) = match built_in {
        GlobalInvocationId => ("get_global_id", true),
        GlobalSize => ("get_global_size", true),
        GlobalOffset => ("get_global_offset", true),
        WorkgroupId => ("get_group_id", true),
        NumWorkgroups => ("get_num_groups", true),
        LocalInvocationId => ("get_local_id", true),
        WorkgroupSize => ("get_local_size", true),
        EnqueuedWorkgroupSize => ("get_enqueued_local_size", true),
        WorkDim => ("get_work_dim", false),
        GlobalLinearId => ("get_global_linear_id", false),
        LocalInvocationIndex => ("get_local_linear_id", false),
        _ => match super::subgroups::input(built_in) {
            Some((_, _)) if target.subgroups.is_none() => {
                return Err("the device has no sub-groups".to_string());
            }
            Some((function, lanes)) => {
                return match ty.scalar {
                    Scalar::I32 if ty.lanes == lanes => {
                        Ok(Input { function, is_vector: false, ty })
                    }
                    Scalar::I64 if lanes == 1 && ty.lanes == 1 => {
                        Ok(Input { function, is_vector: false, ty })
                    }
                    _ => Err(format!("built-in variable {built_in:?} is not of this type")),
                };
            }
            None => return Err(format!("built-in variable {built_in:?} is not supported")),
        },
    };
    let lanes = if is_vector { 3 } else { 1 };
    match ty.scalar {
        Scalar::I32 | Scalar::I64 if ty.lanes == lanes => Ok(Input { function, is_vector, ty }),
        _ => Err(format!("built-in variable {built_in:?} is not of this type")),
    }
}

impl Translator<'_, '_, '_> {
    /// Returns the input variable with an id, if there is one.
    pub(super) fn input_variable(&self, id: u32) -> Option<Input> {
        match self.m.entities.get(&id) {
            Some(&Entity::Input { input, .. }) => Some(input),
            _ => None,
        }
    }

    /// Returns the value of an input variable.
    pub(super) fn input(&mut self, input: Input) -> Result<Value, String> {
        if !input.is_vector {
            // Functions of sub-groups return 32 bits.
            let narrow = input.function.contains("sub_group");
            let ty = if narrow { input.ty.with_scalar(Scalar::I32) } else { input.ty };
            let value = self.builtin(input.function, &[], &[], ty)?;
            let value = value.ok_or("it is not supported")?;
            return Ok(self.b.resize_lanes(value, input.ty.scalar, false));
        }
        let mut lanes = Vec::with_capacity(3);
        for dim in 0..input.ty.lanes {
            let dim = self.b.int(Scalar::I32, i64::from(dim));
            let types = self.arg_types(&[dim], false);
            let value = self.builtin(input.function, &[dim], &types, input.ty.lane())?;
            lanes.push(value.ok_or("it is not supported")?);
        }
        Ok(self.b.build(&lanes))
    }

    /// Returns the address of a copy of an input variable in private memory, for pointers into the variable.
    pub(super) fn input_memory(&mut self, input: Input) -> Result<Value, String> {
        let bytes = input.ty.scalar.bytes() * if input.ty.lanes > 1 { 4 } else { 1 };
        let addr = self.b.private_memory(u64::from(bytes), bytes);
        let value = self.input(input)?;
        self.b.write(addr, value);
        Ok(addr.ptr)
    }
}
