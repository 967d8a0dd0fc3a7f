//! 6.5.14 Address Operator

//# accept: & gives a pointer to the operand's type: of scalars, members, elements, arrays and structs
//# expect: 2 4 12 8
typedef struct { int a; short b[2]; } s;
kernel void test(global uint *out) {
    s x;
    int a[3];
    short *p = &x.b[1];
    *p = 2;
    out[0] = x.b[1];
    out[1] = (char *)&x.b - (char *)&x;
    out[2] = (char *)(&a + 1) - (char *)&a;
    out[3] = sizeof(*&x);
}

//# accept: &a[n] is a + n, without an access: even past the end
//# expect: 1 1
kernel void test(global uint *out) {
    int a[2];
    out[0] = &a[2] == a + 2;
    out[1] = &2[a] - a == 2;
}

//# reject: & of what is no l-value
//# error: 3: cannot take the address of an rvalue of type 'int'
//# error: 4: cannot take the address of an rvalue of type 'int'
kernel void test(global uint *out) {
    int a = 1;
    &1;
    &(a + 1);
}
