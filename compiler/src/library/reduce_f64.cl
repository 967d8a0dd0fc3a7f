// x = r + quadrant * pi / 2 for doubles.

// 2/pi to 1216 bits; the first word is what stands before the point.
__constant ulong __two_over_pi_f64[20] = {
    0x0000000000000000ul, 0xa2f9836e4e441529ul, 0xfc2757d1f534ddc0ul,
    0xdb6295993c439041ul, 0xfe5163abdebbc561ul, 0xb7246e3a424dd2e0ul,
    0x06492eea09d1921cul, 0xfe1deb1cb129a73eul, 0xe88235f52ebb4484ul,
    0xe99c7026b45f7e41ul, 0x3991d639835339f4ul, 0x9c845f8bbdf9283bul,
    0x1ff897ffde05980ful, 0xef2f118b5a0a6d1ful, 0x6d367ecf27cb09b7ul,
    0x4f463f669e5fea2dul, 0x7527bac7ebe5f17bul, 0x3d0739f78a5292eaul,
    0x6bfb5fb11f8d5d08ul, 0x56033046fc7b6babul
};

// Payne and Hanek for |x| >= 2^20.
double2 __reduce_large_f64(double x, int *quadrant) {
    ulong mag = as_ulong(x) & MAG_MASK;
    ulong m = (mag & FRAC_MASK) | LEADING_BIT;
    int e = (int)(mag >> MANT) - BIAS - MANT;
    int at = e + 62;
    int word = clamp(at >> 6, 0, 16);
    int shift = at & 63;
    ulong w0 = __two_over_pi_f64[word];
    ulong w1 = __two_over_pi_f64[word + 1];
    ulong w2 = __two_over_pi_f64[word + 2];
    ulong w3 = __two_over_pi_f64[word + 3];
    ulong a = (w0 << shift) | ((w1 >> 1) >> (63 - shift));
    ulong b = (w1 << shift) | ((w2 >> 1) >> (63 - shift));
    ulong c = (w2 << shift) | ((w3 >> 1) >> (63 - shift));
    // The top 128 bits of m * abc modulo 2^128: two bits of quadrant and the fraction.
    ulong low = m * b + mul_hi(m, c);
    ulong carry = low < m * b ? 1ul : 0ul;
    ulong high = m * a + mul_hi(m, b) + carry;
    int q = (int)(high >> 62);
    ulong f1 = (high << 2) | (low >> 62);
    ulong f0 = low << 2;
    bool over = (f1 >> 63) != 0;
    if (over) {
        q += 1;
        f0 = ~f0 + 1;
        f1 = ~f1 + (f0 == 0 ? 1ul : 0ul);
    }
    int zeros = (int)clz(f1);
    if (zeros > 0 && zeros < 64) {
        f1 = (f1 << zeros) | (f0 >> (64 - zeros));
        f0 = f0 << zeros;
    }
    if (zeros == 64) {
        f1 = f0;
        f0 = 0;
    }
    // As a pair: the top 53 bits, the next 53.
    double first = (double)(f1 >> 11);
    double second = (double)(((f1 & 0x7fful) << 42) | (f0 >> 22));
    double scale = as_double((ulong)(BIAS - 53 - zeros) << MANT);
    double2 r = __pair_mul_f64(HALF_PI_PAIR, PAIR(first * scale, second * scale * 0x1p-53));
    bool flip = over != (x < 0.0);
    *quadrant = x < 0.0 ? -q & 3 : q & 3;
    return flip ? PAIR(-r.x, -r.y) : r;
}

// Cody and Waite for |x| up to 2^20: pi/2 in parts of 32 bits, whose products with n are exact, and
// a last one of 53.
double2 __reduce_f64(double x, int *quadrant) {
    if ((as_ulong(x) & MAG_MASK) > 0x4130000000000000ul) {
        return __reduce_large_f64(x, quadrant);
    }
    double n = rint(x * 0.63661977236758134);
    *quadrant = (int)n & 3;
    double a = x - n * HALF_PI_1;
    double2 b = __two_sum_f64(a, -(n * HALF_PI_2));
    double2 c = __two_sum_f64(b.x, -(n * HALF_PI_3));
    double low = (b.y + c.y) - n * HALF_PI_4;
    return __fast_two_sum_f64(c.x, low);
}
