//! API 5.8.6.6 Options for Querying Kernel Argument Information

//# accept: -cl-kernel-arg-info changes nothing of what a kernel does
//# options: -cl-kernel-arg-info
//# expect: 5
kernel void test(global uint *out) {
    out[0] = 5;
}

//# reject: no other spelling
//# options: -cl-kernel-arg-information
//# invalid: unknown build option '-cl-kernel-arg-information'
kernel void test(global uint *out) {}
