//! Programs with a known result: whatever is done to the library's surroundings, they must build and give this result.

use super::child::Verdict;
use super::opencl::{call, judge, Kernel, World};
use cl3::types::cl_mem;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// Returns a program that writes `3 * number + 1` to its buffer.
pub fn source(number: u32) -> String {
    format!(
        "kernel void known{number}(global uint *out, uint one) {{
            for (uint i = 0; i < 3; i++) if (i <= one * 2) out[0] += {number}u;
            out[0] += one; }}"
    )
}

/// Builds the program of a number and runs it. A wrong result is a fault, an error is not.
pub fn run(world: &World, number: u32, options: &str) -> Result<(), Verdict> {
    let program = world.source(source(number).as_bytes())?;
    match program.build(options) {
        // The program is correct, so this error is a wrong one.
        Err(Verdict::Refused(why)) if why.contains("BUILD_PROGRAM_FAILURE") => {
            return Err(Verdict::Wrong(format!("a good program gives {why}")));
        }
        built => built?,
    }
    let kernels = program.kernels()?;
    let kernel = kernels.first().ok_or_else(|| Verdict::Wrong("no kernel is there".into()))?;
    // A buffer of its own, since other threads may do the same.
    let mut code = 0;
    let buffer = call!(world, clCreateBuffer(world.context, 1, 4, null_mut(), &mut code));
    judge("clCreateBuffer", code, &[-4])?;
    let result = run_kernel(world, kernel, buffer);
    judge("clReleaseMemObject", call!(world, clReleaseMemObject(buffer)), &[])?;
    match result? == number.wrapping_mul(3).wrapping_add(1) {
        true => Ok(()),
        false => Err(Verdict::Wrong(format!("program {number} gives another result"))),
    }
}

/// Launches a known program's kernel, and returns what it has written.
fn run_kernel(world: &World, kernel: &Kernel<'_>, buffer: cl_mem) -> Result<u32, Verdict> {
    let (queue, one) = (world.queue, 1u32);
    let (zero, mut result, size) = (0u32, 0u32, size_of::<u32>());
    let place = |value: &u32| (&raw const *value).cast::<c_void>();
    let from = place(&zero);
    let code =
        call!(world, clEnqueueWriteBuffer(queue, buffer, 1, 0, size, from, 0, null(), null_mut()));
    judge("clEnqueueWriteBuffer", code, &[-4])?;
    let handle = (&raw const buffer).cast();
    judge("clSetKernelArg", kernel.set(0, size_of_val(&buffer), handle), &[])?;
    judge("clSetKernelArg", kernel.set(1, size, place(&one)), &[])?;
    let global = 1;
    let code = call!(
        world,
        clEnqueueNDRangeKernel(
            queue,
            kernel.handle,
            1,
            null(),
            &global,
            null(),
            0,
            null(),
            null_mut()
        )
    );
    judge("clEnqueueNDRangeKernel", code, &[-4])?;
    let to = (&raw mut result).cast();
    let code =
        call!(world, clEnqueueReadBuffer(queue, buffer, 1, 0, size, to, 0, null(), null_mut()));
    judge("clEnqueueReadBuffer", code, &[-4])?;
    Ok(result)
}
