//! 6.7 Address Space Qualifiers

//# accept: the four names with and without underscores
//# expect: 1 2 3 4
__constant uint c = 2;
constant uint d = 3;
__kernel void test(__global uint *out) {
    __private uint p = 1;
    private uint q = 4;
    __local uint l;
    local uint m;
    l = 0;
    m = l;
    out[0] = p + m;
    out[1] = c;
    out[2] = d;
    out[3] = q;
}

//# accept: an array in the private address space
//# expect: 6.0f
kernel void test(global uint *out) {
    __private float x[4] = {0, 1, 2, 3};
    out[0] = as_uint(x[1] + x[2] + x[3]);
}

//# accept: a function may return a pointer to an address space
//# expect: 5
local uint *f(local uint *p) { return p; }
kernel void test(global uint *out) {
    local uint x;
    *f(&x) = 5;
    out[0] = x;
}

//# accept: the first qualifies what is pointed to, the second the pointer
//# expect: 7
kernel void test(global uint *out) {
    private uint *local ptr;
    uint x = 7;
    ptr = &x;
    out[0] = *ptr;
}

//# accept: qualifiers stand anywhere among the specifiers
//# expect: 3
constant uint const three = 3;
kernel void test(uint global *out) {
    uint local l;
    l = three;
    *out = l;
}

//# accept: generic is a name of the program's before OpenCL C 2.0
//# options: -cl-std=CL1.2
//# expect: 4
kernel void test(global uint *out) {
    uint generic = 4;
    out[0] = generic;
}

//# reject: a return type has no address space
//# error: 1: return type cannot be qualified with address space
private int f(void) { return 1; }
kernel void test(global uint *out) { }

//# reject: a parameter has none
//# error: 1: parameter may not be qualified with an address space
int f(local int x) { return x; }
kernel void test(global uint *out) { }

//# reject: nor has a parameter of a kernel that is no pointer
//# error: 1: parameter may not be qualified with an address space
kernel void other(global int x) { }
kernel void test(global uint *out) { }

//# reject: a type has one address space
//# error: 2: multiple address spaces specified for type
kernel void test(global uint *out) {
    private local int i;
}

//# reject: one by typedef and another one too
//# error: 3: multiple address spaces specified for type
typedef global int g;
kernel void test(global uint *out) {
    local g *p;
}

//# reject: a member has none
//# error: 1: field may not be qualified with an address space
struct s { local int x; };
kernel void test(global uint *out) { }

//# reject: global is reserved
//# error: 2: expected
kernel void test(global uint *out) {
    int global = 1;
}

//# reject: __private is reserved
//# error: 1: expected
int __private(void) { return 1; }
kernel void test(global uint *out) { }

//# reject: generic is reserved since OpenCL C 2.0
//# options: -cl-std=CL3.0
//# error: 2: expected
kernel void test(global uint *out) {
    int generic = 4;
}
