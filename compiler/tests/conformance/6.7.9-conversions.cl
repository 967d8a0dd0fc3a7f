//! 6.7.9 Address Space Conversions

//# accept: pointers to global, local and private memory become generic ones
//# options: -cl-std=CL3.0
//# requires: generic
//# global: 2
//# local: 2
//# expect: 42 44
void foo(uint *a) { *a = *a + 2; }
kernel void test(global uint *out) {
    local uint l;
    uint p = 40;
    uint *var = &p;
    foo(var);
    if (get_local_id(0) == 0) l = p;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 1) { var = &l; foo(var); out[1] = l; } else out[0] = p;
}

//# accept: casts lead from generic pointers back
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 8
kernel void test(global uint *out) {
    uint *p = (uint *)out;
    global uint *gp = (global uint *)p;
    *gp = 8;
}

//# accept: relational operators take a generic and a named pointer
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 1 1
kernel void test(global uint *out) {
    uint *p = &out[1];
    global uint *q = &out[3];
    out[0] = p < q;
    out[1] = p != q;
}

//# reject: a generic pointer does not become one to global memory without a cast
//# options: -cl-std=CL3.0
//# error: 3: changes address space of pointer
kernel void test(global uint *out) {
    uint *p = out;
    global uint *g = p;
}

//# reject: a pointer to constant does not become generic
//# options: -cl-std=CL3.0
//# error: 3: changes address space of pointer
constant int c = 1;
kernel void test(global uint *out) {
    const int *p = &c;
}

//# reject: not even by a cast
//# options: -cl-std=CL3.0
//# error: 3: changes address space of pointer
constant int c = 1;
kernel void test(global uint *out) {
    int *p = (int *)&c;
}

//# reject: named address spaces are disjoint: global and local
//# error: 3: changes address space of pointer
kernel void test(global uint *out) {
    local uint x;
    global uint *p = &x;
}

//# reject: local and private
//# error: 3: changes address space of pointer
kernel void test(global uint *out) {
    uint x;
    local uint *p = &x;
}

//# reject: no cast leads from one to the other
//# error: 3: changes address space of pointer
kernel void test(global uint *out) {
    local uint x;
    global uint *p = (global uint *)&x;
}

//# reject: nested pointers are not converted implicitly
//# error: 4: changes address space of nested pointer
kernel void test(global uint *out) {
    local uint *local *ll;
    global uint *local *gl = 0;
    ll = gl;
}

//# accept: nested pointers are converted explicitly
//# warn: 3: discards qualifiers in nested pointer types
//# expect: 1
kernel void test(global uint *out) {
    global uint *local *gl = 0;
    local uint *local *ll = (local uint *local *)gl;
    out[0] = ll == 0;
}
