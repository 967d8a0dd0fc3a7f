// x = r + quadrant * pi / 2 for floats.

// High 64 of 88 bits of m * 2/pi * 2^e modulo 4, as a fixed-point number with the point after two
// bits: 2/pi's bits from e - 2 on, in three words.
ulong __times_two_over_pi_f32(uint m, int e) {
    // 2/pi = 0.a2f9836e 4e441529 fc2757d1 f534ddc0 db629599 3c439041 ...; word 0 holds what stands
    // before the point, so that every window starts inside.
    int at = e + 30;
    int word = at >> 5;
    int shift = at & 31;
    uint w0 = word == 0 ? 0u : word == 1 ? 0xa2f9836eu : word == 2 ? 0x4e441529u
            : word == 3 ? 0xfc2757d1u : 0xf534ddc0u;
    uint w1 = word == 0 ? 0xa2f9836eu : word == 1 ? 0x4e441529u : word == 2 ? 0xfc2757d1u
            : word == 3 ? 0xf534ddc0u : 0xdb629599u;
    uint w2 = word == 0 ? 0x4e441529u : word == 1 ? 0xfc2757d1u : word == 2 ? 0xf534ddc0u
            : word == 3 ? 0xdb629599u : 0x3c439041u;
    uint w3 = word == 0 ? 0xfc2757d1u : word == 1 ? 0xf534ddc0u : word == 2 ? 0xdb629599u
            : word == 3 ? 0x3c439041u : 0xfe5163abu;
    // x >> 32 in two steps, as a shift by 32 is one by 0.
    uint a = (w0 << shift) | ((w1 >> 1) >> (31 - shift));
    uint b = (w1 << shift) | ((w2 >> 1) >> (31 - shift));
    uint c = (w2 << shift) | ((w3 >> 1) >> (31 - shift));
    // The window's first bit weighs 2^-(e-1)... times m: keep the top 64 bits modulo 2^64.
    uint low = m * b + mul_hi(m, c);
    uint carry = low < m * b ? 1u : 0u;
    uint high = m * a + mul_hi(m, b) + carry;
    return ((ulong)high << 32) | low;
}

// Payne and Hanek for |x| >= 1.
float2 __reduce_large_f32(float x, int *quadrant) {
    uint mag = as_uint(x) & MAG_MASK;
    uint m = (mag & FRAC_MASK) | LEADING_BIT;
    int e = (int)(mag >> MANT) - BIAS - MANT;
    ulong product = __times_two_over_pi_f32(m, e);
    int q = (int)((uint)(product >> 62));
    // The fraction to 62 bits, taken to [-1/2, 1/2).
    long fraction = (long)(product << 2);
    q += fraction < 0 ? 1 : 0;
    ulong f = (ulong)(fraction < 0 ? -fraction : fraction);
    // As a pair: the top 24 bits, the next 24.
    int zeros = (int)clz(f);
    f = zeros > 63 ? 0ul : f << zeros;
    float high = (float)(uint)(f >> 40);
    float low = (float)((uint)(f >> 16) & 0xffffffu);
    float scale = as_float((uint)(BIAS - 24 - zeros) << MANT);
    float2 r = __pair_mul_f32(HALF_PI_PAIR, PAIR(high * scale, low * scale * 0x1p-24f));
    bool flip = (fraction < 0) != (x < 0.0f);
    *quadrant = x < 0.0f ? -q & 3 : q & 3;
    return flip ? PAIR(-r.x, -r.y) : r;
}

// Cody and Waite for |x| up to 4096: pi/2 in parts of 11 bits, whose products with n are exact, and
// a last one of 24.
float2 __reduce_f32(float x, int *quadrant) {
    if ((as_uint(x) & MAG_MASK) > 0x45800000u) {
        return __reduce_large_f32(x, quadrant);
    }
    float n = rint(x * 0.636619772f);
    *quadrant = (int)n & 3;
    float a = x - n * HALF_PI_1;
    float2 b = __two_sum_f32(a, -(n * HALF_PI_2));
    float2 c = __two_sum_f32(b.x, -(n * HALF_PI_3));
    float low = (b.y + c.y) - n * HALF_PI_4;
    float2 r = __fast_two_sum_f32(c.x, low);
    return r;
}
