//! The two devices of tests of several devices.

use crate::common::*;
use crate::drivers;
use std::ptr::null_mut;

/// Returns the platform and its first two devices. Where the first driver has one device alone, the second device is
/// another driver's. `None` where there is no second device.
pub fn two_devices() -> Option<(cl_platform_id, [cl_device_id; 2])> {
    let has_another = drivers::add_another();
    let cl = cl();
    let (mut platform, mut count, mut devices) = (null_mut(), 0, [null_mut(); 2]);
    unsafe {
        check((cl.clGetPlatformIDs)(1, &mut platform, null_mut()));
        let (all, list) = (CL_DEVICE_TYPE_ALL, devices.as_mut_ptr());
        check((cl.clGetDeviceIDs)(platform, all, 2, list, &mut count));
    }
    if count < 2 {
        assert!(!has_another, "there is one device alone");
        return None;
    }
    Some((platform, devices))
}
