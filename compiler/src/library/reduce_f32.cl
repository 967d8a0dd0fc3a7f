// x = r + quadrant * pi / 2 for floats.

// 32 bits of 2/pi; word 0 is what stands before the point. Selections cost less than memory does.
uint __two_over_pi_f32(int word) {
    uint w = word == 1 ? 0xa2f9836eu : 0u;
    w = word == 2 ? 0x4e441529u : w;
    w = word == 3 ? 0xfc2757d1u : w;
    w = word == 4 ? 0xf534ddc0u : w;
    w = word == 5 ? 0xdb629599u : w;
    w = word == 6 ? 0x3c439041u : w;
    return word == 7 ? 0xfe5163abu : w;
}

// Payne and Hanek for |x| >= 2^-7, in integers of 32 bits.
float2 __reduce_large_f32(float x, int *quadrant) {
    uint mag = as_uint(x) & MAG_MASK;
    uint m = (mag & FRAC_MASK) | LEADING_BIT;
    // 96 bits of 2/pi from the one on whose product with m's last bit weighs 2.
    int at = (int)(mag >> MANT) - 120;
    int word = at >> 5;
    int shift = at & 31;
    uint w0 = __two_over_pi_f32(word);
    uint w1 = __two_over_pi_f32(word + 1);
    uint w2 = __two_over_pi_f32(word + 2);
    uint w3 = __two_over_pi_f32(word + 3);
    // x >> 32 in two steps, as a shift by 32 is one by 0.
    uint a = (w0 << shift) | ((w1 >> 1) >> (31 - shift));
    uint b = (w1 << shift) | ((w2 >> 1) >> (31 - shift));
    uint c = (w2 << shift) | ((w3 >> 1) >> (31 - shift));
    // The product modulo 4: high 64 of 96 bits.
    uint low = m * b + mul_hi(m, c);
    uint carry = low < m * b ? 1u : 0u;
    uint high = m * a + mul_hi(m, b) + carry;
    // The nearest quadrant, and the fraction to 62 bits in [-1/2, 1/2).
    int q = (int)((high + 0x20000000u) >> 30);
    high = (high << 2) | (low >> 30);
    low = low << 2;
    bool over = (high >> 31) != 0;
    high = over ? ~high : high;
    low = over ? ~low : low;
    int zeros = min((int)clz(high), 31);
    high = (high << zeros) | ((low >> 1) >> (31 - zeros));
    low = low << zeros;
    // As a pair: the top 24 bits, the next 32.
    float scale = as_float((uint)(BIAS - 32 - zeros) << MANT);
    float first = (float)(high & 0xffffff00u) * scale;
    float second = (float)(((high & 0xffu) << 24) | (low >> 8)) * (scale * 0x1p-24f);
    float2 r = __pair_mul_f32(HALF_PI_PAIR, PAIR(first, second));
    bool negative = (as_uint(x) & SIGN_BIT) != 0;
    *quadrant = (negative ? -q : q) & 3;
    return over != negative ? PAIR(-r.x, -r.y) : r;
}

// Cody and Waite for |x| up to 12000: pi/2 in parts of 11 bits, whose products with n are exact,
// and a last one of 24. The first two differences are exact as well, fused or not.
float2 __reduce_f32(float x, int *quadrant) {
    if (!(fabs(x) < 12000.0f)) {
        return __reduce_large_f32(x, quadrant);
    }
    float n = rint(x * 0.636619772f);
    *quadrant = (int)n & 3;
    float a = mad(n, -HALF_PI_1, x);
    a = mad(n, -HALF_PI_2, a);
    float t = n * HALF_PI_3;
    float b = a - t;
    float low = ((a - b) - t) - n * HALF_PI_4;
    return __fast_two_sum_f32(b, low);
}
