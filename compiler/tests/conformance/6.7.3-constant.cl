//! 6.7.3 constant

//# accept: constant variables of program scope, of kernels and static ones of functions
//# expect: 3 4 5
constant int a = 3;
uint f(void) { static constant uint x = 5; return x; }
kernel void test(global uint *out) {
    constant uint b = 4;
    out[0] = a;
    out[1] = b;
    out[2] = f();
}

//# reject: a constant variable is not written
//# error: 3: cannot assign to variable 'a'
constant int a = 3;
kernel void test(global uint *out) {
    a = 42;
}

//# reject: nor is what a pointer to constant points to
//# error: 2: read-only
kernel void other(constant int *p) {
    *p = 42;
}
kernel void test(global uint *out) { }
