//! 6.3.3 Other Built-in Data Types: initializers and compound literals, as in C99 6.7.8 and 6.5.2.5

//# accept: what is left out of a list of initializers is zero
//# expect: 1 2 0 0 0 3 0
typedef struct { int a[3]; char b; float2 c; } s;
kernel void test(global uint *out) {
    int a[5] = {1, 2};
    s x = {{3}};
    out[0] = a[0];
    out[1] = a[1];
    out[2] = a[2];
    out[3] = a[4];
    out[4] = x.a[2] + x.b;
    out[5] = x.a[0];
    out[6] = as_uint(x.c.y);
}

//# accept: designators set elements and members; those after them follow
//# expect: 0 5 6 0 9 10 1 3
typedef struct { int x, y, z; } s;
kernel void test(global uint *out) {
    int a[6] = {[1] = 5, 6, [4] = 9, 10};
    for (int i = 0; i < 6; i++)
        out[i] = a[i];
    s v = {.y = 1, 3};
    out[6] = v.y;
    out[7] = v.x + v.z;
}

//# accept: designators go into parts of parts
//# expect: 0 4 0 7 8 0
typedef struct { struct { int a, b; } p[2]; int q[2]; } s;
kernel void test(global uint *out) {
    s v = {.p[0].b = 4, .p[1] = {.b = 7}, .q[0] = 8};
    out[0] = v.p[0].a;
    out[1] = v.p[0].b;
    out[2] = v.p[1].a;
    out[3] = v.p[1].b;
    out[4] = v.q[0];
    out[5] = v.q[1];
}

//# accept: the last initializer of an element counts
//# expect: 1 9 3
kernel void test(global uint *out) {
    int a[3] = {1, 2, 3, [1] = 9};
    for (int i = 0; i < 3; i++)
        out[i] = a[i];
}

//# accept: a range of elements is designated by [first ... last]
//# expect: 0 7 7 7 5
kernel void test(global uint *out) {
    int a[] = {[1 ... 3] = 7, 5};
    for (int i = 0; i < 5; i++)
        out[i] = a[i];
}

//# accept: ranges at program scope, of parts, and overridden in part
//# expect: 3 3 9 3 4 24
typedef struct { int a, b; } s;
constant int t[8] = {[0 ... 5] = 3, [2] = 9};
constant s u[] = {[0 ... 2].b = 4};
kernel void test(global uint *out) {
    for (int i = 0; i < 4; i++)
        out[i] = t[i];
    out[4] = u[1].b + u[2].a;
    out[5] = sizeof(u);
}

//# accept: the value of a range is evaluated once
//# expect: 1 1 1
kernel void test(global uint *out) {
    int n = 0;
    int a[2] = {[0 ... 1] = ++n};
    out[0] = a[0];
    out[1] = a[1];
    out[2] = n;
}

//# reject: a range's ends are in order and in the array
//# error: 2: array designator range [2, 1] is empty
//# error: 3: array designator index (3) exceeds array bounds (3)
//# error: 4: not an integer constant expression
kernel void test(global uint *out) {
    int a[3] = {[2 ... 1] = 1};
    int b[3] = {[0 ... 3] = 1};
    int c[3] = {[0 ... out[0]] = 1};
}

//# accept: inner braces may be left out
//# expect: 1 2 3 4 5 6
typedef struct { int a[2]; struct { int b, c; } d; } s;
kernel void test(global uint *out) {
    int a[2][2] = {1, 2, 3, 4};
    s x = {1, 2, 5, 6};
    for (int i = 0; i < 4; i++)
        out[i] = a[i / 2][i % 2];
    out[4] = x.d.b;
    out[5] = x.d.c;
}

//# accept: braces around a scalar, and trailing commas
//# expect: 3 4
kernel void test(global uint *out) {
    int a = {3}, b[] = {4,};
    out[0] = a;
    out[1] = b[0];
}

//# accept: a string fills an array of char, its end included where there is room
//# expect: 4 0x61 0x63 0 3 0x63 0
kernel void test(global uint *out) {
    char a[] = "abc", b[3] = "abc", c[5] = {"ab"};
    out[0] = sizeof(a);
    out[1] = a[0];
    out[2] = a[2];
    out[3] = a[3];
    out[4] = sizeof(b);
    out[5] = b[2];
    out[6] = c[4];
}

//# accept: a string literal is an array of char in the constant address space
//# expect: 3 0x62 4
kernel void test(global uint *out) {
    constant char *s = "ab" "";
    out[0] = sizeof("ab");
    out[1] = s[1];
    out[2] = sizeof("a\0b");
}

//# accept: escapes in strings and characters
//# expect: 10 9 0 27 39 34 92 65 83 -1 7 8 12 13 11
kernel void test(global uint *out) {
    constant char *s = "\n\t\0\033'\"\\\x41\123\xff\a\b\f\r\v";
    for (int i = 0; i < 15; i++)
        out[i] = s[i];
}

//# accept: a character constant is an int
//# expect: 4 97 -1 10
kernel void test(global uint *out) {
    out[0] = sizeof('a');
    out[1] = 'a';
    out[2] = '\xff';
    out[3] = '\n';
}

//# accept: members of vector type are initialized by vectors, and by lists in braces
//# expect: 1 2 3 4 7 7
typedef struct { int2 a; int4 b[2]; } s;
kernel void test(global uint *out) {
    s x = {{1, 2}, {{3, 4, 5, 6}, (int4)(7)}};
    out[0] = x.a.x;
    out[1] = x.a.y;
    out[2] = x.b[0].x;
    out[3] = x.b[0].y;
    out[4] = x.b[1].w;
    int4 v = 7;
    out[5] = v.z;
}

//# accept: a struct in a list may be initialized by an expression of its type
//# expect: 5 6 7
typedef struct { int a, b; } s;
kernel void test(global uint *out) {
    s x = {5, 6};
    struct { s one; int c; } y = {x, 7};
    out[0] = y.one.a;
    out[1] = y.one.b;
    out[2] = y.c;
}

//# accept: a compound literal is an object of its type
//# expect: 3 9 5 6
typedef struct { int a, b; } s;
kernel void test(global uint *out) {
    s x;
    x = (s){.b = 3};
    out[0] = x.a + x.b;
    int *p = (int[]){8, 9};
    out[1] = p[1];
    s *q = &(s){5, 6};
    out[2] = q->a;
    q->a = 6;
    out[3] = q->a;
}

//# accept: a compound literal in a loop is made anew each time
//# expect: 6
kernel void test(global uint *out) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int *p = (int[]){1, 0};
        p[1]++;
        sum += p[0] + p[1];
    }
    out[0] = sum;
}

//# accept: a compound literal is passed to a function
//# expect: 12
typedef struct { int a[3]; } s;
int sum(s x) { return x.a[0] + x.a[1] + x.a[2]; }
kernel void test(global uint *out) {
    out[0] = sum((s){{3, 4, 5}});
}

//# accept: initializers are evaluated in the object's scope, after earlier declarators
//# expect: 1 2 8
kernel void test(global uint *out) {
    int a = 1, b = a + 1, c = sizeof(c) * 2;
    out[0] = a;
    out[1] = b;
    out[2] = c;
}

//# reject: program-scope initializers are constants
//# error: 2: not a compile-time constant
constant int a = 1;
constant int b = get_global_id(0);
kernel void test(global uint *out) {}

//# reject: designators of what is not there
//# error: 3: field designator 'c' does not refer to any field in type 'struct s'
//# error: 4: array designator index (2) exceeds array bounds (2)
//# error: 5: array designator value '-1' is negative
//# error: 6: designator in initializer for scalar type 'int'
struct s { int a; };
kernel void test(global uint *out) {
    struct s x = {.c = 1};
    int a[2] = {[2] = 1};
    int b[2] = {[-1] = 1};
    int c = {[0] = 1};
}

//# reject: an array designator in a struct and a member designator in an array
//# error: 3: array designator cannot initialize non-array type 'struct s'
//# error: 4: field designator cannot initialize a non-struct, non-union type
struct s { int a; };
kernel void test(global uint *out) {
    struct s x = {[0] = 1};
    int a[2] = {.a = 1};
}

//# accept: too many initializers warn
//# warn: 3: excess elements in array initializer
//# warn: 4: excess elements in struct initializer
//# warn: 5: excess elements in scalar initializer
//# warn: 6: initializer-string for char array is too long
//# expect: 2 1 3 0x62
struct s { int a; };
kernel void test(global uint *out) {
    int a[2] = {1, 2, 3};
    struct s x = {1, 2};
    int b = {3, 4};
    char c[2] = "abc";
    out[0] = a[1];
    out[1] = x.a;
    out[2] = b;
    out[3] = c[1];
}

//# reject: no initializer for local variables
//# error: 2: '__local' variable cannot have an initializer
kernel void test(global uint *out) {
    local int a = 1;
}

//# reject: a scalar from an empty list, an array from a scalar
//# error: 2: scalar initializer cannot be empty
//# error: 3: array initializer must be an initializer list
kernel void test(global uint *out) {
    int a = {};
    int b[2] = 1;
}

//# accept: an initializer that a later one overrides leaves nothing behind, not even an address
//# expect: 1 5 0 6 5 5 0 0x78 0
constant int a = 5, b = 6;
typedef struct { int x, y; } s;
constant int *constant p[4] = {[0] = &a, [0] = 0, [1] = &a, [2] = &b, [1 ... 3] = &a, [2] = &b};
constant s v[2] = {[0] = {1, 2}, [0] = {.x = 5}};
kernel void test(global uint *out) {
    int i = out[0];
    out[0] = p[i] == 0;
    out[1] = v[i].x;
    out[2] = v[i].y;
    out[3] = *p[i + 2];
    out[4] = *p[i + 3];
    s w[2] = {[0] = {1, 2}, [0] = {.x = 5}};
    out[5] = w[i].x;
    out[6] = w[i].y;
    char t[2][8] = {[0] = "abcdef", [0] = "x"};
    out[7] = t[i][0];
    out[8] = t[i][3];
}

//# accept: ranges of two dimensions, and of parts of their elements
//# expect: 24 3 0 24 3 0
typedef struct { int a, b; } s;
constant s t[4][3] = {[0 ... 3][1 ... 2].b = 3};
kernel void test(global uint *out) {
    s u[4][3] = {[0 ... 3][1 ... 2].b = 3};
    for (int i = 0; i < 12; i++) {
        out[0] += t[i / 3][i % 3].b;
        out[3] += u[i / 3][i % 3].b;
    }
    out[1] = t[2][1].b;
    out[2] = t[3][0].b + t[1][1].a;
    out[4] = u[2][1].b;
    out[5] = u[3][0].b + u[1][1].a;
}

//# accept: a large range in private memory
//# expect: 3000 7
kernel void test(global uint *out) {
    uchar t[1000] = {[0 ... 999] = 3, [500] = 7};
    uint sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += t[i];
    out[0] = sum - 4;
    out[1] = t[500 + out[1]];
}

//# accept: a compound literal of a number is an object where its address is taken
//# expect: 5 7 3 9 1 2
constant const int *constant outside = &(constant int){9};
void store(int *place, int value) { *place = value; }
kernel void test(global uint *out) {
    int *number = &(int){5};
    out[0] = *number;
    store(number, 7 + out[2]);
    out[1] = *number;
    out[2] = *&((int){3});
    out[3] = *outside;
    float2 *pair = &(float2){1.0f, 2.0f};
    out[4] = pair->x;
    out[5] = pair->y;
}
