//! 6.5.6 Bitwise Operators

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
