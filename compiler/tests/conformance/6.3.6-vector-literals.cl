//! 6.3.6 Vector Literals

//# accept: one scalar for each component
//# expect: 1 2 3 4
kernel void test(global uint *out) {
    vstore4((uint4)(1, 2, 3, 4), 0, out);
}

//# accept: (float4)(float2, float, float)
//# expect: 1f 2f 3f 4f
kernel void test(global uint *out) {
    float2 a = (float2)(1, 2);
    vstore4((float4)(a, 3.0f, 4.0f), 0, (global float *)out);
}

//# accept: (float4)(float, float2, float)
//# expect: 1f 2f 3f 4f
kernel void test(global uint *out) {
    float2 a = (float2)(2, 3);
    vstore4((float4)(1.0f, a, 4.0f), 0, (global float *)out);
}

//# accept: (float4)(float, float, float2)
//# expect: 1f 2f 3f 4f
kernel void test(global uint *out) {
    float2 a = (float2)(3, 4);
    vstore4((float4)(1.0f, 2.0f, a), 0, (global float *)out);
}

//# accept: (float4)(float2, float2)
//# expect: 1f 2f 3f 4f
kernel void test(global uint *out) {
    vstore4((float4)((float2)(1.0f, 2.0f), (float2)(3.0f, 4.0f)), 0, (global float *)out);
}

//# accept: (float4)(float3, float)
//# expect: 1f 2f 3f 4f
kernel void test(global uint *out) {
    float3 a = (float3)(1, 2, 3);
    vstore4((float4)(a, 4.0f), 0, (global float *)out);
}

//# accept: (float4)(float, float3)
//# expect: 1f 2f 3f 4f
kernel void test(global uint *out) {
    float3 a = (float3)(2, 3, 4);
    vstore4((float4)(1.0f, a), 0, (global float *)out);
}

//# accept: a single scalar goes to all components
//# expect: 1 1 1 1 7 7 7
kernel void test(global uint *out) {
    uint4 u = (uint4)(1);
    vstore4(u, 0, out);
    uint3 v = (uint3)(out[4] + 7);
    out[4] = v.x;
    out[5] = v.y;
    out[6] = v.z;
}

//# accept: scalar operands convert to the element type
//# expect: 1 0xff 0x40400000 5
kernel void test(global uint *out) {
    uchar2 a = (uchar2)(257, -1);
    out[0] = a.x;
    out[1] = a.y;
    float2 b = (float2)(3, 4L);
    out[2] = as_uint(b.x);
    int2 c = (int2)(5.9f, 1u);
    out[3] = c.x;
}

//# accept: a vector of 16 from pieces of 8, 4, 3 and 1
//# expect: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
kernel void test(global uint *out) {
    uint8 a = (uint8)(0, 1, 2, 3, 4, 5, 6, 7);
    uint4 b = (uint4)(8, 9, 10, 11);
    uint3 c = (uint3)(12, 13, 14);
    vstore16((uint16)(a, b, c, 15), 0, out);
}

//# accept: of all element types, also 8-, 16- and 64-bit ones
//# expect: -1 2 -3 4 0x80000000 5
kernel void test(global uint *out) {
    char2 a = (char2)(-1, 2);
    short2 b = (short2)(-3, 4);
    ulong2 c = (ulong2)(0x80000000L, 5);
    out[0] = a.x;
    out[1] = a.y;
    out[2] = b.x;
    out[3] = b.y;
    out[4] = (uint)c.x;
    out[5] = (uint)c.y;
}

//# accept: a literal is a primary expression: its components, arithmetic, arguments
//# expect: 2 4 6
int sum(int2 v) { return v.x + v.y; }
kernel void test(global uint *out) {
    out[0] = ((int2)(1, 2)).y;
    out[1] = ((int2)(1, 2) + (int2)(3, 2)).y;
    out[2] = sum((int2)(2, 4));
}

//# accept: a literal initializes, at program scope too
//# expect: 3 8
constant int4 a = (int4)(1, 2, 3, 4), b = (int4)((int2)(5, 6), 7, 8);
kernel void test(global uint *out) {
    int4 c = (int4)(a.x + out[0], b.yzw);
    out[0] = a.z;
    out[1] = c.w;
}

//# accept: a vector in parentheses alone stays that vector
//# expect: 1 2
kernel void test(global uint *out) {
    uint2 a = (uint2)(1, 2);
    vstore2((uint2)(a), 0, out);
}

//# accept: operands may be the results of expressions with vectors
//# expect: 5 7 2 1
kernel void test(global uint *out) {
    uint2 a = (uint2)(1, 2);
    vstore4((uint4)(a + (uint2)(4, 5), a.yx), 0, out);
}

//# reject: too few elements
//# error: 2: too few elements in vector initialization (expected 4 elements, have 2)
//# error: 3: too few elements in vector initialization (expected 4 elements, have 3)
kernel void test(global uint *out) {
    float4 a = (float4)(1.0f, 2.0f);
    float4 b = (float4)(1.0f, a.xy);
}

//# reject: too many elements
//# error: 2: excess elements in vector initializer
//# error: 3: excess elements in vector initializer
kernel void test(global uint *out) {
    float2 a = (float2)(1.0f, 2.0f, 3.0f);
    float4 b = (float4)(a, 1.0f, a);
}

//# reject: vector operands have the element type of the literal
//# error: 3: expression of incompatible type 'int2'
//# error: 4: expression of incompatible type 'int2'
kernel void test(global uint *out) {
    int2 i = (int2)(1, 2);
    float4 a = (float4)(i, 3.0f, 4.0f);
    uint4 b = (uint4)(i, i);
}

//# reject: a single vector of another type is no operand
//# error: 3: invalid conversion between ext-vector type 'float4' and 'int4'
//# error: 4: invalid conversion between ext-vector type 'float4' and 'float2'
kernel void test(global uint *out) {
    int4 i = (int4)(1);
    float4 a = (float4)(i);
    float4 b = (float4)(a.xy);
}

//# reject: pointers and structs are no operands
//# error: 3: expression of incompatible type
//# error: 4: expression of incompatible type
kernel void test(global uint *out) {
    struct { int a; } s = {1};
    int2 a = (int2)(1, out);
    int2 b = (int2)(s, 1);
}

//# reject: a literal without operands
//# error: 2: expected expression
kernel void test(global uint *out) {
    int2 a = (int2)();
}
