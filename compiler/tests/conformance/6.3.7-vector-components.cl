//! 6.3.7 Vector Components

//# accept: .xyzw address the components of a vector
//# expect: 1 2 3 4 5 6
kernel void test(global uint *out) {
    int4 a = (int4)(1, 2, 3, 4);
    char2 b = (char2)(5, 6);
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
    out[3] = a.w;
    out[4] = b.x;
    out[5] = b.y;
}

//# accept: vectors of 3 have .xyz; those of 8 and 16 have .xyzw for the first four
//# expect: 3 4 12
kernel void test(global uint *out) {
    uint3 a = (uint3)(1, 2, 3);
    uint8 b = (uint8)(1, 2, 3, 4, 5, 6, 7, 8);
    ulong16 c = (ulong16)(12);
    out[0] = a.z;
    out[1] = b.w;
    out[2] = (uint)c.w;
}

//# accept: .rgba in OpenCL C 3.0
//# options: -cl-std=CL3.0
//# expect: 1 2 3 4 4 3 9
kernel void test(global uint *out) {
    int4 a = (int4)(1, 2, 3, 4);
    out[0] = a.r;
    out[1] = a.g;
    out[2] = a.b;
    out[3] = a.a;
    int2 b = a.ab;
    out[4] = b.r;
    out[5] = b.g;
    a.gr = (int2)(8, 9);
    out[6] = a.x;
}

//# accept: .rgba before OpenCL C 3.0 warns
//# options: -cl-std=CL1.2
//# warn: 3: vector component name 'g' is a feature from OpenCL version 3.0 onwards
//# expect: 2
kernel void test(global uint *out) {
    int2 a = (int2)(1, 2);
    out[0] = a.g;
}

//# reject: components beyond those declared
//# error: 3: vector component access exceeds type 'float2'
//# error: 4: vector component access exceeds type 'float3'
//# error: 5: vector component access exceeds type 'int4'
//# error: 6: vector component access exceeds type 'int8'
kernel void test(global uint *out) {
    float2 a; float3 b; int4 c; int8 d;
    a.z = 1.0f;
    b.w = 1.0f;
    c.s4 = 1;
    d.s8 = 1;
}

//# accept: several components by their names appended, on both sides
//# expect: 3 4 5 4 1 2 3 5
kernel void test(global uint *out) {
    uint4 c;
    c.xyzw = (uint4)(1, 2, 3, 4);
    uint4 d = c;
    d.z = 5;
    c.xy = (uint2)(3, 4);
    c.z = d.z;
    vstore4(c, 0, out);
    c.xyz = (uint3)(1, 2, 3);
    c.w = 5;
    vstore4(c, 1, out);
}

//# accept: components are permuted and replicated
//# expect: 4 3 2 1 1 1 2 2
kernel void test(global uint *out) {
    uint4 pos = (uint4)(1, 2, 3, 4);
    vstore4(pos.wzyx, 0, out);
    vstore4(pos.xxyy, 1, out);
}

//# accept: permuted components as targets of assignments
//# expect: 5 2 3 6 8 2 3 7
kernel void test(global uint *out) {
    uint4 pos = (uint4)(1, 2, 3, 4);
    pos.xw = (uint2)(5, 6);
    vstore4(pos, 0, out);
    pos.wx = (uint2)(7, 8);
    vstore4(pos, 1, out);
}

//# accept: a swap through components reads before it writes
//# expect: 4 3 2 1
kernel void test(global uint *out) {
    uint4 v = (uint4)(1, 2, 3, 4);
    v.xyzw = v.wzyx;
    vstore4(v, 0, out);
}

//# accept: compound assignment, increment and scalars on chosen components
//# expect: 11 2 13 5 9 9 13 8
kernel void test(global uint *out) {
    uint4 v = (uint4)(1, 2, 3, 4);
    v.xz += 10;
    v.w++;
    vstore4(v, 0, out);
    v.yx = 9;
    v.w = 8;
    vstore4(v, 1, out);
}

//# reject: numeric indices are not mixed with letters, nor letters of two sets
//# options: -cl-std=CL3.0
//# error: 3: illegal vector component name
//# error: 4: illegal vector component name
//# error: 5: illegal vector component name
kernel void test(global uint *out) {
    float4 f, a;
    a = f.x12w;
    a.xy = f.xg;
    a.xy = f.s0x;
}

//# reject: a duplicated component is no target
//# error: 3: vector is not assignable (contains duplicate components)
//# error: 4: vector is not assignable (contains duplicate components)
//# error: 5: vector is not assignable (contains duplicate components)
kernel void test(global uint *out) {
    float4 pos;
    pos.xx = (float2)(3.0f, 4.0f);
    pos.s0102 = pos;
    pos.xyx += 1.0f;
}

//# reject: the value has as many components as the target
//# error: 3: assigning to 'float2' from incompatible type 'float4'
//# error: 4: assigning to 'float' from incompatible type 'float2'
kernel void test(global uint *out) {
    float4 pos;
    pos.xy = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
    pos.x = pos.xy;
}

//# reject: a number of components that no vector has
//# error: 3: vector component access has invalid length 7
//# error: 4: vector component access has invalid length 5
kernel void test(global uint *out) {
    float4 a; float16 x;
    x = (float16)(a.xxxxxxx, a.xyz, a.xyz, a.xyz);
    x.s01234;
}

//# accept: a vector of 16 made from components of others
//# expect: 1 1 1 1 2 3 4 2 3 4 2 3 4 2 3 4
kernel void test(global uint *out) {
    uint4 a = (uint4)(1, 2, 3, 4), b = a + 1u - 1u;
    vstore16((uint16)(a.xxxx, b.yzw, a.yzw, b.yzw, a.yzw), 0, out);
}

//# accept: numeric indices after s or S, in either case, for each of 16 components
//# expect: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 10 11 12 13 14 15
kernel void test(global uint *out) {
    ushort16 x = (ushort16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    x += (ushort)out[0];
    uint a[] = {x.s0, x.s1, x.s2, x.s3, x.S4, x.S5, x.S6, x.S7, x.s8, x.s9, x.sa, x.sb, x.sc, x.sd,
                x.se, x.sf, x.sA, x.sB, x.SC, x.SD, x.sE, x.SF};
    for (int i = 0; i < 22; i++)
        out[i] = a[i];
}

//# accept: several numeric indices, and 8 and 16 of them
//# expect: 7 0 3 6 5 4 3 2 1 0 15 0
kernel void test(global uint *out) {
    uint8 v = (uint8)(0, 1, 2, 3, 4, 5, 6, 7);
    out[0] = v.s70.x;
    out[1] = v.s70.y;
    out[2] = v.s3333.w;
    vstore8(v.s65432107, 0, out + 3);
    uint16 w = v.s0123456776543210;
    out[10] = w.s7 + w.s8 + 1;
    out[11] = w.sf;
}

//# accept: .lo, .hi, .even and .odd are halves of a vector
//# expect: 1 2 3 4 1 3 2 4
kernel void test(global uint *out) {
    uint4 v = (uint4)(1, 2, 3, 4);
    vstore2(v.lo, 0, out);
    vstore2(v.hi, 1, out);
    vstore2(v.even, 2, out);
    vstore2(v.odd, 3, out);
}

//# accept: halves of halves down to a scalar
//# expect: 8 16 3 10
kernel void test(global uint *out) {
    uint16 v = (uint16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    out[0] = v.lo.hi.hi.hi;
    out[1] = v.odd.odd.odd.odd;
    out[2] = v.even.lo.odd.lo;
    out[3] = v.hi.odd.even.lo;
}

//# accept: halves of vectors of 2 are scalars
//# expect: 1 2 1 2
kernel void test(global uint *out) {
    long2 v = (long2)(1, 2);
    out[0] = (uint)v.lo;
    out[1] = (uint)v.hi;
    out[2] = (uint)v.even;
    out[3] = (uint)v.odd;
}

//# accept: halves of a vector of 3, as if it had a fourth component
//# expect: 1 2 3 1 3 2
kernel void test(global uint *out) {
    uint3 v = (uint3)(1, 2, 3);
    uint2 lo = v.lo, hi = v.hi, even = v.even, odd = v.odd;
    out[0] = lo.x;
    out[1] = lo.y;
    out[2] = hi.x;
    out[3] = even.x;
    out[4] = even.y;
    out[5] = odd.x;
}

//# accept: a value assigned to the upper half of a vector of 3 keeps its first component
//# expect: 1 2 8 7 9 8
kernel void test(global uint *out) {
    uint3 v = (uint3)(1, 2, 3);
    v.hi = (uint2)(8, 9);
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    v.even = (uint2)(7, 8);
    v.odd = (uint2)(9, 10);
    out[3] = v.x;
    out[4] = v.y;
    out[5] = v.z;
}

//# accept: halves as targets: interleaving
//# expect: 1 5 2 6 3 7 4 8
kernel void test(global uint *out) {
    uint8 v;
    v.even = (uint4)(1, 2, 3, 4);
    v.odd = (uint4)(5, 6, 7, 8);
    vstore8(v, 0, out);
}

//# accept: halves of halves as targets
//# expect: 1 20 3 4 5 6 7 80 20 80
kernel void test(global uint *out) {
    uint8 v = (uint8)(1, 2, 3, 4, 5, 6, 7, 8);
    v.lo.odd.lo = 20;
    v.hi.hi.y *= 10;
    vstore8(v, 0, out);
    out[8] = v.s1;
    out[9] = v.odd.hi.hi;
}

//# accept: components of components as targets, with operators
//# expect: 1 2 103 104 -5 6 -7 8
kernel void test(global uint *out) {
    int8 v = (int8)(1, 2, 3, 4, 5, 6, 7, 8);
    v.lo.hi += 100;
    v.hi.xz = -v.hi.xz;
    vstore8(v, 0, (global int *)out);
}

//# accept: transposing a 4x4 matrix by halves, in place
//# expect: 0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15
void transpose(uint4 m[4]) {
    uint16 x = (uint16)(m[0], m[1], m[2], m[3]);
    uint16 t;
    t.even = x.lo;
    t.odd = x.hi;
    x.even = t.lo;
    x.odd = t.hi;
    m[0] = x.lo.lo;
    m[1] = x.lo.hi;
    m[2] = x.hi.lo;
    m[3] = x.hi.hi;
}
kernel void test(global uint *out) {
    uint4 m[4];
    for (uint i = 0; i < 4; i++)
        m[i] = (uint4)(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
    transpose(m);
    for (int i = 0; i < 4; i++)
        vstore4(m[i], i, out);
}

//# accept: components in global memory: others are not touched
//# expect: 1 20 3 40 5
kernel void test(global uint *out) {
    for (int i = 0; i < 5; i++)
        out[i] = i + 1;
    global uint4 *g = (global uint4 *)out;
    g->yw = (uint2)(20, 40);
}

//# accept: components of bytes in global and local memory: others are not touched
//# expect: 0x04ff0201 0x01020304
kernel void test(global uint *out) {
    local uchar4 l;
    out[0] = 0x04030201;
    global uchar4 *g = (global uchar4 *)out;
    g->z = 255;
    l = (uchar4)(1, 2, 3, 4);
    l.xw = l.wx;
    l.lo.y = 3;
    l.hi.x = 2;
    g[1] = l;
}

//# accept: components of members of structs and of array elements
//# expect: 7 9
typedef struct { int a; float4 v[2]; } s;
kernel void test(global uint *out) {
    s x;
    int i = 1 + out[0];
    x.v[i].yz = (float2)(7, 8);
    x.v[i].hi.x += 1;
    out[0] = (uint)x.v[1].y;
    out[1] = (uint)x.v[1].z;
}

//# accept: a component by index, constant or not
//# expect: 3 4 9 1
kernel void test(global uint *out) {
    int4 v = (int4)(1, 2, 3, 4);
    int i = 3 + out[0];
    out[0] = v[2];
    out[1] = v[i];
    v[i - 2] = 9;
    out[2] = v.y;
    out[3] = v[0];
}

//# reject: the address of a component is not taken
//# error: 3: address of vector element requested
//# error: 4: address of vector element requested
//# error: 5: address of vector element requested
//# error: 6: address of vector element requested
//# error: 7: address of vector element requested
//# error: 8: address of vector element requested
kernel void test(global uint *out) {
    float8 vf;
    float *f = &vf.x;
    float2 *f2 = &vf.s07;
    float4 *odd = &vf.odd;
    float2 *high = &vf.even.hi;
    float2 *low = &vf.lo.lo;
    float *i = &vf[1];
}

//# reject: components of a scalar, and names that are none
//# error: 3: member reference base type 'float' is not a structure or union
//# error: 4: illegal vector component name
//# error: 5: illegal vector component name
//# error: 6: illegal vector component name
kernel void test(global uint *out) {
    float a; float4 b;
    a.x = 1;
    b.s = 1;
    b.q = 1;
    b.sg = 1;
}

//# reject: halves of scalars, which halves of halves end in
//# error: 3: member reference base type 'float' is not a structure or union
kernel void test(global uint *out) {
    float4 b;
    b.lo.lo.lo = 1;
}

//# reject: an index out of a vector's range
//# error: 3: vector component access exceeds type 'float4'
kernel void test(global uint *out) {
    float4 b;
    b[4] = 1;
}

//# reject: components of a value that is no object are not assigned to
//# error: 3: expression is not assignable
kernel void test(global uint *out) {
    float4 b;
    (b + b).x = 1;
}
