//! 6.15.13 Miscellaneous Vector Functions

//# accept: vec_step of scalars is 1, of vectors their components, 4 of three
//# expect: 1 2 4 4 8 16 1
kernel void test(global uint *out) {
    uint a; uint2 b; uint3 c; uint4 d; uint8 e; uint16 f; char g;
    out[0] = vec_step(a);
    out[1] = vec_step(b);
    out[2] = vec_step(c);
    out[3] = vec_step(d);
    out[4] = vec_step(e);
    out[5] = vec_step(f);
    out[6] = vec_step(g);
}

//# accept: of types, typedefs too
//# expect: 1 2 4 8 16 1
typedef float3 point;
kernel void test(global uint *out) {
    out[0] = vec_step(float);
    out[1] = vec_step(char2);
    out[2] = vec_step(point);
    out[3] = vec_step(ulong8);
    out[4] = vec_step(short16);
    out[5] = vec_step(ulong);
}

//# accept: its argument is not evaluated
//# expect: 4 1
kernel void test(global uint *out) {
    int i = 1;
    out[0] = vec_step((int4)(i++));
    out[1] = i;
}

//# accept: it is a constant expression
//# expect: 4
kernel void test(global uint *out) {
    int a[vec_step(int3)];
    out[0] = sizeof(a) / sizeof(a[0]);
}

//# accept: shuffle takes the elements that the mask tells
//# expect: 4 3 2 1
kernel void test(global uint *out) {
    uint4 v = (uint4)(1, 2, 3, 4) + out[0];
    vstore4(shuffle(v, (uint4)(3, 2, 1, 0)), 0, out);
}

//# accept: a longer and a shorter mask; elements may be taken twice
//# expect: 2 2 1 1 2 2 1 1 3 8
kernel void test(global uint *out) {
    uint2 v = (uint2)(1, 2) + out[0];
    vstore8(shuffle(v, (uint8)(1, 1, 0, 0, 1, 1, 0, 0)), 0, out);
    uint8 w = (uint8)(1, 2, 3, 4, 5, 6, 7, 8) + out[9];
    vstore2(shuffle(w, (uint2)(2, 7)), 4, out);
}

//# accept: of the mask's elements only the low bits count
//# expect: 2 1 2 1
kernel void test(global uint *out) {
    uint2 v = (uint2)(1, 2) + out[0];
    vstore4(shuffle(v, (uint4)(3, 0xfffffffe, 0x80000001, 4)), 0, out);
}

//# accept: a mask that is known only at run time
//# expect: 4 1 3 2
kernel void test(global uint *out) {
    uint4 v = (uint4)(1, 2, 3, 4), mask = (uint4)(3, 0, 2, 1) + out[0];
    vstore4(shuffle(v, mask), 0, out);
}

//# accept: shuffle2 numbers the elements through both vectors
//# expect: 1 2 3 4 5 6 7 8 1 8 4 5
kernel void test(global uint *out) {
    uint4 a = (uint4)(1, 2, 3, 4) + out[0], b = (uint4)(5, 6, 7, 8);
    vstore8(shuffle2(a, b, (uint8)(0, 1, 2, 3, 4, 5, 6, 7)), 0, out);
    vstore4(shuffle2(a, b, (uint4)(8, 7, 3, 12)), 2, out);
}

//# accept: elements of every width, the mask's as wide
//# expect: 1 1 1 1
kernel void test(global uint *out) {
    char4 c = (char4)(1, 2, 3, 4) + (char)out[0];
    short2 s = (short2)(1, 2); long2 l = (long2)(1, 2); float16 f = (float16)(1); f.sf = 2;
    out[0] = all(shuffle(c, (uchar4)(3, 2, 1, 0)) == (char4)(4, 3, 2, 1));
    out[1] = all(shuffle(s, (ushort2)(1, 0)) == (short2)(2, 1));
    out[2] = all(shuffle2(l, l + 2, (ulong2)(3, 0)) == (long2)(4, 1));
    out[3] = all(shuffle(f, (uint2)(15, 0)) == (float2)(2, 1));
}

//# accept: of double
//# requires: fp64
//# expect: 1
kernel void test(global uint *out) {
    double2 d = (double2)(1, 2) + (double)out[0];
    out[0] = all(shuffle(d, (ulong2)(1, 0)) == (double2)(2, 1));
}

//# accept: of half
//# requires: cl_khr_fp16
//# expect: 1
kernel void test(global uint *out) {
    half2 h = (half2)(1, 2) + (half)out[0];
    out[0] = all(shuffle(h, (ushort2)(1, 0)) == (half2)(2, 1));
}

//# reject: the mask's elements are as wide as those of the vectors
//# error: 3: no matching function for call to 'shuffle'
//# error: 4: no matching function for call to 'shuffle2'
kernel void test(global uint *out) {
    short8 s = (short8)(1); uint8 mask = (uint8)(1);
    s = shuffle(s, mask);
    s = shuffle2(s, s, mask);
}

//# reject: they are unsigned integers
//# error: 3: no matching function for call to 'shuffle'
//# error: 4: no matching function for call to 'shuffle'
kernel void test(global uint *out) {
    float4 f = (float4)(1); int4 i = (int4)(1);
    f = shuffle(f, i);
    f = shuffle(f, f);
}

//# reject: vectors have 2, 4, 8 or 16 components: not three, nor one
//# error: 3: no matching function for call to 'shuffle'
//# error: 4: no matching function for call to 'shuffle'
//# error: 5: no matching function for call to 'shuffle'
kernel void test(global uint *out) {
    uint3 v = (uint3)(1); uint4 w = (uint4)(1);
    w = shuffle(v, w);
    v = shuffle(w, v);
    out[0] = shuffle(w, 1u);
}

//# accept: a scalar beside a vector is widened, as by other compilers
//# warn: 4: argument of type 'int' is widened to 'uint4'
//# warn: 5: argument of type 'uint' is widened to 'uint2'
//# warn: 6: argument of type 'int' is widened to 'float2'
//# expect: 1 9 3 9 7 5 7 6 1
kernel void test(global uint *out) {
    uint4 a = (uint4)(0, 1, 2, 3) + out[0];
    uint2 b = (uint2)(5, 6); uint seven = 7 + out[0];
    vstore4(shuffle2(a, 9, (uint4)(1, 4, 3, 7)), 0, out);
    vstore4(shuffle2(seven, b, (uint4)(0, 2, 1, 3)), 1, out);
    out[8] = all(shuffle2((float2)(1, 2), 3, (uint2)(2, 1)) == (float2)(3, 2));
}

//# reject: two scalars are widened to nothing
//# error: 2: no matching function for call to 'shuffle2'
kernel void test(global uint *out) {
    uint2 a = shuffle2(1u, 2u, (uint2)(1, 0));
}

//# reject: both vectors of shuffle2 are of one type
//# error: 3: no matching function for call to 'shuffle2'
kernel void test(global uint *out) {
    uint4 a = (uint4)(1); uint2 b = (uint2)(1);
    a = shuffle2(a, b, a);
}

//# reject: the result has the mask's length and the vector's elements
//# error: 4: 'short8'
kernel void test(global uint *out) {
    ushort8 mask = (ushort8)(1);
    short16 a = (short16)(1);
    short16 b = shuffle(a, mask);
}

//# reject: the number of arguments
//# error: 3: too few arguments to function call, expected 2, have 1
//# error: 4: too few arguments to function call, expected 3, have 2
kernel void test(global uint *out) {
    uint4 a = (uint4)(1);
    a = shuffle(a);
    a = shuffle2(a, a);
}

//# reject: vec_step is of scalars and vectors
//# error: 3: 'vec_step' requires built-in scalar or vector type
//# error: 4: 'vec_step' requires built-in scalar or vector type
kernel void test(global uint *out) {
    struct s { int a; } x;
    out[0] = vec_step(x);
    out[1] = vec_step(out);
}

//# reject: shuffle requires OpenCL C 1.1
//# options: -cl-std=CL1.0
//# error: 3: implicit declaration of function 'shuffle' is invalid
kernel void test(global uint *out) {
    uint4 a = (uint4)(1);
    a = shuffle(a, a);
}
