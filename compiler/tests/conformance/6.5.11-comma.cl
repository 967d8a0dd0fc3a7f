//! 6.5.11 Comma Operator

//# accept: the operands are evaluated from left to right, and the value is that of the last
//# expect: 5 2
kernel void test(global uint *out) {
    int a = 1;
    out[0] = (a = 2, a + 3);
    out[1] = a;
}
