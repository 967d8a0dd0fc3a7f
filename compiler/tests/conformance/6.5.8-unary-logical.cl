//! 6.5.8 Unary Logical Operator

//# accept: ! of scalars gives 0 or 1, of pointers too
//# expect: 0 1 1 0 0 4
kernel void test(global uint *out) {
    float f = 0.5f + out[0];
    long n = 0x100000000 + out[0];
    out[1] = !(f - f);
    out[2] = !!f;
    out[3] = !n;
    out[4] = !out;
    out[5] = sizeof(!(char)1);
    out[0] = !f;
}

//# accept: ! of vectors gives 0 or -1 in signed elements as wide
//# expect: 0 -1 -1 0 0xff00 16
kernel void test(global uint *out) {
    int2 a = (int2)(5, 0) + (int)out[0];
    float2 f = (float2)(-0.0f, 1);
    vstore2(!a, 0, (global int *)out);
    vstore2(!f, 1, (global int *)out);
    char2 c = !(uchar2)(3, 0);
    out[4] = as_ushort(c);
    out[5] = sizeof(!(ulong2)(1));
}

//# accept: ! of double gives long
//# requires: fp64
//# expect: 16 0xffffffff
kernel void test(global uint *out) {
    double2 d = (double2)(0, 1) + (double)out[0];
    long2 n = !d;
    out[0] = sizeof(!d);
    out[1] = (uint)(n.x >> 32);
}

//# reject: ! of structs
//# error: 3: invalid argument type 'struct s' to unary expression
kernel void test(global uint *out) {
    struct s { int a; } x = {1};
    out[0] = !x;
}
