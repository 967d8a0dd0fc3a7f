//! API 5.8.6.7 Options for Debugging Your Program

//# accept: -g changes nothing of what a kernel does
//# options: -g
//# expect: 5 6
uint f(uint x) {
    uint y = x + 1;
    return y;
}
kernel void test(global uint *out) {
    out[0] = 5;
    out[1] = f(out[0]);
}

//# reject: -g has no levels
//# options: -ggdb
//# invalid: unknown build option '-ggdb'
kernel void test(global uint *out) {}
