//! 6.14.3 Block Literal Expressions

//# accept: ^ void (void) { }, ^ (void) { } and ^ { } are the same
//# options: -cl-std=CL3.0
//# expect: 1 2 3
kernel void test(global uint *out) {
    void (^a)(void) = ^ void (void) { out[0] = 1; };
    void (^b)(void) = ^ (void) { out[1] = 2; };
    void (^c)(void) = ^ { out[2] = 3; };
    a(); b(); c();
}

//# accept: a literal may be called where it stands
//# options: -cl-std=CL3.0
//# expect: 7 8
kernel void test(global uint *out) {
    int n = 3;
    out[0] = ^(int x) { return x + n; }(4);
    ^{ out[1] = 8; }();
}

//# accept: the type returned is that of the return statements
//# options: -cl-std=CL3.0
//# expect: 1 4 0.5f
kernel void test(global uint *out) {
    out[0] = ^(int x) { if (x > 2) return 1; return 2; }(3);
    out[1] = ^{ return (int2)(3, 4); }().y;
    out[2] = as_uint(^{ return 0.5f; }());
}

//# accept: a written type converts what is returned
//# options: -cl-std=CL3.0
//# expect: 3 2.0f
kernel void test(global uint *out) {
    out[0] = ^int (float x) { return x; }(3.7f);
    out[1] = as_uint(^float (int x) { return x; }(2));
}

//# accept: the body is a scope within that of its parent
//# options: -cl-std=CL3.0
//# expect: 5 1
kernel void test(global uint *out) {
    int x = 1;
    out[0] = ^{ int x = 5; return x; }();
    out[1] = x;
}

//# accept: a parameter hides a variable of its name
//# options: -cl-std=CL3.0
//# expect: 9
kernel void test(global uint *out) {
    int x = 1;
    out[0] = ^(int x) { return x; }(9);
}

//# accept: functions, constants and globals are used as anywhere
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables
//# expect: 6 20 2
uint twice(uint x) { return 2 * x; }
constant int table[2] = {10, 20};
global uint count;
kernel void test(global uint *out) {
    uint (^f)(uint) = ^(uint x) { count++; return twice(x); };
    count = 0;
    out[0] = f(3);
    out[1] = ^(int i) { return table[i]; }(1);
    f(1);
    out[2] = count;
}

//# accept: static variables of the function are used, not captured
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables
//# expect: 5
kernel void test(global uint *out) {
    static uint n;
    n = 1;
    uint (^f)(void) = ^{ return n; };
    n = 5;
    out[0] = f();
}

//# accept: local memory is used, not captured
//# options: -cl-std=CL3.0
//# global: 2
//# local: 2
//# expect: 1 0
kernel void test(global uint *out) {
    local uint l[2];
    size_t i = get_local_id(0);
    void (^put)(void) = ^{ l[i] = i; };
    put();
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = l[1 - i];
}

//# accept: automatic variables are captured as they are when the literal is evaluated
//# options: -cl-std=CL3.0
//# expect: 3 10
kernel void test(global uint *out) {
    int n = 3;
    int (^f)(void) = ^{ return n; };
    n = 10;
    out[0] = f();
    out[1] = n;
}

//# accept: in a loop the literal captures anew each time
//# options: -cl-std=CL3.0
//# expect: 0 1 4 9
kernel void test(global uint *out) {
    for (int i = 0; i < 4; i++) {
        int square = i * i;
        void (^put)(void) = ^{ out[i] = square; };
        square = 100;
        put();
    }
}

//# accept: parameters of the function are captured too
//# options: -cl-std=CL3.0
//# expect: 12
uint f(uint a, uint b) {
    uint (^sum)(uint) = ^(uint c) { return a + b + c; };
    a = 0;
    return sum(5);
}
kernel void test(global uint *out) { out[0] = f(3, 4); }

//# accept: what a pointer that is captured points to can be written
//# options: -cl-std=CL3.0
//# expect: 4
kernel void test(global uint *out) {
    uint x = 1;
    uint *p = &x;
    void (^set)(void) = ^{ *p = 4; };
    set();
    out[0] = x;
}

//# accept: blocks nest, and what the inner one captures the outer one does
//# options: -cl-std=CL3.0
//# expect: 15 3
kernel void test(global uint *out) {
    int a = 1, b = 2;
    int (^outer)(int) = ^(int x) {
        int c = 4;
        int (^inner)(int) = ^(int y) { return a + b + c + y; };
        c = 100;
        return inner(x);
    };
    a = 50; b = 60;
    out[0] = outer(8);
    out[1] = ^{ return ^{ return ^{ return 3; }(); }(); }();
}

//# accept: a block may be a literal of program scope
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables
//# expect: 7
int GlobalInt = 7;
int (^getGlobalInt)(void) = ^{ return GlobalInt; };
kernel void test(global uint *out) { out[0] = getGlobalInt(); }

//# accept: and of local static scope
//# options: -cl-std=CL3.0
//# expect: 6
kernel void test(global uint *out) {
    static int (^twice)(int) = ^(int x) { return 2 * x; };
    out[0] = twice(3);
}

//# accept: volatile and const variables are captured
//# options: -cl-std=CL3.0
//# expect: 5
kernel void test(global uint *out) {
    const int a = 2;
    volatile int b = 3;
    out[0] = ^{ return a + b; }();
}

//# reject: what is captured is const
//# options: -cl-std=CL3.0
//# error: 3: cannot assign to variable 'n'
kernel void test(global uint *out) {
    int n = 3;
    void (^f)(void) = ^{ n = 4; };
}

//# reject: return statements agree where no type is written
//# options: -cl-std=CL3.0
//# error: 2: return type 'float' must match previous return type 'int' when block literal has unspecified explicit return type
kernel void test(global uint *out) {
    out[0] = ^(int x) { if (x) return 1; return 2.0f; }(1);
}

//# reject: a block that returns nothing has no value
//# options: -cl-std=CL3.0
//# error: 2: 'void'
kernel void test(global uint *out) {
    out[0] = ^{ }();
}

//# reject: names of the block are not known outside
//# options: -cl-std=CL3.0
//# error: 3: use of undeclared identifier 'inside'
kernel void test(global uint *out) {
    ^{ int inside = 1; }();
    out[0] = inside;
}

//# reject: a static block captures nothing
//# options: -cl-std=CL3.0
//# error: 3: initializer element is not a compile-time constant
kernel void test(global uint *out) {
    int n = 1;
    static int (^f)(void) = ^{ return n; };
}
