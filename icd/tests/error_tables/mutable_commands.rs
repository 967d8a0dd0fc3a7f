//! Changing kernel commands of command buffers (cl_khr_command_buffer_mutable_dispatch, 5.17.8).

use crate::command_buffers::{new, no_buffers};
use crate::prelude::*;

/// Returns a kernel command of which these fields may be changed.
fn record(w: &World, buffer: cl_command_buffer_khr, fields: u64) -> cl_mutable_command_khr {
    let list = [CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, fields, 0];
    let (size, local, mut handle) = (8usize, 4usize, null_mut());
    let (size, local) = (&raw const size, &raw const local);
    let n = null_mut();
    let got = unsafe {
        let (list, handle) = (list.as_ptr(), &raw mut handle);
        clCommandNDRangeKernelKHR(
            buffer,
            n,
            list,
            w.kernel,
            1,
            null(),
            size,
            local,
            0,
            null(),
            null_mut(),
            handle,
        )
    };
    assert_eq!(got, CL_SUCCESS);
    handle
}

/// Returns a configuration that changes nothing.
fn nothing(command: cl_mutable_command_khr) -> cl_mutable_dispatch_config_khr {
    cl_mutable_dispatch_config_khr {
        command,
        num_args: 0,
        num_svm_args: 0,
        num_exec_infos: 0,
        work_dim: 0,
        arg_list: null(),
        arg_svm_list: null(),
        exec_info_list: null(),
        global_work_offset: null(),
        global_work_size: null(),
        local_work_size: null(),
    }
}

const KIND: cl_uint = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;

fn update(buffer: cl_command_buffer_khr, config: &cl_mutable_dispatch_config_khr) -> cl_int {
    let config: *const c_void = (&raw const *config).cast();
    unsafe { clUpdateMutableCommandsKHR(buffer, 1, &KIND, &config) }
}

pub fn rows(t: &mut Table, w: &World) {
    let buffer = new(w.queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    let all = CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
        | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
        | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
        | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
        | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;
    let (open, closed) = (record(w, buffer, all), record(w, buffer, 0));
    t.about("clUpdateMutableCommandsKHR");
    let early = update(buffer, &nothing(open));
    t.row(CL_INVALID_OPERATION, "the command buffer is not finalized", early);
    assert_eq!(unsafe { clFinalizeCommandBufferKHR(buffer) }, CL_SUCCESS);
    t.correct(update(buffer, &nothing(open)));
    t.each(CL_INVALID_COMMAND_BUFFER_KHR, "command_buffer", no_buffers(w), |b| {
        update(b, &nothing(open))
    });
    let fixed = new(w.queue, 0);
    assert_eq!(unsafe { clFinalizeCommandBufferKHR(fixed) }, CL_SUCCESS);
    let got = update(fixed, &nothing(open));
    t.row(CL_INVALID_OPERATION, "the command buffer is not mutable", got);
    list_rows(t, buffer, open);
    change_rows(t, buffer, open, closed);

    let another = new(w.queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    let foreign = record(w, another, all);
    let got = update(buffer, &nothing(foreign));
    t.row(CL_INVALID_MUTABLE_COMMAND_KHR, "the command is of another buffer", got);
    let none = || World::never::<_cl_mutable_command_khr, _>(w.kernel);
    t.each(CL_INVALID_MUTABLE_COMMAND_KHR, "the command", none(), |command| {
        update(buffer, &nothing(command))
    });

    t.about("clGetMutableCommandInfoKHR");
    let info = |command, name, size, place| unsafe {
        clGetMutableCommandInfoKHR(command, name, size, place, null_mut())
    };
    let kernel = CL_MUTABLE_DISPATCH_KERNEL_KHR;
    t.query(kernel, |name, size, place| info(open, name, size, place));
    t.each(CL_INVALID_MUTABLE_COMMAND_KHR, "command", none(), |command| {
        info(command, kernel, 0, null_mut())
    });
}

/// Adds the rows of the lists of changes.
fn list_rows(t: &mut Table, buffer: cl_command_buffer_khr, open: cl_mutable_command_khr) {
    let config = nothing(open);
    let config: *const c_void = (&raw const config).cast();
    let call = |count, types: *const cl_uint, configs: *const *const c_void| unsafe {
        clUpdateMutableCommandsKHR(buffer, count, types, configs)
    };
    let value = CL_INVALID_VALUE;
    t.row(value, "config_types is NULL and num_configs is not 0", call(1, null(), &config));
    t.row(value, "configs is NULL and num_configs is not 0", call(1, &KIND, null()));
    t.row(value, "num_configs is 0 and config_types is not NULL", call(0, &KIND, null()));
    t.row(value, "num_configs is 0 and configs is not NULL", call(0, null(), &config));
    t.row(value, "an element of config_types is not valid", call(1, &0x4242, &config));
    t.row(value, "an element of configs is NULL", call(1, &KIND, &null()));
}

/// Adds rows for the contents of a change.
fn change_rows(
    t: &mut Table,
    buffer: cl_command_buffer_khr,
    open: cl_mutable_command_khr,
    closed: cl_mutable_command_khr,
) {
    type Config = cl_mutable_dispatch_config_khr;
    let sizes = [4usize; 3];
    let sizes = sizes.as_ptr();
    let arg = cl_mutable_dispatch_arg_khr { arg_index: 0, arg_size: 4, arg_value: null() };
    let no = CL_FALSE;
    let info = cl_mutable_dispatch_exec_info_khr {
        param_name: CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
        param_value_size: 4,
        param_value: (&raw const no).cast(),
    };
    let (arg, info) = (&raw const arg, &raw const info);
    let fields: [(&str, Config); 6] = [
        ("global_work_offset", Config { global_work_offset: sizes, ..nothing(closed) }),
        ("global_work_size", Config { global_work_size: sizes, ..nothing(closed) }),
        ("local_work_size", Config { local_work_size: sizes, ..nothing(closed) }),
        ("an argument", Config { num_args: 1, arg_list: arg, ..nothing(closed) }),
        ("a shared argument", Config { num_svm_args: 1, arg_svm_list: arg, ..nothing(closed) }),
        ("execution", Config { num_exec_infos: 1, exec_info_list: info, ..nothing(closed) }),
    ];
    for (field, config) in &fields {
        let condition = format!("{field} was not declared updatable");
        t.row(CL_INVALID_OPERATION, &condition, update(buffer, config));
    }
    let operation = CL_INVALID_OPERATION;
    let got = update(buffer, &Config { work_dim: 2, ..nothing(open) });
    t.row(operation, "work_dim is not that of the recording", got);
    let value = CL_INVALID_VALUE;
    for (condition, config) in [
        ("arg_list is NULL", Config { num_args: 1, ..nothing(open) }),
        ("arg_list without a number", Config { arg_list: arg, ..nothing(open) }),
        ("arg_svm_list is NULL", Config { num_svm_args: 1, ..nothing(open) }),
        ("arg_svm_list without a number", Config { arg_svm_list: arg, ..nothing(open) }),
        ("exec_info_list is NULL", Config { num_exec_infos: 1, ..nothing(open) }),
        ("exec_info_list without a number", Config { exec_info_list: info, ..nothing(open) }),
    ] {
        t.row(value, condition, update(buffer, &config));
    }
    let got = update(buffer, &Config { num_args: 1, arg_list: arg, ..nothing(open) });
    t.row(CL_INVALID_ARG_INDEX, "the kernel has no such argument", got);
}
