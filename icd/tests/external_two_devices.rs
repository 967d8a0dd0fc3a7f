//! Memory of another Vulkan device in a context of two devices: one has it, the other gets copies.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
#[path = "common/drivers.rs"]
mod drivers;
#[path = "common/pair.rs"]
mod pair;
#[path = "common/vulkan.rs"]
#[allow(dead_code)]
mod vulkan;
use common::*;
use std::ptr::{null, null_mut};
use vulkan::{Sync, Vulkan};

const EXTENSION: &str = "cl_khr_external_memory_opaque_fd";
const SIZE: [usize; 2] = [50, 20];
const TEXEL: usize = 4;
const PITCH: usize = 60 * TEXEL;

type HandOver = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *const cl_mem,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

/// The device that has the memory acquires and releases an image of it; in between kernels of both devices write the image.
#[test]
fn imported_images_move_between_devices() {
    let Some((platform, devices)) = pair::two_devices() else { return };
    let cl = cl();
    let context =
        made(|e| unsafe { (cl.clCreateContext)(null(), 2, devices.as_ptr(), None, null_mut(), e) });
    let setups = devices.map(|device| {
        let queue = made(|e| unsafe { (cl.clCreateCommandQueue)(context, device, 0, e) });
        Setup { cl, platform, device, context, queue }
    });
    let Some(home) = setups.iter().position(|s| s.offers(EXTENSION)) else {
        skip(format!("{EXTENSION} is not offered"));
        return;
    };
    let (own, other) = (&setups[home], &setups[1 - home]);
    let uuid: [u8; 16] =
        value(|z, p, r| unsafe { (cl.clGetDeviceInfo)(own.device, CL_DEVICE_UUID, z, p, r) });
    let Some(vulkan) = Vulkan::new(uuid) else { return };
    let [width, height] = SIZE;
    let shared = vulkan.share((PITCH * height) as u64);
    let mut expected = pattern(PITCH * height, 1);
    vulkan.write(&shared, &expected, Sync::default());

    let handle = u64::from(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR);
    let list = u64::from(CL_MEM_DEVICE_HANDLE_LIST_KHR);
    let properties = [handle, shared.fd as u64, list, own.device as u64, 0, 0];
    let format =
        cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT8 };
    let desc = cl_image_desc {
        image_type: CL_MEM_OBJECT_IMAGE2D,
        image_width: width,
        image_height: height,
        image_depth: 1,
        image_array_size: 0,
        image_row_pitch: PITCH,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: null_mut(),
    };
    let image = made(|e| unsafe {
        let list = properties.as_ptr();
        (cl.clCreateImageWithProperties)(context, list, 0, &format, &desc, null_mut(), e)
    });
    // SwiftShader has no images that one kernel reads and writes.
    let plain = cl_image_desc { image_row_pitch: 0, ..desc };
    let sum = made(|e| unsafe { (cl.clCreateImage)(context, 0, &format, &plain, null_mut(), e) });
    let source = "kernel void add(read_only image2d_t a, write_only image2d_t b, uint n) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imageui(b, at, (read_imageui(a, at) + n) & 255);
    }";
    let kernel = own.kernel(own.program(source, ""), "add");
    let acquire: HandOver = own.extension(c"clEnqueueAcquireExternalMemObjectsKHR");
    let release: HandOver = own.extension(c"clEnqueueReleaseExternalMemObjectsKHR");
    unsafe {
        let call = |f: HandOver, s: &Setup| f(s.queue, 1, &image, 0, null(), null_mut());
        // The import did not name the other device.
        assert_eq!(call(acquire, other), CL_INVALID_COMMAND_QUEUE);
        check(call(acquire, own));
        own.finish();
        for (s, n) in [(own, 1u32), (other, 2), (own, 4), (other, 8)] {
            s.set(kernel, 0, &image);
            s.set(kernel, 1, &sum);
            s.set(kernel, 2, &n);
            check(s.launch(kernel, &SIZE, None));
            let (origin, size) = ([0; 3], [width, height, 1]);
            let (origin, size) = (origin.as_ptr(), size.as_ptr());
            check((cl.clEnqueueCopyImage)(
                s.queue,
                sum,
                image,
                origin,
                origin,
                size,
                0,
                null(),
                null_mut(),
            ));
            s.finish();
        }
        check(call(release, own));
        own.finish();
        check((cl.clReleaseMemObject)(image));
    }
    for row in expected.chunks_mut(PITCH) {
        row[..width * TEXEL].iter_mut().for_each(|byte| *byte = byte.wrapping_add(15));
    }
    assert!(vulkan.read(&shared, None) == expected);
}
