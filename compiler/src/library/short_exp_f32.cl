// Exponentials and hyperbolic functions of float for devices with a fused fma and an accurate 2^x: one such operation,
// and a factor near 1 for what rounding its argument lost. Polynomials are minimax ones found as in coefficients_f32.cl.

#if SHORT_EXP
// log2(e) and log2(10), a little short, so that what the product leaves of a large x is positive: where 2^x
// overflows, the factor must not be below 1.
#define LOG2E_SHORT 1.4426943f
#define LOG2_10_SHORT 3.3219262f
// In two parts each.
#define LN2_1 0.693147182f
#define LN2_2 -1.90465421e-09f
#define LOG10_2_1 0.30103001f
#define LOG10_2_2 -1.43209888e-08f
#define LN10 2.30258512f

// exp: 3 ulp allowed; below the device's 2^x and 0.6.
float __exp_f32(float x) {
    float h = x * LOG2E_SHORT;
    float rest = fma(h, -LN2_1, x);
    rest = fma(h, -LN2_2, rest);
    float power = native_exp2(h);
    float result = fma(power, rest, power);
    // Of infinity nothing is left but NaN.
    return fabs(x) < 104.0f ? result : power;
}

// e^ax / 2 for ax >= 0, finite where that is.
float __half_exp_f32(float ax) {
    float h = ax * LOG2E_SHORT;
    float rest = fma(h, -LN2_1, ax);
    rest = fma(h, -LN2_2, rest);
    float power = native_exp2(h - 1.0f);
    float result = fma(power, rest, power);
    return ax < 104.0f ? result : power;
}

// exp2: 3 ulp allowed; the device's.
float __exp2_f32(float x) {
    return native_exp2(x);
}

// exp10: 3 ulp allowed; below the device's 2^x and 0.6.
float __exp10_f32(float x) {
    float h = x * LOG2_10_SHORT;
    float rest = fma(h, -LOG10_2_1, x);
    rest = fma(h, -LOG10_2_2, rest);
    float power = native_exp2(h);
    float result = fma(power, rest * LN10, power);
    return fabs(x) < 46.0f ? result : power;
}

// sinh: 4 ulp allowed; below 4.
float __sinh_f32(float x) {
    float z = x * x;
    // (sinh(x) - x) / x^3 in z = x^2 <= 1: error below 2^-25.
    float p = fma(0.000203728341f, z, 0.00833027437f);
    p = fma(p, z, 0.166667163f);
    float small = fma(p, z * x, x);
    float power = __half_exp_f32(fabs(x));
    float large = fma(-0.25f, native_recip(power), power);
    float ax = fabs(x);
    return ax < 1.0f ? small : copysign(large, x);
}

// cosh: 4 ulp allowed; below 4.
float __cosh_f32(float x) {
    float power = __half_exp_f32(fabs(x));
    return fma(0.25f, native_recip(power), power);
}

// tanh: 5 ulp allowed; below 4.
float __tanh_f32(float x) {
    float z = x * x;
    // (tanh(x) - x) / x^3 in z = x^2 <= 0.55^2: error below 2^-24.
    float p = fma(0.0164378788f, z, -0.0526720099f);
    p = fma(p, z, 0.133207291f);
    p = fma(p, z, -0.333329469f);
    float small = x * fma(p, z, 1.0f);
    // 1 - 2 / (e^2x + 1)
    float power = native_exp2(fabs(x) * (2.0f * LOG2E));
    float large = fma(-2.0f, native_recip(power + 1.0f), 1.0f);
    return fabs(x) < 0.55f ? small : copysign(large, x);
}

// 2^e for a pair.
float __exp2_pair_f32(float2 e) {
    // What is below 2^128 by the rest alone is finite.
    float high = min(e.x, 0x1.fffffep6f);
    float power = native_exp2(high);
    float rest = e.y + (e.x - high);
    // The rest of infinity may be NaN.
    return e.x >= 129.0f ? FROM_BITS(INF_BITS) : fma(power, rest * LN2, power);
}

// erfc(x) for 0.9 <= x < ERFC_ZERO.
float __erfc_large_f32(float x) {
    float t = native_divide(x - 2.0f, x + 2.0f);
    float square = x * x;
    float power = __exp_f32(-square);
    power = fma(power, -fma(x, x, -square), power);
    return power * __erfcx_poly_f32(t) * native_recip(fma(2.0f, x, 1.0f));
}

// erf: 16 ulp allowed; below 4.
float __erf_f32(float x) {
    float z = x * x;
    // erf(x) / x in z = x^2 <= 0.81: error below 2^-24.
    float p = fma(-0.000537834538f, z, 0.0048684855f);
    p = fma(p, z, -0.0266777892f);
    p = fma(p, z, 0.112792321f);
    p = fma(p, z, -0.376122296f);
    p = fma(p, z, 1.12837911f);
    // log2(erfc(x)) from 0.9 to 4, and beyond less than makes a difference: error of erf(x) below 2^-25.
    float ax = fabs(x);
    float q = fma(-0.00181981095f, ax, 0.0225820243f);
    q = fma(q, ax, -0.131751359f);
    q = fma(q, ax, -0.938405871f);
    q = fma(q, ax, -1.61639273f);
    q = fma(q, ax, -0.00262887869f);
    return ax < 0.9f ? x * p : copysign(1.0f - native_exp2(q), x);
}
#endif

#if SHORT
// expm1: 3 ulp allowed; below 2.
float __expm1_f32(float x) {
    // Rounds x / ln 2 to an integer in the last bits, less one and biased as an exponent is.
    float biased = fma(x, LOG2E, 12582912.0f + 126.0f);
    float n = biased - (12582912.0f + 126.0f);
    float r = fma(n, -0.693147182f, x);
    r = fma(n, 1.90465421e-09f, r);
    // (e^r - 1 - r) / r^2 for |r| <= 0.35: error below 2^-26.
    float p = fma(0.00138709054f, r, 0.00836701598f);
    p = fma(p, r, 0.0416674428f);
    p = fma(p, r, 0.166665405f);
    p = fma(p, r, 0.49999997f);
    p = fma(p, r * r, r);
    // Half of it, which is in range where it is.
    float power = as_float(as_uint(biased) << MANT);
    float y = fma(p, power, power - 0.5f);
    y = y + y;
    y = x > EXP_OVERFLOW ? as_float(INF_BITS) : y;
    y = x < EXPM1_MINUS_ONE ? -1.0f : y;
    // A small number's half may be denormal.
    return fabs(x) < 0x1p-25f ? x : y;
}
#endif

#if SHORT
// cbrt of a magnitude that is finite and above 2^-100. One step of Newton's from a power as rough as Vulkan allows it.
float __cbrt_normal_f32(float ax) {
    float inverse_square = native_exp2(native_log2(ax) * -0.666666687f);
    float root = ax * inverse_square;
    float rest = fma(-root * root, root, ax);
    return fma(rest * inverse_square, 0.333333343f, root);
}

// cbrt of zeros, infinities, NaN, and numbers of which the rest above may be denormal.
float __cbrt_of_rare_f32(float x) {
    float ax = fabs(x);
    // Denormal numbers are 2^-149 of their bits.
    bool denormal = as_uint(ax) < LEADING_BIT;
    float raised = __cbrt_normal_f32(denormal ? 2.0f * (float)as_uint(ax) : ax * 0x1p60f);
    float root = raised * (denormal ? 0x1p-50f : 0x1p-20f);
    return as_uint(ax) - 1 < INF_BITS - 1 ? copysign(root, x) : x;
}

// cbrt: 2 ulp allowed; below 1.
float __cbrt_f32(float x) {
    float ax = fabs(x);
    if (as_uint(ax) - as_uint(0x1p-100f) >= INF_BITS - as_uint(0x1p-100f)) {
        return __cbrt_of_rare_f32(x);
    }
    return copysign(__cbrt_normal_f32(ax), x);
}
#endif
