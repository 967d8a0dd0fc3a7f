//! 6.4.3.2 Rounding Modes

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

//# reject: there are four modes
//# error: 2: implicit declaration of function 'convert_int_rtx' is invalid
//# error: 3: implicit declaration of function 'convert_int_rte_rtz' is invalid
kernel void test(global uint *out) {
    out[0] = convert_int_rtx(1.0f);
    out[0] = convert_int_rte_rtz(1.0f);
}

//# accept: from and to half in each mode
//# requires: cl_khr_fp16
//# expect: 2 2 3 2 0x3c00 0x3c00 0x3c01 0x3c00
kernel void test(global uint *out) {
    half h = 2.5h + (half)(int)out[0];
    float f = 1 + 0x1p-11f + out[0];
    out[0] = convert_int_rte(h);
    out[1] = convert_int_rtz(h);
    out[2] = convert_int_rtp(h);
    out[3] = convert_int_rtn(h);
    out[4] = as_ushort(convert_half_rte(f));
    out[5] = as_ushort(convert_half_rtz(f));
    out[6] = as_ushort(convert_half_rtp(f));
    out[7] = as_ushort(convert_half_rtn(f));
}

//# accept: _rte of doubles to integers, at halves and at the ends of the range
//# requires: fp64
//# expect: 2 4 -2 0 0x7fffffff 0x80000000 0xffffffff 0xfffffffe -8 7
kernel void test(global uint *out) {
    double zero = out[0];
    out[0] = convert_int_rte(zero + 2.5);
    out[1] = convert_int_rte(zero + 3.5);
    out[2] = convert_int_rte(zero - 1.5);
    out[3] = convert_int_rte(zero - 0.5);
    out[4] = convert_int_rte(zero + 2147483647.4);
    out[5] = convert_int_rte(zero - 2147483648.5);
    out[6] = convert_uint_rte(zero + 4294967295.0);
    out[7] = convert_uint_rte(zero + 4294967294.5);
    out[8] = convert_char_rte(zero - 7.5);
    out[9] = convert_ushort_rte(zero + 6.50001);
}

//# accept: integers to doubles: words exactly, longer ones to nearest even
//# requires: fp64
//# expect: 1 1 1 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    int i = out[0];
    uint u = out[0];
    long l = i;
    ulong ul = u;
    out[0] = (double)(i + (int)0x80000000) == -0x1p31;
    out[1] = (double)(i - 1) == -1.0;
    out[2] = as_ulong((double)i) == 0;
    out[3] = (double)(u - 1) == 4294967295.0;
    out[4] = (double)(l + (long)0x8000000000000000) == -0x1p63;
    out[5] = (double)(l + 0x7fffffffffffffff) == 0x1p63;
    out[6] = (double)(ul - 1) == 0x1p64;
    out[7] = (double)(l + 0x20000000000001) == 0x1p53;
    out[8] = (double)(l + 0x20000000000003) == 0x1p53 + 4;
    out[9] = (double)(l - 0x20000000000001) == -0x1p53;
    out[10] = (double)(l - 4294967297) == -4294967297.0 && as_ulong((double)l) == 0;
    out[11] = (double)(ul + 0x8000000000000401) == 0x1.0000000000001p63;
}
