//! 6.7.5 The Generic Address Space

//# accept: a pointer without address space points to global, local or private memory
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 1 2 3
kernel void test(global uint *out) {
    local uint l;
    uint p = 3, *q = &p;
    l = 2;
    uint *a = &l;
    out[2] = *q;
    out[1] = *a;
    a = out;
    *a = 1;
}

//# accept: to which one may be known only when the kernel runs
//# options: -cl-std=CL3.0
//# requires: generic
//# global: 2
//# local: 2
//# expect: 7 8
kernel void test(global uint *out) {
    uint b = 7;
    local uint c;
    if (get_local_id(0) == 0)
        c = 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint *p = get_local_id(0) ? (uint *)&c : (uint *)&b;
    out[get_local_id(0)] = *p;
}

//# accept: functions take pointers to whatever space
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 6 5
void add(uint *p, uint n) {
    *p += n;
}
kernel void test(global uint *out) {
    uint x = 2;
    local uint y;
    y = 1;
    add(&x, 3);
    add(&y, 5);
    add(out, y);
    add(out + 1, x);
}

//# reject: constant memory is not part of it
//# options: -cl-std=CL3.0
//# requires: generic
//# error: 3: changes address space of pointer
constant int c = 1;
kernel void test(global uint *out) {
    const int *p = &c;
}

//# reject: a generic pointer does not become one to a named space by itself
//# options: -cl-std=CL3.0
//# requires: generic
//# error: 3: changes address space of pointer
kernel void test(global uint *out) {
    uint *p = out;
    global uint *q = p;
}

//# reject: it is for pointers: arguments of kernels do not point there
//# options: -cl-std=CL3.0
//# requires: generic
//# error: 1: pointer arguments to kernel functions must reside in
kernel void f(int *p) {}
kernel void test(global uint *out) {}

//# reject: before OpenCL C 2.0 there is none
//# options: -cl-std=CL1.2
//# error: 2: changes address space of pointer
kernel void test(global uint *out) {
    uint *p = out;
}
