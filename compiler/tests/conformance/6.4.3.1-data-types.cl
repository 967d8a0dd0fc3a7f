//! 6.4.3.1 Data Types

//# accept: integers without _sat wrap as in C99
//# expect: 0x2c -128 0xffff 0x89abcdef
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = convert_uchar(300 + zero);
    out[1] = convert_char(128 + zero);
    out[2] = convert_ushort(-1 + zero);
    out[3] = convert_uint(0x0123456789abcdefL + zero);
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

//# reject: pointers and structs are not converted
//# error: 3: no matching function for call to 'convert_int'
//# error: 4: no matching function for call to 'convert_int'
kernel void test(global uint *out) {
    struct s { int a; } x = {1};
    out[0] = convert_int(out);
    out[0] = convert_int(x);
}

//# reject: the types are scalars and vectors of numbers
//# error: 2: implicit declaration of function 'convert_bool' is invalid
//# error: 3: implicit declaration of function 'convert_size_t' is invalid
//# error: 4: implicit declaration of function 'convert_int5' is invalid
kernel void test(global uint *out) {
    out[0] = convert_bool(1);
    out[0] = convert_size_t(1);
    out[0] = convert_int5(1);
}

//# accept: half, where there is half arithmetic
//# requires: cl_khr_fp16
//# expect: 0x3e00 1 1 255
kernel void test(global uint *out) {
    float f = 1.5f + out[0];
    out[0] = as_ushort(convert_half(f));
    out[1] = convert_int(convert_half(f));
    out[2] = all(convert_half2((int2)(1, 2)) == (half2)(1, 2));
    out[3] = convert_uchar_sat((half)300);
}

//# reject: half, where there is none
//# requires: !cl_khr_fp16
//# error: 2: requires cl_khr_fp16
kernel void test(global uint *out) {
    out[0] = convert_half(1.0f) > 0;
}

//# reject: double, where there is none
//# requires: !fp64
//# error: 2: requires cl_khr_fp64
kernel void test(global uint *out) {
    out[0] = convert_double(1.0f) > 0;
}
