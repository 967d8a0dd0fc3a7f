//! 6.10 Storage-Class Specifiers

//# accept: typedef is supported, at program scope and in functions
//# expect: 4 8
typedef int word;
kernel void test(global uint *out) {
    typedef long wide;
    out[0] = sizeof(word);
    out[1] = sizeof(wide);
}

//# accept: a typedef name can be hidden by a variable of an inner scope
//# expect: 3
typedef int word;
kernel void test(global uint *out) {
    int word = 3;
    out[0] = word;
}

//# accept: extern declares a function that is defined later
//# expect: 6
extern uint twice(uint);
kernel void test(global uint *out) { out[0] = twice(3); }
uint twice(uint x) { return 2 * x; }

//# accept: extern declares a function inside a function
//# expect: 6
kernel void test(global uint *out) {
    extern uint twice(uint);
    out[0] = twice(3);
}
uint twice(uint x) { return 2 * x; }

//# accept: extern declares a kernel
//# expect: 6
extern kernel void other(global uint *out);
kernel void test(global uint *out) { other(out); }
kernel void other(global uint *out) { out[0] = 6; }

//# accept: extern declares a constant variable of program scope that is defined later
//# expect: 20
extern constant int table[3];
int at(int i) { return table[i]; }
constant int table[3] = {10, 20, 30};
kernel void test(global uint *out) { out[0] = at(1); }

//# accept: extern declares a constant variable inside a function
//# expect: 9
constant int x = 9;
kernel void test(global uint *out) {
    extern constant int x;
    out[0] = x;
}

//# accept: an extern declaration may define
//# expect: 5
extern constant int x = 5;
kernel void test(global uint *out) { out[0] = x; }

//# accept: static declares a function
//# expect: 9
static uint square(uint x) { return x * x; }
kernel void test(global uint *out) { out[0] = square(3); }

//# accept: a static function may be declared before
//# expect: 9
static uint square(uint x);
kernel void test(global uint *out) { out[0] = square(3); }
static uint square(uint x) { return x * x; }

//# accept: static declares a constant variable of program scope
//# expect: 2 5
static constant float2 pair = (float2)(2.0f, 5.0f);
kernel void test(global uint *out) {
    out[0] = pair.x;
    out[1] = pair.y;
}

//# accept: static declares a constant variable of a function, of any scope, kernel or not
//# expect: 7 8 9
uint f(void) {
    static constant uint x = 7;
    return x;
}
kernel void test(global uint *out) {
    static constant uint x = 8;
    out[0] = f();
    out[1] = x;
    for (int i = 0; i < 1; i++) {
        static constant uint x = 9;
        out[2] = x;
    }
}

//# accept: the specifier may stand behind the type
//# expect: 1 4
constant uint static one = 1;
kernel void test(global uint *out) {
    int typedef number;
    number n = 4;
    out[0] = one;
    out[1] = n;
}

//# accept: static global variables inside functions keep their values
//# requires: program_scope_global_variables
//# options: -cl-std=CL3.0
//# expect: 1 2 3
uint next(void) {
    static global uint count = 0;
    return ++count;
}
kernel void test(global uint *out) {
    for (int i = 0; i < 3; i++)
        out[i] = next();
}

//# accept: extern and static global variables of program scope
//# requires: program_scope_global_variables
//# options: -cl-std=CL3.0
//# expect: 3 4
extern global uint shown;
static global uint hidden = 4;
kernel void test(global uint *out) {
    out[0] = shown;
    out[1] = hidden;
}
global uint shown = 3;

//# reject: auto is not supported
//# error: 2: OpenCL C version 1.2 does not support the 'auto' storage class specifier
kernel void test(global uint *out) {
    auto int x = 1;
    out[0] = x;
}

//# reject: register is not supported
//# error: 2: OpenCL C version 1.2 does not support the 'register' storage class specifier
kernel void test(global uint *out) {
    register int x = 1;
    out[0] = x;
}

//# reject: register parameters are not supported
//# error: 1: OpenCL C version 1.2 does not support the 'register' storage class specifier
int f(register int x) { return x; }
kernel void test(global uint *out) { out[0] = f(1); }

//# reject: nor is auto in OpenCL C 3.0
//# options: -cl-std=CL3.0
//# error: 2: OpenCL C version 3.0 does not support the 'auto' storage class specifier
kernel void test(global uint *out) {
    auto int x = 1;
    out[0] = x;
}

//# reject: static requires OpenCL C 1.2
//# options: -cl-std=CL1.1
//# error: 1: OpenCL C version 1.1 does not support the 'static' storage class specifier
static uint square(uint x) { return x * x; }
kernel void test(global uint *out) { out[0] = square(3); }

//# reject: extern requires OpenCL C 1.2
//# options: -cl-std=CL1.0
//# error: 1: OpenCL C version 1.0 does not support the 'extern' storage class specifier
extern uint square(uint x);
kernel void test(global uint *out) { }

//# reject: static is for functions that are not kernels
//# error: 1: kernel functions cannot be declared static
static kernel void test(global uint *out) { }

//# reject: a static variable of a function lies in the global or constant address space
//# options: -cl-std=CL1.2
//# error: 2: static local variable must reside in constant address space
kernel void test(global uint *out) {
    static float c;
}

//# reject: so does an extern variable
//# options: -cl-std=CL1.2
//# error: 2: extern variable must reside in constant address space
kernel void test(global uint *out) {
    extern int c;
}

//# reject: a local variable is not static
//# error: 2: static local variable must reside in
kernel void test(global uint *out) {
    static local int x;
}

//# reject: a local variable is not extern
//# error: 2: extern variable must reside in
kernel void test(global uint *out) {
    extern local int x;
}

//# reject: static and extern do not go together
//# error: 1: cannot combine with previous 'static' declaration specifier
static extern constant int x = 1;
kernel void test(global uint *out) { out[0] = x; }

//# reject: typedef goes with no other storage class
//# error: 1: cannot combine with previous 'typedef' declaration specifier
typedef static int word;
kernel void test(global uint *out) { }

//# reject: a parameter has no storage class
//# error: 1: invalid storage class specifier in function declarator
int f(static int x) { return x; }
kernel void test(global uint *out) { out[0] = f(1); }

//# reject: a member has no storage class
//# error: 1: type name does not allow storage class to be specified
struct s { static int x; };
kernel void test(global uint *out) { }

//# reject: a typedef has no initializer
//# error: 1: illegal initializer (only variables can be initialized)
typedef int word = 4;
kernel void test(global uint *out) { }

//# reject: static follows non-static
//# error: 2: static declaration of 'f' follows non-static declaration
int f(void);
static int f(void) { return 1; }
kernel void test(global uint *out) { out[0] = f(); }
