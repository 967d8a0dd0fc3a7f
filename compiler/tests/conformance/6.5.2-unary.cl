//! 6.5.2 Unary Operators

//# accept: unary plus and minus on scalars and vectors of every kind
//# expect: -5 5 0x80000000 0xfffffffb -1 2 0xffffffff 128
kernel void test(global uint *out) {
    int a = 5 + out[0];
    float zero = out[0];
    uint u = 5 + out[0];
    char2 c = (char2)(1, -2) + (char)out[0];
    long n = 1 + out[0];
    uchar d = 128 + out[0];
    out[0] = -a;
    out[1] = +a;
    out[2] = as_uint(-zero);
    out[3] = -u;
    out[4] = (-c).x;
    out[5] = (-c).y;
    out[6] = (uint)(-n >> 32);
    out[7] = (-(uchar2)(d)).x;
}

//# accept: unary operators promote small scalars, but not the elements of vectors
//# expect: 4 4 2 -255
kernel void test(global uint *out) {
    uchar a = 255 + out[0];
    out[0] = sizeof(-a);
    out[1] = sizeof(+(short)1);
    out[2] = sizeof(-(char2)(1));
    out[3] = -a;
}

//# accept: minus gives zeros their sign
//# expect: 0x80000000 0x80000000 1
kernel void test(global uint *out) {
    float zero = out[0];
    float2 v = -(float2)(zero, 1);
    out[0] = as_uint(-zero);
    out[1] = as_uint(v.x);
    out[2] = +zero == 0;
}

//# reject: + and - of pointers and structs
//# error: 3: invalid argument type 'struct s' to unary expression
//# error: 4: to unary expression
kernel void test(global uint *out) {
    struct s { int a; } x = {1};
    -x;
    +out;
}

//# accept: the least long can be written with a minus before 2^63, which no long is (C99 6.4.4.1)
//# expect: 1 1 0 1 8 0 0x80000000
kernel void test(global uint *out) {
    float x = out[0] + 3.0f;
    long least = -9223372036854775808, least_l = -9223372036854775808L;
    out[0] = least < 0;
    out[1] = least == least_l;
    out[2] = x < -9223372036854775808;
    out[3] = -9223372036854775808 < 0;
    out[4] = sizeof(-9223372036854775808);
    out[5] = (uint)least;
    out[6] = (uint)(least >> 32);
}

//# accept: a decimal number that no long holds is unsigned, which is told
//# warn: 2: too large to be represented in a signed integer type
//# expect: 0x80000001 1
kernel void test(global uint *out) {
    ulong x = 9223372036854775809;
    out[0] = (uint)(x >> 32) + (uint)x;
    out[1] = 0xffffffffffffffff > 18446744073709551614u;
}
