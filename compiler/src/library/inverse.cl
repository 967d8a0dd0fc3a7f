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
        return x + NAME(asin_tail)(x);
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
    return NAME(asin)(x) * ONE_OVER_PI;
}

// atan(num / den) as a pair for finite num >= 0, den >= 0, not both 0, neither near the ends of the
// exponents' range.
REAL2 NAME(atan_ratio)(REAL num, REAL den) {
    bool steep = num > den;
    REAL small = steep ? den : num;
    REAL large = steep ? num : den;
    // tan(pi/8) and more: turn by pi/4.
    bool turn = small > R(0.41421356) * large;
    REAL2 top = turn ? NAME(two_sum)(small, -large) : PAIR(small, R(0.0));
    REAL2 bottom = turn ? NAME(two_sum)(large, small) : PAIR(large, R(0.0));
    REAL2 t = NAME(pair_div)(top, bottom);
    REAL z = t.x * t.x;
    REAL tail = t.y + t.x * z * NAME(atan_poly)(z);
    REAL2 angle = NAME(fast_two_sum)(t.x, tail);
    REAL2 quarter = QUARTER_PI_PAIR;
    angle = turn ? NAME(pair_add)(quarter, angle) : angle;
    REAL2 half_pi = HALF_PI_PAIR;
    return steep ? NAME(pair_add)(half_pi, PAIR(-angle.x, -angle.y)) : angle;
}

// The magnitude of atan(x).
REAL2 NAME(atan_pair)(REAL ax) {
    REAL2 half_pi = HALF_PI_PAIR;
    // From here the angle is pi/2.
    if ((TO_BITS(ax) & MAG_MASK) >= ((BITS)(BIAS + 2 * MANT) << MANT)) {
        return half_pi;
    }
    return NAME(atan_ratio)(ax, R(1.0));
}

// atan: 5 ulp allowed; below 1.
REAL NAME(atan)(REAL x) {
    if (NAME(is_nan)(x) || NAME(is_tiny)(x)) {
        return x;
    }
    return NAME(with_sign)(NAME(atan_pair)(fabs(x)).x, x);
}

// atanpi: 5 ulp allowed; below 1.
REAL NAME(atanpi)(REAL x) {
    if (NAME(is_nan)(x)) {
        return x;
    }
    if (NAME(is_tiny)(x)) {
        return x * ONE_OVER_PI;
    }
    REAL2 angle = NAME(atan_pair)(fabs(x));
    return NAME(with_sign)(angle.x * ONE_OVER_PI, x);
}

// atan2(|y|, x) as a pair; no NaN.
REAL2 NAME(atan2_pair)(REAL y, REAL x) {
    BITS ay = TO_BITS(y) & MAG_MASK;
    BITS ax = TO_BITS(x) & MAG_MASK;
    bool left = (TO_BITS(x) & SIGN_BIT) != 0;
    REAL2 pi = PI_PAIR;
    REAL2 half_pi = HALF_PI_PAIR;
    REAL2 quarter = QUARTER_PI_PAIR;
    REAL2 angle;
    // Difference of the exponents, beyond which the angle is that of an axis.
    int gap = (int)(ay >> MANT) - (int)(ax >> MANT);
    if (ay == 0) {
        angle = PAIR(R(0.0), R(0.0));
    } else if (ay == INF_BITS && ax == INF_BITS) {
        angle = quarter;
    } else if (ay == INF_BITS || ax == 0 || gap > MANT + 4) {
        angle = half_pi;
    } else if (ax == INF_BITS || (left && gap < -MANT - 4)) {
        angle = PAIR(R(0.0), R(0.0));
    } else if (gap < -MANT - 4) {
        return PAIR(FROM_BITS(ay) / FROM_BITS(ax), R(0.0));
    } else {
        // The larger one to exponent 0.
        int e = NAME(exponent)(max(ax, ay)) - BIAS;
        REAL num = NAME(ldexp)(FROM_BITS(ay), -e);
        REAL den = NAME(ldexp)(FROM_BITS(ax), -e);
        angle = NAME(atan_ratio)(num, den);
    }
    return left ? NAME(pair_add)(pi, PAIR(-angle.x, -angle.y)) : angle;
}

// atan2: 6 ulp allowed; below 1.
REAL NAME(atan2)(REAL y, REAL x) {
    if (NAME(is_nan)(x) || NAME(is_nan)(y)) {
        return FROM_BITS(NAN_BITS);
    }
    return NAME(with_sign)(NAME(atan2_pair)(y, x).x, y);
}

// atan2pi: 6 ulp allowed; below 2.
REAL NAME(atan2pi)(REAL y, REAL x) {
    if (NAME(is_nan)(x) || NAME(is_nan)(y)) {
        return FROM_BITS(NAN_BITS);
    }
    return NAME(with_sign)(NAME(atan2_pair)(y, x).x * ONE_OVER_PI, y);
}
