//! 6.3.8 Aliasing Rules

//# accept: a vector counts as an aggregate of its elements: these alias
//# expect: 5 1 9
kernel void test(global uint *out) {
    int4 v = (int4)(1, 2, 3, 4);
    int *p = (int *)&v;
    p[2] = 5;
    out[0] = v.z;
    out[1] = p[0];
    v.x = 9;
    out[2] = p[0];
}

//# accept: signed and unsigned types of one size alias
//# expect: 0xffffffff 7
kernel void test(global uint *out) {
    int a = 1 + out[0];
    uint *p = (uint *)&a;
    a = -1;
    out[0] = *p;
    *p = 7;
    out[1] = a;
}

//# accept: a type of characters aliases everything
//# expect: 0x00ff0304 4
kernel void test(global uint *out) {
    uint a = 0x01020304 + out[0];
    uchar *p = (uchar *)&a;
    p[2] = 255;
    p[3] = 0;
    out[0] = a;
    out[1] = p[0];
}

//# accept: a member's type aliases its struct
//# expect: 6 8
typedef struct { int a, b; } s;
kernel void test(global uint *out) {
    s x = {1, 2};
    int *p = &x.b;
    *p = 6;
    s y = x;
    y.a = 8;
    out[0] = y.b;
    x = y;
    out[1] = x.a;
}

//# accept: one buffer through two pointers of compatible types, in order
//# expect: 3 4
kernel void test(global uint *out) {
    global uint *p = out;
    global uint2 *q = (global uint2 *)out;
    p[0] = 1;
    *q = (uint2)(3, 2);
    p[1] = 4;
    uint2 v = *q;
    p[0] = v.x;
    p[1] = v.y;
}

//# accept: a pointer to another type is warned about where there is no cast
//# expect: 1
//# warn: 2: incompatible pointer types
kernel void test(global uint *out) {
    global float *f = out;
    out[0] = (global void *)f == (global void *)out;
}

//# reject: nor does a cast change the address space
//# error: 3: changes address space of pointer
kernel void test(global uint *out) {
    uint x = 1;
    global uint *p = (global uint *)&x;
}
