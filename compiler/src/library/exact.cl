// Functions with exact results, on bits: so denormals count even where the device flushes them.

bool NAME(is_nan)(REAL x) {
    return (TO_BITS(x) & MAG_MASK) > INF_BITS;
}

bool NAME(is_inf)(REAL x) {
    return (TO_BITS(x) & MAG_MASK) == INF_BITS;
}

// x with its sign, magnitude from m.
REAL NAME(with_sign)(REAL m, REAL x) {
#if WIDTH == 64
    return WORDS(LOW(m), (HIGH(m) & 0x7fffffffu) | (HIGH(x) & 0x80000000u));
#else
    return FROM_BITS((TO_BITS(m) & MAG_MASK) | (TO_BITS(x) & SIGN_BIT));
#endif
}

// Biased exponent of a finite magnitude > 0, below 1 for denormals.
int NAME(exponent)(BITS mag) {
    int e = (int)(mag >> MANT);
    return e == 0 ? 1 - ((int)clz(mag) - (WIDTH - 1 - MANT)) : e;
}

// Significand of a finite magnitude > 0, with the leading bit at MANT.
BITS NAME(significand)(BITS mag) {
    BITS m = (mag & FRAC_MASK) | LEADING_BIT;
    return (mag >> MANT) == 0 ? mag << ((int)clz(mag) - (WIDTH - 1 - MANT)) : m;
}

// The magnitude m * 2^(e - BIAS - MANT), m < 2^(MANT + 1), to nearest even; e as exponents are.
BITS NAME(pack)(BITS m, int e) {
    if (m == 0) {
        return 0;
    }
    int up = (int)clz(m) - (WIDTH - 1 - MANT);
    m = m << up;
    e -= up;
    if (e > 2 * BIAS) {
        return INF_BITS;
    }
    if (e > 0) {
        return ((BITS)e << MANT) | (m & FRAC_MASK);
    }
    int down = min(1 - e, MANT + 2);
    BITS kept = m >> down;
    BITS rest = m & (((BITS)1 << down) - 1);
    BITS tie = (BITS)1 << (down - 1);
    return kept + (rest + (kept & 1) > tie ? 1 : 0);
}

// The exponent's bits.
uint NAME(exponent_bits)(REAL x) {
#if WIDTH == 64
    return (HIGH(x) >> 20) & 0x7ffu;
#else
    return (TO_BITS(x) >> MANT) & 0xffu;
#endif
}

// Whether a biased exponent is that of a normal number.
bool NAME(is_normal)(uint exponent) {
    return exponent - 1u < 2u * BIAS;
}

// frexp of what is no normal number.
REAL NAME(frexp_rare)(REAL x, int *exponent) {
    BITS mag = TO_BITS(x) & MAG_MASK;
    if (mag == 0 || mag >= INF_BITS) {
        *exponent = 0;
        return x;
    }
    *exponent = NAME(exponent)(mag) - (BIAS - 1);
    BITS m = (NAME(significand)(mag) & FRAC_MASK) | ((BITS)(BIAS - 1) << MANT);
    return FROM_BITS(m | (TO_BITS(x) & SIGN_BIT));
}

// frexp: 0 ulp.
REAL NAME(frexp)(REAL x, int *exponent) {
    uint e = NAME(exponent_bits)(x);
    if (!NAME(is_normal)(e)) {
        return NAME(frexp_rare)(x, exponent);
    }
    *exponent = (int)e - (BIAS - 1);
    return FROM_BITS((TO_BITS(x) & ~INF_BITS) | ((BITS)(BIAS - 1) << MANT));
}

// ldexp where an end is no normal number.
REAL NAME(ldexp_rare)(REAL x, int n) {
    BITS mag = TO_BITS(x) & MAG_MASK;
    if (mag == 0 || mag >= INF_BITS) {
        return x;
    }
    n = clamp(n, -8 * BIAS, 8 * BIAS);
    BITS result = NAME(pack)(NAME(significand)(mag), NAME(exponent)(mag) + n);
    return FROM_BITS(result | (TO_BITS(x) & SIGN_BIT));
}

// ldexp: correctly rounded.
REAL NAME(ldexp)(REAL x, int n) {
    uint e = NAME(exponent_bits)(x);
    if (NAME(is_normal)(e) & NAME(is_normal)(e + (uint)n)) {
#if WIDTH == 64
        return WORDS(LOW(x), HIGH(x) + ((uint)n << 20));
#else
        return FROM_BITS(TO_BITS(x) + ((BITS)n << MANT));
#endif
    }
    return NAME(ldexp_rare)(x, n);
}

// logb of what is no normal number.
REAL NAME(logb_rare)(REAL x) {
    BITS mag = TO_BITS(x) & MAG_MASK;
    if (mag >= INF_BITS) {
        return x * x;
    }
    if (mag == 0) {
        return FROM_BITS(INF_BITS | SIGN_BIT);
    }
    return (REAL)(NAME(exponent)(mag) - BIAS);
}

// logb: 0 ulp.
REAL NAME(logb)(REAL x) {
    uint e = NAME(exponent_bits)(x);
    return NAME(is_normal)(e) ? (REAL)((int)e - BIAS) : NAME(logb_rare)(x);
}

// ilogb of what is no normal number: FP_ILOGB0 and FP_ILOGBNAN are INT_MIN and INT_MAX.
int NAME(ilogb_rare)(REAL x) {
    BITS mag = TO_BITS(x) & MAG_MASK;
    if (mag >= INF_BITS) {
        return 0x7fffffff;
    }
    return mag == 0 ? (int)0x80000000u : NAME(exponent)(mag) - BIAS;
}

// ilogb
int NAME(ilogb)(REAL x) {
    uint e = NAME(exponent_bits)(x);
    return NAME(is_normal)(e) ? (int)e - BIAS : NAME(ilogb_rare)(x);
}

// modf: 0 ulp.
REAL NAME(modf)(REAL x, REAL *whole) {
    REAL t = trunc(x);
    *whole = t;
    REAL rest = KEEPS_DENORMALS || t != R(0.0) ? x - t : x;
    return NAME(with_sign)(NAME(is_inf)(x) ? R(0.0) : rest, x);
}

// fract: min(x - floor(x), the largest number below 1), zero of infinities and zeros, with their sign.
#if WIDTH == 32
// A device that takes denormal numbers for zeros may do so here.
float __fract_f32(float x, float *whole) {
    float largest = FROM_BITS(((BITS)BIAS << MANT) - 1);
    float f = floor(x);
    *whole = f;
    float rest = x - f;
    rest = rest > largest ? largest : rest;
    // Zeros and infinities by their bits: comparisons of floats made it 0.7 as fast (NVIDIA's driver 580).
    uint twice = TO_BITS(x) << 1;
    return twice == 0 || twice == INF_BITS << 1 ? FROM_BITS(TO_BITS(x) & SIGN_BIT) : rest;
}
#else
// Of any number. Zeros and denormal numbers, which the device may take for zeros, are their own fraction, or just below 1.
double __fract_any_f64(double x, double *whole) {
    double largest = FROM_BITS(((BITS)BIAS << MANT) - 1);
    bool small = (TO_BITS(x) & MAG_MASK) < LEADING_BIT;
    bool below = small && TO_BITS(x) > SIGN_BIT;
    double f = below ? -1.0 : floor(x);
    *whole = f;
    double rest = x - f;
    rest = rest > largest ? largest : rest;
    rest = NAME(is_inf)(x) ? NAME(with_sign)(0.0, x) : rest;
    return small && !below ? x : rest;
}

double __fract_f64(double x, double *whole) {
#if HEKLA_FUSED_FMA
    // True of normal numbers: exponents from 1 to one below infinity's, in the word without its sign.
    bool is_normal = HIGH(x) * 2 - 0x00200000u < 0xffc00000u;
    if (is_normal) {
        double f = floor(x);
        *whole = f;
        return fmin(x - f, FROM_BITS(((BITS)BIAS << MANT) - 1));
    }
#endif
    return NAME(fract_any)(x, whole);
}
#endif

#if WIDTH == 64 && SHORT
// nextafter: 0 ulp. By comparisons of the numbers, which are fewer operations than those of their bits.
REAL NAME(nextafter)(REAL x, REAL y) {
    BITS bits = TO_BITS(x);
    // Away from zero if that is the way, from zero itself to the least number with the sign of y.
    BITS away = bits + 1;
    BITS back = bits - 1;
    BITS next = (x < y) == (x > R(0.0)) ? away : back;
    next = x == R(0.0) ? (TO_BITS(y) & SIGN_BIT) | 1 : next;
    REAL result = x == y ? y : FROM_BITS(next);
    result = fabs(y) <= FROM_BITS(INF_BITS) ? result : y;
    return fabs(x) <= FROM_BITS(INF_BITS) ? result : x;
}
#else
// nextafter: 0 ulp.
REAL NAME(nextafter)(REAL x, REAL y) {
    if (NAME(is_nan)(x)) {
        return x;
    }
    if (NAME(is_nan)(y)) {
        return y;
    }
    // Integers that are ordered as the numbers are, both zeros being 0.
    SBITS a = TO_SBITS(x);
    SBITS b = TO_SBITS(y);
    a = a < 0 ? -(SBITS)(TO_BITS(x) & MAG_MASK) : a;
    b = b < 0 ? -(SBITS)(TO_BITS(y) & MAG_MASK) : b;
    if (a == b) {
        return y;
    }
    a += a < b ? 1 : -1;
    BITS bits = a < 0 ? (BITS)(-a) | SIGN_BIT : (BITS)a;
    // From the least positive number down comes zero with x's sign.
    return FROM_BITS(a == 0 ? TO_BITS(x) & SIGN_BIT : bits);
}
#endif

// |x| reduced by |y|, both finite and y not 0: subtracts |y| as often as it goes in (q times), and
// with `nearest` once more if that comes closer (q even on a tie), when the result is negative.
// Long division by SPARE_BITS bits at a time. Exact.
REAL NAME(divide_out)(REAL x, REAL y, bool nearest, uint *q) {
    BITS ax = TO_BITS(x) & MAG_MASK;
    BITS ay = TO_BITS(y) & MAG_MASK;
    *q = 0;
    if (ax == 0) {
        return R(0.0);
    }
    int ex = NAME(exponent)(ax);
    int ey = NAME(exponent)(ay);
    BITS rest = NAME(significand)(ax);
    BITS my = NAME(significand)(ay);
    int n = ex - ey;
    if (n < -1 || (n == -1 && !nearest)) {
        return FROM_BITS(ax);
    }
    uint quotient = 0;
    if (n == -1) {
        // Half of |y| or more goes once, to the other side.
        bool over = rest > my;
        *q = over ? 1 : 0;
        BITS other = NAME(pack)(2 * my - rest, ex);
        return FROM_BITS(over ? other | SIGN_BIT : ax);
    }
    if (rest >= my) {
        rest -= my;
        quotient = 1;
    }
    while (n > 0) {
        int step = min(n, SPARE_BITS);
        rest = rest << step;
        BITS digits = rest / my;
        rest -= digits * my;
        quotient = (quotient << step) + (uint)digits;
        n -= step;
    }
    BITS sign = 0;
    if (nearest && (2 * rest > my || (2 * rest == my && (quotient & 1) != 0))) {
        rest = my - rest;
        quotient += 1;
        sign = SIGN_BIT;
    }
    *q = quotient;
    return FROM_BITS(NAME(pack)(rest, ey) | sign);
}

// Whether x divided by y is NaN in fmod and its like.
bool NAME(no_remainder)(REAL x, REAL y) {
    BITS ay = TO_BITS(y) & MAG_MASK;
    return (TO_BITS(x) & MAG_MASK) >= INF_BITS || ay == 0 || ay > INF_BITS;
}

// Whether the quotient of two magnitudes, rounded to an integer, is right but for one.
bool NAME(divides_at_once)(REAL ax, REAL ay) {
    bool in_range = ay >= DIVISOR_LEAST && ay < DIVISOR_END && (KEEPS_DENORMALS || ax >= DIVISOR_LEAST);
    return EXACT_RESIDUAL && in_range && ax < ay * QUOTIENT_END;
}

// fmod of any numbers.
REAL NAME(fmod_rare)(REAL x, REAL y) {
    if (NAME(no_remainder)(x, y)) {
        return FROM_BITS(NAN_BITS);
    }
    if (NAME(is_inf)(y)) {
        return x;
    }
    uint q;
    return NAME(with_sign)(NAME(divide_out)(x, y, false, &q), x);
}

// fmod: 0 ulp.
REAL NAME(fmod)(REAL x, REAL y) {
    REAL ax = fabs(x);
    REAL ay = fabs(y);
    if (!NAME(divides_at_once)(ax, ay)) {
        return NAME(fmod_rare)(x, y);
    }
    // The rest is exact: its magnitude is hardly above half of |y|, of whose last digit, or x's, it is a multiple.
    REAL rest = NAME(residual)(rint(QUOTIENT(ax, ay)), ay, ax);
    return NAME(with_sign)(rest < R(0.0) ? rest + ay : rest, x);
}

// remquo of any numbers.
REAL NAME(remquo_rare)(REAL x, REAL y, int *quotient) {
    *quotient = 0;
    if (NAME(no_remainder)(x, y)) {
        return FROM_BITS(NAN_BITS);
    }
    if (NAME(is_inf)(y)) {
        return x;
    }
    uint q;
    REAL rest = NAME(divide_out)(x, y, true, &q);
    int low = (int)(q & 0x7f);
    *quotient = ((TO_BITS(x) ^ TO_BITS(y)) & SIGN_BIT) != 0 ? -low : low;
    return FROM_BITS(TO_BITS(rest) ^ (TO_BITS(x) & SIGN_BIT));
}

// remquo: 0 ulp; seven bits of the quotient with its sign.
REAL NAME(remquo)(REAL x, REAL y, int *quotient) {
    REAL ax = fabs(x);
    REAL ay = fabs(y);
    if (!NAME(divides_at_once)(ax, ay)) {
        return NAME(remquo_rare)(x, y, quotient);
    }
    REAL q = rint(QUOTIENT(ax, ay));
    REAL rest = NAME(residual)(q, ay, ax);
    int whole = (int)q;
    // One more or less where the rest is above half of |y|, or half of it beside an odd quotient.
    REAL twice = fabs(rest + rest);
    bool over = twice > ay || (twice == ay && (whole & 1) != 0);
    bool below = rest < R(0.0);
    whole += over ? (below ? -1 : 1) : 0;
    rest += over ? (below ? ay : -ay) : R(0.0);
    int low = whole & 0x7f;
    *quotient = ((TO_BITS(x) ^ TO_BITS(y)) & SIGN_BIT) != 0 ? -low : low;
    return FROM_BITS(TO_BITS(rest) ^ (TO_BITS(x) & SIGN_BIT));
}

// remainder: 0 ulp.
REAL NAME(remainder)(REAL x, REAL y) {
    int quotient;
    return NAME(remquo)(x, y, &quotient);
}
