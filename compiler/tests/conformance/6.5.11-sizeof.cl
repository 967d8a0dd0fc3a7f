//! 6.5.11 Sizeof Operator

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

//# accept: images have the size that the implementation says
//# expect: 8 8
#ifdef __IMAGE_SUPPORT__
size_t size_of(read_only image2d_t image) { return sizeof(image); }
kernel void test(global uint *out) {
    out[0] = sizeof(image3d_t);
    out[1] = sizeof(write_only image2d_t);
}
#else
kernel void test(global uint *out) { out[0] = out[1] = 8; }
#endif

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
