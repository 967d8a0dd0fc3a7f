// Inverse trigonometric functions: reduction to a short interval about 0, a polynomial there, and
// pi's fractions as pairs. J. F. Hart et al., Computer Approximations, 1968, chapter 6.5.

// asin(x) - x for |x| <= 1/2.
REAL NAME(asin_tail)(REAL x) {
    REAL z = x * x;
    return x * z * NAME(asin_poly)(z);
}

// asin(sqrt(z)) for z = (1 - |x|) / 2 <= 1/4, as a pair: half the angle between |x| and 1.
REAL2 NAME(half_angle)(REAL ax) {
    REAL z = R(0.5) * (R(1.0) - ax);
    if (z == R(0.0)) {
        return PAIR(z, z);
    }
    REAL2 s = NAME(pair_sqrt)(z);
    return NAME(fast_two_sum)(s.x, s.y + s.x * z * NAME(asin_poly)(z));
}

// asin: 4 ulp allowed; below 1.
REAL NAME(asin)(REAL x) {
    REAL ax = fabs(x);
    if (!(ax <= R(1.0))) {
        return FROM_BITS(NAN_BITS);
    }
    if (ax <= R(0.5)) {
        return NAME(is_tiny)(x) ? x : x + NAME(asin_tail)(x);
    }
    REAL2 angle = NAME(half_angle)(ax);
    REAL2 half_pi = HALF_PI_PAIR;
    REAL2 high = NAME(fast_two_sum)(half_pi.x, R(-2.0) * angle.x);
    REAL result = high.x + (high.y + (half_pi.y - R(2.0) * angle.y));
    return NAME(with_sign)(result, x);
}

// acos as a pair, for |x| <= 1.
REAL2 NAME(acos_pair)(REAL x) {
    REAL ax = fabs(x);
    REAL2 half_pi = HALF_PI_PAIR;
    if (ax <= R(0.5)) {
        REAL2 high = NAME(fast_two_sum)(half_pi.x, -x);
        return NAME(fast_two_sum)(high.x, high.y + (half_pi.y - NAME(asin_tail)(x)));
    }
    REAL2 angle = NAME(half_angle)(ax);
    angle = PAIR(angle.x + angle.x, angle.y + angle.y);
    if (x > R(0.0)) {
        return angle;
    }
    REAL2 pi = PI_PAIR;
    REAL2 high = NAME(fast_two_sum)(pi.x, -angle.x);
    return NAME(fast_two_sum)(high.x, high.y + (pi.y - angle.y));
}

// acos: 4 ulp allowed; below 1.
REAL NAME(acos)(REAL x) {
    return fabs(x) <= R(1.0) ? NAME(acos_pair)(x).x : FROM_BITS(NAN_BITS);
}

// acospi: 5 ulp allowed; below 2.
REAL NAME(acospi)(REAL x) {
    return NAME(acos)(x) * ONE_OVER_PI;
}

// asinpi: 5 ulp allowed; below 2.
REAL NAME(asinpi)(REAL x) {
    return TIMES(NAME(asin)(x), ONE_OVER_PI);
}

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
    // n is 0, 1, 2, 3 or 4; only for 3 is the product rounded.
    REAL2 base = NAME(two_prod)(n, unit.x);
    REAL2 sum = NAME(fast_two_sum)(base.x, t);
    REAL flat = NAME(is_tiny)(t) ? t : t + tail;
    return n == R(0.0) ? flat : sum.x + (sum.y + (tail + (base.y + n * unit.y)));
}

// The magnitude of atan(x).
REAL NAME(atan_magnitude)(REAL ax) {
    // From here the angle is pi/2.
    REAL limited = min(ax, FROM_BITS((BITS)(BIAS + 2 * MANT) << MANT));
    return NAME(atan_ratio)(limited, R(1.0), false);
}

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
