// Gamma functions for devices with a fused fma where most arguments are: one polynomial and few products (Abramowitz and
// Stegun 6.1.15), with the rest behind a branch. Polynomials are found as in coefficients_*.cl.

#if SHORT
// gamma(3 + d) for |d| <= 1.
REAL NAME(gamma3_poly)(REAL d) {
#if WIDTH == 32
    // Error below 2^-27.
    REAL p = fma(6.7417466e-05f, d, 0.00028840883f);
    p = fma(p, d, 0.0013501875f);
    p = fma(p, d, 0.005425037f);
    p = fma(p, d, 0.022042464f);
    p = fma(p, d, 0.07372553f);
    p = fma(p, d, 0.23007496f);
    p = fma(p, d, 0.57499224f);
    p = fma(p, d, 1.246465f);
    p = fma(p, d, 1.8455688f);
    return fma(p, d, 2.0f);
#else
    // Error below 2^-57.
    REAL p = fma(-7.43913967124968e-11, d, 1.7713696975812444e-10);
    p = fma(p, d, -1.3479523142849924e-10);
    p = fma(p, d, 6.649679535034418e-10);
    p = fma(p, d, -2.711561993116016e-09);
    p = fma(p, d, 8.905376936800804e-09);
    p = fma(p, d, -1.601986728087134e-08);
    p = fma(p, d, 1.1399226430333786e-07);
    p = fma(p, d, 8.781958875067631e-08);
    p = fma(p, d, 2.406295925644915e-06);
    p = fma(p, d, 8.505670397715252e-06);
    p = fma(p, d, 6.120302428332714e-05);
    p = fma(p, d, 0.00026478563721163694);
    p = fma(p, d, 0.0013552208678803627);
    p = fma(p, d, 0.005448754080247969);
    p = fma(p, d, 0.0220411093666575);
    p = fma(p, d, 0.07371504661560539);
    p = fma(p, d, 0.23007494075416135);
    p = fma(p, d, 0.5749941689206304);
    p = fma(p, d, 1.2464649959513456);
    p = fma(p, d, 1.845568670196934);
    return fma(p, d, 2.0);
#endif
}

// gamma(x) for 1/2 <= x < STIRLING_FROM: from [2, 4) by steps of two.
REAL NAME(gamma_short)(REAL x) {
    bool up = x < R(2.0);
    REAL d = x - (up ? R(1.0) : R(3.0));
    REAL factor = (x - R(1.0)) * (x - R(2.0));
    REAL more = (x - R(3.0)) * (x - R(4.0));
    d = x >= R(4.0) ? x - R(5.0) : d;
    factor = x >= R(4.0) ? factor : R(1.0);
    d = x >= R(6.0) ? x - R(7.0) : d;
    factor = x >= R(6.0) ? factor * more : factor;
#if WIDTH == 64
    REAL most = (x - R(5.0)) * (x - R(6.0));
    d = x >= R(8.0) ? x - R(9.0) : d;
    factor = x >= R(8.0) ? factor * most : factor;
#endif
    REAL inverse = NEAR_QUOTIENT(R(1.0), fma(x, x, x));
    return NAME(gamma3_poly)(d) * (up ? inverse : factor);
}

#if WIDTH == 32
// lgamma(x) / ((x - 1)(x - 2)), x = 2 + d, |d| <= 1: error below 2^-25.
float __lgamma13_poly_f32(float d) {
    float p = fma(-3.850539e-05f, d, 7.797997e-05f);
    p = fma(p, d, -5.3071206e-05f);
    p = fma(p, d, 0.00013117449f);
    p = fma(p, d, -0.00042488746f);
    p = fma(p, d, 0.00094374974f);
    p = fma(p, d, -0.0021023825f);
    p = fma(p, d, 0.004991803f);
    p = fma(p, d, -0.012384911f);
    p = fma(p, d, 0.032965582f);
    p = fma(p, d, -0.10031728f);
    return fma(p, d, 0.42278433f);
}

// lgamma(x) for 1/2 <= x < 2^60.
float __lgamma_short_f32(float x) {
    if (x >= LSTIRLING_FROM) {
        float log = __log_normal_f32(x, 0.0f);
        float u = native_recip(x);
        float series = fma(u, __lstirling_poly_f32(u * u), HALF_LOG_TWO_PI - 0.5f);
        return fma(x - 0.5f, log - 1.0f, series);
    }
    // That of 1 + x below 1. Zeros are positive.
    bool below = x < 1.0f;
    float more = below ? -__log_normal_f32(x, 0.0f) : 0.0f;
    float product = (x - 1.0f) * (below ? x : x - 2.0f);
    return fma(product, __lgamma13_poly_f32(x - (below ? 1.0f : 2.0f)), more);
}
#else
// lgamma(4 + d) for |d| <= 1: error below 2^-55.
double __lgamma35_poly_f64(double d) {
    double p = fma(-5.3305513477392064e-12, d, 1.9006509773629775e-11);
    p = fma(p, d, -5.901151064958138e-11);
    p = fma(p, d, 2.715719058041451e-10);
    p = fma(p, d, -1.2241460230491009e-09);
    p = fma(p, d, 5.361011674122988e-09);
    p = fma(p, d, -2.3840982305773133e-08);
    p = fma(p, d, 1.0775064371639717e-07);
    p = fma(p, d, -4.958436120063965e-07);
    p = fma(p, d, 2.336301826838419e-06);
    p = fma(p, d, -1.1361429214546432e-05);
    p = fma(p, d, 5.771997857909071e-05);
    p = fma(p, d, -0.00031250576132717603);
    p = fma(p, d, 0.0018693886746916633);
    p = fma(p, d, -0.013339955374176019);
    p = fma(p, d, 0.1419114778685591);
    p = fma(p, d, 1.2561176684318003);
    return fma(p, d, 1.791759469228055);
}

// lgamma(6.5 + d) for |d| <= 1.5: error below 2^-54.
double __lgamma58_poly_f64(double d) {
    double p = fma(1.0250299426529113e-14, d, -5.912963827328412e-14);
    p = fma(p, d, 3.2255541153168616e-13);
    p = fma(p, d, -2.446272396113979e-12);
    p = fma(p, d, 1.817432844220642e-11);
    p = fma(p, d, -1.334014610548351e-10);
    p = fma(p, d, 9.984183597018869e-10);
    p = fma(p, d, -7.63516946478774e-09);
    p = fma(p, d, 5.993130117331343e-08);
    p = fma(p, d, -4.868553876565833e-07);
    p = fma(p, d, 4.144195662777609e-06);
    p = fma(p, d, -3.7716085644070194e-05);
    p = fma(p, d, 0.00038056931272002157);
    p = fma(p, d, -0.004597985117816728);
    p = fma(p, d, 0.08314226787497338);
    p = fma(p, d, 1.7929113303999331);
    return fma(p, d, 5.662562059857142);
}

// lgamma(x) for 1/2 <= x < 2^60.
double __lgamma_short_f64(double x) {
    if (x >= LSTIRLING_FROM) {
        double log = __log_normal_f64(x, 0);
        double u = __inverse_f64(x);
        double series = fma(u, __lstirling_poly_f64(u * u), HALF_LOG_TWO_PI - 0.5);
        return fma(x - 0.5, log - 1.0, series);
    }
    if (x >= 3.0) {
        return x >= 5.0 ? __lgamma58_poly_f64(x - 6.5) : __lgamma35_poly_f64(x - 4.0);
    }
    // Zeros are positive.
    if (x >= 2.0) {
        return fma((x - 1.0) * (x - 2.0), __lgamma23_poly_f64(x - 2.5), 0.0);
    }
    // That of 1 + x below 1.
    bool below = x < 1.0;
    double product = (x - 1.0) * (below ? x : x - 2.0);
    double value = fma(product, __lgamma12_poly_f64(x - (below ? 0.5 : 1.5)), 0.0);
    if (below) {
        value -= __log_normal_f64(x, 0);
    }
    return value;
}
#endif
#endif
