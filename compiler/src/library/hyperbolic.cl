// Hyperbolic functions and their inverses, in terms of expm1, exp and log1p. W. Kahan, Branch cuts
// for complex elementary functions, 1987 (the identities).

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

// tanh: 5 ulp allowed; below 2 and the device's division.
REAL NAME(tanh)(REAL x) {
    if (NAME(is_nan)(x) || NAME(is_tiny)(x)) {
        return x;
    }
    REAL ax = fabs(x);
    REAL result = R(1.0);
    if (ax < -EXPM1_MINUS_ONE) {
        // (e^2x - 1) / (e^2x + 1)
        REAL t = NAME(expm1)(ax + ax);
        result = ax < R(0.5) ? t / (t + R(2.0)) : R(1.0) - R(2.0) / (t + R(2.0));
    }
    return NAME(with_sign)(result, x);
}

// asinh: 4 ulp allowed; below 3.
REAL NAME(asinh)(REAL x) {
    if ((TO_BITS(x) & MAG_MASK) >= INF_BITS || NAME(is_tiny)(x)) {
        return x;
    }
    REAL ax = fabs(x);
    REAL result;
    if (ax > HYPERBOLIC_LARGE) {
        result = NAME(log)(ax) + LN2;
    } else {
        // log1p(x + x^2 / (1 + sqrt(1 + x^2)))
        REAL square = ax * ax;
        REAL more = square / (R(1.0) + sqrt(R(1.0) + square));
        REAL2 sum = NAME(two_sum)(ax, more);
        result = NAME(log1p_pair)(sum.x, sum.y);
    }
    return NAME(with_sign)(result, x);
}

// acosh: 4 ulp allowed; below 2.
REAL NAME(acosh)(REAL x) {
    if (!(x >= R(1.0))) {
        return FROM_BITS(NAN_BITS);
    }
    if (x > HYPERBOLIC_LARGE) {
        return NAME(is_inf)(x) ? x : NAME(log)(x) + LN2;
    }
    REAL t = x - R(1.0);
    if (t == R(0.0)) {
        return t;
    }
    // log1p(t + sqrt(2t + t^2))
    REAL square = t * (t + R(2.0));
    REAL2 root = NAME(pair_sqrt)(square);
    REAL2 sum = NAME(two_sum)(root.x, t);
    return NAME(log1p_pair)(sum.x, sum.y + root.y);
}

// atanh: 5 ulp allowed; below 2.
REAL NAME(atanh)(REAL x) {
    if (NAME(is_nan)(x) || NAME(is_tiny)(x)) {
        return x;
    }
    REAL ax = fabs(x);
    if (ax >= R(1.0)) {
        return ax == R(1.0) ? NAME(with_sign)(FROM_BITS(INF_BITS), x) : FROM_BITS(NAN_BITS);
    }
    REAL result = R(0.5) * (NAME(log1p_pair)(ax, R(0.0)) - NAME(log1p_pair)(-ax, R(0.0)));
    return NAME(with_sign)(result, x);
}
