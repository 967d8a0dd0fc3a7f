//! 6.14.5 Restrictions on Blocks

//# reject: there is no __block storage type
//# options: -cl-std=CL3.0
//# error: 2: the __block storage type is not permitted
kernel void test(global uint *out) {
    __block int x = 1;
}

//# reject: there is no Block_copy
//# options: -cl-std=CL3.0
//# error: 3: implicit declaration of function 'Block_copy' is invalid in OpenCL
kernel void test(global uint *out) {
    void (^f)(void) = ^{ };
    Block_copy(f);
}

//# reject: nor Block_release
//# options: -cl-std=CL3.0
//# error: 3: implicit declaration of function 'Block_release' is invalid in OpenCL
kernel void test(global uint *out) {
    void (^f)(void) = ^{ };
    Block_release(f);
}

//# reject: blocks have no variadic arguments
//# options: -cl-std=CL3.0
//# error: 2: invalid block prototype, variadic arguments are not allowed in OpenCL
kernel void test(global uint *out) {
    int (^f)(int, ...) = ^(int n) { return n; };
}

//# reject: nor do literals
//# options: -cl-std=CL3.0
//# error: 2: invalid block prototype, variadic arguments are not allowed in OpenCL
kernel void test(global uint *out) {
    ^(int n, ...) { }(1, 2);
}

//# reject: there are no arrays of blocks
//# options: -cl-std=CL3.0
//# error: 3: array of 'int (^)(int)' type is invalid in OpenCL
typedef int (^bl_t)(int);
kernel void test(global uint *out) {
    bl_t a[2] = {^(int x) { return x; }, ^(int x) { return x; }};
}

//# reject: blocks are no members of structs
//# options: -cl-std=CL3.0
//# error: 1: the 'int (^)(int)' type cannot be used to declare a structure or union field
struct s { int (^f)(int); };
kernel void test(global uint *out) { }

//# reject: nor of unions
//# options: -cl-std=CL3.0
//# error: 2: the 'int (^)(int)' type cannot be used to declare a structure or union field
typedef int (^bl_t)(int);
union u { bl_t f; int x; };
kernel void test(global uint *out) { }

//# reject: a block variable is used in its scope or a nested one
//# options: -cl-std=CL3.0
//# error: 3: implicit declaration of function 'f' is invalid in OpenCL
kernel void test(global uint *out) {
    { int (^f)(int) = ^(int x) { return x; }; }
    out[0] = f(1);
}

//# accept: a nested scope uses it
//# options: -cl-std=CL3.0
//# expect: 2
kernel void test(global uint *out) {
    int (^f)(int) = ^(int x) { return x; };
    { if (1) { for (int i = 0; i < 1; i++) out[i] = f(2); } }
}

//# reject: a block variable of program scope is not extern
//# options: -cl-std=CL3.0
//# error: 1: invalid block variable declaration - using 'extern' storage class is disallowed
extern int (^getExternGlobalInt)(void);
kernel void test(global uint *out) { }

//# reject: a block variable is initialized
//# options: -cl-std=CL3.0
//# error: 2: invalid block variable declaration - must be initialized
kernel void test(global uint *out) {
    int (^tmp)(int, int);
}

//# reject: one of program scope too
//# options: -cl-std=CL3.0
//# error: 1: invalid block variable declaration - must be initialized
int (^getAnotherGlobalInt)(void);
kernel void test(global uint *out) { }

//# reject: a block variable is not assigned
//# options: -cl-std=CL3.0
//# error: 3: not assignable
kernel void test(global uint *out) {
    int (^f)(void) = ^{ return 1; };
    f = ^{ return 2; };
}

//# reject: one of program scope neither
//# options: -cl-std=CL3.0
//# error: 3: not assignable
int (^f)(void) = ^{ return 1; };
kernel void test(global uint *out) {
    f = ^{ return 2; };
}

//# reject: a function returns no block
//# options: -cl-std=CL3.0
//# error: 2: declaring function return value of type 'int (^)(int)' is not allowed
typedef int (^bl_t)(int);
bl_t make(int n);
kernel void test(global uint *out) { }

//# reject: a parameter of a function is no block
//# options: -cl-std=CL3.0
//# error: 1: declaring function parameter of type 'int (^)(int)' is not allowed
int apply(int (^f)(int), int x);
kernel void test(global uint *out) { }

//# reject: nor one of a block
//# options: -cl-std=CL3.0
//# error: 3: declaring function parameter of type 'int (^)(int)' is not allowed
typedef int (^bl_t)(int);
kernel void test(global uint *out) {
    out[0] = ^(bl_t f) { return 1; }(^(int x) { return x; });
}

//# reject: a block returns no block
//# options: -cl-std=CL3.0
//# error: 2: declaring function return value of type 'int (^)(void)' is not allowed
kernel void test(global uint *out) {
    ^{ return ^{ return 1; }; }();
}

//# reject: blocks are no operands of ?:
//# options: -cl-std=CL3.0
//# error: 4: block type cannot be used as expression in ternary expression in OpenCL
kernel void test(global uint *out) {
    int (^f)(void) = ^{ return 1; };
    int (^g)(void) = ^{ return 2; };
    int (^h)(void) = out[0] ? f : g;
}

//# reject: * is not used with a block
//# options: -cl-std=CL3.0
//# error: 3: 'int (^)(void)'
kernel void test(global uint *out) {
    int (^f)(void) = ^{ return 1; };
    *f;
}

//# reject: nor is &
//# options: -cl-std=CL3.0
//# error: 3: 'int (^)(void)'
kernel void test(global uint *out) {
    int (^f)(void) = ^{ return 1; };
    &f;
}

//# reject: there are no pointers to blocks
//# options: -cl-std=CL3.0
//# error: 3: pointer to type 'int (^)(int)' is invalid in OpenCL
typedef int (^bl_t)(int);
kernel void test(global uint *out) {
    bl_t *p;
}

//# reject: a block does not capture a block of the function around it
//# options: -cl-std=CL3.0
//# error: 3: cannot refer to a block inside block
kernel void test(global uint *out) {
    int (^bl1)(void) = ^{ return 1; };
    int (^bl2)(void) = ^{ return bl1(); };
}

//# accept: it may use one of program scope
//# options: -cl-std=CL3.0
//# expect: 5
int (^bl0)(void) = ^{ return 4; };
kernel void test(global uint *out) {
    int (^bl2)(void) = ^{ return bl0() + 1; };
    out[0] = bl2();
}

//# accept: arrays are captured by reference, structs by value
//# options: -cl-std=CL3.0
//# expect: 1 8
struct v { int arr[2]; };
kernel void test(global uint *out) {
    struct v s = {{0, 1}};
    void (^bl1)(void) = ^(void) { out[0] = s.arr[1]; };
    int arr[2] = {0, 1};
    void (^bl2)(void) = ^(void) { out[1] = arr[1]; };
    s.arr[1] = arr[1] = 8;
    bl1();
    bl2();
}

//# accept: an array that a nested block captures, and that is written through
//# options: -cl-std=CL3.0
//# expect: 3 4
kernel void test(global uint *out) {
    uint a[2] = {1, 2};
    void (^outer)(void) = ^{
        void (^inner)(uint) = ^(uint i) { a[i] += 2; };
        inner(0);
        inner(1);
    };
    outer();
    out[0] = a[0];
    out[1] = a[1];
}

//# accept: two blocks capture the same variable, each in its time
//# options: -cl-std=CL3.0
//# expect: 12
kernel void test(global uint *out) {
    int n = 1;
    int (^f)(void) = ^{ return n + n; };
    n = 5;
    int (^g)(void) = ^{ return n + n; };
    n = 100;
    out[0] = f() + g();
}

//# reject: a block does not call itself
//# options: -cl-std=CL3.0
//# error: 2: implicit declaration of function 'f' is invalid in OpenCL
kernel void test(global uint *out) {
    int (^f)(int) = ^(int n) { return n ? f(n - 1) : 0; };
}
