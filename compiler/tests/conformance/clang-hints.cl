//! Hints to the compiler, as clang has them (cl_khr_expect_assume asks OpenCL C for none)

//# accept: an expected value is the value, as a long
//# expect: 5 8 1 7 2
kernel void test(global uint *out) {
    volatile int x = 5;
    int evaluated = 0;
    out[0] = __builtin_expect(x, 0);
    out[1] = sizeof(__builtin_expect(x, 0));
    out[2] = __builtin_expect(x == 5, 1) ? 1 : 0;
    out[3] = __builtin_expect(x + 2, evaluated++) + __builtin_expect(0, evaluated++);
    out[4] = evaluated;
}

//# accept: also with a probability
//# expect: 5
kernel void test(global uint *out) {
    volatile int x = 5;
    out[0] = __builtin_expect_with_probability(x, 0, 0.25f);
}

//# reject: a constant between 0 and 1
//# error: 2: probability argument to '__builtin_expect_with_probability' is no constant between 0 and 1
kernel void test(global uint *out) {
    out[0] = __builtin_expect_with_probability(1, 0, 2);
}

//# accept: an assumption is not evaluated
//# expect: 3
kernel void test(global uint *out) {
    volatile int x = 3;
    __builtin_assume(x > 0);
    if (x != 3)
        __builtin_unreachable();
    out[0] = x;
}

//# accept: __has_builtin tells which there are
//# expect: 4 1
kernel void test(global uint *out) {
#if __has_builtin(__builtin_expect)
    out[0] = out[0] + 1;
#endif
#if defined(__has_builtin) && __has_builtin(__builtin_assume)
    out[0] = out[0] + 1;
#endif
#if __has_builtin(__builtin_expect_with_probability) && __has_builtin(__builtin_unreachable)
    out[0] = out[0] + 2;
#endif
#if !__has_builtin(__builtin_nothing)
    out[1] = 1;
#endif
}
