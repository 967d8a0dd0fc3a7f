//! 6.4.4.2 Reinterpreting Types Using as_type() and as_typen()

//# accept: as_type keeps the bits of scalars
//# expect: 1f 0x3f800000 -1 255 0xffff8000 0x8000
kernel void test(global uint *out) {
    uint zero = out[0];
    ((global float *)out)[0] = as_float(0x3f800000 + zero);
    out[1] = as_uint(1.0f + zero);
    out[2] = as_char((uchar)(255 + zero));
    out[3] = as_uchar((char)(-1 + zero));
    out[4] = as_short((ushort)(0x8000 + zero));
    out[5] = as_ushort((short)(-0x8000 + zero));
}

//# accept: as_type keeps the bits of NaNs
//# expect: 0x7fc12345 0xffc00001
kernel void test(global uint *out) {
    out[0] = as_uint(as_float(0x7fc12345 + out[0]));
    out[1] = as_uint(as_float(0xffc00001 + out[1]));
}

//# accept: as_typen keeps the bits of vectors
//# expect: 0x3f800000 0x40000000 0x40400000 0x40800000
kernel void test(global uint *out) {
    float4 f = (float4)(1.0f, 2.0f, 3.0f, 4.0f) + (float)out[0];
    vstore4(as_int4(f), 0, (global int *)out);
}

//# accept: the result of a comparison as a mask
//# expect: 1f 0f 3f 0f
kernel void test(global uint *out) {
    float4 f = (float4)(1, 5, 3, 7), g = (float4)(2, 2, 4, 4);
    int4 is_less = f < g;
    vstore4(as_float4(as_int4(f) & is_less), 0, (global float *)out);
}

//# accept: of 64 bits
//# expect: 0xffffffff 0xffffffff 5
kernel void test(global uint *out) {
    ulong u = as_ulong(-1L + out[0]);
    long2 v = as_long2((ulong2)(4, 5) + (ulong)out[2]);
    out[0] = (uint)u;
    out[1] = (uint)(u >> 32);
    out[2] = (uint)v.y;
}

//# accept: double and 64-bit integers
//# requires: fp64
//# expect: 0x40000000 1
kernel void test(global uint *out) {
    out[0] = (uint)(as_long(2.0 + out[0]) >> 32);
    out[1] = as_double2((ulong2)(0x3ff0000000000000, 0)).x == 1.0;
}

//# accept: other numbers of components: here the bits as in memory
//# expect: 0x00020001 1 2 0x04030201 0x3f800000
kernel void test(global uint *out) {
    out[0] = as_uint((ushort2)(1, 2) + (ushort)out[0]);
    ushort2 s = as_ushort2(0x00020001 + out[1]);
    out[1] = s.x;
    out[2] = s.y;
    out[3] = as_int((uchar4)(1, 2, 3, 4));
    out[4] = (uint)(as_ulong((float2)(0, 1)) >> 32);
}

//# accept: 4 components to 3: the first three stay
//# expect: 1f 2f 3f
kernel void test(global uint *out) {
    float4 f = (float4)(1, 2, 3, 4) + (float)out[0];
    vstore3(as_float3(f), 0, (global float *)out);
}

//# accept: 3 components of one type to 3 of another
//# expect: 0x3f800000 0x40000000 0x40400000
kernel void test(global uint *out) {
    vstore3(as_uint3((float3)(1, 2, 3) + (float)out[0]), 0, out);
}

//# accept: 3 components to 4: the first three stay
//# expect: 7 8 9
kernel void test(global uint *out) {
    uint4 v = as_uint4((int3)(7, 8, 9) + (int)out[0]);
    vstore3(v.xyz, 0, out);
}

//# accept: arguments are not promoted
//# expect: 0x80
kernel void test(global uint *out) {
    char c = -128 + out[0];
    out[0] = as_uchar(c);
}

//# reject: sizes must be equal
//# error: 3: 'char'
//# error: 4: 'int8'
//# error: 5: 'long'
//# error: 6: 'float3'
kernel void test(global uint *out) {
    int i = 1; float4 f = (float4)(1);
    char a = as_char(i);
    int8 b = as_int8(f);
    long c = as_long(i);
    float3 d = as_float3((float2)(1));
}

//# reject: no reinterpretation to bool, of pointers or of structs
//# error: 3: as_bool
//# error: 4: invalid reinterpretation
//# error: 5: invalid reinterpretation
kernel void test(global uint *out) {
    struct s { int a; } x = {1};
    out[0] = as_bool((char)1);
    ulong p = as_ulong(out);
    int y = as_int(x);
}

//# accept: half and short
//# requires: cl_khr_fp16
//# expect: 0x3c00 1 1
kernel void test(global uint *out) {
    half h = 1 + (half)(int)out[0];
    out[0] = as_ushort(h);
    out[1] = as_half((short)0x3c00) == 1;
    out[2] = all(as_half2(0x40003c00) == (half2)(1, 2));
}
