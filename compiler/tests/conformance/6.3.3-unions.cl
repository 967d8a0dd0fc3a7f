//! 6.3.3 Other Built-in Data Types: unions, as in C99 6.7.2.1

//# accept: every member begins at the union's address
//# expect: 1 1 1
union u { char a; long b; struct { int x, y; } c; };
kernel void test(global uint *out) {
    union u v;
    out[0] = (void *)&v.a == (void *)&v;
    out[1] = (void *)&v.b == (void *)&v;
    out[2] = (void *)&v.c.x == (void *)&v;
}

//# accept: a union is as large as its largest member, padded to its alignment
//# expect: 12 8 16 16
union a { char c[9]; int i; };
union b { char c[3]; long l; };
union c { float3 v; float f[4]; };
kernel void test(global uint *out) {
    out[0] = sizeof(union a);
    out[1] = sizeof(union b);
    out[2] = sizeof(union c);
    out[3] = __alignof__(union c);
}

//# accept: an initializer without designator is for the first member
//# expect: 0x3f800000
union u { float f; uint u; };
kernel void test(global uint *out) {
    union u v = {1};
    out[0] = v.u;
}

//# accept: a designator chooses the member
//# expect: 1f
union u { float f; uint u; };
kernel void test(global uint *out) {
    union u v = {.u = 0x3f800000 + out[0]};
    out[0] = as_uint(v.f);
}

//# accept: unions are assigned, passed and returned by value
//# expect: 7 9
union u { char c[8]; int i[2]; };
union u changed(union u v) { v.i[1] = 9; return v; }
kernel void test(global uint *out) {
    union u a = {.i = {7, 8}}, b;
    b = changed(a);
    out[0] = b.i[0];
    out[1] = b.i[1];
}

//# accept: a union of a vector and its elements
//# expect: 3 40 2
union u { uint4 v; uint a[4]; };
kernel void test(global uint *out) {
    union u x;
    x.v = (uint4)(1, 2, 3, 4);
    int i = out[0];
    out[0] = x.a[i + 2];
    x.a[i + 3] = 40;
    out[1] = x.v.w;
    out[2] = x.v.y;
}

//# accept: unions in global memory and in local memory
//# expect: 0x04030201 0x01
union u { uint whole; uchar bytes[4]; };
kernel void test(global uint *out) {
    global union u *g = (global union u *)out;
    local union u l;
    for (int i = 0; i < 4; i++)
        g->bytes[i] = i + 1;
    l.whole = g->whole;
    out[1] = l.bytes[0];
}

//# accept: a union in constant memory
//# expect: 0x40490fdb
constant union { float f; uint u; } pi = {3.14159274f};
kernel void test(global uint *out) {
    out[0] = pi.u;
}

//# reject: a union's initializer has more than one element
//# warn: 3: excess elements in union initializer
//# error: 4: redefinition of 'v'
union u { float f; uint u; };
kernel void test(global uint *out) {
    union u v = {1, 2};
    int v;
}
