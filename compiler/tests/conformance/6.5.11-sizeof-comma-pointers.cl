//! 6.5.11 Sizeof Operator, 6.5.12 Comma Operator, 6.5.13 Indirection Operator, 6.5.14 Address Operator

//# accept: sizeof of scalar types and expressions
//# expect: 1 1 2 2 2 4 4 4 8 8
kernel void test(global uint *out) {
    out[0] = sizeof(char);
    out[1] = sizeof(uchar);
    out[2] = sizeof(short);
    out[3] = sizeof(ushort);
    out[4] = sizeof(half);
    out[5] = sizeof(int);
    out[6] = sizeof 1u;
    out[7] = sizeof 1.0f;
    out[8] = sizeof(long);
    out[9] = sizeof(ulong);
}

//# accept: sizeof of arrays counts all their bytes; of vectors the components, 4 for 3
//# expect: 24 3 16 64 12
kernel void test(global uint *out) {
    short a[3][4];
    out[0] = sizeof(a);
    out[1] = sizeof a / sizeof a[0];
    out[2] = sizeof(int3);
    out[3] = sizeof(float16);
    out[4] = sizeof("hello world");
}

//# accept: sizeof includes padding within and at the end
//# expect: 12 16
struct s { char a; int b; char c; };
union u { char a[9]; long b; };
kernel void test(global uint *out) {
    out[0] = sizeof(struct s);
    out[1] = sizeof(union u);
}

//# accept: the operand of sizeof is not evaluated
//# expect: 1 4
kernel void test(global uint *out) {
    int n = 1;
    out[1] = sizeof(n++);
    out[0] = n;
}

//# accept: sizeof is an integer constant of type size_t
//# expect: 4 8 1
kernel void test(global uint *out) {
    char a[sizeof(int)];
    switch (out[0]) { case sizeof(long): break; }
    out[0] = sizeof(a);
    out[1] = sizeof(sizeof(char));
    out[2] = sizeof(int) - 5 > 0;
}

//# accept: sizeof binds to a unary expression
//# expect: 5 4
kernel void test(global uint *out) {
    int a = 1;
    out[0] = sizeof a + 1;
    out[1] = sizeof(int) * a;
}

//# accept: the type of a comma expression is that of its last operand
//# expect: 8 2
kernel void test(global uint *out) {
    out[0] = sizeof(((char)1, 1L));
    float f = 3;
    out[1] = (f, 2);
}

//# accept: * gives an l-value of the type pointed to
//# expect: 7 9
kernel void test(global uint *out) {
    int a = 1, *p = &a, **q = &p;
    *p = 7;
    out[0] = a;
    **q += 2;
    out[1] = a;
}

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

//# accept: &*p is p, without an access: even of a null pointer
//# expect: 1 1
kernel void test(global uint *out) {
    global int *null = (global int *)(size_t)out[0];
    out[0] = &*null == null;
    out[1] = &*out == out;
}

//# accept: &a[n] is a + n, without an access: even past the end
//# expect: 1 1
kernel void test(global uint *out) {
    int a[2];
    out[0] = &a[2] == a + 2;
    out[1] = &2[a] - a == 2;
}

//# reject: sizeof of incomplete types and functions
//# error: 4: invalid application of 'sizeof' to an incomplete type 'struct t'
//# error: 5: function
//# error: 6: invalid application of 'sizeof'
int f(void);
struct t;
kernel void test(global uint *out) {
    out[0] = sizeof(struct t);
    out[0] = sizeof(f);
    out[0] = sizeof(int[]);
}

//# reject: * of what is no pointer
//# error: 3: indirection requires pointer operand ('int' invalid)
//# error: 4: indirection requires pointer operand ('int2' invalid)
kernel void test(global uint *out) {
    int a = 1; int2 v = (int2)(1);
    *a = 1;
    *v;
}

//# reject: & of what is no l-value
//# error: 3: cannot take the address of an rvalue of type 'int'
//# error: 4: cannot take the address of an rvalue of type 'int'
kernel void test(global uint *out) {
    int a = 1;
    &1;
    &(a + 1);
}

//# accept: the operands are evaluated from left to right, and the value is that of the last
//# expect: 5 2
kernel void test(global uint *out) {
    int a = 1;
    out[0] = (a = 2, a + 3);
    out[1] = a;
}
