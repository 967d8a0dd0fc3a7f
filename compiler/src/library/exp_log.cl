// Exponentials and logarithms. Argument reduction and evaluation follow P. T. P. Tang,
// Table-driven implementation of the exponential (and logarithm) function in IEEE floating-point
// arithmetic, ACM TOMS 1989 and 1990, without the tables.

// Of magnitudes below this, e^x - 1 and ln(1 + x) round to x.
#define LINEAR_BELOW FROM_BITS((BITS)(BIAS - MANT - 2) << MANT)

// y * 2^k for y near 1, rounded once also where the result is denormal.
REAL NAME(scale)(REAL y, int k) {
    k = clamp(k, 2 - 2 * BIAS, 2 * BIAS);
    int first = k / 2;
    int rest = k - first;
    // Normal powers of two, so that only the last product rounds.
    REAL a = FROM_BITS((BITS)(first + BIAS) << MANT);
    REAL b = FROM_BITS((BITS)(rest + BIAS) << MANT);
    return TIMES(y * a, b);
}

// e^(x + low) * 2^k for |x| below about EXP_OVERFLOW.
REAL NAME(exp_scaled)(REAL x, REAL low, int k) {
    REAL n = rint(x * LOG2E);
    REAL high = x - n * LN2_HIGH;
    REAL r = high - (n * LN2_LOW - low);
    // What rounding r lost.
    REAL lost = (high - r) - (n * LN2_LOW - low);
    REAL y = R(1.0) + (r + (r * r * NAME(exp_poly)(r) + lost));
    return NAME(scale)(y, (int)n + k);
}

#if !SHORT_EXP
// y * 2^n for y near 1 where that is a normal number; n is the integer nearest to a float, which is given.
REAL NAME(scale_normal)(REAL y, REAL n) {
    return FROM_BITS(TO_BITS(y) + ((BITS)(int)n << MANT));
}

// exp: 3 ulp allowed; below 1.
REAL NAME(exp)(REAL x) {
    if (fabs(x) < EXP_NORMAL) {
        REAL n = rint(x * LOG2E);
        REAL r = mad(n, -LN2_LOW, mad(n, -LN2_HIGH, x));
        return NAME(scale_normal)(R(1.0) + mad(r * r, NAME(exp_poly)(r), r), n);
    }
    if (NAME(is_nan)(x)) {
        return x;
    }
    if (x > EXP_OVERFLOW) {
        return FROM_BITS(INF_BITS);
    }
    return x < EXP_UNDERFLOW ? R(0.0) : NAME(exp_scaled)(x, R(0.0), 0);
}

// exp2: 3 ulp allowed; below 1.
REAL NAME(exp2)(REAL x) {
    REAL n = rint(x);
    REAL r = x - n;
    REAL y = mad(r, NAME(exp2_poly)(r), R(1.0));
    if (fabs(x) < EXP_NORMAL * LOG2E) {
        return NAME(scale_normal)(y, n);
    }
    if (NAME(is_nan)(x)) {
        return x;
    }
    if (x >= R(1.0) + BIAS) {
        return FROM_BITS(INF_BITS);
    }
    return x < -(R(1.0) + BIAS + MANT) ? R(0.0) : NAME(scale)(y, (int)n);
}

// exp10: 3 ulp allowed; below 1.
REAL NAME(exp10)(REAL x) {
    REAL n = rint(x * LOG2_10);
    REAL r = mad(n, -LOG10_2_LOW, mad(n, -LOG10_2_HIGH, x));
    REAL y = mad(r, NAME(exp10_poly)(r), R(1.0));
    if (fabs(x) < EXP_NORMAL * LOG10_2_HIGH * LOG2E) {
        return NAME(scale_normal)(y, n);
    }
    if (NAME(is_nan)(x)) {
        return x;
    }
    if (x > EXP_OVERFLOW * LOG10_2_HIGH * LOG2E + R(1.0)) {
        return FROM_BITS(INF_BITS);
    }
    return x < EXP_UNDERFLOW * LOG10_2_HIGH * LOG2E - R(1.0) ? R(0.0) : NAME(scale)(y, (int)n);
}
#endif

#if !SHORT
// expm1: 3 ulp allowed; about 1.
REAL NAME(expm1)(REAL x) {
    // x == 0 also holds of a denormal number where the device flushes those, and LLVM then returns a zero (lavapipe of Mesa 26).
    if (NAME(is_nan)(x) || fabs(x) < LINEAR_BELOW) {
        return x;
    }
    if (x > EXP_OVERFLOW) {
        return FROM_BITS(INF_BITS);
    }
    if (x < 2 * EXPM1_MINUS_ONE) {
        return R(-1.0);
    }
    REAL n = rint(x * LOG2E);
    REAL high = x - n * LN2_HIGH;
    REAL r = high - n * LN2_LOW;
    REAL lost = (high - r) - n * LN2_LOW;
    // e^x - 1 = 2^n ((1 - 2^-n) + r + tail)
    REAL tail = r * r * NAME(exp_poly)(r) + lost;
    int k = (int)n;
    if (k == 0) {
        return r + tail;
    }
    if (k > MANT + 3) {
        return NAME(scale)(R(1.0) + (r + tail), k);
    }
    REAL power = FROM_BITS((BITS)(BIAS - k) << MANT);
    REAL2 sum = NAME(two_sum)(R(1.0) - power, r);
    return NAME(scale)(sum.x + (sum.y + tail), k);
}
#endif

// The exponent k for which 2^-k x lies in [1/sqrt 2, sqrt 2), and that number. x > 0, finite.
REAL NAME(log_reduce)(REAL x, int *k) {
    BITS bits = TO_BITS(x);
    BITS m = NAME(significand)(bits) & FRAC_MASK;
    int e = NAME(exponent)(bits) - BIAS;
    // 0.41421356 of the fraction's range
    bool upper = m >= (BITS)(R(0.41421356) * (REAL)LEADING_BIT);
    *k = upper ? e + 1 : e;
    return FROM_BITS(m | ((BITS)(upper ? BIAS - 1 : BIAS) << MANT));
}

// k ln 2 + ln(1 + f) + low for f in [1/sqrt 2 - 1, sqrt 2 - 1).
// With s = f / (2 + f), ln(1 + f) = 2 atanh(s) = f - f^2 / 2 + s (f^2 / 2 + s^2 P(s^2)).
REAL NAME(log_parts)(int k, REAL f, REAL low) {
    REAL s = f / (R(2.0) + f);
    REAL z = s * s;
    REAL half_square = R(0.5) * f * f;
    REAL tail = s * (half_square + z * NAME(log_poly)(z));
    REAL n = (REAL)k;
    if (k == 0) {
        return f - (half_square - (tail + low));
    }
    return n * LN2_HIGH + (f - (half_square - (tail + (n * LN2_LOW + low))));
}

// What logarithms of 0, negative numbers, infinity and NaN are.
bool NAME(log_special)(REAL x) {
    BITS bits = TO_BITS(x);
    return bits == 0 || bits >= INF_BITS;
}

REAL NAME(log_of_special)(REAL x) {
    BITS mag = TO_BITS(x) & MAG_MASK;
    if (mag > INF_BITS) {
        return x;
    }
    if (mag == 0) {
        return FROM_BITS(INF_BITS | SIGN_BIT);
    }
    return TO_BITS(x) == INF_BITS ? x : FROM_BITS(NAN_BITS);
}

#if !SHORT
// log: 3 ulp allowed; below 1.
REAL NAME(log)(REAL x) {
    if (NAME(log_special)(x)) {
        return NAME(log_of_special)(x);
    }
    int k;
    REAL m = NAME(log_reduce)(x, &k);
    return NAME(log_parts)(k, m - R(1.0), R(0.0));
}
#endif

#if !SHORT
// log1p of a finite x > -1.
REAL NAME(log1p_finite)(REAL x) {
    // The exponent for which 2^-k (1 + x) lies in [1/sqrt 2, sqrt 2).
    int k = (int)((SBITS)(TO_BITS(x + R(1.0)) - TO_BITS(R(0.70710678))) >> MANT);
    // That less 1, with one rounding: 4 2^-k is never denormal.
    REAL power = R(0.25) * FROM_BITS((BITS)(BIAS + 2 - k) << MANT);
    REAL f = FROM_BITS(TO_BITS(x) - ((BITS)k << MANT)) + (power - R(1.0));
    return NAME(log_parts)(k, k == 0 ? x : f, R(0.0));
}

// log1p: 2 ulp allowed; below 2.
REAL NAME(log1p)(REAL x) {
    if (x > R(-1.0) && x < FROM_BITS(INF_BITS)) {
        return fabs(x) < LINEAR_BELOW ? x : NAME(log1p_finite)(x);
    }
    return x == R(-1.0) ? FROM_BITS(INF_BITS | SIGN_BIT) : x > R(0.0) ? x : FROM_BITS(NAN_BITS);
}

// What log2 and log10 have in common: ln m as a high part short enough that its product with a
// constant's high part is exact, and the rest (FreeBSD's msun does the same; Tang 1990).
REAL2 NAME(log_short)(REAL m) {
    REAL f = m - R(1.0);
    REAL s = f / (R(2.0) + f);
    REAL z = s * s;
    REAL half_square = R(0.5) * f * f;
    REAL tail = s * (half_square + z * NAME(log_poly)(z));
    REAL high = FROM_BITS(TO_BITS(f - half_square) & SPLIT_MASK);
    return PAIR(high, ((f - high) - half_square) + tail);
}

// log2: 3 ulp allowed; below 1.
REAL NAME(log2)(REAL x) {
    if (NAME(log_special)(x)) {
        return NAME(log_of_special)(x);
    }
    int k;
    REAL2 ln = NAME(log_short)(NAME(log_reduce)(x, &k));
    REAL low = (ln.x + ln.y) * LOG2E_LOW + ln.y * LOG2E_HIGH;
    REAL2 sum = NAME(fast_two_sum)((REAL)k, ln.x * LOG2E_HIGH);
    return sum.x + (sum.y + low);
}

// log10: 3 ulp allowed; below 1.
REAL NAME(log10)(REAL x) {
    if (NAME(log_special)(x)) {
        return NAME(log_of_special)(x);
    }
    int k;
    REAL2 ln = NAME(log_short)(NAME(log_reduce)(x, &k));
    REAL n = (REAL)k;
    REAL low = n * LOG10_2_LOW + ((ln.x + ln.y) * LOG10E_LOW + ln.y * LOG10E_HIGH);
    REAL2 sum = NAME(fast_two_sum)(n * LOG10_2_HIGH, ln.x * LOG10E_HIGH);
    return sum.x + (sum.y + low);
}
#endif
