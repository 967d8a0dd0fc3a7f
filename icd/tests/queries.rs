//! Platform, device, context and queue queries through the loader.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ptr::{null, null_mut};

#[test]
fn the_platform_says_who_it_is() {
    let s = Setup::new();
    let info =
        |name| text(move |z, p, r| unsafe { (s.cl.clGetPlatformInfo)(s.platform, name, z, p, r) });
    assert_eq!(info(CL_PLATFORM_NAME), "Hekla");
    assert!(info(CL_PLATFORM_VERSION).starts_with("OpenCL 3.1 Hekla "));
    assert_eq!(info(CL_PLATFORM_PROFILE), "FULL_PROFILE");
    let extensions = info(CL_PLATFORM_EXTENSIONS);
    let lists = |name: &str| extensions.split(' ').any(|listed| listed == name);
    assert!(lists("cl_khr_icd") && lists("cl_khr_icd_unloadable"));
    let of_device =
        text(|z, p, r| unsafe { (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_EXTENSIONS, z, p, r) });
    // There is one device, so the platform lists the extensions of this device.
    for name in of_device.split(' ') {
        assert!(lists(name), "{name}");
        assert_eq!(extensions.split(' ').filter(|listed| *listed == name).count(), 1, "{name}");
    }
    let versions = bytes(|z, p, r| unsafe {
        (s.cl.clGetPlatformInfo)(s.platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, z, p, r)
    });
    let entries = versions.len() / size_of::<cl_name_version>();
    assert_eq!(entries, extensions.split(' ').count());
    let version: u32 = value(|z, p, r| unsafe {
        (s.cl.clGetPlatformInfo)(s.platform, CL_PLATFORM_NUMERIC_VERSION, z, p, r)
    });
    assert_eq!(version, 3 << 22 | 1 << 12);
}

#[test]
fn every_device_query_answers() {
    let s = Setup::new();
    let skipped = [0x1033, 0x105F];
    let newest = [0x1073, 0x1074, 0x1075, 0x12B9, 0x12BA, 0x12BB];
    for name in (0x1000..=0x1072).chain(newest).filter(|name| !skipped.contains(name)) {
        let (mut size, mut room) = (usize::MAX, [0u8; 16384]);
        let code = unsafe {
            (s.cl.clGetDeviceInfo)(s.device, name, room.len(), room.as_mut_ptr().cast(), &mut size)
        };
        assert_eq!(code, CL_SUCCESS, "{name:#x}");
        assert!(size <= room.len(), "{name:#x}");
    }
    let code = unsafe { (s.cl.clGetDeviceInfo)(s.device, 0x7777, 0, null_mut(), null_mut()) };
    assert_eq!(code, CL_INVALID_VALUE);
}

/// Clients use the version as a key for cached binaries, and must not load binaries of another driver; BOINC has room
/// for 32 bytes.
#[test]
fn the_driver_version_names_the_vulkan_driver_in_32_bytes() {
    let s = Setup::new();
    let info = s.cl.clGetDeviceInfo;
    let version = text(|z, p, r| unsafe { (info)(s.device, CL_DRIVER_VERSION, z, p, r) });
    assert!(version.starts_with(env!("CARGO_PKG_VERSION")), "{version}");
    let uuid = bytes(|z, p, r| unsafe { (info)(s.device, CL_DEVICE_UUID, z, p, r) });
    let all = hekla_vk_backend::Instance::load().unwrap().physical_devices();
    let device = all.iter().find(|p| p.info.device_uuid[..] == uuid).expect("the same device");
    let driver = match device.info.driver_info.is_empty() {
        true => format!("{:#x}", device.info.driver_version),
        false => device.info.driver_info.clone(),
    };
    let start: String = driver.chars().take(12).collect();
    assert!(version.contains(&start), "{version} has no {start}");
    assert!(version.len() < 32, "{version}");
}

#[test]
fn extension_lists_agree() {
    let s = Setup::new();
    let names =
        text(|z, p, r| unsafe { (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_EXTENSIONS, z, p, r) });
    let versioned = bytes(|z, p, r| unsafe {
        (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_EXTENSIONS_WITH_VERSION, z, p, r)
    });
    let with_version: Vec<String> = versioned
        .chunks(68)
        .map(|entry| {
            let name = &entry[4..];
            let end = name.iter().position(|b| *b == 0).unwrap();
            String::from_utf8(name[..end].to_vec()).unwrap()
        })
        .collect();
    assert_eq!(names.split(' ').collect::<Vec<_>>(), with_version);
}

#[test]
fn wrong_device_types_are_told_apart() {
    let s = Setup::new();
    let find = |kind| unsafe {
        let mut count = 77;
        let code = (s.cl.clGetDeviceIDs)(s.platform, kind, 0, null_mut(), &mut count);
        (code, count)
    };
    assert_eq!(find(1 << 20).0, CL_INVALID_DEVICE_TYPE);
    assert_eq!(find(CL_DEVICE_TYPE_ACCELERATOR), (CL_DEVICE_NOT_FOUND, 0));
    assert_eq!(find(CL_DEVICE_TYPE_DEFAULT), (CL_SUCCESS, 1));
    unsafe {
        let code = (s.cl.clGetDeviceIDs)(s.platform, CL_DEVICE_TYPE_ALL, 0, null_mut(), null_mut());
        assert_eq!(code, CL_INVALID_VALUE);
        let mut device = null_mut();
        let code =
            (s.cl.clGetDeviceIDs)(s.platform, CL_DEVICE_TYPE_ALL, 0, &mut device, null_mut());
        assert_eq!(code, CL_INVALID_VALUE);
        let by_counts = [CL_DEVICE_PARTITION_EQUALLY, 1, 0];
        let code =
            (s.cl.clCreateSubDevices)(s.device, by_counts.as_ptr(), 0, null_mut(), null_mut());
        assert_eq!(code, CL_INVALID_VALUE);
    }
}

#[test]
fn contexts_report_and_check_their_properties() {
    let s = Setup::new();
    let good = [CL_CONTEXT_PLATFORM as isize, s.platform as isize, 0];
    let context = made(|e| unsafe {
        (s.cl.clCreateContext)(good.as_ptr(), 1, &s.device, None, null_mut(), e)
    });
    let info = |name| bytes(|z, p, r| unsafe { (s.cl.clGetContextInfo)(context, name, z, p, r) });
    assert_eq!(info(CL_CONTEXT_PROPERTIES).len(), 24);
    assert_eq!(info(CL_CONTEXT_DEVICES), (s.device as usize).to_ne_bytes());
    assert_eq!(info(CL_CONTEXT_REFERENCE_COUNT), 1u32.to_ne_bytes());
    unsafe {
        check((s.cl.clRetainContext)(context));
        assert_eq!(info(CL_CONTEXT_REFERENCE_COUNT), 2u32.to_ne_bytes());
        check((s.cl.clReleaseContext)(context));
        check((s.cl.clReleaseContext)(context));

        let unknown = [0x9999, 1, 0];
        let code = refused(|e| {
            (s.cl.clCreateContext)(unknown.as_ptr(), 1, &s.device, None, null_mut(), e)
        });
        assert_eq!(code, CL_INVALID_PROPERTY);
        let code = refused(|e| (s.cl.clCreateContext)(null(), 0, &s.device, None, null_mut(), e));
        assert_eq!(code, CL_INVALID_VALUE);
        let context = made(|e| {
            (s.cl.clCreateContextFromType)(
                good.as_ptr(),
                CL_DEVICE_TYPE_DEFAULT,
                None,
                null_mut(),
                e,
            )
        });
        check((s.cl.clReleaseContext)(context));
    }
}

#[test]
fn a_context_lives_while_its_objects_do() {
    let s = Setup::new();
    unsafe {
        let context = made(|e| (s.cl.clCreateContext)(null(), 1, &s.device, None, null_mut(), e));
        let mem = made(|e| (s.cl.clCreateBuffer)(context, 0, 64, null_mut(), e));
        check((s.cl.clReleaseContext)(context));
        let again: cl_context =
            value(|z, p, r| (s.cl.clGetMemObjectInfo)(mem, CL_MEM_CONTEXT, z, p, r));
        assert_eq!(again, context);
        check((s.cl.clRetainContext)(again));
        check((s.cl.clReleaseMemObject)(mem));
        check((s.cl.clReleaseContext)(again));
    }
}

#[test]
fn queues_report_and_check_their_properties() {
    let s = Setup::new();
    let create = |list: &[u64]| {
        let mut code = 1;
        let queue = unsafe {
            (s.cl.clCreateCommandQueueWithProperties)(s.context, s.device, list.as_ptr(), &mut code)
        };
        (code, queue)
    };
    let properties = u64::from(CL_QUEUE_PROPERTIES);
    assert_eq!(create(&[properties, 1 << 30, 0]).0, CL_INVALID_VALUE);
    assert_eq!(create(&[0x4242, 1, 0]).0, CL_INVALID_VALUE);
    let on_device = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE;
    let (code, queue) = create(&[properties, on_device, u64::from(CL_QUEUE_SIZE), 1 << 16, 0]);
    check(code);
    let info =
        |name| bytes(|z, p, r| unsafe { (s.cl.clGetCommandQueueInfo)(queue, name, z, p, r) });
    assert_eq!(info(CL_QUEUE_SIZE), (1u32 << 16).to_ne_bytes());
    assert_eq!(info(CL_QUEUE_DEVICE_DEFAULT), 0usize.to_ne_bytes());
    // The application cannot enqueue to a device queue.
    let no_queue = unsafe { (s.cl.clFinish)(queue) };
    assert_eq!(no_queue, CL_INVALID_COMMAND_QUEUE);
    check(unsafe { (s.cl.clReleaseCommandQueue)(queue) });
    let (size, throttle) = (u64::from(CL_QUEUE_SIZE), u64::from(CL_QUEUE_THROTTLE_KHR));
    let priority = u64::from(CL_QUEUE_PRIORITY_KHR);
    assert_eq!(create(&[size, 64, 0]).0, CL_INVALID_VALUE);
    let too_large = create(&[size, 1 << 40, properties, on_device, 0]).0;
    assert_eq!(too_large, CL_INVALID_QUEUE_PROPERTIES);
    let priorities =
        [CL_QUEUE_PRIORITY_LOW_KHR, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_HIGH_KHR];
    let throttles =
        [CL_QUEUE_THROTTLE_LOW_KHR, CL_QUEUE_THROTTLE_MED_KHR, CL_QUEUE_THROTTLE_HIGH_KHR];
    let hints = priorities.map(|hint| (priority, hint)).into_iter();
    for (name, hint) in hints.chain(throttles.map(|hint| (throttle, hint))) {
        let (code, queue) = create(&[name, hint.into(), properties, 0, 0]);
        check(code);
        unsafe {
            check((s.cl.clEnqueueMarkerWithWaitList)(queue, 0, null(), null_mut()));
            check((s.cl.clFinish)(queue));
            check((s.cl.clReleaseCommandQueue)(queue));
        }
        let on_device = create(&[name, hint.into(), properties, on_device, 0]).0;
        assert_eq!(on_device, CL_INVALID_QUEUE_PROPERTIES);
    }
    for not_one in [0, 3, 8, 1 << 32] {
        assert_eq!(create(&[priority, not_one, 0]).0, CL_INVALID_VALUE);
        assert_eq!(create(&[throttle, not_one, 0]).0, CL_INVALID_VALUE);
    }
    let (code, queue) = create(&[properties, CL_QUEUE_PROFILING_ENABLE, 0]);
    check(code);
    let info =
        |name| bytes(|z, p, r| unsafe { (s.cl.clGetCommandQueueInfo)(queue, name, z, p, r) });
    assert_eq!(info(CL_QUEUE_PROPERTIES), CL_QUEUE_PROFILING_ENABLE.to_ne_bytes());
    assert_eq!(info(CL_QUEUE_PROPERTIES_ARRAY).len(), 24);
    assert_eq!(info(CL_QUEUE_DEVICE), (s.device as usize).to_ne_bytes());
    assert_eq!(info(CL_QUEUE_CONTEXT), (s.context as usize).to_ne_bytes());
    check(unsafe { (s.cl.clReleaseCommandQueue)(queue) });
}

#[test]
fn functions_of_extensions_are_found() {
    let s = Setup::new();
    let find = |name: &std::ffi::CStr| unsafe {
        (s.cl.clGetExtensionFunctionAddressForPlatform)(s.platform, name.as_ptr())
    };
    assert!(!find(c"clCreateCommandQueueWithPropertiesKHR").is_null());
    assert!(!find(c"clGetKernelSuggestedLocalWorkSizeKHR").is_null());
    assert!(find(c"clNoSuchFunctionKHR").is_null());
}
