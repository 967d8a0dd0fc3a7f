//! 6.5.6 Bitwise Operators, 6.5.7 Logical Operators, 6.5.8 Unary Logical Operator

//# accept: & | ^ ~ on scalars
//# expect: 0x08 0x0e 0x06 0xfffffff3 0xfffffff5
kernel void test(global uint *out) {
    uint a = 12 + out[0], b = 10 + out[1];
    out[0] = a & b;
    out[1] = a | b;
    out[2] = a ^ b;
    out[3] = ~a;
    out[4] = ~(uchar)b;
}

//# accept: on 64 bits
//# expect: 0xf0f0f0f0 0x0f0f0f0f 0xffffffff 0xffffffff
kernel void test(global uint *out) {
    ulong a = 0xf0f0f0f0f0f0f0f0 + out[0];
    out[0] = (uint)((a & 0xffffffff00000000) >> 32);
    out[1] = (uint)(~a >> 32);
    out[2] = (uint)(a | ~a);
    out[3] = (uint)((a ^ ~a) >> 32);
}

//# accept: on vectors, component by component, and with a scalar widened
//# expect: 0xf0f30cff 1 3 0xfe
kernel void test(global uint *out) {
    uchar4 a = (uchar4)(0, 0xf3, 0x0f, 0x0c) + (uchar)out[0];
    *(global uchar4 *)out = (a ^ (uchar4)(0xff, 0xff, 0xff, 0xff)).xywz;
    int2 b = (int2)(1, 3) & 0xff;
    out[1] = b.x;
    out[2] = b.y;
    out[3] = (~(uchar2)(1)).x;
}

//# accept: && and || evaluate the right operand only where it decides: scalars
//# expect: 0 1 0 2
kernel void test(global uint *out) {
    int n = 0, zero = out[0], one = 1 + zero;
    out[0] = zero && ++n;
    out[1] = one || ++n;
    out[2] = n;
    n += one && ++n;
    n += zero || ++n ? 0 : 5;
    out[3] = n == 3 ? 2 : n;
}

//# accept: && and || of scalars give int 0 or 1, of any scalar and pointer
//# expect: 1 0 1 1 4
kernel void test(global uint *out) {
    float f = 0.5f + out[0];
    long n = 0x100000000 + out[0];
    out[0] = f && n;
    out[1] = f && 0;
    out[2] = out || 0;
    out[3] = 0 || -0.1f;
    out[4] = sizeof(1L && 1L);
}

//# accept: && and || of vectors evaluate both operands, and give 0 or -1
//# expect: 0 -1 -1 -1 2
kernel void test(global uint *out) {
    int n = 0;
    int2 a = (int2)(0, 5) + (int)out[0];
    int2 b = a && (int2)(++n, 7);
    int2 c = (int2)(-1) || (int2)(++n, 0);
    vstore2(b, 0, (global int *)out);
    vstore2(c, 1, (global int *)out);
    out[4] = n;
}

//# accept: && and || of floats give int vectors, of long ones long vectors, of uchar ones char vectors
//# expect: -1 0 16 0xff00
kernel void test(global uint *out) {
    float2 f = (float2)(0.5f, -0.0f) + (float)out[0];
    int2 a = f && (float2)(1);
    out[0] = a.x;
    out[1] = a.y;
    out[2] = sizeof((ulong2)(1) || (ulong2)(0));
    char2 c = (uchar2)(0, 3) || (uchar2)(0);
    out[3] = as_ushort(c);
}

//# accept: && of a vector with a scalar, which is widened
//# expect: -1 0 -1 -1
kernel void test(global uint *out) {
    int2 a = (int2)(5, 0) + (int)out[0];
    vstore2(a && 1, 0, (global int *)out);
    vstore2(1 || a, 1, (global int *)out);
}

//# accept: ! of scalars gives 0 or 1, of pointers too
//# expect: 0 1 1 0 0 4
kernel void test(global uint *out) {
    float f = 0.5f + out[0];
    long n = 0x100000000 + out[0];
    out[1] = !(f - f);
    out[2] = !!f;
    out[3] = !n;
    out[4] = !out;
    out[5] = sizeof(!(char)1);
    out[0] = !f;
}

//# accept: ! of vectors gives 0 or -1 in signed elements as wide
//# expect: 0 -1 -1 0 0xff00 16
kernel void test(global uint *out) {
    int2 a = (int2)(5, 0) + (int)out[0];
    float2 f = (float2)(-0.0f, 1);
    vstore2(!a, 0, (global int *)out);
    vstore2(!f, 1, (global int *)out);
    char2 c = !(uchar2)(3, 0);
    out[4] = as_ushort(c);
    out[5] = sizeof(!(ulong2)(1));
}

//# accept: ! of double gives long
//# requires: fp64
//# expect: 16 0xffffffff
kernel void test(global uint *out) {
    double2 d = (double2)(0, 1) + (double)out[0];
    long2 n = !d;
    out[0] = sizeof(!d);
    out[1] = (uint)(n.x >> 32);
}

//# reject: bitwise operators are not for floats
//# error: 3: invalid operands to binary expression ('float' and 'int')
//# error: 4: invalid operands to binary expression ('float4' and 'float4')
//# error: 5: invalid argument type 'float' to unary expression
kernel void test(global uint *out) {
    float f = 1; float4 v = (float4)(1);
    f & 1;
    v | v;
    ~f;
}

//# reject: ^^ is reserved
//# error: 2: expected expression
kernel void test(global uint *out) {
    out[0] = 1 ^^ 0;
}

//# reject: logical operators on structs, and on vectors of different types
//# error: 3: invalid operands to binary expression
//# error: 4: invalid argument type 'struct s' to unary expression
//# error: 5: cannot convert between vector values
kernel void test(global uint *out) {
    struct s { int a; } x = {1}; int2 a = (int2)(1); float2 f = (float2)(1);
    x && 1;
    !x;
    a || f;
}
