//! 6.13.1 Specifying Attributes of Types

//# accept: aligned gives a struct a minimum alignment
//# expect: 8 8
struct S { short f[3]; } __attribute__((aligned(8)));
kernel void test(global uint *out) {
    out[0] = sizeof(struct S);
    out[1] = __alignof__(struct S);
}

//# accept: between the keyword and the tag too
//# expect: 16 16
struct __attribute__((aligned(16))) S { int f; };
kernel void test(global uint *out) {
    out[0] = sizeof(struct S);
    out[1] = __alignof__(struct S);
}

//# accept: aligned on a typedef
//# expect: 8 4
typedef int more_aligned_int __attribute__((aligned(8)));
kernel void test(global uint *out) {
    out[0] = __alignof__(more_aligned_int);
    out[1] = sizeof(more_aligned_int);
}

//# accept: a member of a type so aligned is aligned so
//# expect: 8 16
typedef int more_aligned_int __attribute__((aligned(8)));
struct S { int a; more_aligned_int b; };
kernel void test(global uint *out) {
    out[0] = (uint)(size_t)&((global struct S *)0)->b;
    out[1] = sizeof(struct S);
}

//# accept: variables of the type are where it says
//# expect: 0 0
struct S { short f[3]; } __attribute__((aligned(32)));
kernel void test(global uint *out) {
    local struct S l[2];
    char c;
    struct S s;
    c = 1;
    s.f[0] = c;
    out[0] = (uint)(size_t)&l[1] % 32;
    out[1] = (uint)(size_t)&s % 32;
}

//# accept: arrays of the type step by its size
//# expect: 32
struct __attribute__((aligned(16))) S { int f; };
kernel void test(global uint *out) {
    private struct S s[3];
    out[0] = (private char *)&s[2] - (private char *)&s[0];
}

//# accept: aligned without a factor is the largest alignment of any type
//# expect: 128
struct S { short f[3]; } __attribute__((aligned));
kernel void test(global uint *out) {
    out[0] = __alignof__(struct S);
}

//# accept: aligned cannot decrease the alignment of a struct
//# expect: 4 8
struct __attribute__((aligned(1))) S { int f; char c; };
kernel void test(global uint *out) {
    out[0] = __alignof__(struct S);
    out[1] = sizeof(struct S);
}

//# accept: packed can, and aligned with it sets what is wanted
//# expect: 1 5 2 6
struct __attribute__((packed)) S { int f; char c; };
struct __attribute__((packed, aligned(2))) T { int f; char c; };
kernel void test(global uint *out) {
    out[0] = __alignof__(struct S);
    out[1] = sizeof(struct S);
    out[2] = __alignof__(struct T);
    out[3] = sizeof(struct T);
}

//# accept: an aligned member aligns the struct
//# expect: 16 32 16
struct S { char c; int i __attribute__((aligned(16))); };
kernel void test(global uint *out) {
    out[0] = __alignof__(struct S);
    out[1] = sizeof(struct S);
    out[2] = (uint)(size_t)&((global struct S *)0)->i;
}

//# accept: packed places members without gaps, but does not change the layout of a member's type
//# expect: 13 1 5 8
struct my_unpacked_struct { char c; int i; };
struct __attribute__((packed)) my_packed_struct { char c; int i; struct my_unpacked_struct s; };
kernel void test(global uint *out) {
    global struct my_packed_struct *p = 0;
    out[0] = sizeof(struct my_packed_struct);
    out[1] = (uint)(size_t)&p->i;
    out[2] = (uint)(size_t)&p->s;
    out[3] = sizeof p->s;
}

//# accept: packed behind the brace is the same
//# expect: 5
struct S { char c; int i; } __attribute__((packed));
kernel void test(global uint *out) {
    out[0] = sizeof(struct S);
}

//# accept: members of packed structs in memory are read and written whole
//# expect: 0x33221100 0x66000044 77
struct __attribute__((packed)) S { char c; int i; short s; };
kernel void test(global uint *out) {
    global struct S *p = (global struct S *)out;
    p->c = 0;
    p->i = 0x44332211;
    p->s = 0x0000;
    out[1] |= 0x66000000;
    struct S s = {1, 70, 6};
    s.i += s.c + s.s;
    out[2] = s.i;
}

//# accept: members of packed structs may be wide vectors and 64-bit integers
//# expect: 0 7 0 3 4
struct __attribute__((packed)) S { uchar c; ulong l; float4 v; };
kernel void test(global uint *out) {
    struct S s;
    s.c = 7;
    s.l = 0x700000000UL;
    s.v = (float4)(1, 2, 3, 4);
    out[0] = (uint)s.l;
    out[1] = (uint)(s.l >> 32);
    out[2] = s.c - 7;
    out[3] = s.v.z;
    out[4] = s.v.w;
}

//# accept: packed unions
//# expect: 5 1
union __attribute__((packed)) U { char c[5]; int i; };
kernel void test(global uint *out) {
    out[0] = sizeof(union U);
    out[1] = __alignof__(union U);
}

//# accept: aligned unions
//# expect: 16
union __attribute__((aligned(16))) U { char c[5]; int i; };
kernel void test(global uint *out) {
    out[0] = sizeof(union U);
}

//# accept: packed enums are of the smallest integer type
//# expect: 1 2 4 1 255 0xffffff80
enum __attribute__((packed)) small { A = 255 };
enum __attribute__((packed)) medium { B = 256 };
enum __attribute__((packed)) large { C = 65536 };
enum negative { D = -128, E = 127 } __attribute__((packed));
kernel void test(global uint *out) {
    out[0] = sizeof(enum small);
    out[1] = sizeof(enum medium);
    out[2] = sizeof(enum large);
    out[3] = sizeof(enum negative);
    enum small a = A;
    enum negative d = D;
    out[4] = a;
    out[5] = d;
}

//# accept: packed on a typedef that defines the struct
//# expect: 5
typedef struct { char c; int i; } __attribute__((packed)) S;
kernel void test(global uint *out) {
    out[0] = sizeof(S);
}

//# accept: packed on a typedef that does not define one says nothing
//# warn: 2: 'packed' attribute ignored
//# expect: 8
struct S { char c; int i; };
typedef struct S T __attribute__((packed));
kernel void test(global uint *out) {
    out[0] = sizeof(T);
}

//# reject: an alignment is a power of two
//# error: 1: requested alignment is not a power of 2
struct __attribute__((aligned(3))) S { int f; };
kernel void test(global uint *out) { }

//# reject: not zero
//# error: 1: requested alignment is not a power of 2
struct __attribute__((aligned(0))) S { int f; };
kernel void test(global uint *out) { }

//# reject: an alignment is a constant
//# error: 2: 'aligned' attribute requires an integer constant
kernel void test(global uint *out) {
    struct __attribute__((aligned(out[0]))) S { int f; };
}

//# reject: an alignment is an integer
//# error: 1: 'aligned' attribute requires an integer constant
struct __attribute__((aligned(4.0f))) S { int f; };
kernel void test(global uint *out) { }

//# reject: aligned takes one argument
//# error: 1: 'aligned' attribute takes no more than 1 argument
struct __attribute__((aligned(4, 8))) S { int f; };
kernel void test(global uint *out) { }

//# reject: packed takes none
//# error: 1: 'packed' attribute takes no arguments
struct __attribute__((packed(1))) S { int f; };
kernel void test(global uint *out) { }

//# accept: elements of an array in a packed structure are read and written where they lie
//# expect: 0x1234 7 0x55555555 0x55555556
struct __attribute__((packed)) S { short x; uint2 y[4]; char z; };
kernel void test(global uint *out) {
    struct S s = { .x = 0x1234, .z = 7 };
    for (int i = 0; i < 4; i++)
        s.y[(i + out[0]) & 3] = (uint2)(0x55555555, 0x55555556);
    out[0] = s.x;
    out[1] = s.z;
    out[2] = s.y[0].x;
    out[3] = s.y[3].y;
}

//# accept: attributes of other compilers make vectors, as a typedef's declarator or specifiers have them
//# expect: 11 22 33 44 16 9 7 12 8
typedef int four __attribute__((ext_vector_type(4)));
typedef short __attribute__((__vector_size__(16))) eight;
struct S { char __attribute__((ext_vector_type(3))) c; };
kernel void test(global uint *out) {
    four v = (four)(1, 2, 3, 4) + 0;
    v = v * 10 + (int4)(1, 2, 3, 4);
    out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.s3;
    out[4] = sizeof(eight);
    eight e = 4;
    out[5] = (e + (short8)(5)).s7;
    struct S s = { (char3)(5, 6, 7) };
    out[6] = s.c.z;
    typedef float pair __attribute__((vector_size(8), aligned(32)));
    out[7] = (int)dot((pair)(3, 4), (float2)(4, 0));
    out[8] = sizeof(pair);
}

//# reject: they make OpenCL C's vectors, of numbers, and stand where their type is
//# error: 1: 'ext_vector_type' attribute of 5 makes no vector of OpenCL C
//# error: 2: 'vector_size' attribute of 6 makes no vector of OpenCL C
//# error: 3: invalid vector element type 'bool'
//# error: 4: 'vector_size' attribute takes one argument
//# error: 6: attribute 'ext_vector_type' must stand before the declarator
typedef int five __attribute__((ext_vector_type(5)));
typedef int half_more __attribute__((vector_size(6)));
typedef bool flags __attribute__((ext_vector_type(4)));
typedef int none __attribute__((vector_size));
kernel void test(global uint *out) {
    float late __attribute__((ext_vector_type(4)));
}

//# reject: attributes that would change the program are not passed over
//# error: 1: attribute 'mode' is not supported
//# error: 2: attribute 'address_space' is not supported
typedef int byte __attribute__((__mode__(QI)));
kernel void test(global uint *out) { int *p __attribute__((address_space(1))) = 0; }
