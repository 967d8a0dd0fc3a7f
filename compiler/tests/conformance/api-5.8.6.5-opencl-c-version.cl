//! API 5.8.6.5 Options Controlling the OpenCL C Version

//# accept: without -cl-std the version is 1.2, the highest of 1.x
//# expect: 120
kernel void test(global uint *out) {
    out[0] = __OPENCL_C_VERSION__;
}

//# accept: CL1.1
//# options: -cl-std=CL1.1
//# expect: 110
kernel void test(global uint *out) {
    out[0] = __OPENCL_C_VERSION__;
}

//# accept: CL1.2
//# options: -cl-std=CL1.2
//# expect: 120
kernel void test(global uint *out) {
    out[0] = __OPENCL_C_VERSION__;
}

//# accept: CL3.0
//# options: -cl-std=CL3.0
//# expect: 300 100 110 120 200 300
kernel void test(global uint *out) {
    out[0] = __OPENCL_C_VERSION__;
    out[1] = CL_VERSION_1_0;
    out[2] = CL_VERSION_1_1;
    out[3] = CL_VERSION_1_2;
    out[4] = CL_VERSION_2_0;
    out[5] = CL_VERSION_3_0;
}

//# accept: CL3.1, which asks for sub-groups
//# requires: subgroups
//# options: -cl-std=CL3.1
//# expect: 310 310 310
kernel void test(global uint *out) {
    out[0] = __OPENCL_C_VERSION__;
    out[1] = CL_VERSION_3_1;
    out[2] = __OPENCL_VERSION__;
}

//# accept: a device without sub-groups is of OpenCL 3.0
//# requires: !subgroups
//# options: -cl-std=CL3.0
//# expect: 300
kernel void test(global uint *out) {
    out[0] = __OPENCL_VERSION__;
}

//# accept: __OPENCL_VERSION__ is that of the device, whatever -cl-std says
//# options: -cl-std=CL1.1
//# expect: 1
kernel void test(global uint *out) {
    out[0] = __OPENCL_VERSION__ >= 120;
}

//# accept: what is new in a version is a name like others in earlier ones
//# options: -cl-std=CL1.1
//# expect: 3
kernel void test(global uint *out) {
    uint memory_order_relaxed = 3 + out[0];
    out[0] = memory_order_relaxed;
}

//# reject: what a version has not is an error in it
//# options: -cl-std=CL1.1
//# error: 2: implicit declaration of function 'popcount' is invalid
kernel void test(global uint *out) {
    out[0] = popcount(out[0]);
}

//# reject: a version that is none
//# options: -cl-std=CL1.5
//# invalid: unknown language version 'CL1.5'
kernel void test(global uint *out) {}

//# reject: a version needs to be told
//# options: -cl-std=
//# invalid: unknown language version ''
kernel void test(global uint *out) {}

//# reject: another language
//# options: -cl-std=C99
//# invalid: unknown language version 'C99'
kernel void test(global uint *out) {}
