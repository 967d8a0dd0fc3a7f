//! 6.15.19 Enqueuing Kernels

//# reject: enqueueing kernels requires __opencl_c_device_enqueue
//# options: -cl-std=CL3.0
//# requires: !device_enqueue
//# error: 2: use of 'enqueue_kernel' requires device-side enqueue which this device does not offer
//# error: 3: use of 'get_default_queue' requires device-side enqueue
//# error: 4: use of 'ndrange_1D' requires device-side enqueue
kernel void test(global uint *out) {
    enqueue_kernel(1, 2, 3, 4);
    get_default_queue();
    ndrange_1D(64);
}

//# reject: so do queries of kernels
//# options: -cl-std=CL3.0
//# requires: !device_enqueue
//# error: 2: use of 'get_kernel_work_group_size' requires device-side enqueue
//# error: 3: use of 'get_kernel_preferred_work_group_size_multiple' requires device-side enqueue
kernel void test(global uint *out) {
    get_kernel_work_group_size(1);
    get_kernel_preferred_work_group_size_multiple(1);
}

//# reject: markers and events
//# options: -cl-std=CL3.0
//# requires: !device_enqueue
//# error: 2: use of 'enqueue_marker' requires device-side enqueue
//# error: 3: use of 'create_user_event' requires device-side enqueue
//# error: 4: use of 'release_event' requires device-side enqueue
//# error: 5: use of 'capture_event_profiling_info' requires device-side enqueue
kernel void test(global uint *out) {
    enqueue_marker(1, 2, 3, 4);
    create_user_event();
    release_event(1);
    capture_event_profiling_info(1, 2, 3);
}

//# reject: the types of queues, events and ranges too
//# options: -cl-std=CL3.0
//# requires: !device_enqueue
//# error: 2: 'queue_t'
//# error: 3: 'clk_event_t'
//# error: 4: 'ndrange_t'
kernel void test(global uint *out) {
    queue_t q;
    clk_event_t e;
    ndrange_t n;
}

//# accept: blocks that are only called need no queue
//# options: -cl-std=CL3.0
//# expect: 6
kernel void test(global uint *out) {
    int (^add)(int) = ^(int x) { return x + 5; };
    out[0] = add(1);
}
