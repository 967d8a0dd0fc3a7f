//! 6.3.1 Built-in Scalar Data Types

//# accept: bool is either true or false; true is the integer constant 1 and false is 0
//# expect: 1 0 1
kernel void test(global uint *out) {
    out[0] = true;
    out[1] = false;
    out[2] = sizeof(true) == sizeof(bool);
}

//# accept: a scalar that is converted to bool gives 0 if it compares equal to 0, else 1
//# expect: 1 1 1 0 0 1 1 0
kernel void test(global uint *out) {
    int zero = out[0];
    bool a = zero + 256, b = zero + 0.5f, c = (long)zero + 0x100000000L, d = zero * -0.0f;
    bool e = (global int *)(size_t)zero, f = out, g = nan(zero + 0u), h = (uchar)(zero + 256);
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
    out[5] = f;
    out[6] = g;
    out[7] = h;
}

//# accept: bool is promoted to int in arithmetic; assigning to bool makes it 0 or 1 again
//# expect: 2 1 -2 1
kernel void test(global uint *out) {
    bool t = out[0] == 0, u = t;
    out[0] = t + u;
    out[2] = ~t;
    u += t;
    out[1] = u;
    u = -5;
    out[3] = u;
}

//# accept: char is a signed two's complement 8-bit integer
//# expect: 1 -128 127 -128 -1
kernel void test(global uint *out) {
    int zero = out[0];
    char c = zero + 127;
    out[2] = c;
    c++;
    out[0] = sizeof(c);
    out[1] = c;
    c = zero + 128;
    out[3] = c;
    c = zero + 255;
    out[4] = c;
}

//# accept: uchar is an unsigned 8-bit integer, and unsigned char is its other name
//# expect: 1 0 255 254 44
kernel void test(global uint *out) {
    int zero = out[0];
    uchar c = zero + 255;
    unsigned char d = c, *p = &c;
    out[2] = d;
    c++;
    out[1] = *p;
    c = zero - 2;
    out[3] = c;
    c = zero + 300;
    out[4] = c;
    out[0] = sizeof(c);
}

//# accept: short is a signed two's complement 16-bit integer
//# expect: 2 32767 -32768 -1
kernel void test(global uint *out) {
    int zero = out[0];
    short s = zero + 32767;
    out[1] = s;
    s++;
    out[2] = s;
    s = zero + 65535;
    out[3] = s;
    out[0] = sizeof(s);
}

//# accept: ushort is an unsigned 16-bit integer, and unsigned short is its other name
//# expect: 2 65535 0 65534
kernel void test(global uint *out) {
    int zero = out[0];
    ushort s = zero + 65535;
    unsigned short t = s, *p = &s;
    out[1] = t;
    s++;
    out[2] = *p;
    s = zero - 2;
    out[3] = s;
    out[0] = sizeof(s);
}

//# accept: int is a signed two's complement 32-bit integer
//# expect: 4 0x80000000 1 0
kernel void test(global uint *out) {
    int zero = out[0];
    int i = zero + (int)0x80000000;
    out[0] = sizeof(i);
    out[1] = i;
    out[2] = i < zero;
    out[3] = i > zero;
}

//# accept: uint is an unsigned 32-bit integer, and unsigned int and unsigned are its other names
//# expect: 4 0 0xffffffff 1
kernel void test(global uint *out) {
    uint u = out[0] - 1;
    unsigned int *p = &u;
    unsigned *q = p;
    out[2] = *q;
    out[3] = u > 1;
    u++;
    out[1] = *p;
    out[0] = sizeof(u);
}

//# accept: long is a signed two's complement 64-bit integer
//# expect: 8 0 0x80000000 1 0xfffffffe 0xffffffff
kernel void test(global uint *out) {
    long zero = out[0];
    long n = zero + 0x7fffffffffffffffL;
    n = (long)((ulong)n + 1);
    out[0] = sizeof(n);
    out[1] = (uint)n;
    out[2] = (uint)(n >> 32);
    out[3] = n < zero;
    n = (int)zero - 2;
    out[4] = (uint)n;
    out[5] = (uint)(n >> 32);
}

//# accept: ulong is an unsigned 64-bit integer, and unsigned long is its other name
//# expect: 8 0xffffffff 0xffffffff 0 0
kernel void test(global uint *out) {
    ulong n = (ulong)out[0] - 1;
    unsigned long *p = &n;
    out[1] = (uint)n;
    out[2] = (uint)(*p >> 32);
    n++;
    out[3] = (uint)n;
    out[4] = (uint)(n >> 32);
    out[0] = sizeof(n);
}

//# accept: the specifiers of a type may come in any order, with signed and int where C99 lets them
//# expect: 1 -1 255 -1 65535 -1 1 8 8
kernel void test(global uint *out) {
    int zero = out[0];
    signed char a = zero + 255;
    char unsigned b = zero + 255;
    short signed int c = zero + 65535;
    int unsigned short d = zero + 65535;
    signed e = zero - 1;
    long int f = 1;
    int long unsigned g = 1;
    out[0] = sizeof(a);
    out[1] = a;
    out[2] = b;
    out[3] = c;
    out[4] = d;
    out[5] = e;
    out[6] = f == g;
    out[7] = sizeof(f);
    out[8] = sizeof(g);
}

//# reject: specifiers that make no type
//# error: 2: cannot combine with previous 'int' declaration specifier
//# error: 3: cannot combine with previous 'short' declaration specifier
//# error: 4: 'float' cannot be signed or unsigned
kernel void test(global uint *out) {
    int float a;
    short long b;
    unsigned float c;
}

//# accept: float has the IEEE 754 single precision storage format
//# expect: 4 0x3f800000 0xc0490fdb 0x00800000 0x7f800000 0x7f7fffff 0x80000000
kernel void test(global uint *out) {
    float one = out[0] + 1;
    global float *f = (global float *)out;
    out[0] = sizeof(float);
    f[1] = one;
    f[2] = -3.14159265f * one;
    f[3] = 0x1p-126f * one;
    f[4] = one / (one - 1);
    f[5] = 3.40282347e38f * one;
    f[6] = -0.0f * one;
}

//# accept: double has the IEEE 754 double precision storage format
//# requires: fp64
//# expect: 8 0 0x3ff00000 0x54442d18 0xc00921fb 0x9999999a 0x3fb99999 0 0x7ff00000
kernel void test(global uint *out) {
    double one = out[0] + 1;
    double d[4] = {one, -3.14159265358979323846 * one, 0.1 * one, one / (one - 1)};
    out[0] = sizeof(double);
    for (int i = 0; i < 4; i++) {
        ulong bits = as_ulong(d[i]);
        out[1 + 2 * i] = (uint)bits;
        out[2 + 2 * i] = (uint)(bits >> 32);
    }
}

//# accept: half is a 16-bit type of storage
//# expect: 2 2
kernel void test(global uint *out) {
    out[0] = sizeof(half);
    global half *h = (global half *)out;
    out[1] = (char global *)(h + 1) - (char global *)h;
}

//# accept: size_t is the unsigned integer type of the result of sizeof
//# expect: 1 1 1 1
kernel void test(global uint *out) {
    size_t a = (size_t)out[0] - 1;
    out[0] = a > 0;
    out[1] = sizeof(size_t) == sizeof(sizeof(int));
    out[2] = sizeof(int) - 5 > 0;
    out[3] = sizeof(size_t) == sizeof(void *);
}

//# accept: ptrdiff_t is the signed integer type of the difference of two pointers
//# expect: -3 1 1
kernel void test(global uint *out) {
    global uint *p = out + 1 + out[0], *q = p + 3;
    ptrdiff_t d = p - q;
    out[0] = (int)d;
    out[1] = d < 0;
    out[2] = sizeof(ptrdiff_t) == sizeof(p - q);
}

//# accept: a pointer converted to intptr_t or uintptr_t and back compares equal to the original
//# expect: 1 1 5 6 1
kernel void test(global uint *out) {
    uint x = 5;
    local uint y;
    y = 6;
    intptr_t a = (intptr_t)(void *)&x, b = (intptr_t)(local void *)&y;
    uintptr_t c = (uintptr_t)(global void *)out;
    out[0] = (void *)a == (void *)&x;
    out[1] = (global void *)c == (global void *)out;
    out[2] = *(uint *)a;
    out[3] = *(local uint *)b;
    out[4] = (intptr_t)-1 < 0 && (uintptr_t)-1 > 0;
}

//# reject: void is an incomplete type that cannot be completed
//# error: 2: variable has incomplete type 'void'
//# error: 3: array has incomplete element type 'void'
//# error: 4: field has incomplete type 'void'
kernel void test(global uint *out) {
    void v;
    void a[2];
    struct { void v; } s;
}

//# reject: an expression of type void has no value
//# error: 3: assigning to 'uint' from incompatible type 'void'
//# error: 4: initializing 'int' with an expression of incompatible type 'void'
void f(void) {}
kernel void test(global uint *out) {
    out[0] = f();
    int x = (void)1;
}

//# accept: the C names of the types' limits hold for these sizes
//# expect: -128 127 255 -32768 32767 65535 0x80000000 0x7fffffff 0xffffffff 1 1 1
kernel void test(global uint *out) {
    out[0] = CHAR_MIN;
    out[1] = CHAR_MAX;
    out[2] = UCHAR_MAX;
    out[3] = SHRT_MIN;
    out[4] = SHRT_MAX;
    out[5] = USHRT_MAX;
    out[6] = INT_MIN;
    out[7] = INT_MAX;
    out[8] = UINT_MAX;
    out[9] = LONG_MAX == 0x7fffffffffffffff;
    out[10] = LONG_MIN == -0x7fffffffffffffff - 1;
    out[11] = ULONG_MAX == 0xffffffffffffffffUL;
}

//# accept: an integer constant has the first type of C99's list that holds it
//# expect: 4 4 8 8 8 1 1 1 0
kernel void test(global uint *out) {
    out[0] = sizeof(0x7fffffff);
    out[1] = sizeof(0x80000000);
    out[2] = sizeof(2147483648);
    out[3] = sizeof(0x100000000);
    out[4] = sizeof(1L);
    out[5] = 0x80000000 > 0;
    out[6] = -2147483648 < 0;
    out[7] = 0xffffffffffffffff > 0;
    out[8] = -1 > 0u ? 0 : 1;
}
