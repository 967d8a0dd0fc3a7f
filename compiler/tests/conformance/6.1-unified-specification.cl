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

//# reject: what requires a later version is not there before: a function
//# options: -cl-std=CL1.2
//# error: 2: implicit declaration of function 'ctz' is invalid
kernel void test(global uint *out) {
    out[0] = ctz(8);
}

//# reject: a type
//# options: -cl-std=CL1.2
//# error: 2: 'atomic_int'
kernel void test(global uint *out) {
    global atomic_int *a;
}

//# reject: vectors of three, which require OpenCL C 1.1
//# options: -cl-std=CL1.0
//# error: 2: implicit declaration of function 'vload3' is invalid
kernel void test(global uint *out) {
    vload3(0, out);
}

//# accept: what a later version deprecates is still there
//# options: -cl-std=CL3.0
//# expect: 1 0
kernel void test(global uint *out) {
    atomic_inc(out);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    out[1] = any((int)out[1]);
}
