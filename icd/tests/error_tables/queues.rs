//! Command queues (5.1), flush and finish (5.15). No device has device queues.

use crate::prelude::*;

const ON_DEVICE: u64 = CL_QUEUE_ON_DEVICE;
const OUT_OF_ORDER: u64 = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

pub fn rows(t: &mut Table, w: &World) {
    create_rows(t, w);
    create_old_rows(t, w);

    t.about("clSetDefaultDeviceCommandQueue");
    let set =
        |context, device, queue| unsafe { clSetDefaultDeviceCommandQueue(context, device, queue) };
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| set(c, w.device, w.queue));
    t.each(CL_INVALID_DEVICE, "device", w.no_devices(), |d| set(w.context, d, w.queue));
    if let Some(stranger) = w.stranger {
        let condition = "device is not associated with context";
        t.row(CL_INVALID_DEVICE, condition, set(w.context, stranger, w.queue));
    }
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        set(w.context, w.device, queue)
    });
    let condition = "command_queue is a queue of the host";
    t.row(CL_INVALID_COMMAND_QUEUE, condition, set(w.context, w.device, w.queue));

    t.about("clGetCommandQueueInfo");
    let info = |queue, name, size, place| unsafe {
        clGetCommandQueueInfo(queue, name, size, place, null_mut())
    };
    t.query(CL_QUEUE_CONTEXT, |name, size, place| info(w.queue, name, size, place));
    let all = (CL_QUEUE_CONTEXT..=CL_QUEUE_PROPERTIES)
        .chain([CL_QUEUE_DEVICE_DEFAULT, CL_QUEUE_PROPERTIES_ARRAY]);
    t.answered(all, |name, size, place| info(w.queue, name, size, place));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        info(queue, CL_QUEUE_CONTEXT, 0, null_mut())
    });
    let condition = "command_queue is not a valid command-queue for param_name";
    t.row(CL_INVALID_COMMAND_QUEUE, condition, info(w.queue, CL_QUEUE_SIZE, 0, null_mut()));

    t.about("clSetCommandQueueProperty");
    let set = |queue| unsafe {
        clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, null_mut())
    };
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), set);
    let condition = "no device supports modifying the properties of a command-queue";
    t.row(CL_INVALID_OPERATION, condition, set(w.queue));

    type Simple = unsafe extern "C" fn(cl_command_queue) -> cl_int;
    let simple: [(&str, Simple); 4] = [
        ("clRetainCommandQueue", clRetainCommandQueue),
        ("clReleaseCommandQueue", clReleaseCommandQueue),
        ("clFlush", clFlush),
        ("clFinish", clFinish),
    ];
    for (name, function) in simple {
        t.about(name);
        t.correct(unsafe { function(w.queue) });
        t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| unsafe {
            function(queue)
        });
    }
}

fn create_rows(t: &mut Table, w: &World) {
    t.about("clCreateCommandQueueWithProperties");
    let create = |context, device, list: &[u64]| {
        let list = if list.is_empty() { null() } else { list.as_ptr() };
        code(|e| unsafe { clCreateCommandQueueWithProperties(context, device, list, e) })
    };
    let with = |list: &[u64]| create(w.context, w.device, list);
    let bits = u64::from(CL_QUEUE_PROPERTIES);
    let size = u64::from(CL_QUEUE_SIZE);
    t.correct(with(&[]));
    t.correct(with(&[0]));
    t.correct(with(&[bits, CL_QUEUE_PROFILING_ENABLE, 0]));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| create(c, w.device, &[]));
    t.each(CL_INVALID_DEVICE, "device", w.no_devices(), |d| create(w.context, d, &[]));
    if let Some(stranger) = w.stranger {
        let condition = "device is not associated with context";
        t.row(CL_INVALID_DEVICE, condition, create(w.context, stranger, &[]));
    }
    let value = CL_INVALID_VALUE;
    t.row(value, "a property name is not valid", with(&[0x4242, 1, 0]));
    t.row(value, "a bit of CL_QUEUE_PROPERTIES is not valid", with(&[bits, 1 << 30, 0]));
    t.row(value, "a device queue is in order", with(&[bits, ON_DEVICE, 0]));
    let condition = "a queue of the host is to be the default device queue";
    t.row(value, condition, with(&[bits, CL_QUEUE_ON_DEVICE_DEFAULT, 0]));
    t.row(value, "CL_QUEUE_SIZE is for device queues only", with(&[size, 4096, 0]));
    let unsupported = CL_INVALID_QUEUE_PROPERTIES;
    t.correct(with(&[bits, ON_DEVICE | OUT_OF_ORDER, 0]));
    t.correct(with(&[bits, ON_DEVICE | OUT_OF_ORDER, size, 4096, 0]));
    t.correct(with(&[size, 4096, bits, ON_DEVICE | OUT_OF_ORDER, 0]));
    let condition = "a device queue is larger than CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE";
    t.row(unsupported, condition, with(&[bits, ON_DEVICE | OUT_OF_ORDER, size, 1 << 40, 0]));
}

fn create_old_rows(t: &mut Table, w: &World) {
    t.about("clCreateCommandQueue");
    let create = |context, device, properties| {
        code(|e| unsafe { clCreateCommandQueue(context, device, properties, e) })
    };
    t.correct(create(w.context, w.device, CL_QUEUE_PROFILING_ENABLE));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| create(c, w.device, 0));
    t.each(CL_INVALID_DEVICE, "device", w.no_devices(), |d| create(w.context, d, 0));
    if let Some(stranger) = w.stranger {
        let condition = "device is not associated with context";
        t.row(CL_INVALID_DEVICE, condition, create(w.context, stranger, 0));
    }
    for bits in [1 << 30, ON_DEVICE, ON_DEVICE | OUT_OF_ORDER, CL_QUEUE_ON_DEVICE_DEFAULT] {
        let condition = "properties are not valid for this function";
        t.row(CL_INVALID_VALUE, condition, create(w.context, w.device, bits));
    }
}
