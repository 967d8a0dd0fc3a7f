//! 6.15.21 Kernel Clock Functions

//# reject: they require cl_khr_kernel_clock
//# options: -cl-std=CL3.0
//# requires: !kernel_clock
//# error: 2: use of 'clock_read_device' requires cl_khr_kernel_clock which this device does not offer
//# error: 3: use of 'clock_read_work_group' requires cl_khr_kernel_clock
//# error: 4: use of 'clock_read_hilo_sub_group' requires cl_khr_kernel_clock
kernel void test(global uint *out) {
    clock_read_device();
    clock_read_work_group();
    clock_read_hilo_sub_group();
}

//# accept: where they are not offered the macro is not defined
//# options: -cl-std=CL3.0
//# requires: !kernel_clock
//# expect: 1
kernel void test(global uint *out) {
#ifndef cl_khr_kernel_clock
    out[0] = 1;
#endif
}

//# accept: time goes on, in one number as in two
//# options: -cl-std=CL3.0
//# requires: kernel_clock_scope_device
//# expect: 1 1 1 1 1
kernel void test(global uint *out) {
    ulong first = clock_read_device();
    uint2 words = clock_read_hilo_device();
    ulong second = upsample(words.hi, words.lo);
    ulong third = clock_read_work_group();
    uint2 more = clock_read_hilo_work_group();
    out[0] = first <= second;
    out[1] = second <= third;
    out[2] = third <= upsample(more.hi, more.lo);
    out[3] = cl_khr_kernel_clock;
    out[4] = __opencl_c_kernel_clock_scope_work_group;
}

//# accept: a clock is read anew each time
//# options: -cl-std=CL3.0
//# requires: kernel_clock_scope_device
//# expect: 1
kernel void test(global uint *out) {
    ulong start = clock_read_device(), now;
    uint turns = 0;
    do {
        now = clock_read_device();
        turns++;
    } while (now == start && turns < 10000000);
    out[0] = now != start;
}
