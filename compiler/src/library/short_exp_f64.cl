// Exponentials and hyperbolic functions of double for devices with a fused fma that keeps denormal numbers: rounding is
// a sum, exponents are those bits of it that are an integer, and quotients begin with those of floats. Polynomials are
// found as in coefficients_f64.cl, of lower degree.

#if SHORT_EXP
// In two parts each.
#define LN2_1 0.69314718055994529
#define LN2_2 2.3190468138462996e-17
#define LOG10_2_1 0.30102999566398120
#define LOG10_2_2 -2.8037281277851704e-18

// 2^n with a bias added to n, of the sum that rounded it.
double __power_f64(double rounded) {
    return WORDS(0u, LOW(rounded) << 20);
}

// y * 2^n where that is a normal number.
double __times_power_f64(double y, double rounded) {
    return WORDS(LOW(y), HIGH(y) + (LOW(rounded) << 20));
}

// x = n ln(2) + r; the sum of n and `magic`.
double __exp_split_f64(double x, double magic, double *r) {
    double rounded = fma(x, LOG2E, magic);
    double n = rounded - magic;
    *r = fma(n, -LN2_2, fma(n, -LN2_1, x));
    return rounded;
}

// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2: error of e^r below 2^-57.
double __exp_short_f64(double r) {
    double p = fma(2.5010707282462986e-08, r, 2.763044397311265e-07);
    p = fma(p, r, 2.7557552463760344e-06);
    p = fma(p, r, 2.480149248321807e-05);
    p = fma(p, r, 0.00019841269544908116);
    p = fma(p, r, 0.0013888888944314488);
    p = fma(p, r, 0.008333333333476554);
    p = fma(p, r, 0.04166666666652704);
    p = fma(p, r, 0.1666666666666644);
    return fma(p, r, 0.5000000000000011);
}

// Whether a magnitude is not below a number that is told by the high word of its bits.
bool __not_below_f64(double x, uint high) {
    return (HIGH(x) & 0x7fffffffu) >= high;
}

// 708, its part of log2(e), and of log10(e).
#define EXP_END 0x40862000u
#define EXP2_END 0x408fe800u
#define EXP10_END 0x40733000u

double __exp_of_rare_f64(double x) {
    if (x > EXP_OVERFLOW) {
        return FROM_BITS(INF_BITS);
    }
    double small = x < EXP_UNDERFLOW ? 0.0 : NAME(exp_scaled)(x, 0.0, 0);
    return NAME(is_nan)(x) ? x : small;
}

// exp: 3 ulp allowed; below 1.
double __exp_f64(double x) {
    if (__not_below_f64(x, EXP_END)) {
        return __exp_of_rare_f64(x);
    }
    double r;
    double rounded = __exp_split_f64(x, ROUND_BITS, &r);
    double y = fma(fma(__exp_short_f64(r), r, 1.0), r, 1.0);
    return __times_power_f64(y, rounded);
}

// 2^r for |r| <= 1/2: error below 2^-57.
double __exp2_short_f64(double r) {
    double p = fma(4.450348526770642e-10, r, 7.073763034008339e-09);
    p = fma(p, r, 1.0178084007364847e-07);
    p = fma(p, r, 1.321543541119645e-06);
    p = fma(p, r, 1.5252733812513658e-05);
    p = fma(p, r, 0.00015403530456823626);
    p = fma(p, r, 0.0013333558146373186);
    p = fma(p, r, 0.009618129107594383);
    p = fma(p, r, 0.05550410866482229);
    p = fma(p, r, 0.2402265069591013);
    p = fma(p, r, 0.6931471805599453);
    return fma(p, r, 1.0);
}

// 2^(x + low) where it may be no normal number. What is below 2^1024 by the low part alone is one.
double __exp2_of_rare_f64(double x, double low) {
    if (x > 1024.0 || (x == 1024.0 && low >= 0.0)) {
        return FROM_BITS(INF_BITS);
    }
    double n = rint(x);
    double small = NAME(scale)(__exp2_short_f64((x - n) + low), (int)max(n, -2000.0));
    small = x < -1100.0 ? 0.0 : small;
    return NAME(is_nan)(x) ? x : small;
}

// 2^e for a pair.
double __exp2_pair_f64(double2 e) {
    if (__not_below_f64(e.x, EXP2_END)) {
        return __exp2_of_rare_f64(e.x, e.y);
    }
    double rounded = e.x + ROUND_BITS;
    double r = (e.x - (rounded - ROUND_BITS)) + e.y;
    return __times_power_f64(__exp2_short_f64(r), rounded);
}

// exp2: 3 ulp allowed; below 1.
double __exp2_f64(double x) {
    if (__not_below_f64(x, EXP2_END)) {
        return __exp2_of_rare_f64(x, 0.0);
    }
    double rounded = x + ROUND_BITS;
    double r = x - (rounded - ROUND_BITS);
    return __times_power_f64(__exp2_short_f64(r), rounded);
}

// 10^x = 2^n 10^r; the sum that rounded n.
double __exp10_split_f64(double x, double *r) {
    double rounded = fma(x, LOG2_10, ROUND_BITS);
    double n = rounded - ROUND_BITS;
    *r = fma(n, -LOG10_2_2, fma(n, -LOG10_2_1, x));
    return rounded;
}

// 10^r for |r| <= log10(2)/2: error below 2^-57.
double __exp10_short_f64(double r) {
    double p = fma(0.0002399844489895034, r, 0.0011575817786547923);
    p = fma(p, r, 0.005014058133614096);
    p = fma(p, r, 0.0195976186180763);
    p = fma(p, r, 0.0680893618613373);
    p = fma(p, r, 0.2069958495453803);
    p = fma(p, r, 0.5393829292301994);
    p = fma(p, r, 1.1712551489081515);
    p = fma(p, r, 2.0346785922933197);
    p = fma(p, r, 2.6509490552392054);
    p = fma(p, r, 2.302585092994046);
    return fma(p, r, 1.0);
}

double __exp10_of_rare_f64(double x) {
    if (x > EXP_OVERFLOW * LOG10_2_1 * LOG2E + 1.0) {
        return FROM_BITS(INF_BITS);
    }
    double r;
    double limited = max(x, -400.0);
    double rounded = __exp10_split_f64(limited, &r);
    double small = NAME(scale)(__exp10_short_f64(r), (int)(rounded - ROUND_BITS));
    return NAME(is_nan)(x) ? x : small;
}

// exp10: 3 ulp allowed; below 1.
double __exp10_f64(double x) {
    if (__not_below_f64(x, EXP10_END)) {
        return __exp10_of_rare_f64(x);
    }
    double r;
    double rounded = __exp10_split_f64(x, &r);
    return __times_power_f64(__exp10_short_f64(r), rounded);
}

// (e^x - 1) 2^by for integers `by` from -2 to 0, x of no more than 711 above and -38 below; e^x 2^by in `power`.
double __expm1_scaled_f64(double x, double by, double *power) {
    double r;
    double rounded = __exp_split_f64(x, ROUND_BITS + (BIAS + by), &r);
    double rest = fma(__exp_short_f64(r), r * r, r);
    double scale = __power_f64(rounded);
    *power = fma(rest, scale, scale);
    return fma(rest, scale, scale - (by < -1.0 ? 0.25 : 0.5));
}

// expm1: 3 ulp allowed; below 2.
double __expm1_f64(double x) {
    double power;
    // Half of it, which is in range where it is.
    double y = __expm1_scaled_f64(x, -1.0, &power);
    y = y + y;
    y = x > EXP_OVERFLOW ? FROM_BITS(INF_BITS) : y;
    y = x < EXPM1_MINUS_ONE ? -1.0 : y;
    // A small number's half may be denormal.
    return __not_below_f64(x, 0x3c900000u) ? y : x;
}

// Magnitudes beyond this have infinite sinh and cosh, a quarter of whose power is finite.
#define HYPERBOLIC_END 710.75
// Beyond this a number's inverse power does not count.
#define INVERSE_END 38.0

// sinh: 4 ulp allowed; below 3.
double __sinh_f64(double x) {
    double ax = fabs(x);
    ax = ax > HYPERBOLIC_END ? HYPERBOLIC_END : ax;
    double power;
    double quarter = __expm1_scaled_f64(ax, -2.0, &power);
    // (t + t / e^x) / 2 of t = e^x - 1.
    double other = quarter * __inverse_f64(4.0 * power);
    double half_sinh = ax > INVERSE_END ? quarter : quarter + other;
    double result = NAME(with_sign)(half_sinh + half_sinh, x);
    return __not_below_f64(x, 0x3e300000u) ? result : x;
}

// cosh: 4 ulp allowed; below 2.
double __cosh_f64(double x) {
    double ax = fabs(x);
    ax = ax > HYPERBOLIC_END ? HYPERBOLIC_END : ax;
    double r;
    double rounded = __exp_split_f64(ax, ROUND_BITS - 2.0, &r);
    double y = fma(fma(__exp_short_f64(r), r, 1.0), r, 1.0);
    double quarter = __times_power_f64(y, rounded);
    double other = 0.0625 * __inverse_f64(quarter);
    double half_cosh = ax > INVERSE_END ? quarter : quarter + other;
    // The arithmetic of exponents makes numbers of NaN.
    return NAME(is_nan)(x) ? x : half_cosh + half_cosh;
}

// tanh: 5 ulp allowed; below 3.
double __tanh_f64(double x) {
    double ax = fabs(x);
    ax = ax > 22.0 ? 22.0 : ax;
    double power;
    // t / (t + 2) of t = e^2x - 1, both halved.
    double half_t = __expm1_scaled_f64(ax + ax, -1.0, &power);
    return NAME(with_sign)(half_t * __inverse_f64(half_t + 1.0), x);
}

// erfc(x) for 0.9 <= x < ERFC_ZERO.
double __erfc_large_f64(double x) {
    double t = (x - 2.0) * __inverse_f64(x + 2.0);
    double2 square = NAME(two_prod)(x, x);
    double r;
    double rounded = __exp_split_f64(-square.x, ROUND_BITS, &r);
    r = r - square.y;
    double y = fma(fma(__exp_short_f64(r), r, 1.0), r, 1.0);
    // Before the power, since that may make it denormal.
    y = y * NAME(erfcx_poly)(t) * __inverse_f64(fma(2.0, x, 1.0));
    if (x < 26.0) {
        return __times_power_f64(y, rounded);
    }
    return NAME(scale)(y, (int)(rounded - ROUND_BITS));
}

// erf: 16 ulp allowed; below 2.
double __erf_f64(double x) {
    double ax = fabs(x);
    if (!(ax >= 0.9)) {
        return x * NAME(erf_poly)(x * x);
    }
    double result = ax > 6.0 ? 1.0 : 1.0 - __erfc_large_f64(ax);
    return NAME(with_sign)(result, x);
}
#endif
