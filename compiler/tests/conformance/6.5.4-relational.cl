//! 6.5.4 Relational Operators

//# accept: scalars give an int that is 0 or 1
//# expect: 1 0 1 0 1 0 4
kernel void test(global uint *out) {
    int a = 1 + out[0], b = 2 + out[1];
    out[0] = a < b;
    out[1] = a > b;
    out[2] = a <= b;
    out[3] = a >= b;
    out[4] = a != b;
    out[5] = a == b;
    out[6] = sizeof((char)1 < (char)2);
}

//# accept: signed and unsigned comparisons differ
//# expect: 1 0 1 0
kernel void test(global uint *out) {
    int a = -1 + out[0];
    long c = -1 + (int)out[0];
    out[0] = a < 0;
    out[1] = (uint)a < 0u + out[1];
    out[2] = c < 0;
    out[3] = (ulong)c < 1ul;
}

//# accept: 64-bit comparisons see both halves
//# expect: 1 1 1 0 1
kernel void test(global uint *out) {
    long zero = out[0], a = zero + 0x100000000L, b = zero + 0xffffffffL;
    out[0] = a > b;
    out[1] = b < a;
    out[2] = a >= b;
    out[3] = a == zero;
    out[4] = -a < b;
}

//# accept: vectors give 0 or -1 in each component
//# expect: -1 0 0 -1
kernel void test(global uint *out) {
    int2 a = (int2)(1, 2) + (int)out[0], b = (int2)(2, 1);
    int2 c = a < b, d = a >= b;
    vstore2(c, 0, (global int *)out);
    vstore2(d, 1, (global int *)out);
}

//# accept: the result's elements are signed and as wide: char and uchar give char
//# expect: 0xff00ff00 0xff00 2
kernel void test(global uint *out) {
    uchar4 a = (uchar4)(1, 2, 3, 200) + (uchar)out[0];
    char4 b = a == (uchar4)(0, 2, 0, 200);
    *(global char4 *)out = b;
    char2 c = (char2)(1, 2) >= (char2)(2, 2);
    out[1] = as_ushort(c);
    out[2] = sizeof(c != c);
}

//# accept: short and ushort give short
//# expect: 0xffff0000 -1 4
kernel void test(global uint *out) {
    ushort2 a = (ushort2)(1, 0xffff) + (ushort)out[0];
    *(global short2 *)out = a > (ushort2)(1, 1);
    short2 b = (short2)(-1, 1) < (short)0;
    out[1] = b.x;
    out[2] = sizeof(b == b);
}

//# accept: uint and float give int
//# expect: -1 0 0 -1
kernel void test(global uint *out) {
    float2 f = (float2)(1, 2) + (float)out[0];
    uint2 u = (uint2)(0xffffffff, 0) + out[0];
    int2 a = f < (float2)(2, 2), b = u < 1u;
    vstore2(a, 0, (global int *)out);
    vstore2(b, 1, (global int *)out);
}

//# accept: long and ulong give long
//# expect: 0xffffffff 0xffffffff 0 16
kernel void test(global uint *out) {
    ulong2 a = (ulong2)(1, 0x8000000000000000) + (ulong)out[0];
    long2 b = a < (ulong2)(2);
    out[0] = (uint)b.x;
    out[1] = (uint)(b.x >> 32);
    out[2] = (uint)b.y;
    out[3] = sizeof(a == a);
}

//# accept: double gives long
//# requires: fp64
//# expect: 0xffffffff 0 16
kernel void test(global uint *out) {
    double2 d = (double2)(1, 3) + (double)out[0];
    long2 b = d < (double2)(2);
    out[0] = (uint)(b.x >> 32);
    out[1] = (uint)b.y;
    out[2] = sizeof(d != d);
}

//# accept: a scalar beside a vector is widened
//# expect: 0 -1 -1 0
kernel void test(global uint *out) {
    int4 v = (int4)(1, 2, 3, 4) + (int)out[0];
    int4 r = (2 <= v) && (v < 4);
    vstore4(r, 0, (global int *)out);
}

//# accept: NaN: <, >, <=, >= and == give 0, != gives 1
//# expect: 0 0 0 0 0 1 0 -1
kernel void test(global uint *out) {
    float n = as_float(0x7fc00000 + out[0]), one = 1;
    out[0] = n < one;
    out[1] = n > one;
    out[2] = n <= n;
    out[3] = n >= n;
    out[4] = n == n;
    out[5] = n != n;
    float2 v = (float2)(n, one);
    out[6] = (v == v).x;
    out[7] = (v != v).x;
}

//# reject: vectors of different types
//# error: 3: cannot convert between vector values
//# error: 4: vector operands do not have the same number of elements
kernel void test(global uint *out) {
    int2 a = (int2)(1); uint2 b = (uint2)(1); int4 c = (int4)(1);
    a < b;
    a == c;
}

//# reject: the result of a vector comparison is no condition
//# error: 3: statement requires expression of scalar type ('int2' invalid)
kernel void test(global uint *out) {
    int2 a = (int2)(1);
    if (a == a) out[0] = 1;
}
