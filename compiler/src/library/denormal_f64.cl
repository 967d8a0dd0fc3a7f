// Operations of double for devices that take denormal numbers for zero, or make zero of them: the
// device's own, unless its result tells that such a number may be involved, and then one on numbers
// that were raised out of the denormal range, brought back with one rounding. Results are tested by
// comparisons of floats: they take fewer instructions than comparisons of bits.

// Below 2^-900 a sum can be denormal; beside a number from there on a denormal one does not count.
#define SMALL_SUM 0x07b0000000000000ul
// The sum of two numbers below 2^-900 is below this.
#define LEAST_SUM 0x1p-899
// Numbers are raised by 2^200.
#define RAISE 200
// The exponent field of the least normal number, raised.
#define RAISED_LEAST ((ulong)(RAISE + 1) << MANT)

bool __is_denormal_f64(double x) {
    return (TO_BITS(x) & MAG_MASK) - 1 < LEADING_BIT - 1;
}

// On the bits: a comparison of floats may take denormal numbers for zero.
bool __is_zero_f64(double x) {
    return (TO_BITS(x) & MAG_MASK) == 0;
}

// x * 2^RAISE for |x| < 2^800.
double __raise_f64(double x) {
    ulong bits = TO_BITS(x);
    ulong sign = bits & SIGN_BIT;
    // As the fraction of a larger number, less that number.
    double denormal = FROM_BITS(bits | RAISED_LEAST) - FROM_BITS(sign | RAISED_LEAST);
    ulong normal = bits + ((ulong)RAISE << MANT);
    return (bits & INF_BITS) == 0 ? denormal : FROM_BITS(normal);
}

// s * 2^-RAISE for |s| < 2^RAISE that is exact, or what is nearest to s with a little more of the
// sign of `error` on its magnitude.
double __lower_f64(double s, double error) {
    ulong mag = TO_BITS(s) & MAG_MASK;
    ulong sign = TO_BITS(s) & SIGN_BIT;
    double least = FROM_BITS(RAISED_LEAST);
    // The least normal number's unit is that of all denormal ones: the sum rounds as it is due.
    double sum = FROM_BITS(mag) + least;
    ulong rounded = TO_BITS(sum);
    // On a tie what was lost before decides.
    double lost = FROM_BITS(mag) - (sum - least);
    double half_unit = FROM_BITS((ulong)(RAISE - MANT) << MANT);
    rounded += lost == half_unit && error > 0.0 ? 1 : 0;
    rounded -= lost == -half_unit && error < 0.0 ? 1 : 0;
    ulong result = mag >= RAISED_LEAST ? mag - ((ulong)RAISE << MANT) : rounded - RAISED_LEAST;
    return FROM_BITS(result | sign);
}

// a + b, where the device's own is `sum`; differs from it only if that is below LEAST_SUM. Branch-free: with
// a branch in it, the one that leads here took twice as long on lavapipe (Mesa 26.2).
double __small_sum_f64(double a, double b, double sum) {
    ulong larger = max(TO_BITS(a) & MAG_MASK, TO_BITS(b) & MAG_MASK);
    // No sum of numbers loses digits where it is denormal.
    double small = __lower_f64(__raise_f64(a) + __raise_f64(b), 0.0);
    return larger - 1 < SMALL_SUM - 1 ? small : sum;
}

double __ieee_add_f64(double a, double b) {
    double sum = a + b;
    if (MAGNITUDE(sum) < LEAST_SUM) {
        sum = __small_sum_f64(a, b, sum);
    }
    return sum;
}

double __ieee_sub_f64(double a, double b) {
    return __ieee_add_f64(a, FROM_BITS(TO_BITS(b) ^ SIGN_BIT));
}

// a * b of numbers other than zero, where the device's own is `product`.
double __tiny_product_f64(double a, double b, double product) {
    ulong ma = TO_BITS(a) & MAG_MASK;
    ulong mb = TO_BITS(b) & MAG_MASK;
    ulong larger = max(ma, mb);
    ulong sign = (TO_BITS(a) ^ TO_BITS(b)) & SIGN_BIT;
    double raised = __raise_f64(FROM_BITS(min(ma, mb)));
    double p = raised * FROM_BITS(larger);
    double result = __lower_f64(p, fma(raised, FROM_BITS(larger), -p));
    ulong bits = larger == INF_BITS ? INF_BITS : TO_BITS(result);
    return larger > INF_BITS ? product : FROM_BITS(bits | sign);
}

double __ieee_mul_f64(double a, double b) {
    double product = a * b;
    // NaN, if a denormal number is taken for zero beside infinity.
    if (!(MAGNITUDE(product) > LEAST_NORMAL)) {
        if (!__is_zero_f64(a) && !__is_zero_f64(b)) {
            product = __tiny_product_f64(a, b, product);
        }
    }
    return product;
}

// a * b + c, rounded twice, with one branch.
double __ieee_mad_f64(double a, double b, double c) {
    double product = a * b;
    double sum = product + c;
    if (!(MAGNITUDE(product) > LEAST_NORMAL) || MAGNITUDE(sum) < LEAST_SUM) {
        product = __ieee_mul_f64(a, b);
        sum = __small_sum_f64(product, c, product + c);
    }
    return sum;
}

// a * b - c.
double __ieee_msub_f64(double a, double b, double c) {
    return __ieee_mad_f64(a, b, FROM_BITS(TO_BITS(c) ^ SIGN_BIT));
}

// c - a * b.
double __ieee_nmad_f64(double a, double b, double c) {
    return __ieee_mad_f64(FROM_BITS(TO_BITS(a) ^ SIGN_BIT), b, c);
}

double __tiny_quotient_f64(double a, double b, double quotient) {
    ulong ma = TO_BITS(a) & MAG_MASK;
    ulong mb = TO_BITS(b) & MAG_MASK;
    ulong sign = (TO_BITS(a) ^ TO_BITS(b)) & SIGN_BIT;
    if (max(ma, mb) >= INF_BITS) {
        return quotient;
    }
    if (mb == 0) {
        return FROM_BITS(sign | INF_BITS);
    }
    if (ma == 0) {
        return FROM_BITS(sign);
    }
    double x = FROM_BITS((__significand_f64(ma) & FRAC_MASK) | ((ulong)BIAS << MANT));
    double y = FROM_BITS((__significand_f64(mb) & FRAC_MASK) | ((ulong)BIAS << MANT));
    int e = __exponent_f64(ma) - __exponent_f64(mb);
    double q = x / y;
    if (e > -900) {
        // Two factors: e may be beyond the exponents' range where the quotient is not.
        int first = min(e, 2 * BIAS) / 2;
        double a = FROM_BITS((ulong)(first + BIAS) << MANT);
        double b = FROM_BITS((ulong)(min(e, 2 * BIAS) - first + BIAS) << MANT);
        return FROM_BITS(TO_BITS(q * a * b) | sign);
    }
    double raised = q * FROM_BITS((ulong)(max(e, -1200) + RAISE + BIAS) << MANT);
    double result = __lower_f64(raised, fma(-q, y, x));
    return FROM_BITS(TO_BITS(result) | sign);
}

double __ieee_div_f64(double a, double b) {
    double quotient = a / b;
    double mag = MAGNITUDE(quotient);
    // NaN and infinity, if a denormal divisor is taken for zero.
    if (!(mag > LEAST_NORMAL && mag < INFINITY)) {
        bool denormal = __is_denormal_f64(a) || __is_denormal_f64(b);
        bool vanishes = mag <= LEAST_NORMAL && !__is_zero_f64(a);
        if (denormal || vanishes) {
            quotient = __tiny_quotient_f64(a, b, quotient);
        }
    }
    return quotient;
}

double __ieee_sqrt_f64(double x) {
    double root = sqrt(x);
    // Zero, if a denormal number is taken for that.
    if (root == 0.0) {
        root = __is_denormal_f64(x) ? sqrt(__raise_f64(x)) * 0x1p-100 : root;
    }
    return root;
}
