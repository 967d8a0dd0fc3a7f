//! A kernel that is built and run on each device: whether its results are right, and the bandwidth that it reaches.
//!
//! It calls the entry points that are linked into this program, as any program does, so that it also runs where no
//! loader is installed.

use super::{Finding, Severity};
use hekla::api::*;
use hekla::cl::*;
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::time::Instant;

const SOURCE: &[u8] = b"kernel void examine(global const uint4 *in, global uint4 *out, uint c) {
    size_t i = get_global_id(0);
    out[i] = in[i] * 2654435761u + c;
}\0";
/// Elements of each of the two buffers, which are 64 MiB large.
const COUNT: usize = 16 << 20;
/// The number that the kernel adds to each element; the kernel's argument points to it.
static ADDED: u32 = 97;
/// The number of launches, of which the fastest counts.
const LAUNCHES: usize = 4;

/// Returns a line for each device that programs see.
pub fn run_on_all() -> Vec<Finding> {
    let (mut platform, mut devices, mut count) = (null_mut(), [null_mut(); 64], 0);
    // SAFETY: the places are as large as is said.
    let code = unsafe {
        clGetPlatformIDs(1, &mut platform, null_mut());
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, devices.as_mut_ptr(), &mut count)
    };
    if code != CL_SUCCESS {
        let text = format!("clGetDeviceIDs returns {code}");
        return vec![Finding::new(Severity::Fault, "kernel", text)];
    }
    let devices = devices[..count.min(64) as usize].iter().enumerate();
    devices.map(|(index, device)| finding(index, *device)).collect()
}

fn finding(index: usize, device: cl_device_id) -> Finding {
    let subject = format!("kernel {index}");
    // SAFETY: the device is one that Hekla gave.
    match unsafe { run(device) } {
        Ok(Run { build_ms, bandwidth, wrong: 0 }) => {
            let text = format!(
                "built in {build_ms:.1} ms, right results, {bandwidth:.1} GB/s on {} MB",
                2 * COUNT * 4 / 1_000_000
            );
            Finding::new(Severity::Fine, subject, text)
        }
        Ok(Run { wrong, .. }) => {
            let text = format!(
                "{wrong} of {COUNT} results are wrong: do not use this device; please report it with the output of \
                 heklac --explain"
            );
            Finding::new(Severity::Fault, subject, text)
        }
        Err((call, code)) => {
            let text = format!(
                "{call} fails with {code}: HEKLA_LOG=debug tells why; please report it with HEKLA_TRACE's file"
            );
            Finding::new(Severity::Fault, subject, text)
        }
    }
}

/// The outcome of a run.
struct Run {
    build_ms: f64,
    /// Bandwidth of reads and writes together, in GB per second.
    bandwidth: f64,
    /// The number of wrong results.
    wrong: usize,
}

/// A call that failed, with its error.
type Failure = (&'static str, cl_int);

fn check(call: &'static str, code: cl_int) -> Result<(), Failure> {
    if code == CL_SUCCESS {
        Ok(())
    } else {
        Err((call, code))
    }
}

/// Runs the kernel on a device. The objects that it creates live as long as the process.
///
/// # Safety
/// The device is a valid one.
unsafe fn run(device: cl_device_id) -> Result<Run, Failure> {
    let numbers: Vec<u32> = (0..COUNT as u32).collect();
    let size = COUNT * 4;
    let mut code = CL_SUCCESS;
    // SAFETY: earlier calls returned the handles; the sizes fit the memory that the pointers lead to.
    unsafe {
        let context = clCreateContext(null(), 1, &device, None, null_mut(), &mut code);
        check("clCreateContext", code)?;
        let queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &mut code);
        check("clCreateCommandQueue", code)?;
        let flags = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
        let from = numbers.as_ptr().cast_mut().cast::<c_void>();
        let input = clCreateBuffer(context, flags, size, from, &mut code);
        check("clCreateBuffer", code)?;
        let output = clCreateBuffer(context, CL_MEM_WRITE_ONLY, size, null_mut(), &mut code);
        check("clCreateBuffer", code)?;
        let start = Instant::now();
        let text = SOURCE.as_ptr().cast::<c_char>();
        let program = clCreateProgramWithSource(context, 1, &text, null(), &mut code);
        check("clCreateProgramWithSource", code)?;
        check("clBuildProgram", clBuildProgram(program, 1, &device, null(), None, null_mut()))?;
        let kernel = clCreateKernel(program, c"examine".as_ptr(), &mut code);
        check("clCreateKernel", code)?;
        let build_ms = start.elapsed().as_secs_f64() * 1e3;
        let arguments: [(usize, *const c_void); 3] = [
            (size_of::<cl_mem>(), (&raw const input).cast()),
            (size_of::<cl_mem>(), (&raw const output).cast()),
            (size_of::<u32>(), (&raw const ADDED).cast()),
        ];
        for (index, (size, value)) in (0..).zip(arguments) {
            check("clSetKernelArg", clSetKernelArg(kernel, index, size, value))?;
        }
        let mut best = f64::INFINITY;
        for _ in 0..LAUNCHES {
            best = best.min(launch(queue, kernel)?);
        }
        let mut results = vec![0u32; COUNT];
        let to = results.as_mut_ptr().cast();
        let read = clEnqueueReadBuffer(queue, output, CL_TRUE, 0, size, to, 0, null(), null_mut());
        check("clEnqueueReadBuffer", read)?;
        let right = |x: u32| x.wrapping_mul(2_654_435_761).wrapping_add(ADDED);
        let wrong = results.iter().zip(&numbers).filter(|(y, x)| **y != right(**x)).count();
        Ok(Run { build_ms, bandwidth: 2.0 * size as f64 / best, wrong })
    }
}

/// Runs the kernel once, and returns the nanoseconds that the device took.
///
/// # Safety
/// The handles are valid, the arguments set.
unsafe fn launch(queue: cl_command_queue, kernel: cl_kernel) -> Result<f64, Failure> {
    let (items, mut event) = (COUNT / 4, null_mut());
    let mut times = [0u64; 2];
    // SAFETY: as the caller promises.
    unsafe {
        let code =
            clEnqueueNDRangeKernel(queue, kernel, 1, null(), &items, null(), 0, null(), &mut event);
        check("clEnqueueNDRangeKernel", code)?;
        check("clFinish", clFinish(queue))?;
        let names = [CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END];
        for (name, time) in names.into_iter().zip(&mut times) {
            let place = (&raw mut *time).cast();
            let code = clGetEventProfilingInfo(event, name, size_of::<u64>(), place, null_mut());
            check("clGetEventProfilingInfo", code)?;
        }
        clReleaseEvent(event);
    }
    Ok(times[1].saturating_sub(times[0]).max(1) as f64)
}
