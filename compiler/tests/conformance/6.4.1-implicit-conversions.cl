//! 6.4.1 Implicit Conversions

//# accept: a conversion gives an equivalent value in the new type, not the same bits
//# expect: 5f 5 -3f 1 255
kernel void test(global uint *out) {
    int i = 5 + out[0];
    float f = i, g = -3;
    out[0] = as_uint(f);
    i = 5.9f;
    out[1] = i;
    out[2] = as_uint(g);
    bool b = f;
    out[3] = b;
    uchar c = 255.5f;
    out[4] = c;
}

//# accept: integers to narrower integers keep the low bits, to wider ones the value
//# expect: 0x34 0xffffff80 0x5678 -1 0xffffffff 0xffffffff 0 -1
kernel void test(global uint *out) {
    int i = 0x1234 + out[0];
    uchar a = i;
    char b = i + 0x4c;
    short c = i * 0 + 0x12345678;
    long d = -1 + (int)out[0];
    ulong e = -1 + (int)out[0];
    ulong f = 0xffffffffu + out[0];
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d < 0 ? -1 : 0;
    out[4] = (uint)(d >> 32);
    out[5] = (uint)(e >> 32);
    out[6] = (uint)(f >> 32);
    int g = f;
    out[7] = g;
}

//# accept: floats to integers round toward zero
//# expect: 2 -2 0 0 3000000000 0xfffffffe 0xffffffff
kernel void test(global uint *out) {
    float zero = out[0];
    int a = zero + 2.9f, b = zero - 2.9f, c = zero + 0.99f, d = zero - 0.99f;
    uint e = zero + 3000000000.0f;
    long f = zero - 2.5f;
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
    out[5] = (uint)f;
    out[6] = (uint)(f >> 32);
}

//# accept: integers to floats round to nearest even
//# expect: 16777216f 16777220f 4294967296f -2147483648f 9223372036854775808f
kernel void test(global uint *out) {
    int zero = out[0];
    global float *f = (global float *)out;
    f[0] = zero + 16777217;
    f[1] = zero + 16777219;
    f[2] = zero + 0xffffffffu;
    f[3] = zero + (int)0x80000000;
    f[4] = zero + 0x7fffffffffffffffL;
}

//# accept: a scalar becomes a vector: converted to the element type, then widened
//# expect: 3f 3f 3f 3f 0xfefefefe
kernel void test(global uint *out) {
    int i = 3 + out[0];
    float4 v = i;
    vstore4(v, 0, (global float *)out);
    uchar4 c = 254;
    *(global uchar4 *)(out + 4) = c;
}

//# accept: a scalar is widened where it is assigned, passed and returned
//# expect: 7 7 8 8 9 9
uint2 nine(void) { return 9; }
uint2 same(uint2 v) { return v; }
kernel void test(global uint *out) {
    uint2 v;
    v = 7;
    vstore2(v, 0, out);
    vstore2(same(8), 1, out);
    vstore2(nine(), 2, out);
}

//# accept: conversions to and from double
//# requires: fp64
//# expect: 1 0x3dcccccd 7
kernel void test(global uint *out) {
    double d = 0.1f * (out[0] + 1);
    out[0] = d != 0.1;
    float f = 0.1;
    out[1] = as_uint(f);
    int i = 7.99 + out[2];
    out[2] = i;
}

//# accept: pointers convert as in C99: to and from void, adding const and volatile
//# expect: 1
kernel void test(global uint *out) {
    global void *v = out;
    global const volatile uint *p = v;
    out[0] = p == out;
}

//# reject: vectors do not convert to other vectors
//# error: 3: initializing 'float4' with an expression of incompatible type 'int4'
//# error: 4: initializing 'uint4' with an expression of incompatible type 'int4'
//# error: 5: initializing 'int2' with an expression of incompatible type 'int4'
//# error: 6: assigning to 'int4' from incompatible type 'char4'
kernel void test(global uint *out) {
    int4 i = (int4)(1); char4 c = (char4)(1);
    float4 f = i;
    uint4 u = i;
    int2 h = i;
    i = c;
}

//# reject: vectors do not convert to scalars
//# error: 3: initializing 'int' with an expression of incompatible type 'int4'
//# error: 4: initializing 'bool' with an expression of incompatible type 'int4'
kernel void test(global uint *out) {
    int4 i = (int4)(1);
    int s = i;
    bool b = i;
}

//# reject: void, structs and pointers are no numbers
//# error: 3: incompatible type 'struct s'
//# error: 4: incompatible pointer to integer conversion
//# error: 5: incompatible type '__global uint *'
kernel void test(global uint *out) {
    struct s { int a; } x = {1};
    int a = x;
    int b = out;
    float c = out;
}

//# accept: a large integer becomes a float by one rounding, constant or not
//# expect: 0x5f000001 0x5effffff 0xdeffffff 0x5f800000 0x5f000001 0x5effffff 0xdeffffff 0x5f800000
constant float table[4] = {
    0x8000008000000001UL, 0x7fffff4000000001L, -0x7fffff4000000001L, 0xffffffffffffffffUL
};
kernel void test(global uint *out) {
    for (int i = 0; i < 4; i++)
        out[i] = as_uint(table[i]);
    ulong zero = out[7];
    out[4] = as_uint((float)(0x8000008000000001UL + zero));
    out[5] = as_uint((float)(0x7fffff4000000001L + (long)zero));
    out[6] = as_uint((float)(-0x7fffff4000000001L + (long)zero));
    out[7] = as_uint((float)(0xffffffffffffffffUL - zero));
}
