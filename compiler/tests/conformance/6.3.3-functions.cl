//! 6.3.3 Other Built-in Data Types: functions and typedefs, as in C99 6.7.5.3, 6.7.7 and 6.9.1

//# accept: a function is declared, used, and defined later
//# expect: 6
int twice(int);
kernel void test(global uint *out) {
    out[0] = twice(3);
}
int twice(int n) { return n * 2; }

//# accept: an empty list of parameters means none
//# expect: 5
int five() { return 5; }
kernel void test(global uint *out) {
    out[0] = five();
}

//# accept: arguments and results convert as if by assignment
//# expect: 3 0x40a00000 250
int trunc_to_int(float f) { return f; }
float to_float(int i) { return i; }
uchar low(int i) { return i; }
kernel void test(global uint *out) {
    out[0] = trunc_to_int(3.9f + out[0]);
    out[1] = as_uint(to_float(5));
    out[2] = low(-6);
}

//# accept: parameters are copies
//# expect: 1 3
int changed(int x) { x += 2; return x; }
kernel void test(global uint *out) {
    int x = 1 + out[0];
    out[1] = changed(x);
    out[0] = x;
}

//# accept: several returns, and a return out of loops
//# expect: 2 7 99
int find(const int *a, int n, int wanted) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2; j++)
            if (a[i] + j == wanted)
                return i;
    if (wanted == 100)
        return 7;
    return 99;
}
kernel void test(global uint *out) {
    int a[] = {1, 4, 8};
    out[0] = find(a, 3, 9);
    out[1] = find(a, 3, 100);
    out[2] = find(a, 3, 50);
}

//# accept: void functions, and return of a void expression's call
//# expect: 3 4
void set(global uint *p, uint v) { if (v > 10) return; *p = v; }
kernel void test(global uint *out) {
    set(out, 3);
    set(out + 1, 4);
    set(out + 1, 11);
}

//# accept: a typedef names the same type
//# expect: 1 4 2
typedef int number, *pointer, row[4];
typedef row matrix[2];
kernel void test(global uint *out) {
    number a = 1;
    pointer p = &a;
    int *q = p;
    matrix m;
    out[0] = *q;
    out[1] = sizeof(m[0]) / sizeof(number);
    out[2] = sizeof(m) / sizeof(row);
}

//# accept: a typedef may be repeated with the same type, and shadowed
//# expect: 4 8
typedef int number;
typedef int number;
kernel void test(global uint *out) {
    out[0] = sizeof(number);
    typedef long number;
    out[1] = sizeof(number);
}

//# accept: a typedef of an incomplete struct that is completed later
//# expect: 4
typedef struct s t;
struct s { int a; };
kernel void test(global uint *out) {
    out[0] = sizeof(t);
}

//# accept: a typedef with an address space
//# expect: 5
typedef global uint *words;
kernel void test(words out) {
    words p = out;
    *p = 5;
}

//# accept: a variable may have the name of a typedef in an inner scope
//# expect: 3
typedef int number;
kernel void test(global uint *out) {
    int number = 3;
    out[0] = number;
}

//# accept: static and inline functions
//# expect: 7
static inline int three(void) { return 3; }
inline static int four(void) { return 4; }
kernel void test(global uint *out) {
    out[0] = three() + four();
}

//# accept: a kernel called from a kernel is a function
//# expect: 8
kernel void set(global uint *p) { *p = 8; }
kernel void test(global uint *out) {
    set(out);
}

//# reject: too few and too many arguments
//# error: 3: too few arguments to function call, expected 2, have 1
//# error: 4: too many arguments to function call, expected 2, have 3
int f(int a, int b) { return a + b; }
kernel void test(global uint *out) {
    out[0] = f(1);
    out[0] = f(1, 2, 3);
}

//# reject: an empty list takes no arguments
//# error: 3: too many arguments to function call, expected 0, have 1
int f() { return 1; }
kernel void test(global uint *out) {
    out[0] = f(1);
}

//# reject: arguments of types that do not convert
//# error: 4: passing 'float2' to parameter of incompatible type 'float4'
//# error: 5: incompatible integer to pointer conversion
int f(float4 v) { return 1; }
int g(int *p) { return 1; }
kernel void test(global uint *out) {
    f((float2)(1));
    g(3);
}

//# reject: a declaration of another type
//# error: 2: conflicting types for 'f'
//# error: 4: conflicting types for 'g'
int f(int a);
float f(int a);
int g(int a);
int g(float a);
kernel void test(global uint *out) {}

//# reject: a function is defined twice
//# error: 2: redefinition of 'f'
int f(void) { return 1; }
int f(void) { return 1; }
kernel void test(global uint *out) {}

//# reject: a function that is called must be declared
//# error: 2: implicit declaration of function 'f' is invalid in OpenCL
kernel void test(global uint *out) {
    f(1);
}

//# reject: functions returning functions or arrays
//# error: 1: function cannot return function type 'int (int)'
//# error: 2: function cannot return array type 'int[2]'
int f(int)(int);
int g(int)[2];
kernel void test(global uint *out) {}

//# reject: functions are not nested
//# error: 2: function definition is not allowed here
kernel void test(global uint *out) {
    int f(int a) { return a; }
}

//# reject: a function is not assigned to
//# error: 3: is not assignable
int f(void) { return 1; }
kernel void test(global uint *out) {
    f() = 1;
}

//# reject: a typedef with another type
//# error: 2: typedef redefinition with different types ('float' vs 'int')
typedef int number;
typedef float number;
kernel void test(global uint *out) {}

//# reject: a typedef is no expression
//# error: 3: unexpected type name 'number': expected expression
typedef int number;
kernel void test(global uint *out) {
    out[0] = number;
}

//# reject: a value is returned where there is none, and none where there is one
//# error: 1: void function 'f' should not return a value
//# error: 2: non-void function 'g' should return a value
void f(void) { return 1; }
int g(void) { return; }
kernel void test(global uint *out) {}
