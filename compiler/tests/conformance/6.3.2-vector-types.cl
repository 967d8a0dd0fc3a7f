//! 6.3.2 Built-in Vector Data Types

//# accept: every integer element type has vectors of 2, 3, 4, 8 and 16
//# expect: 2 4 4 8 16 2 4 4 8 16 4 8 8 16 32 4 8 8 16 32 8 16 16 32 64 8 16 16 32 64
kernel void test(global uint *out) {
#define SIZES(T) sizeof(T##2), sizeof(T##3), sizeof(T##4), sizeof(T##8), sizeof(T##16)
    uchar sizes[] = {SIZES(char), SIZES(uchar), SIZES(short), SIZES(ushort), SIZES(int), SIZES(uint)};
    for (int i = 0; i < 30; i++)
        out[i] = sizes[i];
}

//# accept: long, ulong and float have vectors of 2, 3, 4, 8 and 16
//# expect: 16 32 32 64 128 16 32 32 64 128 8 16 16 32 64
kernel void test(global uint *out) {
#define SIZES(T) sizeof(T##2), sizeof(T##3), sizeof(T##4), sizeof(T##8), sizeof(T##16)
    uchar sizes[] = {SIZES(long), SIZES(ulong), SIZES(float)};
    for (int i = 0; i < 15; i++)
        out[i] = sizes[i];
}

//# accept: double has vectors of 2, 3, 4, 8 and 16
//# requires: fp64
//# expect: 16 32 32 64 128 0 0x40080000
kernel void test(global uint *out) {
    uchar sizes[] = {sizeof(double2), sizeof(double3), sizeof(double4), sizeof(double8), sizeof(double16)};
    for (int i = 0; i < 5; i++)
        out[i] = sizes[i];
    double16 d = (double16)(1);
    d.s5 += 2 + out[5];
    out[6] = (uint)(as_ulong(d.s5) >> 32);
}

//# accept: components lie in memory in order, the first at the lowest address: char16
//# expect: 0x03020100 0x07060504 0x0b0a0908 0x0f0e0d0c
kernel void test(global uint *out) {
    *(global char16 *)out = (char16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

//# accept: components lie in memory in order: short8 and ushort2
//# expect: 0x00010000 0x00030002 0x00050004 0xffff0006 0xfffe0001
kernel void test(global uint *out) {
    *(global short8 *)out = (short8)(0, 1, 2, 3, 4, 5, 6, -1);
    ((global ushort2 *)out)[4] = (ushort2)(1, 65534);
}

//# accept: components lie in memory in order: long2 and ulong3
//# expect: 1 0 0xfffffffe 0xffffffff 0 0 0 0 3 0 0 1 5 0
kernel void test(global uint *out) {
    *(global long2 *)out = (long2)(1, -2);
    vstore3((ulong3)(3, 0x100000000L, 5), 0, (global ulong *)(out + 8));
}

//# accept: components lie in memory in order: float16
//# expect: 0f 1f 2f 3f 4f 5f 6f 7f 8f 9f 10f 11f 12f 13f 14f 15f
kernel void test(global uint *out) {
    *(global float16 *)out = (float16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

//# accept: vectors in private memory: components by address, in order
//# expect: 10 20 30 40 50 60 70 80
kernel void test(global uint *out) {
    uint8 v = (uint8)(10, 20, 30, 40, 50, 60, 70, 80);
    uint *p = (uint *)&v;
    for (int i = 0; i < 8; i++)
        out[i] = p[i + out[i]];
}

//# accept: vectors in local memory: stored whole, read by component, and the other way
//# expect: 4 3 2 1 9
kernel void test(global uint *out) {
    local short4 v[2];
    v[0] = (short4)(4, 3, 2, 1);
    local short *p = (local short *)v;
    for (int i = 0; i < 4; i++)
        out[i] = p[i];
    p[6] = 9;
    out[4] = v[1].z;
}

//# accept: vectors in constant memory
//# expect: 3 6 -2
constant int3 table[2] = {(int3)(1, 2, 3), (int3)(4, 5, 6)};
constant char2 pair = (char2)(-1, -2);
kernel void test(global uint *out) {
    out[0] = table[0].z;
    out[1] = table[1 + out[1]].z;
    out[2] = pair.y;
}

//# accept: arrays of vectors, indexed at run time
//# expect: 6 22 38 54
kernel void test(global uint *out) {
    uchar4 v[4];
    for (int i = 0; i < 4; i++)
        v[i] = (uchar4)(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
    for (int i = 0; i < 4; i++)
        out[i] = v[i].x + v[i].y + v[i].z + v[i].w;
}

//# accept: vectors as parameters and results of functions
//# expect: 5 7 9 -4 11
short3 sum(short3 a, short3 b) { return a + b; }
long2 swapped(long2 a) { return a.yx; }
kernel void test(global uint *out) {
    short3 s = sum((short3)(1, 2, 3), (short3)(4, 5, 6));
    out[0] = s.x;
    out[1] = s.y;
    out[2] = s.z;
    long2 l = swapped((long2)(11, -4));
    out[3] = (int)l.x;
    out[4] = (int)l.y;
}

//# accept: a vector of 16 through a function and a loop, every component changed
//# expect: 120 136
uchar16 next(uchar16 v) { return v + (uchar16)1; }
kernel void test(global uint *out) {
    uchar16 v = (uchar16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int round = 0; round < 2; round++) {
        uint sum = 0;
        for (int i = 0; i < 16; i++)
            sum += ((uchar *)&v)[i];
        out[round] = sum;
        v = next(v);
    }
}

//# accept: vectors as kernel arguments' pointees in a struct
//# expect: 1 2 3 4 5 6 7 8
typedef struct { int2 a[2]; int4 b; } pair;
kernel void test(global uint *out) {
    global pair *p = (global pair *)out;
    p->a[0] = (int2)(1, 2);
    p->a[1] = (int2)(3, 4);
    p->b = (int4)(5, 6, 7, 8);
}

//# reject: other numbers of components are no types
//# error: 2: unknown type name 'int5'
//# error: 3: unknown type name 'float1'
//# error: 4: use of type 'uchar32' requires cl_qcom_extra_vector_types which this device does not offer
kernel void test(global uint *out) {
    int5 a;
    float1 b;
    uchar32 c;
}
