// Correctly rounded float operations for devices whose own are not: fma, division, square root.

// m * 2^(e - BIAS - 62) to nearest even, m < 2^63 with sticky low bits; e as exponents are.
uint __pack_wide_f32(ulong m, int e) {
    if (m == 0) {
        return 0;
    }
    int zeros = (int)clz(m);
    // Leading bit to 62, sticky.
    int up = zeros - 1;
    m = m << up;
    e -= up;
    // 24 bits are kept, fewer for denormals: what is cut goes into a sticky bit below the tie's.
    uint top = (uint)(m >> 32);
    top |= (uint)m != 0 ? 1u : 0u;
    // top has its leading bit at 30: seven more than a significand.
    if (e < -MANT) {
        return 0;
    }
    int down = e > 0 ? 7 : 8 - e;
    uint kept = top >> down;
    uint rest = top & ((1u << down) - 1);
    uint tie = 1u << (down - 1);
    kept += rest + (kept & 1) > tie ? 1u : 0u;
    if (e <= 0) {
        return kept;
    }
    if (e > 2 * BIAS) {
        return INF_BITS;
    }
    // A carry into the exponent is as it should be.
    return min(((uint)e << MANT) + (kept - LEADING_BIT), INF_BITS);
}

ulong __shift_sticky_f32(ulong m, int by) {
    if (by > 62) {
        return m != 0 ? 1ul : 0ul;
    }
    ulong lost = m & (((ulong)1 << by) - 1);
    return (m >> by) | (lost != 0 ? 1ul : 0ul);
}

// fma: 0 ulp, in integers of 64 bits.
float __fma_f32(float a, float b, float c) {
    uint ma = as_uint(a) & MAG_MASK;
    uint mb = as_uint(b) & MAG_MASK;
    uint mc = as_uint(c) & MAG_MASK;
    if (ma >= INF_BITS || mb >= INF_BITS) {
        // A finite factor counts for its sign alone, unless it is zero.
        a = ma - 1 < LEADING_BIT - 1 ? __with_sign_f32(1.0f, a) : a;
        b = mb - 1 < LEADING_BIT - 1 ? __with_sign_f32(1.0f, b) : b;
        return a * b + c;
    }
    if (ma == 0 || mb == 0) {
        return mc == 0 ? a * b + c : c;
    }
    if (mc >= INF_BITS) {
        return c;
    }
    uint product_sign = (as_uint(a) ^ as_uint(b)) & SIGN_BIT;
    uint sign = as_uint(c) & SIGN_BIT;
    // Both terms as integers of 62 bits with the weight of an exponent.
    ulong product = ((ulong)__significand_f32(ma) * __significand_f32(mb)) << 14;
    int e = __exponent_f32(ma) + __exponent_f32(mb) - BIAS;
    ulong addend = 0;
    if (mc != 0) {
        addend = (ulong)__significand_f32(mc) << 37;
        int gap = e - __exponent_f32(mc);
        if (gap >= 0) {
            addend = __shift_sticky_f32(addend, gap);
        } else {
            product = __shift_sticky_f32(product, -gap);
            e -= gap;
        }
    }
    ulong sum = product + addend;
    uint result_sign = product_sign;
    if (product_sign != sign) {
        bool larger = product >= addend;
        sum = larger ? product - addend : addend - product;
        result_sign = larger ? product_sign : sign;
        if (sum == 0) {
            return 0.0f;
        }
    }
    // A significand's leading bit stood at 60.
    return as_float(__pack_wide_f32(sum, e + 2) | result_sign);
}

// x / y correctly rounded: the device's quotient of the significands, corrected once, and the sign
// of its exact residual (P. Markstein, IA-64 and Elementary Functions, 2000, chapter 8).
float __divide_f32(float x, float y) {
    uint mx = as_uint(x) & MAG_MASK;
    uint my = as_uint(y) & MAG_MASK;
    uint sign = (as_uint(x) ^ as_uint(y)) & SIGN_BIT;
    if (mx >= INF_BITS || my >= INF_BITS || mx == 0 || my == 0) {
        bool nan = mx > INF_BITS || my > INF_BITS || mx == my;
        bool infinite = mx == INF_BITS || my == 0;
        return as_float(nan ? NAN_BITS : infinite ? sign | INF_BITS : sign);
    }
    float a = as_float((__significand_f32(mx) & FRAC_MASK) | ((uint)BIAS << MANT));
    float b = as_float((__significand_f32(my) & FRAC_MASK) | ((uint)BIAS << MANT));
    int e = __exponent_f32(mx) - __exponent_f32(my) + BIAS;
    if (a < b) {
        a = a + a;
        e -= 1;
    }
    // In [1, 2]; the corrected quotient is one of the two neighbours of the exact one.
    float q = a / b;
    q = q + __residual_f32(q, b, a) / b;
    float rest = __residual_f32(q, b, a);
    // Two more digits: whether the rest is there, and whether it is above half a unit.
    float half_unit = b * 0x1p-24f;
    int more = fabs(rest) > half_unit ? 3 : rest != 0.0f ? 1 : 0;
    uint wide = (uint)((int)(q * 0x1p25f) + (rest < 0.0f ? -more : more));
    return as_float(__pack_wide_f32((ulong)wide << 37, e) | sign);
}

// sqrt correctly rounded: the device's, corrected once, and the sign of its exact residual
// (Markstein, chapter 9). The result is never denormal.
float __sqrt_f32(float x) {
    uint mag = as_uint(x);
    if (mag == 0 || mag >= INF_BITS) {
        return (mag & MAG_MASK) == 0 || mag == INF_BITS ? x : as_float(NAN_BITS);
    }
    // The radicand in [1, 4) with an even exponent.
    int e = __exponent_f32(mag) - BIAS;
    float a = as_float((__significand_f32(mag) & FRAC_MASK) | ((uint)(BIAS + (e & 1)) << MANT));
    float s = sqrt(a);
    s = s + __residual_f32(s, s, a) / (s + s);
    // No root is rounded up to 2, below which a unit is smaller.
    s = min(s, 0x1.fffffep0f);
    float rest = __residual_f32(s, s, a);
    float half_unit = s * 0x1p-23f;
    int step = rest > half_unit ? 1 : rest < -half_unit ? -1 : 0;
    return as_float(as_uint(s) + (uint)(step + ((e >> 1) << MANT)));
}
