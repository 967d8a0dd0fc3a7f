//! 6.11 Restrictions

//# reject: a. arguments of kernels that are pointers point to a named address space
//# options: -cl-std=CL1.2
//# error: 1: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
kernel void other(int *p) { }
kernel void test(global uint *out) { }

//# reject: a. not to the private one
//# error: 1: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
kernel void other(private int *p) { }
kernel void test(global uint *out) { }

//# reject: a. an array as argument of a kernel is a pointer
//# options: -cl-std=CL1.2
//# error: 1: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space
kernel void other(int p[4]) { }
kernel void test(global uint *out) { }

//# accept: a. pointers to global, constant and local memory are arguments of kernels
//# expect: 1
kernel void other(global int *g, constant int *c, local int *l, global int a[4]) { }
kernel void test(global uint *out) { out[0] = 1; }

//# accept: a. a pointer to constant is assigned to a pointer to constant
//# expect: 2
constant uint x[2] = {1, 2};
kernel void test(global uint *out) {
    constant uint *p = x;
    constant uint *q = p + 1;
    out[0] = *q;
}

//# reject: a. a pointer to constant is not assigned to a pointer to global
//# error: 3: changes address space of pointer
constant uint x = 1;
kernel void test(global uint *out) {
    global const uint *p = &x;
    out[0] = *p;
}

//# reject: a. nor to a pointer to private
//# options: -cl-std=CL1.2
//# error: 3: changes address space of pointer
constant uint x = 1;
kernel void test(global uint *out) {
    const uint *p = &x;
    out[0] = *p;
}

//# reject: a. nor is a pointer to global assigned to a pointer to constant
//# error: 2: changes address space of pointer
kernel void test(global uint *out) {
    constant uint *p = out;
    out[0] = *p;
}

//# reject: a. nor by a cast
//# error: 3: changes address space of pointer
constant uint x = 1;
kernel void test(global uint *out) {
    global uint *p = (global uint *)&x;
    out[0] = *p;
}

//# reject: a. pointers to functions are not allowed
//# error: 3: pointers to functions are not allowed
uint f(uint x) { return x; }
kernel void test(global uint *out) {
    uint (*p)(uint) = 0;
}

//# reject: a. the address of a function is not taken
//# error: 3: taking address of function is not allowed
uint f(uint x) { return x; }
kernel void test(global uint *out) {
    out[0] = (uint)&f;
}

//# reject: a. a function's name alone is such an address
//# error: 3: taking address of function is not allowed
uint f(uint x) { return x; }
kernel void test(global uint *out) {
    if (f)
        out[0] = 1;
}

//# reject: a. a parameter is no pointer to a function
//# error: 1: pointers to functions are not allowed
uint apply(uint (*p)(uint), uint x) { return x; }
kernel void test(global uint *out) { }

//# reject: a. nor a function that would be adjusted to one
//# error: 1: pointers to functions are not allowed
uint apply(uint p(uint), uint x) { return x; }
kernel void test(global uint *out) { }

//# reject: a. arguments of kernels are no pointers to pointers in OpenCL C 1.2
//# options: -cl-std=CL1.2
//# error: 1: kernel parameter cannot be declared as a pointer to a pointer
kernel void other(global int *global *p) { }
kernel void test(global uint *out) { }

//# reject: a. nor in OpenCL C 1.0
//# options: -cl-std=CL1.0
//# error: 1: kernel parameter cannot be declared as a pointer to a pointer
kernel void other(global int *global *p) { }
kernel void test(global uint *out) { }

//# accept: a. they may be since OpenCL C 2.0
//# options: -cl-std=CL3.0
//# expect: 1
kernel void other(global int *global *p) { }
kernel void test(global uint *out) { out[0] = 1; }

//# accept: a. variables and arguments of functions may be pointers to pointers in every version
//# options: -cl-std=CL1.0
//# expect: 5 6
void set(private uint **p, uint value) { **p = value; }
kernel void test(global uint *out) {
    uint x = 1, y = 2;
    uint *p = &x;
    uint **pp = &p;
    **pp = 5;
    p = &y;
    set(pp, 6);
    out[0] = x;
    out[1] = y;
}

//# reject: c. members are no bit-fields
//# error: 1: bit-fields are not supported in OpenCL
struct s { int x : 3; };
kernel void test(global uint *out) { }

//# reject: c. nor nameless bit-fields
//# error: 1: bit-fields are not supported in OpenCL
struct s { int x; int : 3; };
kernel void test(global uint *out) { }

//# reject: d. variable length arrays are not supported
//# error: 3: variable length arrays are not supported in OpenCL
kernel void test(global uint *out) {
    int n = out[0];
    int a[n];
}

//# reject: d. nor are they as parameters
//# error: 1: variable length arrays are not supported in OpenCL
int f(int n, int a[*]);
kernel void test(global uint *out) { }

//# accept: d. flexible array members are not part of the language, and other compilers take them
//# warn: 1: flexible array member 'a' is not part of OpenCL C
//# expect: 4
struct s { int n; int a[]; };
kernel void test(global uint *out) { out[0] = sizeof(struct s); }

//# reject: d. unsized arrays neither
//# error: 2: definition of variable with array type needs an explicit size or an initializer
kernel void test(global uint *out) {
    int a[];
}

//# accept: d. an array of no elements has a size, and is accepted as by clang
//# expect: 0
kernel void test(global uint *out) {
    int a[0];
    out[0] = sizeof a;
}

//# accept: d. an initializer gives an array its size
//# expect: 12
kernel void test(global uint *out) {
    int a[] = {1, 2, 3};
    out[0] = sizeof a;
}

//# reject: e. variadic functions are not supported
//# error: 1: invalid prototype, variadic arguments are not allowed in OpenCL
int sum(int n, ...);
kernel void test(global uint *out) { }

//# reject: e. variadic kernels neither
//# error: 1: invalid prototype, variadic arguments are not allowed in OpenCL
kernel void other(global int *p, ...) { }
kernel void test(global uint *out) { }

//# accept: f. variadic macros are supported since OpenCL C 3.0
//# options: -cl-std=CL3.0
//# expect: 6
#define CALL(f, ...) f(__VA_ARGS__)
int add(int a, int b, int c) { return a + b + c; }
kernel void test(global uint *out) {
    out[0] = CALL(add, 1, 2, 3);
}

//# accept: g. an empty parameter list means no arguments
//# expect: 3
int three() { return 3; }
kernel void test(global uint *out) { out[0] = three(); }

//# reject: g. so that there are none in calls
//# error: 2: too many arguments to function call, expected 0, have 1
int three() { return 3; }
kernel void test(global uint *out) { out[0] = three(1); }

//# reject: g. nor in another declaration
//# error: 2: conflicting types for 'three'
int three();
int three(int x) { return x; }
kernel void test(global uint *out) { }

//# reject: h. assert.h is not available
//# error: 1: 'assert.h' file not found
#include <assert.h>
kernel void test(global uint *out) { }

//# reject: h. stdio.h is not available
//# error: 1: 'stdio.h' file not found
#include <stdio.h>
kernel void test(global uint *out) { }

//# reject: h. stdarg.h is not available
//# error: 1: 'stdarg.h' file not found
#include <stdarg.h>
kernel void test(global uint *out) { }

//# reject: h. limits.h is not available, though its macros are
//# error: 1: 'limits.h' file not found
#include <limits.h>
kernel void test(global uint *out) { }

//# reject: h. tgmath.h is not available
//# error: 1: 'tgmath.h' file not found
#include <tgmath.h>
kernel void test(global uint *out) { }

//# reject: h. nor are the functions of stdlib.h
//# error: 2: implicit declaration of function 'malloc' is invalid in OpenCL
kernel void test(global uint *out) {
    out[0] = malloc(4);
}

//# reject: h. nor those of string.h
//# error: 3: implicit declaration of function 'memcpy' is invalid in OpenCL
kernel void test(global uint *out) {
    int a[2] = {1, 2}, b[2];
    memcpy(b, a, 8);
}

//# reject: h. nor the types of inttypes.h
//# error: 2: unknown type name 'uint32_t'
kernel void test(global uint *out) {
    uint32_t x = 0;
}

//# accept: h. a program may use such names for its own
//# expect: 3
typedef uint uint32_t;
uint32_t abort(void) { return 3; }
kernel void test(global uint *out) { out[0] = abort(); }

//# reject: i. auto is not supported
//# error: 2: OpenCL C version 1.2 does not support the 'auto' storage class specifier
kernel void test(global uint *out) {
    auto int x = 1;
}

//# reject: j. predefined identifiers are not supported in OpenCL C 1.1
//# options: -cl-std=CL1.1
//# error: 2: use of undeclared identifier '__func__'
kernel void test(global uint *out) {
    constant char *name = __func__;
}

//# accept: j. they are since OpenCL C 1.2
//# options: -cl-std=CL1.2
//# expect: 116 101 115 116 0
kernel void test(global uint *out) {
    constant char *name = __func__;
    for (int i = 0; i < 5; i++)
        out[i] = name[i];
}

//# reject: k. a function does not call itself as often as is known at run time
//# error: 2: recursive call to 'fact' is not allowed in OpenCL C
uint fact(uint n) {
    return n ? n * fact(n - 1) : 1;
}
kernel void test(global uint *out) { out[0] = fact(out[0]); }

//# reject: k. nor do functions call each other in a circle
//# error: 2: recursive call to 'odd' is not allowed in OpenCL C
uint odd(uint n);
uint even(uint n) { return n ? odd(n - 1) : 1; }
uint odd(uint n) { return n ? even(n - 1) : 0; }
kernel void test(global uint *out) { out[0] = even(out[0]); }

//# reject: k. nor for ever, with other constants each time
//# error: 1: recursive call to 'f' is not allowed in OpenCL C
uint f(uint x, uint n) { return x ? f(x / 2, n + 1) : n; }
kernel void test(global uint *out) { out[0] = f(out[0], 0); }

//# reject: k. nor with several calls of each other that all have other constants
//# error: 3: recursive call to 'g' is not allowed in OpenCL C
//# error: 4: recursive call to 'g' is not allowed in OpenCL C
uint g(uint x, uint n, uint m);
uint f(uint x, uint n, uint m) {
    return x ? g(x, n + 1, m) +
        g(x, n, m + 1) : n;
}
uint g(uint x, uint n, uint m) { return x ? f(x, n * 5, m) + f(x, n, m * 7) : m; }
kernel void test(global uint *out) { out[0] = f(out[0], 1, 1); }

//# reject: k. nor with objects that grow and several calls
//# error: 4: recursive call to 'f' is not allowed in OpenCL C
//# error: 5: recursive call to 'f' is not allowed in OpenCL C
struct s { uint x, n; };
uint f(struct s a) {
    struct s b = {a.x, a.n + 1}, c = {a.x + 1, a.n + 2};
    return a.x ? f(b) +
        f(c) : a.n;
}
kernel void test(global uint *out) { struct s a = {out[0], 0}; out[0] = f(a); }

//# accept: k. recursion that constants end is one function for each constant
//# expect: 6 1 0 1003
uint fact(uint n) { return n ? n * fact(n - 1) : 1; }
uint odd(uint n);
uint even(uint n) { return n ? odd(n - 1) : 1; }
uint odd(uint n) { return n ? even(n - 1) : 0; }
uint f(uint x, int n) {
    if (n >= 9)
        return f(x / 2, 2);
    return x + n;
}
kernel void test(global uint *out) {
    uint x = out[0];
    out[0] = fact(3);
    out[1] = even(4);
    out[2] = odd(6);
    out[3] = f(x + 2002, 9);
}

//# accept: k. so are templates of several constants, with calls that others make
//# expect: 4194304 55 40 43
uint add(uint x, int n, int step) {
    if (n > 0)
        x = add(x + step, n - step, step);
    return x;
}
uint adds(uint x, int n) { return add(x, n, 1) + add(x, n, n / 2); }
// Twice as many calls at each level.
uint both(uint x, int n) { return n == 0 ? x : both(x, n - 1) + both(x + 1, n - 1); }
uint fibonacci(uint one, uint n) { return n < 2 ? n * one : fibonacci(one, n - 1) + fibonacci(one, n - 2); }
__attribute__((noinline)) uint kept(uint x, char n) {
    if (n == 0)
        return x;
    for (int i = 0; i < 4; i++)
        x = x * 3 % 61;
    return kept(x, n - 1) + (n == 1 ? 20 : 0);
}
kernel void test(global uint *out) {
    uint x = out[0];
    out[0] = both(x, 20) / 5 * 2;
    out[1] = fibonacci(x + 1, 10);
    out[2] = adds(x, 20);
    out[3] = kept(x + 1, 1) + kept(x + 2, 0) + 1;
}

//# accept: k. also through a switch, logical operators and loops
//# expect: 321 7 21 120
uint digits(uint x, int n) {
    switch (n) {
    case 0: return x;
    case 1: return digits(x * 10 + 3, 2);
    case 2: return digits(x * 10 + 2, 3);
    case 3: return digits(x * 10 + 1, 0);
    default: return 1 + digits(x, n - 1);
    }
}
bool all(global uint *p, int n) { return n == 0 || p[n] == 0 && all(p, n - 1); }
uint sum(uint x, int n) {
    uint r = x;
    for (int i = 1; i < n; i++)
        r += sum(1, i);
    return r;
}
uint product(uint x, int n) {
    int i = n;
    while (i > 1) {
        x *= product(i, 1);
        i--;
    }
    return x;
}
kernel void test(global uint *out) {
    uint x = out[0];
    out[0] = digits(x, 1);
    out[3] = product(x + 1, 5);
    out[1] = all(out, 2) ? 7 : 8;
    out[2] = digits(x, 5) + sum(x + 1, 5) + 2;
}

//# accept: k. a branch at run time between calls with constants ends, too
//# expect: 31 15
uint count(global uint *tree, uint node, int depth) {
    if (depth == 5 || tree[node] == 1)
        return 0;
    return 1 + count(tree, 0, depth + 1) + count(tree, 1, depth + 1);
}
kernel void test(global uint *out) {
    uint all = count(out, 0, 0);
    out[0] = all;
    out[1] = count(out, 1, 1);
}

//# accept: k. constants may be members of objects that are passed
//# expect: 10 144
struct s { uint x; int n; };
struct s next(struct s a) { a.x += a.n; a.n--; return a; }
uint by_value(struct s a) { return a.n == 0 ? a.x : by_value(next(a)); }
void by_address(struct s *a) {
    if (a->n > 1) {
        a->x *= a->n--;
        by_address(a);
    }
}
void by_addresses(uint *x, int *n) {
    if (*n > 1) {
        *x *= (*n)--;
        by_addresses(x, n);
    }
}
kernel void test(global uint *out) {
    struct s a = {out[0], 4}, b = {out[0] + 1, 4};
    int n = 3;
    by_address(&b);
    by_addresses(&b.x, &n);
    out[0] = by_value(a);
    out[1] = b.x;
}

//# accept: k. recursion behind a branch that is never taken, or that no kernel reaches, is none
//# expect: 5
uint unused(uint n) { return n ? unused(n - 1) : 1; }
uint f(uint x, bool again) { return again ? f(x - 1, x > 1) : x; }
kernel void test(global uint *out) { out[0] = f(out[0] + 5, false); }

//# reject: k. nor does a kernel
//# error: 3: recursive
kernel void test(global uint *out) {
    if (out[0]++ < 3)
        test(out);
}

//# reject: l. a kernel returns void
//# error: 1: kernel must have void return type
kernel int test(global uint *out) { return 0; }

//# reject: l. not a pointer to void
//# error: 1: kernel must have void return type
kernel global void *test(global uint *out) { return 0; }

//# reject: m. an argument of a kernel is not bool
//# error: 1: 'bool' cannot be used as the type of a kernel parameter
kernel void other(bool b) { }
kernel void test(global uint *out) { }

//# reject: m. nor size_t
//# error: 1: 'size_t' cannot be used as the type of a kernel parameter
kernel void other(size_t n) { }
kernel void test(global uint *out) { }

//# reject: m. nor ptrdiff_t
//# error: 1: 'ptrdiff_t' cannot be used as the type of a kernel parameter
kernel void other(ptrdiff_t n) { }
kernel void test(global uint *out) { }

//# reject: m. nor intptr_t
//# error: 1: 'intptr_t' cannot be used as the type of a kernel parameter
kernel void other(intptr_t n) { }
kernel void test(global uint *out) { }

//# reject: m. nor uintptr_t
//# error: 1: 'uintptr_t' cannot be used as the type of a kernel parameter
kernel void other(uintptr_t n) { }
kernel void test(global uint *out) { }

//# reject: m. nor another name of one of these
//# error: 2: cannot be used as the type of a kernel parameter
typedef size_t count;
kernel void other(count n) { }
kernel void test(global uint *out) { }

//# reject: m. nor a struct with a member of type bool
//# error: 2: cannot be used as the type of a kernel parameter
struct s { int x; bool b; };
kernel void other(struct s s) { }
kernel void test(global uint *out) { }

//# reject: m. nor a struct with a member of type size_t
//# error: 2: cannot be used as the type of a kernel parameter
struct s { int x; size_t n; };
kernel void other(struct s s) { }
kernel void test(global uint *out) { }

//# reject: m. nor a union of a struct of an array of such
//# error: 3: cannot be used as the type of a kernel parameter
struct s { ptrdiff_t n[2]; };
union u { struct s s; int x; };
kernel void other(union u u) { }
kernel void test(global uint *out) { }

//# accept: m. the same types are arguments of functions
//# expect: 1 2
struct s { size_t n; bool b; };
uint f(size_t n, bool b) { return n + b; }
uint g(struct s s) { return s.n; }
kernel void test(global uint *out) {
    struct s s = {2, true};
    out[0] = f(0, true);
    out[1] = g(s);
}

//# accept: n. half is a storage format
//# expect: 2.5f 2
kernel void test(global uint *out) {
    ushort bits = 0x4100;
    private half *p = (private half *)&bits;
    out[0] = as_uint(vload_half(0, p));
    out[1] = sizeof(half);
}

//# accept: o. irreducible control flow works here
//# expect: 10
kernel void test(global uint *out) {
    uint i = 0, sum = 0;
    if (out[0] == 0)
        goto middle;
top:
    sum += i;
middle:
    i++;
    if (i < 5)
        goto top;
    out[0] = sum;
}

//# accept: p. small types are written in OpenCL C 1.0 where the device can
//# requires: cl_khr_byte_addressable_store
//# options: -cl-std=CL1.0
//# expect: 0x04030201 0x00070006
kernel void test(global uint *out) {
    global uchar *c = (global uchar *)out;
    global ushort *s = (global ushort *)(out + 1);
    for (int i = 0; i < 4; i++)
        c[i] = i + 1;
    s[0] = 6;
    s[1] = 7;
}

//# accept: q. const, restrict and volatile are supported
//# expect: 3 4
void copy(global uint *restrict to, const private uint *restrict from) {
    *to = *from;
}
kernel void test(global uint *out) {
    const uint three = 3;
    volatile uint four = 4;
    copy(out, &three);
    out[1] = four;
}

//# reject: q. const objects are not assigned
//# error: 3: cannot assign to variable 'x' with const-qualified type 'const int'
kernel void test(global uint *out) {
    const int x = 1;
    x = 2;
}

//# reject: q. restrict is for pointers
//# error: 2: restrict requires a pointer or reference ('int' is invalid)
kernel void test(global uint *out) {
    int restrict x = 1;
}

//# reject: q. not for structs
//# error: 2: restrict requires a pointer or reference
struct s { int x; };
kernel void other(restrict struct s s) { }
kernel void test(global uint *out) { }

//# reject: r. event_t is no type of a kernel's argument
//# error: 1: 'event_t' cannot be used as the type of a kernel parameter
kernel void other(event_t e) { }
kernel void test(global uint *out) { }

//# reject: r. nor of a variable of program scope
//# error: 1: the 'event_t' type cannot be used to declare a program scope variable
constant event_t e = 0;
kernel void test(global uint *out) { }

//# reject: r. nor of a member
//# error: 1: the 'event_t' type cannot be used to declare a structure or union field
struct s { event_t e; };
kernel void test(global uint *out) { }

//# reject: r. nor in local memory
//# error: 2: the event_t type can only be used with __private address space qualifier
kernel void test(global uint *out) {
    local event_t e;
}

//# reject: r. nor in constant memory
//# error: 2: the 'event_t' type cannot be used to declare a program scope variable
kernel void test(global uint *out) {
    constant event_t e = 0;
}

//# accept: r. private variables and arguments of functions may be events
//# global: 2
//# local: 2
//# expect: 5 6
void wait(event_t e) { wait_group_events(1, &e); }
kernel void test(global uint *out) {
    local uint l[2];
    l[get_local_id(0)] = 5 + get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, l, 2, 0);
    wait(e);
}

//# reject: a function is not called main
//# error: 1: function cannot be called 'main'
void main(void) { }
kernel void test(global uint *out) { main(); }

//# reject: nor is a kernel
//# error: 1: kernel cannot be called 'main'
kernel void main(global uint *out) { }
kernel void test(global uint *out) { }

//# reject: implicit function declaration is not supported
//# error: 2: implicit declaration of function 'f' is invalid in OpenCL
kernel void test(global uint *out) {
    out[0] = f(1);
}

//# reject: not even when the definition follows
//# error: 1: implicit declaration of function 'f' is invalid in OpenCL
kernel void test(global uint *out) { out[0] = f(1); }
int f(int x) { return x; }

//# accept: variables of program scope have any type: scalars, vectors, arrays, structs, pointers
//# expect: 1 2 3 4 2
struct s { int a; int2 b; };
constant uint scalar = 1;
constant uint4 vector = (uint4)(0, 2, 0, 0);
constant uint array[2][2] = {{0, 0}, {0, 3}};
constant struct s record = {0, (int2)(0, 4)};
constant uint *constant pointer = &array[1][1];
kernel void test(global uint *out) {
    out[0] = scalar;
    out[1] = vector.y;
    out[2] = *pointer;
    out[3] = record.b.y;
    out[4] = sizeof(array) / sizeof(array[0]);
}

//# reject: variables of program scope are in constant memory where there are no others
//# options: -cl-std=CL1.2
//# error: 1: program scope variable must reside in constant address space
int x = 1;
kernel void test(global uint *out) { out[0] = x; }

//# reject: nor are they in local memory
//# error: 1: program scope variable must reside in
local int x;
kernel void test(global uint *out) { out[0] = x; }

//# reject: nor private
//# error: 1: program scope variable must reside in
private int x = 1;
kernel void test(global uint *out) { out[0] = x; }

//# reject: b. images are no variables, members, elements of arrays nor results: where there are none at all
//# requires: !images
//# error: 1: use of type 'image2d_t' requires image support
//# error: 2: use of type 'image1d_t' requires image support
//# error: 4: use of type 'image2d_t' requires image support
//# error: 5: use of type 'image3d_t' requires image support
struct s { image2d_t a; };
image1d_t f(void);
kernel void test(global uint *out) {
    image2d_t a;
    image3d_t b[2];
}

//# reject: b. samplers are no members, elements of arrays nor results
//# requires: !images
//# error: 1: use of type 'sampler_t' requires image support
//# error: 2: use of type 'sampler_t' requires image support
//# error: 4: use of type 'sampler_t' requires image support
struct s { sampler_t a; };
sampler_t f(void);
kernel void test(global uint *out) {
    sampler_t a[2];
}

//# reject: n. half is not a type of arithmetic without cl_khr_fp16
//# requires: !cl_khr_fp16
//# error: 3: requires cl_khr_fp16
//# error: 4: requires cl_khr_fp16
kernel void test(global uint *out) {
    global half *p = (global half *)out;
    p[0] = p[1] + p[2];
    float f = p[0] * 2;
}

//# accept: n. with cl_khr_fp16 it is
//# requires: cl_khr_fp16
//# expect: 0x40003c00 0x4200
kernel void test(global uint *out) {
    global half *p = (global half *)out;
    p[0] = 1;
    p[1] = p[0] * 2;
    p[2] = p[0] + p[1];
}

//# reject: s. clk_event_t, ndrange_t and reserve_id_t are no types of kernels' arguments
//# options: -cl-std=CL3.0
//# requires: !device_enqueue
//# error: 1: 'clk_event_t'
//# error: 2: 'ndrange_t'
//# error: 3: 'reserve_id_t'
kernel void f(clk_event_t e) {}
kernel void g(ndrange_t n) {}
kernel void h(reserve_id_t r) {}
kernel void test(global uint *out) {}
