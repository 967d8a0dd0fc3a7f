//! 6.4.5 Pointer Casting

//# accept: a pointer cast to another type and back
//# expect: 1 42
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    global uint *u = (global uint *)f;
    out[0] = u == out;
    u[1] = 42;
}

//# accept: data through pointers to other types, in little-endian order: private
//# expect: 0x78 0x12 0x5678 0x3f80
kernel void test(global uint *out) {
    uint a = 0x12345678 + out[0];
    float f = 1.0f + out[0];
    uchar *bytes = (uchar *)&a;
    ushort *halves = (ushort *)&a;
    out[0] = bytes[0];
    out[1] = bytes[3];
    out[2] = halves[0];
    out[3] = ((ushort *)&f)[1];
}

//# accept: data through pointers to other types: global
//# expect: 0x00020001 0x00000003 5 6 7 8
kernel void test(global uint *out) {
    global ushort *s = (global ushort *)out;
    s[0] = 1;
    s[1] = 2;
    s[2] = 3;
    *(global ulong *)(out + 2) = 0x600000005;
    *(global uint2 *)(out + 4) = (uint2)(7, 8);
}

//# accept: data through pointers to other types: local
//# expect: 0x04030201 0x40000000 1 2
kernel void test(global uint *out) {
    local uint l[4];
    local uchar *b = (local uchar *)l;
    for (int i = 0; i < 4; i++)
        b[i] = i + 1;
    *(local float *)(l + 1) = 2.0f;
    *(local long *)(l + 2) = 0x200000001;
    for (int i = 0; i < 4; i++)
        out[i] = l[i];
}

//# accept: data through pointers to other types: constant
//# expect: 0x0403 0x05060708
constant uchar bytes[8] __attribute__((aligned(8))) = {1, 2, 3, 4, 8, 7, 6, 5};
kernel void test(global uint *out) {
    out[0] = ((constant ushort *)bytes)[1];
    out[1] = ((constant uint *)bytes)[1];
}

//# accept: pointers to scalars, vectors and structs of one buffer
//# expect: 1 2 3 4
typedef struct { uint2 a; uint b, c; } s;
kernel void test(global uint *out) {
    global s *p = (global s *)out;
    p->a = (uint2)(1, 2);
    p->b = 3;
    ((global uint4 *)out)->w = 4;
}

//# accept: a pointer to an integer and back, with arithmetic on the integer
//# expect: 5 6
kernel void test(global uint *out) {
    ulong n = (ulong)out;
    *(global uint *)n = 5;
    *(global uint *)(n + 4) = 6;
}

//# reject: a cast does not change the address space
//# error: 2: changes address space of pointer
//# error: 3: changes address space of pointer
//# error: 4: changes address space of pointer
kernel void test(global uint *out) {
    local uint *l = (local uint *)out;
    uint *p = (private uint *)out;
    constant uint *c = (constant uint *)out;
}
