//! 6.15.3 Integer Functions

//# accept: abs is of the unsigned type, so that of the least number too
//# expect: 5 0x80000000 128 32768 1 7
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = abs(-5 + zero);
    out[1] = abs(INT_MIN + zero);
    out[2] = abs((char)(CHAR_MIN + zero));
    out[3] = abs((short)(SHRT_MIN + zero));
    out[4] = abs(LONG_MIN + zero) == 0x8000000000000000UL;
    out[5] = abs(7u + zero);
}

//# accept: the result of abs is unsigned
//# expect: 1 1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = abs(INT_MIN + zero) > 0;
    out[1] = all(as_int2(abs((int2)(-1, 2) + zero)) == (int2)(1, 2));
}

//# accept: abs_diff does not overflow
//# expect: 0xffffffff 255 1 0xffffffff 3 1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = abs_diff(INT_MIN + zero, INT_MAX);
    out[1] = abs_diff((char)(CHAR_MAX + zero), (char)CHAR_MIN);
    out[2] = abs_diff(LONG_MIN + zero, LONG_MAX) == ULONG_MAX;
    out[3] = abs_diff(0u + zero, UINT_MAX);
    out[4] = abs_diff((ushort)(2 + zero), (ushort)5);
    out[5] = abs_diff((uchar)(1 + zero), (uchar)0);
}

//# accept: add_sat saturates in each type
//# expect: 0x7fffffff 0x80000000 0xffffffff 127 -128 255 0x7fff 0xffff 1 1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = add_sat(INT_MAX + zero, 1);
    out[1] = add_sat(INT_MIN + zero, -1);
    out[2] = add_sat(UINT_MAX + zero, 1u);
    out[3] = add_sat((char)(100 + zero), (char)100);
    out[4] = add_sat((char)(-100 + zero), (char)-100);
    out[5] = add_sat((uchar)(200 + zero), (uchar)100);
    out[6] = add_sat((short)(SHRT_MAX + zero), (short)1);
    out[7] = add_sat((ushort)(USHRT_MAX + zero), (ushort)1);
    out[8] = add_sat(LONG_MAX + zero, 1L) == LONG_MAX;
    out[9] = add_sat(ULONG_MAX + zero, 1UL) == ULONG_MAX;
}

//# accept: what does not overflow is added
//# expect: 3 -3 1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = add_sat(1 + zero, 2);
    out[1] = add_sat(-1 + zero, -2);
    out[2] = add_sat(LONG_MAX + zero, -1L) == LONG_MAX - 1;
}

//# accept: sub_sat saturates in each type
//# expect: 0x80000000 0x7fffffff 0 127 -128 0 0x8000 0 1 1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = sub_sat(INT_MIN + zero, 1);
    out[1] = sub_sat(INT_MAX + zero, -1);
    out[2] = sub_sat(0u + zero, 1u);
    out[3] = sub_sat((char)(100 + zero), (char)-100);
    out[4] = sub_sat((char)(-100 + zero), (char)100);
    out[5] = sub_sat((uchar)(2 + zero), (uchar)3);
    out[6] = (ushort)sub_sat((short)(SHRT_MIN + zero), (short)1);
    out[7] = sub_sat((ushort)(1 + zero), (ushort)2);
    out[8] = sub_sat(LONG_MIN + zero, 1L) == LONG_MIN;
    out[9] = sub_sat(1UL + zero, 2UL) == 0;
}

//# accept: hadd and rhadd do not overflow; hadd rounds down, rhadd up
//# expect: 0xffffffff 0xffffffff -1 0 -128 127 2 3 1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = hadd(UINT_MAX + zero, UINT_MAX);
    out[1] = rhadd(UINT_MAX + zero, UINT_MAX - 1);
    out[2] = hadd(INT_MIN + zero, INT_MAX);
    out[3] = rhadd(INT_MIN + zero, INT_MAX);
    out[4] = hadd((char)(CHAR_MIN + zero), (char)(CHAR_MIN + 1));
    out[5] = rhadd((char)(CHAR_MAX + zero), (char)(CHAR_MAX - 1));
    out[6] = hadd(2 + zero, 3);
    out[7] = rhadd(2 + zero, 3);
    out[8] = hadd(ULONG_MAX + zero, ULONG_MAX - 2) == ULONG_MAX - 1;
}

//# accept: clamp limits to an interval; vectors by scalars too
//# expect: 3 5 4 3 5 4 -1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = clamp(1 + zero, 3, 5);
    out[1] = clamp(9 + zero, 3, 5);
    out[2] = clamp(4u + zero, 3u, 5u);
    vstore3(as_uint3(clamp((int3)(2, 7, 4) + zero, 3, 5)), 0, out + 3);
    out[6] = clamp((char2)(-5, 5) + (char)zero, (char2)(-1), (char2)(1)).x;
}

//# accept: clz counts from the most significant bit of the type; of 0 it is the type's width
//# expect: 31 32 7 8 15 16 63 64 0 0
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = clz(1 + zero);
    out[1] = clz(zero);
    out[2] = clz((uchar)(1 + zero));
    out[3] = clz((char)zero);
    out[4] = clz((short)(1 + zero));
    out[5] = clz((ushort)zero);
    out[6] = clz(1L + zero);
    out[7] = clz(0UL + zero);
    out[8] = clz(-1 + zero);
    out[9] = clz((char)(-1 + zero));
}

//# accept: ctz counts from the least significant bit; of 0 it is the type's width
//# options: -cl-std=CL3.0
//# expect: 4 32 7 8 15 16 63 64 0 32
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = ctz(16 + zero);
    out[1] = ctz(zero);
    out[2] = ctz((uchar)(128 + zero));
    out[3] = ctz((char)zero);
    out[4] = ctz((short)(SHRT_MIN + zero));
    out[5] = ctz((ushort)zero);
    out[6] = ctz(LONG_MIN + zero);
    out[7] = ctz(0UL + zero);
    out[8] = ctz(-1 + zero);
    out[9] = ctz(1UL << 32 + zero);
}

//# accept: ctz and clz of vectors
//# options: -cl-std=CL3.0
//# expect: 0 1 32 31 30 32
kernel void test(global uint *out) {
    uint3 v = (uint3)(1, 2, 0) + out[0];
    vstore3(ctz(v), 0, out);
    vstore3(clz(v), 1, out);
}

//# accept: popcount counts bits of the type
//# expect: 32 0 8 16 64 1 2 3
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = popcount(-1 + zero);
    out[1] = popcount(zero);
    out[2] = popcount((char)(-1 + zero));
    out[3] = popcount((ushort)(USHRT_MAX + zero));
    out[4] = popcount(ULONG_MAX + zero);
    vstore3(as_uint3(popcount((int3)(4, 5, 7) + zero)), 0, out + 5);
}

//# accept: mul_hi gives the high half of the product
//# expect: -1 0xfffffffe 0 -1 254 1 1 16
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = mul_hi(-1 + zero, 1);
    out[1] = mul_hi(UINT_MAX + zero, UINT_MAX);
    out[2] = mul_hi(0x10000 + zero, 0xffff);
    out[3] = mul_hi((char)(-1 + zero), (char)1);
    out[4] = mul_hi((uchar)(255 + zero), (uchar)255);
    out[5] = mul_hi(ULONG_MAX + zero, ULONG_MAX) == ULONG_MAX - 1;
    out[6] = mul_hi(LONG_MIN + zero, LONG_MIN) == 0x4000000000000000L;
    out[7] = mul_hi((short)(0x400 + zero), (short)0x400);
}

//# accept: mad_hi adds to that
//# expect: 4 -6 3 1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = mad_hi(0x10000 + zero, 0x10000, 3);
    out[1] = mad_hi(-1 + zero, 1, -5);
    out[2] = mad_hi((uchar)(16 + zero), (uchar)16, (uchar)2);
    out[3] = mad_hi(1UL << 32 + zero, 1UL << 32, ULONG_MAX) == 0;
}

//# accept: mad_sat saturates the exact a * b + c
//# expect: 0x7fffffff 0x80000000 0xffffffff 127 -128 255 5 1 1 0x7fffffff
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = mad_sat(INT_MAX + zero, 2, 0);
    out[1] = mad_sat(INT_MIN + zero, 2, 0);
    out[2] = mad_sat(UINT_MAX + zero, 1u, 1u);
    out[3] = mad_sat((char)(16 + zero), (char)16, (char)0);
    out[4] = mad_sat((char)(-16 + zero), (char)16, (char)0);
    out[5] = mad_sat((uchar)(16 + zero), (uchar)16, (uchar)0);
    out[6] = mad_sat(2 + zero, 3, -1);
    out[7] = mad_sat(LONG_MAX + zero, 2L, -LONG_MAX) == LONG_MAX;
    out[8] = mad_sat(ULONG_MAX + zero, ULONG_MAX, 0UL) == ULONG_MAX;
    // The product alone is one too large.
    out[9] = mad_sat(0x10000 + zero, 0x8000, -1);
}

//# accept: max and min of each type
//# expect: 2 1 0xffffffff 1 -1 -2 1 1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = max(1 + zero, 2);
    out[1] = min(1 + zero, 2);
    out[2] = max(UINT_MAX + zero, 1u);
    out[3] = min(UINT_MAX + zero, 1u);
    out[4] = max((char)(-1 + zero), (char)-2);
    out[5] = min((short)(-1 + zero), (short)-2);
    out[6] = max(LONG_MIN + zero, 1L) == 1;
    out[7] = min(ULONG_MAX + zero, 1UL) == 1;
}

//# accept: max and min of a vector take a scalar for the second
//# expect: 2 2 3 1 2 2
kernel void test(global uint *out) {
    uint3 v = (uint3)(1, 2, 3) + out[0];
    vstore3(max(v, 2u), 0, out);
    vstore3(min(v, 2u), 1, out);
}

//# accept: rotate goes left by the amount modulo the width
//# expect: 0x34567812 0x12345678 0x78123456 0x21 0x4123 1 3
kernel void test(global uint *out) {
    int zero = out[0];
    uint x = 0x12345678 + zero;
    out[0] = rotate(x, 8u);
    out[1] = rotate(x, 32u);
    out[2] = rotate(x, (uint)-8);
    out[3] = rotate((uchar)(0x12 + zero), (uchar)12);
    out[4] = rotate((ushort)(0x1234 + zero), (ushort)12);
    out[5] = rotate(0x123456789abcdef0UL + zero, 4UL) == 0x23456789abcdef01UL;
    out[6] = rotate((int)0x80000001 + zero, 1);
}

//# accept: rotate of 64 bits by constants, within a word and across
//# expect: 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    ulong x = 0x123456789abcdef0UL + out[0];
    out[0] = rotate(x, 1UL) == 0x2468acf13579bde0UL;
    out[1] = rotate(x, 23UL) == 0x3c4d5e6f78091a2bUL;
    out[2] = rotate(x, 31UL) == 0x4d5e6f78091a2b3cUL;
    out[3] = rotate(x, 32UL) == 0x9abcdef012345678UL;
    out[4] = rotate(x, 33UL) == 0x3579bde02468acf1UL;
    out[5] = rotate(x, 46UL) == 0x37bc048d159e26afUL;
    out[6] = rotate(x, 63UL) == 0x091a2b3c4d5e6f78UL;
    out[7] = (rotate(x, 50UL) ^ rotate(x, 46UL) ^ (x >> 41 | x << 23)) == 0x7031123334755677UL;
}

//# accept: upsample joins two numbers
//# expect: 0xffffff01 0x1234 0xfffe0003 0x12345678 1 1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = upsample((char)(-1 + zero), (uchar)1);
    out[1] = upsample((uchar)(0x12 + zero), (uchar)0x34);
    out[2] = upsample((short)(-2 + zero), (ushort)3);
    out[3] = upsample((ushort)(0x1234 + zero), (ushort)0x5678);
    out[4] = upsample(-1 + zero, 2u) == (long)0xffffffff00000002UL;
    out[5] = upsample(0x12345678u + zero, 0x9abcdef0u) == 0x123456789abcdef0UL;
}

//# accept: upsample of vectors
//# expect: 0x0103 0x0204 0x00010003
kernel void test(global uint *out) {
    uchar3 hi = (uchar3)(1, 2, 3) + (uchar)out[0];
    ushort3 r = upsample(hi, (uchar3)(3, 4, 5));
    out[0] = r.x;
    out[1] = r.y;
    out[2] = upsample((short2)(1, 2), (ushort2)(3, 4)).x;
}

//# accept: mul24 and mad24 multiply numbers of 24 bits
//# expect: 0xfe000001 -8388608 7 -1 6 20
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = mul24(0xffffffu + zero, 0xffffffu);
    out[1] = mul24(-8388608 + zero, 1);
    out[2] = mad24(2 + zero, 3, 1);
    out[3] = mad24(-2 + zero, 1, 1);
    vstore2(as_uint2(mad24((int2)(2, 4) + zero, (int2)(3, 5), (int2)(0))), 0, out + 4);
}

//# accept: arguments without a common vector type are converted as in an operator
//# expect: 300 7
kernel void test(global uint *out) {
    uchar c = 200 + out[0];
    out[0] = max(c, 300);
    out[1] = min((short)9, 7);
}

//# reject: vectors are of one type
//# error: 4: no matching function for call to 'add_sat'
//# error: 5: no matching function for call to 'mul_hi'
//# error: 6: no matching function for call to 'rotate'
kernel void test(global uint *out) {
    int2 a = (int2)(1); int4 b = (int4)(1);
    uint2 u = (uint2)(1);
    a = add_sat(a, b);
    a = mul_hi(a, u);
    u = rotate(u, a);
}

//# reject: the number of arguments is that of the table
//# error: 2: no matching function for call to 'abs'
//# error: 3: no matching function for call to 'mad_hi'
//# error: 4: no matching function for call to 'clz'
//# error: 5: no matching function for call to 'upsample'
kernel void test(global uint *out) {
    out[0] = abs();
    out[0] = mad_hi(1, 2);
    out[0] = clz(1, 2);
    out[0] = upsample((char)1);
}

//# reject: pointers and vectors of floats are no integers
//# error: 3: no matching function for call to 'popcount'
//# error: 4: no matching function for call to 'hadd'
//# error: 5: no matching function for call to 'abs'
kernel void test(global uint *out) {
    float2 f = (float2)(1);
    out[0] = popcount(out);
    f = hadd(f, f);
    f = abs(f);
}

//# reject: the low part of upsample is of the unsigned type of equal width
//# error: 4: no matching function for call to 'upsample'
//# error: 5: no matching function for call to 'upsample'
kernel void test(global uint *out) {
    char2 c = (char2)(1); ushort2 s = (ushort2)(1);
    short2 r;
    r = upsample(c, c);
    r = upsample(c, s);
}

//# reject: there is no integer of 128 bits for upsample of 64
//# error: 3: no matching function for call to 'upsample'
kernel void test(global uint *out) {
    long2 a = (long2)(1); ulong2 b = (ulong2)(1);
    a = upsample(a, b);
}

//# reject: mul24 and mad24 are for int and uint
//# error: 3: no matching function for call to 'mul24'
//# error: 4: no matching function for call to 'mad24'
kernel void test(global uint *out) {
    short2 s = (short2)(1); long2 l = (long2)(1);
    s = mul24(s, s);
    l = mad24(l, l, l);
}

//# reject: the scalar of max is the second argument, those of clamp are both limits
//# error: 3: no matching function for call to 'max'
//# error: 4: no matching function for call to 'clamp'
kernel void test(global uint *out) {
    int4 v = (int4)(1); int2 w = (int2)(1);
    v = max(w, v);
    v = clamp(v, w, 1);
}

//# reject: ctz requires OpenCL C 2.0
//# options: -cl-std=CL1.2
//# error: 2: implicit declaration of function 'ctz' is invalid
kernel void test(global uint *out) {
    out[0] = ctz(1);
}

//# reject: popcount requires OpenCL C 1.2
//# options: -cl-std=CL1.1
//# error: 2: implicit declaration of function 'popcount' is invalid
kernel void test(global uint *out) {
    out[0] = popcount(1);
}

//# accept: dot products of 8-bit integers have a sign if an operand has
//# expect: 1020 -1020 -1020 4 260100
kernel void test(global uint *out) {
    volatile uchar4 a = 255;
    volatile char4 b = -1;
    out[0] = dot(a, (uchar4)1);
    out[1] = dot(a, b);
    out[2] = dot(b, a);
    out[3] = dot(b, b);
    out[4] = dot(a, a);
}

//# accept: and saturate with an accumulator
//# expect: 0xffffffff 0x7fffffff 0x80000000 0x80000000 1
kernel void test(global uint *out) {
    volatile uchar4 a = 255;
    volatile char4 b = -1;
    out[0] = dot_acc_sat(a, a, 0xfffffff0u);
    out[1] = dot_acc_sat(b, b, 0x7ffffffe);
    out[2] = dot_acc_sat(a, b, (int)0x80000001);
    out[3] = dot_acc_sat(b, a, (int)0x80000000);
    out[4] = dot_acc_sat(b, (char4)(1, 0, 0, 0), 2);
}

//# accept: the packed forms take words
//# expect: 0x11 -16 -15 0x11 0xffffffff 0x7fffffff 0x80000000 100
kernel void test(global uint *out) {
    volatile uint a = 0x01000001, b = 0x010000ff;
    out[0] = dot_4x8packed_uu_uint(a, 0x01000010u);
    out[1] = dot_4x8packed_ss_int(b, 0xf2000002u);
    out[2] = dot_4x8packed_us_int(a, 0xf0000001u);
    out[3] = dot_4x8packed_su_int(b, 0x12000001u);
    out[4] = dot_acc_sat_4x8packed_uu_uint(b, b, 0xffffff00u);
    out[5] = dot_acc_sat_4x8packed_ss_int(b, b, 0x7fffffff);
    out[6] = dot_acc_sat_4x8packed_us_int(b, 0x00000080u, (int)0x80000010);
    out[7] = dot_acc_sat_4x8packed_su_int(b, 0x01000001u, 100);
}

//# accept: the macros of integer dot products are defined
//# options: -cl-std=CL3.0
//# expect: 1 1 1
kernel void test(global uint *out) {
    out[0] = cl_khr_integer_dot_product;
    out[1] = __opencl_c_integer_dot_product_input_4x8bit;
    out[2] = __opencl_c_integer_dot_product_input_4x8bit_packed;
}
