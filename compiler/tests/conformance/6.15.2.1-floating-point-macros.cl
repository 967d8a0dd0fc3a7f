//! 6.15.2.1 Floating-point Macros and Pragmas

//# accept: the macros of float have the values specified
//# expect: 6 24 38 128 -37 -125 2 0x7f7fffff 0x00800000 0x34000000
kernel void test(global uint *out) {
    out[0] = FLT_DIG;
    out[1] = FLT_MANT_DIG;
    out[2] = FLT_MAX_10_EXP;
    out[3] = FLT_MAX_EXP;
    out[4] = FLT_MIN_10_EXP;
    out[5] = FLT_MIN_EXP;
    out[6] = FLT_RADIX;
    out[7] = as_uint(FLT_MAX);
    out[8] = as_uint(FLT_MIN);
    out[9] = as_uint(FLT_EPSILON);
}

//# accept: the integer ones are for #if
//# expect: 1
#if FLT_DIG == 6 && FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128 && FLT_MIN_EXP == -125 && FLT_RADIX == 2
kernel void test(global uint *out) {
    out[0] = 1;
}
#endif

//# accept: the macros of double
//# requires: fp64
//# expect: 15 53 308 1024 -307 -1021 1 1 1
kernel void test(global uint *out) {
    out[0] = DBL_DIG;
    out[1] = DBL_MANT_DIG;
    out[2] = DBL_MAX_10_EXP;
    out[3] = DBL_MAX_EXP;
    out[4] = DBL_MIN_10_EXP;
    out[5] = DBL_MIN_EXP;
    out[6] = as_ulong(DBL_MAX) == 0x7fefffffffffffffUL;
    out[7] = as_ulong(DBL_MIN) == 0x0010000000000000UL;
    out[8] = as_ulong(DBL_EPSILON) == 0x3cb0000000000000UL;
}

//# accept: FP_ILOGB0 is INT_MIN or -INT_MAX, FP_ILOGBNAN is INT_MAX or INT_MIN
//# expect: 1 1
kernel void test(global uint *out) {
    out[0] = FP_ILOGB0 == INT_MIN || FP_ILOGB0 == -INT_MAX;
    out[1] = FP_ILOGBNAN == INT_MAX || FP_ILOGBNAN == INT_MIN;
}

//# accept: the constants M_..._F are of type float, correctly rounded
//# expect: 0x402df854 0x3fb8aa3b 0x3ede5bd9 0x3f317218 0x40135d8e 0x40490fdb 0x3fc90fdb 0x3f490fdb 0x3ea2f983 0x3f22f983 0x3f906ebb 0x3fb504f3 0x3f3504f3
constant float values[] = {M_E_F, M_LOG2E_F, M_LOG10E_F, M_LN2_F, M_LN10_F, M_PI_F, M_PI_2_F,
                           M_PI_4_F, M_1_PI_F, M_2_PI_F, M_2_SQRTPI_F, M_SQRT2_F, M_SQRT1_2_F};
kernel void test(global uint *out) {
    for (int i = 0; i < 13; i++)
        out[i] = as_uint(values[i]);
}

//# accept: the constants M_... are of type double
//# requires: fp64
//# expect: 8 1 1 1 1 1 1
kernel void test(global uint *out) {
    out[0] = sizeof(M_PI);
    out[1] = as_ulong(M_PI) == 0x400921fb54442d18UL && as_ulong(M_PI_2) == 0x3ff921fb54442d18UL;
    out[2] = as_ulong(M_E) == 0x4005bf0a8b145769UL && as_ulong(M_LN2) == 0x3fe62e42fefa39efUL;
    out[3] = as_ulong(M_LOG2E) == 0x3ff71547652b82feUL && as_ulong(M_LN10) == 0x40026bb1bbb55516UL;
    out[4] = as_ulong(M_LOG10E) == 0x3fdbcb7b1526e50eUL && as_ulong(M_PI_4) == 0x3fe921fb54442d18UL;
    out[5] = as_ulong(M_1_PI) == 0x3fd45f306dc9c883UL && as_ulong(M_2_PI) == 0x3fe45f306dc9c883UL;
    out[6] = as_ulong(M_SQRT2) == 0x3ff6a09e667f3bcdUL && as_ulong(M_SQRT1_2) == 0x3fe6a09e667f3bcdUL &&
             as_ulong(M_2_SQRTPI) == 0x3ff20dd750429b6dUL;
}

//# accept: FP_CONTRACT OFF at file scope holds to the end of the program
//# expect: 0x00000000
#pragma OPENCL FP_CONTRACT OFF
kernel void test(global uint *out) {
    float x = 1.0f + 0x1p-12f + out[0];
    out[0] = as_uint(x * x - (1.0f + 0x1p-11f));
}

//# accept: inside of a compound statement it holds to its end
//# expect: 0x00000000 1
kernel void test(global uint *out) {
    float x = 1.0f + 0x1p-12f + out[0];
    {
        #pragma OPENCL FP_CONTRACT OFF
        out[0] = as_uint(x * x - (1.0f + 0x1p-11f));
    }
    float y = x * x - (1.0f + 0x1p-11f);
    out[1] = y == 0 || y == 0x1p-24f;
}

//# accept: ON and DEFAULT are the other values
//# expect: 2f
#pragma OPENCL FP_CONTRACT ON
#pragma OPENCL FP_CONTRACT DEFAULT
kernel void test(global uint *out) {
    float x = 1.0f + out[0];
    out[0] = as_uint(x * x + 1);
}

//# accept: FP_FAST_FMAF, where defined, is a number for #if
//# expect: 1
#if defined(FP_FAST_FMAF) && !FP_FAST_FMAF
#error
#endif
kernel void test(global uint *out) {
    out[0] = 1;
}

//# accept: another value is warned about and ignored
//# expect: 1
//# warn: 1: expected 'ON' or 'OFF' or 'DEFAULT' in pragma
#pragma OPENCL FP_CONTRACT maybe
kernel void test(global uint *out) {
    out[0] = 1;
}

//# reject: macros of double are there only with double
//# requires: !fp64
//# error: 2: use of undeclared identifier 'DBL_MAX'
//# error: 3: use of undeclared identifier 'M_PI'
kernel void test(global uint *out) {
    out[0] = DBL_MAX > 1;
    out[1] = M_PI > 1;
}

//# reject: macros of half are there only with half arithmetic
//# requires: !cl_khr_fp16
//# error: 2: use of undeclared identifier 'HALF_DIG'
//# error: 3: use of undeclared identifier 'M_PI_H'
kernel void test(global uint *out) {
    out[0] = HALF_DIG;
    out[1] = M_PI_H;
}

//# accept: the macros of half
//# requires: cl_khr_fp16
//# expect: 3 11 4 16 -4 -13 2 0x7bff 0x0400 0x1400
kernel void test(global uint *out) {
    out[0] = HALF_DIG;
    out[1] = HALF_MANT_DIG;
    out[2] = HALF_MAX_10_EXP;
    out[3] = HALF_MAX_EXP;
    out[4] = HALF_MIN_10_EXP;
    out[5] = HALF_MIN_EXP;
    out[6] = HALF_RADIX;
    out[7] = as_ushort(HALF_MAX);
    out[8] = as_ushort(HALF_MIN);
    out[9] = as_ushort(HALF_EPSILON);
}

//# accept: the constants M_..._H are of type half
//# requires: cl_khr_fp16
//# expect: 0x4170 0x3dc5 0x36f3 0x398c 0x409b 0x4248 0x3e48 0x3a48 0x3518 0x3918 0x3c83 0x3da8 0x39a8
kernel void test(global uint *out) {
    half values[] = {M_E_H, M_LOG2E_H, M_LOG10E_H, M_LN2_H, M_LN10_H, M_PI_H, M_PI_2_H,
                     M_PI_4_H, M_1_PI_H, M_2_PI_H, M_2_SQRTPI_H, M_SQRT2_H, M_SQRT1_2_H};
    for (int i = 0; i < 13; i++)
        out[i] = as_ushort(values[i]);
}

//# reject: the floating-point ones are no constants of the preprocessor
//# error: 1: floating
#if FLT_MAX > 1
#endif
kernel void test(global uint *out) {}

//# reject: they are values, not objects
//# error: 2: expression is not assignable
kernel void test(global uint *out) {
    M_PI_F = 3;
}
