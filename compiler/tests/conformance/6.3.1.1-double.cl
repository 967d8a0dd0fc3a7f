//! 6.3.1.1 Double-Precision Floating-Point Support

//# accept: without a suffix a constant is of type double
//# requires: fp64
//# expect: 8 1 4
kernel void test(global uint *out) {
    out[0] = sizeof(0.1);
    out[1] = 0.1 != 0.1f;
    out[2] = sizeof(0.1f);
}

//# accept: without double precision a double constant is one of single precision
//# requires: !fp64
//# expect: 4 1
kernel void test(global uint *out) {
    out[0] = sizeof(0.1);
    out[1] = 0.1 == 0.1f;
}

//# reject: without double precision the type double is diagnosed
//# requires: !fp64
//# error: 2: use of type 'double' requires cl_khr_fp64
kernel void test(global uint *out) {
    double d = 1;
}

//# accept: -cl-single-precision-constant makes double constants single
//# options: -cl-single-precision-constant
//# expect: 4 1
kernel void test(global uint *out) {
    out[0] = sizeof(0.1);
    out[1] = 0.1 == 0.1f;
}

//# accept: arithmetic in double keeps double's precision
//# requires: fp64
//# expect: 1 1 1 0x00000001 0x3ff00000
kernel void test(global uint *out) {
    double one = out[0] + 1, e = one / 0x10000000000000L;
    out[0] = (float)(one + e) == 1.0f;
    out[1] = one + e > one;
    out[2] = one + e / 2 == one;
    ulong bits = as_ulong(one + e);
    out[3] = (uint)bits;
    out[4] = (uint)(bits >> 32);
}
