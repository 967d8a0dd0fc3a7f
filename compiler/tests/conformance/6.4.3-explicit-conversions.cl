//! 6.4.3 Explicit Conversions

//# accept: convert_T converts scalars and vectors
//# expect: 3 1 2 3 255
kernel void test(global uint *out) {
    float f = 3.7f + out[0];
    uchar4 u = (uchar4)(1, 2, 3, 255);
    out[0] = convert_int(f);
    vstore4(convert_uint4(u), 0, out + 1);
}

//# accept: of 2, 3, 4, 8 and 16 components
//# expect: 2 3 4 8 16
kernel void test(global uint *out) {
    out[0] = convert_int2((float2)(1, 2)).y;
    out[1] = convert_int3((short3)(1, 2, 3)).z;
    out[2] = convert_int4((long4)(1, 2, 3, 4)).w;
    out[3] = convert_int8((uchar8)(1, 2, 3, 4, 5, 6, 7, 8)).s7;
    out[4] = convert_int16((float16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)).sf;
}

//# accept: a type converts to itself without effect, with any modifier
//# expect: 0x7fc00000 -5 0x3fc00000
kernel void test(global uint *out) {
    out[0] = as_uint(convert_float(as_float(0x7fc00000 + out[0])));
    out[1] = convert_int_sat(-5 + (int)out[1]);
    out[2] = as_uint(convert_float_rtz(1.5f + out[2]));
}

//# accept: vectors with modifiers, component by component
//# expect: 0 255 2 4 -1 -3 127 -128
kernel void test(global uint *out) {
    float4 f = (float4)(-3.0f, 300.0f, 1.5f, 3.5f) + (float)out[0];
    vstore4(convert_int4(convert_uchar4_sat_rte(f)), 0, (global int *)out);
    float4 g = (float4)(-0.5f, -2.5f, 1000.0f, -1000.0f) + (float)out[4];
    vstore4(convert_int4(convert_char4_sat_rtn(g)), 1, (global int *)out);
}

//# reject: the numbers of components must match
//# error: 3: no matching function for call to 'convert_int4'
//# error: 4: no matching function for call to 'convert_int'
//# error: 5: no matching function for call to 'convert_int2'
kernel void test(global uint *out) {
    float2 f = (float2)(1); float4 g = (float4)(1);
    int4 a = convert_int4(f);
    int b = convert_int(f);
    int2 c = convert_int2(g);
}

//# reject: there are no other modifiers, no other order, and no conversion to bool
//# error: 2: implicit declaration of function 'convert_int_rtx' is invalid
//# error: 3: implicit declaration of function 'convert_int_rte_sat' is invalid
//# error: 4: implicit declaration of function 'convert_bool' is invalid
//# error: 5: implicit declaration of function 'convert_int5' is invalid
kernel void test(global uint *out) {
    out[0] = convert_int_rtx(1.0f);
    out[0] = convert_int_rte_sat(1.0f);
    out[0] = convert_bool(1);
    out[0] = convert_int5(1);
}
