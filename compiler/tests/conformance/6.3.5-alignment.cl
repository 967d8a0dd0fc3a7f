//! 6.3.5 Alignment of Types

//# accept: scalars and vectors are aligned to their size
//# expect: 1 2 4 8 4 8 2 16 16 32 128
kernel void test(global uint *out) {
    out[0] = __alignof__(char);
    out[1] = __alignof__(short);
    out[2] = __alignof__(int);
    out[3] = __alignof__(long);
    out[4] = __alignof__(float);
    out[5] = __alignof__(void *);
    out[6] = __alignof__(char2);
    out[7] = __alignof__(float4);
    out[8] = __alignof__(char16);
    out[9] = __alignof__(long4);
    out[10] = __alignof__(ulong16);
}

//# accept: vectors of 3 have the size and alignment of vectors of 4
//# expect: 4 4 8 8 16 16 32 32
kernel void test(global uint *out) {
    out[0] = sizeof(char3);
    out[1] = __alignof__(char3);
    out[2] = sizeof(ushort3);
    out[3] = __alignof__(ushort3);
    out[4] = sizeof(float3);
    out[5] = __alignof__(float3);
    out[6] = sizeof(long3);
    out[7] = __alignof__(long3);
}

//# accept: an array of vectors of 3 takes 4 elements each
//# expect: 1 2 3 0 4 5 6 0 32
kernel void test(global uint *out) {
    global uint3 *p = (global uint3 *)out;
    uint3 a[2] = {(uint3)(1, 2, 3), (uint3)(4, 5, 6)};
    p[0].xyz = a[0].xyz;
    p[1].x = a[1].x;
    p[1].y = a[1].y;
    p[1].z = a[1].z;
    out[8] = sizeof(a);
    out[3] = 0;
    out[7] = 0;
}

//# accept: vload3 and vstore3 access packed elements
//# expect: 1 2 3 4 5 6
kernel void test(global uint *out) {
    vstore3((uint3)(1, 2, 3), 0, out);
    vstore3(vload3(0, out) + 3u, 1, out);
}

//# accept: private variables are aligned as their type demands
//# expect: 0 0 0
kernel void test(global uint *out) {
    char a;
    float4 b;
    char c;
    long8 d;
    short e;
    int16 f;
    a = c = e = 1;
    out[0] = (size_t)&b % 16 + (size_t)&a * 0;
    out[1] = (size_t)&d % 64 + (size_t)&c * 0;
    out[2] = (size_t)&f % 64 + (size_t)&e * 0;
}

//# accept: local variables are aligned as their type demands
//# expect: 0 0
kernel void test(global uint *out) {
    local char a;
    local float4 b;
    local char c;
    local long16 d;
    a = c = 0;
    out[0] = (size_t)&b % 16 + a;
    out[1] = (size_t)&d % 128 + c;
}

//# accept: program-scope constants are aligned as their type demands
//# expect: 0 0
constant char a = 0;
constant float4 b = (float4)(1);
constant char c = 0;
constant long16 d = (long16)(1);
kernel void test(global uint *out) {
    out[0] = (size_t)&b % 16 + a;
    out[1] = (size_t)&d % 128 + c;
}

//# accept: aligned raises the alignment of a struct, and so its size
//# expect: 8 8 16 32
struct s { short f[3]; } __attribute__((aligned(8)));
struct __attribute__((aligned(16))) t { char c; };
kernel void test(global uint *out) {
    out[0] = sizeof(struct s);
    out[1] = __alignof__(struct s);
    out[2] = sizeof(struct t);
    struct t a[2];
    out[3] = sizeof(a);
}

//# accept: aligned on a typedef and on a member
//# expect: 8 16 16 32
typedef int more_aligned __attribute__((aligned(8)));
struct s { char a; int b __attribute__((aligned(16))); char c; };
kernel void test(global uint *out) {
    out[0] = __alignof__(more_aligned);
    struct s x;
    out[1] = (char *)&x.b - (char *)&x;
    out[2] = __alignof__(struct s);
    out[3] = sizeof(x);
}

//# accept: aligned on a variable
//# expect: 0 0
kernel void test(global uint *out) {
    char a = 1;
    char b[3] __attribute__((aligned(64)));
    local char c;
    local int d __attribute__((aligned(32)));
    c = 0;
    b[0] = 0;
    out[0] = (size_t)b % 64 + 0 * (size_t)&a;
    out[1] = (size_t)&d % 32 + c;
}

//# accept: aligned never lowers the alignment
//# expect: 8 4
struct s { long a; } __attribute__((aligned(2)));
struct t { int a __attribute__((aligned(1))); };
kernel void test(global uint *out) {
    out[0] = __alignof__(struct s);
    out[1] = __alignof__(struct t);
}

//# accept: aligned without a value is the largest alignment of the machine
//# expect: 1
struct s { short f[3]; } __attribute__((aligned));
kernel void test(global uint *out) {
    out[0] = __alignof__(struct s) >= 8;
}

//# accept: packed leaves no padding; members of members keep theirs
//# expect: 5 13 1 1
struct unpacked { char c; int i; };
struct __attribute__((packed)) small { char c; int i; };
struct __attribute__((packed)) packed { char c; int i; struct unpacked s; };
kernel void test(global uint *out) {
    out[0] = sizeof(struct small);
    out[1] = sizeof(struct packed);
    out[2] = __alignof__(struct packed);
    struct packed x;
    out[3] = (char *)&x.i - (char *)&x;
}

//# accept: members of packed structs are read and written where they lie: private
//# expect: 7 0x12345678 0x9abcdef0 0xfedc 3f
typedef struct __attribute__((packed)) { char a; int b; long c; short d; float e; } s;
kernel void test(global uint *out) {
    s x[2];
    int i = out[0] + 1;
    x[i].a = 7;
    x[i].b = 0x12345678;
    x[i].c = 0x123456789abcdef0;
    x[i].d = (short)0xfedc;
    x[i].e = 3;
    x[0] = x[i];
    out[0] = x[0].a;
    out[1] = x[0].b;
    out[2] = (uint)x[0].c;
    out[3] = (ushort)x[0].d;
    out[4] = as_uint(x[0].e);
}

//# accept: members of packed structs are read and written where they lie: global
//# expect: 0x04030201 0x0b060500 0x0000000c
typedef struct __attribute__((packed)) { char a; int b; short c; } s;
kernel void test(global uint *out) {
    global s *g = (global s *)out;
    g->a = 1;
    g->b = 0x00040302;
    g->b += 0x05000000 - 0x05000000;
    g->c = 0x0500;
    global uchar *bytes = (global uchar *)out;
    bytes[4] = 0;
    bytes[3] = 4;
    bytes[5] = 5;
    bytes[6] = 6;
    s x = {0x0b, 0x0c, 0};
    global s *h = (global s *)(bytes + 7);
    h->a = x.a;
    h->b = x.b;
}

//# accept: members of packed structs are read and written where they lie: local
//# expect: -2 0x11223344 0x55667788 -3
typedef struct __attribute__((packed)) { char a; long b; short c; } s;
kernel void test(global uint *out) {
    local s l[3];
    l[1].a = -2;
    l[1].b = 0x5566778811223344;
    l[1].c = -3;
    l[2] = l[1];
    out[0] = l[2].a;
    out[1] = (uint)l[2].b;
    out[2] = (uint)(l[2].b >> 32);
    out[3] = l[2].c;
}

//# accept: packed on a single member
//# expect: 1 6
struct s { char a; int b __attribute__((packed)); char c; };
kernel void test(global uint *out) {
    struct s x;
    out[0] = (char *)&x.b - (char *)&x;
    out[1] = sizeof(x);
}

//# accept: packed and aligned together
//# expect: 8 4 1
struct __attribute__((packed, aligned(4))) s { char a; int b; };
kernel void test(global uint *out) {
    struct s x;
    out[0] = sizeof(x);
    out[1] = __alignof__(struct s);
    out[2] = (char *)&x.b - (char *)&x;
}

//# accept: a packed enum is of the smallest integer type that holds it
//# expect: 1 2 4
enum __attribute__((packed)) small { A, B = 100 };
enum __attribute__((packed)) middle { C = -1, D = 1000 };
enum __attribute__((packed)) large { E = 100000 };
kernel void test(global uint *out) {
    out[0] = sizeof(enum small);
    out[1] = sizeof(enum middle);
    out[2] = sizeof(enum large);
}

//# reject: an alignment is a power of two
//# error: 1: requested alignment is not a power of 2
//# error: 2: attribute requires an integer constant
struct s { int a; } __attribute__((aligned(3)));
struct t { int a; } __attribute__((aligned(1.5f)));
kernel void test(global uint *out) {}
