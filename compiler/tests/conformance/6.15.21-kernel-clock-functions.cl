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
