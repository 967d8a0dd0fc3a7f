//! 6.4.3.3 Out-of-Range Behavior and Saturated Conversions

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

//# reject: _sat is not for conversions to floating point
//# error: 2: convert_float_sat
//# error: 3: convert_float4_sat_rte
kernel void test(global uint *out) {
    float f = convert_float_sat(1);
    float4 g = convert_float4_sat_rte((int4)(1));
}

//# accept: _sat_rte of doubles: halves to even, then the ends of the range; NaN is zero
//# requires: fp64
//# expect: 2 -2 0x7fffffff 0x80000000 0x80000000 0x7fffffff 0 0 0xffffffff 0xffffffff 0xfffffffe 0
//# expect: 32767 -32768 -32768 255 254 0 -128 127
kernel void test(global uint *out) {
    double one = out[0] + 1, inf = one / (one - 1);
    out[0] = convert_int_sat_rte(2.5 * one);
    out[1] = convert_int_sat_rte(-1.5 * one);
    out[2] = convert_int_sat_rte(2147483647.6 * one);
    out[3] = convert_int_sat_rte(-2147483648.4 * one);
    out[4] = convert_int_sat_rte(-2147483648.0 * one);
    out[5] = convert_int_sat_rte(inf);
    out[6] = convert_int_sat_rte(inf - inf);
    out[7] = convert_uint_sat_rte(-3e9 * one);
    out[8] = convert_uint_sat_rte(4294967295.5 * one);
    out[9] = convert_uint_sat_rte(4294967295.0 * one);
    out[10] = convert_uint_sat_rte(4294967294.5 * one);
    out[11] = convert_uint_sat_rte(inf - inf);
    out[12] = convert_short_sat_rte(32767.5 * one);
    out[13] = convert_short_sat_rte(-32768.5 * one);
    out[14] = convert_short_sat_rte(-1e300 * one);
    out[15] = convert_uchar_sat_rte(255.5 * one);
    out[16] = convert_uchar_sat_rte(254.5 * one);
    out[17] = convert_uchar_sat_rte(-0.5 * one);
    out[18] = convert_char_sat_rte(-128.5 * one);
    out[19] = convert_char_sat_rte(4294967296.0 * one);
}

//# accept: narrow integers that saturated are widened as what they are
//# expect: 255 0 0 -128 127 0 0x80 0x437f0000 0xc3000000 32767 -32768 0x47000000
kernel void test(global uint *out) {
    float one = out[0] + 1, inf = one / (one - 1);
    out[0] = (int)convert_uchar_sat(300.0f * one);
    out[1] = (int)convert_uchar_sat(-inf);
    out[2] = (int)convert_char_sat(inf - inf);
    out[3] = (int)convert_char_sat(-1e9f * one);
    out[4] = (int)convert_char_sat(inf);
    out[5] = (int)convert_uchar_sat(inf - inf);
    out[6] = (uchar)convert_char_sat(-1e9f * one);
    out[7] = as_uint((float)convert_uchar_sat(256.0f * one));
    out[8] = as_uint((float)convert_char_sat(-500.0f * one));
    out[9] = (int)convert_short_sat(32768.0f * one);
    out[10] = (int)convert_short_sat(-32769.0f * one);
    out[11] = as_uint((float)(ushort)(convert_ushort_sat(32768.0f * one)));
}
