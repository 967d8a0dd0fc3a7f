// Powers and roots: 2^(y log2 |x|) with the logarithm and the product as pairs (Tang 1990 without
// the table). Special values are those of OpenCL C 7.5.1, which are C99's.

#if WIDTH == 32 && !SHORT
// log2(x) as a pair, relative error below 2^-31, for finite x > 0.
// ln m = 2s + s^3 P(s^2) with only s as a pair: float's bounds leave that room.
REAL2 NAME(log2_pair)(REAL x) {
    int k;
    REAL m = NAME(log_reduce)(x, &k);
    REAL f = m - R(1.0);
    REAL2 d = NAME(two_sum)(R(1.0), m);
    REAL inverse = R(1.0) / d.x;
    REAL s = f * inverse;
    REAL z = s * s;
    REAL tail = (NAME(residual)(s, d.x, f) - s * d.y) * inverse;
    tail = mad(s * z, R(0.5) * NAME(log_poly)(z), mad(tail, z, tail));
    // Times 2 / ln 2.
    REAL2 p = NAME(two_prod)(s, R(2.885390043));
    REAL low = p.y + mad(s, R(3.85192607e-08), tail * R(2.885390043));
    REAL2 sum = NAME(two_sum)((REAL)k, p.x);
    return NAME(fast_two_sum)(sum.x, sum.y + low);
}
#elif WIDTH == 64 && !SHORT
// log2(x) as a pair, relative error about 2^-(1.3 p), for finite x > 0.
// ln m = 2s + s^3 (2/3 + s^2 P(s^2)) with the first two terms in pairs.
REAL2 NAME(log2_pair)(REAL x) {
    int k;
    REAL f = NAME(log_reduce)(x, &k) - R(1.0);
    REAL2 s = NAME(pair_div)(PAIR(f, R(0.0)), NAME(two_sum)(R(2.0), f));
    REAL2 z = NAME(pair_mul)(s, s);
    REAL2 c = TWO_THIRDS_PAIR;
    c = NAME(fast_two_sum)(c.x, c.y + z.x * NAME(log_tail_poly)(z.x));
    REAL2 cubic = NAME(pair_mul)(NAME(pair_mul)(s, z), c);
    REAL2 ln = NAME(pair_add)(PAIR(s.x + s.x, s.y + s.y), cubic);
    REAL2 log2m = NAME(pair_mul)(ln, LOG2E_PAIR);
    return NAME(pair_add)(PAIR((REAL)k, R(0.0)), log2m);
}
#endif

#if !SHORT_EXP
// 2^e for a pair.
REAL NAME(exp2_pair)(REAL2 e) {
    // Where the result over- or underflows whatever the low part is.
    REAL limit = R(2.0) * (BIAS + MANT + 2);
    if (e.x > limit) {
        return FROM_BITS(INF_BITS);
    }
    if (e.x < -limit) {
        return R(0.0);
    }
    REAL n = rint(e.x);
    REAL r = (e.x - n) + e.y;
    return NAME(scale)(R(1.0) + r * NAME(exp2_poly)(r), (int)n);
}
#endif

// |x|^(y + low) for finite x and y, x not 0.
REAL NAME(power)(REAL x, REAL y, REAL low) {
    REAL2 log = NAME(log2_pair)(FROM_BITS(TO_BITS(x) & MAG_MASK));
    y = clamp(y, -POW_LARGE, POW_LARGE);
    REAL2 e = NAME(two_prod)(log.x, y);
    e.y += log.y * y + log.x * low;
    return NAME(exp2_pair)(NAME(fast_two_sum)(e.x, e.y));
}

// 0: y is no integer; 1: odd; 2: even.
int NAME(parity)(REAL y) {
    BITS mag = TO_BITS(y) & MAG_MASK;
    int e = (int)(mag >> MANT) - BIAS;
    if (e > MANT) {
        return 2;
    }
    if (e < 0) {
        return mag == 0 ? 2 : 0;
    }
    BITS m = (mag & FRAC_MASK) | LEADING_BIT;
    BITS unit = (BITS)1 << (MANT - e);
    if ((m & (unit - 1)) != 0) {
        return 0;
    }
    return (m & unit) != 0 ? 1 : 2;
}

// pow of arguments one of which is 0, infinite or NaN, or of negative x.
REAL NAME(pow_edge)(REAL x, REAL y, int parity) {
    BITS ax = TO_BITS(x) & MAG_MASK;
    BITS ay = TO_BITS(y) & MAG_MASK;
    bool negative = (TO_BITS(x) & SIGN_BIT) != 0;
    bool down = (TO_BITS(y) & SIGN_BIT) != 0;
    BITS one = (BITS)BIAS << MANT;
    BITS sign = negative && parity == 1 ? SIGN_BIT : 0;
    if (ax > INF_BITS || ay > INF_BITS) {
        return FROM_BITS(NAN_BITS);
    }
    if (ay == INF_BITS) {
        if (ax == one) {
            return R(1.0);
        }
        return FROM_BITS((ax > one) != down ? INF_BITS : 0);
    }
    if (ax == 0 || ax == INF_BITS) {
        return FROM_BITS(sign | ((ax == 0) == down ? INF_BITS : 0));
    }
    if (parity == 0) {
        return FROM_BITS(NAN_BITS);
    }
    return FROM_BITS(sign | TO_BITS(NAME(power)(x, y, R(0.0))));
}

// pow: 16 ulp allowed; below 2.
REAL NAME(pow)(REAL x, REAL y) {
    if (x == R(1.0) || (TO_BITS(y) & MAG_MASK) == 0) {
        return R(1.0);
    }
    bool ordinary = TO_BITS(x) - 1 < INF_BITS - 1 && (TO_BITS(y) & MAG_MASK) < INF_BITS;
    if (ordinary) {
        return NAME(power)(x, y, R(0.0));
    }
    return NAME(pow_edge)(x, y, NAME(parity)(y));
}

// powr: pow for x >= 0; NaN where x^y has no limit.
REAL NAME(powr)(REAL x, REAL y) {
    BITS ax = TO_BITS(x) & MAG_MASK;
    BITS ay = TO_BITS(y) & MAG_MASK;
    if (ax > INF_BITS || ay > INF_BITS || (ax != 0 && (TO_BITS(x) & SIGN_BIT) != 0)) {
        return FROM_BITS(NAN_BITS);
    }
    if ((ax == 0 || ax == INF_BITS) && ay == 0) {
        return FROM_BITS(NAN_BITS);
    }
    if (ax == (BITS)BIAS << MANT) {
        return ay == INF_BITS ? FROM_BITS(NAN_BITS) : R(1.0);
    }
    return NAME(pow)(FROM_BITS(ax), y);
}

// pown: 16 ulp allowed; below 2.
REAL NAME(pown)(REAL x, int n) {
    if (n == 0) {
        return R(1.0);
    }
    BITS ax = TO_BITS(x) & MAG_MASK;
    int parity = (n & 1) != 0 ? 1 : 2;
    if (ax == 0 || ax >= INF_BITS) {
        return NAME(pow_edge)(x, (REAL)n, parity);
    }
    // A large n may have more digits than the type: two parts hold it.
    int rest = n < 0x800000 && n > -0x800000 ? 0 : n & 0xff;
    REAL result = NAME(power)(x, (REAL)(n - rest), (REAL)rest);
    BITS sign = parity == 1 ? TO_BITS(x) & SIGN_BIT : 0;
    return FROM_BITS(TO_BITS(result) | sign);
}

// |x|^(1/n) for finite x that is not 0.
REAL NAME(root)(REAL x, REAL n) {
    REAL2 log = NAME(log2_pair)(FROM_BITS(TO_BITS(x) & MAG_MASK));
#if WIDTH == 64 && SHORT
    REAL inverse = __inverse_f64(n);
    REAL q = log.x * inverse;
    REAL rest = fma(-q, n, log.x) + log.y;
    return NAME(exp2_pair)(NAME(fast_two_sum)(q, rest * inverse));
#else
    return NAME(exp2_pair)(NAME(pair_div)(log, PAIR(n, R(0.0))));
#endif
}

// rootn: 16 ulp allowed; below 2.
REAL NAME(rootn)(REAL x, int n) {
    BITS ax = TO_BITS(x) & MAG_MASK;
    bool odd = (n & 1) != 0;
    bool negative = (TO_BITS(x) & SIGN_BIT) != 0;
    if (n == 0 || ax > INF_BITS || (negative && !odd && ax != 0)) {
        return FROM_BITS(NAN_BITS);
    }
    BITS sign = negative && odd ? SIGN_BIT : 0;
    if (ax == 0 || ax == INF_BITS) {
        return FROM_BITS(sign | ((ax == 0) == (n < 0) ? INF_BITS : 0));
    }
    return FROM_BITS(sign | TO_BITS(NAME(root)(x, (REAL)n)));
}

#if !SHORT_ROOTS
// cbrt: 2 ulp allowed; below 1. A cubic on [1/2, 1), then Newton's iteration.
REAL NAME(cbrt)(REAL x) {
    BITS ax = TO_BITS(x) & MAG_MASK;
    if (ax == 0 || ax >= INF_BITS) {
        return x;
    }
    // x = m 2^(3 third + rest)
    int e = NAME(exponent)(ax) - (BIAS - 1);
    int third = (e + 12 * BIAS) / 3 - 4 * BIAS;
    int rest = e - 3 * third;
    BITS fraction = NAME(significand)(ax) & FRAC_MASK;
    REAL m = FROM_BITS(fraction | ((BITS)(BIAS - 1) << MANT));
    REAL t = mad(R(0.146707892), m, R(-0.517397523));
    t = mad(t, m, R(0.93198657));
    t = mad(t, m, R(0.438776076));
    t = t * (rest == 0 ? R(1.0) : rest == 1 ? R(1.25992105) : R(1.58740105));
    m = FROM_BITS(fraction | ((BITS)(BIAS - 1 + rest) << MANT));
    for (int i = 0; i < CBRT_STEPS; i++) {
        REAL square = t * t;
        t = t + mad(-square, t, m) / (R(3.0) * square);
    }
    t = t * FROM_BITS((BITS)(third + BIAS) << MANT);
    return NAME(with_sign)(t, x);
}
#endif

// hypot: 4 ulp allowed; below 1.5 and the device's square root.
REAL NAME(hypot)(REAL x, REAL y) {
#if WIDTH == 64 && SHORT
    if (__medium_f64(fabs(x), fabs(y))) {
        return __root_f64(fma(x, x, y * y));
    }
#endif
    BITS ax = TO_BITS(x) & MAG_MASK;
    BITS ay = TO_BITS(y) & MAG_MASK;
    REAL large = FROM_BITS(max(ax, ay));
    REAL scale = large > SQUARE_LARGE ? R(1.0) / SQUARE_SCALE : R(1.0);
    REAL back = large > SQUARE_LARGE ? SQUARE_SCALE : R(1.0);
    scale = large < SQUARE_SMALL ? SQUARE_SCALE : scale;
    back = large < SQUARE_SMALL ? R(1.0) / SQUARE_SCALE : back;
    REAL a = TIMES(x, scale);
    REAL b = TIMES(y, scale);
    REAL root = TIMES(sqrt(mad(a, a, b * b)), back);
    return ax == INF_BITS || ay == INF_BITS ? FROM_BITS(INF_BITS) : root;
}
