//! API 5.8.6.2 Math Intrinsics Options

//# accept: -cl-single-precision-constant makes literals of double single
//# options: -cl-single-precision-constant
//# requires: fp64
//# expect: 4 0x3dcccccd
kernel void test(global uint *out) {
    out[0] = sizeof(0.1);
    out[1] = as_uint(0.1);
}

//# accept: without it they are double
//# requires: fp64
//# expect: 8
kernel void test(global uint *out) {
    out[0] = sizeof(0.1);
}

//# accept: -cl-denorms-are-zero is a hint
//# options: -cl-denorms-are-zero
//# expect: 1
kernel void test(global uint *out) {
    float x = as_float(1 + (int)out[0]);
    out[0] = x * 0.5f == 0;
}

//# accept: -cl-fp32-correctly-rounded-divide-sqrt
//# options: -cl-fp32-correctly-rounded-divide-sqrt
//# expect: 0x3eaaaaab 0x3fb504f3 0x3f5db3d7
kernel void test(global uint *out) {
    float zero = out[0];
    out[0] = as_uint(1.0f / (3 + zero));
    out[1] = as_uint(sqrt(2 + zero));
    out[2] = as_uint(sqrt(0.75f + zero));
}

//# reject: no other spelling
//# options: -cl-denorms-are-zeros
//# invalid: unknown build option '-cl-denorms-are-zeros'
kernel void test(global uint *out) {}
