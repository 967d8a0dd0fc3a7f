//! 6.15.3.2 Integer Macros

//# accept: the macros have the values specified
//# expect: 8 127 -128 127 -128 32767 -32768 255 65535 2147483647 0x80000000 0xffffffff 1 1 1
kernel void test(global uint *out) {
    out[0] = CHAR_BIT;
    out[1] = CHAR_MAX;
    out[2] = CHAR_MIN;
    out[3] = SCHAR_MAX;
    out[4] = SCHAR_MIN;
    out[5] = SHRT_MAX;
    out[6] = SHRT_MIN;
    out[7] = UCHAR_MAX;
    out[8] = USHRT_MAX;
    out[9] = INT_MAX;
    out[10] = INT_MIN;
    out[11] = UINT_MAX;
    out[12] = LONG_MAX == 0x7fffffffffffffffL;
    out[13] = LONG_MIN < 0 && LONG_MIN + LONG_MAX == -1;
    out[14] = ULONG_MAX == ~0UL;
}

//# accept: they are constants for #if
//# expect: 1
#if CHAR_BIT == 8 && CHAR_MIN == -128 && INT_MIN < 0 && UINT_MAX > INT_MAX && LONG_MIN < INT_MIN && ULONG_MAX > 1
kernel void test(global uint *out) {
    out[0] = 1;
}
#endif

//# accept: their types are those of the constants
//# expect: 4 4 8 8 1 1
kernel void test(global uint *out) {
    out[0] = sizeof(INT_MIN);
    out[1] = sizeof(UINT_MAX);
    out[2] = sizeof(LONG_MAX);
    out[3] = sizeof(ULONG_MAX);
    out[4] = UINT_MAX > 0;
    out[5] = INT_MIN < 0;
}

//# accept: INT_MIN and the like may be operands without parentheses
//# expect: 1 -2
kernel void test(global uint *out) {
    out[0] = (INT_MIN + 1) / INT_MIN + 1;
    out[1] = 2 * SCHAR_MIN / 128;
}

//# accept: they size arrays
//# expect: 255
kernel void test(global uint *out) {
    uchar a[UCHAR_MAX];
    out[0] = sizeof a;
}

//# reject: they are values, not objects
//# error: 2: expression is not assignable
kernel void test(global uint *out) {
    INT_MAX = 1;
}

//# reject: limits.h has more than OpenCL C: what it does not name is not there
//# error: 2: use of undeclared identifier 'LLONG_MAX'
//# error: 3: use of undeclared identifier 'MB_LEN_MAX'
kernel void test(global uint *out) {
    out[0] = LLONG_MAX > 0;
    out[1] = MB_LEN_MAX;
}
