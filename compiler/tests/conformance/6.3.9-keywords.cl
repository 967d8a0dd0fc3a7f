//! 6.3.9 Keywords

//# reject: C99's keywords are no names
//# error: 2: expected identifier
kernel void test(global uint *out) {
    int while = 1;
}

//# reject: address space qualifiers, with and without underscores, are no names
//# error: 2: expected identifier
//# error: 3: expected identifier
//# error: 4: expected identifier
kernel void test(global uint *out) {
    int global = 1;
    int __local = 1;
    int private = 1;
}

//# reject: function and access qualifiers are no names
//# error: 2: expected identifier
//# error: 3: expected identifier
kernel void test(global uint *out) {
    int kernel = 1;
    int read_only = 1;
}

//# accept: both spellings of the qualifiers mean the same
//# expect: 3 2
__constant int a = 1;
constant int b = 2;
__kernel void test(__global uint *out) {
    __local int c;
    local int d;
    __private int e = 0;
    private int f = 0;
    c = a + e;
    d = b + f;
    local int *p = &c;
    out[0] = *p + d;
    p = &d;
    out[1] = *p;
}

//# accept: keywords of C++ and names of host types are free
//# expect: 15
kernel void test(global uint *out) {
    int class = 1, template = 2, new = 3, this = 4, cl_int = 5;
    out[0] = class + template + new + this + cl_int;
}
