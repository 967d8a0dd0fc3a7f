//! Devices (4.2, 4.3): enumeration, queries, timers, partitioning.

use crate::prelude::*;

pub fn rows(t: &mut Table, w: &World) {
    t.about("clGetDeviceIDs");
    let find = |platform, kind, room, list, count| unsafe {
        clGetDeviceIDs(platform, kind, room, list, count)
    };
    t.list(|room, list, count| find(w.platform, CL_DEVICE_TYPE_ALL, room, list, count));
    let count_of = |platform, kind| find(platform, kind, 0, null_mut(), &mut 0);
    t.each(CL_INVALID_PLATFORM, "platform", w.no_platforms(), |platform| {
        count_of(platform, CL_DEVICE_TYPE_ALL)
    });
    let no_type = "device_type is not a valid value";
    for kind in [0, 1 << 20, 1 << 40, CL_DEVICE_TYPE_CPU | 1 << 20] {
        t.row(CL_INVALID_DEVICE_TYPE, no_type, count_of(w.platform, kind));
    }
    let not_found = "no devices that matched device_type were found";
    for kind in [CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CUSTOM] {
        t.row(CL_DEVICE_NOT_FOUND, not_found, count_of(w.platform, kind));
    }

    t.about("clGetDeviceInfo");
    let info = |device, name, size, place| unsafe {
        clGetDeviceInfo(device, name, size, place, null_mut())
    };
    t.query(CL_DEVICE_NAME, |name, size, place| info(w.device, name, size, place));
    t.each(CL_INVALID_DEVICE, "device", w.no_devices(), |device| {
        info(device, CL_DEVICE_NAME, 0, null_mut())
    });

    timers(t, w);
    sub_devices(t, w);
    matrices(t, w);

    t.about("clRetainDevice");
    t.correct(unsafe { clRetainDevice(w.device) });
    t.each(CL_INVALID_DEVICE, "device", w.no_devices(), |device| unsafe { clRetainDevice(device) });
    t.about("clReleaseDevice");
    t.correct(unsafe { clReleaseDevice(w.device) });
    t.each(CL_INVALID_DEVICE, "device", w.no_devices(), |device| unsafe {
        clReleaseDevice(device)
    });
}

fn timers(t: &mut Table, w: &World) {
    let (mut device_time, mut host_time) = (0, 0);
    let (on_device, on_host) = (&raw mut device_time, &raw mut host_time);
    t.about("clGetDeviceAndHostTimer");
    let both =
        |device, on_device, on_host| unsafe { clGetDeviceAndHostTimer(device, on_device, on_host) };
    t.correct(both(w.device, on_device, on_host));
    t.each(CL_INVALID_DEVICE, "device", w.no_devices(), |device| both(device, on_device, on_host));
    t.row(CL_INVALID_VALUE, "device_timestamp is NULL", both(w.device, null_mut(), on_host));
    t.row(CL_INVALID_VALUE, "host_timestamp is NULL", both(w.device, on_device, null_mut()));

    t.about("clGetHostTimer");
    let host = |device, on_host| unsafe { clGetHostTimer(device, on_host) };
    t.correct(host(w.device, on_host));
    t.each(CL_INVALID_DEVICE, "device", w.no_devices(), |device| host(device, on_host));
    t.row(CL_INVALID_VALUE, "host_timestamp is NULL", host(w.device, null_mut()));
}

/// No device can be partitioned: every scheme is a value that is valid and not supported.
fn sub_devices(t: &mut Table, w: &World) {
    t.about("clCreateSubDevices");
    let create = |device, properties: &[isize]| unsafe {
        let mut devices = [null_mut(); 4];
        let properties = if properties.is_empty() { null() } else { properties.as_ptr() };
        clCreateSubDevices(device, properties, 4, devices.as_mut_ptr(), null_mut())
    };
    let equally = [CL_DEVICE_PARTITION_EQUALLY, 1, 0];
    t.each(CL_INVALID_DEVICE, "in_device", w.no_devices(), |device| create(device, &equally));
    t.row(CL_INVALID_VALUE, "properties is NULL", create(w.device, &[]));
    t.row(CL_INVALID_VALUE, "properties has no scheme", create(w.device, &[0]));
    t.row(CL_INVALID_VALUE, "properties has no valid scheme", create(w.device, &[0x1234, 1, 0]));
    let unsupported = "properties are valid but not supported by in_device";
    let by_counts =
        [CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0];
    let domain = CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE as isize;
    let by_domain = [CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, domain, 0];
    for properties in [&equally[..], &by_counts, &by_domain] {
        t.row(CL_INVALID_VALUE, unsupported, create(w.device, properties));
    }
}

/// Products of cooperative matrices (cl_khr_cooperative_matrix).
fn matrices(t: &mut Table, w: &World) {
    t.about("clGetDeviceCooperativeMatrixInfoKHR");
    let size: cl_uint = 32;
    let ask = |device, name, given, input: *const c_void, room, place| unsafe {
        let function = clGetDeviceCooperativeMatrixInfoKHR;
        function(device, name, given, input, room, place, null_mut())
    };
    let all = CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR;
    t.each(CL_INVALID_DEVICE, "device", w.no_devices(), |device| {
        ask(device, all, 0, null(), 0, null_mut())
    });
    let found = ask(w.device, all, 0, null(), 0, null_mut());
    if found != CL_SUCCESS {
        return t.row(CL_INVALID_OPERATION, "device does not support the extension", found);
    }
    t.query(all, |name, room, place| ask(w.device, name, 0, null(), room, place));
    let by_size = CL_DEVICE_COOPERATIVE_MATRIX_SUB_GROUP_VARIANTS_KHR;
    let ask = |given, input| ask(w.device, by_size, given, input, 0, null_mut());
    let place: *const c_void = (&raw const size).cast();
    t.correct(ask(size_of::<cl_uint>(), place));
    t.row(CL_INVALID_VALUE, "input_value is NULL", ask(size_of::<cl_uint>(), null()));
    for given in [0, 2, 8] {
        t.row(CL_INVALID_VALUE, "input_value_size is not that of the type", ask(given, place));
    }
}
