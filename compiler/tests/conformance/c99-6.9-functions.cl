//! C99 6.9 Functions: what OpenCL C 6.15 says of them

//# accept: arguments are converted to the types of the parameters
//# expect: 3 0xffffffff 2.0f 1
uint whole(uint x) { return x; }
float real(float x) { return x; }
uint truth(bool x) { return x; }
kernel void test(global uint *out) {
    out[0] = whole(3.7f);
    out[1] = whole((char)-1);
    out[2] = as_uint(real(2));
    out[3] = truth(0.25f);
}

//# accept: a scalar argument is widened to a vector parameter
//# expect: 12
uint sum(uint4 v) { return v.x + v.y + v.z + v.w; }
kernel void test(global uint *out) { out[0] = sum(3u); }

//# accept: the value returned is converted to the type of the function
//# expect: 2 1
int truncated(float x) { return x; }
bool nonzero(float x) { return x; }
kernel void test(global uint *out) {
    out[0] = truncated(2.9f);
    out[1] = nonzero(0.1f);
}

//# accept: parameters are variables of the function
//# expect: 10 4
uint f(uint n) {
    uint s = 0;
    while (n) s += n--;
    return s;
}
kernel void test(global uint *out) {
    uint n = 4;
    out[0] = f(n);
    out[1] = n;
}

//# accept: structs are passed and returned by value
//# expect: 1 20 30 2
struct s { int a; int b[2]; };
struct s change(struct s s) { s.a = 1; s.b[1] += 10; return s; }
kernel void test(global uint *out) {
    struct s x = {2, {20, 20}}, y = change(x);
    out[0] = y.a;
    out[1] = y.b[0];
    out[2] = y.b[1];
    out[3] = x.a;
}

//# accept: a member of what a function returns
//# expect: 5 7
struct s { int a; int b[2]; };
struct s make(int a, int b) { struct s s = {a, {a, b}}; return s; }
kernel void test(global uint *out) {
    out[0] = make(5, 7).a;
    out[1] = make(5, 7).b[1];
}

//# accept: arrays are passed as pointers
//# options: -cl-std=CL1.2
//# expect: 9 8
void set(private uint a[2]) { a[0] = 9; }
kernel void test(global uint *out) {
    uint a[2] = {1, sizeof(a)};
    set(a);
    out[0] = a[0];
    out[1] = a[1];
}

//# accept: the order of evaluation of a chain of calls
//# expect: 3 1 2
uint note(global uint *out, uint n) { out[n] = ++out[0]; return n; }
kernel void test(global uint *out) {
    (void)(note(out, 1) && note(out, 2) && (out[0]++, 0) && note(out, 2));
}

//# accept: every argument is evaluated once
//# expect: 3 2 5
uint add(uint a, uint b) { return a + b; }
kernel void test(global uint *out) {
    uint i = 1, j = 2;
    out[2] = add(++i, ++j);
    out[1] = i;
    out[0] = j;
}

//# accept: a function without return value may return early
//# expect: 1 0
void f(global uint *out, int n) {
    if (n) { *out = 1; return; }
}
kernel void test(global uint *out) { f(out, 1); f(out + 1, 0); }

//# accept: a function of type void may return what a void function returns
//# expect: 1
void f(global uint *out) { *out = 1; }
void g(global uint *out) { return f(out); }
kernel void test(global uint *out) { g(out); }

//# accept: prototypes may leave out names
//# expect: 3
uint add(uint, uint);
kernel void test(global uint *out) { out[0] = add(1, 2); }
uint add(uint a, uint b) { return a + b; }

//# accept: a prototype inside a function
//# expect: 3
kernel void test(global uint *out) {
    uint add(uint, uint);
    out[0] = add(1, 2);
}
uint add(uint a, uint b) { return a + b; }

//# accept: a type may be declared by typedef of a function type
//# expect: 3
typedef uint binary(uint, uint);
binary add;
kernel void test(global uint *out) { out[0] = add(1, 2); }
uint add(uint a, uint b) { return a + b; }

//# accept: a function's name is hidden by a variable of an inner scope
//# expect: 4
uint f(uint x) { return x; }
kernel void test(global uint *out) {
    uint f = 4;
    out[0] = f;
}

//# accept: inline with a definition
//# expect: 6
inline uint twice(uint x) { return 2 * x; }
kernel void test(global uint *out) { out[0] = twice(3); }

//# accept: static inline
//# expect: 6
static inline uint twice(uint x) { return 2 * x; }
kernel void test(global uint *out) { out[0] = twice(3); }

//# accept: extern inline
//# expect: 6
extern inline uint twice(uint x);
inline uint twice(uint x) { return 2 * x; }
kernel void test(global uint *out) { out[0] = twice(3); }

//# accept: attributes that ask for or forbid inlining change no result
//# expect: 6 9
__attribute__((always_inline)) uint twice(uint x) { return 2 * x; }
__attribute__((noinline)) uint thrice(uint x) { return 3 * x; }
kernel void test(global uint *out) { out[0] = twice(3); out[1] = thrice(3); }

//# accept: overloadable functions are chosen by the types of the arguments
//# expect: 1 2 3 4 2
uint __attribute__((overloadable)) which(int x) { return 1; }
uint __attribute__((overloadable)) which(float x) { return 2; }
uint __attribute__((overloadable)) which(int2 x) { return 3; }
uint __attribute__((overloadable)) which(int x, int y) { return 4; }
kernel void test(global uint *out) {
    out[0] = which(1);
    out[1] = which(1.0f);
    out[2] = which((int2)(1, 2));
    out[3] = which(1, 2);
    float x = 0;
    out[4] = which(x);
}

//# accept: overloads by address space
//# expect: 1 2 3
uint __attribute__((overloadable)) which(global int *p) { return 1; }
uint __attribute__((overloadable)) which(local int *p) { return 2; }
uint __attribute__((overloadable)) which(private int *p) { return 3; }
kernel void test(global uint *out) {
    local int l;
    int x;
    out[0] = which((global int *)out);
    out[1] = which(&l);
    out[2] = which(&x);
}

//# accept: an overload adds to the built-in functions of its name
//# expect: 5.0f 7
struct pair { int a, b; };
int __attribute__((overloadable)) max(struct pair p) { return p.a > p.b ? p.a : p.b; }
kernel void test(global uint *out) {
    struct pair p = {7, 3};
    out[0] = as_uint(max(5.0f, 4.0f));
    out[1] = max(p);
}

//# accept: a definition may take the name of a built-in function
//# expect: 42
float mix3(float x);
float smooth(float x) { return 42.0f; }
kernel void test(global uint *out) { out[0] = smooth(1.0f); }

//# accept: main need not be void, and other functions may fall off their end if the value is not used
//# warn: 3: non-void function does not return a value in all control paths
//# expect: 1
int f(int n) {
    if (n) return 1;
}
kernel void test(global uint *out) { out[0] = f(1); }

//# accept: deep chains of calls
//# expect: 6
uint f5(uint x) { return x + 1; }
uint f4(uint x) { return f5(x) + 1; }
uint f3(uint x) { return f4(x) + f4(x) - x - 2; }
uint f2(uint x) { return f3(x) + 1; }
uint f1(uint x) { return f2(x) + 1; }
kernel void test(global uint *out) { out[0] = f1(2); }

//# reject: as many arguments as parameters
//# error: 2: too few arguments to function call, expected 2, have 1
uint add(uint a, uint b) { return a + b; }
kernel void test(global uint *out) { out[0] = add(1); }

//# reject: and no more
//# error: 2: too many arguments to function call, expected 2, have 3
uint add(uint a, uint b) { return a + b; }
kernel void test(global uint *out) { out[0] = add(1, 2, 3); }

//# reject: a struct is no number
//# error: 4: passing 'struct s' to parameter of incompatible type 'uint'
struct s { int x; };
uint f(uint x) { return x; }
kernel void test(global uint *out) {
    struct s s = {1}; out[0] = f(s);
}

//# reject: a vector is converted to no other vector
//# error: 2: to parameter of incompatible type
uint f(uint4 v) { return v.x; }
kernel void test(global uint *out) { out[0] = f((int4)(1)); }

//# reject: nor to a scalar
//# error: 2: to parameter of incompatible type
uint f(uint v) { return v; }
kernel void test(global uint *out) { out[0] = f((uint4)(1)); }

//# reject: what is called is a function
//# error: 3: called object type 'int' is not a function
kernel void test(global uint *out) {
    int f = 1;
    out[0] = f(1);
}

//# reject: functions of one name need the attribute
//# error: 2: conflicting types for 'f'
uint f(int x) { return 1; }
uint f(float x) { return 2; }
kernel void test(global uint *out) { }

//# reject: overloads that differ in the type returned alone
//# error: 2: conflicting types for 'f'
int __attribute__((overloadable)) f(int x) { return 1; }
float __attribute__((overloadable)) f(int x) { return 2; }
kernel void test(global uint *out) { }

//# reject: a call that fits two overloads equally
//# error: 3: call to 'f' is ambiguous
int __attribute__((overloadable)) f(long x) { return 1; }
int __attribute__((overloadable)) f(ulong x) { return 2; }
kernel void test(global uint *out) { out[0] = f(1); }

//# reject: a call that fits none
//# error: 4: no matching function for call to 'f'
int __attribute__((overloadable)) f(int2 x) { return 1; }
int __attribute__((overloadable)) f(int4 x) { return 2; }
kernel void test(global uint *out) {
    out[0] = f((int8)(1));
}

//# reject: one definition
//# error: 2: redefinition of 'f'
int f(int x) { return 1; }
int f(int x) { return 2; }
kernel void test(global uint *out) { out[0] = f(1); }

//# reject: a function that is called is defined
//# error: 2: undefined function 'f' is called
int f(int x);
kernel void test(global uint *out) { out[0] = f(1); }

//# reject: functions do not nest
//# error: 2: function definition is not allowed here
kernel void test(global uint *out) {
    int f(int x) { return x; }
}

//# reject: a function returns no array
//# error: 2: function cannot return array type 'int[2]'
typedef int pair[2];
pair f(void);
kernel void test(global uint *out) { }

//# reject: a function returns no function
//# error: 2: function cannot return function type 'int (int)'
typedef int unary(int);
unary f(void);
kernel void test(global uint *out) { }

//# reject: a function returns a value
//# error: 1: non-void function 'f' should return a value
int f(void) { return; }
kernel void test(global uint *out) { out[0] = f(); }

//# reject: a void function returns none
//# error: 1: void function 'f' should not return a value
void f(void) { return 1; }
kernel void test(global uint *out) { f(); }

//# reject: a kernel returns none
//# error: 1: void function 'test' should not return a value
kernel void test(global uint *out) { return out[0]; }

//# reject: a parameter has a name in a definition
//# error: 1: parameter name omitted
int f(int) { return 1; }
kernel void test(global uint *out) { out[0] = f(1); }

//# reject: two parameters have two names
//# error: 1: redefinition of parameter 'a'
int f(int a, int a) { return a; }
kernel void test(global uint *out) { out[0] = f(1, 2); }

//# reject: a variable of the body's outermost scope is no parameter's
//# error: 1: redefinition of 'a'
int f(int a) { int a = 1; return a; }
kernel void test(global uint *out) { out[0] = f(1); }

//# reject: a parameter is not void
//# error: 1: argument may not have 'void' type
int f(void a) { return 1; }
kernel void test(global uint *out) { }

//# reject: a function is not assigned
//# error: 2: taking address of function is not allowed
int f(int a) { return 1; }
kernel void test(global uint *out) { f = 0; }

//# accept: a definition may declare its parameters behind their names, in any order
//# expect: 12 0x40c00000 5 -3 8
typedef int number;
int f(a, b, c) int *b, a; int c[2]; { return a + *b + c[1]; }
float g(x) const float x; { return x * 2; }
number h(x) uchar x; { typedef uint number; return (number)x; }
struct point { int x, y; };
int sum(p) struct point p; { return p.x - p.y; }
kernel void test(out) global uint *out;
{
    int two = 2, last[] = {1, 7};
    out[0] = f(3, &two, last);
    out[1] = as_uint(g(3));
    out[2] = h(261);
    struct point p = {1, 4};
    out[3] = sum(p);
    out[4] = f(1, &two, (int[]){0, 5});
}

//# reject: each name has a declaration
//# error: 1: parameter 'b' is not declared
int f(a, b) int a; { return a; }
kernel void test(global uint *out) { }

//# reject: each declaration is of one of the names
//# error: 1: no parameter named 'b'
int f(a) int a, b; { return a; }
kernel void test(global uint *out) { out[0] = f(1); }

//# reject: no parameter is declared twice
//# error: 1: redefinition of parameter 'a'
int f(a) int a; float a; { return a; }
kernel void test(global uint *out) { out[0] = f(1); }

//# reject: only definitions have them
//# error: 1: expected function body after function declarator
int f(a) int a; ;
kernel void test(global uint *out) { }

//# reject: inline is for functions
//# error: 1: 'inline' can only appear on functions
inline constant int x = 1;
kernel void test(global uint *out) { out[0] = x; }
