//! 6.6 Vector Operations

//# accept: an operator with a vector and a scalar is that operator on each component
//# expect: 1
kernel void test(global uint *out) {
    float4 u = (float4)(1, 2, 3, 4) + (float)out[0];
    float f = 0.5f;
    float4 v = u + f, w;
    w.x = u.x + f;
    w.y = u.y + f;
    w.z = u.z + f;
    w.w = u.w + f;
    out[0] = all(v == w);
}

//# accept: an operator with two vectors is that operator on each component
//# expect: 1
kernel void test(global uint *out) {
    float4 v = (float4)(1, 2, 3, 4) + (float)out[0], u = (float4)(5, 6, 7, 8), w = v * u, x;
    x.x = v.x * u.x;
    x.y = v.y * u.y;
    x.z = v.z * u.z;
    x.w = v.w * u.w;
    out[0] = all(w == x);
}

//# accept: of 16 components, in 8, 16, 32 and 64 bits
//# expect: 0 0 0 0
kernel void test(global uint *out) {
#define CHECK(T, n) { \
        T a[16], b[16]; \
        for (int i = 0; i < 16; i++) { a[i] = i * 37 + 11 + out[n]; b[i] = i * 5 + 1; } \
        T##16 v = vload16(0, a), w = vload16(0, b), r = (v * w - (v ^ w)) / w + (v & w); \
        T s[16]; \
        vstore16(r, 0, s); \
        int wrong = 0; \
        for (int i = 0; i < 16; i++) \
            wrong += s[i] != (T)((T)((T)((T)(a[i] * b[i]) - (T)(a[i] ^ b[i])) / b[i]) + (a[i] & b[i])); \
        out[n] = wrong; }
    CHECK(char, 0)
    CHECK(ushort, 1)
    CHECK(int, 2)
    CHECK(ulong, 3)
}

//# accept: functions that are not component-wise say so: dot
//# expect: 32f
kernel void test(global uint *out) {
    float3 a = (float3)(1, 2, 3) + (float)out[0], b = (float3)(4, 5, 6);
    out[0] = as_uint(dot(a, b));
}

//# accept: components that are not used in the end do not disturb the others
//# expect: 3 7
kernel void test(global uint *out) {
    uint2 a = (uint2)(1, 2) + out[0];
    uint4 b = (uint4)(a, a + 2u);
    out[0] = b.x + b.y;
    out[1] = b.z + b.w;
}

//# reject: operands of different numbers of components
//# error: 3: vector operands do not have the same number of elements
//# error: 4: vector operands do not have the same number of elements
kernel void test(global uint *out) {
    float4 a = (float4)(1); float2 b = (float2)(1); float8 c = (float8)(1);
    a + b;
    c * a;
}

//# reject: a vector is no condition
//# error: 3: float4
kernel void test(global uint *out) {
    float4 a = (float4)(1);
    if (a) out[0] = 1;
}
