// Roots of double for devices with a fused fma that keeps denormal numbers: powers of float to begin with, then steps
// of third order (A. S. Householder, The Numerical Treatment of a Single Nonlinear Equation, 1970).

#if SHORT_ROOTS
// Takes the exponent off a positive normal number: m of m 4^k in [1, 4).
double __sqrt_split_f64(double x, int *k) {
    // By the high word.
    *k = (int)((uint)(TO_BITS(x) >> 32) - 0x3ff00000u) >> 21;
    return FROM_BITS(TO_BITS(x) - ((ulong)(uint)(*k << 21) << 32));
}

// 1 / sqrt(m), below 1 ulp, for m in [1, 4).
double __rsqrt_short_f64(double m) {
    double r = (double)native_rsqrt((float)m);
    double rest = fma(-m * r, r, 1.0);
    return fma(r * rest, fma(rest, 0.375, 0.5), r);
}

// rsqrt: 2 ulp allowed; below 1.
double __rsqrt_f64(double x) {
    if (TO_BITS(x) - LEADING_BIT >= INF_BITS - LEADING_BIT) {
        return 1.0 / sqrt(x);
    }
    int k;
    double r = __rsqrt_short_f64(__sqrt_split_f64(x, &k));
    return FROM_BITS(TO_BITS(r) - ((ulong)(uint)(k << 20) << 32));
}

// sqrt: correctly rounded by the sign of its exact residual (Markstein, chapter 9).
double __sqrt_f64(double x) {
    if (TO_BITS(x) - LEADING_BIT >= INF_BITS - LEADING_BIT) {
        return sqrt(x);
    }
    int k;
    double m = __sqrt_split_f64(x, &k);
    double r = __rsqrt_short_f64(m);
    double s = m * r;
    s = fma(fma(-s, s, m), 0.5 * r, s);
    // No root is rounded up to 2, below which a unit is smaller.
    s = min(s, 0x1.fffffffffffffp0);
    double rest = fma(-s, s, m);
    double half_unit = s * 0x1p-52;
    int step = rest > half_unit ? 1 : rest < -half_unit ? -1 : 0;
    return FROM_BITS(TO_BITS(s) + (ulong)(long)step + ((ulong)(uint)(k << 20) << 32));
}

// cbrt: 2 ulp allowed; below 1.
double __cbrt_f64(double x) {
    ulong ax = TO_BITS(x) & MAG_MASK;
    double scale = 1.0;
    if (ax - LEADING_BIT >= INF_BITS - LEADING_BIT) {
        if (ax - 1 >= LEADING_BIT - 1) {
            return x;
        }
        ax = TO_BITS(FROM_BITS(ax) * 0x1p54);
        scale = 0x1p-18;
    }
    // x = m 8^k for m in [1, 8).
    int e = (int)(ax >> MANT) - BIAS;
    int k = (int)mul_hi((uint)(e + 3072), 0x55555556u) - 1024;
    double m = FROM_BITS(ax - ((ulong)(3 * k) << MANT));
    // m^(-1/3), then the root and what is left of m.
    double r = (double)native_exp2(native_log2((float)m) * -0.333333343f);
    double rest = fma(-m * r * r, r, 1.0);
    r = fma(r * rest, fma(rest, 0.22222222222222221, 0.33333333333333331), r);
    double square = r * r;
    double root = m * square;
    rest = fma(-root * root, root, m);
    root = fma(rest * square, 0.33333333333333331, root);
    return NAME(with_sign)(FROM_BITS(TO_BITS(root * scale) + ((ulong)k << MANT)), x);
}
#endif
