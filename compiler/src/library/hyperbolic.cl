// Hyperbolic functions and their inverses, in terms of expm1, exp and log1p. W. Kahan, Branch cuts
// for complex elementary functions, 1987 (the identities).

#if !SHORT_EXP
// sinh: 4 ulp allowed; below 2.
REAL NAME(sinh)(REAL x) {
    REAL ax = fabs(x);
    if (NAME(is_nan)(x) || NAME(is_tiny)(x)) {
        return x;
    }
    REAL result;
    if (ax > EXP_OVERFLOW + R(1.0)) {
        result = FROM_BITS(INF_BITS);
    } else if (ax > -EXPM1_MINUS_ONE) {
        result = NAME(exp_scaled)(ax, R(0.0), -1);
    } else {
        REAL t = NAME(expm1)(ax);
        result = R(0.5) * (t + t / (t + R(1.0)));
    }
    return NAME(with_sign)(result, x);
}

// cosh: 4 ulp allowed; below 2.
REAL NAME(cosh)(REAL x) {
    if (NAME(is_nan)(x)) {
        return x;
    }
    REAL ax = fabs(x);
    if (ax > EXP_OVERFLOW + R(1.0)) {
        return FROM_BITS(INF_BITS);
    }
    REAL halved = NAME(exp_scaled)(ax, R(0.0), -1);
    return ax > -EXPM1_MINUS_ONE ? halved : halved + R(0.25) / halved;
}

// tanh: 5 ulp allowed; below 3 and the device's division.
REAL NAME(tanh)(REAL x) {
    if (NAME(is_nan)(x) || NAME(is_tiny)(x)) {
        return x;
    }
    // (e^2x - 1) / (e^2x + 1), which is 1 from the limit on.
    REAL ax = min(fabs(x), -EXPM1_MINUS_ONE);
    REAL t = NAME(expm1)(ax + ax);
    return NAME(with_sign)(t / (t + R(2.0)), x);
}
#endif

// ln(2x) is asinh(x) and acosh(x) from here on.
#define HYPERBOLIC_LARGE R(0x1p60)

// asinh: 4 ulp allowed; below 3.
REAL NAME(asinh)(REAL x) {
    REAL ax = fabs(x);
    if (TO_BITS(ax) >= INF_BITS || NAME(is_tiny)(x)) {
        return x;
    }
    // log1p(x + x^2 / (1 + sqrt(1 + x^2)))
    bool large = ax > HYPERBOLIC_LARGE;
    REAL square = ax * ax;
    REAL more = ax + NEAR_QUOTIENT(square, R(1.0) + NEAR_ROOT(square + R(1.0)));
    REAL y = NAME(log1p_finite)(large ? ax : more);
    return NAME(with_sign)(large ? y + LN2 : y, x);
}

// acosh: 4 ulp allowed; below 3.
REAL NAME(acosh)(REAL x) {
    // log1p(t + sqrt(2t + t^2))
    REAL t = x - R(1.0);
    bool large = x > HYPERBOLIC_LARGE;
    REAL y = NAME(log1p_finite)(large ? x : t + NEAR_ROOT(mad(t, t, t + t)));
    y = large ? y + LN2 : y;
    y = NAME(is_inf)(x) ? x : y;
    return x >= R(1.0) ? y : FROM_BITS(NAN_BITS);
}

// atanh: 5 ulp allowed; below 4.
REAL NAME(atanh)(REAL x) {
    if (NAME(is_nan)(x) || NAME(is_tiny)(x)) {
        return x;
    }
    REAL ax = fabs(x);
    if (ax >= R(1.0)) {
        return ax == R(1.0) ? NAME(with_sign)(FROM_BITS(INF_BITS), x) : FROM_BITS(NAN_BITS);
    }
    REAL y = NAME(log1p_finite)(NEAR_QUOTIENT(ax + ax, R(1.0) - ax));
    return NAME(with_sign)(R(0.5) * y, x);
}
