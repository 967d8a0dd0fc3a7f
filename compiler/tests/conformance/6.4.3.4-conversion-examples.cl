//! 6.4.3.4 Explicit Conversion Examples

//# accept: the specification's examples: short4 to ushort4 and char4
//# expect: 0 1 0 32767 -128 1 -1 127
kernel void test(global uint *out) {
    short4 s = (short4)(-32768, 1, -1, 32767) + (short)out[0];
    vstore4(convert_uint4(convert_ushort4_sat(s)), 0, out);
    vstore4(convert_int4(convert_char4_sat(s)), 1, (global int *)out);
}

//# accept: float4 to int4 with and without modifiers
//# expect: 1 2 -1 1 2147483647 0 -2 3
kernel void test(global uint *out) {
    float4 f = (float4)(1.5f, 2.5f, -1.5f, 1) + (float)out[0];
    int4 i = convert_int4(f), r = convert_int4_rte(f);
    int4 s = convert_int4_sat((float4)(1e10f, NAN, -2.9f, 0)), t = convert_int4_sat_rte((float4)(2.6f));
    vstore4(i, 0, (global int *)out);
    vstore3(s.xyz, 0, (global int *)out + 4);
    out[7] = t.x;
    out[3] = r.x == 2 && r.y == 2 && r.z == -2;
}

//# accept: int4 to float4, rounded to nearest and up
//# expect: 16777216f 16777218f
kernel void test(global uint *out) {
    int4 i = 16777217 + (int4)(out[0]);
    global float *f = (global float *)out;
    f[0] = convert_float4(i).x;
    f[1] = convert_float4_rtp(i).w;
}

//# reject: the examples' types are not changed on the way
//# error: 3: no matching function for call to 'convert_ushort4_sat'
//# error: 4: 'ushort4'
kernel void test(global uint *out) {
    short8 s = (short8)(1);
    ushort4 u = convert_ushort4_sat(s);
    char4 c = convert_ushort4_sat(s.lo);
}
