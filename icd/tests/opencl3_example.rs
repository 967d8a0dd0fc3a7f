//! `opencl3`, an independent Rust client, runs a typical first example of its own through the ICD loader: SAXPY with
//! blocking and non-blocking writes, events and profiling.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;

use opencl3::command_queue::{CommandQueue, CL_QUEUE_PROFILING_ENABLE};
use opencl3::context::Context;
use opencl3::device::{get_all_devices, Device, CL_DEVICE_TYPE_ALL};
use opencl3::error_codes::ClError;
use opencl3::event::CL_COMPLETE;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::{cl_float, CL_BLOCKING, CL_NON_BLOCKING};
use std::ptr::null_mut;
use std::sync::Once;

const SOURCE: &str = "
kernel void saxpy(global float *z, global const float *x, global const float *y, float a)
{
    const size_t i = get_global_id(0);
    z[i] = a * x[i] + y[i];
}";

const SIZE: usize = 1000;

/// Makes Hekla the loader's only platform, before the client opens the loader.
fn select_hekla() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let library = common::library_path();
        assert!(library.exists(), "{} is not built", library.display());
        std::env::set_var("OCL_ICD_VENDORS", &library);
        std::env::set_var("OCL_ICD_FILENAMES", &library);
    });
}

#[test]
fn saxpy_with_events_and_profiling() -> Result<(), ClError> {
    select_hekla();
    let platforms = get_platforms()?;
    assert_eq!(platforms.len(), 1);
    assert!(platforms[0].name()?.contains("Hekla"));
    let device = Device::new(*get_all_devices(CL_DEVICE_TYPE_ALL)?.first().expect("a device"));
    let context = Context::from_device(&device)?;
    let queue =
        CommandQueue::create_default_with_properties(&context, CL_QUEUE_PROFILING_ENABLE, 0)?;
    let program = Program::create_and_build_from_source(&context, SOURCE, "")
        .unwrap_or_else(|log| panic!("the build failed:\n{log}"));
    let kernel = Kernel::create(&program, "saxpy")?;
    assert_eq!(kernel.num_args()?, 4);

    let xs: Vec<cl_float> = vec![1.0; SIZE];
    let ys: Vec<cl_float> = (0..SIZE).map(|i| 1.0 + i as cl_float).collect();
    let mut zs: Vec<cl_float> = vec![0.0; SIZE];
    let a: cl_float = 300.0;
    // SAFETY: the buffers hold SIZE elements, the slices live until the events that use them are
    // complete, and the arguments are those that the kernel declares.
    let (launch, read) = unsafe {
        let mut x = Buffer::<cl_float>::create(&context, CL_MEM_READ_ONLY, SIZE, null_mut())?;
        let mut y = Buffer::<cl_float>::create(&context, CL_MEM_READ_ONLY, SIZE, null_mut())?;
        let z = Buffer::<cl_float>::create(&context, CL_MEM_WRITE_ONLY, SIZE, null_mut())?;
        queue.enqueue_write_buffer(&mut x, CL_BLOCKING, 0, &xs, &[])?;
        let written = queue.enqueue_write_buffer(&mut y, CL_NON_BLOCKING, 0, &ys, &[])?;
        let launch = ExecuteKernel::new(&kernel)
            .set_arg(&z)
            .set_arg(&x)
            .set_arg(&y)
            .set_arg(&a)
            .set_global_work_size(SIZE)
            .set_wait_event(&written)
            .enqueue_nd_range(&queue)?;
        let after = [launch.get()];
        let read = queue.enqueue_read_buffer(&z, CL_NON_BLOCKING, 0, &mut zs, &after)?;
        read.wait()?;
        (launch, read)
    };

    let expected: Vec<cl_float> = ys.iter().map(|y| a + y).collect();
    assert_eq!(zs, expected);
    assert_eq!(launch.command_execution_status()?.0, CL_COMPLETE);
    assert_eq!(read.command_execution_status()?.0, CL_COMPLETE);
    let times = [
        launch.profiling_command_queued()?,
        launch.profiling_command_submit()?,
        launch.profiling_command_start()?,
        launch.profiling_command_end()?,
    ];
    assert!(times.is_sorted(), "{times:?}");
    assert!(launch.profiling_command_end()? <= read.profiling_command_end()?);
    Ok(())
}

#[test]
fn build_log_of_a_mistake() -> Result<(), ClError> {
    select_hekla();
    let device = Device::new(*get_all_devices(CL_DEVICE_TYPE_ALL)?.first().expect("a device"));
    let context = Context::from_device(&device)?;
    let wrong = SOURCE.replace("y[i]", "nowhere[i]");
    match Program::create_and_build_from_source(&context, &wrong, "") {
        Ok(_) => panic!("a kernel with a mistake was built"),
        Err(log) => assert!(log.contains("undeclared identifier 'nowhere'"), "{log}"),
    }
    Ok(())
}
