//! A context of two devices: buffers follow the commands that use them. Runs where both software
//! Vulkan drivers (lavapipe and SwiftShader) are installed.

mod common;
use common::*;
use std::path::Path;
use std::ptr::{null, null_mut};

const DRIVERS: [&str; 2] =
    ["/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "/usr/lib/chromium/vk_swiftshader_icd.json"];

#[test]
fn buffers_move_between_devices() {
    if !DRIVERS.iter().all(|driver| Path::new(driver).exists()) {
        eprintln!("skipped: lavapipe and SwiftShader are not both installed");
        return;
    }
    std::env::set_var("VK_ICD_FILENAMES", DRIVERS.join(":"));
    std::env::set_var("VK_DRIVER_FILES", DRIVERS.join(":"));
    let cl = cl();
    unsafe {
        let (mut platform, mut count) = (null_mut(), 0);
        check((cl.clGetPlatformIDs)(1, &mut platform, null_mut()));
        let mut devices = [null_mut(); 2];
        let (all, list) = (CL_DEVICE_TYPE_ALL, devices.as_mut_ptr());
        check((cl.clGetDeviceIDs)(platform, all, 2, list, &mut count));
        assert_eq!(count, 2);
        let context =
            made(|e| (cl.clCreateContext)(null(), 2, devices.as_ptr(), None, null_mut(), e));
        let queues =
            devices.map(|device| made(|e| (cl.clCreateCommandQueue)(context, device, 0, e)));

        let size = 100_000;
        let mut contents = pattern(size, 1);
        let host = contents.as_mut_ptr().cast();
        let flags = CL_MEM_COPY_HOST_PTR;
        let a = made(|e| (cl.clCreateBuffer)(context, flags, size, host, e));
        let b = made(|e| (cl.clCreateBuffer)(context, 0, size, null_mut(), e));
        // The copy runs on one device, the change on the other, the read on the first again.
        let (mut copied, mut changed) = (null_mut(), null_mut());
        let nothing = null();
        check((cl.clEnqueueCopyBuffer)(queues[1], a, b, 0, 0, size, 0, nothing, &mut copied));
        let pattern = [0xABu8; 4];
        let fill = pattern.as_ptr().cast();
        check((cl.clEnqueueFillBuffer)(queues[0], b, fill, 4, 0, 400, 1, &copied, &mut changed));
        let mut back = vec![0u8; size];
        check((cl.clEnqueueReadBuffer)(
            queues[1],
            b,
            CL_TRUE,
            0,
            size,
            back.as_mut_ptr().cast(),
            1,
            &changed,
            null_mut(),
        ));
        contents[..400].fill(0xAB);
        assert!(back == contents);

        // Mapped on one device, seen on the other.
        let pointer = made(|e| {
            let flags = CL_MAP_READ | CL_MAP_WRITE;
            (cl.clEnqueueMapBuffer)(
                queues[0],
                b,
                CL_TRUE,
                flags,
                1000,
                1000,
                0,
                null(),
                null_mut(),
                e,
            )
        });
        let seen = std::slice::from_raw_parts_mut(pointer.cast::<u8>(), 1000);
        assert_eq!(seen, &contents[1000..2000]);
        seen.fill(7);
        let mut unmapped = null_mut();
        check((cl.clEnqueueUnmapMemObject)(queues[0], b, pointer, 0, null(), &mut unmapped));
        check((cl.clEnqueueReadBuffer)(
            queues[1],
            b,
            CL_TRUE,
            0,
            size,
            back.as_mut_ptr().cast(),
            1,
            &unmapped,
            null_mut(),
        ));
        contents[1000..2000].fill(7);
        assert!(back == contents);
    }
}
