// Logarithms of float for devices with a fused fma: x = 2^k (1 + f), and a polynomial of f, for which no quotient is
// needed. Polynomials are minimax ones found as in coefficients_f32.cl.

#if SHORT
// Takes the exponent off a positive normal number: f of 2^k (1 + f) in [-1/3, 1/3], and -k 2^23. A minus, so that a
// zero times what it is multiplied by is a negative zero, and log1p keeps that.
float __log_split_f32(float x, float *minus_k) {
    int shift = (0x3f2aaaab + (int)FRAC_MASK - as_int(x)) & (int)(SIGN_BIT | INF_BITS);
    *minus_k = (float)shift;
    return as_float(as_int(x) + shift) - 1.0f;
}

// ln(1 + f) for f in [-1/3, 1/3].
float __ln_short_f32(float f) {
    // (ln(1 + f) - f) / f^2: error below 2^-24.
    float p = fma(0.138205022f, f, -0.151221856f);
    p = fma(p, f, 0.140422106f);
    p = fma(p, f, -0.164723247f);
    p = fma(p, f, 0.200079292f);
    p = fma(p, f, -0.250042379f);
    p = fma(p, f, 0.333332658f);
    p = fma(p, f, -0.5f);
    return fma(p, f * f, f);
}

// Whether x is anything but a positive normal number.
bool __log_rare_f32(float x) {
    return as_uint(x) - LEADING_BIT >= INF_BITS - LEADING_BIT;
}

// The factors bring -k 2^23 to k times a logarithm of 2.
#define K_LN2 (-LN2 * 0x1p-23f)
#define K_ONE (-0x1p-23f)
// That of log10 in two parts.
#define K_LOG10_2 (-0.30103001f * 0x1p-23f)
#define K_LOG10_2_LOW (1.43209888e-08f * 0x1p-23f)
// The bits of a denormal number, as an integer, are 2^149 times the number: k is less by this.
#define DENORMAL_K (149.0f * 0x1p23f)

// Logarithms of a positive normal number, less k.
float __log_normal_f32(float x, float less) {
    float k;
    float f = __log_split_f32(x, &k);
    return fma(k + less, K_LN2, __ln_short_f32(f));
}

float __log2_normal_f32(float x, float less) {
    float k;
    float f = __log_split_f32(x, &k);
    return fma(__ln_short_f32(f), LOG2E, (k + less) * K_ONE);
}

float __log10_normal_f32(float x, float less) {
    float k;
    float ln = __ln_short_f32(__log_split_f32(x, &k));
    k = k + less;
    return fma(k, K_LOG10_2, fma(ln, 0.434294492f, k * K_LOG10_2_LOW));
}

// Rare numbers have functions of their own, long enough to stay behind a branch.
float __log_of_rare_f32(float x) {
    float denormal = __log_normal_f32((float)as_uint(x), DENORMAL_K);
    return as_uint(x) - 1 < LEADING_BIT - 1 ? denormal : __log_of_special_f32(x);
}

float __log2_of_rare_f32(float x) {
    float denormal = __log2_normal_f32((float)as_uint(x), DENORMAL_K);
    return as_uint(x) - 1 < LEADING_BIT - 1 ? denormal : __log_of_special_f32(x);
}

float __log10_of_rare_f32(float x) {
    float denormal = __log10_normal_f32((float)as_uint(x), DENORMAL_K);
    return as_uint(x) - 1 < LEADING_BIT - 1 ? denormal : __log_of_special_f32(x);
}

// log: 3 ulp allowed; below 2.
float __log_f32(float x) {
    return __log_rare_f32(x) ? __log_of_rare_f32(x) : __log_normal_f32(x, 0.0f);
}

// log2: 3 ulp allowed; below 2.5.
float __log2_f32(float x) {
    return __log_rare_f32(x) ? __log2_of_rare_f32(x) : __log2_normal_f32(x, 0.0f);
}

// log10: 3 ulp allowed; below 2.5.
float __log10_f32(float x) {
    return __log_rare_f32(x) ? __log10_of_rare_f32(x) : __log10_normal_f32(x, 0.0f);
}

// log1p of a finite x > -1.
float __log1p_finite_f32(float x) {
    int shift = (0x3f2aaaab + (int)FRAC_MASK - as_int(x + 1.0f)) & (int)(SIGN_BIT | INF_BITS);
    // 2^-k (1 + x) - 1 with one rounding: 4 2^-k is never denormal. A difference of zeros keeps the sign of x.
    float scale = as_float(0x40800000 + shift);
    float f = as_float(as_int(x) + shift) - fma(-0.25f, scale, 1.0f);
    return fma((float)shift, K_LN2, __ln_short_f32(f));
}

// log1p: 2 ulp allowed; below 2.
float __log1p_f32(float x) {
    if (x > -1.0f && x < as_float(INF_BITS)) {
        return __log1p_finite_f32(x);
    }
    return x == -1.0f ? as_float(INF_BITS | SIGN_BIT) : x > 0.0f ? x : as_float(NAN_BITS);
}

// log2(x) as a pair, relative error below 2^-29, for finite x > 0.
float2 __log2_pair_f32(float x) {
    float less = 0.0f;
    if (as_uint(x) < LEADING_BIT) {
        x = (float)as_uint(x);
        less = DENORMAL_K;
    }
    float k;
    float f = __log_split_f32(x, &k);
    // (ln(1 + f) - f + f^2 / 2) / f^3: error below 2^-30.
    float p = fma(0.119527459f, f, -0.128337801f);
    p = fma(p, f, 0.107709944f);
    p = fma(p, f, -0.121985577f);
    p = fma(p, f, 0.143026009f);
    p = fma(p, f, -0.1667936f);
    p = fma(p, f, 0.199996844f);
    p = fma(p, f, -0.249998257f);
    p = fma(p, f, 0.333333343f);
    // f - f^2 / 2 as a pair, with the rest in its low part.
    float square = f * f;
    float high = fma(-0.5f, square, f);
    float low = fma(-0.5f, square, f - high);
    low = fma(-0.5f, fma(f, f, -square), low);
    low = fma(p, square * f, low);
    // Times log2(e), and the exponent.
    float product = high * LOG2E;
    float rest = fma(high, LOG2E, -product);
    rest = fma(high, 1.92596303e-08f, fma(low, LOG2E, rest));
    float2 sum = __fast_two_sum_f32((k + less) * K_ONE, product);
    return __fast_two_sum_f32(sum.x, sum.y + rest);
}
#endif
