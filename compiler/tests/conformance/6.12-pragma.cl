//! 6.12 The #pragma directive

//# accept: FP_CONTRACT OFF: a product is rounded before it is added
//# expect: 0x00000000
#pragma OPENCL FP_CONTRACT OFF
kernel void test(global uint *out) {
    volatile float x = 1.00024414f;
    float a = x;
    float square = a * a;
    out[0] = as_uint(a * a - square);
}

//# accept: FP_CONTRACT ON and DEFAULT allow to contract
//# expect: 7.0f 7.0f
#pragma OPENCL FP_CONTRACT ON
float f(float a, float b, float c) { return a * b + c; }
#pragma OPENCL FP_CONTRACT DEFAULT
kernel void test(global uint *out) {
    out[0] = as_uint(f(2.0f, 3.0f, 1.0f));
    out[1] = as_uint(2.0f * 3.0f + 1.0f);
}

//# accept: FP_CONTRACT may stand first in a compound statement
//# expect: 0x00000000 1
kernel void test(global uint *out) {
    volatile float x = 1.00024414f;
    {
        #pragma OPENCL FP_CONTRACT OFF
        float a = x;
        float square = a * a;
        out[0] = as_uint(a * a - square);
    }
    out[1] = 1;
}

//# accept: FP_CONTRACT is on, off or default
//# warn: 1: expected 'ON' or 'OFF' or 'DEFAULT' in pragma
//# expect: 1
#pragma OPENCL FP_CONTRACT MAYBE
kernel void test(global uint *out) { out[0] = 1; }

//# accept: a pragma after OPENCL is not expanded
//# expect: 0x00000000
#define OFF ON
#define FP_CONTRACT NOTHING
#pragma OPENCL FP_CONTRACT OFF
kernel void test(global uint *out) {
    volatile float x = 1.00024414f;
    float a = x;
    float square = a * a;
    out[0] = as_uint(a * a - square);
}

//# accept: a pragma that nobody knows is ignored
//# warn: 1: unknown pragma ignored
//# warn: 3: unknown pragma ignored
//# expect: 1
#pragma something to be ignored
kernel void test(global uint *out) {
#pragma vendor specific
    out[0] = 1;
}

//# accept: -w says nothing of it
//# options: -w
//# expect: 1
#pragma something to be ignored
kernel void test(global uint *out) { out[0] = 1; }

//# reject: -Werror makes an error of it
//# options: -Werror
//# error: 1: unknown pragma ignored
#pragma something to be ignored
kernel void test(global uint *out) { out[0] = 1; }

//# accept: an empty pragma does nothing
//# warn: 1: unknown pragma ignored
//# expect: 1
#pragma
kernel void test(global uint *out) { out[0] = 1; }

//# accept: _Pragma is the same as a line of its own
//# expect: 0x00000000
#define STRICT _Pragma("OPENCL FP_CONTRACT OFF")
STRICT
kernel void test(global uint *out) {
    volatile float x = 1.00024414f;
    float a = x;
    float square = a * a;
    out[0] = as_uint(a * a - square);
}

//# accept: _Pragma in the middle of a line, with a hint on unrolling
//# expect: 6
#define PRAGMA(x) _Pragma(#x)
kernel void test(global uint *out) {
    PRAGMA(unroll 2) for (int i = 0; i < 4; i++) out[0] += i;
}

//# reject: _Pragma takes a string
//# error: 1: _Pragma takes a parenthesized string literal
_Pragma(unroll)
kernel void test(global uint *out) { }

//# accept: #pragma unroll before a loop
//# expect: 28 28 28
kernel void test(global uint *out) {
#pragma unroll
    for (int i = 0; i < 8; i++) out[0] += i;
#pragma unroll 3
    for (int i = 0; i < 8; i++) out[1] += i;
#pragma nounroll
    for (int i = 0; i < 8; i++) out[2] += i;
}
