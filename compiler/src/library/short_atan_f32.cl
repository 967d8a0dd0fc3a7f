// Arctangents of float for devices with a fused fma: one polynomial, found as those in coefficients_f32.cl, for
// quotients up to 1.

#if SHORT
// atan(t) for 0 <= t <= 1.
float __atan_short_f32(float t) {
    float z = t * t;
    // (atan(t) - t) / t^3: error below 2^-25.
    float p = fma(0.00291972281f, z, -0.016364133f);
    p = fma(p, z, 0.0432058573f);
    p = fma(p, z, -0.0755172372f);
    p = fma(p, z, 0.106657855f);
    p = fma(p, z, -0.142110035f);
    p = fma(p, z, 0.199937671f);
    p = fma(p, z, -0.333331525f);
    return t * fma(p, z, 1.0f);
}

// atan of a magnitude.
float __atan_of_short_f32(float ax) {
    bool steep = ax > 1.0f;
    float angle = __atan_short_f32(steep ? native_recip(ax) : ax);
    return steep ? HALF_PI - angle : angle;
}

// atan: 5 ulp allowed; below 3.
float __atan_f32(float x) {
    return copysign(__atan_of_short_f32(fabs(x)), x);
}

// atanpi: 5 ulp allowed; below 4.
float __atanpi_f32(float x) {
    return copysign(__atan_of_short_f32(fabs(x)) * ONE_OVER_PI, x);
}

// |atan2(y, x)|.
float __atan2_short_f32(float y, float x) {
    float ay = fabs(y);
    float ax = fabs(x);
    uint large = max(as_uint(ax), as_uint(ay));
    // Elsewhere a reciprocal may be flushed; 0, infinities and NaN are there too.
    if (large - 0x20000000u >= 0x40000000u) {
        return large > INF_BITS ? as_float(NAN_BITS) : __atan2_magnitude_f32(y, x);
    }
    bool steep = ay > ax;
    float angle = __atan_short_f32(min(ax, ay) * native_recip(as_float(large)));
    angle = steep ? HALF_PI - angle : angle;
    return (as_uint(x) & SIGN_BIT) != 0 ? PI - angle : angle;
}

// atan2: 6 ulp allowed; below 4.
float __atan2_f32(float y, float x) {
    return copysign(__atan2_short_f32(y, x), y);
}

// atan2pi: 6 ulp allowed; below 5.
float __atan2pi_f32(float y, float x) {
    return copysign(__atan2_short_f32(y, x) * ONE_OVER_PI, y);
}
#endif
