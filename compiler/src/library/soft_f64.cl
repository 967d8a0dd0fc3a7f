// Arithmetic of doubles on their bits, for devices that have none: IEEE 754 binary64, rounded to nearest even, with
// denormal numbers. Significands stand with their leading bit at 62 where they are rounded, so that ten bits below are to
// be cut, of which the last is set if anything below it is. Words for what fits in them: many of these devices have no
// integers of 64 bits. No loops, and branches for what is rare alone: operands that are no normal numbers, results that are none,
// and sums of which little is left.

#define ONE_BITS 0x3ff0000000000000ul
#define HALF_BITS 0x3fe0000000000000ul
#define OF_WORDS(low, high) as_ulong((uint2)((low), (high)))
#define HIGH(x) as_uint2((ulong)(x)).s1
#define LOW(x) as_uint2((ulong)(x)).s0

// m shifted right by less than 64, the last bit set if anything is lost.
ulong __soft_shifted(ulong m, uint by) {
    ulong kept = m >> by;
    return kept | (kept << by != m ? 1ul : 0ul);
}

// Rounds m 2^(e - BIAS - 62) for e > 0: the leading bit at 62, or below it if e is 1.
ulong __soft_pack(int e, ulong m) {
    ulong kept = ((ulong)(uint)(e - 1) << 52) + (m >> 10);
    uint rest = LOW(m) & 0x3ffu;
    kept += rest + (LOW(kept) & 1u) > 0x200u ? 1ul : 0ul;
    return e > 2 * BIAS ? INF_BITS : kept;
}

// Rounds m 2^(e - BIAS - 62), the leading bit at 62.
ulong __soft_round(int e, ulong m) {
    if (e < 1) {
        m = __soft_shifted(m, (uint)min(1 - e, 63));
        e = 1;
    }
    return __soft_pack(e, m);
}

// The significand of a finite magnitude > 0 with the leading bit at 63.
ulong __soft_significand(ulong mag) {
    ulong m = (mag << 11) | SIGN_BIT;
    if (mag < LEADING_BIT) {
        m = mag << clz(mag);
    }
    return m;
}

// The biased exponent of such a magnitude, below 1 of a denormal one.
int __soft_exponent(ulong mag) {
    int e = (int)(HIGH(mag) >> 20);
    if (e == 0) {
        e = 12 - (int)clz(mag);
    }
    return e;
}

// True if a biased exponent is not one of normal numbers.
bool __soft_is_special(uint e) {
    return e - 1 >= 2 * BIAS;
}

// The significand of a normal number with the leading bit at 52 + up, up < 12.
ulong __soft_normal(ulong a, uint up) {
    return (a & FRAC_MASK | LEADING_BIT) << up;
}

// Rounds m 2^(e - BIAS - 62), the leading bit at 62, 0 < e, with the sign bit in a word.
ulong __soft_signed(uint e, ulong m, uint sign) {
    ulong rounded = m + (((LOW(m) >> 10) & 1u) + 0x1ffu);
    return (rounded >> 10) + OF_WORDS(0u, ((e - 1) << 20) | sign);
}

ulong __soft_add(ulong a, ulong b) {
    bool swap = (a & MAG_MASK) < (b & MAG_MASK);
    ulong x = swap ? b : a, y = swap ? a : b;
    uint ex = (HIGH(x) >> 20) & 0x7ffu, ey = (HIGH(y) >> 20) & 0x7ffu;
    int differ = (int)(HIGH(x) ^ HIGH(y)) >> 31;
    // Leading bits at 61, so that the sum's is at 62 at most.
    ulong fx = __soft_normal(x, 9), fy = __soft_normal(y, 9);
    if (__soft_is_special(ex) || __soft_is_special(ey)) {
        if (ex != 0 && __soft_is_special(ex)) {
            bool is_nan = (x & MAG_MASK) > INF_BITS || (differ != 0 && (y & MAG_MASK) == INF_BITS);
            return is_nan ? x | NAN_BITS : x;
        }
        fx ^= ex == 0 ? LEADING_BIT << 9 : 0ul;
        fy ^= ey == 0 ? LEADING_BIT << 9 : 0ul;
        ex = max(ex, 1u);
        ey = max(ey, 1u);
    }
    fy = __soft_shifted(fy, min(ex - ey, 63u));
    ulong sum = fx + (fy ^ (ulong)(long)differ) + (ulong)(uint)(differ & 1);
    uint up = clz(HIGH(sum)) - 1u, e = ex + 1 - up, sign = HIGH(x) & 0x80000000u;
    if (__soft_is_special(e) || HIGH(sum) == 0) {
        up = min((uint)clz(sum) - 1u, ex);
        ulong result = __soft_pack((int)(ex + 1 - up), sum << (up & 63u));
        // What cancels is +0.
        result = sum == 0 ? 0ul : result;
        return sum == 0 && differ != 0 ? 0ul : result | OF_WORDS(0u, sign);
    }
    return __soft_signed(e, sum << (up & 31u), sign);
}

// The product x y 2^64, its upper half and the words of its lower half.
typedef struct {
    ulong high;
    uint middle, low;
} __soft_product;

__soft_product __soft_multiplied(ulong x, ulong y) {
    ulong low = (ulong)LOW(x) * LOW(y);
    ulong middle = (ulong)HIGH(x) * LOW(y) + HIGH(low);
    ulong other = (ulong)LOW(x) * HIGH(y) + LOW(middle);
    ulong high = (ulong)HIGH(x) * HIGH(y) + HIGH(middle) + HIGH(other);
    __soft_product product = {high, LOW(other), LOW(low)};
    return product;
}

ulong __soft_mul(ulong a, ulong b) {
    int ea = (int)((HIGH(a) >> 20) & 0x7ffu), eb = (int)((HIGH(b) >> 20) & 0x7ffu);
    ulong x = __soft_normal(a, 0), y = __soft_normal(b, 11);
    uint sign = (HIGH(a) ^ HIGH(b)) & 0x80000000u;
    if (__soft_is_special((uint)ea) || __soft_is_special((uint)eb)) {
        ulong ma = a & MAG_MASK, mb = b & MAG_MASK;
        ulong larger = max(ma, mb), smaller = min(ma, mb);
        if (smaller == 0 || larger >= INF_BITS) {
            bool is_nan = larger > INF_BITS || (larger == INF_BITS && smaller == 0);
            ulong result = larger == INF_BITS ? INF_BITS : 0ul;
            return is_nan ? NAN_BITS : result | OF_WORDS(0u, sign);
        }
        x = __soft_significand(ma) >> 11;
        y = __soft_significand(mb);
        ea = __soft_exponent(ma);
        eb = __soft_exponent(mb);
    }
    // The upper half has the leading bit at 52 or 51.
    __soft_product p = __soft_multiplied(x, y);
    uint carries = HIGH(p.high) >> 20, up = 1 - carries;
    int e = ea + eb + (int)carries - BIAS;
    ulong lower = OF_WORDS(p.middle, LOW(p.high)) << up;
    uint upper = HIGH(p.high << up), rest = LOW(lower) | (p.low != 0 ? 1u : 0u);
    if (__soft_is_special((uint)e)) {
        ulong m = OF_WORDS(HIGH(lower), upper) << 10 | rest >> 22 | (rest << 10 != 0 ? 1u : 0u);
        return __soft_round(e, m) | OF_WORDS(0u, sign);
    }
    ulong kept = OF_WORDS(HIGH(lower), (upper + ((uint)(e - 1) << 20)) | sign);
    return kept + (rest > 0x80000000u - (HIGH(lower) & 1u) ? 1ul : 0ul);
}

// fma of infinities and NaN.
ulong __soft_fma_special(ulong ma, ulong mb, ulong c, ulong sign) {
    ulong mc = c & MAG_MASK;
    ulong larger = max(ma, mb);
    bool is_nan = larger > INF_BITS || mc > INF_BITS;
    bool is_infinite = larger == INF_BITS;
    is_nan = is_nan || (is_infinite && min(ma, mb) == 0);
    is_nan = is_nan || (is_infinite && mc == INF_BITS && sign != (c & SIGN_BIT));
    return is_nan ? NAN_BITS : is_infinite ? sign | INF_BITS : c;
}

// The sum of a product of 128 bits and an addend, both with units at 60, the product's leading bit at 61 or 60 of the upper half.
ulong __soft_wide_sum(ulong ph, ulong pl, int ep, ulong ch, int ec, ulong sign, ulong sign_c) {
    // Leading bits at 61.
    bool carries = HIGH(ph) >> 29 != 0;
    ph = carries ? ph : ph << 1 | pl >> 63;
    pl = carries ? pl : pl << 1;
    ep += carries ? 1 : 0;
    ch <<= 1;
    bool larger = ep > ec || (ep == ec && ph >= ch);
    ulong h = larger ? ph : ch, l = larger ? pl : 0ul;
    ulong sh = larger ? ch : ph, sl = larger ? 0ul : pl;
    int e = larger ? ep : ec;
    // The smaller one beside it, with a last bit for what is lost.
    uint by = min((uint)abs(ep - ec), 127u);
    bool far = by >= 64;
    bool lost = far && sl != 0;
    sl = far ? sh : sl;
    sh = far ? 0ul : sh;
    uint n = by & 63u;
    ulong kept = sl >> n;
    lost = lost || kept << n != sl;
    sl = kept | (sh << 1 << (63 - n)) | (lost ? 1ul : 0ul);
    sh = sh >> n;
    bool differ = sign != sign_c;
    ulong low = differ ? l - sl : l + sl;
    bool wraps = differ ? l < sl : low < l;
    ulong high = differ ? h - sh : h + sh;
    high = differ ? high - (wraps ? 1ul : 0ul) : high + (wraps ? 1ul : 0ul);
    if ((high | low) == 0) {
        return 0ul;
    }
    e += 1;
    bool is_low = high == 0;
    high = is_low ? low >> 1 : high;
    low = is_low ? low << 63 : low;
    e -= is_low ? 63 : 0;
    uint up = (uint)clz(high) - 1u;
    ulong m = (high << up) | (low >> 1 >> (63 - up));
    m |= low << up != 0 ? 1ul : 0ul;
    return __soft_round(e - (int)up, m) | (larger ? sign : sign_c);
}

ulong __soft_fma(ulong a, ulong b, ulong c) {
    int ea = (int)((HIGH(a) >> 20) & 0x7ffu), eb = (int)((HIGH(b) >> 20) & 0x7ffu);
    int ec = (int)((HIGH(c) >> 20) & 0x7ffu);
    ulong x = __soft_normal(a, 9), y = __soft_normal(b, 11), addend = __soft_normal(c, 8);
    uint sign = (HIGH(a) ^ HIGH(b)) & 0x80000000u, sign_c = HIGH(c) & 0x80000000u;
    if (__soft_is_special((uint)ea) || __soft_is_special((uint)eb) || __soft_is_special((uint)ec)) {
        ulong ma = a & MAG_MASK, mb = b & MAG_MASK, mc = c & MAG_MASK;
        if (max(max(ma, mb), mc) >= INF_BITS) {
            return __soft_fma_special(ma, mb, c, OF_WORDS(0u, sign));
        }
        if (min(ma, mb) == 0) {
            return mc == 0 && sign != sign_c ? 0ul : c;
        }
        x = __soft_significand(ma) >> 2;
        y = __soft_significand(mb);
        addend = mc == 0 ? 0ul : __soft_significand(mc) >> 3;
        ea = __soft_exponent(ma);
        eb = __soft_exponent(mb);
        ec = mc == 0 ? -4 * BIAS : __soft_exponent(mc);
    }
    // Units at 60: the product's leading bit is at 61 or 60, and nothing of it is lost.
    __soft_product p = __soft_multiplied(x, y);
    ulong rest = OF_WORDS(p.low, p.middle);
    int e = ea + eb - BIAS, above = e - ec;
    uint by = (uint)abs(above);
    int differ = (int)(sign ^ sign_c) >> 31;
    // Where numbers of about the same size cancel, more of the product is needed.
    if (by > 63 || (differ != 0 && (uint)(above + 2) < 4)) {
        return __soft_wide_sum(p.high, rest, e, addend, ec, OF_WORDS(0u, sign), OF_WORDS(0u, sign_c));
    }
    bool larger = above >= 0;
    ulong high = larger ? p.high : addend, low = larger ? rest : 0ul;
    ulong small = larger ? addend : p.high;
    // The smaller one beside it, with a last bit for what is lost.
    ulong below = small << 1 << (63 - by);
    below |= !larger && rest != 0 ? 1ul : 0ul;
    small = small >> by;
    // A difference is a sum with the complement, and 1 more where what is left over does not cancel that.
    ulong mask = (ulong)(long)differ;
    ulong left = low + (below ^ mask);
    bool carries = left < low || (differ != 0 && left == mask);
    ulong sum = high + (small ^ mask) + (carries ? 1ul : 0ul);
    sum |= left != mask ? 1ul : 0ul;
    uint up = clz(HIGH(sum)) - 1u;
    e = (larger ? e : ec) + 2 - (int)up;
    ulong m = sum << (up & 31u);
    sign = larger ? sign : sign_c;
    if (__soft_is_special((uint)e)) {
        return __soft_round(e, m) | OF_WORDS(0u, sign);
    }
    return __soft_signed((uint)e, m, sign);
}

// a / b by a digit of 32 bits and one of 24, from the inverse of the divisor as a number of 31 bits, which is off by less than
// 2^-30 of it.
ulong __soft_div(ulong a, ulong b) {
    int ea = (int)((HIGH(a) >> 20) & 0x7ffu), eb = (int)((HIGH(b) >> 20) & 0x7ffu);
    ulong x = __soft_normal(a, 0), y = __soft_normal(b, 0);
    uint sign = (HIGH(a) ^ HIGH(b)) & 0x80000000u;
    if (__soft_is_special((uint)ea) || __soft_is_special((uint)eb)) {
        ulong ma = a & MAG_MASK, mb = b & MAG_MASK;
        ulong larger = max(ma, mb), smaller = min(ma, mb);
        if (smaller == 0 || larger >= INF_BITS) {
            bool is_nan = larger > INF_BITS || larger == 0 || smaller == INF_BITS;
            return is_nan ? NAN_BITS : (ma > mb ? INF_BITS : 0ul) | OF_WORDS(0u, sign);
        }
        x = __soft_significand(ma) >> 11;
        y = __soft_significand(mb) >> 11;
        ea = __soft_exponent(ma);
        eb = __soft_exponent(mb);
    }
    uint top = HIGH(y << 11);
    // 2^62 / top: a float, and one step of Newton.
    float near = native_recip((float)(int)(top >> 1));
    uint inverse = (uint)(int)(near * 0x1p60f);
    int off = (int)((0x2000000000000000ul - (ulong)inverse * top) >> 16);
    inverse = 2 * inverse + (uint)(int)rint((float)off * (near * 0x1p16f));
    // x / y 2^31, less what it may be too large by; what is left is less than 20 y.
    uint first = (uint)((ulong)HIGH(x << 10) * inverse >> 30) - 10;
    ulong rest = (x << 31) - (ulong)first * y;
    uint second = mul_hi((uint)(rest >> 26), inverse) >> 1;
    rest = (rest << 24) - (ulong)second * y;
    // It is off by 1 at most.
    bool above = (int)HIGH(rest) < 0, below = !above && rest >= y;
    rest = above ? rest + y : below ? rest - y : rest;
    second = above ? second - 1 : below ? second + 1 : second;
    ulong quotient = ((ulong)first << 24) + (ulong)(long)(int)second;
    uint low = HIGH(quotient) < 0x00800000u ? 1u : 0u;
    ulong m = quotient << (7 + low) | (rest != 0 ? 1ul : 0ul);
    int e = ea - eb + BIAS - (int)low;
    if (__soft_is_special((uint)e)) {
        return __soft_round(e, m) | OF_WORDS(0u, sign);
    }
    return __soft_signed((uint)e, m, sign);
}

// The root by digits of 18, 18 and 19 bits, each from the inverse root as a float.
ulong __soft_sqrt(ulong a) {
    ulong mag = a & MAG_MASK;
    if (a - 1 >= INF_BITS - 1) {
        return mag == 0 || a == INF_BITS ? a : mag > INF_BITS ? a | NAN_BITS : NAN_BITS;
    }
    int e = __soft_exponent(mag) - BIAS;
    // Of x in [1, 4), as a number of 2^-52.
    ulong m = __soft_significand(mag) >> (11 - (e & 1));
    float x = (float)(int)(uint)(m >> 30);
    float inverse = native_rsqrt(x);
    int first = (int)rint(x * inverse * 0x1p6f);
    // x 2^34 - first^2, in units of 2^-18.
    long rest = (long)m - ((long)first * (long)first << 18);
    int second = (int)rint((float)(int)(rest >> 6) * inverse * 0.5f);
    long root = ((long)first << 18) + second;
    // x 2^70 - root^2.
    rest = (rest << 18) - ((long)first * (long)second << 19) - (long)second * (long)second;
    int third = (int)rint((float)(int)(rest >> 7) * inverse * 2.0f);
    // x 2^108 - root^2.
    rest = (rest << 38) - (root * (long)third << 20) - (long)third * (long)third;
    root = (root << 19) + third;
    root -= rest < 0 ? 1 : 0;
    return __soft_pack((e >> 1) + BIAS, (ulong)(root << 8) | (rest != 0 ? 1ul : 0ul));
}

ulong __soft_floor(ulong a) {
    uint e = (HIGH(a) >> 20) & 0x7ffu;
    bool negative = HIGH(a) >> 31 != 0;
    ulong below = (1ul << ((1075u - e) & 63u)) - 1;
    ulong result = (a + (negative ? below : 0ul)) & ~below;
    // By words: Mesa 25.0 takes a choice of -1 or 0, as the bits of doubles, for one of -1 or -0.
    ulong small = OF_WORDS(0u, negative ? 0xbff00000u : 0u);
    small = (a & MAG_MASK) == 0 ? a : small;
    result = e < BIAS ? small : result;
    return e >= 1075u ? a : result;
}

ulong __soft_rint(ulong a) {
    uint e = (HIGH(a) >> 20) & 0x7ffu;
    uint shift = (1075u - e) & 63u;
    ulong unit = 1ul << shift;
    ulong odd = (a >> shift) & 1;
    ulong result = (a + (unit >> 1) - 1 + odd) & ~(unit - 1);
    ulong small = (a & SIGN_BIT) | ((a & MAG_MASK) > HALF_BITS ? ONE_BITS : 0ul);
    result = e < BIAS ? small : result;
    return e >= 1075u ? a : result;
}

// To the bits of a float.
uint __soft_to_float(ulong a) {
    ulong mag = a & MAG_MASK;
    uint sign = HIGH(a) & 0x80000000u;
    int e = (int)(HIGH(mag) >> 20) - 896;
    // The leading bit at 30: seven are cut.
    uint m = ((HIGH(mag) & 0xfffffu) << 10) | 0x40000000u | (LOW(mag) >> 22);
    m |= (LOW(mag) & 0x3fffffu) != 0 ? 1u : 0u;
    uint down = (uint)clamp(1 - e, 0, 31);
    uint shifted = m >> down;
    m = shifted | (shifted << down != m ? 1u : 0u);
    uint kept = ((uint)(max(e, 1) - 1) << 23) + (m >> 7);
    kept += (m & 0x7fu) + (kept & 1u) > 0x40u ? 1u : 0u;
    uint special = mag > INF_BITS ? 0x7fc00000u | (m >> 7) : 0x7f800000u;
    return (e >= 255 ? special : kept) | sign;
}

// From the bits of a float.
ulong __soft_from_float(uint a) {
    uint mag = a & 0x7fffffffu;
    uint up = mag < 0x00800000u ? clz(mag) - 8u : 0u;
    uint m = mag << (up & 31u);
    uint offset = mag >= 0x7f800000u ? 1792u : 896u - up;
    uint high = (m >> 3) + (offset << 20);
    high |= mag > 0x7f800000u ? 0x00080000u : 0u;
    high = mag == 0 ? 0u : high;
    return OF_WORDS(m << 29, high | (a & 0x80000000u));
}

// Toward zero; what it gives for numbers that do not fit means nothing.
ulong __soft_to_long(ulong a) {
    uint e = (HIGH(a) >> 20) & 0x7ffu;
    ulong m = (a << 11) | SIGN_BIT;
    m = m >> ((1086u - e) & 63u);
    m = e < BIAS ? 0ul : m;
    return HIGH(a) >> 31 != 0 ? 0ul - m : m;
}

ulong __soft_from_long(ulong mag, ulong sign) {
    uint up = (uint)clz(mag);
    ulong m = mag << (up & 63u);
    ulong kept = ((ulong)(1085u - up) << 52) + (m >> 11);
    kept += (LOW(m) & 0x7ffu) + (LOW(kept) & 1u) > 0x400u ? 1ul : 0ul;
    return (mag == 0 ? 0ul : kept) | sign;
}

ulong __soft_from_int(uint mag, uint sign) {
    uint up = clz(mag);
    uint m = mag << (up & 31u);
    uint high = ((1053u - up) << 20) + (m >> 11);
    return OF_WORDS(m << 21, (mag == 0 ? 0u : high) | sign);
}
