//! 6.3.4 Reserved Data Types

//# reject: quad, bool vectors and matrices are no types
//# error: 2: unknown type name 'quad'
//# error: 3: unknown type name 'bool4'
//# error: 4: unknown type name 'float2x2'
//# error: 5: unknown type name 'double4x3'
kernel void test(global uint *out) {
    quad a;
    bool4 b;
    float2x2 c;
    double4x3 d;
}

//# reject: complex and imaginary numbers are not supported
//# error: 2: '_Complex' is not supported in OpenCL
//# error: 3: '_Imaginary' is not supported in OpenCL
kernel void test(global uint *out) {
    _Complex float a;
    _Imaginary float b;
}

//# reject: long double is not supported
//# error: 2: 'long double' is not supported in OpenCL C
kernel void test(global uint *out) {
    long double a;
}

//# accept: the reserved names are reserved as names of types alone
//# expect: 7
kernel void test(global uint *out) {
    int quad = 3, int5 = 4;
    out[0] = quad + int5;
}
