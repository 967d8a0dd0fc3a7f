// Error functions and gamma functions. erfc: M. M. Shepherd and J. G. Laframboise, Chebyshev
// approximation of (1 + 2x) exp(x^2) erfc(x), Math. Comp. 1981. Gamma: Stirling's series
// (Abramowitz and Stegun 6.1.37, 6.1.40), the recurrence 6.1.15 and the reflection 6.1.17.

#if !SHORT_EXP
// erfc(x) for 0.9 <= x < ERFC_ZERO.
REAL NAME(erfc_large)(REAL x) {
    REAL t = (x - R(2.0)) / (x + R(2.0));
    REAL2 square = NAME(two_prod)(x, x);
    REAL power = NAME(exp_scaled)(-square.x, -square.y, 0);
    return OVER(TIMES(power, NAME(erfcx_poly)(t)), R(1.0) + R(2.0) * x);
}

// erf: 16 ulp allowed; below 2.
REAL NAME(erf)(REAL x) {
    if (NAME(is_nan)(x)) {
        return x;
    }
    REAL ax = fabs(x);
    if (ax < R(0.9)) {
        return TIMES(x, NAME(erf_poly)(x * x));
    }
    REAL result = ax > R(6.0) ? R(1.0) : R(1.0) - NAME(erfc_large)(ax);
    return NAME(with_sign)(result, x);
}
#endif

// erfc: 16 ulp allowed; below 6.
REAL NAME(erfc)(REAL x) {
    if (NAME(is_nan)(x)) {
        return x;
    }
    REAL ax = fabs(x);
    if (ax < R(0.9)) {
        if (x < R(0.5)) {
            return R(1.0) - x * NAME(erf_poly)(x * x);
        }
        // Split, as erf is above a half.
        return (R(0.5) - x * NAME(erf_poly)(x * x)) + R(0.5);
    }
    REAL rest = ax > ERFC_ZERO ? R(0.0) : NAME(erfc_large)(ax);
    return x < R(0.0) ? R(2.0) - rest : rest;
}

// gamma(x) / 2^shift for x >= 1/2 up to TGAMMA_OVERFLOW; `shift` keeps it in range.
REAL NAME(gamma_positive)(REAL x, int *shift) {
    *shift = 0;
    if (x >= STIRLING_FROM) {
        // sqrt(2 pi) x^(x - 1/2) e^-x S(1/x), the powers together as a power of two.
        REAL2 log = NAME(log2_pair)(x);
        REAL2 e = NAME(pair_scale)(log, x - R(0.5));
        REAL2 c = NAME(pair_scale)(LOG2E_PAIR, -x);
        e = NAME(pair_add)(e, c);
        REAL whole = rint(e.x);
        *shift = (int)whole;
        REAL power = NAME(exp2_pair)(PAIR(e.x - whole, e.y));
        return power * SQRT_TWO_PI * NAME(stirling_poly)(R(1.0) / x);
    }
#if SHORT
    return NAME(gamma_short)(x);
#else
    // Down to [2, 3) by gamma(x) = (x - 1) gamma(x - 1), or up.
    REAL factor = R(1.0);
    for (int i = 3; i < (int)STIRLING_FROM; i++) {
        bool down = x >= R(3.0);
        x = down ? x - R(1.0) : x;
        factor = down ? factor * x : factor;
    }
    REAL divisor = R(1.0);
    for (int i = 0; i < 2; i++) {
        bool up = x < R(2.0);
        divisor = up ? divisor * x : divisor;
        x = up ? x + R(1.0) : x;
    }
    return QUOTIENT(NAME(gamma_poly)(x - R(2.5)) * factor, divisor);
#endif
}

// tgamma of any number.
REAL NAME(tgamma_any)(REAL x) {
    BITS mag = TO_BITS(x) & MAG_MASK;
    if (mag > INF_BITS) {
        return x;
    }
    if (mag == 0) {
        return FROM_BITS(INF_BITS | TO_BITS(x));
    }
    if (x > TGAMMA_OVERFLOW) {
        return FROM_BITS(INF_BITS);
    }
    int shift;
    if (x >= R(0.5)) {
        REAL value = NAME(gamma_positive)(x, &shift);
        return NAME(ldexp)(value, shift);
    }
    if (NAME(is_tiny)(x)) {
        // The two first terms of the Laurent series: 1 / x less Euler's constant.
        return OVER(R(1.0), x) - R(0.57721566490153286);
    }
    if (x == floor(x)) {
        return FROM_BITS(NAN_BITS);
    }
    bool odd = NAME(parity)(floor(x)) == 1;
    if (x < TGAMMA_UNDERFLOW) {
        return odd ? FROM_BITS(SIGN_BIT) : R(0.0);
    }
    // gamma(x) = pi / (sin(pi x) gamma(1 - x)), with gamma(1 - x) = -x gamma(-x) below -1/2.
    REAL y = -x;
    REAL value;
    REAL2 pi = PI_PAIR;
    if (y >= R(0.5)) {
        value = NAME(gamma_positive)(y, &shift);
        value = -pi.x / (NAME(sinpi)(y) * value * y);
    } else {
        value = NAME(gamma_positive)(R(1.0) + y, &shift);
        value = pi.x / (NAME(sinpi)(x) * value);
    }
    return NAME(ldexp)(value, -shift);
}

// tgamma: 16 ulp allowed; below 8.
REAL NAME(tgamma)(REAL x) {
#if SHORT
    if (x >= R(0.5) && x < STIRLING_FROM) {
        return NAME(gamma_short)(x);
    }
#endif
    return NAME(tgamma_any)(x);
}

// lgamma(x) for x > 0.
REAL NAME(lgamma_positive)(REAL x) {
    if (x >= LSTIRLING_FROM) {
        REAL log = NAME(log)(x);
        if (x > R(0x1p60)) {
            return x * (log - R(1.0));
        }
        REAL u = QUOTIENT(R(1.0), x);
        REAL series = u * NAME(lstirling_poly)(u * u);
        return mad(x - R(0.5), log - R(1.0), (HALF_LOG_TWO_PI - R(0.5)) + series);
    }
    REAL more = R(0.0);
#if WIDTH == 64
    REAL factor = R(1.0);
    while (x >= R(3.0)) {
        x = x - R(1.0);
        factor = factor * x;
    }
    if (factor != R(1.0)) {
        more = NAME(log)(factor);
    }
#endif
    if (x < R(1.0)) {
        more = -NAME(log)(x);
        // lgamma(1 + x) without rounding 1 + x: (x)(x - 1) times the polynomial.
        return more + x * (x - R(1.0)) * NAME(lgamma12_poly)(x - R(0.5));
    }
    REAL product = (x - R(1.0)) * (x - R(2.0));
    REAL g = x < R(2.0) ? NAME(lgamma12_poly)(x - R(1.5)) : NAME(lgamma23_poly)(x - R(2.5));
    return more + product * g;
}

// lgamma_r of any number.
REAL NAME(lgamma_any)(REAL x, int *sign) {
    *sign = 1;
    BITS mag = TO_BITS(x) & MAG_MASK;
    if (mag >= INF_BITS) {
        return mag > INF_BITS ? x : FROM_BITS(INF_BITS);
    }
    if (mag == 0) {
        *sign = 0;
        return FROM_BITS(INF_BITS);
    }
    if (x > R(0.0)) {
        return NAME(lgamma_positive)(x);
    }
    if (x == floor(x)) {
        *sign = 0;
        return FROM_BITS(INF_BITS);
    }
    REAL y = -x;
    if (NAME(is_tiny)(x)) {
        *sign = -1;
        return R(0.57721566490153286) * y - NAME(log)(y);
    }
    REAL s = NAME(sinpi)(y);
    *sign = s > R(0.0) ? -1 : 1;
    REAL2 pi = PI_PAIR;
    return NAME(log)(pi.x / (fabs(s) * y)) - NAME(lgamma_positive)(y);
}

// lgamma_r: no bound is required. The sign at the poles is 0 (OpenCL C 7.5.1).
REAL NAME(lgamma_r)(REAL x, int *sign) {
#if SHORT
    if (x >= R(0.5) && x < R(0x1p60)) {
        *sign = 1;
        return NAME(lgamma_short)(x);
    }
#endif
    return NAME(lgamma_any)(x, sign);
}

// lgamma: as lgamma_r.
REAL NAME(lgamma)(REAL x) {
    int sign;
    return NAME(lgamma_r)(x, &sign);
}
