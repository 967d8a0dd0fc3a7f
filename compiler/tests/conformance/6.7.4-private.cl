//! 6.7.4 private

//# accept: variables of functions are private by default
//# global: 3
//# expect: 0 10 20
kernel void test(global uint *out) {
    uint i = get_global_id(0) * 10;
    out[get_global_id(0)] = i;
}

//# accept: each work-item has its own
//# global: 4
//# local: 4
//# expect: 0 2 4 6
kernel void test(global uint *out) {
    private uint a = get_local_id(0);
    private uint *p = &a;
    barrier(CLK_LOCAL_MEM_FENCE);
    *p += a;
    out[get_local_id(0)] = a;
}

//# reject: arguments of kernels do not point there
//# error: 1: pointer arguments to kernel functions must reside in
kernel void f(private uint *p) {}
kernel void test(global uint *out) {}

//# reject: program scope has no private variables
//# options: -cl-std=CL1.2
//# error: 1: program scope variable must reside in constant address space
private int x;
kernel void test(global uint *out) {}
