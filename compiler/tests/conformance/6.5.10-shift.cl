//! 6.5.10 Shift Operators

//# accept: << fills with zeros, >> of unsigned and nonnegative values too
//# expect: 20 0x80000000 0x0fffffff 2
kernel void test(global uint *out) {
    uint a = 5 + out[0];
    out[0] = a << 2;
    out[1] = a << 31;
    out[2] = (0xfffffffa + a) >> 4 | 0x0fffffff;
    out[3] = (int)a >> 1;
}

//# accept: >> of negative values fills with ones
//# expect: -2 -1 -1
kernel void test(global uint *out) {
    int a = -7 + out[0];
    out[0] = a >> 2;
    out[1] = a >> 31;
    out[2] = (int)((long)a >> 63);
}

//# accept: the amount is taken modulo the width of the promoted left operand
//# expect: 10 2 1 256 5
kernel void test(global uint *out) {
    int a = 5 + out[0], n = 33 + out[0], m = -31 + out[0];
    out[0] = a << n;
    out[1] = a >> n;
    out[2] = 1 << (n - 1);
    uchar c = 1 + out[3];
    out[3] = c << 8;
    out[4] = a << (m + 31);
}

//# accept: 64-bit shifts by less than 32, by 32, by more, and modulo 64
//# expect: 0xabcdef00 0x23456789 0 0x89abcdef 0xcdef0000 0x01234567 0x89abcdef
kernel void test(global uint *out) {
    ulong a = 0x0123456789abcdef + out[0];
    uint n = 8 + out[0];
    out[0] = (uint)(a << n);
    out[1] = (uint)(a << n >> 32);
    out[2] = (uint)(a << (n + 24));
    out[3] = (uint)(a << (n + 24) >> 32);
    out[4] = (uint)(a << (n + 40) >> 32);
    out[5] = (uint)(a >> (n + 24));
    out[6] = (uint)(a << (n + 56));
}

//# accept: 64-bit arithmetic shifts
//# expect: 0xffffff80 -1 -1
kernel void test(global uint *out) {
    long a = (long)(0x8000000000000000 + out[0]);
    int n = 56 + out[0];
    out[0] = (uint)(a >> n);
    out[1] = (uint)(a >> n >> 32);
    out[2] = (uint)(a >> (n + 7));
}

//# accept: vectors by vectors, component by component
//# expect: 2 8 24 64 1 0 0 0
kernel void test(global uint *out) {
    uint4 a = (uint4)(1, 2, 3, 4) + out[0];
    uint4 n = (uint4)(1, 2, 3, 4);
    vstore4(a << n, 0, out);
    vstore4(a >> (n ^ 1u) & 1u, 1, out);
}

//# accept: vectors of small elements: the amount is taken modulo the elements' width
//# expect: 0x0402 -2 2 2
kernel void test(global uint *out) {
    uchar2 a = (uchar2)(1, 2) + (uchar)out[0];
    out[0] = as_ushort(a << (uchar2)(9, 9));
    char2 c = (char2)(-8, 8) + (char)out[1];
    out[1] = (c >> (char)2).x;
    out[2] = (c >> (char)10).y;
    ushort2 s = (ushort2)(1) + (ushort)out[3];
    out[3] = (s << (ushort)17).x;
}

//# accept: a vector by a scalar
//# expect: 4 8
kernel void test(global uint *out) {
    uint2 a = (uint2)(1, 2) + out[0];
    vstore2(a << 2, 0, out);
}

//# accept: the result has the promoted type of the left operand alone
//# expect: 4 8 4 2
kernel void test(global uint *out) {
    out[0] = sizeof((char)1 << 1L);
    out[1] = sizeof(1L << 1);
    out[2] = sizeof(1 << 1L);
    out[3] = sizeof((char2)(1) << (char2)(1));
}

//# reject: shifts are not for floats
//# error: 3: invalid operands to binary expression ('float' and 'int')
//# error: 4: invalid operands to binary expression ('int' and 'float')
//# error: 5: invalid operands to binary expression ('float2' and 'int2')
kernel void test(global uint *out) {
    float f = 1; float2 v = (float2)(1); int2 i = (int2)(1);
    f << 1;
    1 >> f;
    v << i;
}

//# reject: a scalar by a vector, and vectors of different lengths
//# error: 3: invalid operands to binary expression
//# error: 4: invalid operands to binary expression
kernel void test(global uint *out) {
    int2 i = (int2)(1); int4 j = (int4)(1);
    1 << i;
    j >> i;
}
