//! 6.4.3 Explicit Conversions (data types, rounding modes, saturation)

//# accept: convert_T converts scalars and vectors
//# expect: 3 1 2 3 255
kernel void test(global uint *out) {
    float f = 3.7f + out[0];
    uchar4 u = (uchar4)(1, 2, 3, 255);
    out[0] = convert_int(f);
    vstore4(convert_uint4(u), 0, out + 1);
}

//# accept: of 2, 3, 4, 8 and 16 components
//# expect: 2 3 4 8 16
kernel void test(global uint *out) {
    out[0] = convert_int2((float2)(1, 2)).y;
    out[1] = convert_int3((short3)(1, 2, 3)).z;
    out[2] = convert_int4((long4)(1, 2, 3, 4)).w;
    out[3] = convert_int8((uchar8)(1, 2, 3, 4, 5, 6, 7, 8)).s7;
    out[4] = convert_int16((float16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)).sf;
}

//# accept: a type converts to itself without effect, with any modifier
//# expect: 0x7fc00000 -5 0x3fc00000
kernel void test(global uint *out) {
    out[0] = as_uint(convert_float(as_float(0x7fc00000 + out[0])));
    out[1] = convert_int_sat(-5 + (int)out[1]);
    out[2] = as_uint(convert_float_rtz(1.5f + out[2]));
}

//# accept: integers without _sat wrap as in C99
//# expect: 0x2c -128 0xffff 0x89abcdef
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = convert_uchar(300 + zero);
    out[1] = convert_char(128 + zero);
    out[2] = convert_ushort(-1 + zero);
    out[3] = convert_uint(0x0123456789abcdefL + zero);
}

//# accept: floats to integers: _rte, _rtz, _rtp, _rtn and none, which is _rtz
//# expect: 2 2 3 2 2 -2 -2 -2 -3 -2
kernel void test(global uint *out) {
    float f = 2.5f + out[0], g = -f;
    out[0] = convert_int_rte(f);
    out[1] = convert_int_rtz(f);
    out[2] = convert_int_rtp(f);
    out[3] = convert_int_rtn(f);
    out[4] = convert_int(f);
    out[5] = convert_int_rte(g);
    out[6] = convert_int_rtz(g);
    out[7] = convert_int_rtp(g);
    out[8] = convert_int_rtn(g);
    out[9] = convert_int(g);
}

//# accept: _rte takes the even of two equally near, the nearer otherwise
//# expect: 0 2 2 4 1 -2
kernel void test(global uint *out) {
    float zero = out[0];
    out[0] = convert_uint_rte(zero + 0.5f);
    out[1] = convert_uint_rte(zero + 1.5f);
    out[2] = convert_uchar_rte(zero + 2.5f);
    out[3] = convert_short_rte(zero + 3.5f);
    out[4] = convert_int_rte(zero + 0.50001f);
    out[5] = convert_char_rte(zero - 1.5f);
}

//# accept: integers to floats in each rounding mode
//# expect: 16777216f 16777216f 16777218f 16777216f -16777216f -16777216f -16777216f -16777218f
kernel void test(global uint *out) {
    int i = 16777217 + out[0], j = -i;
    global float *f = (global float *)out;
    f[0] = convert_float_rte(i);
    f[1] = convert_float_rtz(i);
    f[2] = convert_float_rtp(i);
    f[3] = convert_float_rtn(i);
    f[4] = convert_float_rte(j);
    f[5] = convert_float_rtz(j);
    f[6] = convert_float_rtp(j);
    f[7] = convert_float_rtn(j);
}

//# accept: 64-bit integers to floats in each rounding mode, rounded once
//# expect: 0x5f000000 0x5effffff 0x5f000000 0x5effffff 0x5f800000 0x5f7fffff 0x53800000 0x53800001
kernel void test(global uint *out) {
    ulong zero = out[0];
    long a = zero + 0x7fffffffffffffff;
    ulong b = zero + 0xffffffffffffffff, c = zero + 0x10000010000;
    out[0] = as_uint(convert_float_rte(a));
    out[1] = as_uint(convert_float_rtz(a));
    out[2] = as_uint(convert_float_rtp(a));
    out[3] = as_uint(convert_float_rtn(a));
    out[4] = as_uint(convert_float(b));
    out[5] = as_uint(convert_float_rtn(b));
    out[6] = as_uint(convert_float(c));
    out[7] = as_uint(convert_float(c + 1));
}

//# accept: unsigned integers to floats in each rounding mode
//# expect: 0x4f800000 0x4f7fffff 0x4f800000 0x4f7fffff
kernel void test(global uint *out) {
    uint u = 0xffffffff - out[0];
    out[0] = as_uint(convert_float_rte(u));
    out[1] = as_uint(convert_float_rtz(u));
    out[2] = as_uint(convert_float_rtp(u));
    out[3] = as_uint(convert_float_rtn(u));
}

//# accept: _sat clamps integers to the destination's range
//# expect: 0 255 127 -128 0 65535 0x7fffffff 0x80000000 0xffffffff 0
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = convert_uchar_sat(zero - 5);
    out[1] = convert_uchar_sat(zero + 300);
    out[2] = convert_char_sat(zero + 128);
    out[3] = convert_char_sat(zero - 129);
    out[4] = convert_ushort_sat((short)(zero - 1));
    out[5] = convert_ushort_sat(zero + 70000u);
    out[6] = convert_int_sat(zero + 0x80000000u);
    out[7] = convert_int_sat(zero - 0x80000001L);
    out[8] = convert_uint_sat(zero + 0x100000000L);
    out[9] = convert_uint_sat(zero - 1L);
}

//# accept: _sat to and from 64 bits
//# expect: 0 0 0xffffffff 0x7fffffff 0xffffffff 0xffffffff 0 0x80000000
kernel void test(global uint *out) {
    ulong zero = out[0];
    ulong a = convert_ulong_sat((long)zero - 1);
    long b = convert_long_sat(zero - 1);
    ulong c = convert_ulong_sat(3e19f + zero);
    long d = convert_long_sat(-1e19f - zero);
    out[0] = (uint)a;
    out[1] = (uint)(a >> 32);
    out[2] = (uint)b;
    out[3] = (uint)(b >> 32);
    out[4] = (uint)c;
    out[5] = (uint)(c >> 32);
    out[6] = (uint)d;
    out[7] = (uint)(d >> 32);
}

//# accept: _sat clamps floats; infinities too; NaN is zero
//# expect: 0x7fffffff 0x80000000 0 255 0 0xffffffff 0 127
kernel void test(global uint *out) {
    float one = out[0] + 1, inf = one / (one - 1);
    out[0] = convert_int_sat(3e9f * one);
    out[1] = convert_int_sat(-inf);
    out[2] = convert_int_sat(inf - inf);
    out[3] = convert_uchar_sat(256.5f * one);
    out[4] = convert_uchar_sat(-0.9f * one);
    out[5] = convert_uint_sat(inf);
    out[6] = convert_uint_sat(-3.0f * one);
    out[7] = convert_char_sat(127.9f * one);
}

//# accept: _sat with a rounding mode rounds, then clamps
//# expect: 255 255 128 -128 3 -2
kernel void test(global uint *out) {
    float zero = out[0];
    out[0] = convert_uchar_sat_rte(zero + 254.6f);
    out[1] = convert_uchar_sat_rtp(zero + 255.5f);
    out[2] = convert_uchar_sat_rte(zero + 127.5f);
    out[3] = convert_char_sat_rtn(zero - 128.5f);
    out[4] = convert_int_sat_rtp(zero + 2.1f);
    out[5] = convert_int_sat_rtn(zero - 1.1f);
}

//# accept: vectors with modifiers, component by component
//# expect: 0 255 2 4 -1 -3 127 -128
kernel void test(global uint *out) {
    float4 f = (float4)(-3.0f, 300.0f, 1.5f, 3.5f) + (float)out[0];
    vstore4(convert_int4(convert_uchar4_sat_rte(f)), 0, (global int *)out);
    float4 g = (float4)(-0.5f, -2.5f, 1000.0f, -1000.0f) + (float)out[4];
    vstore4(convert_int4(convert_char4_sat_rtn(g)), 1, (global int *)out);
}

//# accept: the specification's examples: short4 to ushort4 and char4
//# expect: 0 1 0 32767 -128 1 -1 127
kernel void test(global uint *out) {
    short4 s = (short4)(-32768, 1, -1, 32767) + (short)out[0];
    vstore4(convert_uint4(convert_ushort4_sat(s)), 0, out);
    vstore4(convert_int4(convert_char4_sat(s)), 1, (global int *)out);
}

//# accept: to and from double in each rounding mode
//# requires: fp64
//# expect: 0x3dcccccd 0x3dcccccc 0x3dcccccd 0x3dcccccc 2 3 0x43e00000 0x43dfffff
kernel void test(global uint *out) {
    double d = 0.1 + out[0], e = 2.5 + out[0];
    out[0] = as_uint(convert_float(d));
    out[1] = as_uint(convert_float_rtz(d));
    out[2] = as_uint(convert_float_rtp(d));
    out[3] = as_uint(convert_float_rtn(d));
    out[4] = convert_int_rte(e);
    out[5] = convert_uchar_rtp(e);
    long n = 0x7fffffffffffffff - out[6];
    out[6] = (uint)(as_ulong(convert_double(n)) >> 32);
    out[7] = (uint)(as_ulong(convert_double_rtz(n)) >> 32);
}

//# accept: beyond the largest float, the rounding mode chooses infinity or the largest
//# requires: fp64
//# expect: inff 0x7f7fffff inff 0x7f7fffff -inff
kernel void test(global uint *out) {
    double d = 1e300 + out[0];
    out[0] = as_uint(convert_float_rte(d));
    out[1] = as_uint(convert_float_rtz(d));
    out[2] = as_uint(convert_float_rtp(d));
    out[3] = as_uint(convert_float_rtn(d));
    out[4] = as_uint(convert_float_rtn(-d));
}

//# reject: the numbers of components must match
//# error: 3: no matching function for call to 'convert_int4'
//# error: 4: no matching function for call to 'convert_int'
//# error: 5: no matching function for call to 'convert_int2'
kernel void test(global uint *out) {
    float2 f = (float2)(1); float4 g = (float4)(1);
    int4 a = convert_int4(f);
    int b = convert_int(f);
    int2 c = convert_int2(g);
}

//# reject: _sat is not for conversions to floating point
//# error: 2: convert_float_sat
//# error: 3: convert_float4_sat_rte
kernel void test(global uint *out) {
    float f = convert_float_sat(1);
    float4 g = convert_float4_sat_rte((int4)(1));
}

//# reject: there are no other modifiers, no other order, and no conversion to bool
//# error: 2: implicit declaration of function 'convert_int_rtx' is invalid
//# error: 3: implicit declaration of function 'convert_int_rte_sat' is invalid
//# error: 4: implicit declaration of function 'convert_bool' is invalid
//# error: 5: implicit declaration of function 'convert_int5' is invalid
kernel void test(global uint *out) {
    out[0] = convert_int_rtx(1.0f);
    out[0] = convert_int_rte_sat(1.0f);
    out[0] = convert_bool(1);
    out[0] = convert_int5(1);
}

//# reject: pointers and structs are not converted
//# error: 3: no matching function for call to 'convert_int'
//# error: 4: no matching function for call to 'convert_int'
kernel void test(global uint *out) {
    struct s { int a; } x = {1};
    out[0] = convert_int(out);
    out[0] = convert_int(x);
}
