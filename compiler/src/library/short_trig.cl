// Trigonometric functions for devices with a fused fma: arguments are reduced to single numbers, which is enough for the
// bounds.

#if SHORT_TRIG
// x = r + quadrant * pi / 2; NaN of infinities and NaN.
REAL NAME(reduce_short)(REAL x, int *quadrant) {
    // Rounds to an integer in the last bits.
    REAL rounded = fma(x, TWO_OVER_PI, ROUND_BITS);
    REAL n = rounded - ROUND_BITS;
    // The first difference is exact: both numbers are multiples of the last bit of pi / 2, or half of it.
    REAL r = fma(n, -HALF_PI_A, x);
    r = fma(n, -HALF_PI_B, r);
    r = fma(n, -HALF_PI_C, r);
    *quadrant = (int)TO_BITS(rounded);
    if (!(fabs(x) < TRIG_LARGE)) {
        REAL2 pair = NAME(reduce_large)(x, quadrant);
        r = TO_BITS(fabs(x)) < INF_BITS ? pair.x + pair.y : FROM_BITS(NAN_BITS);
    }
    return r;
}

// sin(r) / r in z = r^2, |r| <= pi/4.
REAL NAME(sin_short)(REAL z) {
    return fma(NAME(sin_poly)(z), z, R(1.0));
}

// cos(r) in z = r^2, |r| <= pi/4.
REAL NAME(cos_short)(REAL z) {
    return fma(fma(NAME(cos_poly)(z), z, R(-0.5)), z, R(1.0));
}

// x, negative if the second bit of the quadrant is set.
REAL NAME(turn)(REAL x, int quadrant) {
    return FROM_BITS(TO_BITS(x) ^ (((BITS)(quadrant & 2) << (WIDTH - 2))));
}

// sin(r + quadrant * pi / 2).
REAL NAME(sin_of_short)(REAL r, int quadrant) {
    REAL z = r * r;
    REAL sine = r * NAME(sin_short)(z);
    REAL cosine = NAME(cos_short)(z);
    REAL value = (quadrant & 1) != 0 ? cosine : sine;
    return NAME(turn)(value, quadrant);
}

// sin: 4 ulp allowed; below 2.
REAL NAME(sin)(REAL x) {
    int quadrant;
    REAL r = NAME(reduce_short)(x, &quadrant);
    return IF_TINY(x, x, NAME(sin_of_short)(r, quadrant));
}

// cos: 4 ulp allowed; below 2.
REAL NAME(cos)(REAL x) {
    int quadrant;
    REAL r = NAME(reduce_short)(x, &quadrant);
    return NAME(sin_of_short)(r, quadrant + 1);
}

// sincos: as sin and cos.
REAL NAME(sincos)(REAL x, REAL *other) {
    int quadrant;
    REAL r = NAME(reduce_short)(x, &quadrant);
    REAL z = r * r;
    REAL sine = r * NAME(sin_short)(z);
    REAL cosine = NAME(cos_short)(z);
    bool swap = (quadrant & 1) != 0;
    *other = NAME(turn)(swap ? sine : cosine, quadrant + 1);
    return IF_TINY(x, x, NAME(turn)(swap ? cosine : sine, quadrant));
}

// tan(r + quadrant * pi / 2), the quotient with its sign.
REAL NAME(tan_of_short)(REAL r, int quadrant) {
    REAL z = r * r;
    REAL sine = r * NAME(sin_short)(z);
    REAL cosine = NAME(cos_short)(z);
    bool swap = (quadrant & 1) != 0;
    REAL quotient = NEAR_QUOTIENT(swap ? cosine : sine, swap ? sine : cosine);
    return FROM_BITS(TO_BITS(quotient) ^ ((BITS)(quadrant & 1) << (WIDTH - 1)));
}

// tan: 5 ulp allowed; below 4.
REAL NAME(tan)(REAL x) {
    int quadrant;
    REAL r = NAME(reduce_short)(x, &quadrant);
    return IF_TINY(x, x, NAME(tan_of_short)(r, quadrant));
}

// pi x = r + quadrant * pi / 2; NaN of infinities and NaN.
REAL NAME(reduce_pi_short)(REAL x, int *quadrant) {
    if (!(fabs(x) < R(0x1p21))) {
        // x modulo 2 is exact.
        x = x - R(2.0) * rint(x * R(0.5));
    }
    REAL rounded = fma(x, R(2.0), ROUND_BITS);
    *quadrant = (int)TO_BITS(rounded);
    return fma(rounded - ROUND_BITS, R(-0.5), x) * PI;
}

// sinpi: 4 ulp allowed; below 3. Zeros have the sign of x.
REAL NAME(sinpi)(REAL x) {
    int quadrant;
    REAL r = NAME(reduce_pi_short)(x, &quadrant);
    REAL value = NAME(sin_of_short)(r, quadrant);
    value = value == R(0.0) ? NAME(with_sign)(value, x) : value;
    return IF_TINY(x, TIMES(x, PI), value);
}

// cospi: 4 ulp allowed; below 3. Zeros are positive.
REAL NAME(cospi)(REAL x) {
    int quadrant;
    REAL r = NAME(reduce_pi_short)(x, &quadrant);
    REAL value = NAME(sin_of_short)(r, quadrant + 1);
    return value == R(0.0) ? R(0.0) : value;
}

#if WIDTH == 64 && SHORT
// tanpi: 6 ulp allowed; below 5. Zeros and infinities as in trig.cl.
REAL NAME(tanpi)(REAL x) {
    int quadrant;
    REAL r = NAME(reduce_pi_short)(x, &quadrant);
    if (r == R(0.0)) {
        BITS other = (BITS)(quadrant & 2) << (WIDTH - 2);
        BITS zero = TO_BITS(x) & SIGN_BIT;
        return FROM_BITS(((quadrant & 1) != 0 ? INF_BITS : zero) ^ other);
    }
    return NAME(tan_of_short)(r, quadrant);
}
#endif
#endif
