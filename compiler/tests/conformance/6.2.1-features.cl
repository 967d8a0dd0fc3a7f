//! 6.2.1 Features

//# accept: a feature macro that is defined expands to 1
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) {
    out[0] = __opencl_c_int64;
}

//# accept: full profile devices and those with 64-bit pointers define __opencl_c_int64
//# options: -cl-std=CL3.0
//# expect: 1
#ifndef __opencl_c_int64
#error "64-bit integers are not optional"
#endif
kernel void test(global uint *out) {
    out[0] = 1;
}

//# accept: the macro of double precision is 1 where there is double precision
//# options: -cl-std=CL3.0
//# requires: fp64
//# expect: 1 1 8
kernel void test(global uint *out) {
    out[0] = __opencl_c_fp64;
    out[1] = cl_khr_fp64;
    out[2] = sizeof(double);
}

//# accept: neither macro of double precision is defined where there is none
//# options: -cl-std=CL3.0
//# requires: !fp64
//# expect: 1
#if defined(__opencl_c_fp64) || defined(cl_khr_fp64)
#error "defined"
#endif
kernel void test(global uint *out) {
    out[0] = 1;
}

//# accept: features that build on others come with those
//# options: -cl-std=CL3.0
//# expect: 1
#if defined(__opencl_c_3d_image_writes) && !defined(__opencl_c_images)
#error "3D image writes without images"
#endif
#if defined(__opencl_c_read_write_images) && !defined(__opencl_c_images)
#error "read-write images without images"
#endif
#if defined(__opencl_c_pipes) && !defined(__opencl_c_generic_address_space)
#error "pipes without the generic address space"
#endif
#ifdef __opencl_c_device_enqueue
#if !defined(__opencl_c_generic_address_space) || !defined(__opencl_c_program_scope_global_variables)
#error "device enqueue without what it needs"
#endif
#endif
kernel void test(global uint *out) {
    out[0] = 1;
}

//# accept: before OpenCL C 3.0 none is promised
//# options: -cl-std=CL1.2
//# expect: 1
kernel void test(global uint *out) {
#if !defined(__opencl_c_images) || __opencl_c_images
    out[0] = 1;
#endif
}

//# accept: each optional feature that the device lacks has no macro
//# options: -cl-std=CL3.0
//# requires: !images, !subgroups, !device_enqueue
//# expect: 1
#if defined(__opencl_c_images) || defined(__opencl_c_3d_image_writes) || defined(__opencl_c_read_write_images) || \
    defined(__opencl_c_subgroups) || defined(__opencl_c_device_enqueue)
#error
#endif
kernel void test(global uint *out) {
    out[0] = 1;
}

//# reject: a program may insist on a feature
//# options: -cl-std=CL3.0
//# requires: !device_enqueue
//# error: 2: no device-side enqueue
#ifndef __opencl_c_device_enqueue
#error no device-side enqueue
#endif
kernel void test(global uint *out) {}
