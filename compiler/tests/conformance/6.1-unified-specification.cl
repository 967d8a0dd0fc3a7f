//! 6.1 Unified Specification

//# accept: __OPENCL_C_VERSION__ is that of -cl-std; 1.2 without the option
//# expect: 120
kernel void test(global uint *out) {
    out[0] = __OPENCL_C_VERSION__;
}

//# accept: each version that -cl-std names is the one that a program sees
//# options: -cl-std=CL1.1
//# expect: 110
kernel void test(global uint *out) {
    out[0] = __OPENCL_C_VERSION__;
}

//# accept: OpenCL C 3.0
//# options: -cl-std=CL3.0
//# expect: 300
kernel void test(global uint *out) {
    out[0] = __OPENCL_C_VERSION__;
}

//# accept: a feature of OpenCL C 3.0 is there in OpenCL C 3.0: .rgba
//# options: -cl-std=CL3.0
//# expect: 3
kernel void test(global uint *out) {
    uint4 v = (uint4)(1, 2, 3, 4);
    out[0] = v.b;
}
