//! 6.5.7 Logical Operators

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
