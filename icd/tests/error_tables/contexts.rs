//! Contexts (4.4).

use crate::prelude::*;

unsafe extern "C" fn ignore(
    _: *const std::ffi::c_char,
    _: *const c_void,
    _: usize,
    _: *mut c_void,
) {
}

/// Returns the start of a property list; NULL for an empty one.
fn list(properties: &[isize]) -> *const isize {
    if properties.is_empty() {
        null()
    } else {
        properties.as_ptr()
    }
}

/// Adds the rows of the properties, which both functions take.
fn property_rows(t: &mut Table, w: &World, create: impl Fn(&[isize]) -> cl_int) {
    let platform = CL_CONTEXT_PLATFORM as isize;
    let sync = CL_CONTEXT_INTEROP_USER_SYNC as isize;
    let ours = w.platform as isize;
    t.correct(create(&[platform, ours, 0]));
    t.each(CL_INVALID_PLATFORM, "the platform in properties", w.no_platforms(), |other| {
        create(&[platform, other as isize, 0])
    });
    let no_platform = "the platform in properties is NULL";
    t.row(CL_INVALID_PLATFORM, no_platform, create(&[platform, 0, 0]));
    let unknown = "a property name is not a supported property name";
    t.row(CL_INVALID_PROPERTY, unknown, create(&[0x4242, 1, 0]));
    t.row(CL_INVALID_PROPERTY, unknown, create(&[platform, ours, -1, 1, 0]));
    let bad = "the value of a property is not valid";
    t.row(CL_INVALID_PROPERTY, bad, create(&[sync, 2, 0]));
    let initialize = CL_CONTEXT_MEMORY_INITIALIZE_KHR as isize;
    for kinds in [4, 7, -1] {
        t.row(CL_INVALID_PROPERTY, bad, create(&[initialize, kinds, 0]));
    }
    (0..=3).for_each(|kinds| t.correct(create(&[initialize, kinds, 0])));
    let twice = "the same property name is specified more than once";
    t.row(CL_INVALID_PROPERTY, twice, create(&[platform, ours, platform, ours, 0]));
    t.row(CL_INVALID_PROPERTY, twice, create(&[sync, 1, sync, 1, 0]));
    t.row(CL_INVALID_PROPERTY, twice, create(&[initialize, 1, initialize, 2, 0]));
}

pub fn rows(t: &mut Table, w: &World) {
    create_rows(t, w);
    create_from_type_rows(t, w);

    t.about("clRetainContext");
    t.correct(unsafe { clRetainContext(w.context) });
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| unsafe { clRetainContext(c) });
    t.about("clReleaseContext");
    t.correct(unsafe { clReleaseContext(w.context) });
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| unsafe { clReleaseContext(c) });

    t.about("clGetContextInfo");
    let info = |context, name, size, place| unsafe {
        clGetContextInfo(context, name, size, place, null_mut())
    };
    t.query(CL_CONTEXT_DEVICES, |name, size, place| info(w.context, name, size, place));
    let all = CL_CONTEXT_REFERENCE_COUNT..=CL_CONTEXT_NUM_DEVICES;
    t.answered(all, |name, size, place| info(w.context, name, size, place));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |context| {
        info(context, CL_CONTEXT_DEVICES, 0, null_mut())
    });

    t.about("clSetContextDestructorCallback");
    unsafe extern "C" fn destructor(_: cl_context, _: *mut c_void) {}
    let set = |context, function| unsafe {
        clSetContextDestructorCallback(context, function, null_mut())
    };
    t.correct(set(w.context, Some(destructor)));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| set(c, Some(destructor)));
    t.row(CL_INVALID_VALUE, "pfn_notify is NULL", set(w.context, None));
}

fn create_rows(t: &mut Table, w: &World) {
    t.about("clCreateContext");
    let create = |properties: &[isize], devices: &[cl_device_id], notify, data| {
        let devices_list = if devices.is_empty() { null() } else { devices.as_ptr() };
        let count = devices.len() as u32;
        code(|e| unsafe { clCreateContext(list(properties), count, devices_list, notify, data, e) })
    };
    t.correct(create(&[], &[w.device], None, null_mut()));
    property_rows(t, w, |properties| create(properties, &[w.device], None, null_mut()));
    t.row(CL_INVALID_VALUE, "devices is NULL", {
        code(|e| unsafe { clCreateContext(null(), 1, null(), None, null_mut(), e) })
    });
    t.row(CL_INVALID_VALUE, "num_devices is 0", {
        code(|e| unsafe { clCreateContext(null(), 0, &w.device, None, null_mut(), e) })
    });
    let mut data = 0;
    let data = (&raw mut data).cast();
    t.correct(create(&[], &[w.device], Some(ignore), data));
    let lonely = "pfn_notify is NULL and user_data is not";
    t.row(CL_INVALID_VALUE, lonely, create(&[], &[w.device], None, data));
    t.each(CL_INVALID_DEVICE, "a device", w.no_devices(), |device| {
        create(&[], &[w.device, device], None, null_mut())
    });
}

fn create_from_type_rows(t: &mut Table, w: &World) {
    t.about("clCreateContextFromType");
    let create = |properties: &[isize], kind, notify, data| {
        code(|e| unsafe { clCreateContextFromType(list(properties), kind, notify, data, e) })
    };
    let all = CL_DEVICE_TYPE_ALL;
    t.correct(create(&[], all, None, null_mut()));
    property_rows(t, w, |properties| create(properties, all, None, null_mut()));
    let mut data = 0;
    let data = (&raw mut data).cast();
    t.correct(create(&[], all, Some(ignore), data));
    let lonely = "pfn_notify is NULL and user_data is not";
    t.row(CL_INVALID_VALUE, lonely, create(&[], all, None, data));
    for kind in [0, 1 << 20, CL_DEVICE_TYPE_CPU | 1 << 40] {
        let condition = "device_type is not a valid value";
        t.row(CL_INVALID_DEVICE_TYPE, condition, create(&[], kind, None, null_mut()));
    }
    for kind in [CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CUSTOM] {
        let condition = "no devices that match device_type were found";
        t.row(CL_DEVICE_NOT_FOUND, condition, create(&[], kind, None, null_mut()));
    }
}
