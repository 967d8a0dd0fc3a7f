//! 6.4.6 Usual Arithmetic Conversions

//# accept: scalars as in C99: small integers are promoted to int
//# expect: 4 4 510 -256 4
kernel void test(global uint *out) {
    uchar a = 255 + out[0];
    short b = -128 + out[0];
    out[0] = sizeof(a + a);
    out[1] = sizeof(b * b);
    out[2] = a + a;
    out[3] = b + b;
    out[4] = sizeof(+a);
}

//# accept: int and uint give uint; int and long long; uint and long long
//# expect: 1 8 1 8 0
kernel void test(global uint *out) {
    int a = -1 + out[0];
    uint b = 1 + out[0];
    long c = -1 + (int)out[0];
    out[0] = a > b;
    out[1] = sizeof(a + c);
    out[2] = c < b;
    out[3] = sizeof(b + c);
    out[4] = (ulong)b > c ? 1 : 0;
}

//# accept: an integer beside a float becomes float
//# expect: 4 16777216f
kernel void test(global uint *out) {
    int a = 16777217 + out[0];
    out[0] = sizeof(a + 1.0f);
    out[1] = as_uint(a + 0.0f);
}

//# accept: float and double give double
//# requires: fp64
//# expect: 8 1
kernel void test(global uint *out) {
    float f = 0.1f + out[0];
    out[0] = sizeof(f + 1.0);
    out[1] = f + 0.0 != 0.1;
}

//# accept: a scalar beside a vector is converted to its element type, then widened
//# expect: 3f 4f 260 1 255
kernel void test(global uint *out) {
    float2 f = (float2)(1, 2) + (int)(out[0] + 2);
    vstore2(f, 0, (global float *)out);
    ushort2 s = (ushort2)(250, 1) + (uchar)10;
    out[2] = s.x;
    uchar2 c = (uchar2)(250, 249) + (uchar)7;
    out[3] = c.x;
    c = c - (uchar)1;
    out[4] = c.y;
}

//# accept: elements of vectors are not promoted: short8 + char is short8
//# expect: 16 -32768 2
kernel void test(global uint *out) {
    short8 s = (short8)(32767);
    char c = 1 + out[0];
    out[0] = sizeof(s + c);
    out[1] = (s + c).s3;
    out[2] = sizeof((uchar2)(1) * (uchar2)(2));
}

//# accept: a bool beside an integer vector
//# expect: 3 6
kernel void test(global uint *out) {
    bool b = out[0] == 0;
    int2 v = (int2)(2, 5) + b;
    vstore2(v, 0, (global int *)out);
}

//# accept: an enumerator counts as its integer type
//# expect: 5
enum e { A = 2 };
kernel void test(global uint *out) {
    int2 v = (int2)(3, 4) + A;
    out[0] = v.x;
}

//# reject: a scalar of greater rank than the element: a wider integer
//# error: 3: scalar operand type has greater rank than the type of the vector element
//# error: 4: scalar operand type has greater rank than the type of the vector element
kernel void test(global uint *out) {
    int4 i = (int4)(1); short4 s = (short4)(1); long l = 1; int n = 1;
    i = i + l;
    s = s * n;
}

//# reject: an unsigned integer has greater rank than the signed one of its size
//# error: 3: scalar operand type has greater rank than the type of the vector element
//# error: 4: scalar operand type has greater rank than the type of the vector element
kernel void test(global uint *out) {
    int4 i = (int4)(1); uint u = out[0]; char4 c = (char4)(1); uchar b = out[1];
    i = i + u;
    c = b + c;
}

//# reject: any float has greater rank than any integer
//# error: 3: scalar operand type has greater rank than the type of the vector element
//# error: 4: scalar operand type has greater rank than the type of the vector element
kernel void test(global uint *out) {
    int4 i = (int4)(1); long4 l = (long4)(1); float f = 1;
    i = i + f;
    l = l * f;
}

//# reject: double has greater rank than float
//# requires: fp64
//# error: 3: scalar operand type has greater rank than the type of the vector element
kernel void test(global uint *out) {
    float4 v = (float4)(1); double d = out[0];
    v = v + d;
}

//# reject: constants are no exception: a literal is an int, or what its suffix says
//# error: 3: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')
//# error: 4: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')
//# error: 5: scalar operand type has greater rank than the type of the vector element. ('int' and 'ushort4')
//# error: 6: scalar operand type has greater rank than the type of the vector element. ('int4' and 'uint')
//# error: 7: scalar operand type has greater rank than the type of the vector element. ('uint4' and 'long')
//# error: 8: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')
kernel void test(global uint *out) {
    char4 c = (char4)(1); ushort4 s = (ushort4)(1); int4 i = (int4)(1); uint4 u = (uint4)(1);
    (char4)(1) + 300;
    c += 1000;
    1 * s;
    i - 1u;
    u & 1L;
    c == 'a';
}

//# reject: nor are constants of floating-point types
//# requires: fp64
//# error: 3: scalar operand type has greater rank than the type of the vector element. ('float4' and 'double')
//# error: 4: scalar operand type has greater rank than the type of the vector element. ('float4' and 'double')
kernel void test(global uint *out) {
    float4 v = (float4)(1);
    v = v * 2.0;
    v /= 2.0;
}

//# accept: a constant of the element's rank or a lesser one
//# expect: 6 6 5 3f 5
kernel void test(global uint *out) {
    uint4 u = (uint4)(5); long2 l = 4; float4 f = (float4)(1.5f); char4 c = 7;
    out[0] = (u + 1).x;
    out[1] = (l + 2u).y;
    out[2] = (u | 1u).x;
    out[3] = as_uint((f * 2).z);
    c -= (char)2;
    out[4] = c.w;
}

//# accept: the amount of a shift may have any rank
//# expect: 4 8
kernel void test(global uint *out) {
    char4 c = (char4)(1);
    c = c << 2L;
    out[0] = c.x;
    c <<= 1u;
    out[1] = c.y;
}

//# reject: ranks also matter to comparisons, logical operators and the choice by a scalar
//# error: 3: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')
//# error: 4: scalar operand type has greater rank than the type of the vector element. ('short4' and 'int')
//# error: 5: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')
kernel void test(global uint *out) {
    char4 c = (char4)(1); short4 s = (short4)(1);
    c < 2;
    s && 1;
    out[0] ? c : 1;
}

//# reject: two vector types
//# error: 3: cannot convert between vector values ('int4' and 'uint4')
//# error: 4: cannot convert between vector values ('int4' and 'float4')
//# error: 5: vector operands do not have the same number of elements ('int4' and 'int2')
kernel void test(global uint *out) {
    int4 i = (int4)(1); uint4 u = (uint4)(1); float4 f = (float4)(1);
    i + u;
    i * f;
    i - i.xy;
}
