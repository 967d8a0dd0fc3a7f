//! Every format that kernels write and read: the values that were written are read again, in the order of the channels.

use crate::*;
use std::cell::RefCell;
use std::collections::HashMap;

/// `wf` writes floats, `ri` reads signed integers, `bwu` writes unsigned integers to an image of a buffer, and so on.
const SOURCE: &str = "
#define KERNELS(s, T) \\
    kernel void w##s(write_only image2d_t i, T v) { write_image##s(i, (int2)(2, 1), v); } \\
    kernel void r##s(read_only image2d_t i, global T *o) { *o = read_image##s(i, (int2)(2, 1)); } \\
    kernel void bw##s(write_only image1d_buffer_t i, T v) { write_image##s(i, 3, v); } \\
    kernel void br##s(read_only image1d_buffer_t i, global T *o) { *o = read_image##s(i, 3); }
KERNELS(f, float4)
KERNELS(i, int4)
KERNELS(ui, uint4)
";

struct Programs {
    context: cl_context,
    queue: cl_command_queue,
    program: cl_program,
    out: cl_mem,
    /// The kernels by name. Each is launched with images of all formats, one after the other.
    kernels: RefCell<HashMap<String, cl_kernel>>,
}

impl Programs {
    /// Returns the programs; `None` if programs on the device may not use images.
    fn new(device: cl_device_id, context: cl_context) -> Option<Programs> {
        let mut extensions = [0u8; 8192];
        let place = extensions.as_mut_ptr().cast();
        check(unsafe { clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 8192, place, null_mut()) });
        if !String::from_utf8_lossy(&extensions).contains("cl_khr_depth_images") {
            skip("programs have no images");
            return None;
        }
        let (text, length) = (SOURCE.as_ptr().cast(), SOURCE.len());
        let program = made(|e| unsafe { clCreateProgramWithSource(context, 1, &text, &length, e) });
        check(unsafe { clBuildProgram(program, 0, null(), null(), None, null_mut()) });
        let queue = made(|e| unsafe { clCreateCommandQueue(context, device, 0, e) });
        let out = made(|e| unsafe { clCreateBuffer(context, 0, 16, null_mut(), e) });
        Some(Programs { context, queue, program, out, kernels: RefCell::default() })
    }

    /// Runs a kernel with an image and another argument.
    fn run<T>(&self, name: &str, image: cl_mem, value: &T) {
        let mut kernels = self.kernels.borrow_mut();
        let kernel = *kernels.entry(name.to_string()).or_insert_with(|| {
            let name = std::ffi::CString::new(name).unwrap();
            made(|e| unsafe { clCreateKernel(self.program, name.as_ptr(), e) })
        });
        let (handle, value) = ((&raw const image).cast(), std::ptr::from_ref(value).cast());
        let (size, queue) = (1, self.queue);
        unsafe {
            check(clSetKernelArg(kernel, 0, size_of::<cl_mem>(), handle));
            check(clSetKernelArg(kernel, 1, size_of::<T>(), value));
            let (waits, none) = (null(), null_mut());
            check(clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, null(), 0, waits, none));
        }
    }

    /// Returns the value that a kernel reads after another kernel wrote `value`.
    fn through(&self, image: cl_mem, (prefix, suffix): (&str, &str), value: [u32; 4]) -> [u32; 4] {
        self.run(&format!("{prefix}w{suffix}"), image, &value);
        self.run(&format!("{prefix}r{suffix}"), image, &self.out);
        let (mut read, queue) = ([0u32; 4], self.queue);
        let place = read.as_mut_ptr().cast();
        check(unsafe {
            clEnqueueReadBuffer(queue, self.out, CL_TRUE, 0, 16, place, 0, null(), null_mut())
        });
        read
    }
}

/// Returns the value that kernels read from an image with this order of channels after (r, g, b, a) was written.
#[allow(non_upper_case_globals)]
fn seen<T: Copy>(order: u32, [r, g, b, a]: [T; 4], zero: T, one: T) -> [T; 4] {
    match order {
        CL_R => [r, zero, zero, one],
        CL_RA => [r, zero, zero, a],
        CL_sRGBA | CL_sBGRA => [r, g, b, a],
        CL_A => [zero, zero, zero, a],
        CL_RG => [r, g, zero, one],
        CL_INTENSITY => [r; 4],
        CL_LUMINANCE => [r, r, r, one],
        CL_RGBA | CL_BGRA | CL_ARGB | CL_ABGR => [r, g, b, a],
        other => panic!("no kernel writes {other:#x}"),
    }
}

fn check_format(programs: &Programs, image: cl_mem, prefix: &str, format: cl_image_format) {
    let order = format.image_channel_order;
    match format.image_channel_data_type {
        CL_SIGNED_INT8 | CL_SIGNED_INT16 | CL_SIGNED_INT32 => {
            let value = [1, -2i32, 3, -100];
            let read = programs.through(image, (prefix, "i"), value.map(|v| v as u32));
            assert_eq!(read.map(|v| v as i32), seen(order, value, 0, 1), "{format:?}");
        }
        CL_UNSIGNED_INT8 | CL_UNSIGNED_INT16 | CL_UNSIGNED_INT32 => {
            let value = [1u32, 2, 3, 200];
            let read = programs.through(image, (prefix, "ui"), value);
            assert_eq!(read, seen(order, value, 0, 1), "{format:?}");
        }
        _ => {
            let value = [0.25f32, 0.5, 0.75, 0.875];
            let read = programs.through(image, (prefix, "f"), value.map(f32::to_bits));
            let expected = seen(order, value, 0.0, 1.0);
            for (read, expected) in read.map(f32::from_bits).into_iter().zip(expected) {
                assert!((read - expected).abs() < 0.004, "{format:?}: {read} for {expected}");
            }
        }
    }
}

#[test]
fn what_kernels_write_is_what_they_read() {
    let devices = devices();
    let context = context_of(&devices[..1]);
    let Some(programs) = Programs::new(devices[0], context) else { return };
    let buffer = made(|e| unsafe { clCreateBuffer(programs.context, 0, 256, null_mut(), e) });
    let of_buffer =
        cl_image_desc { mem_object: buffer, ..desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, [8, 0, 0], 0) };
    for (prefix, given) in [("", desc(CL_MEM_OBJECT_IMAGE2D, [4, 2, 0], 0)), ("b", of_buffer)] {
        let all = formats(context, CL_MEM_READ_WRITE, given.image_type);
        assert!(all.len() > 20);
        for format in all {
            if format.image_channel_order == CL_DEPTH {
                continue;
            }
            let image = image(context, 0, format, &given, null_mut());
            check_format(&programs, image, prefix, format);
            check(unsafe { clReleaseMemObject(image) });
        }
    }
}
