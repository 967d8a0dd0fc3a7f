//! Changes and queries of kernel commands of command buffers
//! (cl_khr_command_buffer_mutable_dispatch; spec 5.17.8).

use super::args;
use super::kernels::{arg_value, exec_info, shared_arg};
use super::recordable::up_to_three;
use crate::cl::error::{ensure, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::command_buffer::dispatch::{Change, MutableCommand};
use crate::core::command_buffer::CommandBuffer;
use crate::core::program::kernel::{ArgValue, ExecInfo};
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// Checks a configuration and reads it.
///
/// # Safety
/// Its pointers are as the API requires.
unsafe fn change(
    buffer: &Ref<CommandBuffer>,
    config: &cl_mutable_dispatch_config_khr,
) -> Result<Change> {
    let command = Ref::<MutableCommand>::from_handle(config.command)?;
    ensure!(command.buffer()? == *buffer, CL_INVALID_MUTABLE_COMMAND_KHR);
    check_fields(&command, config)?;
    let dimensions = command.dispatch().sizes.dimensions;
    ensure!(config.work_dim == 0 || config.work_dim == dimensions, CL_INVALID_OPERATION);
    let sizes = |list: *const usize, default| {
        // SAFETY: as the caller promises.
        (!list.is_null()).then(|| unsafe { up_to_three(list, dimensions, default) })
    };
    Ok(Change {
        // SAFETY: as the caller promises.
        args: unsafe { args_of(&command, config) }?,
        // SAFETY: as the caller promises.
        exec_infos: unsafe { exec_infos_of(&command, config) }?,
        offset: sizes(config.global_work_offset, 0),
        global: sizes(config.global_work_size, 1),
        local: sizes(config.local_work_size, 1),
        command,
    })
}

/// Fails with CL_INVALID_OPERATION if a configuration changes a property that was not declared updatable, with
/// CL_INVALID_VALUE if a count and its list contradict each other.
fn check_fields(command: &MutableCommand, config: &cl_mutable_dispatch_config_khr) -> Result<()> {
    let arguments = config.num_args > 0 || config.num_svm_args > 0;
    let named = [
        (!config.global_work_offset.is_null(), CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR),
        (!config.global_work_size.is_null(), CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR),
        (!config.local_work_size.is_null(), CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR),
        (arguments, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR),
        (config.num_exec_infos > 0, CL_MUTABLE_DISPATCH_EXEC_INFO_KHR),
    ];
    let allowed = |(named, field): &(bool, u64)| !named || command.updatable & field != 0;
    ensure!(named.iter().all(allowed), CL_INVALID_OPERATION);
    let lists = [
        (config.num_args, config.arg_list.is_null()),
        (config.num_svm_args, config.arg_svm_list.is_null()),
        (config.num_exec_infos, config.exec_info_list.is_null()),
    ];
    ensure!(lists.iter().all(|(count, null)| (*count == 0) == *null), CL_INVALID_VALUE);
    Ok(())
}

/// Returns the arguments that a configuration sets, with the errors of clSetKernelArg and
/// clSetKernelArgSVMPointer.
///
/// # Safety
/// Like [`change`].
unsafe fn args_of(
    command: &MutableCommand,
    config: &cl_mutable_dispatch_config_khr,
) -> Result<Vec<(cl_uint, ArgValue)>> {
    let kernel = &command.kernel;
    // SAFETY: as the caller promises.
    let (plain, shared) = unsafe {
        (
            args::slice(config.arg_list, config.num_args as usize),
            args::slice(config.arg_svm_list, config.num_svm_args as usize),
        )
    };
    let plain = plain.iter().map(|arg| {
        // SAFETY: as the caller promises.
        let value = unsafe { arg_value(kernel, arg.arg_index, arg.arg_size, arg.arg_value) };
        Ok((arg.arg_index, value?))
    });
    let shared = shared
        .iter()
        .map(|arg| Ok((arg.arg_index, shared_arg(kernel, arg.arg_index, arg.arg_value)?)));
    plain.chain(shared).collect()
}

/// Returns the execution info of a configuration, with the errors of clSetKernelExecInfo.
///
/// # Safety
/// Like [`change`].
unsafe fn exec_infos_of(
    command: &MutableCommand,
    config: &cl_mutable_dispatch_config_khr,
) -> Result<Vec<ExecInfo>> {
    // SAFETY: as the caller promises.
    let infos = unsafe { args::slice(config.exec_info_list, config.num_exec_infos as usize) };
    let parse = |info: &cl_mutable_dispatch_exec_info_khr| {
        let (name, size) = (info.param_name, info.param_value_size);
        // SAFETY: as the caller promises.
        unsafe { exec_info(&command.kernel, name, size, info.param_value) }
    };
    infos.iter().map(parse).collect()
}

entry! {
    /// clUpdateMutableCommandsKHR.
    fn clUpdateMutableCommandsKHR(
        command_buffer: cl_command_buffer_khr,
        num_configs: cl_uint,
        config_types: *const cl_command_buffer_update_type_khr,
        configs: *const *const c_void,
    ) -> status {
        let buffer = Ref::<CommandBuffer>::from_handle(command_buffer)?;
        let recording = buffer.state() == CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
        ensure!(!recording && buffer.mutable, CL_INVALID_OPERATION);
        ensure!(config_types.is_null() == (num_configs == 0), CL_INVALID_VALUE);
        ensure!(configs.is_null() == (num_configs == 0), CL_INVALID_VALUE);
        let count = num_configs as usize;
        // SAFETY: the arrays are as the API requires.
        let (types, configs) =
            unsafe { (args::slice(config_types, count), args::slice(configs, count)) };
        let known = |kind: &cl_uint| *kind == CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
        ensure!(types.iter().all(known), CL_INVALID_VALUE);
        ensure!(configs.iter().all(|config| !config.is_null()), CL_INVALID_VALUE);
        let changes = configs.iter().map(|config| {
            // SAFETY: for this type the API requires this structure.
            unsafe {
                let config = config.cast::<cl_mutable_dispatch_config_khr>().read_unaligned();
                change(&buffer, &config)
            }
        });
        buffer.update(changes.collect::<Result<_>>()?)
    }

    /// clGetMutableCommandInfoKHR. Only kernel commands have handles.
    fn clGetMutableCommandInfoKHR(
        command: cl_mutable_command_khr,
        param_name: cl_mutable_command_info_khr,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let command = Ref::<MutableCommand>::from_handle(command)?;
        let buffer = command.buffer()?;
        let sizes = command.dispatch().sizes;
        let in_dimensions = |sizes: [usize; 3]| Value::list(&command.in_dimensions(sizes));
        let value = match param_name {
            CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => Some(Value::of(buffer.queue.handle())),
            CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => Some(Value::of(buffer.handle())),
            CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => Some(Value::of(CL_COMMAND_NDRANGE_KERNEL)),
            CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => {
                Some(Value::list(command.properties.as_deref().unwrap_or_default()))
            }
            CL_MUTABLE_DISPATCH_KERNEL_KHR => Some(Value::of(command.kernel.handle())),
            CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => Some(Value::of(sizes.dimensions)),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => Some(in_dimensions(sizes.offset)),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => Some(in_dimensions(sizes.global)),
            // Zeros when the choice is left to the device.
            CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => {
                Some(in_dimensions(sizes.local.unwrap_or_default()))
            }
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }
}
