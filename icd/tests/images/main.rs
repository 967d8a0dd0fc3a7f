//! Images and samplers: which can be created, the answers to queries, and that the application and kernels read the
//! right texels.
//!
//! The library is linked, not loaded, so that the tests see where texels are.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod arguments;
#[path = "../common/drivers.rs"]
mod drivers;
mod formats;
mod objects;
#[path = "../../../vk-backend/tests/common/report.rs"]
mod report;

/// The part of other tests' common module that [`drivers`] uses.
mod common {
    pub use crate::report::skip;
}

use hekla::api::*;
use hekla::cl::*;
use hekla::core::device::image_copy;
use hekla::core::memory::image::Image;
use hekla::object::Ref;
use report::skip;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Once;

const RGBA8: cl_image_format =
    cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNORM_INT8 };

fn made<T>(create: impl FnOnce(*mut cl_int) -> *mut T) -> *mut T {
    let mut code = 1;
    let handle = create(&mut code);
    assert_eq!(code, CL_SUCCESS);
    handle
}

fn check(code: cl_int) {
    assert_eq!(code, CL_SUCCESS);
}

/// Returns a context of the driver under test.
fn context() -> cl_context {
    context_of(&devices()[..1])
}

fn context_of(devices: &[cl_device_id]) -> cl_context {
    let (count, list) = (devices.len() as u32, devices.as_ptr());
    made(|e| unsafe { clCreateContext(null(), count, list, None, null_mut(), e) })
}

/// Returns the devices; the first belongs to the driver under test.
fn devices() -> Vec<cl_device_id> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::env::set_var("HEKLA_CACHE", "0");
        drivers::add_another();
    });
    let (mut all, mut count) = ([null_mut(); 8], 0);
    let list = all.as_mut_ptr();
    check(unsafe { clGetDeviceIDs(null_mut(), CL_DEVICE_TYPE_ALL, 8, list, &mut count) });
    let mut all = all[..count as usize].to_vec();
    let weak = std::env::var("VK_DRIVER_FILES").unwrap_or_default();
    let weak = weak.to_lowercase().starts_with("/usr/lib/chromium");
    all.sort_by_key(|device| name(*device).contains("SwiftShader") != weak);
    all
}

fn name(device: cl_device_id) -> String {
    let mut name = [0u8; 256];
    let place = name.as_mut_ptr().cast();
    check(unsafe { clGetDeviceInfo(device, CL_DEVICE_NAME, 256, place, null_mut()) });
    String::from_utf8_lossy(&name).into_owned()
}

fn desc(image_type: cl_mem_object_type, size: [usize; 3], layers: usize) -> cl_image_desc {
    cl_image_desc {
        image_type,
        image_width: size[0],
        image_height: size[1],
        image_depth: size[2],
        image_array_size: layers,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: null_mut(),
    }
}

fn image(
    context: cl_context,
    flags: cl_mem_flags,
    format: cl_image_format,
    desc: &cl_image_desc,
    host: *mut c_void,
) -> cl_mem {
    made(|e| unsafe { clCreateImage(context, flags, &format, desc, host, e) })
}

fn info<T: Copy + Default>(image: cl_mem, name: cl_image_info) -> T {
    let (mut value, mut size) = (T::default(), 0);
    let place = (&raw mut value).cast();
    check(unsafe { clGetImageInfo(image, name, size_of::<T>(), place, &mut size) });
    assert_eq!(size, size_of::<T>());
    value
}

fn mem_info<T: Copy + Default>(mem: cl_mem, name: cl_mem_info) -> T {
    let mut value = T::default();
    let place = (&raw mut value).cast();
    check(unsafe { clGetMemObjectInfo(mem, name, size_of::<T>(), place, null_mut()) });
    value
}

/// Returns the texels of an image on a device of its context, closely packed.
fn texels_on(image: cl_mem, device: usize) -> Vec<u8> {
    let image = Ref::<Image>::from_handle(image).unwrap();
    let texels = image.on_device(device).unwrap();
    let mut all = Vec::new();
    for part in image_copy::parts_of_image(&texels) {
        let mut bytes = vec![0; image_copy::size_of(&texels, part) as usize];
        image.context.gpus[device].read_image(&texels, part, &mut bytes).unwrap();
        all.extend(bytes);
    }
    all
}

fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|i| (i * 7 + i / 251) as u8).collect()
}

fn formats(context: cl_context, flags: u64, image_type: u32) -> Vec<cl_image_format> {
    let mut count = 0;
    let get = clGetSupportedImageFormats;
    check(unsafe { get(context, flags, image_type, 0, null_mut(), &mut count) });
    let mut all = vec![RGBA8; count as usize];
    if count > 0 {
        check(unsafe { get(context, flags, image_type, count, all.as_mut_ptr(), null_mut()) });
    }
    all
}
