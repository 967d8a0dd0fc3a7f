//! 6.5.1 Arithmetic Operators

//# accept: + - * / and % on int, truncating toward zero
//# expect: 5 -9 -14 -3 -1 3 1
kernel void test(global uint *out) {
    int a = -7 + out[0], b = 2 + out[1];
    out[0] = 7 + -b;
    out[1] = a - b;
    out[2] = a * b;
    out[3] = a / b;
    out[4] = a % b;
    out[5] = a / -b;
    out[6] = -a % b;
}

//# accept: on uint, modulo 2 to the 32
//# expect: 0xfffffffe 1 0x7ffffffc 1 3
kernel void test(global uint *out) {
    uint a = 0xfffffff9 + out[0], b = 2 + out[1];
    out[0] = a + 5;
    out[1] = b - 1;
    out[2] = a / b;
    out[3] = a % b;
    out[4] = a * 0x49249249 * 0 + 3;
}

//# accept: on long and ulong: carries, borrows, products, quotients and remainders
//# expect: 0 1 0xffffffff 0xffffffff 0xfffffffe 1 -3 -1 0x55555555 1
kernel void test(global uint *out) {
    long zero = out[0];
    long a = zero + 0xffffffffL, b = zero + 1;
    out[0] = (uint)(a + b);
    out[1] = (uint)((a + b) >> 32);
    out[2] = (uint)(zero - b);
    out[3] = (uint)((zero - b) >> 32);
    out[4] = (uint)(a * 2);
    out[5] = (uint)((a * 2) >> 32);
    out[6] = (uint)((b * -10000000000L) / (b * 3333333333L));
    out[7] = (uint)((b * -10000000001L) % (b * 10000000000L));
    ulong c = zero + 0xffffffffffffffff;
    out[8] = (uint)(c / 3);
    out[9] = (uint)(c % (zero + 2ul));
}

//# accept: on ulong and long: operands around 2 to the 32, divided in one word or in two
//# expect: 0x29e9b5e4 0x15d35451 0x92728bf8 0xe96427bf 0xdcd148e9 0x53edcfaa 0x9d48e1b7 0x9a615995 0
constant ulong dividends[9] = { 0x0UL, 0x1UL, 0x7UL, 0xffffffffUL, 0x100000000UL, 0x100000001UL, 0x10000003039UL, 0x8000000000000000UL, 0xffffffffffffffffUL };
constant ulong divisors[8] = { 0x1UL, 0x3UL, 0x80000000UL, 0xffffffffUL, 0x100000000UL, 0x100000002UL, 0x8000000000000005UL, 0xffffffffffffffffUL };

kernel void test(global uint *out) {
    uint zero = out[0];
    ulong q = 0, r = 0, sq = 0, sr = 0;
    for (uint i = zero; i < 9; i++) {
        for (uint j = zero; j < 8; j++) {
            ulong a = dividends[i], b = divisors[j];
            q = q * 31 + a / b;
            r = r * 31 + a % b;
            if (a == 1UL << 63 && b == ~0UL) continue;
            sq = sq * 31 + (long)a / (long)b;
            sr = sr * 31 + (long)a % (long)b;
        }
    }
    ulong results[4] = { q, r, sq, sr };
    for (int i = 0; i < 8; i++) out[i] = (uint)(results[i / 2] >> i % 2 * 32);
    // The smallest number by -1 gives some value.
    long smallest = (long)(1UL << 63) + zero, one = 1 + (long)zero;
    out[8] = (uint)(smallest / -one + smallest % -one) & zero;
}

//# accept: on size_t: ids by sizes that are known when the kernel runs
//# global: 7
//# expect: 0 1 10 11 20 21 30
kernel void test(global uint *out) {
    uint width = (uint)get_global_size(0) - 5;
    size_t i = get_global_id(0);
    out[i] = (uint)(i / width * 10 + i % width);
}

//# accept: on float, with infinities and NaN for division by zero
//# expect: 3.5f -0.5f 3f 0.75f inff -inff 1
kernel void test(global uint *out) {
    float a = 1.5f + out[0], b = 2.0f + out[1], zero = out[2];
    global float *f = (global float *)out;
    f[0] = a + b;
    f[1] = a - b;
    f[2] = a * b;
    f[3] = a / b;
    f[4] = a / zero;
    f[5] = -a / zero;
    out[6] = isnan(zero / zero);
}

//# accept: on double, with infinities and NaN for division by zero
//# requires: fp64
//# expect: 0x40080000 1 1
kernel void test(global uint *out) {
    double a = 1.5 + out[0], zero = out[1];
    out[0] = (uint)(as_ulong(a * 2) >> 32);
    out[1] = isinf(a / zero);
    out[2] = isnan(zero / zero);
}

//# accept: division by zero and the quotient beyond int's range cause no exception
//# expect: 1
kernel void test(global uint *out) {
    int a = 5 + out[0], zero = out[0];
    long n = 5 + out[0], m = out[0];
    volatile int x = a / zero, y = a % zero, z = (int)(0x80000000 + out[0]) / (zero - 1);
    volatile long u = n / m, w = n % m;
    out[0] = 1;
}

//# accept: two vectors, component by component, in the elements' own width
//# expect: 44 255 6 -128
kernel void test(global uint *out) {
    uchar2 a = (uchar2)(200, 3) + (uchar)out[0], b = (uchar2)(100, 4);
    char2 c = (char2)(127, 1) + (char)out[0];
    out[0] = (a + b).x;
    out[1] = (a - b).y;
    out[2] = (a / b).x * 3;
    out[3] = (c + (char2)(1)).x;
}

//# accept: signed division and remainder of small and large vectors
//# expect: -3 -1 -3 -1 -3 -1
kernel void test(global uint *out) {
    char3 a = (char3)(-7) + (char)out[0];
    short8 b = (short8)(-7) + (short)out[0];
    long2 c = (long2)(-7) + (long)out[0];
    out[0] = (a / (char3)(2)).z;
    out[1] = (a % (char3)(2)).z;
    out[2] = (b / (short8)(2)).s7;
    out[3] = (b % (short8)(2)).s7;
    out[4] = (int)(c / (long2)(2)).y;
    out[5] = (int)(c % (long2)(2)).y;
}

//# accept: a scalar with a vector, on either side
//# expect: 11 12 9 8 2f 4f 8f 4f
kernel void test(global uint *out) {
    uint2 a = (uint2)(1, 2) + out[0];
    float2 f = (float2)(1, 2);
    vstore2(a + 10u, 0, out);
    vstore2(10u - a, 1, out);
    vstore2(f * 2, 2, (global float *)out);
    vstore2(8 / f, 3, (global float *)out);
}

//# reject: % is for integers
//# error: 3: invalid operands to binary expression ('float' and 'float')
//# error: 4: invalid operands to binary expression ('float4' and 'float4')
//# error: 5: invalid operands to binary expression ('int' and 'float')
kernel void test(global uint *out) {
    float f = 1; float4 v = (float4)(1);
    f % f;
    v % v;
    1 % f;
}

//# reject: operands of other types
//# error: 3: invalid operands to binary expression ('struct s' and 'int')
//# error: 4: invalid argument type 'struct s' to unary expression
//# error: 5: invalid argument type '__global uint *' to unary expression
kernel void test(global uint *out) {
    struct s { int a; } x = {1};
    x + 1;
    -x;
    +out;
}
