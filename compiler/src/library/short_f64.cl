// Roots of double for devices with a fused fma that keeps denormal numbers: powers of float to begin with, then steps
// of third order (A. S. Householder, The Numerical Treatment of a Single Nonlinear Equation, 1970).

#if SHORT_ROOTS
// What a float and a double of its range have in common are the bits of their middle: no conversions, which are several
// times slower than operations of integers on GPUs. Results are short of digits and not rounded, which steps mend.
// Residuals are negative here where that leaves no operand to negate: a negation of what two operations read is an
// operation of its own on NVIDIA's GPUs.

// The magnitude of a number in the range of floats, cut after 20 bits of its fraction. Of zero it is some number.
float __short_float_f64(double x) {
    return fabs(as_float((HIGH(x) << 3) + 0x40000000u));
}

// Whether a residual is below 2^-18. It is where a number is in the range of floats; elsewhere it is near 1, large or NaN.
// Compares the high word as a float, which is ordered like the double and whose magnitude costs no operation.
bool __is_near_f64(double residual) {
    return fabs(as_float(HIGH(residual))) < 0.40625f;
}

// A positive normal float, to 21 bits.
double __wide_f64(float x) {
    return WORDS(0x80000000u, (as_uint(x) >> 3) + 0x38000000u);
}

// x 2^k where both are normal numbers.
double __raised_f64(double x, int k) {
    return WORDS(LOW(x), HIGH(x) + ((uint)k << 20));
}

// 1 / x to 19 bits for numbers that are in the range of floats with their inverses.
double __inverse_guess_f64(double x) {
    return NAME(with_sign)(__wide_f64(native_recip(__short_float_f64(x))), x);
}

// 1 / x for such numbers: below 1 ulp.
double __inverse_f64(double x) {
    double r = __inverse_guess_f64(x);
    double excess = fma(x, r, -1.0);
    return fma(r, fma(excess, excess, -excess), r);
}

// a / b for such divisors and quotients that are not denormal: below 1 ulp.
double __quotient_f64(double a, double b) {
    double r = __inverse_f64(b);
    double q = a * r;
    return fma(fma(-b, q, a), r, q);
}

// 1 / x correctly rounded: the inverse above corrected once by its exact residual (Markstein, chapter 8). That leaves the
// wrong one of two numbers where all bits of the significand are ones and the inverse was too small. There it is not:
// the magnitude was cut, so the guess is too large, which makes the step of third order end above 1 / x.
double __recip_f64(double x) {
    double r = __inverse_guess_f64(x);
    double excess = fma(x, r, -1.0);
    if (!__is_near_f64(excess)) {
        return 1.0 / x;
    }
    r = fma(r, fma(excess, excess, -excess), r);
    return fma(-fma(x, r, -1.0), r, r);
}

// 1 / sqrt(x) from its first 19 bits and x r^2 - 1: below 1 ulp.
double __inverse_root_step_f64(double r, double excess) {
    return fma(r * excess, fma(excess, 0.375, -0.5), r);
}

// sqrt(x) from what is less than 1 ulp from 1 / sqrt(x): correctly rounded, by the exact residual of what is near enough
// (Markstein, chapter 9).
double __root_step_f64(double x, double r) {
    double s = x * r;
    return fma(fma(-s, s, x), __raised_f64(r, -1), s);
}

// The first bits of 1 / sqrt(x) for numbers in the range of floats. Of zero it is some number, of negative ones too.
double __inverse_root_guess_f64(double x) {
    return __wide_f64(native_rsqrt(__short_float_f64(x)));
}

// x r^2 - 1. The square is exact.
double __root_excess_f64(double x, double r) {
    return fma(x, r * r, -1.0);
}

// 1 / sqrt(x) for numbers in the range of floats: below 1 ulp. Of zero it is some number, of negative ones too.
double __inverse_root_f64(double x) {
    double r = __inverse_root_guess_f64(x);
    return __inverse_root_step_f64(r, __root_excess_f64(x, r));
}

// sqrt(x) for numbers in the range of floats: correctly rounded. Zero of zero.
double __root_f64(double x) {
    return __root_step_f64(x, __inverse_root_f64(x));
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
    double r = __inverse_root_guess_f64(x);
    double excess = __root_excess_f64(x, r);
    return __is_near_f64(excess) ? __inverse_root_step_f64(r, excess) : __rsqrt_rare_f64(x);
}

// sqrt: correctly rounded.
double __sqrt_f64(double x) {
    double r = __inverse_root_guess_f64(x);
    double excess = __root_excess_f64(x, r);
    return __is_near_f64(excess) ? __root_step_f64(x, __inverse_root_step_f64(r, excess)) : __sqrt_rare_f64(x);
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
