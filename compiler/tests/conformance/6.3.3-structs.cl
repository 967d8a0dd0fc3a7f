//! 6.3.3 Other Built-in Data Types: structs, as in C99 6.7.2.1

//# accept: members lie at ascending addresses, aligned and padded as in C
//# expect: 0 4 8 16 24 28 32
typedef struct { char a; int b; char c; long d; short e; char2 f; } s;
kernel void test(global uint *out) {
    s x;
    char *base = (char *)&x;
    out[0] = (char *)&x.a - base;
    out[1] = (char *)&x.b - base;
    out[2] = (char *)&x.c - base;
    out[3] = (char *)&x.d - base;
    out[4] = (char *)&x.e - base;
    out[5] = (char *)&x.f - base + 2;
    out[6] = sizeof(s);
}

//# accept: a struct is as aligned as its most aligned member and padded to a multiple of that
//# expect: 32 16 5 48 8
typedef struct { char a; float4 b; } s;
typedef struct { char a[5]; } t;
typedef struct { float4 a; char b; float3 c; } u;
typedef struct { char a[5]; global int *p[0 + 1]; } v;
kernel void test(global uint *out) {
    out[0] = sizeof(s);
    out[1] = __alignof__(s);
    out[2] = sizeof(t);
    out[3] = sizeof(u);
    out[4] = __alignof__(v);
}

//# accept: structs are assigned, passed and returned by value
//# expect: 1 2 3 10 2 3 4
typedef struct { int a; short b; float c[2]; } s;
s changed(s x) {
    x.a = 10;
    x.c[1] += 1;
    return x;
}
kernel void test(global uint *out) {
    s x = {1, 2, {5, 3}}, y = changed(x), z;
    z = y;
    y.b = 7;
    out[0] = x.a;
    out[1] = x.b;
    out[2] = (int)x.c[1];
    out[3] = z.a;
    out[4] = z.b;
    out[5] = (int)(z.c[1] - 1);
    out[6] = (int)changed(z).c[1] - 1;
}

//# accept: structs in structs and arrays of structs in structs
//# expect: 7 8 9 40
struct inner { char a; int b[2]; };
struct outer { short s; struct inner one, many[2]; };
kernel void test(global uint *out) {
    struct outer x;
    x.one.b[1] = 7;
    int i = out[0] + 1;
    x.many[i].b[0] = 8;
    x.many[i - 1] = x.many[i];
    x.many[i].b[0]++;
    out[0] = x.one.b[1];
    out[1] = x.many[0].b[0];
    out[2] = x.many[1].b[0];
    out[3] = sizeof(x);
}

//# accept: a struct may contain pointers to itself: a list in global memory
//# expect: 6 0 0 0
struct node { global struct node *next; int value; };
kernel void test(global uint *out) {
    struct node { private struct node *next; int value; } c = {0, 3}, b = {&c, 2}, a = {&b, 1};
    int sum = 0;
    for (struct node *n = &a; n; n = n->next)
        sum += n->value;
    out[0] = sum;
}

//# accept: two structs that point to each other, the second declared incomplete first
//# expect: 42
struct b;
struct a { private struct b *other; };
struct b { private struct a *other; int value; };
kernel void test(global uint *out) {
    struct a x;
    struct b y = {&x, 42};
    x.other = &y;
    out[0] = y.other->other->value;
}

//# accept: anonymous structs and unions: their members are members of the struct around them
//# expect: 1 0x3f800000 3 4 12
typedef struct {
    int a;
    union { float f; uint u; };
    struct { short x, y; };
} s;
kernel void test(global uint *out) {
    s v;
    v.a = 1;
    v.f = 1.0f;
    v.x = 3;
    s *p = &v;
    p->y = 4;
    out[0] = v.a;
    out[1] = p->u;
    out[2] = v.x;
    out[3] = v.y;
    out[4] = sizeof(s);
}

//# accept: tags have scopes and a name space of their own
//# expect: 4 8 3
struct s { int a; };
kernel void test(global uint *out) {
    int s = 3;
    out[0] = sizeof(struct s);
    {
        struct s { long a; };
        out[1] = sizeof(struct s);
    }
    out[2] = s;
}

//# accept: member names are their struct's own
//# expect: 5
struct a { int x; };
struct b { struct a x; };
kernel void test(global uint *out) {
    struct b x;
    x.x.x = 5;
    out[0] = x.x.x;
}

//# accept: const and volatile members
//# expect: 1 3
struct s { const int a; volatile int b; };
kernel void test(global uint *out) {
    struct s x = {1, 2};
    x.b++;
    out[0] = x.a;
    out[1] = x.b;
}

//# accept: a member of a value that a function returns
//# expect: 7 2
typedef struct { int a[3]; int2 v; } s;
s make(int n) { s x = {{n, n + 1, n + 2}, (int2)(1, 2)}; return x; }
kernel void test(global uint *out) {
    out[0] = make(5).a[2];
    out[1] = make(5).v.y;
}

//# accept: structs in local memory
//# expect: 11 -3 6
typedef struct { char a; short b; int c[2]; } s;
kernel void test(global uint *out) {
    local s x[2];
    s y = {11, -3, {5, 6}};
    x[1] = y;
    x[0] = x[1];
    out[0] = x[0].a;
    out[1] = x[0].b;
    out[2] = x[0].c[1];
}

//# accept: structs in constant memory
//# expect: 2 -5 0x40000000
typedef struct { char a; long b; float f[2]; } s;
constant s table[] = {{1}, {2, -5, {1, 2}}};
kernel void test(global uint *out) {
    int i = 1 + out[0];
    out[0] = table[i].a;
    out[1] = (int)table[i].b;
    out[2] = as_uint(table[i].f[1]);
}

//# accept: structs copied between address spaces
//# expect: 0x00020001 3 0x00020001 3
typedef struct { short a, b; int c; } s;
kernel void test(global uint *out) {
    global s *g = (global s *)out;
    s x = {1, 2, 3};
    local s l;
    l = x;
    g[0] = l;
    g[1] = g[0];
}

//# reject: a member of an incomplete type, so also of the struct itself
//# error: 1: field has incomplete type 'struct s'
//# error: 2: field has incomplete type 'struct t'
struct s { int a; struct s next; };
struct u { struct t x; };
kernel void test(global uint *out) {}

//# reject: bit-fields are not supported
//# error: 1: bit-fields are not supported in OpenCL
struct s { uint a : 3; };
kernel void test(global uint *out) {}

//# reject: an unnamed bit-field is one too
//# error: 1: bit-fields are not supported in OpenCL
struct s { uint a; uint : 0; };
kernel void test(global uint *out) {}

//# accept: a flexible array member names what follows the struct, as other compilers have it
//# warn: 1: flexible array member 'a' is not part of OpenCL C
//# warn: 2: flexible array member 'e' is not part of OpenCL C
//# warn: 3: flexible array member 'd' is not part of OpenCL C
//# expect: 3 11 12 13 14 4 33 8 8 3
struct s { uint n; uint a[]; };
struct nested { uint n; struct { ushort p, q; } e[]; };
struct padded { char c; float2 d[]; };
uint sum(global struct s *x) {
    uint total = 0;
    for (uint i = 0; i < x->n; i++) total += x->a[i];
    return total;
}
kernel void test(global uint *out) {
    global struct s *x = (global struct s *)out;
    x->n = 3;
    for (uint i = 0; i < 4; i++) x->a[i] = 11 + i;
    ((global struct nested *)(out + 4))->e[0].p = 4;
    ((global struct nested *)(out + 4))->e[0].q = 0;
    out[6] = sum(x) - 3;
    out[7] = sizeof(struct padded);
    out[8] = (uint)&((global struct padded *)0)->d[0];
    struct s copy = *x;
    out[9] = copy.n;
}

//# reject: a flexible array member is the last of a struct that has others
//# error: 1: flexible array member 'a' is not at the end of struct
//# error: 2: flexible array member 'b' not allowed in otherwise empty struct
//# error: 3: flexible array member 'c' in a union is not allowed
struct s { int n; int a[]; int m; };
struct e { int b[]; };
union u { int n; int c[]; };
kernel void test(global uint *out) {}

//# reject: a struct is redefined
//# error: 2: redefinition of 's'
struct s { int a; };
struct s { int a; };
kernel void test(global uint *out) {}

//# reject: a tag is declared once as struct and once as union or enum
//# error: 2: use of 's' with tag type that does not match previous declaration
//# error: 3: use of 's' with tag type that does not match previous declaration
struct s { int a; };
union s *p(void);
enum s q(void);
kernel void test(global uint *out) {}

//# reject: members are named once, also across anonymous members
//# error: 1: duplicate member 'a'
//# error: 2: duplicate member 'b'
struct s { int a; float a; };
struct t { int b; struct { int b; }; };
kernel void test(global uint *out) {}

//# reject: there is no such member
//# error: 4: no member named 'b' in 'struct s'
//# error: 5: is a pointer; did you mean to use '->'?
//# error: 6: is not a pointer; did you mean to use '.'?
struct s { int a; };
kernel void test(global uint *out) {
    struct s x, *p = &x;
    x.b = 1;
    p.a = 1;
    x->a = 1;
}

//# reject: different structs with the same members are different types
//# error: 4: initializing 'struct b' with an expression of incompatible type 'struct a'
struct a { int x; }; struct b { int x; };
kernel void test(global uint *out) {
    struct a x = {1};
    struct b y = x;
}

//# reject: a struct is no operand of arithmetic, comparison or conditions
//# error: 4: invalid operands to binary expression ('struct s' and 'struct s')
//# error: 5: invalid operands to binary expression ('struct s' and 'struct s')
//# error: 6: statement requires expression of scalar type ('struct s' invalid)
struct s { int a; };
kernel void test(global uint *out) {
    struct s x = {1}, y = x;
    x + y;
    out[0] = x == y;
    if (x) out[0] = 1;
}

//# reject: a const member, or a member of a const struct, is not written to
//# error: 4: const-qualified type
//# error: 5: const-qualified type
struct s { const int a; int b; };
kernel void test(global uint *out) {
    struct s x = {1, 2}; const struct s y = {1, 2};
    x.a = 2;
    y.b = 2;
}

//# reject: a function type is no member
//# error: 1: field 'f' declared as a function
struct s { int f(int); };
kernel void test(global uint *out) {}

//# reject: a declaration that declares nothing
//# warn: 3: declaration does not declare anything
//# error: 4: redefinition of 'a'
kernel void test(global uint *out) {
    int a;
    int;
    int a;
}

//# accept: members that are subscripted, rows of them, unions beside them, and pointers to the whole
//# expect: 136 31 7 9 30 17 2
typedef struct {
    uint count;
    uint a[8];
    union { uint words[4]; uchar bytes[16]; } u;
    uint rows[3][4];
    uint last[2];
} Parts;

void add(Parts *p, uint i, uint by) {
    p->a[i & 7] += by;
    p->count++;
    p->rows[i % 3][i & 3] = p->count;
}

kernel void test(global uint *out) {
    uint zero = out[0];
    Parts p = { 0 };
    for (uint i = zero; i < 17; i++) add(&p, i, i);
    for (uint i = zero; i < 8; i++) out[0] += p.a[i];
    out[1] = p.a[zero + 1] + p.a[zero + 7] - p.rows[1][zero] + p.rows[zero][3];
    for (uint i = zero; i < 4; i++) p.u.words[i] = 0x01020304 * (i + 1);
    out[2] = p.u.bytes[zero + 4] + p.u.bytes[3] - p.u.bytes[zero + 8] / 6;
    p.last[zero + 1] = 9;
    Parts q = p;
    uint *whole = (uint *)&q;
    out[3] = whole[zero + 26];
    whole[zero + 25] = 30;
    out[4] = q.last[zero];
    out[5] = q.count;
    out[6] = p.last[zero] + 2;
}
