//! API 5.8.6.3 Optimization Options

//# accept: -cl-opt-disable changes nothing of what a program computes
//# options: -cl-opt-disable
//# expect: 45 3 6
uint sum(uint n) {
    uint s = 0;
    for (uint i = 0; i < n; i++)
        s += i;
    return s;
}
kernel void test(global uint *out) {
    uint a[4] = {0, 1, 2, 3};
    uint n = 10 + out[0];
    out[0] = sum(n);
    out[1] = a[n - 7];
    out[2] = dot((float3)(1, 2, 3), (float3)(1, 1, 1));
}

//# accept: -cl-strict-aliasing, -cl-uniform-work-group-size and -cl-no-subgroup-ifp
//# options: -cl-strict-aliasing -cl-uniform-work-group-size -cl-no-subgroup-ifp
//# global: 4
//# local: 2
//# expect: 2 2 2 2
kernel void test(global uint *out) {
    out[get_global_id(0)] = get_local_size(0);
}

//# accept: -cl-mad-enable and -cl-no-signed-zeros
//# options: -cl-mad-enable -cl-no-signed-zeros
//# expect: 7f 1
kernel void test(global uint *out) {
    float x = 2 + (float)out[0];
    ((global float *)out)[0] = x * 3 + 1;
    out[1] = (x - 2) * -1.0f == 0;
}

//# accept: -cl-unsafe-math-optimizations does not define __FAST_RELAXED_MATH__
//# options: -cl-unsafe-math-optimizations
//# expect: 1
kernel void test(global uint *out) {
#ifndef __FAST_RELAXED_MATH__
    out[0] = 1;
#endif
}

//# accept: -cl-finite-math-only
//# options: -cl-finite-math-only
//# expect: 3f
kernel void test(global uint *out) {
    ((global float *)out)[0] = fmax(3.0f + out[0], 2.0f);
}

//# accept: -cl-fast-relaxed-math defines __FAST_RELAXED_MATH__
//# options: -cl-fast-relaxed-math
//# expect: 1 1 1
kernel void test(global uint *out) {
    float x = 1.5f + out[0];
    out[0] = __FAST_RELAXED_MATH__;
    out[1] = fabs(sin(x) - 0.99749499f) < 0x1p-11f;
    out[2] = fabs(exp(x) - 4.4816891f) < 0x1p-16f;
}

//# accept: relaxed exponentials keep their bound, which is 3 ulp near zero
//# options: -cl-fast-relaxed-math
//# requires: fp64
//# expect: 0 0
kernel void test(global uint *out) {
    uint wrong = 0, wrong2 = 0;
    for (int i = 0; i < 20000; i++) {
        float x = (i - 10000 + (int)out[0]) * 0x1.9p-15f;
        double e = exp((double)x), e2 = exp2((double)x);
        wrong += fabs(exp(x) - e) > 3 * ldexp(1.0, ilogb(e) - 23);
        wrong2 += fabs(exp2(x) - e2) > 3 * ldexp(1.0, ilogb(e2) - 23);
    }
    out[0] = wrong;
    out[1] = wrong2;
}

//# accept: without it the macro is not defined
//# expect: 1
kernel void test(global uint *out) {
#ifndef __FAST_RELAXED_MATH__
    out[0] = 1;
#endif
}

//# reject: an option that is not known
//# options: -cl-fast
//# invalid: unknown build option '-cl-fast'
kernel void test(global uint *out) {}

//# reject: -O is no option
//# options: -O3
//# invalid: unknown build option '-O3'
kernel void test(global uint *out) {}
