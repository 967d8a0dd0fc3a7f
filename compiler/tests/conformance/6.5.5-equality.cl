//! 6.5.5 Equality Operators

//# accept: zeros of both signs are equal
//# expect: 1 0 1
kernel void test(global uint *out) {
    float a = out[0], b = -a;
    out[0] = a == b;
    out[1] = b < a;
    out[2] = a <= b;
}

//# accept: pointers compare with pointers and with null
//# expect: 1 1 0
kernel void test(global uint *out) {
    global uint *p = out + 1;
    out[0] = p > out;
    out[1] = p != 0;
    out[2] = (void global *)p == out;
}

//# reject: structs
//# error: 3: invalid operands to binary expression ('struct s' and 'struct s')
//# error: 4: invalid operands to binary expression ('struct s' and 'int')
kernel void test(global uint *out) {
    struct s { int a; } x = {1};
    x == x;
    x < 1;
}

//# reject: pointers with floats, and pointers to different address spaces
//# error: 3: invalid operands to binary expression ('__global uint *' and 'float')
//# error: 4: pointers to non-overlapping address spaces
kernel void test(global uint *out) {
    local uint l;
    out == 1.0f;
    out == &l;
}

//# accept: scalars give an int that is 0 or 1
//# expect: 1 0 0 1 4
kernel void test(global uint *out) {
    int a = 5 + out[0];
    out[0] = a == 5;
    out[1] = a != 5;
    out[2] = 1.5f == a;
    out[3] = 1.5f != a;
    out[4] = sizeof(1L == 1L);
}

//# accept: vectors give 0 or -1 in signed elements as wide
//# expect: -1 0 0 0 -1 -1 2 8
kernel void test(global uint *out) {
    uint3 a = (uint3)(1, 2, 3) + out[0], b = (uint3)(1, 3, 4);
    vstore3(as_uint3(a == b), 0, out);
    vstore3(as_uint3(a != b), 1, out);
    out[6] = sizeof((uchar2)(1) == (uchar2)(1));
    out[7] = sizeof((float2)(1) != (float2)(1));
}

//# reject: vectors of different types
//# error: 3: cannot convert between vector values
kernel void test(global uint *out) {
    int2 a = (int2)(1); float2 b = (float2)(1);
    a == b;
}
