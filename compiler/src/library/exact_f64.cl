// fma of doubles for devices whose own rounds twice.

// With products from 2^-900 on, no rounding error of the steps below is a denormal number.
#define LEAST_EXACT_PRODUCT 0x1p-900

// The 128-bit number high:low shifted right, what is lost or-ed into the last bit.
ulong2 __shift_sticky_f64(ulong2 m, int by) {
    if (by == 0) {
        return m;
    }
    if (by > 126) {
        return PAIR_OF(ulong, 0, (m.x | m.y) != 0 ? 1 : 0);
    }
    if (by >= 64) {
        int rest = by - 64;
        ulong lost = m.y | (m.x & (((ulong)1 << rest) - 1));
        return PAIR_OF(ulong, 0, (m.x >> rest) | (lost != 0 ? 1ul : 0ul));
    }
    ulong lost = m.y & (((ulong)1 << by) - 1);
    ulong low = (m.y >> by) | (m.x << (64 - by));
    return PAIR_OF(ulong, m.x >> by, low | (lost != 0 ? 1ul : 0ul));
}

// high:low * 2^(e - BIAS - 126) to nearest even, below 2^127; e as exponents are.
ulong __pack_wide_f64(ulong2 m, int e) {
    ulong high = m.x;
    ulong low = m.y;
    if ((high | low) == 0) {
        return 0;
    }
    if (high == 0) {
        high = low >> 1;
        low = low << 63;
        e -= 63;
    }
    int up = (int)clz(high) - 1;
    if (up > 0) {
        high = (high << up) | (low >> (64 - up));
        low = low << up;
        e -= up;
    }
    ulong top = high | (low != 0 ? 1ul : 0ul);
    // The leading bit is at 62: ten more than a significand.
    if (e < -MANT) {
        return 0;
    }
    int down = e > 0 ? 10 : 11 - e;
    ulong kept = top >> down;
    ulong rest = top & (((ulong)1 << down) - 1);
    ulong tie = (ulong)1 << (down - 1);
    kept += rest + (kept & 1) > tie ? 1ul : 0ul;
    if (e <= 0) {
        return kept;
    }
    if (e > 2 * BIAS) {
        return INF_BITS;
    }
    ulong bits = ((ulong)e << MANT) + (kept - LEADING_BIT);
    return min(bits, INF_BITS);
}

// fma of any numbers, in integers of 128 bits.
double __fma_in_integers_f64(double a, double b, double c) {
    ulong ma = as_ulong(a) & MAG_MASK;
    ulong mb = as_ulong(b) & MAG_MASK;
    ulong mc = as_ulong(c) & MAG_MASK;
    if (ma >= INF_BITS || mb >= INF_BITS) {
        // A finite factor counts for its sign alone, unless it is zero.
        a = ma - 1 < LEADING_BIT - 1 ? __with_sign_f64(1.0, a) : a;
        b = mb - 1 < LEADING_BIT - 1 ? __with_sign_f64(1.0, b) : b;
        return a * b + c;
    }
    if (ma == 0 || mb == 0) {
        return mc == 0 ? a * b + c : c;
    }
    if (mc >= INF_BITS) {
        return c;
    }
    ulong product_sign = (as_ulong(a) ^ as_ulong(b)) & SIGN_BIT;
    ulong sign = as_ulong(c) & SIGN_BIT;
    // Leading bits at 124 or 125 (the product) and 124 (the addend).
    ulong x = __significand_f64(ma) << 10;
    ulong y = __significand_f64(mb) << 10;
    ulong2 product = PAIR_OF(ulong, mul_hi(x, y), x * y);
    int e = __exponent_f64(ma) + __exponent_f64(mb) - BIAS;
    ulong2 addend = PAIR_OF(ulong, 0, 0);
    if (mc != 0) {
        addend = PAIR_OF(ulong, __significand_f64(mc) << 8, 0);
        int gap = e - __exponent_f64(mc);
        if (gap >= 0) {
            addend = __shift_sticky_f64(addend, gap);
        } else {
            product = __shift_sticky_f64(product, -gap);
            e -= gap;
        }
    }
    bool subtract = product_sign != sign;
    bool larger = product.x > addend.x || (product.x == addend.x && product.y >= addend.y);
    ulong2 first = larger ? product : addend;
    ulong2 second = larger ? addend : product;
    ulong2 sum;
    if (subtract) {
        ulong borrow = first.y < second.y ? 1ul : 0ul;
        sum = PAIR_OF(ulong, first.x - second.x - borrow, first.y - second.y);
        if ((sum.x | sum.y) == 0) {
            return 0.0;
        }
    } else {
        ulong low = first.y + second.y;
        ulong carry = low < first.y ? 1ul : 0ul;
        sum = PAIR_OF(ulong, first.x + second.x + carry, low);
    }
    ulong result_sign = larger ? product_sign : sign;
    return as_double(__pack_wide_f64(sum, e + 2) | result_sign);
}

// high + (a + b) rounded once, for |a + b| of half a unit of high at most: a + b rounded to odd, so that rounding once more
// is correct (S. Boldo, G. Melquiond, Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to
// odd, 2008).
double __sum_of_three_f64(double high, double a, double b) {
    double2 rest = __two_sum_f64(a, b);
    ulong bits = TO_BITS(rest.x);
    ulong inward = (bits ^ TO_BITS(rest.y)) >> 63;
    ulong odd = rest.y != 0.0 ? (bits - inward) | 1 : bits;
    return high + FROM_BITS(odd);
}

// fma: 0 ulp. The exact result is the sum of three numbers. If it rounds to the same number with the lower two a little
// larger and a little smaller, that is the result; otherwise their sum is rounded to odd. Where intermediate results may be
// denormal, or overflow, it is computed in integers.
double __fma_f64(double a, double b, double c) {
#if HEKLA_RAISED_DENORMALS
    return __fma_in_integers_f64(a, b, c);
#else
    double2 product = __two_prod_f64(a, b);
    double2 low = __two_sum_f64(c, product.y);
    double2 high = __two_sum_f64(product.x, low.x);
    double rest = low.y + high.y;
    double result = high.x + rest * (1.0 - 0x1p-50);
    double other = high.x + rest * (1.0 + 0x1p-50);
    bool is_large = fabs(product.x) >= LEAST_EXACT_PRODUCT;
    // An overflow leaves NaN, which compares unequal.
    if (!(is_large && result == other)) {
        result = __sum_of_three_f64(high.x, low.y, high.y);
        if (!(is_large && fabs(result) < INFINITY)) {
            result = __fma_in_integers_f64(a, b, c);
        }
    }
    return result;
#endif
}

// fma for devices whose own is one operation but flushes denormal numbers.
double __ieee_fma_f64(double a, double b, double c) {
    double result = fma(a, b, c);
    // The product is zero, or NaN, where a factor is denormal.
    bool normal = MAGNITUDE(a * b) > LEAST_NORMAL && MAGNITUDE(c) >= LEAST_NORMAL;
    if (!(normal && MAGNITUDE(result) > LEAST_NORMAL)) {
        bool zero = __is_zero_f64(a) || __is_zero_f64(b);
        bool tiny = MAGNITUDE(result) <= LEAST_NORMAL && !zero;
        if (tiny || __is_denormal_f64(a) || __is_denormal_f64(b) || __is_denormal_f64(c)) {
            result = __fma_in_integers_f64(a, b, c);
        }
    }
    return result;
}
