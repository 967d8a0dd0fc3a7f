//! 6.4.4.1 Reinterpreting Types Using Unions

//# accept: a member of a union read as another type has the other's bytes
//# expect: 0x3f800000 1 0x3f80
kernel void test(global uint *out) {
    union { float f; uint u; ushort s[2]; } u;
    u.f = 1.0f + out[0];
    out[0] = u.u;
    out[2] = u.s[1];
    u.u = 1 + out[1];
    out[1] = as_uint(u.f);
}

//# accept: a union with a double
//# requires: fp64
//# expect: 0 0x3ff00000
kernel void test(global uint *out) {
    union { double d; uint u[2]; } u;
    u.d = 1.0 + out[0];
    out[0] = u.u[0];
    out[1] = u.u[1];
}

//# accept: vectors and scalars
//# expect: 0x04030201 0x3f800000
union u { uchar4 c; uint u; float f; };
kernel void test(global uint *out) {
    union u x;
    x.c = (uchar4)(1, 2, 3, 4) + (uchar)out[0];
    out[0] = x.u;
    x.f = 1;
    out[1] = x.u;
}

//# reject: only members that there are
//# error: 4: no member named 'd'
union u { uint u; float f; };
kernel void test(global uint *out) {
    union u x;
    out[0] = x.d;
}
