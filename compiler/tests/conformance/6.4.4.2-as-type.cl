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

//# accept: bytes that a loop brings from one round to the next keep their places
//# expect: 0x18027a1 0x17fcfb1 0x17ffc
int sum(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
kernel void test(global uint *out) {
    uint zero = get_global_id(0);
    char4 x = as_char4(0x80ff7f01u + zero), y = as_char4(0x017f80feu + zero);
    for (uint i = 0; i < 5 + zero; i++) {
        x = as_char4(sum(y, x, as_int(y)));
        y = as_char4(sum(x, y, as_int(x)));
    }
    out[0] = as_uint(x);
    out[1] = as_uint(y);
    ushort2 halves = as_ushort2(0x8001fffeu + zero);
    for (uint i = 0; i < 3 + zero; i++)
        halves = as_ushort2((uint)halves.x * halves.y + i);
    out[2] = as_uint(halves);
}

//# accept: sums of products of all bytes of two words, of some of them, and in other places
//# expect: 0xa359 0xffffa452 0x5f55 0xffffe0fc 0x482c
kernel void test(global uint *out) {
    uint zero = get_global_id(0);
    uint a = 0x80ff7f01u + zero, b = 0xc3018255u + zero;
    char4 sa = as_char4(a), sb = as_char4(b);
    uint unsigned_sum = 7;
    for (int i = 0; i < 32; i += 8)
        unsigned_sum += ((a >> i) & 255) * ((b >> i) & 255);
    out[0] = unsigned_sum;
    uchar4 ua = as_uchar4(a);
    out[1] = ua.x * sb.x + ua.y * sb.y + ua.z * sb.z + ua.w * sb.w;
    out[2] = sa.x * sa.x + sa.x * sb.x + sa.y * sa.y + sa.y * sb.y + sa.z * sa.z + sa.z * sb.z + sa.w * sa.w + sa.w * sb.w;
    int first = sa.x * sb.x;
    out[3] = first + first + first + sa.y * sb.y + sa.z * sb.z + sa.w * sb.w;
    out[4] = sa.x * sb.y + sa.y * sb.x + sa.z * sb.z + sa.w * sb.w;
}
