// Sums of two numbers (x the value rounded, y what that leaves out) and their arithmetic: twice the
// precision without a wider type. T. J. Dekker, A floating-point technique for extending the
// available precision, 1971; D. E. Knuth, The Art of Computer Programming 2, 4.2.2.

// a + b exactly.
REAL2 NAME(two_sum)(REAL a, REAL b) {
    REAL s = a + b;
    REAL t = s - a;
    return PAIR(s, (a - (s - t)) + (b - t));
}

// a + b exactly for |a| >= |b| or a = 0.
REAL2 NAME(fast_two_sum)(REAL a, REAL b) {
    REAL s = a + b;
    return PAIR(s, b - (s - a));
}

// a * b exactly.
REAL2 NAME(two_prod)(REAL a, REAL b) {
    REAL p = a * b;
#if HEKLA_FUSED_FMA
    return PAIR(p, fma(a, b, -p));
#else
    REAL ah = FROM_BITS((TO_BITS(a) + SPLIT_ROUND) & SPLIT_MASK);
    REAL bh = FROM_BITS((TO_BITS(b) + SPLIT_ROUND) & SPLIT_MASK);
    REAL al = a - ah;
    REAL bl = b - bh;
    return PAIR(p, (((ah * bh - p) + ah * bl) + al * bh) + al * bl);
#endif
}

REAL2 NAME(pair_add)(REAL2 a, REAL2 b) {
    REAL2 s = NAME(two_sum)(a.x, b.x);
    return NAME(fast_two_sum)(s.x, s.y + (a.y + b.y));
}

REAL2 NAME(pair_mul)(REAL2 a, REAL2 b) {
    REAL2 p = NAME(two_prod)(a.x, b.x);
    return NAME(fast_two_sum)(p.x, p.y + (a.x * b.y + a.y * b.x));
}

REAL2 NAME(pair_scale)(REAL2 a, REAL b) {
    REAL2 p = NAME(two_prod)(a.x, b);
    return NAME(fast_two_sum)(p.x, p.y + a.y * b);
}

// a / b, |error| about 2^-2p.
REAL2 NAME(pair_div)(REAL2 a, REAL2 b) {
    REAL q = a.x / b.x;
    REAL2 p = NAME(two_prod)(q, b.x);
    REAL rest = ((a.x - p.x) - p.y) + (a.y - q * b.y);
    return NAME(fast_two_sum)(q, rest / b.x);
}

// c - a * b where the product is near c, as in the residuals of quotients and roots.
REAL NAME(residual)(REAL a, REAL b, REAL c) {
#if HEKLA_FUSED_FMA
    return fma(-a, b, c);
#else
    REAL2 p = NAME(two_prod)(a, b);
    return (c - p.x) - p.y;
#endif
}
