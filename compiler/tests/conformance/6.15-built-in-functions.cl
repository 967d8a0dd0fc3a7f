//! 6.15 Built-in Functions

//# accept: arguments are converted as by assignment where that leaves one function
//# expect: 3f 5
kernel void test(global uint *out) {
    int nine = 9 + out[0];
    ((global float *)out)[0] = sqrt((float)nine);
    out[1] = clamp(nine, 1, 5);
}

//# accept: a program's own function hides the built-in one
//# expect: 42
uint popcount(uint x) {
    return x + 40;
}
kernel void test(global uint *out) {
    out[0] = popcount(2u);
}

//# accept: a variable of a built-in function's name hides it
//# expect: 5
kernel void test(global uint *out) {
    uint max = 5 + out[0];
    out[0] = max;
}

//# accept: calls with vectors are those of the components
//# expect: 2f 3f 4f
kernel void test(global uint *out) {
    float3 v = sqrt((float3)(4, 9, 16) + (float)out[0]);
    vstore3(v, 0, (global float *)out);
}

//# accept: a scalar beside vectors is widened where there is a form for it
//# expect: 2 2 3
kernel void test(global uint *out) {
    vstore3(max((uint3)(1, 2, 3) + out[0], 2u), 0, out);
}

//# accept: where there is none it is not the specification's: a warning
//# expect: 4f 9f
//# warn: 2: argument of type 'float' is widened to 'float2', which OpenCL C does not do here
kernel void test(global uint *out) {
    float2 r = pow((float2)(2, 3) + (float)out[0], 2.0f);
    vstore2(round(r), 0, (global float *)out);
}

//# reject: scalars alone do not become vectors
//# error: 2: no matching function for call to 'cross'
kernel void test(global uint *out) {
    float x = cross(1.0f, 2.0f).x;
}

//# reject: vectors of different types do not become one
//# error: 2: no matching function for call to 'fmax'
kernel void test(global uint *out) {
    float2 x = fmax((float2)(1), (float4)(1));
}

//# reject: the address of a built-in function is not taken
//# error: 2: taking address of function is not allowed
kernel void test(global uint *out) {
    out[0] = (ulong)sqrt;
}

//# reject: what is no function of the version and of the device is not declared
//# error: 2: implicit declaration of function 'memcpy' is invalid
//# error: 3: implicit declaration of function 'malloc' is invalid
kernel void test(global uint *out) {
    memcpy(out, out, 4);
    malloc(4);
}
