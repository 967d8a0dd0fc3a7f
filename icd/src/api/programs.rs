//! Program objects (spec 5.8).

use super::args;
use super::platforms::platform_of;
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::info::Value;
use crate::cl::{room, *};
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::program::build::{self, Job};
use crate::core::program::Program;
use crate::dispatch::boundary::entry;
use crate::object::callbacks::UserData;
use crate::object::Ref;
use std::ffi::{c_char, c_void, CStr};

/// The most bytes of a specialization constant.
const MAX_SPEC_SIZE: usize = 8;

/// Returns the concatenated strings of clCreateProgramWithSource; CL_INVALID_VALUE for a NULL among them,
/// CL_OUT_OF_HOST_MEMORY where there is no room for them.
///
/// # Safety
/// The arrays are as the API requires.
unsafe fn source(
    count: cl_uint,
    strings: *const *const c_char,
    lengths: *const usize,
) -> Result<String> {
    ensure!(count > 0 && !strings.is_null(), CL_INVALID_VALUE);
    // SAFETY: as the caller promises.
    let (strings, lengths) =
        unsafe { (args::slice(strings, count as usize), args::slice(lengths, count as usize)) };
    let mut pieces: Vec<&[u8]> = room::list(strings.len())?;
    for (index, string) in strings.iter().enumerate() {
        ensure!(!string.is_null(), CL_INVALID_VALUE);
        pieces.push(match lengths.get(index) {
            // SAFETY: a length of 0 means a string that ends with a zero.
            None | Some(0) => unsafe { CStr::from_ptr(*string) }.to_bytes(),
            // SAFETY: the API requires this number of bytes.
            Some(length) => unsafe { args::slice(string.cast::<u8>(), *length) },
        });
    }
    let size = pieces.iter().fold(0, |size: usize, piece| size.saturating_add(piece.len()));
    let mut bytes = room::list(size)?;
    pieces.iter().for_each(|piece| bytes.extend_from_slice(piece));
    room::text(bytes)
}

/// Returns the devices of a list that are the program's, as positions; all of them for an empty list.
///
/// # Safety
/// The array is as the API requires.
unsafe fn chosen_devices(
    program: &Program,
    count: cl_uint,
    list: *const cl_device_id,
) -> Result<Vec<usize>> {
    ensure!(list.is_null() == (count == 0), CL_INVALID_VALUE);
    if list.is_null() {
        return Ok((0..program.devices.len()).collect());
    }
    // SAFETY: as the caller promises.
    let devices = unsafe { args::objects::<Device>(list, count) }?;
    devices.iter().map(|device| program.index_of(device)).collect()
}

/// Embedded headers of clCompileProgram: include names and texts.
///
/// CL_INVALID_VALUE for lists that disagree with their length, CL_INVALID_PROGRAM, and
/// CL_INVALID_CONTEXT for a header of another context.
///
/// # Safety
/// The arrays are as the API requires.
unsafe fn headers(
    program: &Program,
    count: cl_uint,
    programs: *const cl_program,
    names: *const *const c_char,
) -> Result<Vec<(String, String)>> {
    ensure!(programs.is_null() == (count == 0), CL_INVALID_VALUE);
    ensure!(names.is_null() == (count == 0), CL_INVALID_VALUE);
    // SAFETY: as the caller promises.
    let (programs, names) =
        unsafe { (args::objects::<Program>(programs, count)?, args::slice(names, count as usize)) };
    let mut headers = Vec::with_capacity(programs.len());
    for (header, name) in programs.iter().zip(names) {
        ensure!(header.context == program.context, CL_INVALID_CONTEXT);
        // SAFETY: as the caller promises.
        let name = unsafe { args::text(*name) }?.ok_or(ClError(CL_INVALID_VALUE))?;
        headers.push((name, room::text(room::copy(header.source().as_bytes())?)?));
    }
    Ok(headers)
}

/// Runs a build job: before this function returns, or in the background if there is a callback, which is called at the end. In
/// the background the result says only that the build has begun.
fn perform(job: Job, callback: ProgramNotify, data: *mut c_void) -> Result<()> {
    let Some(callback) = callback else { return job.run() };
    let data = UserData(data);
    // SAFETY: the application gave this function with this data.
    job.start(move |program| unsafe { callback(program.handle(), data.get()) });
    Ok(())
}

entry! {
    /// clCreateProgramWithSource.
    fn clCreateProgramWithSource(
        context: cl_context,
        count: cl_uint,
        strings: *const *const c_char,
        lengths: *const usize,
    ) -> handle cl_program {
        let context = Ref::<Context>::from_handle(context)?;
        // SAFETY: the arrays are as the API requires.
        let source = unsafe { source(count, strings, lengths) }?;
        Ok(Program::from_source(context, source).expose())
    }

    /// clCreateProgramWithIL, and clCreateProgramWithILKHR of cl_khr_il_program.
    fn clCreateProgramWithIL(
        context: cl_context,
        il: *const c_void,
        length: usize,
    ) -> handle cl_program {
        let context = Ref::<Context>::from_handle(context)?;
        ensure!(!il.is_null() && length > 0, CL_INVALID_VALUE);
        // SAFETY: the API requires `length` bytes.
        let bytes = unsafe { args::slice(il.cast::<u8>(), length) };
        Ok(Program::from_il(context, bytes)?.expose())
    }

    /// clCreateProgramWithBinary.
    fn clCreateProgramWithBinary(
        context: cl_context,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        lengths: *const usize,
        binaries: *const *const u8,
        binary_status: *mut cl_int,
    ) -> handle cl_program {
        let context = Ref::<Context>::from_handle(context)?;
        ensure!(num_devices > 0 && !device_list.is_null(), CL_INVALID_VALUE);
        ensure!(!lengths.is_null() && !binaries.is_null(), CL_INVALID_VALUE);
        let count = num_devices as usize;
        // SAFETY: the arrays are as the API requires.
        let (devices, lengths, pointers) = unsafe {
            (
                args::objects::<Device>(device_list, num_devices)?,
                args::slice(lengths, count),
                args::slice(binaries, count),
            )
        };
        for device in &devices {
            context.index_of(device)?;
        }
        let missing = |(pointer, length): (&*const u8, &usize)| pointer.is_null() || *length == 0;
        if pointers.iter().zip(lengths).any(missing) {
            for index in 0..count {
                let bad = missing((&pointers[index], &lengths[index]));
                let status = if bad { CL_INVALID_VALUE } else { CL_SUCCESS };
                if !binary_status.is_null() {
                    // SAFETY: the API requires room for `num_devices` statuses.
                    unsafe { binary_status.add(index).write(status) };
                }
            }
            return fail(CL_INVALID_VALUE);
        }
        let bytes = pointers.iter().zip(lengths);
        // SAFETY: the API requires `length` bytes at each pointer.
        let bytes: Vec<_> = bytes.map(|(p, length)| unsafe { args::slice(*p, *length) }).collect();
        let (statuses, program) = Program::from_binaries(context, devices, &bytes);
        if !binary_status.is_null() {
            for (index, status) in statuses.into_iter().enumerate() {
                // SAFETY: the API requires `length` bytes at each pointer.
                unsafe { binary_status.add(index).write(status) };
            }
        }
        Ok(program?.expose())
    }

    /// clCreateProgramWithBuiltInKernels. There are none.
    fn clCreateProgramWithBuiltInKernels(
        context: cl_context,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        kernel_names: *const c_char,
    ) -> handle cl_program {
        let context = Ref::<Context>::from_handle(context)?;
        ensure!(num_devices > 0 && !device_list.is_null(), CL_INVALID_VALUE);
        ensure!(!kernel_names.is_null(), CL_INVALID_VALUE);
        // SAFETY: the array is as the API requires.
        for device in unsafe { args::objects::<Device>(device_list, num_devices) }? {
            context.index_of(&device)?;
        }
        // A name that no device supports.
        fail(CL_INVALID_VALUE)
    }

    /// clRetainProgram.
    fn clRetainProgram(program: cl_program) -> status {
        Ref::<Program>::retain(program)
    }

    /// clReleaseProgram.
    fn clReleaseProgram(program: cl_program) -> status {
        Ref::<Program>::release(program)
    }

    /// clSetProgramReleaseCallback: not offered since OpenCL 3.0 (programs have no destructors).
    fn clSetProgramReleaseCallback(
        program: cl_program,
        pfn_notify: ProgramNotify,
        _user_data: *mut c_void,
    ) -> status {
        Ref::<Program>::from_handle(program)?;
        ensure!(pfn_notify.is_some(), CL_INVALID_VALUE);
        fail(CL_INVALID_OPERATION)
    }

    /// clSetProgramSpecializationConstant. The value applies to builds that start after this call.
    fn clSetProgramSpecializationConstant(
        program: cl_program,
        spec_id: cl_uint,
        spec_size: usize,
        spec_value: *const c_void,
    ) -> status {
        let program = Ref::<Program>::from_handle(program)?;
        let il = program.il().ok_or(ClError(CL_INVALID_PROGRAM))?;
        ensure!(!spec_value.is_null(), CL_INVALID_VALUE);
        // No constant is larger than MAX_SPEC_SIZE: a larger size is invalid, and its bytes are not read.
        let size = spec_size.min(MAX_SPEC_SIZE + 1);
        // SAFETY: the API requires `spec_size` bytes.
        il.set(spec_id, unsafe { args::slice(spec_value.cast::<u8>(), size) })
    }

    /// clBuildProgram.
    fn clBuildProgram(
        program: cl_program,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        options: *const c_char,
        pfn_notify: ProgramNotify,
        user_data: *mut c_void,
    ) -> status {
        let program = Ref::<Program>::from_handle(program)?;
        ensure!(pfn_notify.is_some() || user_data.is_null(), CL_INVALID_VALUE);
        // SAFETY: the array and the string are as the API requires.
        let (devices, options) = unsafe {
            (chosen_devices(&program, num_devices, device_list)?, args::text(options)?)
        };
        let job = build::build(&program, devices, options.unwrap_or_default())?;
        perform(job, pfn_notify, user_data)
    }

    /// clCompileProgram.
    fn clCompileProgram(
        program: cl_program,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        options: *const c_char,
        num_input_headers: cl_uint,
        input_headers: *const cl_program,
        header_include_names: *const *const c_char,
        pfn_notify: ProgramNotify,
        user_data: *mut c_void,
    ) -> status {
        let program = Ref::<Program>::from_handle(program)?;
        ensure!(pfn_notify.is_some() || user_data.is_null(), CL_INVALID_VALUE);
        // SAFETY: the arrays and strings are as the API requires.
        let (devices, options) = unsafe {
            (chosen_devices(&program, num_devices, device_list)?, args::text(options)?)
        };
        let headers = match program.il() {
            // Headers are ignored.
            Some(_) => Vec::new(),
            // SAFETY: the arrays and strings are as the API requires.
            None => unsafe {
                headers(&program, num_input_headers, input_headers, header_include_names)?
            },
        };
        let job = build::compile(&program, devices, options.unwrap_or_default(), headers)?;
        perform(job, pfn_notify, user_data)
    }

    /// clLinkProgram. A program whose link failed is returned too: it has the log.
    fn clLinkProgram(
        context: cl_context,
        num_devices: cl_uint,
        device_list: *const cl_device_id,
        options: *const c_char,
        num_input_programs: cl_uint,
        input_programs: *const cl_program,
        pfn_notify: ProgramNotify,
        user_data: *mut c_void,
    ) -> outcome cl_program {
        let context = Ref::<Context>::from_handle(context)?;
        ensure!(device_list.is_null() == (num_devices == 0), CL_INVALID_VALUE);
        ensure!(num_input_programs > 0 && !input_programs.is_null(), CL_INVALID_VALUE);
        ensure!(pfn_notify.is_some() || user_data.is_null(), CL_INVALID_VALUE);
        // SAFETY: the arrays and the string are as the API requires.
        let (programs, mut devices, options) = unsafe {
            (
                args::objects::<Program>(input_programs, num_input_programs)?,
                args::objects::<Device>(device_list, num_devices)?,
                args::text(options)?,
            )
        };
        ensure!(programs.iter().all(|p| p.context == context), CL_INVALID_CONTEXT);
        for device in &devices {
            context.index_of(device)?;
        }
        if devices.is_empty() {
            devices = context.devices.clone();
        }
        let job = build::link(context, devices, options.unwrap_or_default(), &programs)?;
        // The callback may come before this returns.
        let handle = job.program.expose();
        match perform(job, pfn_notify, user_data) {
            Ok(()) => Ok((handle, CL_SUCCESS)),
            Err(ClError(CL_LINK_PROGRAM_FAILURE)) => Ok((handle, CL_LINK_PROGRAM_FAILURE)),
            Err(error) => {
                Ref::<Program>::release(handle)?;
                Err(error)
            }
        }
    }

    /// clUnloadPlatformCompiler: a hint.
    fn clUnloadPlatformCompiler(platform: cl_platform_id) -> status {
        ensure!(!platform.is_null(), CL_INVALID_PLATFORM);
        platform_of(platform)?;
        Ok(())
    }

    /// clUnloadCompiler: a hint.
    fn clUnloadCompiler() -> status {
        Ok(())
    }

    /// clGetProgramInfo.
    fn clGetProgramInfo(
        program: cl_program,
        param_name: cl_program_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let program = Ref::<Program>::from_handle(program)?;
        let value = match param_name {
            CL_PROGRAM_REFERENCE_COUNT => Some(Value::of(program.reference_count())),
            CL_PROGRAM_CONTEXT => Some(Value::of(program.context.handle())),
            CL_PROGRAM_NUM_DEVICES => Some(Value::of(program.devices.len() as cl_uint)),
            CL_PROGRAM_DEVICES => {
                Some(Value::list(&program.devices.iter().map(Ref::handle).collect::<Vec<_>>()))
            }
            CL_PROGRAM_SOURCE => {
                let (size, place, size_ret) = (param_value_size, param_value, param_value_size_ret);
                // SAFETY: the caller's places are as the API requires.
                return unsafe { args::answer_text(program.source(), size, place, size_ret) };
            }
            CL_PROGRAM_IL => {
                let bytes = program.il().map_or(&[][..], |il| il.bytes());
                let (size, place, size_ret) = (param_value_size, param_value, param_value_size_ret);
                // SAFETY: the caller's places are as the API requires.
                return unsafe { args::answer_bytes(&[bytes], size, place, size_ret) };
            }
            CL_PROGRAM_BINARY_SIZES => {
                let size = |index| program.binary_of(index).map(|binary| binary.len());
                let sizes: Vec<usize> = (0..program.devices.len()).map(size).collect::<Result<_>>()?;
                Some(Value::list(&sizes))
            }
            CL_PROGRAM_BINARIES => {
                // SAFETY: the caller's places are as the API requires.
                return unsafe {
                    binaries(&program, param_value_size, param_value, param_value_size_ret)
                };
            }
            CL_PROGRAM_NUM_KERNELS => Some(Value::of(program.kernel_names()?.len())),
            CL_PROGRAM_KERNEL_NAMES => Some(Value::text(&program.kernel_names()?.join(";"))),
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                // CL_INVALID_PROGRAM_EXECUTABLE without a successful build.
                program.kernel_names()?;
                Some(Value::bool(false))
            }
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }

    /// clGetProgramBuildInfo.
    fn clGetProgramBuildInfo(
        program: cl_program,
        device: cl_device_id,
        param_name: cl_program_build_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let program = Ref::<Program>::from_handle(program)?;
        let device = Ref::<Device>::from_handle(device)?;
        let build = program.build_of(program.index_of(&device)?);
        let value = match param_name {
            CL_PROGRAM_BUILD_STATUS => Some(Value::of(build.status)),
            CL_PROGRAM_BUILD_OPTIONS | CL_PROGRAM_BUILD_LOG => {
                let is_log = param_name == CL_PROGRAM_BUILD_LOG;
                let text = if is_log { &build.log } else { &build.options };
                let (size, place, size_ret) = (param_value_size, param_value, param_value_size_ret);
                // SAFETY: the caller's places are as the API requires.
                return unsafe { args::answer_text(text, size, place, size_ret) };
            }
            CL_PROGRAM_BINARY_TYPE => Some(Value::of(build.binary_type())),
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
                Some(Value::of(build.global_variable_size() as usize))
            }
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }
}

/// CL_PROGRAM_BINARIES: the application gives an array of pointers to the places for the binaries; NULL pointers are skipped.
///
/// # Safety
/// The places are as the API requires.
unsafe fn binaries(
    program: &Program,
    size: usize,
    place: *mut c_void,
    size_ret: *mut usize,
) -> Result<()> {
    let count = program.devices.len();
    let needed = count * size_of::<*mut u8>();
    if !place.is_null() {
        ensure!(size >= needed, CL_INVALID_VALUE);
        // SAFETY: as the caller promises.
        let pointers = unsafe { args::slice(place.cast::<*mut u8>(), count) };
        for (index, pointer) in pointers.iter().enumerate().filter(|(_, p)| !p.is_null()) {
            let bytes = program.binary_of(index)?;
            // SAFETY: the place holds CL_PROGRAM_BINARY_SIZES bytes.
            unsafe { pointer.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
    }
    // SAFETY: as the caller promises.
    unsafe { args::store(size_ret, needed) };
    Ok(())
}
