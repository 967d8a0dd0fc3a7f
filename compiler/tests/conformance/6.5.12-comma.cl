//! 6.5.12 Comma Operator

//# accept: the operands are evaluated from left to right, and the value is that of the last
//# expect: 5 2
kernel void test(global uint *out) {
    int a = 1;
    out[0] = (a = 2, a + 3);
    out[1] = a;
}

//# accept: the type of a comma expression is that of its last operand
//# expect: 8 2
kernel void test(global uint *out) {
    out[0] = sizeof(((char)1, 1L));
    float f = 3;
    out[1] = (f, 2);
}

//# reject: vectors in parentheses are no vector literal without a type
//# error: 2: 'int'
kernel void test(global uint *out) {
    uint2 *v = (1, 2);
}
