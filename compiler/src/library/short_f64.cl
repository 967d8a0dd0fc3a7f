// Roots of double for devices with a fused fma that keeps denormal numbers: powers of float to begin with, then steps
// of third order (A. S. Householder, The Numerical Treatment of a Single Nonlinear Equation, 1970).

#if SHORT_ROOTS
// What a float and a double of its range have in common are the bits of their middle: no conversions, which are several
// times slower than operations of integers on GPUs. Results are short of digits and not rounded, which steps mend.

// Whether a number or its inverse may lack the exponent of a normal float.
bool __beyond_float_f64(uint high) {
    return (high & 0x7fffffffu) - 0x38100000u >= 0x0fc00000u;
}

// The magnitude of a number in the range of floats, to 21 bits. Of zero it is some number.
float __short_float_f64(double x) {
    return as_float(((HIGH(x) << 3) + 0x40000004u) & 0x7fffffffu);
}

// A positive normal float, to 21 bits.
double __wide_f64(float x) {
    return WORDS(0x80000000u, (as_uint(x) >> 3) + 0x38000000u);
}

// x 2^k where both are normal numbers.
double __raised_f64(double x, int k) {
    return WORDS(LOW(x), HIGH(x) + ((uint)k << 20));
}

// 1 / x for numbers that are in the range of floats with their inverses: below 1 ulp.
double __inverse_f64(double x) {
    double r = NAME(with_sign)(__wide_f64(native_recip(__short_float_f64(x))), x);
    double rest = fma(-x, r, 1.0);
    return fma(r, fma(rest, rest, rest), r);
}

// a / b for such divisors and quotients that are not denormal: below 1 ulp.
double __quotient_f64(double a, double b) {
    double r = __inverse_f64(b);
    double q = a * r;
    return fma(fma(-b, q, a), r, q);
}

// 1 / x correctly rounded: the inverse above corrected once by its exact residual (Markstein, chapter 8).
double __recip_f64(double x) {
    // Those of a significand that is all ones are between two numbers: one step leaves the wrong one.
    uint high = HIGH(x);
    if (__beyond_float_f64(high) || (high & 0xfffffu) == 0xfffffu) {
        return 1.0 / x;
    }
    double r = __inverse_f64(x);
    return fma(fma(-x, r, 1.0), r, r);
}

// 1 / sqrt(x) for numbers in the range of floats: below 1 ulp. Of zero it is some number, of negative ones too.
double __inverse_root_f64(double x) {
    double r = __wide_f64(native_rsqrt(__short_float_f64(x)));
    // The square is exact.
    double rest = fma(-x, r * r, 1.0);
    return fma(r * rest, fma(rest, 0.375, 0.5), r);
}

// sqrt(x) for numbers in the range of floats: correctly rounded, by the exact residual of what is near enough
// (Markstein, chapter 9). Zero of zero.
double __root_f64(double x) {
    double r = __inverse_root_f64(x);
    double s = x * r;
    return fma(fma(-s, s, x), 0.5 * r, s);
}

// Whether a number is negative, or beyond the range of floats.
bool __root_is_rare_f64(uint high) {
    return high - 0x38100000u >= 0x0fe00000u;
}

// x in the range of floats, and k by which its exponent's half was lowered, of a positive number.
double __root_scale_f64(double x, int *k) {
    bool denormal = TO_BITS(x) < LEADING_BIT;
    x = denormal ? x * 0x1p54 : x;
    *k = (int)(HIGH(x) - 0x3ff00000u) >> 21;
    x = __raised_f64(x, -2 * *k);
    *k -= denormal ? 27 : 0;
    return x;
}

double __rsqrt_rare_f64(double x) {
    if (TO_BITS(x) - 1 >= INF_BITS - 1) {
        return 1.0 / sqrt(x);
    }
    int k;
    double r = __inverse_root_f64(__root_scale_f64(x, &k));
    return __raised_f64(r, -k);
}

double __sqrt_rare_f64(double x) {
    if (TO_BITS(x) - 1 >= INF_BITS - 1) {
        return sqrt(x);
    }
    int k;
    double s = __root_f64(__root_scale_f64(x, &k));
    return __raised_f64(s, k);
}

// rsqrt: 2 ulp allowed; below 1.
double __rsqrt_f64(double x) {
    return __root_is_rare_f64(HIGH(x)) ? __rsqrt_rare_f64(x) : __inverse_root_f64(x);
}

// sqrt: correctly rounded.
double __sqrt_f64(double x) {
    return __root_is_rare_f64(HIGH(x)) ? __sqrt_rare_f64(x) : __root_f64(x);
}

// cbrt of a positive normal number.
double __cbrt_normal_f64(double x) {
    // x = m 8^k for m in [1, 8).
    int e = (int)(HIGH(x) >> 20) - BIAS;
    int k = (int)mul_hi((uint)(e + 3072), 0x55555556u) - 1024;
    double m = __raised_f64(x, -3 * k);
    // m^(-1/3), then the root and what is left of m.
    double r = __wide_f64(native_exp2(native_log2(__short_float_f64(m)) * -0.333333343f));
    double rest = fma(-m * r * r, r, 1.0);
    r = fma(r * rest, fma(rest, 0.22222222222222221, 0.33333333333333331), r);
    double square = r * r;
    double root = m * square;
    rest = fma(-root * root, root, m);
    root = fma(rest * square, 0.33333333333333331, root);
    return __raised_f64(root, k);
}

double __cbrt_of_rare_f64(double x) {
    double raised = __cbrt_normal_f64(fabs(x) * 0x1p54) * 0x1p-18;
    return (TO_BITS(x) & MAG_MASK) - 1 < LEADING_BIT - 1 ? NAME(with_sign)(raised, x) : x;
}

// cbrt: 2 ulp allowed; below 1.
double __cbrt_f64(double x) {
    if ((HIGH(x) & 0x7fffffffu) - 0x00100000u >= 0x7fe00000u) {
        return __cbrt_of_rare_f64(x);
    }
    return NAME(with_sign)(__cbrt_normal_f64(fabs(x)), x);
}

// Whether the greater of two magnitudes, by the high words, has a square and an inverse in the range of floats.
bool __medium_f64(double ax, double ay) {
    return max(HIGH(ax), HIGH(ay)) - 0x3c300000u < 0x07800000u;
}
#endif
