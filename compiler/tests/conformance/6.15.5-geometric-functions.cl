//! 6.15.5 Geometric Functions

//# accept: cross of three components; of four the last of the result is 0
//# expect: 1 1 -3f 6f -3f 0f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    out[0] = all(cross((float3)(1, 0, 0) + zero, (float3)(0, 1, 0)) == (float3)(0, 0, 1));
    out[1] = all(cross((float3)(0, 1, 0) + zero, (float3)(1, 0, 0)) == (float3)(0, 0, -1));
    vstore4(cross((float4)(1, 2, 3, 9) + zero, (float4)(4, 5, 6, 9)), 0, f + 2);
}

//# accept: dot of one to four components
//# expect: 6f 11f 32f 70f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = dot(2 + zero, 3.0f);
    f[1] = dot((float2)(1, 2) + zero, (float2)(3, 4));
    f[2] = dot((float3)(1, 2, 3) + zero, (float3)(4, 5, 6));
    f[3] = dot((float4)(1, 2, 3, 4) + zero, (float4)(5, 6, 7, 8));
}

//# accept: length, without overflow or underflow on the way
//# expect: 3f 5f 3f 1 1 inff
#define NEAR(x, y) (fabs((x) - (y)) <= 8 * 0x1p-23f * fabs(y))
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = length(-3 + zero);
    f[1] = length((float2)(3, 4) + zero);
    f[2] = length((float3)(1, 2, 2) + zero);
    out[3] = NEAR(length((float2)(3e30f, 4e30f) + zero), 5e30f);
    out[4] = NEAR(length((float4)(3e-30f, 4e-30f, 0, 0) + zero), 5e-30f);
    f[5] = length((float3)(1, INFINITY, 2) + zero);
}

//# accept: distance is the length of the difference
//# expect: 5f 5f 3f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = distance(2 + zero, 7.0f);
    f[1] = distance((float2)(1, 1) + zero, (float2)(4, 5));
    f[2] = distance((float4)(1, 2, 2, 0) + zero, (float4)(0));
}

//# accept: normalize: length 1, zero stays zero
//# expect: -1f 1 1 0f 0f 0f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = normalize(-7 + zero);
    float2 a = normalize((float2)(3, 4) + zero);
    out[1] = fabs(a.x - 0.6f) < 0x1p-22f && fabs(a.y - 0.8f) < 0x1p-22f;
    float3 b = normalize((float3)(3e30f, 0, 4e30f) + zero);
    out[2] = fabs(b.x - 0.6f) < 0x1p-21f && b.y == 0 && fabs(b.z - 0.8f) < 0x1p-21f;
    vstore3(normalize((float3)(0) + zero), 1, f);
}

//# accept: fast_length, fast_distance and fast_normalize to 8192 ulp
//# expect: 1 1 1 1
kernel void test(global uint *out) {
    float zero = out[0];
    out[0] = fabs(fast_length((float2)(3, 4) + zero) - 5) < 0.01f;
    out[1] = fabs(fast_distance((float3)(1, 2, 3) + zero, (float3)(1, 5, 7)) - 5) < 0.01f;
    float4 a = fast_normalize((float4)(3, 0, 4, 0) + zero);
    out[2] = all(fabs(a - (float4)(0.6f, 0, 0.8f, 0)) < 0.001f);
    out[3] = all(fast_normalize((float2)(0) + zero) == 0);
}

//# accept: of double
//# requires: fp64
//# expect: 1 1 1 1
kernel void test(global uint *out) {
    double zero = out[0];
    out[0] = dot((double3)(1, 2, 3) + zero, (double3)(4, 5, 6)) == 32;
    out[1] = length((double2)(3, 4) + zero) == 5 && distance((double2)(1, 1) + zero, (double2)(4, 5)) == 5;
    out[2] = all(cross((double3)(1, 0, 0) + zero, (double3)(0, 1, 0)) == (double3)(0, 0, 1));
    out[3] = fabs(normalize((double4)(3, 4, 0, 0) + zero).y - 0.8) < 1e-15;
}

//# accept: of half
//# requires: cl_khr_fp16
//# expect: 1 1 1
kernel void test(global uint *out) {
    half zero = out[0];
    out[0] = dot((half3)(1, 2, 3) + zero, (half3)(4, 5, 6)) == 32;
    out[1] = length((half2)(3, 4) + zero) == 5 && distance((half2)(1, 1) + zero, (half2)(4, 5)) == 5;
    out[2] = all(cross((half3)(1, 0, 0) + zero, (half3)(0, 1, 0)) == (half3)(0, 0, 1));
}

//# reject: vectors have at most four components
//# error: 3: no matching function for call to 'dot'
//# error: 4: no matching function for call to 'length'
//# error: 5: no matching function for call to 'normalize'
kernel void test(global uint *out) {
    float8 v = (float8)(1);
    float a = dot(v, v);
    a = length((float16)(1));
    v = normalize(v);
}

//# reject: cross is of three or four components
//# error: 3: no matching function for call to 'cross'
//# error: 4: no matching function for call to 'cross'
kernel void test(global uint *out) {
    float2 a = (float2)(1);
    a = cross(a, a);
    float b = cross(b, b);
}

//# reject: both arguments are of one type
//# error: 4: no matching function for call to 'dot'
//# error: 5: no matching function for call to 'distance'
//# error: 6: no matching function for call to 'cross'
kernel void test(global uint *out) {
    float2 a = (float2)(1);
    float3 b = (float3)(1);
    float c = dot(a, b);
    c = distance(b, a);
    b = cross(b, (float4)(1));
}

//# reject: the number of arguments is that of the table
//# error: 3: no matching function for call to 'dot'
//# error: 4: no matching function for call to 'length'
//# error: 5: no matching function for call to 'normalize'
kernel void test(global uint *out) {
    float2 a = (float2)(1);
    float b = dot(a);
    b = length(a, a);
    a = normalize();
}

//# reject: vectors of integers are not converted
//# error: 3: no matching function for call to 'length'
//# error: 4: no matching function for call to 'normalize'
kernel void test(global uint *out) {
    int3 i = (int3)(1);
    float a = length(i);
    float3 b = normalize(i);
}

//# reject: the fast ones are of float alone
//# requires: fp64
//# error: 3: no matching function for call to 'fast_length'
//# error: 4: no matching function for call to 'fast_normalize'
kernel void test(global uint *out) {
    double2 d = (double2)(1);
    double a = fast_length(d);
    d = fast_normalize(d);
}
