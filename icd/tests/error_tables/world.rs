//! The objects that the tables call with: the objects of one context and of a second one, and handles that are not objects.

use hekla::api::*;
use hekla::cl::*;
use std::ptr::{null, null_mut};

/// Memory that holds no object, at whatever place it is read.
static FOREIGN: [u64; 64] = [0x1234_5678_9abc_def0; 64];

/// Size in bytes of the buffers.
pub const SIZE: usize = 1024;

/// Options of the programs: work-groups of unequal size, and queries of arguments.
const OPTIONS: &std::ffi::CStr = c"-cl-std=CL3.0 -cl-kernel-arg-info";

/// The source of the program: kernels with and without arguments.
const SOURCE: &std::ffi::CStr = c"
    kernel void none(void) {}
    kernel void buffer(global int *data) { data[get_global_id(0)] = 1; }
    kernel void value(global int *data, int value, local float *scratch) { data[0] = value; }
    __attribute__((reqd_work_group_size(4, 1, 1))) kernel void required(void) {}
";

/// A context and its objects.
pub struct Objects {
    pub context: cl_context,
    pub queue: cl_command_queue,
    pub buffer: cl_mem,
    pub program: cl_program,
    pub kernel: cl_kernel,
    pub event: cl_event,
}

pub struct World {
    pub platform: cl_platform_id,
    pub device: cl_device_id,
    /// A device that is not the context's, where there is one.
    pub stranger: Option<cl_device_id>,
    /// A context of both devices, and a program that is built there.
    pub pair: Option<Objects>,
    pub context: cl_context,
    pub queue: cl_command_queue,
    pub buffer: cl_mem,
    pub program: cl_program,
    /// `none` of [`SOURCE`].
    pub kernel: cl_kernel,
    /// A user event that is complete.
    pub complete: cl_event,
    /// A user event that failed.
    pub failed: cl_event,
    pub other: Objects,
}

impl World {
    /// Returns true if kernels reach memory of malloc (CL_DEVICE_SVM_FINE_GRAIN_SYSTEM).
    pub fn reaches_system(&self) -> bool {
        let mut capabilities = 0u64;
        let place = (&raw mut capabilities).cast();
        check(unsafe {
            clGetDeviceInfo(self.device, CL_DEVICE_SVM_CAPABILITIES, 8, place, null_mut())
        });
        capabilities & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0
    }
}

/// Returns the handle that a function makes, which must succeed.
pub fn made<T>(create: impl FnOnce(*mut cl_int) -> *mut T) -> *mut T {
    let mut code = 1;
    let handle = create(&mut code);
    assert_eq!(code, CL_SUCCESS);
    handle
}

fn check(code: cl_int) {
    assert_eq!(code, CL_SUCCESS);
}

fn devices() -> Vec<cl_device_id> {
    let (mut all, mut count) = ([null_mut(); 8], 0);
    let list = all.as_mut_ptr();
    check(unsafe { clGetDeviceIDs(null_mut(), CL_DEVICE_TYPE_ALL, 8, list, &mut count) });
    all[..count as usize].to_vec()
}

fn is_swiftshader(device: cl_device_id) -> bool {
    let mut name = [0u8; 256];
    let place = name.as_mut_ptr().cast();
    check(unsafe { clGetDeviceInfo(device, CL_DEVICE_NAME, 256, place, null_mut()) });
    String::from_utf8_lossy(&name).contains("SwiftShader")
}

/// Returns the device under test, and another one: the driver that the environment names is the first.
fn choose_devices() -> (cl_device_id, Option<cl_device_id>) {
    let wanted = std::env::var("VK_DRIVER_FILES").unwrap_or_default();
    super::drivers::add_another();
    let mut all = devices();
    let weak = wanted.to_lowercase().contains("swiftshader");
    all.sort_by_key(|device| is_swiftshader(*device) != weak);
    (all[0], all.get(1).copied())
}

fn context_of(devices: &[cl_device_id]) -> cl_context {
    let (count, list) = (devices.len() as u32, devices.as_ptr());
    made(|e| unsafe { clCreateContext(null(), count, list, None, null_mut(), e) })
}

fn objects(devices: &[cl_device_id]) -> Objects {
    let context = context_of(devices);
    let queue = made(|e| unsafe { clCreateCommandQueue(context, devices[0], 0, e) });
    let buffer = made(|e| unsafe { clCreateBuffer(context, 0, SIZE, null_mut(), e) });
    let program = program_of(context, SOURCE);
    let options = OPTIONS.as_ptr();
    check(unsafe { clBuildProgram(program, 0, null(), options, None, null_mut()) });
    let kernel = made(|e| unsafe { clCreateKernel(program, c"none".as_ptr(), e) });
    let event = made(|e| unsafe { clCreateUserEvent(context, e) });
    check(unsafe { clSetUserEventStatus(event, CL_COMPLETE) });
    Objects { context, queue, buffer, program, kernel, event }
}

/// Returns a program that is not built yet.
fn program_of(context: cl_context, source: &std::ffi::CStr) -> cl_program {
    let text = source.as_ptr();
    made(|e| unsafe { clCreateProgramWithSource(context, 1, &text, null(), e) })
}

impl World {
    pub fn new() -> World {
        let (device, stranger) = choose_devices();
        let mut platform = null_mut();
        check(unsafe { clGetPlatformIDs(1, &mut platform, null_mut()) });
        let Objects { context, queue, buffer, program, kernel, event } = objects(&[device]);
        let failed = made(|e| unsafe { clCreateUserEvent(context, e) });
        check(unsafe { clSetUserEventStatus(failed, -1) });
        World {
            platform,
            device,
            stranger,
            pair: stranger.map(|stranger| objects(&[device, stranger])),
            context,
            queue,
            buffer,
            program,
            kernel,
            complete: event,
            failed,
            other: objects(&[device]),
        }
    }

    /// Returns a buffer of [`SIZE`] bytes.
    pub fn buffer_with(&self, flags: cl_mem_flags) -> cl_mem {
        made(|e| unsafe { clCreateBuffer(self.context, flags, SIZE, null_mut(), e) })
    }

    /// Returns a part of a buffer.
    pub fn part_of(&self, buffer: cl_mem, origin: usize, size: usize) -> cl_mem {
        let region = cl_buffer_region { origin, size };
        let (kind, region) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
        made(|e| unsafe { clCreateSubBuffer(buffer, 0, kind, region, e) })
    }

    /// Returns a program of the context that is not built.
    pub fn source(&self, source: &std::ffi::CStr) -> cl_program {
        program_of(self.context, source)
    }

    /// Returns a kernel of [`SOURCE`].
    pub fn kernel_named(&self, name: &std::ffi::CStr) -> cl_kernel {
        made(|e| unsafe { clCreateKernel(self.program, name.as_ptr(), e) })
    }

    /// Returns handles that are not objects at all.
    fn nothing<T>() -> Vec<(&'static str, *mut T)> {
        let foreign = FOREIGN.as_ptr().cast_mut().cast();
        let (low, high) = (8 as *mut T, usize::MAX as *mut T);
        vec![("NULL", null_mut()), ("no object", foreign), ("8", low), ("all ones", high)]
    }

    /// Returns wrong handles for a kind that is never released: NULL, and another kind's.
    pub fn never<T, U>(another: *mut U) -> Vec<(&'static str, *mut T)> {
        let mut all = Self::nothing();
        all.push(("of another kind", another.cast()));
        all
    }

    /// Returns wrong handles for a kind: NULL, another kind's, one that was released.
    pub fn none_of<T, U>(another: *mut U, released: *mut T) -> Vec<(&'static str, *mut T)> {
        let mut all = Self::never(another);
        all.push(("released", released));
        all
    }

    /// Handles that are not platforms; NULL stands for the only platform.
    pub fn no_platforms(&self) -> Vec<(&'static str, cl_platform_id)> {
        Self::never(self.device).split_off(1)
    }

    pub fn no_devices(&self) -> Vec<(&'static str, cl_device_id)> {
        Self::never(self.context)
    }

    pub fn no_contexts(&self) -> Vec<(&'static str, cl_context)> {
        let released = context_of(&[self.device]);
        check(unsafe { clReleaseContext(released) });
        Self::none_of(self.queue, released)
    }

    pub fn no_queues(&self) -> Vec<(&'static str, cl_command_queue)> {
        let released = made(|e| unsafe { clCreateCommandQueue(self.context, self.device, 0, e) });
        check(unsafe { clReleaseCommandQueue(released) });
        Self::none_of(self.context, released)
    }

    pub fn no_buffers(&self) -> Vec<(&'static str, cl_mem)> {
        let released = self.buffer_with(0);
        check(unsafe { clReleaseMemObject(released) });
        Self::none_of(self.queue, released)
    }

    pub fn no_programs(&self) -> Vec<(&'static str, cl_program)> {
        let released = self.source(SOURCE);
        check(unsafe { clReleaseProgram(released) });
        Self::none_of(self.kernel, released)
    }

    pub fn no_kernels(&self) -> Vec<(&'static str, cl_kernel)> {
        let released = self.kernel_named(c"none");
        check(unsafe { clReleaseKernel(released) });
        Self::none_of(self.program, released)
    }

    pub fn no_events(&self) -> Vec<(&'static str, cl_event)> {
        let released = made(|e| unsafe { clCreateUserEvent(self.context, e) });
        check(unsafe { clReleaseEvent(released) });
        Self::none_of(self.queue, released)
    }

    pub fn no_samplers(&self) -> Vec<(&'static str, cl_sampler)> {
        let (mode, filter) = (CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
        let released = made(|e| unsafe { clCreateSampler(self.context, CL_TRUE, mode, filter, e) });
        check(unsafe { clReleaseSampler(released) });
        Self::none_of(self.buffer, released)
    }
}
