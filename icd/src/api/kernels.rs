//! Kernel objects (spec 5.9).

use super::args;
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::info::Value;
use crate::cl::{arg_info, room, *};
use crate::core::context::usm::Indirect;
use crate::core::device::open::Gpu;
use crate::core::device::platform;
use crate::core::device::sharing::Sharing;
use crate::core::device::usm;
use crate::core::device::Device;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::image::Image;
use crate::core::memory::pipe::Pipe;
use crate::core::memory::sampler::Sampler;
use crate::core::program::kernel::{ArgValue, BuiltKernel, ExecInfo, Kernel, KernelArguments};
use crate::core::program::Program;
use crate::core::queue::Queue;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use hekla_compiler::kernel::{ArgAddress, ArgKind};
use hekla_compiler::options::ClStd;
use smallvec::SmallVec;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// Checks and copies the value for an argument, in the order of clSetKernelArg's errors.
///
/// # Safety
/// `value` is NULL or valid for `size` bytes.
pub(super) unsafe fn arg_value(
    kernel: &Kernel,
    index: cl_uint,
    size: usize,
    value: *const c_void,
) -> Result<ArgValue> {
    let arg = kernel.arg(index)?;
    let is_const = arg.is_const || arg.address == ArgAddress::Constant;
    match arg.kind {
        ArgKind::Value { size: expected } => {
            ensure!(!value.is_null(), CL_INVALID_ARG_VALUE);
            ensure!(size == expected as usize, CL_INVALID_ARG_SIZE);
            // SAFETY: as the caller promises.
            let bytes = unsafe { args::slice(value.cast::<u8>(), size) };
            Ok(ArgValue::Bytes(SmallVec::from_slice(bytes)))
        }
        ArgKind::Buffer => {
            ensure!(size == size_of::<cl_mem>(), CL_INVALID_ARG_SIZE);
            // SAFETY: as the caller promises.
            let handle: cl_mem = unsafe { handle(value) };
            if handle.is_null() {
                return Ok(ArgValue::Buffer(None));
            }
            let mem = Ref::<Buffer>::from_handle(handle)?;
            ensure!(mem.context == kernel.program.context, CL_INVALID_CONTEXT);
            // Immutable memory objects are only for arguments that are pointers to const.
            ensure!(is_const || !mem.is_immutable(), CL_INVALID_ARG_VALUE);
            Ok(ArgValue::Buffer(Some(mem.downgrade())))
        }
        ArgKind::Local { .. } => {
            ensure!(value.is_null(), CL_INVALID_ARG_VALUE);
            // OpenCL 3.1 allows a size of 0, which allocates no local memory.
            ensure!(size > 0 || platform::version() >= ClStd::Cl31, CL_INVALID_ARG_SIZE);
            Ok(ArgValue::Local(size))
        }
        ArgKind::Image { dim, depth, access } => {
            ensure!(size == size_of::<cl_mem>(), CL_INVALID_ARG_SIZE);
            // SAFETY: as the caller promises.
            let image = Ref::<Image>::from_handle(unsafe { handle(value) })?;
            ensure!(image.context == kernel.program.context, CL_INVALID_CONTEXT);
            ensure!(image.is_of(dim, depth), CL_INVALID_MEM_OBJECT);
            ensure!(image.allows(access), CL_INVALID_ARG_VALUE);
            Ok(ArgValue::Image(image.downgrade()))
        }
        ArgKind::Pipe { packet, .. } => {
            ensure!(size == size_of::<cl_mem>(), CL_INVALID_ARG_SIZE);
            // SAFETY: as the caller promises.
            let pipe = Ref::<Pipe>::from_handle(unsafe { handle(value) })?;
            ensure!(pipe.context == kernel.program.context, CL_INVALID_CONTEXT);
            // Packets of another size would reach beyond the pipe's packets. If the kernel does not state a size (0), it
            // compares the sizes at run time.
            ensure!(packet == 0 || pipe.packet_size == packet, CL_INVALID_ARG_VALUE);
            Ok(ArgValue::Buffer(Some(pipe.buffer.downgrade())))
        }
        ArgKind::Queue => {
            ensure!(size == size_of::<cl_command_queue>(), CL_INVALID_ARG_SIZE);
            // SAFETY: as the caller promises.
            let queue = Ref::<Queue>::from_handle(unsafe { handle(value) });
            let queue = queue.map_err(|_| ClError(CL_INVALID_DEVICE_QUEUE))?;
            ensure!(queue.is_on_device(), CL_INVALID_DEVICE_QUEUE);
            ensure!(queue.context == kernel.program.context, CL_INVALID_CONTEXT);
            Ok(ArgValue::Queue(queue.number))
        }
        ArgKind::Sampler => {
            ensure!(size == size_of::<cl_sampler>(), CL_INVALID_ARG_SIZE);
            // SAFETY: as the caller promises.
            let sampler = Ref::<Sampler>::from_handle(unsafe { handle(value) })?;
            ensure!(sampler.context == kernel.program.context, CL_INVALID_CONTEXT);
            Ok(ArgValue::Sampler(sampler.word()))
        }
    }
}

/// Sets an argument to a value like the one that it has: bytes of the same size, which may differ, or the same object or local
/// size. Many programs set all arguments before each launch. Returns false for any other value, and then changes nothing.
///
/// # Safety
/// `value` is NULL or valid for `size` bytes.
unsafe fn set_again(
    arguments: &mut KernelArguments,
    index: cl_uint,
    size: usize,
    value: *const c_void,
) -> bool {
    let Some(Some(old)) = arguments.args.get_mut(index as usize) else { return false };
    if value.is_null() {
        return matches!(old, ArgValue::Local(old) if *old == size);
    }
    if size == size_of::<cl_mem>() {
        // SAFETY: the value has the size of a handle.
        let handle = unsafe { value.cast::<cl_mem>().read_unaligned() };
        match old {
            ArgValue::Buffer(Some(buffer)) => return buffer.is_of(handle),
            ArgValue::Image(image) => return image.is_of(handle),
            _ => {}
        }
    }
    let ArgValue::Bytes(bytes) = old else { return false };
    if bytes.len() != size {
        return false;
    }
    let (from, to) = (value.cast::<u8>(), bytes.as_mut_ptr());
    // SAFETY: as the caller promises; the application does not know where the argument keeps its bytes.
    unsafe {
        match size {
            // Most values have one of these sizes: the copy is a single move without a call.
            4 => from.copy_to_nonoverlapping(to, 4),
            8 => from.copy_to_nonoverlapping(to, 8),
            _ => from.copy_to_nonoverlapping(to, size),
        }
    };
    true
}

/// Returns the handle at a place; NULL if the place is NULL.
///
/// # Safety
/// `place` is NULL or valid for a handle.
unsafe fn handle<T>(place: *const c_void) -> *mut T {
    if place.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: as the caller promises.
    unsafe { place.cast::<*mut T>().read_unaligned() }
}

/// Returns true if a device of the kernel has shared virtual memory.
fn shares_memory(kernel: &Kernel) -> bool {
    kernel.program.context.gpus.iter().any(|gpu| gpu.sharing() != Sharing::None)
}

/// Returns the addresses of a list given to clSetKernelExecInfo; CL_INVALID_VALUE when its size is not a multiple of an
/// address's.
///
/// # Safety
/// `list` is NULL or valid for `size` bytes.
unsafe fn addresses(list: *const c_void, size: usize) -> Result<Vec<u64>> {
    ensure!(size.is_multiple_of(size_of::<u64>()), CL_INVALID_VALUE);
    // SAFETY: as the caller promises.
    let bytes = unsafe { args::slice(list.cast::<[u8; 8]>(), size / size_of::<u64>()) };
    let mut addresses = room::list(bytes.len())?;
    addresses.extend(bytes.iter().map(|address| u64::from_ne_bytes(*address)));
    Ok(addresses)
}

/// Checks an address for an argument, in the order of clSetKernelArgSVMPointer's errors. Addresses that
/// no allocation holds are taken too: a kernel may compute with them.
pub(super) fn shared_arg(
    kernel: &Kernel,
    index: cl_uint,
    value: *const c_void,
) -> Result<ArgValue> {
    ensure!(shares_memory(kernel), CL_INVALID_OPERATION);
    pointer_arg(kernel, index, value)
}

/// Checks any address for an argument (clSetKernelArgMemPointerINTEL).
pub(super) fn pointer_arg(
    kernel: &Kernel,
    index: cl_uint,
    value: *const c_void,
) -> Result<ArgValue> {
    ensure!(kernel.arg(index)?.kind == ArgKind::Buffer, CL_INVALID_ARG_VALUE);
    Ok(ArgValue::Pointer(value as u64))
}

/// Checks the arguments of clSetKernelExecInfo.
///
/// # Safety
/// `value` is NULL or valid for `size` bytes.
pub(super) unsafe fn exec_info(
    kernel: &Kernel,
    name: cl_kernel_exec_info,
    size: usize,
    value: *const c_void,
) -> Result<ExecInfo> {
    ensure!(value.is_null() == (size == 0), CL_INVALID_VALUE);
    // An empty list takes back what was set before.
    // SAFETY: as the caller promises.
    let addresses = || unsafe { addresses(value, size) };
    Ok(match name {
        CL_KERNEL_EXEC_INFO_SVM_PTRS => {
            ensure!(shares_memory(kernel), CL_INVALID_OPERATION);
            ExecInfo::Reached(addresses()?.iter().map(|address| *address as usize).collect())
        }
        CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => ExecInfo::Pointed(addresses()?),
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => {
            ensure!(size == size_of::<cl_bool>(), CL_INVALID_VALUE);
            // SAFETY: the value is a cl_bool, as the API requires.
            let wanted = unsafe { value.cast::<cl_bool>().read_unaligned() };
            let has_some = || kernel.program.context.gpus.iter().any(|gpu| gpu.reaches_system());
            ensure!(wanted == CL_FALSE || has_some(), CL_INVALID_OPERATION);
            ExecInfo::System(wanted != CL_FALSE)
        }
        // SAFETY: as the caller promises.
        _ => return unsafe { usm_exec_info(kernel, name, size, value) },
    })
}

/// Checks the arguments of clSetKernelExecInfo for unified shared memory. The flag for device memory is allowed on every
/// device: all devices have device memory.
///
/// # Safety
/// `value` is NULL or valid for `size` bytes.
unsafe fn usm_exec_info(
    kernel: &Kernel,
    name: cl_kernel_exec_info,
    size: usize,
    value: *const c_void,
) -> Result<ExecInfo> {
    let flag: fn(&mut Indirect) -> &mut bool = match name {
        CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => {
            // SAFETY: as the caller promises.
            let addresses = unsafe { addresses(value, size) }?;
            return Ok(ExecInfo::ReachedUsm(addresses.iter().map(|a| *a as usize).collect()));
        }
        CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL => |indirect| &mut indirect.host,
        CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL => |indirect| &mut indirect.device,
        CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => |indirect| &mut indirect.shared,
        _ => return fail(CL_INVALID_VALUE),
    };
    ensure!(size == size_of::<cl_bool>(), CL_INVALID_VALUE);
    let in_common = |gpu: &Arc<Gpu>| usm::common_capabilities(gpu) != 0;
    let offered = name == CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL
        || kernel.program.context.gpus.iter().any(in_common);
    ensure!(offered, CL_INVALID_OPERATION);
    // SAFETY: the value is a cl_bool, as the API requires.
    let on = unsafe { value.cast::<cl_bool>().read_unaligned() } != CL_FALSE;
    Ok(ExecInfo::Indirect(flag, on))
}

/// Returns the kernel on a device; with NULL, on the only one (CL_INVALID_DEVICE otherwise).
pub(super) fn built_on(
    kernel: &Kernel,
    device: cl_device_id,
) -> Result<(Ref<Device>, Arc<BuiltKernel>)> {
    let program = &kernel.program;
    let index = if device.is_null() {
        ensure!(program.devices.len() == 1, CL_INVALID_DEVICE);
        0
    } else {
        program.index_of(&Ref::<Device>::from_handle(device)?)?
    };
    let built = kernel.built.get(index).cloned().flatten().ok_or(ClError(CL_INVALID_DEVICE))?;
    Ok((program.devices[index].clone(), built))
}

/// Sizes as size_t.
fn sizes(value: [u32; 3]) -> [usize; 3] {
    value.map(|v| v as usize)
}

entry! {
    /// clCreateKernel.
    fn clCreateKernel(program: cl_program, kernel_name: *const c_char) -> handle cl_kernel {
        let program = Ref::<Program>::from_handle(program)?;
        // SAFETY: the string is as the API requires.
        let name = unsafe { args::text(kernel_name) }?;
        // CL_INVALID_PROGRAM_EXECUTABLE comes before the name's errors.
        program.kernel_names()?;
        Ok(Kernel::new(&program, &name.ok_or(ClError(CL_INVALID_VALUE))?)?.expose())
    }

    /// clCreateKernelsInProgram.
    fn clCreateKernelsInProgram(
        program: cl_program,
        num_kernels: cl_uint,
        kernels: *mut cl_kernel,
        num_kernels_ret: *mut cl_uint,
    ) -> status {
        let program = Ref::<Program>::from_handle(program)?;
        let names = program.kernel_names()?;
        if !kernels.is_null() {
            ensure!(num_kernels as usize >= names.len(), CL_INVALID_VALUE);
            let made: Result<Vec<_>> =
                names.iter().map(|name| Kernel::new(&program, name)).collect();
            for (index, kernel) in made?.iter().enumerate() {
                // SAFETY: the array holds `num_kernels` handles, no fewer than these.
                unsafe { kernels.add(index).write(kernel.expose()) };
            }
        }
        // SAFETY: the place is as the API requires.
        unsafe { args::store(num_kernels_ret, names.len() as cl_uint) };
        Ok(())
    }

    /// clCloneKernel.
    fn clCloneKernel(source_kernel: cl_kernel) -> handle cl_kernel {
        Ok(Ref::<Kernel>::from_handle(source_kernel)?.duplicate().expose())
    }

    /// clRetainKernel.
    fn clRetainKernel(kernel: cl_kernel) -> status {
        Ref::<Kernel>::retain(kernel)
    }

    /// clReleaseKernel.
    fn clReleaseKernel(kernel: cl_kernel) -> status {
        Ref::<Kernel>::release(kernel)
    }

    /// clSetKernelArg.
    fn clSetKernelArg(
        kernel: cl_kernel,
        arg_index: cl_uint,
        arg_size: usize,
        arg_value: *const c_void,
    ) -> setter status {
        let kernel = Ref::<Kernel>::from_handle(kernel)?;
        let mut arguments = kernel.arguments.lock();
        // SAFETY: the value is as the API requires.
        if unsafe { set_again(&mut arguments, arg_index, arg_size, arg_value) } {
            return Ok(());
        }
        // SAFETY: the value is as the API requires.
        let value = unsafe { self::arg_value(&kernel, arg_index, arg_size, arg_value) }?;
        arguments.set_arg(arg_index, value);
        Ok(())
    }

    /// clSetKernelArgSVMPointer.
    fn clSetKernelArgSVMPointer(
        kernel: cl_kernel,
        arg_index: cl_uint,
        arg_value: *const c_void,
    ) -> status {
        let kernel = Ref::<Kernel>::from_handle(kernel)?;
        let value = shared_arg(&kernel, arg_index, arg_value)?;
        kernel.arguments.lock().set_arg(arg_index, value);
        Ok(())
    }

    /// clSetKernelArgDevicePointerEXT. Addresses that no buffer holds are taken too: a kernel may
    /// compute with them.
    fn clSetKernelArgDevicePointerEXT(
        kernel: cl_kernel,
        arg_index: cl_uint,
        arg_value: cl_mem_device_address_ext,
    ) -> status {
        let kernel = Ref::<Kernel>::from_handle(kernel)?;
        let arg = kernel.arg(arg_index)?;
        ensure!(arg.kind == ArgKind::Buffer, CL_INVALID_ARG_INDEX);
        ensure!(arg.address == ArgAddress::Global, CL_INVALID_ARG_INDEX);
        kernel.arguments.lock().set_arg(arg_index, ArgValue::Pointer(arg_value));
        Ok(())
    }

    /// clSetKernelExecInfo.
    fn clSetKernelExecInfo(
        kernel: cl_kernel,
        param_name: cl_kernel_exec_info,
        param_value_size: usize,
        param_value: *const c_void,
    ) -> status {
        let kernel = Ref::<Kernel>::from_handle(kernel)?;
        // SAFETY: the value is as the API requires.
        let info = unsafe { exec_info(&kernel, param_name, param_value_size, param_value) }?;
        kernel.arguments.lock().set_exec_info(info);
        Ok(())
    }

    /// clGetKernelInfo.
    fn clGetKernelInfo(
        kernel: cl_kernel,
        param_name: cl_kernel_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let kernel = Ref::<Kernel>::from_handle(kernel)?;
        let meta = &kernel.any.kernel;
        let value = match param_name {
            CL_KERNEL_FUNCTION_NAME => Some(Value::text(&kernel.name)),
            CL_KERNEL_NUM_ARGS => Some(Value::of(meta.args.len() as cl_uint)),
            CL_KERNEL_REFERENCE_COUNT => Some(Value::of(kernel.reference_count())),
            CL_KERNEL_CONTEXT => Some(Value::of(kernel.program.context.handle())),
            CL_KERNEL_PROGRAM => Some(Value::of(kernel.program.handle())),
            CL_KERNEL_ATTRIBUTES => Some(Value::text(&meta.attributes)),
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }

    /// clGetKernelArgInfo.
    fn clGetKernelArgInfo(
        kernel: cl_kernel,
        arg_indx: cl_uint,
        param_name: cl_kernel_arg_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let kernel = Ref::<Kernel>::from_handle(kernel)?;
        let arg = kernel.arg(arg_indx)?;
        let value = match param_name {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER => {
                Value::of(arg_info::address_qualifier(arg.address))
            }
            CL_KERNEL_ARG_ACCESS_QUALIFIER => Value::of(arg_info::access_qualifier(arg.kind)),
            CL_KERNEL_ARG_TYPE_NAME => Value::text(&arg.type_name),
            CL_KERNEL_ARG_TYPE_QUALIFIER => {
                let flags = [
                    (arg.is_const, CL_KERNEL_ARG_TYPE_CONST),
                    (arg.is_restrict, CL_KERNEL_ARG_TYPE_RESTRICT),
                    (arg.is_volatile, CL_KERNEL_ARG_TYPE_VOLATILE),
                    (matches!(arg.kind, ArgKind::Pipe { .. }), CL_KERNEL_ARG_TYPE_PIPE),
                ];
                let set = flags.iter().filter(|(on, _)| *on);
                Value::of(set.fold(CL_KERNEL_ARG_TYPE_NONE, |bits, (_, bit)| bits | bit))
            }
            // A SPIR-V module need not name them.
            CL_KERNEL_ARG_NAME if arg.name.is_empty() => {
                return fail(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
            }
            CL_KERNEL_ARG_NAME => Value::text(&arg.name),
            _ => return fail(CL_INVALID_VALUE),
        };
        ensure!(kernel.any.kernel.arg_info, CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(Some(value), param_value_size, param_value, param_value_size_ret) }
    }

    /// clGetKernelWorkGroupInfo.
    fn clGetKernelWorkGroupInfo(
        kernel: cl_kernel,
        device: cl_device_id,
        param_name: cl_kernel_work_group_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let kernel = Ref::<Kernel>::from_handle(kernel)?;
        let (device, built) = built_on(&kernel, device)?;
        let meta = &built.kernel;
        let value = match param_name {
            CL_KERNEL_WORK_GROUP_SIZE => Some(Value::of(built.work_group_size(&device))),
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                Some(Value::list(&sizes(meta.required_local_size.unwrap_or_default())))
            }
            CL_KERNEL_LOCAL_MEM_SIZE => Some(Value::of(kernel.local_memory(&built))),
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                Some(Value::of(device.info().features.subgroup_size.max(1) as usize))
            }
            CL_KERNEL_PRIVATE_MEM_SIZE => Some(Value::of(meta.private_size)),
            // The driver does not report the memory that it spills in addition.
            CL_KERNEL_SPILL_MEM_SIZE_INTEL if !device.subgroup_sizes().is_empty() => {
                Some(Value::of(meta.private_size))
            }
            // CL_KERNEL_GLOBAL_WORK_SIZE is for built-in kernels and custom devices only, which Hekla does not have.
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }
}
