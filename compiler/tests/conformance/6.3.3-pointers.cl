//! 6.3.3 Other Built-in Data Types: pointers, as in C99 6.7.5.1 and 6.5

//# accept: pointers to every address space are as large as size_t
//# expect: 8 8 8 8
kernel void test(global uint *out) {
    out[0] = sizeof(global int *);
    out[1] = sizeof(local int *);
    out[2] = sizeof(constant int *);
    out[3] = sizeof(private int *);
}

//# accept: arithmetic on pointers counts elements
//# expect: 3 12 24 -48
kernel void test(global uint *out) {
    local int3 a[4];
    local int3 *p = a + 1 + out[0];
    out[0] = p + 2 - a;
    global ushort *q = (global ushort *)out;
    out[1] = (global char *)(q + 6) - (global char *)out;
    global ulong *r = (global ulong *)out;
    out[2] = (global char *)&r[3] - (global char *)r;
    p += 2;
    out[3] = (local char *)(p - 3) - (local char *)p;
}

//# accept: offsets in bytes that wrap around as uint, in every kind of memory
//# expect: 11 22 33
kernel void test(global uint *out) {
    uint h = 0x40000001 + out[0];
    local uint a[4];
    uint b[4] = {9, 22, 9, 9};
    a[1] = 11;
    out[2] = 33;
    uint x = *(local uint *)((local char *)a + h * 4u);
    uint y = *(uint *)((char *)b + (h * 4u));
    uint z = *(global uint *)((global char *)out + (h + 1) * 4u);
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

//# accept: increments and compound assignments of pointers
//# expect: 2 3 3 1 1
kernel void test(global uint *out) {
    int a[4] = {1, 2, 3, 4};
    int *p = a;
    out[0] = *++p;
    out[1] = p++[1];
    out[2] = *p--;
    p -= 1;
    out[3] = *p;
    p += 3;
    out[4] = *p == 4;
}

//# accept: comparisons of pointers into one array
//# expect: 1 0 1 1 0 1
kernel void test(global uint *out) {
    global uint *p = out + 1, *q = out + 3;
    out[0] = p < q;
    out[1] = p > q;
    out[2] = p <= p;
    out[3] = q >= p;
    out[4] = p == q;
    out[5] = p != q;
}

//# accept: null pointers: 0, NULL and (void *)0; comparison and conditions
//# expect: 1 1 1 0 1
kernel void test(global uint *out) {
    global int *a = 0;
    local int *b = NULL;
    private int *c = (void *)0;
    out[0] = a == 0;
    out[1] = !b;
    out[2] = c == NULL;
    out[3] = c ? 1 : 0;
    out[4] = out ? 1 : 0;
}

//# accept: pointers to pointers in private memory
//# expect: 5 6
kernel void test(global uint *out) {
    int a = 1, *p = &a, **pp = &p, ***ppp = &pp;
    **pp = 5;
    out[0] = a;
    int b = 6;
    *pp = &b;
    out[1] = ***ppp;
}

//# accept: pointers to pointers of another address space
//# expect: 17
kernel void test(global uint *out) {
    global uint *p = out, **pp = &p;
    **pp = 17;
}

//# accept: a pointer to void takes any pointer of its address space and gives it back
//# expect: 3
kernel void test(global uint *out) {
    int a = 3;
    void *v = &a;
    int *p = v;
    out[0] = *p;
}

//# accept: const and volatile in what is pointed to and in the pointer
//# expect: 1 2
kernel void test(global uint *out) {
    int a = 1, b = 2;
    const int *p = &a;
    int *const q = &a;
    const volatile int *const r = &b;
    out[0] = *p;
    p = &b;
    *q = *p;
    out[1] = a == 2 ? *r : 0;
}

//# accept: restrict on pointers, also in parameters
//# expect: 7
void set(global uint *restrict p, const int *restrict q) { *p = *q; }
kernel void test(global uint *restrict out) {
    int a = 7;
    set(out, &a);
}

//# accept: pointers chosen at run time
//# expect: 4 1
kernel void test(global uint *out) {
    int a = 1, b = 2;
    int *p = out[0] ? &a : &b;
    *p += 2;
    out[0] = b;
    out[1] = a;
}

//# accept: a pointer to an object of 64 bits, and its halves
//# expect: 0x89abcdef 0x01234567
kernel void test(global uint *out) {
    long n = 0x0123456789abcdef + out[0];
    uint *p = (uint *)&n;
    out[0] = p[0];
    out[1] = p[1];
}

//# reject: pointers to functions are not allowed
//# error: 3: pointers to functions are not allowed
//# error: 4: pointers to functions are not allowed
int f(int x) { return x; }
kernel void test(global uint *out) {
    int (*p)(int);
    int (**pp)(int);
}

//# reject: the address of a function is not taken
//# error: 3: taking address of function is not allowed
//# error: 4: taking address of function is not allowed
int f(int x) { return x; }
kernel void test(global uint *out) {
    out[0] = &f != 0;
    out[0] = f ? 1 : 0;
}

//# reject: pointers are not multiplied, added to each other or indexed by floats
//# error: 2: invalid operands to binary expression
//# error: 3: invalid operands to binary expression
//# error: 4: invalid operands to binary expression
//# error: 5: invalid argument type '__global uint *' to unary expression
kernel void test(global uint *out) {
    out * 2;
    out + out;
    out + 1.0f;
    -out;
}

//# reject: a difference of pointers to different types
//# error: 3: are not pointers to compatible types
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    out[0] = f - out;
}

//# reject: what is pointed to by a pointer to const is not written to
//# error: 4: read-only variable is not assignable
//# error: 5: const-qualified type
kernel void test(global uint *out) {
    int a;
    const int *p = &a; int *const q = &a;
    *p = 1;
    q = &a;
}

//# accept: losing const warns
//# warn: 4: discards qualifiers
//# expect: 1
kernel void test(global uint *out) {
    int a = 1;
    const int *p = &a;
    int *q = p;
    out[0] = *q;
}

//# accept: pointers to different types mix with a warning
//# warn: 3: incompatible pointer types
//# expect: 0x3f800000
kernel void test(global uint *out) {
    float f = 1;
    int *p = &f;
    out[0] = *p;
}

//# reject: integers other than 0 are no pointers, and pointers no integers
//# error: 2: incompatible integer to pointer conversion
//# error: 3: incompatible pointer to integer conversion
kernel void test(global uint *out) {
    global int *p = 1;
    int i = out;
}

//# reject: restrict is for pointers
//# error: 2: restrict requires a pointer or reference ('int' is invalid)
kernel void test(global uint *out) {
    int restrict a;
}
