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
    if (ma == 0 || mb == 0 || ma >= INF_BITS || mb >= INF_BITS) {
        return a * b + c;
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

// x / y correctly rounded: 26 digits by subtraction, then the rest as a sticky bit.
float __divide_f32(float x, float y) {
    uint mx = as_uint(x) & MAG_MASK;
    uint my = as_uint(y) & MAG_MASK;
    if (mx == 0 || my == 0 || mx >= INF_BITS || my >= INF_BITS) {
        return x / y;
    }
    int e = __exponent_f32(mx) - __exponent_f32(my) + BIAS;
    uint rest = __significand_f32(mx);
    uint divisor = __significand_f32(my);
    uint quotient = 0;
    for (int i = 0; i < 27; i++) {
        bool fits = rest >= divisor;
        rest = (fits ? rest - divisor : rest) << 1;
        quotient = (quotient << 1) | (fits ? 1u : 0u);
    }
    quotient = (quotient << 1) | (rest != 0 ? 1u : 0u);
    // The first digit, of weight 1, stands at 27.
    uint sign = (as_uint(x) ^ as_uint(y)) & SIGN_BIT;
    return as_float(__pack_wide_f32((ulong)quotient << 35, e) | sign);
}

// sqrt correctly rounded: 25 digits by trial, then the rest as a sticky bit.
float __sqrt_f32(float x) {
    uint mag = as_uint(x);
    if (mag == 0 || mag >= INF_BITS) {
        return (mag & MAG_MASK) == 0 || mag == INF_BITS ? x : as_float(NAN_BITS);
    }
    int e = __exponent_f32(mag) - BIAS;
    // The radicand in [1, 4) with an even exponent, 24 digits after the point.
    uint m = __significand_f32(mag) << (1 + (e & 1));
    e = (e - (e & 1)) / 2;
    uint root = 0;
    uint rest = 0;
    for (int i = 0; i < 25; i++) {
        rest = (rest << 2) | (m >> 24);
        m = (m << 2) & 0x3ffffffu;
        uint trial = (root << 2) | 1;
        bool fits = rest >= trial;
        rest = fits ? rest - trial : rest;
        root = (root << 1) | (fits ? 1u : 0u);
    }
    root = (root << 1) | (rest != 0 ? 1u : 0u);
    // The first digit, of weight 1, stands at 25.
    return as_float(__pack_wide_f32((ulong)root << 37, e + BIAS));
}
