//! 6.12.1 Preprocessor Directives for Optional Extensions

//# accept: a supported extension is enabled and disabled
//# requires: cl_khr_global_int32_base_atomics
//# expect: 1
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : disable
kernel void test(global uint *out) { out[0] = 1; }

//# accept: double is enabled where there is double
//# requires: fp64
//# expect: 8
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void test(global uint *out) { out[0] = sizeof(double); }

//# accept: a pragma may stand between statements
//# requires: cl_khr_local_int32_base_atomics
//# expect: 1
kernel void test(global uint *out) {
    #pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : enable
    out[0] = 1;
    #pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : disable
}

//# accept: all extensions are disabled
//# expect: 1
#pragma OPENCL EXTENSION all : disable
kernel void test(global uint *out) { out[0] = 1; }

//# accept: enabling what is not supported is reported
//# warn: 1: unsupported OpenCL extension 'cl_vendor_wonder' - ignoring
//# expect: 1
#pragma OPENCL EXTENSION cl_vendor_wonder : enable
kernel void test(global uint *out) { out[0] = 1; }

//# accept: disabling it too
//# warn: 1: unsupported OpenCL extension 'cl_vendor_wonder' - ignoring
//# expect: 1
#pragma OPENCL EXTENSION cl_vendor_wonder : disable
kernel void test(global uint *out) { out[0] = 1; }

//# accept: all extensions cannot be enabled
//# warn: 1: expected 'disable' - ignoring
//# expect: 1
#pragma OPENCL EXTENSION all : enable
kernel void test(global uint *out) { out[0] = 1; }

//# accept: double without double is reported
//# requires: !fp64
//# warn: 1: unsupported OpenCL extension 'cl_khr_fp64' - ignoring
//# expect: 1
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void test(global uint *out) { out[0] = 1; }

//# accept: the directive has a name, a colon and a behaviour
//# warn: 1: expected 'name : behavior' in '#pragma OPENCL EXTENSION' - ignoring
//# expect: 1
#pragma OPENCL EXTENSION cl_khr_fp64
kernel void test(global uint *out) { out[0] = 1; }

//# accept: the behaviour is one that is known
//# warn: 1: expected 'enable', 'disable', 'begin' or 'end' - ignoring
//# expect: 1
#pragma OPENCL EXTENSION all : sometimes
kernel void test(global uint *out) { out[0] = 1; }

//# accept: every supported extension defines a macro of its name
//# requires: cl_khr_byte_addressable_store, cl_khr_global_int32_base_atomics, cl_khr_local_int32_extended_atomics
//# expect: 1 1 1
kernel void test(global uint *out) {
#ifdef cl_khr_byte_addressable_store
    out[0] = cl_khr_byte_addressable_store;
#endif
#ifdef cl_khr_global_int32_base_atomics
    out[1] = cl_khr_global_int32_base_atomics;
#endif
#ifdef cl_khr_local_int32_extended_atomics
    out[2] = cl_khr_local_int32_extended_atomics;
#endif
}

//# accept: cl_khr_fp64 is defined where there is double, before anything enables it
//# requires: fp64
//# expect: 1
kernel void test(global uint *out) { out[0] = cl_khr_fp64; }

//# accept: an extension that is not supported defines nothing
//# requires: !cl_khr_3d_image_writes
//# expect: 1
kernel void test(global uint *out) {
#ifndef cl_khr_3d_image_writes
    out[0] = 1;
#endif
}

//# accept: a program that tests first never meets what is missing
//# requires: !cl_khr_fp16
//# expect: 2
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef half real;
#else
typedef float real;
#endif
kernel void test(global uint *out) {
    real x = 2;
    out[0] = x;
}

//# reject: what an extension brings is not there without it
//# requires: !cl_khr_fp16
//# error: 3: declaring variable of type 'half' is not allowed
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void test(global uint *out) {
    half h;
}

//# reject: a program may make the absence of an extension an error
//# requires: !subgroups
//# error: 2: sub-groups are needed
#ifndef cl_khr_subgroups
#error sub-groups are needed
#endif
kernel void test(global uint *out) {}
