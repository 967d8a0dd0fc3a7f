// Arithmetic of doubles on their bits, for devices that have none: IEEE 754 binary64, rounded to nearest even, with
// denormal numbers. Significands stand with their leading bit at 62 where they are rounded, so that ten bits below are to
// be cut, of which the last is set if anything below it is. Words for what fits in them: many of these devices have no
// integers of 64 bits. No loops, and branches for what is rare alone.

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

ulong __soft_add(ulong a, ulong b) {
    ulong ma = a & MAG_MASK, mb = b & MAG_MASK;
    bool swap = ma < mb;
    ulong x = swap ? b : a;
    ulong mx = swap ? mb : ma, my = swap ? ma : mb;
    uint ex = HIGH(mx) >> 20, ey = HIGH(my) >> 20;
    // Leading bits at 61, so that the sum's is at 62 at most.
    ulong fx = ((mx & FRAC_MASK) | (ex != 0 ? LEADING_BIT : 0ul)) << 9;
    ulong fy = ((my & FRAC_MASK) | (ey != 0 ? LEADING_BIT : 0ul)) << 9;
    ex = max(ex, 1u);
    fy = __soft_shifted(fy, min(ex - max(ey, 1u), 63u));
    bool differ = (HIGH(a) ^ HIGH(b)) >> 31 != 0;
    ulong sum = differ ? fx - fy : fx + fy;
    uint up = min((uint)clz(sum) - 1u, ex);
    ulong sign = x & SIGN_BIT;
    ulong result = __soft_pack((int)(ex + 1 - up), sum << up) | sign;
    // What cancels is +0.
    result = sum == 0 ? (differ ? 0ul : sign) : result;
    ulong special = mx > INF_BITS || (my == INF_BITS && differ) ? x | NAN_BITS : x;
    return mx >= INF_BITS ? special : result;
}

ulong __soft_mul(ulong a, ulong b) {
    ulong ma = a & MAG_MASK, mb = b & MAG_MASK;
    ulong sign = (a ^ b) & SIGN_BIT;
    ulong larger = max(ma, mb), smaller = min(ma, mb);
    if (smaller == 0 || larger >= INF_BITS) {
        bool is_nan = larger > INF_BITS || (larger == INF_BITS && smaller == 0);
        return is_nan ? NAN_BITS : sign | (larger == INF_BITS ? INF_BITS : 0ul);
    }
    ulong x = __soft_significand(ma), y = __soft_significand(mb);
    int e = __soft_exponent(ma) + __soft_exponent(mb) - BIAS;
    ulong high = mul_hi(x, y), low = x * y;
    bool carries = HIGH(high) >> 31 != 0;
    ulong m = carries ? (high >> 1) | (high & 1) : high;
    m |= low != 0 ? 1ul : 0ul;
    return __soft_round(carries ? e + 1 : e, m) | sign;
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

ulong __soft_fma(ulong a, ulong b, ulong c) {
    ulong ma = a & MAG_MASK, mb = b & MAG_MASK, mc = c & MAG_MASK;
    ulong sign = (a ^ b) & SIGN_BIT, sign_c = c & SIGN_BIT;
    if (max(max(ma, mb), mc) >= INF_BITS) {
        return __soft_fma_special(ma, mb, c, sign);
    }
    if (min(ma, mb) == 0) {
        return mc == 0 && sign != sign_c ? 0ul : c;
    }
    // The product in 128 bits, and the addend, leading bits at 125. The product's lowest bits are zeros.
    ulong x = __soft_significand(ma), y = __soft_significand(mb);
    ulong ph = mul_hi(x, y), pl = x * y;
    int ep = __soft_exponent(ma) + __soft_exponent(mb) - BIAS;
    bool carries = HIGH(ph) >> 31 != 0;
    pl = carries ? (pl >> 2) | (ph << 62) : (pl >> 1) | (ph << 63);
    ph = carries ? ph >> 2 : ph >> 1;
    ep += carries ? 1 : 0;
    ulong ch = 0;
    int ec = -4 * BIAS;
    if (mc != 0) {
        ch = __soft_significand(mc) >> 2;
        ec = __soft_exponent(mc);
    }
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

// a / b by digits of 16 bits, each from the inverse as a float, which is off by so little that what is left stays below
// 0.6 of the divisor.
ulong __soft_div(ulong a, ulong b) {
    ulong ma = a & MAG_MASK, mb = b & MAG_MASK;
    ulong sign = (a ^ b) & SIGN_BIT;
    ulong larger = max(ma, mb), smaller = min(ma, mb);
    if (smaller == 0 || larger >= INF_BITS) {
        bool is_nan = larger > INF_BITS || larger == 0 || smaller == INF_BITS;
        return is_nan ? NAN_BITS : sign | (ma > mb ? INF_BITS : 0ul);
    }
    ulong x = __soft_significand(ma) >> 11, y = __soft_significand(mb) >> 11;
    int e = __soft_exponent(ma) - __soft_exponent(mb) + BIAS;
    float inverse = native_recip((float)(int)(uint)((y + 0x10000000ul) >> 29));
    int digit = (int)rint((float)(int)(uint)(x >> 29) * inverse * 0x1p14f);
    long rest = (long)(x << 14) - (long)digit * (long)y;
    long quotient = digit;
    inverse *= 0x1p16f;
    digit = (int)rint((float)(int)(rest >> 29) * inverse);
    rest = (rest << 16) - (long)digit * (long)y;
    quotient = (quotient << 16) + digit;
    digit = (int)rint((float)(int)(rest >> 29) * inverse);
    rest = (rest << 16) - (long)digit * (long)y;
    quotient = (quotient << 16) + digit;
    digit = (int)rint((float)(int)(rest >> 29) * inverse);
    rest = (rest << 16) - (long)digit * (long)y;
    quotient = (quotient << 16) + digit;
    ulong m = (ulong)(rest < 0 ? quotient - 1 : quotient) | (rest != 0 ? 1ul : 0ul);
    bool short_of = HIGH(m) >> 30 == 0;
    return __soft_round(short_of ? e - 1 : e, short_of ? m << 1 : m) | sign;
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
