// Powers and roots: 2^(y log2 |x|) with the logarithm and the product as pairs. Special values are
// those of OpenCL C 7.5.1, which are C99's.

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
    return NAME(exp2_pair)(NAME(pair_div)(log, PAIR(n, R(0.0))));
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

// cbrt: 2 ulp allowed; below 1.
REAL NAME(cbrt)(REAL x) {
    BITS ax = TO_BITS(x) & MAG_MASK;
    if (ax == 0 || ax >= INF_BITS) {
        return x;
    }
    return NAME(with_sign)(NAME(root)(x, R(3.0)), x);
}

// hypot: 4 ulp allowed; below 1.
REAL NAME(hypot)(REAL x, REAL y) {
    BITS ax = TO_BITS(x) & MAG_MASK;
    BITS ay = TO_BITS(y) & MAG_MASK;
    if (ax == INF_BITS || ay == INF_BITS) {
        return FROM_BITS(INF_BITS);
    }
    if (ax > INF_BITS || ay > INF_BITS) {
        return FROM_BITS(NAN_BITS);
    }
    BITS large = max(ax, ay);
    BITS small = min(ax, ay);
    if (large == 0) {
        return R(0.0);
    }
    // Both with the exponent of the larger taken out.
    int e = NAME(exponent)(large) - BIAS;
    REAL a = NAME(ldexp)(FROM_BITS(large), -e);
    REAL b = NAME(ldexp)(FROM_BITS(small), -e);
    REAL2 aa = NAME(two_prod)(a, a);
    REAL2 bb = NAME(two_prod)(b, b);
    REAL2 sum = NAME(fast_two_sum)(aa.x, bb.x);
    REAL s = sum.x + (sum.y + (aa.y + bb.y));
    REAL2 root = NAME(pair_sqrt)(s);
    return NAME(ldexp)(root.x, e);
}
