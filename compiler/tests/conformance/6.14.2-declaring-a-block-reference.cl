//! 6.14.2 Declaring a Block Reference

//# accept: block variables are declared as pointers to functions are in C, with ^ for *
//# options: -cl-std=CL3.0
//# expect: 1 98
kernel void test(global uint *out) {
    void (^blockReturningVoidWithVoidArgument)(void) = ^{ out[0] = 1; };
    int (^blockReturningIntWithIntAndCharArguments)(int, char) = ^(int i, char c) { return i + c; };
    blockReturningVoidWithVoidArgument();
    out[1] = blockReturningIntWithIntAndCharArguments(1, 'a');
}

//# accept: a type of blocks has a name by typedef
//# options: -cl-std=CL3.0
//# expect: 3.0f 2.0f
typedef float (^MyBlockType)(float, float);
kernel void test(global uint *out) {
    MyBlockType myFirstBlock = ^(float a, float b) { return a + b; };
    MyBlockType mySecondBlock = ^(float a, float b) { return a * b; };
    out[0] = as_uint(myFirstBlock(1.0f, 2.0f));
    out[1] = as_uint(mySecondBlock(1.0f, 2.0f));
}

//# accept: the types of parameters and values are any of the language
//# options: -cl-std=CL3.0
//# expect: 4 6 7
struct pair { int a, b; };
kernel void test(global uint *out) {
    struct pair (^swap)(struct pair) = ^(struct pair p) { struct pair q = {p.b, p.a}; return q; };
    int4 (^add)(int4, int) = ^(int4 v, int x) { return v + x; };
    global uint *(^at)(uint) = ^(uint i) { return out + i; };
    struct pair p = {6, 4};
    *at(0) = swap(p).a;
    *at(1) = swap(p).b;
    *at(2) = add((int4)(1, 2, 3, 4), 3).w;
}

//# accept: a block variable may be initialized with another
//# options: -cl-std=CL3.0
//# expect: 8
kernel void test(global uint *out) {
    int n = 3;
    int (^f)(int) = ^(int x) { return x + n; };
    n = 100;
    int (^g)(int) = f;
    out[0] = g(5);
}

//# accept: a block variable hides what has its name outside, and ends with its scope
//# options: -cl-std=CL3.0
//# expect: 1 2 1
uint f(void) { return 1; }
kernel void test(global uint *out) {
    out[0] = f();
    {
        uint (^f)(void) = ^{ return 2u; };
        out[1] = f();
    }
    out[2] = f();
}

//# reject: a block is not dereferenced
//# options: -cl-std=CL3.0
//# error: 3: 'int (^)(int)'
kernel void test(global uint *out) {
    int (^f)(int) = ^(int x) { return x; };
    (*f)(1);
}

//# reject: a block's size is not known
//# options: -cl-std=CL3.0
//# error: 3: invalid application of 'sizeof' to a block type 'int (^)(int)'
kernel void test(global uint *out) {
    int (^f)(int) = ^(int x) { return x; };
    out[0] = sizeof(f);
}

//# reject: blocks are type safe: the parameters
//# options: -cl-std=CL3.0
//# error: 2: incompatible block pointer types initializing 'int (^)(int)' with an expression of type 'int (^)(float)'
kernel void test(global uint *out) {
    int (^f)(int) = ^int(float x) { return x; };
}

//# reject: blocks are type safe: the value
//# options: -cl-std=CL3.0
//# error: 2: incompatible block pointer types initializing 'float (^)(int)' with an expression of type 'int (^)(int)'
kernel void test(global uint *out) {
    float (^f)(int) = ^(int x) { return x; };
}

//# reject: a block is no number
//# options: -cl-std=CL3.0
//# error: 3: invalid operands
kernel void test(global uint *out) {
    int (^f)(int) = ^(int x) { return x; };
    out[0] = f + 1;
}

//# reject: a number is no block
//# options: -cl-std=CL3.0
//# error: 2: initializing a block variable with an expression of incompatible type 'int'
kernel void test(global uint *out) {
    int (^f)(int) = 7;
}

//# reject: ^ makes blocks of functions alone
//# options: -cl-std=CL3.0
//# error: 2: block pointer to non-function type is invalid
kernel void test(global uint *out) {
    int ^f = ^{ return 1; };
}
