//! 6.5.15 Assignment Operator

//# accept: = stores the converted value, which is also its own
//# expect: 3 44 44 5
kernel void test(global uint *out) {
    int i;
    uchar c;
    i = 3.9f + out[0];
    out[0] = i;
    i = c = 300 + out[1];
    out[1] = i;
    out[2] = c;
    out[3] = (i = 5);
}

//# accept: assignments associate from right to left
//# expect: 7 7 7
kernel void test(global uint *out) {
    out[0] = out[1] = out[2] = 7;
}

//# accept: every compound assignment is the operator and then the assignment: int
//# expect: 7 3 10 2 1 20 2 4 7 2
kernel void test(global uint *out) {
    int a = 5 + out[0];
    a += 2; out[0] = a; a = 5;
    a -= 2; out[1] = a; a = 5;
    a *= 2; out[2] = a; a = 5;
    a /= 2; out[3] = a; a = 5;
    a %= 2; out[4] = a; a = 5;
    a <<= 2; out[5] = a; a = 5;
    a >>= 1; out[6] = a; a = 5;
    a &= 6; out[7] = a; a = 5;
    a |= 2; out[8] = a; a = 5;
    a ^= 7; out[9] = a;
}

//# accept: compound assignments compute in the common type and convert back
//# expect: 44 7 250 0xffffffff
kernel void test(global uint *out) {
    uchar c = 200 + out[0];
    c += 100;
    out[0] = c;
    int i = 5 + out[1];
    i *= 1.5f;
    out[1] = i;
    c = 250;
    c /= 1u;
    out[2] = c;
    i = -1;
    i = i / 2u == 0x7fffffff ? -1 : 0;
    out[3] = i;
}

//# accept: the l-value of a compound assignment is evaluated once
//# expect: 5 0 1
kernel void test(global uint *out) {
    int i = 0;
    out[i++] += 5;
    out[2] = i;
}

//# accept: compound assignments of 64-bit and small integers in memory
//# expect: 0xffffffff 0xffffffff 0x01ff0203
kernel void test(global uint *out) {
    global ulong *n = (global ulong *)out;
    *n -= 1;
    global uchar *b = (global uchar *)(out + 2);
    b[0] |= 3;
    b[1] += 2;
    b[2] -= 1;
    b[3] ^= 1;
}

//# accept: a scalar assigned to a vector is converted and widened; so in compound assignments
//# expect: 3 3 8 8 4f 5f
kernel void test(global uint *out) {
    uint2 a;
    a = 3.7f + out[0];
    vstore2(a, 0, out);
    a += 5;
    vstore2(a, 1, out);
    float2 f = (float2)(1, 2);
    f += 3;
    vstore2(f, 2, (global float *)out);
}

//# accept: every compound assignment on vectors
//# expect: 2 3 4 0 20 1 7 6
kernel void test(global uint *out) {
    int2 a = (int2)(5, 5) + (int)out[0], b = (int2)(3, 2), v;
    v = a; v -= b; out[0] = v.x; out[1] = v.y;
    v = b; v += (int2)(1, 0); out[2] = v.x;
    v = a; v /= (int2)(6); out[3] = v.x;
    v = a; v <<= b; out[4] = v.y;
    v = a; v %= b; out[5] = v.y;
    v = a; v |= b; out[6] = v.x;
    v = a; v ^= b; out[7] = v.x;
}

//# accept: whole structs, structure fields, elements, components and parenthesized l-values
//# expect: 1 2 3 4 5
typedef struct { int a[2]; int2 v; } s;
kernel void test(global uint *out) {
    s x, y;
    x.a[0] = 1;
    (x.a[1]) = 2;
    x.v.yx = (int2)(4, 3);
    ((y)) = x;
    *(&y.a[0] + 1) += 0;
    out[0] = y.a[0];
    out[1] = y.a[1];
    out[2] = y.v.x;
    out[3] = y.v.y;
    (*(out + 4)) = 5;
}

//# reject: what is no l-value is not assigned to
//# error: 4: expression is not assignable
//# error: 5: expression is not assignable
//# error: 6: expression is not assignable
//# error: 7: expression is not assignable
kernel void test(global uint *out) {
    int a = 1;
    int b = 2;
    a + b = 3;
    5 = a;
    (a, b) = 1;
    (a = b) = 1;
}

//# reject: l-values must be writable: const and constant
//# error: 4: cannot assign to variable 'a' with const-qualified type 'const int'
//# error: 5: constant
constant int c = 1;
kernel void test(global uint *out) {
    const int a = 1;
    a = 2;
    c = 2;
}

//# reject: other conversions must be explicit
//# error: 3: assigning to 'int4' from incompatible type 'float4'
//# error: 4: assigning to 'int' from incompatible type 'int4'
//# error: 5: assigning to 'struct s' from incompatible type 'int'
kernel void test(global uint *out) {
    int4 i; float4 f = (float4)(1); struct s { int a; } x; int a;
    i = f;
    a = i;
    x = a;
}

//# reject: both the operator and the assignment must be possible
//# error: 3: invalid operands to binary expression
//# error: 4: cannot convert between vector values
//# error: 5: invalid operands to binary expression
kernel void test(global uint *out) {
    float f = 1; int2 i = (int2)(1); float2 v = (float2)(1);
    f %= 2;
    i += v;
    f <<= 1;
}
