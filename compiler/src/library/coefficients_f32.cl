// Polynomials of the float functions. Near-minimax fits: weighted least squares at Chebyshev
// points in 60-digit arithmetic, coefficients rounded one after the other, each time fitting
// the rest again. The bound given is the largest weighted error over the interval, in bits.

// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2: error below 2^-28.
float __exp_poly_f32(float x) {
    float p = 0.00139366009f;
    p = mad(p, x, 0.00836993195f);
    p = mad(p, x, 0.0416664481f);
    p = mad(p, x, 0.166665092f);
    p = mad(p, x, 0.5f);
    return p;
}

// (2^r - 1) / r for |r| <= 1/2: error below 2^-32.
float __exp2_poly_f32(float x) {
    float p = 1.46995972e-05f;
    p = mad(p, x, 0.000154563575f);
    p = mad(p, x, 0.00133364333f);
    p = mad(p, x, 0.00961807743f);
    p = mad(p, x, 0.055504065f);
    p = mad(p, x, 0.240226507f);
    p = mad(p, x, 0.693147182f);
    return p;
}

// (10^r - 1) / r for |r| <= log10(2)/2: error below 2^-30.
float __exp10_poly_f32(float x) {
    float p = 0.0537885949f;
    p = mad(p, x, 0.207505912f);
    p = mad(p, x, 0.540019393f);
    p = mad(p, x, 1.17125583f);
    p = mad(p, x, 2.03467011f);
    p = mad(p, x, 2.650949f);
    p = mad(p, x, 2.30258512f);
    return p;
}

// (2 atanh(s) - 2s) / s^3 in z = s^2 <= 0.0295: error below 2^-33.
float __log_poly_f32(float x) {
    float p = 0.24028334f;
    p = mad(p, x, 0.285101622f);
    p = mad(p, x, 0.4000085f);
    p = mad(p, x, 0.666666627f);
    return p;
}

// (sin(r) - r) / r^3 in z = r^2, |r| <= pi/4: error below 2^-27.
float __sin_poly_f32(float x) {
    float p = -0.000195181885f;
    p = mad(p, x, 0.00833218917f);
    p = mad(p, x, -0.166666552f);
    return p;
}

// (cos(r) - 1 + r^2/2) / r^4 in z = r^2, |r| <= pi/4: error below 2^-33.
float __cos_poly_f32(float x) {
    float p = 2.44320509e-05f;
    p = mad(p, x, -0.00138873083f);
    p = mad(p, x, 0.0416666456f);
    return p;
}

// (asin(x) - x) / x^3 in z = x^2, |x| <= 1/2: error below 2^-27.
float __asin_poly_f32(float x) {
    float p = 0.0422105119f;
    p = mad(p, x, 0.0241528153f);
    p = mad(p, x, 0.0454759113f);
    p = mad(p, x, 0.0749525279f);
    p = mad(p, x, 0.166667536f);
    return p;
}

// (atan(x) - x) / x^3 in z = x^2, |x| <= tan(pi/8): error below 2^-33.
float __atan_poly_f32(float x) {
    float p = 0.0457141548f;
    p = mad(p, x, -0.0838362947f);
    p = mad(p, x, 0.11025884f);
    p = mad(p, x, -0.142802298f);
    p = mad(p, x, 0.199998274f);
    p = mad(p, x, -0.333333313f);
    return p;
}

// erf(x) / x in z = x^2, |x| <= 0.9: error below 2^-24.
float __erf_poly_f32(float x) {
    float p = -0.000288876676f;
    p = mad(p, x, 0.000961633981f);
    p = mad(p, x, -0.00188089232f);
    p = mad(p, x, 0.00586041715f);
    p = mad(p, x, -0.0270774439f);
    p = mad(p, x, 0.112873904f);
    p = mad(p, x, -0.376129091f);
    p = mad(p, x, 1.12837923f);
    return p;
}

// (1 + 2x) e^(x^2) erfc(x) in t = (x - 2) / (x + 2), x >= 0.9: error below 2^-25.
float __erfcx_poly_f32(float x) {
    float p = 0.000496432418f;
    p = mad(p, x, -0.0023115396f);
    p = mad(p, x, 0.00132851186f);
    p = mad(p, x, 0.00897060893f);
    p = mad(p, x, -0.00810674671f);
    p = mad(p, x, -0.0542419627f);
    p = mad(p, x, 0.164059162f);
    p = mad(p, x, -0.166029662f);
    p = mad(p, x, -0.09276402f);
    p = mad(p, x, 1.27697837f);
    return p;
}

// gamma(2.5 + d), |d| <= 1/2: error below 2^-24.
float __gamma_poly_f32(float x) {
    float p = -1.8539298e-06f;
    p = mad(p, x, 0.000427804422f);
    p = mad(p, x, 0.00160734705f);
    p = mad(p, x, 0.0105895977f);
    p = mad(p, x, 0.028361097f);
    p = mad(p, x, 0.109635465f);
    p = mad(p, x, 0.253871202f);
    p = mad(p, x, 0.654561222f);
    p = mad(p, x, 0.934734523f);
    p = mad(p, x, 1.32934034f);
    return p;
}

// gamma(x) e^x x^(1/2 - x) / sqrt(2 pi) in u = 1/x, x >= 6 (float) or 10: error below 2^-32.
float __stirling_poly_f32(float x) {
    float p = 8.42211812e-05f;
    p = mad(p, x, -0.00272499025f);
    p = mad(p, x, 0.00347464113f);
    p = mad(p, x, 0.0833332911f);
    p = mad(p, x, 1.0f);
    return p;
}

// lgamma(x) / ((x - 1)(x - 2)), x = 1.5 + d, |d| <= 1/2: error below 2^-26.
float __lgamma12_poly_f32(float x) {
    float p = -0.00042038213f;
    p = mad(p, x, -0.0015134149f);
    p = mad(p, x, 0.0027969724f);
    p = mad(p, x, -0.0031237728f);
    p = mad(p, x, 0.0052194139f);
    p = mad(p, x, -0.00943484996f);
    p = mad(p, x, 0.0168224089f);
    p = mad(p, x, -0.0313081257f);
    p = mad(p, x, 0.0629102588f);
    p = mad(p, x, -0.145959899f);
    p = mad(p, x, 0.483128965f);
    return p;
}

// lgamma(x) / ((x - 1)(x - 2)), x = 2.5 + d, |d| <= 1/2: error below 2^-30.
float __lgamma23_poly_f32(float x) {
    float p = 2.64563696e-05f;
    p = mad(p, x, -8.78252977e-05f);
    p = mad(p, x, 0.000231540078f);
    p = mad(p, x, -0.000657340803f);
    p = mad(p, x, 0.00194853381f);
    p = mad(p, x, -0.00601886632f);
    p = mad(p, x, 0.0199051928f);
    p = mad(p, x, -0.074663572f);
    p = mad(p, x, 0.37957716f);
    return p;
}

// (lgamma(x) - (x - 1/2) ln x + x - ln(2 pi)/2) x in z = 1/x^2, x >= 3: error below 2^-28.
float __lstirling_poly_f32(float x) {
    float p = -0.000507564051f;
    p = mad(p, x, 0.000793990854f);
    p = mad(p, x, -0.00277800462f);
    p = mad(p, x, 0.0833333358f);
    return p;
}
