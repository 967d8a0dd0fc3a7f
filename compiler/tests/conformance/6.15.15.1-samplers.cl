//! 6.15.15.1 Samplers

//# reject: samplers require image support: in program scope
//# requires: !images
//# error: 1: use of type 'sampler_t' requires image support which this device does not offer
constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
kernel void test(global uint *out) {}

//# reject: in a kernel's outermost scope
//# requires: !images
//# error: 2: use of type 'sampler_t' requires image support
kernel void test(global uint *out) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
}

//# reject: as parameters
//# requires: !images
//# error: 1: use of type 'sampler_t' requires image support
kernel void f(sampler_t s) {}
kernel void test(global uint *out) {}

//# accept: the constants of their fields are numbers that can be joined
//# expect: 1
kernel void test(global uint *out) {
    uint coordinates = CLK_NORMALIZED_COORDS_TRUE ^ CLK_NORMALIZED_COORDS_FALSE;
    uint filters = CLK_FILTER_NEAREST ^ CLK_FILTER_LINEAR;
    uint modes[] = {CLK_ADDRESS_NONE, CLK_ADDRESS_CLAMP_TO_EDGE, CLK_ADDRESS_CLAMP,
                    CLK_ADDRESS_REPEAT, CLK_ADDRESS_MIRRORED_REPEAT};
    uint distinct = coordinates != 0 && filters != 0 && (coordinates & filters) == 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++)
            distinct &= modes[i] != modes[j];
    out[0] = distinct;
}

//# accept: constants of program scope, of functions, and arguments
//# requires: images
//# expect: 4
constant sampler_t a = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
const sampler_t b = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
float4 read(image2d_t image, sampler_t sampler) {
    return read_imagef(image, sampler, (float2)(0.5f));
}
kernel void f(image2d_t image, sampler_t s, global float4 *out) {
    const sampler_t c = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    sampler_t d = a, e = s;
    *out = read(image, a) + read(image, b) + read(image, c) + read(image, d) + read(image, e) + read(image, s) +
           read_imagef(image, CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR, (float2)(1));
}
kernel void test(global uint *out) {
    out[0] = 4;
}

//# accept: a sampler that never has a value is declared, as by other compilers, and reads like one of zeros
//# requires: images
//# warn: 1: sampler 'a' has no value
//# warn: 3: sampler 'b' has no value
//# expect: 4
const sampler_t a;
kernel void f(read_only image2d_t image, global float4 *out) {
    sampler_t b;
    *out = read_imagef(image, a, (int2)(0)) + read_imagef(image, b, (int2)(0));
}
kernel void test(global uint *out) {
    out[0] = 4;
}

//# reject: nothing is assigned to a sampler
//# requires: images
//# warn: 2: sampler 'a' has no value
//# error: 3: invalid operands to binary expression ('sampler_t' and 'int')
//# error: 4: invalid operands to binary expression ('sampler_t' and 'sampler_t')
kernel void f(sampler_t s) {
    sampler_t a;
    a = CLK_ADDRESS_CLAMP;
    a = s;
}

//# reject: samplers of address spaces have a value
//# requires: images
//# error: 1: sampler_t variable must be initialized
//# error: 3: sampler_t variable must be initialized
constant sampler_t a;
kernel void f(int n) {
    constant sampler_t b;
}

//# reject: the initializer is an integer constant
//# requires: images
//# error: 1: sampler_t initialization requires 32-bit integer, not 'float'
//# error: 2: sampler_t variable must be initialized
//# error: 4: initializer element is not a compile-time constant
constant sampler_t a = 1.0f;
sampler_t b;
kernel void f(int n) {
    const sampler_t c = n;
}
kernel void test(global uint *out) {}

//# reject: samplers lie in no memory
//# requires: images
//# error: 2: sampler type cannot be used with the __local and __global address space qualifiers
//# error: 3: pointer to type 'sampler_t' is invalid in OpenCL
//# error: 4: array of 'sampler_t' type is invalid in OpenCL
//# error: 5: the 'sampler_t' type cannot be used to declare a structure or union field
kernel void f(sampler_t s) {
    local sampler_t a = 3;
    sampler_t *b;
    sampler_t c[2];
    struct t { sampler_t d; };
}
kernel void test(global uint *out) {}

//# reject: there is no arithmetic on samplers
//# requires: images
//# error: 2: invalid operands to binary expression ('sampler_t' and 'int')
//# error: 3: invalid operands to binary expression ('sampler_t' and 'sampler_t')
//# error: 4: invalid argument type 'sampler_t' to unary expression
kernel void f(sampler_t s, sampler_t t) {
    s | 1;
    s = t;
    &s;
}
kernel void test(global uint *out) {}
