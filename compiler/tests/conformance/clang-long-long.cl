//! `long long`, which OpenCL C reserves: clang's type of 64 bits beside `long`.

//# accept: overloads for long and long long are two functions
//# expect: 1 2 3 4 2 4
__attribute__((overloadable)) uint f(long x) { return 1; }
__attribute__((overloadable)) uint f(long long x) { return 2; }
__attribute__((overloadable)) uint f(unsigned long x) { return 3; }
__attribute__((overloadable)) uint f(unsigned long long x) { return 4; }
kernel void test(global uint *out) {
    out[0] = f(1L);
    out[1] = f(1LL);
    out[2] = f(1UL);
    out[3] = f(1ULL);
    long long a = out[4];
    out[4] = f(a + 1L);
    out[5] = f(a + 1UL);
}

//# accept: it is as wide as long, and converts as other integers do
//# expect: 8 8 4294967295 4294967294 1 5 6
kernel void test(global uint *out) {
    long long a = -2 + (int)out[0];
    unsigned long long b = a;
    long c = a + 1;
    int2 v = (int2)(a, 6);
    out[0] = sizeof(long long);
    out[1] = sizeof(1ULL << 40);
    out[2] = (uint)(b >> 32);
    out[3] = (uint)b;
    out[4] = a < 0 && b > 5 && c == -1;
    switch (a) {
        case -2LL: out[5] = 5; break;
        default: out[5] = 0;
    }
    out[6] = v.y;
}

//# reject: a built-in function that has no instance for it is ambiguous
//# error: 2: call to 'max' is ambiguous
kernel void test(global uint *out) {
    out[0] = max(1LL, 2LL);
}

//# reject: an overload for int and one for long are ambiguous
//# error: 4: call to 'f' is ambiguous
__attribute__((overloadable)) uint f(int x) { return 1; }
__attribute__((overloadable)) uint f(long x) { return 2; }
kernel void test(global uint *out) {
    out[0] = f(1LL);
}

//# reject: its rank is greater than that of a vector's elements
//# error: 4: scalar operand type has greater rank
kernel void test(global uint *out) {
    long4 v = (long4)(1, 2, 3, 4);
    long long a = out[0];
    v += a;
    out[0] = v.x;
}
