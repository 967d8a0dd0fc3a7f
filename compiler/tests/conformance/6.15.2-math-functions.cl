//! 6.15.2 Math Functions

//# accept: rounding: ceil, floor, trunc, round (halves away from zero), rint (halves to even)
//# expect: 3f -2f 2f -3f 2f -2f 3f -3f 2f -2f 4f
kernel void test(global uint *out) {
    float x = 2.5f + out[0], y = -x;
    global float *f = (global float *)out;
    f[0] = ceil(x);
    f[1] = ceil(y);
    f[2] = floor(x);
    f[3] = floor(y);
    f[4] = trunc(x);
    f[5] = trunc(y);
    f[6] = round(x);
    f[7] = round(y);
    f[8] = rint(x);
    f[9] = rint(y);
    f[10] = rint(x + 1);
}

//# accept: rounding keeps the sign of zero
//# expect: -0f -0f -0f -0f -0f -0f
kernel void test(global uint *out) {
    float zero = out[0], x = zero - 0.25f;
    global float *f = (global float *)out;
    f[0] = ceil(x);
    f[1] = trunc(x);
    f[2] = round(x);
    f[3] = rint(x);
    f[4] = floor(copysign(zero, x));
    f[5] = rint(zero - 0.5f);
}

//# accept: round is exact next to one half and for large values
//# expect: 0f 8388609f 16777216f
kernel void test(global uint *out) {
    float zero = out[0];
    global float *f = (global float *)out;
    f[0] = round(0x1.fffffep-2f + zero);
    f[1] = round(8388609.0f + zero);
    f[2] = round(16777216.0f + zero);
}

//# accept: functions work on each component of a vector
//# expect: 1f 2f 3f 1f 2f 3f 4f 5f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    vstore3(floor((float3)(1.5f, 2.5f, 3.5f) + zero), 0, f);
    float8 v = sqrt((float8)(1, 4, 9, 16, 25, 36, 49, 64) + zero);
    vstore4(v.lo, 0, f + 3);
    f[7] = v.s4;
}

//# accept: an argument of integer type is converted where one type alone fits the others
//# expect: 8f 3f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    int three = 3 + out[0];
    float two = 2;
    f[0] = round(pow(two, three));
    f[1] = fmax(two, three);
}

//# accept: copysign beside the number with the sign
//# expect: -2f -1f 0.5f 1f -1.5f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    for (int i = 0; i < 5; i++) {
        float x = (i - 2) + (float)out[i], y = 0.5f * x;
        if (i == 2)
            y = 0.5f;
        f[i] = i == 0 ? x : i == 4 ? copysign(1.5f, -x) : fabs(x) > 5.0f ? x : copysign(2.0f * y, x);
        f[i] = i == 2 ? 0.5f * f[i] : f[i];
    }
}

//# accept: copysign, fabs: of zeros, infinities and NaN
//# expect: -3f -0f inff 0f 1 0
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = copysign(3.0f + zero, -0.0f);
    f[1] = copysign(zero, -1.0f);
    f[2] = fabs(-INFINITY + zero);
    f[3] = fabs(copysign(zero, -1.0f));
    out[4] = as_uint(copysign(NAN, -1.0f - zero)) >> 31;
    out[5] = as_uint(fabs(copysign(NAN, -1.0f - zero))) >> 31;
}

//# accept: fdim is x - y where x > y, else +0; NaN of NaN
//# expect: 2f 0f 0f 1 1
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = fdim(5.0f + zero, 3.0f);
    f[1] = fdim(3.0f + zero, 5.0f);
    f[2] = fdim(INFINITY, INFINITY + zero);
    out[3] = isnan(fdim(NAN, 1.0f + zero));
    out[4] = isnan(fdim(1.0f + zero, NAN));
}

//# accept: fmax and fmin give the other argument where one is NaN, NaN where both are
//# expect: 2f 2f 2f 2f 1 1 inff -inff
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float x = 2.0f + out[0];
    f[0] = fmax(x, NAN);
    f[1] = fmax(NAN, x);
    f[2] = fmin(x, NAN);
    f[3] = fmin(NAN, x);
    out[4] = isnan(fmax(NAN, NAN));
    out[5] = isnan(fmin(NAN, NAN));
    f[6] = fmax(x, INFINITY);
    f[7] = fmin(x, -INFINITY);
}

//# accept: fmax and fmin of a vector take a scalar for the second
//# expect: 2f 2f 3f 1f 2f 2f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float3 v = (float3)(1, 2, 3) + (float)out[0];
    vstore3(fmax(v, 2.0f), 0, f);
    vstore3(fmin(v, 2.0f), 1, f);
}

//# accept: maxmag and minmag compare magnitudes; of equal ones the greater or smaller number
//# expect: -3f 2f 3f -3f 2f 2f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = maxmag(-3.0f + zero, 2.0f);
    f[1] = minmag(-3.0f + zero, 2.0f);
    f[2] = maxmag(-3.0f + zero, 3.0f);
    f[3] = minmag(-3.0f + zero, 3.0f);
    f[4] = maxmag(NAN, 2.0f + zero);
    f[5] = minmag(2.0f + zero, NAN);
}

//# accept: fma rounds once
//# expect: 0x33000000 0x00000000
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float x = 1.0f + 0x1p-12f + out[0];
    f[0] = fma(x, x, -(1.0f + 0x1p-11f)) * 0x1p-1f;
    f[1] = fma(x, 0.0f, 0.0f);
}

//# accept: fma does not overflow in the product alone, and keeps what cancels
//# expect: 0x7f7fffff inff 0x00000000 0x80000000
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0], big = FLT_MAX + zero;
    f[0] = fma(big, 2.0f, -big);
    f[1] = fma(big, 2.0f, 0.0f);
    f[2] = fma(1.0f + zero, 1.0f, -1.0f);
    f[3] = fma(-1.0f, zero, -0.0f);
}

//# accept: mad computes a * b + c
//# expect: 7f 10f 13f
kernel void test(global uint *out) {
    float2 a = (float2)(2, 3) + (float)out[0];
    global float *f = (global float *)out;
    float2 r = mad(a, (float2)(3), (float2)(1));
    f[0] = r.x;
    f[1] = r.y;
    f[2] = mad(4.0f, 3.0f, 1.0f);
}

//# accept: fmod has the sign of x and is exact
//# expect: 1f -1f 1f 0x34000000 -0f 1 1 5f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = fmod(7.0f + zero, 3.0f);
    f[1] = fmod(-7.0f + zero, 3.0f);
    f[2] = fmod(7.0f + zero, -3.0f);
    f[3] = fmod(1.0f + 0x1p-23f + zero, 0x1p-22f);
    f[4] = fmod(-6.0f + zero, 3.0f);
    out[5] = isnan(fmod(INFINITY, 1.0f + zero));
    out[6] = isnan(fmod(1.0f, zero));
    f[7] = fmod(5.0f + zero, INFINITY);
}

//# accept: remainder rounds the quotient to nearest, halves to even
//# expect: 1f -1f 1f -1f 0f -0f 1
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = remainder(7.0f + zero, 3.0f);
    f[1] = remainder(8.0f + zero, 3.0f);
    f[2] = remainder(5.0f + zero, 2.0f);
    f[3] = remainder(7.0f + zero, 2.0f);
    f[4] = remainder(6.0f + zero, 3.0f);
    f[5] = remainder(-6.0f + zero, 3.0f);
    out[6] = isnan(remainder(1.0f, zero));
}

//# accept: remquo also gives the low seven bits of the quotient with its sign
//# expect: -1f 3 1f -3 2f 100 0f 127
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    int q;
    f[0] = remquo(8.0f + zero, 3.0f, &q);
    out[1] = q;
    f[2] = remquo(-8.0f + zero, 3.0f, &q);
    out[3] = q;
    f[4] = remquo(702.0f + zero, 7.0f, &q);
    out[5] = q;
    f[6] = remquo(255.0f + zero, 1.0f, &q);
    out[7] = q & 127;
}

//# accept: fract gives the fraction, less than 1, and the floor
//# expect: 0.25f 1f 0.75f -2f 0x3f7fffff -1f -0f -0f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0], whole;
    f[0] = fract(1.25f + zero, &whole);
    f[1] = whole;
    f[2] = fract(-1.25f + zero, &whole);
    f[3] = whole;
    f[4] = fract(-0x1p-30f + zero, &whole);
    f[5] = whole;
    f[6] = fract(copysign(zero, -1.0f), &whole);
    f[7] = whole;
}

//# accept: of infinity the fraction is a zero, of NaN both are NaN
//# expect: 0f inff 1 1
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0], whole;
    f[0] = fract(INFINITY + zero, &whole);
    f[1] = whole;
    out[2] = isnan(fract(NAN, &whole));
    out[3] = isnan(whole);
}

//# accept: frexp: a mantissa in [1/2, 1) or 0, and the exponent
//# expect: 0.75f 4 -0.5f 1 -0f 0 0.5f -125
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    int e;
    f[0] = frexp(12.0f + zero, &e);
    out[1] = e;
    f[2] = frexp(-1.0f + zero, &e);
    out[3] = e;
    f[4] = frexp(copysign(zero, -1.0f), &e);
    out[5] = e;
    f[6] = frexp(0x1p-126f + zero, &e);
    out[7] = e;
}

//# accept: frexp, modf and sincos write to global, local and private memory
//# expect: 0.5f 3 0.5f 2f 0f 1f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    local float whole;
    float zero = out[0], cosine;
    f[0] = frexp(4.0f + zero, (global int *)out + 1);
    f[2] = modf(2.5f + zero, &whole);
    f[3] = whole;
    f[4] = sincos(zero, &cosine);
    f[5] = cosine;
}

//# accept: and by generic pointers
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 0.5f 3 0.25f 2f 1 1f
void apart(float x, float *fraction, float *whole) {
    *fraction = modf(x, whole);
}
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0], cosine;
    int e, *p = &e;
    f[0] = frexp(4.0f + zero, p);
    out[1] = e;
    float fraction, whole;
    apart(2.25f + zero, &fraction, &whole);
    f[2] = fraction;
    f[3] = whole;
    int *sign = (global int *)(out + 4);
    f[5] = lgamma_r(1.0f + zero, sign) + 1;
}

//# accept: modf: both parts have the sign of x
//# expect: -0.5f -2f 0f -inff -0f -3f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0], whole;
    f[0] = modf(-2.5f + zero, &whole);
    f[1] = whole;
    f[2] = fabs(modf(-INFINITY + zero, &whole));
    f[3] = whole;
    f[4] = modf(-3.0f + zero, &whole);
    f[5] = whole;
}

//# accept: ilogb and logb give the exponent; FP_ILOGB0 of 0 and FP_ILOGBNAN of NaN
//# expect: 3 -2 1 1 2147483647 3f -inff inff
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    out[0] = ilogb(8.5f + zero);
    out[1] = ilogb(-0.25f + zero);
    out[2] = ilogb(zero) == FP_ILOGB0;
    out[3] = ilogb(NAN) == FP_ILOGBNAN;
    out[4] = ilogb(INFINITY + zero);
    f[5] = logb(-8.5f + zero);
    f[6] = logb(zero);
    f[7] = logb(-INFINITY + zero);
}

//# accept: ldexp multiplies by a power of two, vectors by a scalar or by a vector
//# expect: 12f inff 0f 2f 4f 2f 8f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = ldexp(3.0f + zero, 2);
    f[1] = ldexp(1.0f + zero, 1000);
    f[2] = ldexp(1.0f + zero, -1000);
    float2 a = ldexp((float2)(1, 2) + zero, 1), b = ldexp((float2)(1, 2) + zero, (int2)(1, 2));
    vstore2(a, 0, f + 3);
    vstore2(b, 0, f + 5);
}

//# accept: nan is quiet
//# expect: 1 1 1
kernel void test(global uint *out) {
    uint code = 5 + out[0];
    out[0] = isnan(nan(code));
    out[1] = (as_uint(nan(code)) & 0x00400000) != 0;
    out[2] = all(isnan(nan((uint2)(code))));
}

//# accept: nextafter steps to the neighbour in the direction of y
//# expect: 0x3f800001 0x3f7fffff 0x7f800000 0x7f7fffff 3f 1
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = nextafter(1.0f + zero, 2.0f);
    f[1] = nextafter(1.0f + zero, 0.0f);
    f[2] = nextafter(FLT_MAX + zero, INFINITY);
    f[3] = nextafter(INFINITY, zero);
    f[4] = nextafter(3.0f + zero, 3.0f);
    out[5] = isnan(nextafter(NAN, zero));
}

//# accept: sqrt and rsqrt
//# expect: 3f -0f 1 inff 1 inff 0f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = sqrt(9.0f + zero);
    f[1] = sqrt(copysign(zero, -1.0f));
    out[2] = isnan(sqrt(-1.0f + zero));
    f[3] = sqrt(INFINITY + zero);
    out[4] = fabs(rsqrt(4.0f + zero) - 0.5f) <= 2 * 0x1p-24f;
    f[5] = rsqrt(zero);
    f[6] = rsqrt(INFINITY + zero);
}

//# accept: exp, exp2, exp10, expm1: values and limits
//# expect: 1f 1 inff 0f 8f inff 1f 1 -1f -0f 1
#define NEAR(x, y, ulp) (fabs((x) - (y)) <= (ulp) * 0x1p-23f * fabs(y))
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = exp(zero);
    out[1] = NEAR(exp(1 + zero), M_E_F, 3);
    f[2] = exp(INFINITY + zero);
    f[3] = exp(-INFINITY + zero);
    f[4] = round(exp2(3.0f + zero));
    f[5] = exp2(1000.0f + zero);
    f[6] = exp10(zero);
    out[7] = NEAR(exp10(2 + zero), 100.0f, 3);
    f[8] = expm1(-INFINITY + zero);
    f[9] = expm1(copysign(zero, -1.0f));
    out[10] = NEAR(expm1(0x1p-20f + zero), 0x1.000008p-20f, 3);
}

//# accept: log, log2, log10, log1p: values and limits
//# expect: 0f -inff inff 1 10f 1 -0f -inff 1 1
#define NEAR(x, y, ulp) (fabs((x) - (y)) <= (ulp) * 0x1p-23f * fabs(y))
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = log(1 + zero);
    f[1] = log(zero);
    f[2] = log2(INFINITY + zero);
    out[3] = isnan(log(-1 + zero));
    f[4] = log2(1024 + zero);
    out[5] = NEAR(log10(1000 + zero), 3.0f, 3);
    f[6] = log1p(copysign(zero, -1.0f));
    f[7] = log1p(-1 + zero);
    out[8] = NEAR(log1p(0x1p-20f + zero), 0x1.fffffp-21f, 2);
    out[9] = NEAR(log(M_E_F + zero), 1.0f, 3);
}

//# accept: sin, cos, tan: values, zeros and NaN of infinities
//# expect: -0f 1f 1 1 1 1 1 1 0f
#define NEAR(x, y, ulp) (fabs((x) - (y)) <= (ulp) * 0x1p-23f * fabs(y))
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = sin(copysign(zero, -1.0f));
    f[1] = cos(zero);
    out[2] = isnan(sin(INFINITY + zero));
    out[3] = isnan(cos(-INFINITY + zero));
    out[4] = NEAR(sin(1.0f + zero), 0.84147098f, 4);
    out[5] = NEAR(cos(1.0f + zero), 0.54030231f, 4);
    out[6] = NEAR(tan(1.0f + zero), 1.5574077f, 5);
    out[7] = isnan(tan(INFINITY + zero));
    f[8] = tan(zero);
}

//# accept: arguments far from zero are reduced exactly
//# expect: 1 1 1
#define NEAR(x, y, ulp) (fabs((x) - (y)) <= (ulp) * 0x1p-23f * fabs(y))
kernel void test(global uint *out) {
    float zero = out[0];
    out[0] = NEAR(sin(1048575.0f + zero), -0.61562117f, 4);
    // The float nearest to 1e20 is 100000002004087734272.
    out[1] = NEAR(sin(1e20f + zero), 0.65657668f, 4);
    out[2] = NEAR(cos(1e20f + zero), 0.754259283f, 4);
}

//# accept: sincos gives the sine, and the cosine by pointer
//# expect: 1 1 0f 1f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0], c;
    float2 c2, s2 = sincos((float2)(1.0f, 2.0f) + zero, &c2);
    out[0] = all(fabs(s2 - sin((float2)(1.0f, 2.0f))) < 0x1p-20f);
    out[1] = all(fabs(c2 - cos((float2)(1.0f, 2.0f))) < 0x1p-20f);
    f[2] = sincos(zero, &c);
    f[3] = c;
}

//# accept: sinpi, cospi and tanpi are exact where the angle is a multiple of a quarter turn
//# expect: 1f 0f -0f -1f 0f -1f inff 0f 1
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = sinpi(0.5f + zero);
    f[1] = sinpi(2.0f + zero);
    f[2] = sinpi(-2.0f + zero);
    f[3] = cospi(1.0f + zero);
    f[4] = cospi(0.5f + zero);
    f[5] = cospi(3.0f + zero);
    f[6] = tanpi(0.5f + zero);
    f[7] = tanpi(2.0f + zero);
    out[8] = isnan(sinpi(INFINITY + zero));
}

//# accept: acos, asin, atan and atan2: values, quadrants, NaN outside of [-1, 1]
//# expect: 0f -0f 1 1 1 1 1 1 -0f 1
#define NEAR(x, y, ulp) (fabs((x) - (y)) <= (ulp) * 0x1p-23f * fabs(y))
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = acos(1 + zero);
    f[1] = asin(copysign(zero, -1.0f));
    out[2] = isnan(acos(2 + zero)) && isnan(asin(-2 + zero));
    out[3] = NEAR(acos(-1 + zero), M_PI_F, 4);
    out[4] = NEAR(asin(1 + zero), M_PI_2_F, 4);
    out[5] = NEAR(atan(INFINITY + zero), M_PI_2_F, 5);
    out[6] = NEAR(atan2(1 + zero, -1.0f), 3 * M_PI_4_F, 6);
    out[7] = NEAR(atan2(-1 + zero, -1.0f), -3 * M_PI_4_F, 6);
    f[8] = atan2(copysign(zero, -1.0f), 1.0f);
    out[9] = NEAR(atan2(zero, -1.0f), M_PI_F, 6);
}

//# accept: acospi, asinpi, atanpi and atan2pi are the same in half turns
//# expect: 1 0f 1 1 1 1 -0f
#define NEAR(x, y, ulp) (fabs((x) - (y)) <= (ulp) * 0x1p-23f * fabs(y))
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    out[0] = NEAR(acospi(-1 + zero), 1.0f, 5);
    f[1] = acospi(1 + zero);
    out[2] = NEAR(asinpi(1 + zero), 0.5f, 5);
    out[3] = NEAR(atanpi(INFINITY + zero), 0.5f, 5);
    out[4] = NEAR(atan2pi(1 + zero, -1.0f), 0.75f, 6);
    out[5] = NEAR(atan2pi(-1 + zero, zero), -0.5f, 6);
    f[6] = asinpi(copysign(zero, -1.0f));
}

//# accept: sinh, cosh, tanh and their inverses
//# expect: -0f 1f 1f -1f 1 1 1 1 inff 0f 1
#define NEAR(x, y, ulp) (fabs((x) - (y)) <= (ulp) * 0x1p-23f * fabs(y))
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = sinh(copysign(zero, -1.0f));
    f[1] = cosh(zero);
    f[2] = tanh(INFINITY + zero);
    f[3] = tanh(-100 + zero);
    out[4] = NEAR(sinh(1 + zero), 1.1752012f, 4);
    out[5] = NEAR(cosh(1 + zero), 1.5430806f, 4);
    out[6] = NEAR(asinh(1 + zero), 0.88137359f, 4);
    out[7] = NEAR(acosh(2 + zero), 1.3169579f, 4);
    f[8] = atanh(1 + zero);
    f[9] = acosh(1 + zero);
    out[10] = isnan(acosh(zero)) && isnan(atanh(2 + zero));
}

//# accept: cbrt and hypot, without overflow on the way
//# expect: 1 -0f 1 inff 1
#define NEAR(x, y, ulp) (fabs((x) - (y)) <= (ulp) * 0x1p-23f * fabs(y))
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    out[0] = NEAR(cbrt(-27 + zero), -3.0f, 2);
    f[1] = cbrt(copysign(zero, -1.0f));
    out[2] = NEAR(hypot(3e30f + zero, 4e30f), 5e30f, 4);
    f[3] = hypot(NAN, INFINITY + zero);
    out[4] = isnan(hypot(NAN, zero));
}

//# accept: erf, erfc, tgamma, lgamma
//# expect: -0f 1f 2f 1 1 1 inff 1
#define NEAR(x, y, ulp) (fabs((x) - (y)) <= (ulp) * 0x1p-23f * fabs(y))
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = erf(copysign(zero, -1.0f));
    f[1] = erf(INFINITY + zero);
    f[2] = erfc(-INFINITY + zero);
    out[3] = NEAR(erf(1 + zero), 0.84270079f, 16);
    out[4] = NEAR(tgamma(5 + zero), 24.0f, 16);
    out[5] = NEAR(lgamma(10 + zero), 12.801827f, 8);
    f[6] = lgamma(zero);
    out[7] = isnan(tgamma(-1 + zero));
}

//# accept: lgamma_r gives the sign of the gamma function
//# expect: 1 -1 1
kernel void test(global uint *out) {
    float zero = out[0];
    int sign;
    float r = lgamma_r(2.5f + zero, &sign);
    out[0] = sign;
    r += lgamma_r(-0.5f + zero, &sign);
    out[1] = sign;
    r += lgamma_r(-1.5f + zero, &sign);
    out[2] = sign;
}

//# accept: the sign of lgamma_r is 0 at the poles
//# expect: 0 0 0 1
kernel void test(global uint *out) {
    float zero = out[0];
    int sign;
    lgamma_r(zero, &sign);
    out[0] = sign;
    lgamma_r(copysign(zero, -1.0f), &sign);
    out[1] = sign;
    lgamma_r(-3.0f + zero, &sign);
    out[2] = sign;
    lgamma_r(3.0f + zero, &sign);
    out[3] = sign;
}

//# accept: pow: whatever to the power 0 is 1, 1 to whatever power is 1
//# expect: 1f 1f 1f 1f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = pow(NAN, zero);
    f[1] = pow(INFINITY, zero);
    f[2] = pow(1 + zero, NAN);
    f[3] = pow(-1 + zero, INFINITY);
}

//# accept: pow: signs, zeros and NaN of a negative base
//# expect: -8f 0.25f inff -inff -0f 1
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0], minus = copysign(zero, -1.0f);
    f[0] = round(pow(-2 + zero, 3.0f));
    f[1] = round(4 * pow(-2 + zero, -2.0f)) / 4;
    f[2] = pow(zero, -1.0f);
    f[3] = pow(minus, -1.0f);
    f[4] = pow(minus, 3.0f);
    out[5] = isnan(pow(-2 + zero, 0.5f));
}

//# accept: pown takes an int
//# expect: 9f -27f 1f inff -inff 4f 27f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = round(pown(-3 + zero, 2));
    f[1] = round(pown(-3 + zero, 3));
    f[2] = pown(NAN, (int)zero);
    f[3] = pown(zero, -2);
    f[4] = pown(copysign(zero, -1.0f), -1);
    vstore2(round(pown((float2)(2, 3) + zero, (int2)(2, 3))), 0, f + 5);
}

//# accept: powr is for x >= 0: NaN where 0, infinity or 1 leave it open
//# expect: 1 1 1 1 8f inff
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    out[0] = isnan(powr(-1 + zero, 2.0f));
    out[1] = isnan(powr(zero, zero));
    out[2] = isnan(powr(INFINITY + zero, zero));
    out[3] = isnan(powr(1 + zero, INFINITY));
    f[4] = round(powr(2 + zero, 3.0f));
    f[5] = powr(zero, -1.0f);
}

//# accept: rootn: odd roots of negative numbers, NaN of even ones and of the root 0
//# expect: 3f -3f 1 1 inff -0f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = round(rootn(27 + zero, 3));
    f[1] = round(rootn(-27 + zero, 3));
    out[2] = isnan(rootn(-4 + zero, 2));
    out[3] = isnan(rootn(4 + zero, (int)zero));
    f[4] = rootn(zero, -2);
    f[5] = rootn(copysign(zero, -1.0f), 3);
}

//# accept: half_ functions, to 8192 ulp
//# expect: 1 1 1 1 1 1 1
#define NEAR(x, y) (fabs((x) - (y)) <= 0x1p-10f * fabs(y))
kernel void test(global uint *out) {
    float zero = out[0], x = 1.5f + zero;
    out[0] = NEAR(half_cos(zero), 1.0f) && NEAR(half_sin(x), 0.99749499f);
    out[1] = NEAR(half_tan(1 + zero), 1.5574077f) && NEAR(half_divide(x, 3.0f), 0.5f);
    out[2] = NEAR(half_exp(x), 4.4816891f) && NEAR(half_exp2(x), 2.8284271f);
    out[3] = NEAR(half_exp10(x), 31.622777f) && NEAR(half_log(x), 0.40546511f);
    out[4] = NEAR(half_log2(x), 0.5849625f) && NEAR(half_log10(x), 0.17609126f);
    out[5] = NEAR(half_powr(x, 2.0f), 2.25f) && NEAR(half_recip(x), 0.66666669f);
    out[6] = NEAR(half_sqrt(x), 1.2247449f) && NEAR(half_rsqrt(x), 0.81649658f);
}

//# accept: half_sin and half_cos are within 1 for any number, and NaN of what is none
//# expect: 0 0 0 0
kernel void test(global uint *out) {
    float zero = out[0];
    for (int exponent = -20; exponent < 128; exponent++) {
        float x = ldexp(1.2345f + zero, exponent);
        out[0] += !(fabs(half_sin(x)) <= 1.001f) + !(fabs(half_sin(-x)) <= 1.001f);
        out[1] += !(fabs(half_cos(x)) <= 1.001f) + !(fabs(half_cos(-x)) <= 1.001f);
    }
    out[2] = !isnan(half_sin(INFINITY + zero)) + !isnan(half_cos(-INFINITY + zero));
    out[3] = !isnan(half_sin(NAN + zero)) + !isnan(half_cos(NAN + zero));
}

//# accept: native_ functions, of scalars and vectors
//# expect: 1 1 1 1 1 1 1
#define NEAR(x, y) all(fabs((x) - (y)) <= 0x1p-8f * fabs((float2)(y)))
kernel void test(global uint *out) {
    float zero = out[0];
    float2 x = 1.5f + zero;
    out[0] = NEAR(native_cos((float2)(zero)), 1.0f) && NEAR(native_sin(x), 0.99749499f);
    out[1] = NEAR(native_tan(x - 0.5f), 1.5574077f) && NEAR(native_divide(x, (float2)(3)), 0.5f);
    out[2] = NEAR(native_exp(x), 4.4816891f) && NEAR(native_exp2(x), 2.8284271f);
    out[3] = NEAR(native_exp10(x), 31.622777f) && NEAR(native_log(x), 0.40546511f);
    out[4] = NEAR(native_log2(x), 0.5849625f) && NEAR(native_log10(x), 0.17609126f);
    out[5] = NEAR(native_powr(x, (float2)(2)), 2.25f) && NEAR(native_recip(x), 0.66666669f);
    out[6] = NEAR(native_sqrt(x), 1.2247449f) && NEAR(native_rsqrt(x), 0.81649658f);
}

//# accept: of double where there are doubles
//# requires: fp64
//# expect: 1 1 1 1 1 1 1
#define NEAR(x, y) (fabs((x) - (y)) <= 4 * 0x1p-52 * fabs(y))
kernel void test(global uint *out) {
    double zero = out[0], whole;
    int e;
    out[0] = NEAR(sin(1 + zero), 0.84147098480789650665) && NEAR(exp(1 + zero), M_E);
    out[1] = NEAR(log(M_E + zero), 1.0) && NEAR(pow(2 + zero, 0.5), M_SQRT2);
    out[2] = modf(2.5 + zero, &whole) == 0.5 && whole == 2;
    out[3] = frexp(12 + zero, &e) == 0.75 && e == 4;
    out[4] = fma(1 + 0x1p-30 + zero, 1 + 0x1p-30, -(1 + 0x1p-29)) == 0x1p-60;
    out[5] = all(sqrt((double2)(4, 9) + zero) == (double2)(2, 3));
    out[6] = ilogb(1024 + zero) == 10 && isnan(nan((ulong)zero));
}

//# accept: of half where there is half arithmetic: rounding, signs and what is exact
//# requires: cl_khr_fp16
//# expect: 1 1 1 1 1 1
kernel void test(global uint *out) {
    half zero = (half)(int)out[0], x = 2.5h + zero;
    out[0] = ceil(x) == 3 && floor(x) == 2 && trunc(-x) == -2 && round(x) == 3 && rint(x) == 2;
    out[1] = fabs(-x) == x && copysign(x, -1.0h) == -x && fdim(x, 1.0h) == 1.5h && fdim(1.0h, x) == 0;
    out[2] = fmax(x, NAN) == x && fmin((half)NAN, x) == x && maxmag(-x, 1.0h) == -x && minmag(-x, 1.0h) == 1;
    out[3] = fma(x, 2.0h, 1.0h) == 6 && mad(x, 2.0h, 1.0h) == 6 && fmod(x, 2.0h) == 0.5h && remainder(x, 2.0h) == 0.5h;
    out[4] = ldexp(x, 2) == 10 && ilogb(x) == 1 && logb(x) == 1 && isnan(nan((ushort)1));
    out[5] = as_ushort(nextafter(1.0h + zero, 2.0h)) == 0x3c01 && as_ushort(nextafter(as_half((ushort)0x8001), zero)) == 0x8000 && all(sqrt((half2)(4, 9) + zero) == (half2)(2, 3));
}

//# accept: by pointers
//# requires: cl_khr_fp16
//# expect: 1 1 1 1
kernel void test(global uint *out) {
    half zero = (half)(int)out[0], whole, cosine;
    int e, q;
    out[0] = frexp(12.0h + zero, &e) == 0.75h && e == 4;
    out[1] = modf(2.5h + zero, &whole) == 0.5h && whole == 2;
    out[2] = fract(1.25h + zero, &whole) == 0.25h && whole == 1;
    out[3] = remquo(8.0h + zero, 3.0h, &q) == -1 && q == 3 && sincos(zero, &cosine) == 0 && cosine == 1;
}

//# accept: elementary functions, to 2 to 4 ulp
//# requires: cl_khr_fp16
//# expect: 1 1 1 1 1 1
#define NEAR(x, y) (fabs((float)(x) - (y)) <= 4 * 0x1p-10f * fabs(y))
kernel void test(global uint *out) {
    half zero = (half)(int)out[0], x = 0.5h + zero;
    out[0] = NEAR(sin(x), 0.47942554f) && NEAR(cos(x), 0.87758256f) && NEAR(tan(x), 0.54630249f);
    out[1] = NEAR(asin(x), 0.52359878f) && NEAR(acos(x), 1.0471976f) && NEAR(atan(x), 0.46364761f);
    out[2] = NEAR(exp(x), 1.6487213f) && NEAR(exp2(x), 1.4142136f) && NEAR(exp10(x), 3.1622777f) && NEAR(expm1(x), 0.64872127f);
    out[3] = NEAR(log(x), -0.69314718f) && NEAR(log2(x), -1.0f) && NEAR(log10(x), -0.30103f) && NEAR(log1p(x), 0.40546511f);
    out[4] = NEAR(sinh(x), 0.52109531f) && NEAR(cosh(x), 1.127626f) && NEAR(tanh(x), 0.46211716f) && NEAR(cbrt(x), 0.79370053f);
    out[5] = NEAR(pow(x, 2.0h), 0.25f) && NEAR(pown(x, 3), 0.125f) && NEAR(rootn(x, 2), 0.70710678f) && NEAR(hypot(3 * x, 4 * x), 2.5f);
}

//# reject: of half where there is none
//# requires: !cl_khr_fp16
//# error: 3: half
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    out[0] = sqrt(h[0]) > 0;
}

//# accept: MAXFLOAT, HUGE_VALF, INFINITY and NAN are constants of type float
//# expect: 0x7f7fffff 0x7f800000 0x7f800000 1 4 4 4 4
constant float values[4] = {MAXFLOAT, HUGE_VALF, INFINITY, NAN};
kernel void test(global uint *out) {
    out[0] = as_uint(values[0]);
    out[1] = as_uint(values[1]);
    out[2] = as_uint(values[2]);
    out[3] = isnan(values[3]);
    out[4] = sizeof(MAXFLOAT);
    out[5] = sizeof(HUGE_VALF);
    out[6] = sizeof(INFINITY);
    out[7] = sizeof(NAN);
}

//# accept: HUGE_VAL is of type double
//# requires: fp64
//# expect: 8 1
kernel void test(global uint *out) {
    out[0] = sizeof(HUGE_VAL);
    out[1] = isinf(HUGE_VAL) && HUGE_VAL > 0;
}

//# reject: HUGE_VAL is there only with double
//# requires: !fp64
//# error: 2: use of undeclared identifier 'HUGE_VAL'
kernel void test(global uint *out) {
    out[0] = isinf(HUGE_VAL);
}

//# reject: all arguments are of one type
//# error: 4: no matching function for call to 'pow'
//# error: 5: no matching function for call to 'fma'
//# error: 6: no matching function for call to 'atan2'
kernel void test(global uint *out) {
    float2 a = (float2)(1);
    float4 b = (float4)(1);
    a = pow(a, b);
    b = fma(b, b, a);
    a = atan2(b, a);
}

//# reject: the number of arguments is that of the table
//# error: 2: no matching function for call to 'sin'
//# error: 3: no matching function for call to 'pow'
//# error: 4: no matching function for call to 'fma'
//# error: 5: no matching function for call to 'sincos'
kernel void test(global uint *out) {
    float a = sin();
    a = pow(a);
    a = fma(a, a);
    a = sincos(a);
}

//# reject: pointers are no numbers
//# error: 2: no matching function for call to 'sin'
//# error: 3: no matching function for call to 'fmax'
kernel void test(global uint *out) {
    float a = sin(out);
    a = fmax(a, &a);
}

//# reject: nor are structs
//# error: 3: no matching function for call to 'exp'
kernel void test(global uint *out) {
    struct s { float a; } x = {1};
    out[0] = exp(x);
}

//# reject: pointers of results point to the type of the arguments
//# error: 5: no matching function for call to 'modf'
//# error: 6: no matching function for call to 'frexp'
//# error: 7: no matching function for call to 'sincos'
//# error: 8: no matching function for call to 'remquo'
kernel void test(global uint *out) {
    float x = 1, f;
    int i; uint u;
    float2 v;
    x = modf(x, &i);
    x = frexp(x, &u);
    v = sincos(v, &f);
    x = remquo(x, x, &f);
}

//# reject: they do not point to constant memory, nor to what is const
//# error: 4: no matching function for call to 'modf'
//# error: 5: no matching function for call to 'frexp'
constant float c = 1;
kernel void test(global uint *out) {
    const int e = 1;
    float x = modf(2.0f, &c);
    x = frexp(x, &e);
}

//# reject: generic pointers require OpenCL C 2.0 or later: before, they are private
//# options: -cl-std=CL1.2
//# error: 3: changes address space of pointer
kernel void test(global uint *out) {
    global float *g = (global float *)out;
    float *p = g;
    *p = modf(1.5f, p);
}

//# reject: the integer arguments of ldexp, pown and rootn have as many components as x
//# error: 4: no matching function for call to 'ldexp'
//# error: 5: no matching function for call to 'pown'
//# error: 6: no matching function for call to 'rootn'
kernel void test(global uint *out) {
    float4 x = (float4)(1);
    int2 k = (int2)(1);
    x = ldexp(x, k);
    x = pown(x, k);
    x = rootn(x, k);
}

//# reject: nan takes unsigned integers as wide as its result
//# error: 3: no matching function for call to 'nan'
kernel void test(global uint *out) {
    uchar2 code = (uchar2)(1);
    out[0] = all(isnan(nan(code)));
}

//# reject: half_ and native_ functions are of float alone
//# requires: fp64
//# error: 3: no matching function for call to 'native_sin'
//# error: 4: no matching function for call to 'half_sqrt'
kernel void test(global uint *out) {
    double2 x = (double2)(1);
    x = native_sin(x);
    x = half_sqrt(x);
}

//# reject: there are no functions of double without double
//# requires: !fp64
//# error: 2: requires cl_khr_fp64
kernel void test(global uint *out) {
    double x = 1;
}

//# reject: integer vectors are not converted
//# error: 3: no matching function for call to 'sin'
//# error: 4: no matching function for call to 'fmin'
kernel void test(global uint *out) {
    int4 i = (int4)(1);
    float4 x = sin(i);
    x = fmin(x, i);
}

//# reject: maxmag and minmag require OpenCL C 1.1
//# options: -cl-std=CL1.0
//# error: 2: implicit declaration of function 'maxmag' is invalid
//# error: 3: implicit declaration of function 'minmag' is invalid
kernel void test(global uint *out) {
    float x = maxmag(1.0f, 2.0f);
    x = minmag(1.0f, 2.0f);
}

//# reject: the functions of C's math library that OpenCL C has not
//# error: 2: implicit declaration of function 'sqrtf' is invalid
//# error: 3: implicit declaration of function 'nearbyint' is invalid
//# error: 4: implicit declaration of function 'scalbn' is invalid
kernel void test(global uint *out) {
    float x = sqrtf(1.0f);
    x = nearbyint(x);
    x = scalbn(x, 2);
}

//# accept: round of doubles: halves away from zero, exact next to one half and for large values
//# requires: fp64
//# expect: 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    double zero = out[0];
    out[0] = round(0x1.fffffffffffffp-2 + zero) == 0.0;
    out[1] = round(0.5 + zero) == 1.0 && round(-0.5 - zero) == -1.0;
    out[2] = round(2.5 + zero) == 3.0 && round(0x1.3ffffffffffffp1 + zero) == 2.0;
    out[3] = round(4503599627370495.5 + zero) == 4503599627370496.0;
    out[4] = round(4503599627370497.0 + zero) == 4503599627370497.0;
    out[5] = round(9007199254740993.0 + zero) == 9007199254740993.0;
    out[6] = as_ulong(round(-0.25 - zero)) == 0x8000000000000000;
}

//# accept: maxmag and minmag: the greater or lesser magnitude, else what fmax and fmin give; NaN is no number
//# expect: 0xc0400000 0x40000000 0x40000000 0xc0000000 0 0x80000000 0x80000000 0 0xbf800000 0xbf800000
//# expect: 0x7f800000 0x3f800000 0xff800000 1 1
kernel void test(global uint *out) {
    float zero = out[0], one = zero + 1, nan = zero / zero, inf = one / zero;
    global float *f = (global float *)out;
    f[0] = maxmag(-3 * one, 2 * one);
    f[1] = minmag(-3 * one, 2 * one);
    f[2] = maxmag(-2 * one, 2 * one);
    f[3] = minmag(2 * one, -2 * one);
    f[4] = maxmag(zero, -zero);
    f[5] = minmag(-zero, zero);
    f[6] = maxmag(-zero, -zero);
    f[7] = minmag(zero, zero);
    f[8] = maxmag(nan, -one);
    f[9] = minmag(-one, nan);
    f[10] = maxmag(inf, -one);
    f[11] = minmag(-inf, one);
    f[12] = maxmag(one, -inf);
    out[13] = isnan(maxmag(nan, nan));
    out[14] = isnan(minmag(nan, nan));
}

//# accept: the same of doubles
//# requires: fp64
//# expect: 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    double zero = out[0], one = zero + 1, nan = zero / zero, inf = one / zero, least = as_double((ulong)out[0] + 1);
    out[0] = maxmag(-3 * one, 2 * one) == -3 && minmag(-3 * one, 2 * one) == 2;
    out[1] = maxmag(-2 * one, 2 * one) == 2 && maxmag(2 * one, -2 * one) == 2;
    out[2] = minmag(-2 * one, 2 * one) == -2 && minmag(2 * one, -2 * one) == -2;
    out[3] = as_ulong(maxmag(-zero, zero)) == 0 && as_long(minmag(zero, -zero)) < 0;
    out[4] = maxmag(nan, -one) == -1 && maxmag(-one, nan) == -1 && minmag(nan, one) == 1 && minmag(one, nan) == 1;
    out[5] = isnan(maxmag(nan, nan)) && isnan(minmag(nan, nan));
    out[6] = maxmag(-inf, inf) == inf && minmag(-inf, one) == 1;
    out[7] = as_ulong(maxmag(zero, least)) == 1 && as_ulong(minmag(least, 2 * least)) == 1;
}

//# accept: ends of the exponents' range: nextafter, logb, ilogb and ldexp of doubles
//# requires: fp64
//# expect: 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    double zero = out[0], one = zero + 1, inf = one / zero, nan = zero / zero;
    double least = as_double((ulong)out[0] + 1);
    out[0] = as_ulong(nextafter(zero, -one)) == 0x8000000000000001 && nextafter(least, zero) == 0;
    out[1] = as_ulong(nextafter(-least, one)) == 0x8000000000000000;
    out[2] = nextafter(one, inf) == 0x1.0000000000001p0 && nextafter(one, -one) == 0x1.fffffffffffffp-1;
    out[3] = nextafter(inf, zero) == 0x1.fffffffffffffp1023 && nextafter(-one, -inf) == -0x1.0000000000001p0;
    out[4] = isnan(nextafter(nan, one)) && isnan(nextafter(one, nan)) && as_long(nextafter(zero, -zero)) < 0;
    out[5] = logb(least) == -1074 && logb(zero) == -inf && logb(-inf) == inf && logb(6 * one) == 2;
    out[6] = ilogb(least) == -1074 && ilogb(zero) == FP_ILOGB0 && ilogb(nan) == FP_ILOGBNAN && ilogb(-one) == 0;
    out[7] = ldexp(3 * one, -1075) == 2 * least && ldexp(least, 1074) == 1 && ldexp(one, 1024) == inf;
}

//# accept: rint, trunc, round and modf of doubles beyond 2^24, and next to a half
//# requires: fp64
//# expect: 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    double zero = out[0], large = 0x1.fffffffffffffp24 + zero, whole, inf = 1.0 / zero;
    out[0] = rint(-0x1.0000000000001p-1 - zero) == -1.0 && as_ulong(rint(-0.5 - zero)) == 0x8000000000000000;
    out[1] = rint(2.5 + zero) == 2.0 && rint(3.5 + zero) == 4.0 && rint(0x1.8000000000001p1 + zero) == 3.0;
    out[2] = rint(large) == 0x1p25 && rint(-0x1.0000000000004p24 - zero) == -0x1p24;
    out[3] = trunc(large) == 0x1ffffff && trunc(-large) == -0x1ffffff;
    out[4] = round(0x1.0000000000004p24 + zero) == 0x1p24 && round(large) == 0x1p25;
    out[5] = modf(0x1.1f867b8000001p30 + zero, &whole) == 0x1p-22 && whole == 0x1.1f867b8p30;
    out[6] = rint(-inf) == -inf && trunc(inf) == inf && isnan(rint(zero / zero)) && isnan(trunc(zero / zero));
    out[7] = rint(0x1.0000000000001p52 + zero) == 0x1.0000000000001p52 && as_ulong(trunc(-zero)) == 0x8000000000000000;
}

//# accept: cosh and its kin of NaN, and of the largest numbers
//# requires: fp64
//# expect: 1 1 1 1
kernel void test(global uint *out) {
    double zero = out[0], nan = zero / zero, inf = 1.0 / zero;
    out[0] = isnan(cosh(nan)) && isnan(sinh(nan)) && isnan(tanh(nan)) && isnan(expm1(nan)) && isnan(exp(-nan));
    out[1] = cosh(-inf) == inf && sinh(-inf) == -inf && cosh(720.0 + zero) == inf && tanh(inf) == 1.0;
    out[2] = isfinite(pow(0x1.ffffffffffffdp15 + zero, 64.0)) && pow(65536.0 + zero, 64.0) == inf;
    out[3] = isfinite(powr(0x1.ffffffffffffdp15 + zero, 64.0)) && isfinite(pown(-0x1.ffffffffffffcp15 - zero, 64));
}

//# accept: powers that are finite by little
//# expect: 1 1 1 1
kernel void test(global uint *out) {
    float zero = out[0], inf = 1.0f / zero;
    out[0] = isfinite(pow(-0x1.fffff8p15f - zero, 8.0f)) && pow(65536.0f + zero, 8.0f) == inf;
    out[1] = isfinite(pown(-0x1.fffff8p15f - zero, 8)) && pown(65536.0f + zero, 8) == inf;
    out[2] = isfinite(powr(0x1.fffff8p15f + zero, 8.0f)) && powr(65537.0f + zero, 8.0f) == inf;
    out[3] = pow(2.0f + zero, 200.0f) == inf && pow(2.0f + zero, 127.0f) == 0x1p127f;
}

//# accept: functions of denormal doubles that are denormal
//# requires: fp64
//# expect: 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    double x = as_double(0x800b1629abbfb603ul | out[0]), one = 1.0 + out[0], cosine, whole;
    int quotient;
    out[0] = as_ulong(sin(x)) == as_ulong(x) && as_ulong(tan(x)) == as_ulong(x) && as_ulong(asin(x)) == as_ulong(x);
    out[1] = as_ulong(sincos(x, &cosine)) == as_ulong(x) && cosine == 1.0 && as_ulong(atan(x)) == as_ulong(x);
    out[2] = as_ulong(sinh(x)) == as_ulong(x) && as_ulong(tanh(x)) == as_ulong(x) && as_ulong(asinh(x)) == as_ulong(x);
    out[3] = as_ulong(expm1(x)) == as_ulong(x) && as_ulong(log1p(x)) == as_ulong(x) && as_ulong(atanh(x)) == as_ulong(x);
    out[4] = as_ulong(modf(x, &whole)) == as_ulong(x) && as_ulong(whole) == 0x8000000000000000ul;
    out[5] = as_ulong(fmod(x, one)) == as_ulong(x) && as_ulong(fmod(-x, 0x1p-800 * one)) == as_ulong(-x);
    out[6] = as_ulong(remainder(x, 0x1p-850 * one)) == as_ulong(x) && as_ulong(remquo(x, one, &quotient)) == as_ulong(x);
    // The nearest numbers to pi x, x pi tan's and x / pi, and those beside them.
    out[7] = as_ulong(sinpi(x)) - 0x80216a2cf85f1651ul + 4 < 9 && as_ulong(tanpi(x)) - 0x80216a2cf85f1651ul + 6 < 13
        && as_ulong(asinpi(x)) - 0x8003876a4f2acd92ul + 5 < 11;
}
