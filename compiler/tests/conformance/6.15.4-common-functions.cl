//! 6.15.4 Common Functions

//# accept: clamp is fmin(fmax(x, minval), maxval); vectors by scalars too
//# expect: 1f 2f 1.5f 1f 2f 1.5f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = clamp(0.5f + zero, 1.0f, 2.0f);
    f[1] = clamp(INFINITY + zero, 1.0f, 2.0f);
    f[2] = clamp(1.5f + zero, 1.0f, 2.0f);
    vstore3(clamp((float3)(-1, 7, 1.5f) + zero, 1.0f, 2.0f), 1, f);
}

//# accept: degrees and radians
//# expect: 1 1 1 0f -0f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    out[0] = fabs(degrees(M_PI_F + zero) - 180) <= 2 * 0x1p-16f;
    out[1] = fabs(radians(180 + zero) - M_PI_F) <= 2 * 0x1p-22f;
    out[2] = all(fabs(radians((float2)(90, -90) + zero) - (float2)(M_PI_2_F, -M_PI_2_F)) < 0x1p-21f);
    f[3] = degrees(zero);
    f[4] = radians(copysign(zero, -1.0f));
}

//# accept: max and min; vectors with a scalar for the second
//# expect: 2f 1f 2f 2f 3f 1f 2f 2f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = max(1 + zero, 2.0f);
    f[1] = min(1 + zero, 2.0f);
    float3 v = (float3)(1, 2, 3) + zero;
    float3 a = max(v, 2.0f), b = min(v, 2.0f);
    vstore3(a, 0, f + 2);
    vstore3(b, 0, f + 5);
}

//# accept: mix is x + (y - x) * a; a may be a scalar beside vectors
//# expect: 1f 3f 2f 1.5f 3.5f 2f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = mix(1 + zero, 3.0f, 0.0f);
    f[1] = mix(1 + zero, 3.0f, 1.0f);
    f[2] = mix(1 + zero, 3.0f, 0.5f);
    float2 x = (float2)(1, 3) + zero, y = (float2)(3, 5);
    vstore2(mix(x, y, 0.25f), 0, f + 3);
    f[5] = mix(x, y, (float2)(0.5f, 0)).x;
}

//# accept: step is 0 where x < edge, else 1; the edge may be a scalar beside a vector
//# expect: 0f 1f 1f 0f 1f 1f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = step(2 + zero, 1.0f);
    f[1] = step(2 + zero, 2.0f);
    f[2] = step(2 + zero, 3.0f);
    vstore3(step(2 + zero, (float3)(1, 2, 3)), 1, f);
}

//# accept: smoothstep is a Hermite curve between the edges, which may be scalars beside a vector
//# expect: 0f 0.5f 1f 0f 0.15625f 1f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = smoothstep(1 + zero, 3.0f, 0.0f);
    f[1] = smoothstep(1 + zero, 3.0f, 2.0f);
    f[2] = smoothstep(1 + zero, 3.0f, 4.0f);
    vstore3(smoothstep(1 + zero, 3.0f, (float3)(1, 1.5f, 3)), 1, f);
}

//# accept: sign: 1, -1, zeros with their sign, +0 of NaN
//# expect: 1f -1f 0f -0f 0f 1f -1f
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    float zero = out[0];
    f[0] = sign(5 + zero);
    f[1] = sign(-0.5f + zero);
    f[2] = sign(zero);
    f[3] = sign(copysign(zero, -1.0f));
    f[4] = sign(NAN);
    vstore2(sign((float2)(INFINITY, -INFINITY) + zero), 0, f + 5);
}

//# accept: of double
//# requires: fp64
//# expect: 1 1 1 1 1
kernel void test(global uint *out) {
    double zero = out[0];
    out[0] = clamp(3 + zero, 1.0, 2.0) == 2 && all(clamp((double2)(0, 3) + zero, 1.0, 2.0) == (double2)(1, 2));
    out[1] = mix(1 + zero, 3.0, 0.5) == 2 && step(2 + zero, 1.0) == 0;
    out[2] = smoothstep(1 + zero, 3.0, 2.0) == 0.5 && sign(-2 + zero) == -1;
    out[3] = fabs(degrees(M_PI + zero) - 180) < 1e-12 && fabs(radians(180 + zero) - M_PI) < 1e-14;
    out[4] = max(1 + zero, 2.0) == 2 && all(min((double3)(1, 2, 3) + zero, 2.0) == (double3)(1, 2, 2));
}

//# accept: of half
//# requires: cl_khr_fp16
//# expect: 1 1 1 1
kernel void test(global uint *out) {
    half zero = out[0];
    out[0] = clamp(3 + zero, 1.0h, 2.0h) == 2 && all(clamp((half2)(0, 3) + zero, 1.0h, 2.0h) == (half2)(1, 2));
    out[1] = mix(1 + zero, 3.0h, 0.5h) == 2 && step(2 + zero, 1.0h) == 0;
    out[2] = smoothstep(1 + zero, 3.0h, 2.0h) == 0.5h && sign(-2 + zero) == -1;
    out[3] = max(1 + zero, 2.0h) == 2 && all(min((half3)(1, 2, 3) + zero, 2.0h) == (half3)(1, 2, 2));
}

//# reject: vectors are of one type
//# error: 4: no matching function for call to 'mix'
//# error: 5: no matching function for call to 'clamp'
//# error: 6: no matching function for call to 'smoothstep'
kernel void test(global uint *out) {
    float2 a = (float2)(1);
    float4 b = (float4)(1);
    a = mix(a, b, 0.5f);
    a = clamp(a, b, b);
    b = smoothstep(a, a, b);
}

//# reject: the number of arguments is that of the table
//# error: 2: no matching function for call to 'mix'
//# error: 3: no matching function for call to 'step'
//# error: 4: no matching function for call to 'sign'
//# error: 5: no matching function for call to 'degrees'
kernel void test(global uint *out) {
    float a = mix(1.0f, 2.0f);
    a = step(a);
    a = sign(a, a);
    a = degrees();
}

//# reject: integers as vectors are not converted
//# error: 3: no matching function for call to 'sign'
//# error: 4: no matching function for call to 'radians'
//# error: 5: no matching function for call to 'step'
kernel void test(global uint *out) {
    int2 i = (int2)(1);
    float2 a = sign(i);
    a = radians(i);
    a = step(a, i);
}

//# reject: pointers are no numbers
//# error: 2: no matching function for call to 'sign'
//# error: 3: no matching function for call to 'clamp'
kernel void test(global uint *out) {
    float a = sign(out);
    a = clamp(out, a, a);
}
