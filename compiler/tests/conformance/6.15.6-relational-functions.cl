//! 6.15.6 Relational Functions

//# accept: of scalars the result is 0 or 1
//# expect: 1 0 1 0 1 1 0 1
kernel void test(global uint *out) {
    float zero = out[0], a = 1 + zero, b = 2 + zero;
    out[0] = isequal(a, a);
    out[1] = isequal(a, b);
    out[2] = isnotequal(a, b);
    out[3] = isgreater(a, b);
    out[4] = isgreaterequal(a, a);
    out[5] = isless(a, b);
    out[6] = islessequal(b, a);
    out[7] = islessgreater(a, b);
}

//# accept: of vectors each component is 0 or -1
//# expect: -1 0 0 0 -1 0 -1 -1 0
kernel void test(global uint *out) {
    float3 a = (float3)(1, 2, 3) + (float)out[0], b = (float3)(1, 3, 2);
    vstore3(as_uint3(isequal(a, b)), 0, out);
    vstore3(as_uint3(isless(a, b)), 1, out);
    vstore3(as_uint3(islessequal(a, b)), 2, out);
}

//# accept: with NaN all but isnotequal are false
//# expect: 0 0 0 0 0 0 1
kernel void test(global uint *out) {
    float n = nan(out[0]), a = 1;
    out[0] = isequal(n, n) || isequal(a, n);
    out[1] = isgreater(n, a) || isgreater(a, n);
    out[2] = isgreaterequal(n, a) || isgreaterequal(n, n);
    out[3] = isless(n, a) || isless(a, n);
    out[4] = islessequal(n, a) || islessequal(n, n);
    out[5] = islessgreater(n, a) || islessgreater(n, n);
    out[6] = isnotequal(n, n) && isnotequal(a, n);
}

//# accept: isnotequal of vectors with NaN is -1
//# expect: -1 0
kernel void test(global uint *out) {
    float2 v = (float2)(nan(out[0]), 1);
    vstore2(as_uint2(isnotequal(v, v)), 0, out);
}

//# accept: zeros are equal whatever their sign
//# expect: 1 0 0
kernel void test(global uint *out) {
    float zero = out[0];
    out[0] = isequal(zero, -zero);
    out[1] = islessgreater(zero, -zero);
    out[2] = isless(-zero, zero);
}

//# accept: isfinite, isinf, isnan, isnormal
//# expect: 1 0 0 0 1 1 0 0 0 1 1 0
kernel void test(global uint *out) {
    float zero = out[0], n = nan(out[0]), i = INFINITY + zero;
    out[0] = isfinite(FLT_MAX + zero);
    out[1] = isfinite(i);
    out[2] = isfinite(n);
    out[3] = isinf(FLT_MAX + zero);
    out[4] = isinf(i);
    out[5] = isinf(-i);
    out[6] = isinf(n);
    out[7] = isnan(i);
    out[8] = isnan(zero);
    out[9] = isnan(n);
    out[10] = isnormal(FLT_MIN + zero);
    out[11] = isnormal(zero) || isnormal(i) || isnormal(n) || isnormal(as_float(1 + (int)zero));
}

//# accept: of vectors
//# expect: -1 0 0 0 -1 0 0 0 -1 -1 0 0
kernel void test(global uint *out) {
    float3 v = (float3)(1, INFINITY, NAN) + (float)out[0];
    vstore3(as_uint3(isfinite(v)), 0, out);
    vstore3(as_uint3(isinf(v)), 1, out);
    vstore3(as_uint3(isnan(v)), 2, out);
    vstore3(as_uint3(isnormal(v)), 3, out);
}

//# accept: isordered and isunordered tell NaN
//# expect: 1 0 0 0 1 1 -1 0
kernel void test(global uint *out) {
    float n = nan(out[0]), a = INFINITY;
    out[0] = isordered(a, -a);
    out[1] = isordered(a, n);
    out[2] = isordered(n, a);
    out[3] = isunordered(a, a);
    out[4] = isunordered(a, n);
    out[5] = isunordered(n, n);
    vstore2(as_uint2(isordered((float2)(1, n), (float2)(2, 2))), 0, out + 6);
}

//# accept: signbit sees the sign of zeros and of NaN
//# expect: 0 1 1 0 1 -1 0
kernel void test(global uint *out) {
    float zero = out[0];
    out[0] = signbit(zero);
    out[1] = signbit(copysign(zero, -1.0f));
    out[2] = signbit(-INFINITY + zero);
    out[3] = signbit(as_float(0x7fc00000 + (int)zero));
    out[4] = signbit(as_float(0xffc00000 + (uint)zero));
    vstore2(as_uint2(signbit((float2)(-1, 1) + zero)), 0, out + 5);
}

//# accept: of double: int of scalars, long of vectors
//# requires: fp64
//# expect: 4 16 1 1 1 1
kernel void test(global uint *out) {
    double zero = out[0];
    double2 v = (double2)(1, NAN) + zero;
    out[0] = sizeof(isequal(zero, zero));
    out[1] = sizeof(isequal(v, v));
    out[2] = isequal(zero, -zero);
    out[3] = all(isnan(v) == (long2)(0, -1));
    out[4] = all(isless(v, (double2)(2)) == (long2)(-1, 0));
    out[5] = signbit(-1 + zero);
}

//# accept: of half: int of scalars, short of vectors
//# requires: cl_khr_fp16
//# expect: 4 4 1 1
kernel void test(global uint *out) {
    half zero = out[0];
    half2 v = (half2)(1, NAN) + zero;
    out[0] = sizeof(isequal(zero, zero));
    out[1] = sizeof(isequal(v, v));
    out[2] = all(isnan(v) == (short2)(0, -1));
    out[3] = signbit(-1 + zero);
}

//# accept: any: whether a most significant bit is set
//# expect: 1 0 1 0 1 0 1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = any((int2)(1, -1) + zero);
    out[1] = any((int2)(1, 0x7fffffff) + zero);
    out[2] = any((char3)(0, 0, -128) + (char)zero);
    out[3] = any((short16)(1));
    out[4] = any(LONG_MIN + zero);
    out[5] = any(1 + zero);
    out[6] = any((char)(-1 + zero));
}

//# accept: all: whether all are; the fourth of a vector of three does not count
//# expect: 1 0 1 0 1 0
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = all((int2)(-1, INT_MIN) + zero);
    out[1] = all((int2)(-1, 1) + zero);
    out[2] = all((char3)(-1) + (char)zero);
    out[3] = all((long8)(1));
    out[4] = all((short)(-1 + zero));
    out[5] = all(1 + zero);
}

//# accept: bitselect takes bits of b where c has ones
//# expect: 0x12cd56ef 0x3c 0x40400000 1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = bitselect(0x12345678 + zero, (int)0xabcdef, 0x00ff00ff);
    out[0] = bitselect(0x12345678u + zero, 0xabcdefefu, 0x00ff00ffu);
    out[1] = bitselect((uchar)(0x30 + zero), (uchar)0xfc, (uchar)0x0f);
    float r = bitselect(as_float(0x40000000 + zero), as_float(0x00400000), as_float(0x00400000));
    out[2] = as_uint(r);
    out[3] = all(bitselect((ulong2)(1, 2) + (ulong)zero, (ulong2)(3, 4), (ulong2)(0, ~0UL)) == (ulong2)(1, 4));
}

//# accept: select of scalars: c ? b : a
//# expect: 2 1 2 2f
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = select(1, 2, 1 + zero);
    out[1] = select(1, 2, zero);
    out[2] = select(1u, 2u, 1u + zero);
    ((global float *)out)[3] = select(1.0f, 2.0f, 1 + zero);
}

//# accept: select of vectors: by the most significant bit
//# expect: 1 20 3 1f 20f 3f
kernel void test(global uint *out) {
    int3 c = (int3)(1, -1, 0x7fffffff) + (int)out[0];
    vstore3(select((uint3)(1, 2, 3), (uint3)(10, 20, 30), c), 0, out);
    vstore3(select((float3)(1, 2, 3), (float3)(10, 20, 30), as_uint3(c)), 1, (global float *)out);
}

//# accept: select of every width of elements
//# expect: 2 2 1
kernel void test(global uint *out) {
    int zero = out[0];
    out[0] = select((char2)(1), (char2)(2), (uchar2)(128) + (uchar)zero).x;
    out[1] = select((ushort4)(1), (ushort4)(2), (short4)(-1) + (short)zero).w;
    out[2] = all(select((long2)(1), (long2)(2), (ulong2)(1, ~0UL) + (ulong)zero) == (long2)(1, 2));
}

//# reject: both arguments are of one type
//# error: 4: no matching function for call to 'isequal'
//# error: 5: no matching function for call to 'isless'
//# error: 6: no matching function for call to 'isordered'
kernel void test(global uint *out) {
    float2 a = (float2)(1);
    float4 b = (float4)(1);
    int r = all(isequal(a, b));
    r = all(isless(b, a));
    r = all(isordered(a, b));
}

//# reject: the number of arguments is that of the table
//# error: 2: no matching function for call to 'isnan'
//# error: 3: no matching function for call to 'isequal'
//# error: 4: no matching function for call to 'any'
//# error: 5: no matching function for call to 'select'
kernel void test(global uint *out) {
    out[0] = isnan();
    out[0] = isequal(1.0f);
    out[0] = any((int2)(1), (int2)(2));
    out[0] = select(1, 2);
}

//# reject: vectors of integers have operators, not these functions
//# error: 3: no matching function for call to 'isequal'
//# error: 4: no matching function for call to 'isnan'
kernel void test(global uint *out) {
    int2 v = (int2)(1);
    v = isequal(v, v);
    v = isnan(v);
}

//# reject: any and all are of signed integers
//# error: 3: no matching function for call to 'any'
//# error: 4: no matching function for call to 'all'
kernel void test(global uint *out) {
    uint2 u = (uint2)(1); float2 f = (float2)(1);
    out[0] = any(u);
    out[1] = all(f);
}

//# reject: the selector has as many elements, and as wide ones, as what is selected
//# error: 3: no matching function for call to 'select'
//# error: 4: no matching function for call to 'select'
//# error: 5: no matching function for call to 'select'
kernel void test(global uint *out) {
    float4 f = (float4)(1); int2 i = (int2)(1); short4 s = (short4)(1);
    f = select(f, f, i);
    f = select(f, f, s);
    f = select(f, f, f);
}

//# reject: bitselect is of three equal types
//# error: 3: no matching function for call to 'bitselect'
kernel void test(global uint *out) {
    float4 f = (float4)(1); int4 i = (int4)(1);
    f = bitselect(f, f, i);
}

//# reject: pointers cannot be told apart so
//# error: 2: no matching function for call to 'isequal'
//# error: 3: no matching function for call to 'select'
kernel void test(global uint *out) {
    out[0] = isequal(out, out);
    out = select(out, out, 1);
}
