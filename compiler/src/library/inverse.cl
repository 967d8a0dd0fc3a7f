// Inverse trigonometric functions: reduction to a short interval about 0, a polynomial there, and
// pi's fractions as pairs. J. F. Hart et al., Computer Approximations, 1968, chapter 6.5.

#define HALF_PI (R(0.5) * PI)

#if WIDTH == 32 || !SHORT
// asin of a magnitude up to 1/2 (`small`), or half the angle between a larger one and 1; NaN beyond 1.
REAL NAME(asin_small)(REAL ax, bool small) {
    REAL half_rest = mad(ax, R(-0.5), R(0.5));
    REAL r = small ? ax : sqrt(half_rest);
    REAL z = small ? ax * ax : half_rest;
    return mad(r * z, NAME(asin_poly)(z), r);
}

// asin: 4 ulp allowed; below 4.
REAL NAME(asin)(REAL x) {
    REAL ax = fabs(x);
    bool small = ax <= R(0.5);
    REAL angle = NAME(asin_small)(ax, small);
    return IF_TINY(x, x, NAME(with_sign)(small ? angle : mad(R(-2.0), angle, HALF_PI), x));
}

// acos: 4 ulp allowed; below 4. pi/2 - asin(x), or twice the half angle, from pi for negative numbers.
REAL NAME(acos)(REAL x) {
    REAL ax = fabs(x);
    bool small = ax <= R(0.5);
    REAL angle = NAME(asin_small)(ax, small);
    bool negative = x < R(0.0);
    REAL from = small ? HALF_PI : negative ? PI : R(0.0);
    REAL turned = negative != small ? -angle : angle;
    return mad(small ? R(1.0) : R(2.0), turned, from);
}

// acospi: 5 ulp allowed; below 5.
REAL NAME(acospi)(REAL x) {
    return NAME(acos)(x) * ONE_OVER_PI;
}

// asinpi: 5 ulp allowed; below 5.
REAL NAME(asinpi)(REAL x) {
    return TIMES(NAME(asin)(x), ONE_OVER_PI);
}

#endif

// atan(num / den), taken from pi if `left`, for num >= 0 and den >= 0, not both 0, neither near the
// ends of the exponents' range. One quotient, a polynomial and one multiple of pi/4.
REAL NAME(atan_ratio)(REAL num, REAL den, bool left) {
    bool steep = num > den;
    REAL small = steep ? den : num;
    REAL large = steep ? num : den;
    // tan(pi/8) and more: turn by pi/4.
    bool turn = small > R(0.41421356) * large;
    REAL top = turn ? small - large : small;
    REAL bottom = turn ? large + small : large;
#if WIDTH == 32
    // The device's quotient is corrected: it need not be exact.
    REAL inverse = R(1.0) / bottom;
    REAL t = top * inverse;
    REAL lost = NAME(residual)(t, bottom, top) * inverse;
    // Parts of a product as small as this may be flushed.
    lost = fabs(t) < R(0x1p-60) ? R(0.0) : lost;
#else
    REAL t = OVER(top, bottom);
    REAL lost = R(0.0);
#endif
    REAL z = t * t;
    REAL tail = mad(t * z, NAME(atan_poly)(z), lost);
    // Steep angles are taken from pi/2.
    int quarters = steep ? 2 : 0;
    quarters += turn ? (steep ? -1 : 1) : 0;
    bool negative = steep;
    if (left) {
        quarters = 4 - quarters;
        negative = !negative;
    }
    REAL2 unit = QUARTER_PI_PAIR;
    REAL n = (REAL)quarters;
    t = negative ? -t : t;
    tail = negative ? -tail : tail;
    REAL flat = NAME(is_tiny)(t) ? t : t + tail;
    return n == R(0.0) ? flat : mad(n, unit.x, t + mad(n, unit.y, tail));
}

// The magnitude of atan(x).
REAL NAME(atan_magnitude)(REAL ax) {
    // From here the angle is pi/2.
    REAL limited = min(ax, FROM_BITS((BITS)(BIAS + 2 * MANT) << MANT));
    return NAME(atan_ratio)(limited, R(1.0), false);
}

#if !SHORT
// atan: 5 ulp allowed; below 2.
REAL NAME(atan)(REAL x) {
    if (NAME(is_nan)(x) || NAME(is_tiny)(x)) {
        return x;
    }
    return NAME(with_sign)(NAME(atan_magnitude)(fabs(x)), x);
}

// atanpi: 5 ulp allowed; below 2.
REAL NAME(atanpi)(REAL x) {
    if (NAME(is_nan)(x)) {
        return x;
    }
    if (NAME(is_tiny)(x)) {
        return TIMES(x, ONE_OVER_PI);
    }
    return NAME(with_sign)(TIMES(NAME(atan_magnitude)(fabs(x)), ONE_OVER_PI), x);
}
#endif

// |atan2(y, x)|; no NaN.
REAL NAME(atan2_magnitude)(REAL y, REAL x) {
    BITS ay = TO_BITS(y) & MAG_MASK;
    BITS ax = TO_BITS(x) & MAG_MASK;
    bool left = (TO_BITS(x) & SIGN_BIT) != 0;
    // Infinities stand for a ratio of 0, 1 or infinity.
    if (max(ax, ay) == INF_BITS) {
        ay = ay == INF_BITS ? (BITS)BIAS << MANT : 0;
        ax = ax == INF_BITS ? (BITS)BIAS << MANT : 0;
    }
    // Toward the middle of the exponents' range, so that no sum overflows and no quotient that
    // counts is flushed.
    REAL large = FROM_BITS(max(ax, ay));
    REAL scale = large > SQUARE_LARGE ? R(1.0) / SQUARE_LARGE : R(1.0);
    scale = large < SQUARE_SMALL ? SQUARE_LARGE : scale;
    REAL num = TIMES(FROM_BITS(ay), scale);
    REAL den = TIMES(FROM_BITS(ax), scale);
    // Zeros of both, which the device may have made of denormal numbers.
    den = num == R(0.0) && den == R(0.0) ? R(1.0) : den;
    return NAME(atan_ratio)(num, den, left);
}

#if !SHORT
// atan2: 6 ulp allowed; below 2.
REAL NAME(atan2)(REAL y, REAL x) {
    if (NAME(is_nan)(x) || NAME(is_nan)(y)) {
        return FROM_BITS(NAN_BITS);
    }
    return NAME(with_sign)(NAME(atan2_magnitude)(y, x), y);
}

// atan2pi: 6 ulp allowed; below 3.
REAL NAME(atan2pi)(REAL y, REAL x) {
    if (NAME(is_nan)(x) || NAME(is_nan)(y)) {
        return FROM_BITS(NAN_BITS);
    }
    return NAME(with_sign)(TIMES(NAME(atan2_magnitude)(y, x), ONE_OVER_PI), y);
}
#endif
