//! 6.3.2 Built-in Vector Data Types, of half (cl_khr_fp16)

//# accept: vectors of 2, 3, 4, 8 and 16 halfs, their sizes and alignments
//# requires: cl_khr_fp16
//# expect: 4 8 8 16 32 8
kernel void test(global uint *out) {
    out[0] = sizeof(half2);
    out[1] = sizeof(half3);
    out[2] = sizeof(half4);
    out[3] = sizeof(half8);
    out[4] = sizeof(half16);
    struct s { half a; half4 b; };
    out[5] = __builtin_offsetof(struct s, b);
}

//# accept: literals, components and swizzles
//# requires: cl_khr_fp16
//# expect: 0x42004000 0x3c004400 0x44003c00
kernel void test(global uint *out) {
    half4 v = (half4)(1, 2, 3, 4) + (half)(int)out[0];
    global half *h = (global half *)out;
    vstore4((half4)(v.yz, v.wx), 0, h);
    half2 ends = v.s03;
    v.even = v.odd;
    h[4] = ends.x;
    h[5] = v.s2;
}

//# accept: loads and stores of vectors in memory
//# requires: cl_khr_fp16
//# expect: 0x40003c00 0x42003c00
kernel void test(global uint *out) {
    global half2 *p = (global half2 *)out;
    p[0] = (half2)(1, 2);
    p[1] = p[0];
    p[1].y += 1;
}

//# reject: without cl_khr_fp16 there are none
//# requires: !cl_khr_fp16
//# error: 2: half
//# error: 3: half
kernel void test(global uint *out) {
    half2 a;
    global half4 *b = (global half4 *)out;
}
