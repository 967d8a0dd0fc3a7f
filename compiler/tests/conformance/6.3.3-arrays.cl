//! 6.3.3 Other Built-in Data Types: arrays, as in C99 6.7.5.2

//# accept: elements lie one after the other, rows of two dimensions too
//# expect: 24 12 5 12
kernel void test(global uint *out) {
    int a[2][3];
    int *p = &a[0][0];
    for (int i = 0; i < 6; i++)
        p[i] = i;
    out[0] = sizeof(a);
    out[1] = sizeof(a[0]);
    out[2] = a[1][2 + out[2]];
    out[3] = (char *)a[1] - (char *)a[0];
}

//# accept: a[i] is *(a + i) is i[a]
//# expect: 4 4 4
kernel void test(global uint *out) {
    short a[] = {2, 3, 4};
    int i = 2 + out[0];
    out[0] = a[i];
    out[1] = *(a + i);
    out[2] = i[a];
}

//# accept: the size comes from the initializer where none is given
//# expect: 3 8 6
kernel void test(global uint *out) {
    int a[] = {1, 2, 3};
    int b[] = {[7] = 1};
    char c[] = "hello";
    out[0] = sizeof(a) / sizeof(int);
    out[1] = sizeof(b) / sizeof(int);
    out[2] = sizeof(c);
}

//# accept: only the first dimension may be left out
//# expect: 2 4
kernel void test(global uint *out) {
    int a[][2] = {{1, 2}, {3, 4}};
    out[0] = sizeof(a) / sizeof(a[0]);
    out[1] = a[1][1];
}

//# accept: a size is any integer constant expression
//# expect: 5 16 8
#define N 3
enum { M = 2 };
kernel void test(global uint *out) {
    char a[N + M], b[sizeof(int) * 4], c[true ? 8 : 2];
    out[0] = sizeof(a);
    out[1] = sizeof(b);
    out[2] = sizeof(c);
}

//# accept: an array parameter is a pointer
//# expect: 8 7
uint size(int a[10]) { return sizeof(a); }
void set(int a[], int b[][2]) { a++; *a = 3; b[1][1] = 4; }
kernel void test(global uint *out) {
    int x[2], y[2][2];
    set(x, y);
    out[0] = size(x);
    out[1] = x[1] + y[1][1];
}

//# accept: pointers to arrays
//# expect: 12 3 6
kernel void test(global uint *out) {
    int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int (*p)[3] = a;
    out[0] = sizeof(*p);
    out[1] = (*p)[2];
    p++;
    out[2] = p[0][2];
}

//# accept: arrays of pointers
//# expect: 9 5
kernel void test(global uint *out) {
    int a = 4, b = 5, *p[2] = {&a, &b};
    out[1] = *p[1 + out[0]];
    *p[0] = 9;
    out[0] = a;
}

//# accept: arrays indexed at run time keep 8- and 16-bit elements apart
//# expect: 0x01 0xfe 3 0xffff 5
kernel void test(global uint *out) {
    uchar a[4] = {1, 2, 3, 4};
    ushort b[3] = {4, 5, 6};
    int i = 1 + out[0];
    a[i] -= 4;
    b[i - 1] -= 5;
    out[0] = a[i - 1];
    out[1] = a[i];
    out[2] = a[i + 1];
    out[3] = b[i - 1];
    out[4] = b[i];
}

//# accept: a const variable with a constant initializer makes an array size
//# expect: 12
kernel void test(global uint *out) {
    const int n = 3;
    int a[n];
    out[0] = sizeof(a);
}

//# reject: variable length arrays are not supported
//# error: 3: variable length array
//# error: 4: variable length array
kernel void test(global uint *out) {
    int n = 3;
    int a[n];
    int b[2][n + 1];
}

//# reject: a size is not negative, and an integer
//# error: 2: negative size
//# error: 3: size of array has non-integer type 'float'
kernel void test(global uint *out) {
    int a[-1];
    int c[2.0f];
}

//# accept: arrays of no elements, of variables, members and constants (an extension of C that clang has)
//# expect: 4 12 31 62 0 0 7
struct counted { int n; int tail[0]; };
struct named { int before; int all[0]; int x; int y; };
constant int none[] = {};
uint last(global struct counted *s) { return s->tail[s->n - 1]; }
kernel void test(global uint *out) {
    int a[4 * 0], rows[2][0] = {};
    local int shared[0];
    global int *words = (global int *)out + 2;
    words[0] = 1;
    words[1] = 31;
    struct named s = { 1, {}, 31, 62 };
    out[0] = sizeof(struct counted);
    out[1] = sizeof(struct named);
    uint from_tail = last((global struct counted *)words);
    uint from_name = s.all[from_tail - 30];
    out[2] = from_tail;
    out[3] = from_name;
    out[4] = sizeof rows + sizeof shared;
    out[5] = sizeof none;
    for (int i = 0; i < (int)(sizeof a / sizeof a[0]); i++) a[i] = out[i];
    out[6] = sizeof a ? a[0] : 7;
}

//# reject: an array without size or initializer; a later dimension without size
//# error: 2: definition of variable with array type needs an explicit size or an initializer
//# error: 3: array has incomplete element type 'int[]'
kernel void test(global uint *out) {
    int a[];
    int b[2][];
}

//# reject: arrays are not assigned, compared by value or returned
//# error: 4: array type 'int[2]' is not assignable
//# error: 5: array initializer must be an initializer list
//# error: 1: function cannot return array type 'int[2]'
int f(void)[2];
kernel void test(global uint *out) {
    int a[2] = {1, 2}, b[2];
    b = a;
    int c[2] = a;
}

//# reject: a subscript is an integer, and what is indexed a pointer, array or vector
//# error: 3: array subscript is not an integer
//# error: 4: subscripted value is not an array, pointer, or vector
kernel void test(global uint *out) {
    int a[2], b = 0;
    a[1.0f] = 1;
    b[b] = 1;
}

//# reject: an array that is larger than any memory
//# error: 2: too large
kernel void test(global uint *out) {
    int a[0x7fffffffffffff];
}
