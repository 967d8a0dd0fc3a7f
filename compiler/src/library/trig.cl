// Sine, cosine, tangent: argument reduction to |r| <= pi/4 with r as a pair, then polynomials.
// W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980; M. Payne and
// R. Hanek, Radian reduction for trigonometric functions, SIGNUM 1983 (the reduce_*.cl files).

// sin of a pair, |r| <= pi/4.
REAL NAME(sin_core)(REAL2 r) {
    REAL z = r.x * r.x;
    // sin(r + l) = sin r + l cos r; cos r is 1 - z / 2 near enough.
    REAL tail = z * r.x * NAME(sin_poly)(z) + r.y * (R(1.0) - R(0.5) * z);
    return r.x + tail;
}

// cos of a pair, |r| <= pi/4.
REAL NAME(cos_core)(REAL2 r) {
    REAL z = r.x * r.x;
    REAL half_square = R(0.5) * z;
    REAL w = R(1.0) - half_square;
    // What rounding w lost, the rest of the series, and -l sin r.
    REAL tail = ((R(1.0) - w) - half_square) + (z * z * NAME(cos_poly)(z) - r.x * r.y);
    return w + tail;
}

// sin(r + quadrant * pi / 2).
REAL NAME(sin_quadrant)(REAL2 r, int quadrant) {
    REAL value = (quadrant & 1) != 0 ? NAME(cos_core)(r) : NAME(sin_core)(r);
    return (quadrant & 2) != 0 ? -value : value;
}

// tan(r + quadrant * pi / 2).
REAL NAME(tan_quadrant)(REAL2 r, int quadrant) {
    REAL s = NAME(sin_core)(r);
    REAL c = NAME(cos_core)(r);
    return (quadrant & 1) != 0 ? -c / s : s / c;
}

// x is finite and so small that it is its own sine and tangent.
bool NAME(is_tiny)(REAL x) {
    return (TO_BITS(x) & MAG_MASK) < ((BITS)(BIAS - MANT / 2 - 2) << MANT);
}

#if !SHORT_TRIG
// sin: 4 ulp allowed; below 1.
REAL NAME(sin)(REAL x) {
    if ((TO_BITS(x) & MAG_MASK) >= INF_BITS) {
        return FROM_BITS(NAN_BITS);
    }
    if (NAME(is_tiny)(x)) {
        return x;
    }
    int quadrant;
    REAL2 r = NAME(reduce)(x, &quadrant);
    return NAME(sin_quadrant)(r, quadrant);
}

// cos: 4 ulp allowed; below 1.
REAL NAME(cos)(REAL x) {
    if ((TO_BITS(x) & MAG_MASK) >= INF_BITS) {
        return FROM_BITS(NAN_BITS);
    }
    int quadrant;
    REAL2 r = NAME(reduce)(x, &quadrant);
    return NAME(sin_quadrant)(r, quadrant + 1);
}

// sincos: as sin and cos.
REAL NAME(sincos)(REAL x, REAL *cosine) {
    if ((TO_BITS(x) & MAG_MASK) >= INF_BITS) {
        *cosine = FROM_BITS(NAN_BITS);
        return FROM_BITS(NAN_BITS);
    }
    int quadrant;
    REAL2 r = NAME(reduce)(x, &quadrant);
    REAL s = NAME(sin_core)(r);
    REAL c = NAME(cos_core)(r);
    bool swap = (quadrant & 1) != 0;
    REAL sine = swap ? c : s;
    REAL other = swap ? s : c;
    *cosine = ((quadrant + 1) & 2) != 0 ? -other : other;
    sine = (quadrant & 2) != 0 ? -sine : sine;
    return NAME(is_tiny)(x) ? x : sine;
}

// tan: 5 ulp allowed; below 1.5 and the device's division.
REAL NAME(tan)(REAL x) {
    if ((TO_BITS(x) & MAG_MASK) >= INF_BITS) {
        return FROM_BITS(NAN_BITS);
    }
    if (NAME(is_tiny)(x)) {
        return x;
    }
    int quadrant;
    REAL2 r = NAME(reduce)(x, &quadrant);
    return NAME(tan_quadrant)(r, quadrant);
}
#endif

// x pi = r + quadrant * pi / 2 (quadrant modulo 4), for finite x.
REAL2 NAME(reduce_pi)(REAL x, int *quadrant) {
    // Beyond this only even integers are left.
    if ((TO_BITS(x) & MAG_MASK) >= ((BITS)(BIAS + MANT + 1) << MANT)) {
        *quadrant = 0;
        return PAIR(R(0.0), R(0.0));
    }
    // x modulo 2 is exact.
    REAL y = x - R(2.0) * rint(x * R(0.5));
    REAL n = rint(y + y);
    *quadrant = (int)n & 3;
    return NAME(pair_scale)(PI_PAIR, y - R(0.5) * n);
}

#if !SHORT_TRIG
// sinpi: 4 ulp allowed; below 1.
REAL NAME(sinpi)(REAL x) {
    if ((TO_BITS(x) & MAG_MASK) >= INF_BITS) {
        return FROM_BITS(NAN_BITS);
    }
    if (NAME(is_tiny)(x)) {
        return TIMES(x, PI);
    }
    int quadrant;
    REAL2 r = NAME(reduce_pi)(x, &quadrant);
    REAL value = NAME(sin_quadrant)(r, quadrant);
    // Zeros have the sign of x.
    return value == R(0.0) ? NAME(with_sign)(value, x) : value;
}

// cospi: 4 ulp allowed; below 1.
REAL NAME(cospi)(REAL x) {
    if ((TO_BITS(x) & MAG_MASK) >= INF_BITS) {
        return FROM_BITS(NAN_BITS);
    }
    int quadrant;
    REAL2 r = NAME(reduce_pi)(x, &quadrant);
    REAL value = NAME(sin_quadrant)(r, quadrant + 1);
    return value == R(0.0) ? R(0.0) : value;
}
#endif

#if WIDTH == 32 || !SHORT
// tanpi: 6 ulp allowed; below 2 and the device's division. Zeros at even integers have the sign
// of x, at odd ones the other; infinities after even integers are positive (OpenCL C 7.5.1).
REAL NAME(tanpi)(REAL x) {
    if ((TO_BITS(x) & MAG_MASK) >= INF_BITS) {
        return FROM_BITS(NAN_BITS);
    }
    if (NAME(is_tiny)(x)) {
        return TIMES(x, PI);
    }
    int quadrant;
    REAL2 r = NAME(reduce_pi)(x, &quadrant);
    if (r.x == R(0.0)) {
        if ((quadrant & 1) != 0) {
            return FROM_BITS(quadrant == 1 ? INF_BITS : INF_BITS | SIGN_BIT);
        }
        REAL zero = NAME(with_sign)(R(0.0), x);
        return quadrant == 0 ? zero : -zero;
    }
    return NAME(tan_quadrant)(r, quadrant);
}
#endif
