//! Everything that can be done with an accepted program: every query, every kernel with arguments that the queries
//! describe, and a small launch.

use super::child::{Child, Verdict};
use super::opencl::{call, judge, number, query, text, Kernel, Program, World, BUFFER};
use std::collections::BTreeMap;
use std::ffi::{c_void, CString};
use std::hash::{DefaultHasher, Hasher};
use std::ptr::{null, null_mut};

/// Most kernels of a program that are tried, and most arguments of each.
const MOST: usize = 64;
/// Work-items of a launch.
const ITEMS: usize = 8;

const NUM_KERNELS: u32 = 0x1167;
const KERNEL_NAMES: u32 = 0x1168;
/// Queries of a program, except for its binaries, which `to_binary` asks for. Queries about kernels need an executable.
const PROGRAM: [u32; 9] =
    [0x1160, 0x1161, 0x1162, 0x1163, 0x1164, 0x1165, NUM_KERNELS, KERNEL_NAMES, 0x1169];
/// Queries of a build.
const BUILD: [u32; 5] = [0x1181, 0x1182, 0x1183, 0x1184, 0x1185];
const FUNCTION_NAME: u32 = 0x1190;
const NUM_ARGS: u32 = 0x1191;
/// Queries of a kernel.
const KERNEL: [u32; 6] = [FUNCTION_NAME, NUM_ARGS, 0x1192, 0x1193, 0x1194, 0x1195];
const ARG_ADDRESS: u32 = 0x1196;
const ARG_TYPE: u32 = 0x1198;
/// Queries of an argument.
const ARG: [u32; 5] = [ARG_ADDRESS, 0x1197, ARG_TYPE, 0x1199, 0x119A];
const COMPILE_WORK_GROUP_SIZE: u32 = 0x11B1;
/// Queries of a kernel on a device; 0x11B5 is for kernels of custom devices.
const WORK_GROUP: [u32; 5] = [0x11B0, COMPILE_WORK_GROUP_SIZE, 0x11B2, 0x11B3, 0x11B4];
/// Queries of a kernel's sub-groups: by sizes of work-groups, and by a number of sub-groups.
const SUB_GROUPS_OF_SIZES: [u32; 2] = [0x2033, 0x2034];
const SIZES_OF_SUB_GROUPS: u32 = 0x11B8;
const SUB_GROUPS: [u32; 2] = [0x11B9, 0x11BA];
/// Sizes of work-groups for queries.
const SIZES: [[usize; 3]; 5] =
    [[1, 1, 1], [8, 4, 2], [1 << 20, 1, 1], [usize::MAX; 3], [usize::MAX / 2 + 1, 2, 1]];
const LOCAL: u64 = 0x119C;
const PRIVATE: u64 = 0x119E;

/// A digest of the results of each kernel, by the kernel's name.
pub type Results = BTreeMap<String, u64>;

/// Makes all queries of a program, tries its kernels, and launches them where `launch` is set. The verdict is about
/// behaviour that is never allowed; a kernel that cannot be launched is noted in place of its result.
pub fn exercise(
    program: &Program<'_>,
    launch: bool,
    child: &mut Child,
) -> Result<Results, Verdict> {
    let world = program.world;
    child.stage("queries");
    for what in PROGRAM {
        let needs_executable = [NUM_KERNELS, KERNEL_NAMES].contains(&what);
        let errors: &[i32] = if needs_executable { &[-45] } else { &[] };
        allow_refusal(program.info(what, errors))?;
    }
    for what in BUILD {
        query("clGetProgramBuildInfo", &[], |size, place, needed| {
            call!(
                world,
                clGetProgramBuildInfo(program.handle, world.device, what, size, place, needed)
            )
        })?;
    }
    let binary = program.to_binary()?;
    if !binary.is_empty() {
        child.stage("its own binary");
        if let Err(Verdict::Refused(why)) = world.binary(&binary) {
            return Err(Verdict::Wrong(format!("its own binary is refused: {why}")));
        }
    }
    child.stage("kernels");
    let mut results = Results::new();
    let Some(names) = allow_refusal(program.info(KERNEL_NAMES, &[-45]))? else {
        return Ok(results);
    };
    for name in text(&names).split(';').take(MOST) {
        let (name, mut code) = (CString::new(name).unwrap_or_default(), 0);
        let kernel = call!(world, clCreateKernel(program.handle, name.as_ptr(), &mut code));
        if allow_refusal(judge("clCreateKernel", code, &[-46, -45]))?.is_some() {
            drop(Kernel { world, handle: kernel });
        }
    }
    for kernel in allow_refusal(program.kernels())?.unwrap_or_default().iter().take(MOST) {
        let name = text(&kernel.info(FUNCTION_NAME)?);
        child.stage("queries of a kernel");
        ask(kernel)?;
        child.stage("arguments");
        if !set_all(kernel)? {
            results.insert(name, 0);
            continue;
        }
        if launch {
            let result = run(kernel, child)?;
            results.insert(name, result);
        }
    }
    child.stage("release");
    Ok(results)
}

/// Returns nothing for an error that is allowed.
fn allow_refusal<T>(result: Result<T, Verdict>) -> Result<Option<T>, Verdict> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Verdict::Refused(_)) => Ok(None),
        Err(wrong) => Err(wrong),
    }
}

/// Makes all queries of a kernel.
fn ask(kernel: &Kernel<'_>) -> Result<(), Verdict> {
    let (world, handle) = (kernel.world, kernel.handle);
    for what in KERNEL {
        kernel.info(what)?;
    }
    for index in 0..count(kernel)? {
        for what in ARG {
            allow_refusal(kernel.arg_info(index, what))?;
        }
    }
    for what in WORK_GROUP {
        query("clGetKernelWorkGroupInfo", &[], |size, place, needed| {
            call!(world, clGetKernelWorkGroupInfo(handle, world.device, what, size, place, needed))
        })?;
    }
    ask_sub_groups(kernel)
}

/// Makes all queries of a kernel's sub-groups.
fn ask_sub_groups(kernel: &Kernel<'_>) -> Result<(), Verdict> {
    let (world, handle, device) = (kernel.world, kernel.handle, kernel.world.device);
    let ask = |what, input: &[usize], size: usize| {
        let mut answer = [0usize; 3];
        let (given, from) = (size_of_val(input), input.as_ptr().cast());
        let from = if input.is_empty() { null() } else { from };
        let (size, to) = (size * size_of::<usize>(), answer.as_mut_ptr().cast());
        let code = call!(
            world,
            clGetKernelSubGroupInfo(handle, device, what, given, from, size, to, null_mut())
        );
        // CL_INVALID_VALUE and CL_INVALID_OPERATION where sizes are invalid, or the device has no sub-groups.
        allow_refusal(judge("clGetKernelSubGroupInfo", code, &[-30, -59])).map(drop)
    };
    for sizes in SIZES {
        for what in SUB_GROUPS_OF_SIZES {
            ask(what, &sizes, 1)?;
        }
        ask(SIZES_OF_SUB_GROUPS, &sizes[..1], 3)?;
    }
    SUB_GROUPS.into_iter().try_for_each(|what| ask(what, &[], 1))
}

/// Returns the number of a kernel's arguments, but no more than are tried.
fn count(kernel: &Kernel<'_>) -> Result<u32, Verdict> {
    Ok(number(&kernel.info(NUM_ARGS)?).min(MOST as u64) as u32)
}

/// Sets each argument to an object that suits it; returns false if one of them has no such object.
fn set_all(kernel: &Kernel<'_>) -> Result<bool, Verdict> {
    for index in 0..count(kernel)? {
        let asked = |what| allow_refusal(kernel.arg_info(index, what));
        let address = asked(ARG_ADDRESS)?.map(|bytes| number(&bytes));
        let ty = asked(ARG_TYPE)?.map(|bytes| text(&bytes)).unwrap_or_default();
        if !set(kernel, index, address, &ty)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn set(kernel: &Kernel<'_>, index: u32, address: Option<u64>, ty: &str) -> Result<bool, Verdict> {
    // -70, CL_INVALID_DEVICE_QUEUE, is the answer of an argument that takes a queue to every object here.
    const ERRORS: [i32; 5] = [-38, -41, -50, -51, -70];
    let world = kernel.world;
    let value: Vec<u8> = (0..512u32).map(|byte| if byte % 4 == 0 { 3 } else { 0 }).collect();
    let value = value.as_ptr().cast::<c_void>();
    let handle = |handle: &*mut c_void| (size_of_val(handle), (&raw const *handle).cast());
    let buffer = handle(&world.buffers[index as usize % world.buffers.len()]);
    let images = world.images.iter().map(handle);
    let objects = world.sampler.iter().map(handle).chain(images.rev()).chain([buffer]);
    let values = [4, 8, 16, 1, 2].into_iter().chain(1..=512).map(|size| (size, value));
    let locals = [(64, null())];
    let is_value = address == Some(PRIVATE) && !ty.contains("image") && ty != "sampler_t";
    let all: Vec<(usize, *const c_void)> = if address == Some(LOCAL) {
        locals.into_iter().chain([buffer]).collect()
    } else if is_value {
        values.chain(objects).collect()
    } else if address.is_some_and(|address| address != PRIVATE) {
        [buffer].into_iter().chain(objects).chain(locals).chain(values).collect()
    } else {
        objects.chain(locals).chain(values).collect()
    };
    for (size, place) in all {
        match judge("clSetKernelArg", kernel.set(index, size, place), &ERRORS) {
            Ok(()) => return Ok(true),
            Err(Verdict::Refused(_)) => {}
            Err(wrong) => return Err(wrong),
        }
    }
    Ok(false)
}

/// Launches a kernel on buffers of known content, and returns a digest of their content afterwards.
fn run(kernel: &Kernel<'_>, child: &mut Child) -> Result<u64, Verdict> {
    let world = kernel.world;
    let pattern: Vec<u8> = (0..BUFFER as u32).map(|byte| (byte * 7 % 13) as u8).collect();
    for &buffer in &world.buffers {
        let (queue, size, none) = (world.queue, BUFFER, null_mut());
        let from = pattern.as_ptr().cast();
        let code =
            call!(world, clEnqueueWriteBuffer(queue, buffer, 1, 0, size, from, 0, null(), none));
        judge("clEnqueueWriteBuffer", code, &[-4])?;
    }
    let local = query("clGetKernelWorkGroupInfo", &[], |size, place, needed| {
        let what = COMPILE_WORK_GROUP_SIZE;
        let (handle, device) = (kernel.handle, world.device);
        call!(world, clGetKernelWorkGroupInfo(handle, device, what, size, place, needed))
    })?;
    let local: Vec<usize> = local.chunks(8).map(|size| number(size) as usize).collect();
    let (dims, global, local) = match local.first() {
        None | Some(0) => (1, vec![ITEMS], null()),
        Some(_) => (local.len() as u32, local.clone(), local.as_ptr()),
    };
    child.stage("launch");
    let (queue, handle, global) = (world.queue, kernel.handle, global.as_ptr());
    let code = call!(
        world,
        clEnqueueNDRangeKernel(queue, handle, dims, null(), global, local, 0, null(), null_mut())
    );
    if allow_refusal(judge("clEnqueueNDRangeKernel", code, &LAUNCH))?.is_none() {
        return Ok(1);
    }
    child.stage("finish");
    let code = call!(world, clFinish(world.queue));
    let result = judge("clFinish", code, &[]).and_then(|()| digest(world));
    child.lost |= matches!(result, Err(Verdict::Refused(_)));
    result
}

/// Errors that a launch may return; the binary may say that arguments are missing.
const LAUNCH: [i32; 9] = [-4, -10, -40, -45, -52, -54, -55, -56, -63];

fn digest(world: &World) -> Result<u64, Verdict> {
    let mut hasher = DefaultHasher::new();
    let mut bytes = vec![0u8; BUFFER];
    for &buffer in &world.buffers {
        let (queue, size, none) = (world.queue, BUFFER, null_mut());
        let to = bytes.as_mut_ptr().cast();
        let code =
            call!(world, clEnqueueReadBuffer(queue, buffer, 1, 0, size, to, 0, null(), none));
        judge("clEnqueueReadBuffer", code, &[-4])?;
        hasher.write(&bytes);
    }
    Ok(hasher.finish())
}
