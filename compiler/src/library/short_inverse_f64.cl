// Inverse trigonometric functions of double for devices with a fused fma that keeps denormal numbers: as in inverse.cl,
// with the roots and quotients of short_f64.cl. Polynomials are found as in coefficients_f64.cl, of lower degree.

#if SHORT
// asin of a magnitude up to 1/2 (`small`), or half the angle between a larger one and 1; NaN beyond 1.
double __asin_short_f64(double ax, bool small) {
    double half_rest = fma(ax, -0.5, 0.5);
    double root = __root_f64(half_rest);
    root = half_rest < 0.0 ? WORDS(LOW(root), 0x7ff80000u) : root;
    double r = small ? ax : root;
    double z = small ? ax * ax : half_rest;
    // (asin(r) - r) / r^3 in z = r^2 <= 1/4: error of the angle below 2^-55.
    double p = fma(0.031909226715316694, z, -0.01621980143465407);
    p = fma(p, z, 0.019525431497857935);
    p = fma(p, z, 0.0065290042335960155);
    p = fma(p, z, 0.012168976997972876);
    p = fma(p, z, 0.013885270319419428);
    p = fma(p, z, 0.01735970138141572);
    p = fma(p, z, 0.022371758259143688);
    p = fma(p, z, 0.030381959129306045);
    p = fma(p, z, 0.04464285682847195);
    p = fma(p, z, 0.07500000000336933);
    p = fma(p, z, 0.16666666666665408);
    return fma(p, r * z, r);
}

// asin: 4 ulp allowed; below 3.
double __asin_f64(double x) {
    double ax = fabs(x);
    bool small = ax <= 0.5;
    double angle = __asin_short_f64(ax, small);
    return NAME(with_sign)(small ? angle : fma(-2.0, angle, HALF_PI), x);
}

// acos: 4 ulp allowed; below 2.
double __acos_f64(double x) {
    double ax = fabs(x);
    bool small = ax <= 0.5;
    double angle = __asin_short_f64(ax, small);
    bool negative = x < 0.0;
    double from = small ? HALF_PI : negative ? PI : 0.0;
    double factor = small ? 1.0 : 2.0;
    return fma(negative != small ? -factor : factor, angle, from);
}

// acospi: 5 ulp allowed; below 3.
double __acospi_f64(double x) {
    return __acos_f64(x) * ONE_OVER_PI;
}

// asinpi: 5 ulp allowed; below 3.
double __asinpi_f64(double x) {
    return __asin_f64(x) * ONE_OVER_PI;
}

// atan(t) + quarters * pi / 4.
double __atan_sum_f64(double t, double quarters) {
    double z = t * t;
    // (atan(t) - t) / t^3 in z = t^2, |t| <= tan(pi/8): error of the angle below 2^-59.
    double p = fma(-0.017894809939168265, z, 0.03805243970281832);
    p = fma(p, z, -0.05038791963949633);
    p = fma(p, z, 0.05847766410514825);
    p = fma(p, z, -0.06663085698490331);
    p = fma(p, z, 0.0769205844772012);
    p = fma(p, z, -0.09090897647967691);
    p = fma(p, z, 0.11111110779192224);
    p = fma(p, z, -0.1428571428009949);
    p = fma(p, z, 0.1999999999995246);
    p = fma(p, z, -0.3333333333333319);
    double tail = fma(quarters, 3.061616997868383e-17, p * (t * z));
    return fma(quarters, 0.78539816339744828, t + tail);
}

// atan of a magnitude.
double __atan_short_f64(double ax) {
    // From here the angle is pi/2.
    ax = ax > 0x1p60 ? 0x1p60 : ax;
    // tan(pi/8) and tan(3 pi/8): taken from pi/4 and pi/2.
    bool turn = ax > 0.41421356;
    bool steep = ax > 2.4142136;
    double top = turn ? ax - 1.0 : ax;
    double bottom = turn ? ax + 1.0 : 1.0;
    top = steep ? -1.0 : top;
    bottom = steep ? ax : bottom;
    double quarters = steep ? 2.0 : turn ? 1.0 : 0.0;
    return __atan_sum_f64(top * __inverse_f64(bottom), quarters);
}

// |atan2(y, x)| where the greater magnitude is in the middle of the range of floats.
double __atan2_short_f64(double y, double x) {
    double ay = fabs(y);
    double ax = fabs(x);
    bool steep = ay > ax;
    double small = steep ? ax : ay;
    double large = steep ? ay : ax;
    bool turn = small > 0.41421356 * large;
    double top = turn ? small - large : small;
    double bottom = turn ? large + small : large;
    double t = top * __inverse_f64(bottom);
    // Steep angles are taken from pi/2, those to the left from pi.
    bool left = (int)HIGH(x) < 0;
    double quarters = turn ? 1.0 : 0.0;
    quarters = steep ? 2.0 - quarters : quarters;
    quarters = left ? 4.0 - quarters : quarters;
    return __atan_sum_f64(steep != left ? -t : t, quarters);
}

// atan: 5 ulp allowed; below 3.
double __atan_f64(double x) {
    return NAME(with_sign)(__atan_short_f64(fabs(x)), x);
}

// atanpi: 5 ulp allowed; below 4.
double __atanpi_f64(double x) {
    return NAME(with_sign)(__atan_short_f64(fabs(x)) * ONE_OVER_PI, x);
}

// atan2: 6 ulp allowed; below 3.
double __atan2_f64(double y, double x) {
    if (__medium_f64(fabs(x), fabs(y))) {
        return NAME(with_sign)(__atan2_short_f64(y, x), y);
    }
    double angle = NAME(with_sign)(NAME(atan2_magnitude)(y, x), y);
    return NAME(is_nan)(x) || NAME(is_nan)(y) ? FROM_BITS(NAN_BITS) : angle;
}

// atan2pi: 6 ulp allowed; below 4.
double __atan2pi_f64(double y, double x) {
    return __atan2_f64(y, x) * ONE_OVER_PI;
}
#endif
