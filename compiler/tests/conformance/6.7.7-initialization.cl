//! 6.7.7 Initialization

//# accept: global variables are initialized by constants, or are zero
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables
//# expect: 12 0 0 7
global int a = 12;
global int b;
static struct { int x; int y[3]; } c;
uint f(void) { static uint n = 3 + 4; return n; }
kernel void test(global uint *out) {
    out[0] = a;
    out[1] = b;
    out[2] = c.x + c.y[2];
    out[3] = f();
}

//# accept: a local variable is assigned
//# expect: 1.0f
kernel void test(global uint *out) {
    local float f;
    f = 1;
    out[0] = as_uint(f);
}

//# accept: a private variable has any initializer
//# expect: 6
kernel void test(global uint *out) {
    uint g = out[0] + 5;
    uint h = g + 1;
    out[0] = h;
}

//# reject: a constant variable is initialized
//# error: 1: variable in constant address space must be initialized
constant int d;
kernel void test(global uint *out) { }

//# reject: a local variable is not
//# error: 2: '__local' variable cannot have an initializer
kernel void test(global uint *out) {
    local float e = 1;
}

//# reject: a constant is initialized by constants
//# error: 3: initializer element is not a compile-time constant
kernel void test(global uint *out) {
    int g = out[0];
    constant int h = g;
}

//# reject: so is a global variable
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables
//# error: 2: initializer element is not a compile-time constant
int f(void);
global int a = f();
kernel void test(global uint *out) { }
