//! 6.2.2 Extensions

//# accept: an extension that is supported has its macro, which is 1
//# expect: 1 1 1 1 1
kernel void test(global uint *out) {
    out[0] = cl_khr_byte_addressable_store;
    out[1] = cl_khr_global_int32_base_atomics;
    out[2] = cl_khr_global_int32_extended_atomics;
    out[3] = cl_khr_local_int32_base_atomics;
    out[4] = cl_khr_local_int32_extended_atomics;
}

//# accept: what began as an extension has its extension macro in OpenCL C 3.0 too
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) {
    out[0] = cl_khr_byte_addressable_store;
}

//# accept: what is not supported has no macro
//# requires: !images, !subgroups
//# expect: 1
#if defined(cl_khr_3d_image_writes) || defined(cl_khr_subgroups) || defined(cl_khr_mipmap_image)
#error
#endif
kernel void test(global uint *out) {
    out[0] = 1;
}

//# reject: a program may insist on an extension
//# requires: !images
//# error: 2: no writes to images
#ifndef cl_khr_3d_image_writes
#error no writes to images
#endif
kernel void test(global uint *out) {}
