//! 6.15.15.1 Samplers

//# reject: samplers require image support: in program scope
//# requires: !images
//# error: 1: use of type 'sampler_t' requires image support which this device does not offer
constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
kernel void test(global uint *out) {}

//# reject: in a kernel's outermost scope
//# requires: !images
//# error: 2: use of type 'sampler_t' requires image support
kernel void test(global uint *out) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
}

//# reject: as parameters
//# requires: !images
//# error: 1: use of type 'sampler_t' requires image support
kernel void f(sampler_t s) {}
kernel void test(global uint *out) {}

//# accept: the constants of their fields are numbers that can be joined
//# expect: 1
kernel void test(global uint *out) {
    uint coordinates = CLK_NORMALIZED_COORDS_TRUE ^ CLK_NORMALIZED_COORDS_FALSE;
    uint filters = CLK_FILTER_NEAREST ^ CLK_FILTER_LINEAR;
    uint modes[] = {CLK_ADDRESS_NONE, CLK_ADDRESS_CLAMP_TO_EDGE, CLK_ADDRESS_CLAMP,
                    CLK_ADDRESS_REPEAT, CLK_ADDRESS_MIRRORED_REPEAT};
    uint distinct = coordinates != 0 && filters != 0 && (coordinates & filters) == 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++)
            distinct &= modes[i] != modes[j];
    out[0] = distinct;
}
