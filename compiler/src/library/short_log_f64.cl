// Logarithms of double for devices with a fused fma that keeps denormal numbers: as in exp_log.cl, with the inverse of
// short_f64.cl for the quotient, and denormal numbers behind a branch. Polynomials are found as in coefficients_f64.cl,
// of lower degree.

#if SHORT
// m of x = 2^k m in [1/sqrt 2, sqrt 2), for a positive normal number.
double __log_split_f64(double x, int *k) {
    uint over = HIGH(x) - 0x3fe6a09eu;
    *k = (int)over >> 20;
    return WORDS(LOW(x), HIGH(x) - (over & 0xfff00000u));
}

// ln(1 + f) = f - f^2 / 2 + `rest`, of which half the square is given.
double __ln_rest_f64(double f, double half_square) {
    double s = f * __inverse_f64(f + 2.0);
    double z = s * s;
    // (2 atanh(s) - 2s) / s^3 in z = s^2 <= 0.0295: error of the logarithm below 2^-59.
    double p = fma(0.14796824110327866, z, 0.15313960604823698);
    p = fma(p, z, 0.1818356798381046);
    p = fma(p, z, 0.22222198498820775);
    p = fma(p, z, 0.28571428743171456);
    p = fma(p, z, 0.3999999999941072);
    p = fma(p, z, 0.6666666666666735);
    return s * fma(p, z, half_square);
}

// k ln(2) + ln(1 + f).
double __ln_parts_f64(int k, double f) {
    double half_square = 0.5 * f * f;
    double rest = __ln_rest_f64(f, half_square);
    double n = (double)k;
    rest = fma(n, LN2_2, rest);
    return fma(n, LN2_1, f - (half_square - rest));
}

// What log2 and log10 have in common: ln(1 + f) as a pair.
double2 __ln_pair_f64(double f) {
    double half_square = 0.5 * f * f;
    double rest = __ln_rest_f64(f, half_square);
    double high = f - half_square;
    // What rounding the square and the difference lost.
    double lost = fma(-0.5 * f, f, half_square);
    return PAIR(high, (((f - high) - half_square) + lost) + rest);
}

// Whether x is anything but a positive normal number.
bool __log_rare_f64(double x) {
    return HIGH(x) - 0x00100000u >= 0x7fe00000u;
}

// Logarithms of a positive normal number, less `less` of those of 2.
double __log_normal_f64(double x, int less) {
    int k;
    double f = __log_split_f64(x, &k) - 1.0;
    return __ln_parts_f64(k - less, f);
}

double __log2_normal_f64(double x, int less) {
    int k;
    double2 ln = __ln_pair_f64(__log_split_f64(x, &k) - 1.0);
    double low = fma(ln.y, LOG2E, ln.x * LOG2E_2);
    return (double)(k - less) + fma(ln.x, LOG2E, low);
}

double __log10_normal_f64(double x, int less) {
    int k;
    double2 ln = __ln_pair_f64(__log_split_f64(x, &k) - 1.0);
    double n = (double)(k - less);
    double low = fma(ln.y, LOG10E, fma(ln.x, LOG10E_2, n * LOG10_2_2));
    return fma(n, LOG10_2_1, fma(ln.x, LOG10E, low));
}

// Rare numbers have functions of their own, long enough to stay behind a branch.
double __log_of_rare_f64(double x) {
    double denormal = __log_normal_f64(x * 0x1p54, 54);
    return TO_BITS(x) - 1 < LEADING_BIT - 1 ? denormal : NAME(log_of_special)(x);
}

double __log2_of_rare_f64(double x) {
    double denormal = __log2_normal_f64(x * 0x1p54, 54);
    return TO_BITS(x) - 1 < LEADING_BIT - 1 ? denormal : NAME(log_of_special)(x);
}

double __log10_of_rare_f64(double x) {
    double denormal = __log10_normal_f64(x * 0x1p54, 54);
    return TO_BITS(x) - 1 < LEADING_BIT - 1 ? denormal : NAME(log_of_special)(x);
}

// log: 3 ulp allowed; below 1.
double __log_f64(double x) {
    return __log_rare_f64(x) ? __log_of_rare_f64(x) : __log_normal_f64(x, 0);
}

// log2: 3 ulp allowed; below 1.5.
double __log2_f64(double x) {
    return __log_rare_f64(x) ? __log2_of_rare_f64(x) : __log2_normal_f64(x, 0);
}

// log10: 3 ulp allowed; below 1.
double __log10_f64(double x) {
    return __log_rare_f64(x) ? __log10_of_rare_f64(x) : __log10_normal_f64(x, 0);
}

// log1p of a finite x > -1. A negative zero becomes a positive one.
double __log1p_finite_f64(double x) {
    uint over = HIGH(x + 1.0) - 0x3fe6a09eu;
    // 2^-k (1 + x) - 1 with one rounding: 4 2^-k is never denormal.
    double scale = WORDS(0u, 0x40100000u - (over & 0xfff00000u));
    double f = fma(0.25 * x, scale, fma(0.25, scale, -1.0));
    return __ln_parts_f64((int)over >> 20, f);
}

// log1p: 2 ulp allowed; below 2.
double __log1p_f64(double x) {
    if (x > -1.0 && x < FROM_BITS(INF_BITS)) {
        return fabs(x) < 0x1p-54 ? x : __log1p_finite_f64(x);
    }
    return x == -1.0 ? FROM_BITS(INF_BITS | SIGN_BIT) : x > 0.0 ? x : FROM_BITS(NAN_BITS);
}

// log2(x) as a pair, relative error about 2^-68, for finite x > 0.
double2 __log2_pair_f64(double x) {
    int less = 0;
    if (TO_BITS(x) < LEADING_BIT) {
        x = x * 0x1p54;
        less = 54;
    }
    int k;
    double f = __log_split_f64(x, &k) - 1.0;
    // s = f / (2 + f) and what that leaves.
    double d = f + 2.0;
    double lost = f - (d - 2.0);
    double inverse = __inverse_f64(d);
    double s = f * inverse;
    double rest = fma(-s, lost, fma(-s, d, f)) * inverse;
    // ln m = 2s + s^3 (2/3 + z P(z)) in z = s^2 <= 0.0295: error of P's part below 2^-73.
    double z = s * s;
    double z_low = fma(s + s, rest, fma(s, s, -z));
    double p = fma(0.11980729139346415, z, 0.11675908206753335);
    p = fma(p, z, 0.13336258057736827);
    p = fma(p, z, 0.1538455859692851);
    p = fma(p, z, 0.18181818841602565);
    p = fma(p, z, 0.22222222217807097);
    p = fma(p, z, 0.2857142857144379);
    p = fma(p, z, 0.3999999999999998);
    double2 c = NAME(fast_two_sum)(0.66666666666666663, fma(p, z, 3.7007434154171883e-17));
    // s z c, whose low parts count little beside s.
    double sz = s * z;
    double sz_low = fma(s, z_low, fma(rest, z, fma(s, z, -sz)));
    double cubic = sz * c.x;
    double cubic_low = fma(sz, c.y, fma(sz_low, c.x, fma(sz, c.x, -cubic)));
    double2 ln = NAME(fast_two_sum)(s + s, cubic);
    ln.y += fma(2.0, rest, cubic_low);
    // Times log2(e), and the exponent.
    double product = ln.x * LOG2E;
    double low = fma(ln.x, LOG2E_2, fma(ln.y, LOG2E, fma(ln.x, LOG2E, -product)));
    double2 sum = NAME(fast_two_sum)((double)(k - less), product);
    return NAME(fast_two_sum)(sum.x, sum.y + low);
}
#endif
