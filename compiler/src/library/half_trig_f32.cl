// half_sin, half_cos and half_tan: 8192 ulp allowed for arguments within 2^16 (OpenCL C 6.15.2, 7.4). With a fused fma
// short polynomials do, minimax ones found as in coefficients_f32.cl. Larger arguments are not reduced: what they give is the
// implementation's to define, and for half_sin and half_cos within 1 all the same, as the conformance tests ask.

#if SHORT_TRIG
// x = r + quadrant * pi / 2 for |x| <= 2^16; NaN of infinities and NaN. Without the third part of pi / 2 tangents beside
// the poles are 55,000 ulp off.
float __reduce_half_f32(float x, int *quadrant) {
    float rounded = fma(x, TWO_OVER_PI, ROUND_BITS);
    float n = rounded - ROUND_BITS;
    float r = fma(n, -HALF_PI_A, x);
    r = fma(n, -HALF_PI_B, r);
    *quadrant = as_int(rounded);
    return fma(n, -HALF_PI_C, r);
}

// sin(r + quadrant * pi / 2): below 250 ulp by the polynomials. Where the argument was not reduced r is as if it were 0.
float __half_sin_of_f32(float r, int quadrant) {
    r = fabs(r) > 1.0f ? 0.0f : r;
    float z = r * r;
    float sine = r * fma(fma(z, 0.00816311222f, -0.166633844f), z, 1.0f);
    float cosine = fma(fma(z, 0.0404572263f, -0.499760062f), z, 1.0f);
    return __turn_f32((quadrant & 1) != 0 ? cosine : sine, quadrant);
}

float __half_sin_f32(float x) {
    int quadrant;
    float r = __reduce_half_f32(x, &quadrant);
    return __half_sin_of_f32(r, quadrant);
}

float __half_cos_f32(float x) {
    int quadrant;
    float r = __reduce_half_f32(x, &quadrant);
    return __half_sin_of_f32(r, quadrant + 1);
}

// Below 860 ulp by the polynomial, and 1100 by r beside the poles.
float __half_tan_f32(float x) {
    int quadrant;
    float r = __reduce_half_f32(x, &quadrant);
    float z = r * r;
    float p = fma(fma(z, 0.092206873f, 0.118027173f), z, 0.334967554f);
    float tangent = fma(p * z, r, r);
    return (quadrant & 1) != 0 ? -native_recip(tangent) : tangent;
}
#else
float __half_sin_f32(float x) {
    return __sin_f32(x);
}

float __half_cos_f32(float x) {
    return __cos_f32(x);
}

float __half_tan_f32(float x) {
    return __tan_f32(x);
}
#endif
