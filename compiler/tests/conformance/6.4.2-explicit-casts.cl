//! 6.4.2 Explicit Casts

//# accept: a cast converts the value: 1.0f is 1
//# expect: 0x3f800000 1 -7 200 0xffffffc8
kernel void test(global uint *out) {
    float f = 1.0f + out[0];
    out[0] = as_uint(f);
    out[1] = (int)f;
    out[2] = (int)(-7.9f * f);
    out[3] = (uchar)(200.9f * f);
    out[4] = (int)(char)200;
}

//# accept: casts among integers of all widths
//# expect: -1 255 65535 0xffffffff 0 0xfe 1
kernel void test(global uint *out) {
    int m = -1 + out[0];
    out[0] = (char)m;
    out[1] = (uchar)m;
    out[2] = (ushort)m;
    out[3] = (uint)((long)m >> 32);
    out[4] = (uint)((ulong)(uint)m >> 32);
    out[5] = (uchar)(short)-2;
    out[6] = (bool)(m - 1);
}

//# accept: a scalar cast to a vector goes to all components, as float
//# expect: 1f 1f 1f 1f 255f 255f
kernel void test(global uint *out) {
    float f = 1.0f;
    uchar u = 0xFF;
    vstore4((float4)f, 0, (global float *)out);
    vstore2(((float4)u).xw, 2, (global float *)out);
}

//# accept: casts to integer vectors round toward zero
//# expect: 2 2 -2 -2
kernel void test(global uint *out) {
    float f = 2.9f + out[0];
    vstore2((int2)f, 0, (global int *)out);
    vstore2((int2)-f, 1, (global int *)out);
}

//# accept: casts to floating-point vectors round to nearest even
//# expect: 16777216f 16777220f
kernel void test(global uint *out) {
    int i = 16777217 + out[0];
    out[0] = as_uint(((float2)i).x);
    out[1] = as_uint(((float2)(i + 2)).y);
}

//# accept: bool to an integer vector: true is -1
//# expect: 0xffffffff -1 0 -1 -1
kernel void test(global uint *out) {
    bool t = out[0] == 0, f = out[0] != 0;
    *(global uchar4 *)out = (uchar4)true;
    out[1] = ((int2)t).y;
    out[2] = ((int2)f).x;
    out[3] = ((short2)t).x;
    out[4] = (uint)((long2)t).x;
}

//# accept: bool to a floating-point vector: true is 1
//# expect: 1f 0f
kernel void test(global uint *out) {
    bool t = out[0] == 0;
    vstore2((float2)((float2)t).x - (float2)(0, 1), 0, (global float *)out);
}

//# accept: a cast to void drops the value
//# expect: 1
kernel void test(global uint *out) {
    int n = 0;
    (void)n++;
    out[0] = n;
}

//# accept: a vector cast to its own type
//# expect: 1 2
kernel void test(global uint *out) {
    uint2 v = (uint2)(1, 2);
    vstore2((uint2)v, 0, out);
}

//# accept: casts bind tighter than binary operators
//# expect: 3 2
kernel void test(global uint *out) {
    float f = 1.5f + out[0];
    out[0] = (int)(f * 2);
    out[1] = (int)f * 2;
}

//# reject: vectors are not cast to other vectors
//# error: 3: invalid conversion between ext-vector type 'uint4' and 'int4'
//# error: 4: invalid conversion between ext-vector type 'int4' and 'float4'
//# error: 5: invalid conversion between ext-vector type 'int8' and 'float4'
kernel void test(global uint *out) {
    int4 i = (int4)(1); float4 f = (float4)(1);
    uint4 u = (uint4)i;
    i = (int4)f;
    int8 j = (int8)f;
}

//# reject: vectors are not cast to scalars
//# error: 3: invalid conversion between vector type 'int4' and scalar type 'int'
kernel void test(global uint *out) {
    int4 i = (int4)(1);
    int j = (int)i;
}

//# reject: structs are not cast, nor anything to them
//# error: 3: operand of type 'struct s' where arithmetic or pointer type is required
//# error: 4: used type 'struct s' where arithmetic or pointer type is required
kernel void test(global uint *out) {
    struct s { int a; } x = {1};
    int j = (int)x;
    (struct s)j;
}

//# reject: pointers are not cast to floats, nor floats to pointers
//# error: 2: cannot cast from type '__global uint *' to type 'float'
//# error: 3: cannot cast from type 'float' to type '__global uint *'
kernel void test(global uint *out) {
    float f = (float)out;
    out = (global uint *)f;
}
