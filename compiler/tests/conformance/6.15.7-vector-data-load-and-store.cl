//! 6.15.7 Vector Data Load and Store Functions

//# accept: vloadn reads n elements at p + offset * n; only the element's alignment is needed
//# expect: 3 4 4 5 6 5 6 7 8
kernel void test(global uint *out) {
    uchar bytes[20];
    for (int i = 0; i < 20; i++)
        bytes[i] = i + out[0];
    vstore2(convert_uint2(vload2(1, bytes + 1)), 0, out);
    vstore3(convert_uint3(vload3(1, bytes + 1)), 0, out + 2);
    vstore4(convert_uint4(vload4(1, bytes + 1)), 0, out + 5);
}

//# accept: vstoren writes n elements and no more: three of a vector of three
//# expect: 1 2 3 0 4 5 6
kernel void test(global uint *out) {
    vstore3((uint3)(1, 2, 3), 0, out);
    vstore3((uint3)(4, 5, 6), 1, out + 1);
}

//# accept: eight and sixteen
//# expect: 8 7 6 5 4 3 2 1 136
kernel void test(global uint *out) {
    ushort a[33];
    vstore16((ushort16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), 1, a);
    vstore8(convert_uint8(vload8(2, a).s76543210), 0, out);
    ushort16 v = vload16(1, a);
    uint sum = 0;
    for (int i = 0; i < 16; i++)
        sum += ((ushort *)&v)[i];
    out[8] = sum;
}

//# accept: every element type
//# expect: 1 1 1 1 1 1
kernel void test(global uint *out) {
    char c[4] = {-1, -2, -3, -4};
    short s[4] = {-1, -2, -3, -4};
    long l[4] = {-1, -2, -3, -4};
    ulong u[4] = {1, 2, 3, 4};
    float f[4] = {1, 2, 3, 4};
    out[0] = all(vload2(1, c) == (char2)(-3, -4));
    out[1] = all(vload4(0, s) == (short4)(-1, -2, -3, -4));
    out[2] = all(vload3(0, l + 1) == (long3)(-2, -3, -4));
    out[3] = all(vload2(0, u + 1) == (ulong2)(2, 3));
    out[4] = all(vload3(0, f) == (float3)(1, 2, 3));
    vstore2((ulong2)(7, 8), 1, u);
    out[5] = u[1] == 2 && u[2] == 7 && u[3] == 8;
}

//# accept: of double
//# requires: fp64
//# expect: 1
kernel void test(global uint *out) {
    double d[4] = {1, 2, 3, 4};
    vstore2((double2)(7, 8), 1, d);
    out[0] = all(vload3(0, d + 1) == (double3)(2, 7, 8));
}

//# accept: of half
//# requires: cl_khr_fp16
//# expect: 0x40003c00 0x44004200 1
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    vstore4((half4)(1, 2, 3, 4), 0, h);
    out[2] = all(vload3(0, h + 1) == (half3)(2, 3, 4));
}

//# accept: from global, local, constant and private memory, to all but constant
//# expect: 1 2 1 2 5 6 7 8
constant uint c[2] = {5, 6};
kernel void test(global uint *out) {
    local uint l[2];
    uint p[2];
    vstore2((uint2)(1, 2), 0, out);
    vstore2(vload2(0, out), 0, l);
    vstore2(vload2(0, l), 1, out);
    vstore2(vload2(0, c), 2, out);
    vstore2((uint2)(7, 8), 0, p);
    vstore2(vload2(0, p), 3, out);
}

//# accept: by generic pointers
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 1 2 3 1 2 3
uint3 load(const uint *p) {
    return vload3(0, p);
}
void store(uint3 v, uint *p) {
    vstore3(v, 0, p);
}
kernel void test(global uint *out) {
    local uint l[3];
    uint p[3];
    store((uint3)(1, 2, 3), p);
    store(load(p), l);
    store(load(l), out);
    store(load(out), out + 3);
}

//# accept: the offset is of type size_t, so that vectors beyond 32 bits can be told
//# expect: 3 4
kernel void test(global uint *out) {
    uint a[4] = {1, 2, 3, 4};
    size_t offset = 1 + out[0];
    vstore2(vload2(offset, a), 0, out);
}

//# accept: const and volatile memory is read
//# expect: 1 2 3 4
constant uint c[] = {1, 2};
kernel void test(global uint *out) {
    const uint p[2] = {3, 4};
    volatile global uint *v = out;
    vstore2(vload2(0, c), 0, v);
    vstore2(vload2(0, p), 1, v);
}

//# accept: vload_half reads a half at p + offset as a float
//# expect: 1f 65504f -0f inff 1
constant ushort bits[] = {0x3c00, 0x7bff, 0x8000, 0x7c00, 0x7e00};
kernel void test(global uint *out) {
    constant half *h = (constant half *)bits;
    global float *f = (global float *)out;
    for (int i = 0; i < 4; i++)
        f[i] = vload_half(i, h);
    out[4] = isnan(vload_half(4, h));
}

//# accept: vload_halfn reads n halfs at p + offset * n
//# expect: 3f 4f 4f 5f 6f 5f 6f 7f 8f
constant ushort bits[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800};
kernel void test(global uint *out) {
    constant half *h = (constant half *)bits;
    global float *f = (global float *)out;
    vstore2(vload_half2(1, h + 1), 0, f);
    vstore3(vload_half3(1, h + 1), 0, f + 2);
    vstore4(vload_half4(1, h + 1), 0, f + 5);
}

//# accept: eight and sixteen halfs
//# expect: 36f 136f
kernel void test(global uint *out) {
    ushort bits[16];
    half *h = (half *)bits;
    for (int i = 0; i < 16; i++)
        vstore_half(i + 1.0f, i, h);
    float8 a = vload_half8(0, h);
    float16 b = vload_half16(0, h);
    float4 s = a.lo + a.hi, t = b.lo.lo + b.lo.hi + b.hi.lo + b.hi.hi;
    ((global float *)out)[0] = s.x + s.y + s.z + s.w;
    ((global float *)out)[1] = t.x + t.y + t.z + t.w;
}

//# accept: vloada_half3 reads at p + offset * 4, vload_half3 at p + offset * 3
//# expect: 4f 5f 6f 3f 4f 5f
kernel void test(global uint *out) {
    uint words[4];
    half *h = (half *)words;
    for (int i = 0; i < 8; i++)
        vstore_half(i, i, h);
    global float *f = (global float *)out;
    vstore3(vloada_half3(1, h), 0, f);
    vstore3(vload_half3(1, h), 1, f);
}

//# accept: vloada_halfn for the other n are as vload_halfn
//# expect: 2f 3f 4f 5f 6f 7f
kernel void test(global uint *out) {
    uint words[4];
    half *h = (half *)words;
    for (int i = 0; i < 8; i++)
        vstore_half(i, i, h);
    global float *f = (global float *)out;
    vstore2(vloada_half2(1, h), 0, f);
    vstore4(vloada_half4(1, h), 0, f + 2);
}

//# accept: vstore_half rounds to nearest even without a mode, and as its mode says
//# expect: 0x3c003c00 0x3c013c00 0x00003c00
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    float x = 1.0f + 0x1p-11f + out[0];
    vstore_half(x, 0, h);
    vstore_half_rte(x, 1, h);
    vstore_half_rtz(x, 2, h);
    vstore_half_rtp(x, 3, h);
    vstore_half_rtn(x, 4, h);
}

//# accept: of a negative number
//# expect: 0xbc00bc00 0xbc00bc00 0x0000bc01
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    float x = -1.0f - 0x1p-11f + out[0];
    vstore_half(x, 0, h);
    vstore_half_rte(x, 1, h);
    vstore_half_rtz(x, 2, h);
    vstore_half_rtp(x, 3, h);
    vstore_half_rtn(x, 4, h);
}

//# accept: what is too large becomes infinity or the largest number, as the mode says
//# expect: 0x7c007c00 0x7c007bff 0xfc007bff 0xfbfffbff
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    float x = 65536.0f + out[0];
    vstore_half(x, 0, h);
    vstore_half_rte(x, 1, h);
    vstore_half_rtz(x, 2, h);
    vstore_half_rtp(x, 3, h);
    vstore_half_rtn(x, 4, h);
    vstore_half_rtn(-x, 5, h);
    vstore_half_rtp(-x, 6, h);
    vstore_half_rtz(-x, 7, h);
}

//# accept: what is too small becomes a denormal half or a zero with the sign
//# expect: 0x00010001 0x80000000 0x80010001
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    float x = 0x1p-24f + out[0], y = 0x1p-30f + out[0];
    vstore_half(x, 0, h);
    vstore_half_rtz(x, 1, h);
    vstore_half(y, 2, h);
    vstore_half_rte(-y, 3, h);
    vstore_half_rtp(y, 4, h);
    vstore_half_rtn(-y, 5, h);
}

//# accept: vstore_halfn writes n halfs at p + offset * n, vstorea_half3 at p + offset * 4
//# expect: 0x40003c00 0x3c004200 0x42004000 0 0x40003c00 0x4200
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    float3 v = (float3)(1, 2, 3);
    vstore_half3(v, 0, h);
    vstore_half3(v, 1, h);
    vstorea_half3(v, 1, h + 4);
}

//# accept: and in every rounding mode
//# expect: 0x3c013c00 0x3c003c00 0x3c003c00 0x3c003c00
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    float2 v = (float2)(1, 1 + 0x1p-11f) + (float)out[0];
    vstore_half2_rtp(v, 0, h);
    vstore_half2_rtn(v, 1, h);
    vstorea_half2_rtz(v, 2, h);
    vstorea_half2_rte(v, 3, h);
}

//# accept: of eight and sixteen
//# expect: 0x40003c00 0x44004200 0x46004500 0x48004700 0x40003c00
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    vstore_half8((float8)(1, 2, 3, 4, 5, 6, 7, 8), 0, h);
    uint words[8];
    vstorea_half16((float16)((float8)(1, 2, 3, 4, 5, 6, 7, 8), (float8)(0)), 0, (half *)words);
    out[4] = words[0];
}

//# accept: a double is rounded once, in each mode
//# requires: fp64
//# expect: 0x3c013c01 0x3c013c00 0x3c003c00 0x00003c00
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    double x = 1 + 0x1p-11 + 0x1p-40 + out[0];
    vstore_half(x, 0, h);
    vstore_half_rte(x, 1, h);
    vstore_half_rtz(x, 2, h);
    vstore_half_rtp(x, 3, h);
    vstore_half_rtn(x, 4, h);
    vstore_half2_rtn((double2)(x, 1), 1, h + 3);
}

//# accept: nor does what comes of a conversion to float on the way count, whatever the driver makes of it
//# requires: fp64
//# expect: 0x41014101 0x41014100 0xc1004100 0x00010001
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    double zero = out[0], x = 0x1.4020000000001p+1 + zero, y = 0x1.0000000000001p-25 + zero;
    vstore_half(x, 0, h);
    vstore_half_rte(x, 1, h);
    vstore_half_rtz(x, 2, h);
    vstore_half_rtp(x, 3, h);
    vstore_half_rtn(x, 4, h);
    vstore_half_rtp(-x, 5, h);
    vstore_half(y, 6, h);
    vstore_half_rtp(0x1p-1074 + zero, 7, h);
}

//# reject: the pointer points to the element, not to the vector
//# error: 3: no matching function for call to 'vload4'
//# error: 4: no matching function for call to 'vstore4'
kernel void test(global uint *out) {
    global uint4 *p = (global uint4 *)out;
    uint4 v = vload4(0, p);
    vstore4(v, 0, p);
}

//# reject: nothing is stored to constant or const memory
//# error: 4: no matching function for call to 'vstore2'
//# error: 5: no matching function for call to 'vstore2'
constant uint c[2] = {1, 2};
kernel void test(global uint *out) {
    const uint p[2] = {1, 2};
    vstore2((uint2)(1), 0, c);
    vstore2((uint2)(1), 0, p);
}

//# reject: the data has as many components as the function's name says
//# error: 2: no matching function for call to 'vstore4'
//# error: 3: no matching function for call to 'vstore3'
kernel void test(global uint *out) {
    vstore4((uint2)(1), 0, out);
    vstore3((uint4)(1), 0, out);
}

//# reject: and the element type that the pointer points to
//# error: 3: no matching function for call to 'vstore2'
//# error: 4: no matching function for call to 'vstore2'
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    vstore2((uint2)(1), 0, f);
    vstore2((int2)(1), 0, out);
}

//# reject: the number of arguments is that of the table
//# error: 2: no matching function for call to 'vload2'
//# error: 3: no matching function for call to 'vstore2'
//# error: 4: no matching function for call to 'vload_half'
kernel void test(global uint *out) {
    uint2 v = vload2(out);
    vstore2(v, out);
    vload_half((global half *)out);
}

//# reject: there are functions of 2, 3, 4, 8 and 16 elements
//# error: 2: implicit declaration of function 'vload5' is invalid
//# error: 3: implicit declaration of function 'vload1' is invalid
//# error: 4: implicit declaration of function 'vstore32' is invalid
kernel void test(global uint *out) {
    uint2 v = vload5(0, out);
    v = vload1(0, out);
    vstore32(v, 0, out);
}

//# reject: vload_half and its kin read halfs
//# error: 2: no matching function for call to 'vload_half'
//# error: 3: no matching function for call to 'vstore_half'
//# error: 4: no matching function for call to 'vloada_half4'
kernel void test(global uint *out) {
    float f = vload_half(0, out);
    vstore_half(f, 0, (global ushort *)out);
    vloada_half4(0, (global float *)out);
}

//# reject: vstore_half takes floats and, where there are doubles, doubles; no vectors of integers
//# error: 3: no matching function for call to 'vstore_half2'
//# error: 4: no matching function for call to 'vstore_half'
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    vstore_half2((int2)(1), 0, h);
    vstore_half((float2)(1), 0, h);
}

//# reject: loads have no rounding modes, and there are but four
//# error: 3: implicit declaration of function 'vload_half_rte' is invalid
//# error: 4: implicit declaration of function 'vstore_half_rtx' is invalid
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    float f = vload_half_rte(0, h);
    vstore_half_rtx(f, 0, h);
}

//# reject: vectors of three require OpenCL C 1.1
//# options: -cl-std=CL1.0
//# error: 2: implicit declaration of function 'vload3' is invalid
//# error: 3: implicit declaration of function 'vstore3' is invalid
kernel void test(global uint *out) {
    vload3(0, out);
    vstore3((uint4)(1), 0, out);
}

//# reject: generic pointers require OpenCL C 2.0 or later
//# options: -cl-std=CL1.2
//# error: 5: changes address space of pointer
uint2 load(const uint *p) {
    return vload2(0, p);
}
kernel void test(global uint *out) {
    vstore2(load(out), 0, out);
}

//# accept: vstore_half of a constant of double rounds once
//# requires: fp64
//# expect: 0x3c003c01 0x3c010001
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    vstore_half(1.0 + 0x1p-11 + 0x1p-40, 0, h);
    vstore_half(1.0 + 0x1p-11, 1, h);
    vstore_half(0x1p-25 + 0x1p-70, 2, h);
    vstore_half_rtp(1.0 + 0x1p-52, 3, h);
}

//# accept: vstore_half of a double rounds once
//# requires: fp64
//# expect: 0x3c003c01 0x3c010001
kernel void test(global uint *out) {
    double zero = out[0];
    global half *h = (global half *)out;
    vstore_half(zero + (1.0 + 0x1p-11 + 0x1p-40), 0, h);
    vstore_half(zero + (1.0 + 0x1p-11), 1, h);
    vstore_half(zero + (0x1p-25 + 0x1p-70), 2, h);
    vstore_half_rtp(zero + (1.0 + 0x1p-52), 3, h);
}
