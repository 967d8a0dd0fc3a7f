//! What the fuzzers of `fuzz/` found, one program each.

//# accept: bool converts to float as 0 or 1 (6.4.1)
//# options: -cl-std=CL3.0
//# expect: 0x3f800000 0 0 1
kernel void test(global uint *out) {
    bool yes = out[0] == 0, no = !yes;
    out[0] = as_uint((float)yes);
    out[1] = as_uint((float)no);
    out[2] = yes == NAN;
    out[3] = no < 0.5f;
}
