//! 6.3.3 Other Built-in Data Types: enums, as in C99 6.7.2.2

//# accept: enumerators count from 0, and from where a value is given
//# expect: 0 1 5 6 -3 -2 -2
enum e { A, B, C = 5, D, E = -3, F, G = F };
kernel void test(global uint *out) {
    out[0] = A;
    out[1] = B;
    out[2] = C;
    out[3] = D;
    out[4] = E;
    out[5] = F;
    out[6] = G;
}

//# accept: enumerators are integer constants: array sizes, case labels, other enumerators
//# expect: 3 2 12
enum e { A = 1, B = A + 1, C = sizeof(int) * (B + 1) };
kernel void test(global uint *out) {
    int a[B + 1];
    out[0] = sizeof(a) / sizeof(int);
    switch (out[1] + 2) {
        case A: out[1] = 1; break;
        case B: out[1] = 2; break;
    }
    out[2] = C;
}

//# accept: an enumerator is of type int, and the values convert like integers
//# expect: 4 3 0.5f 1
enum e { A, B, C };
kernel void test(global uint *out) {
    enum e x = B;
    out[0] = sizeof(A);
    x = (enum e)(x + 1);
    out[1] = x + 1;
    out[2] = as_uint(x / 4.0f);
    x = out[3];
    out[3] = x == A;
}

//# accept: a trailing comma; an anonymous enum; a typedef of one
//# expect: 2 8
enum { X = 1, Y, };
typedef enum { Z = 8 } z_t;
kernel void test(global uint *out) {
    z_t z = Z;
    out[0] = Y;
    out[1] = z;
}

//# accept: enumerators have the scope of their declaration
//# expect: 7 1
enum { A = 1 };
kernel void test(global uint *out) {
    {
        enum { A = 7 };
        out[0] = A;
    }
    out[1] = A;
}

//# accept: a constant beyond int makes the enum wider
//# expect: 1 8 1
enum u { U = 0xffffffff };
enum l { L = 0x100000000 };
kernel void test(global uint *out) {
    out[0] = U > 0;
    out[1] = sizeof(enum l);
    out[2] = (uint)(L >> 32);
}

//# accept: enums in structs, as parameters and as results
//# expect: 2 8
typedef enum { A, B, C } e;
typedef struct { e kind; int n; } s;
e next(e x) { return x == A ? B : C; }
kernel void test(global uint *out) {
    s v = {next(next(A)), 0};
    out[0] = v.kind;
    out[1] = sizeof(s);
}

//# reject: an enumerator is no object
//# error: 3: expression is not assignable
//# error: 4: cannot take the address of an rvalue of type 'int'
enum e { A };
kernel void test(global uint *out) {
    A = 1;
    &A;
}

//# reject: an enumerator is redefined
//# error: 2: redefinition of enumerator 'A'
enum e { A, B };
enum f { A };
kernel void test(global uint *out) {}

//# reject: the value of an enumerator is an integer constant
//# error: 1: not an integer constant expression
//# error: 3: not an integer constant expression
enum e { A = 1.5f };
kernel void test(global uint *out) {
    enum { B = out[0] };
}

//# reject: an enum without enumerators is declared
//# error: 2: redefinition of 'e'
enum e { A };
enum e { B };
kernel void test(global uint *out) {}
