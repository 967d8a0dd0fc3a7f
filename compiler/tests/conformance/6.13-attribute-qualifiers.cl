//! 6.13 Attribute Qualifiers

//# accept: an attribute list may be empty
//# expect: 1
kernel void test(global uint *out) {
    int x __attribute__(()) = 1;
    out[0] = x;
}

//# accept: an attribute list has attributes and commas, and attributes may be missing
//# expect: 16
kernel void test(global uint *out) {
    struct __attribute__((, packed, , aligned(16), )) s { char c; int i; };
    out[0] = sizeof(struct s);
}

//# accept: several specifiers add up
//# expect: 8 1
struct __attribute__((packed)) s { char c; int i; } __attribute__((aligned(8)));
kernel void test(global uint *out) {
    out[0] = sizeof(struct s);
    out[1] = (uint)(size_t)&((global struct s *)0)->i;
}

//# accept: an argument is any assignment expression
//# expect: 32
#define SIZE 8
typedef struct __attribute__((aligned(sizeof(float) * SIZE))) { int x; } s;
kernel void test(global uint *out) {
    out[0] = sizeof(s);
}

//# accept: names may have underscores around them
//# expect: 5
struct __attribute__((__packed__)) s { char c; int i; };
kernel void test(global uint *out) {
    out[0] = sizeof(struct s);
}

//# accept: an attribute that nobody knows is reported and ignored
//# warn: 1: unknown attribute 'wonderful' ignored
//# expect: 4
struct __attribute__((wonderful(1, 2))) s { int x; };
kernel void test(global uint *out) {
    out[0] = sizeof(struct s);
}

//# reject: two parentheses, not one
//# error: 1: expected '((' after '__attribute__'
struct __attribute__(packed) s { int x; };
kernel void test(global uint *out) { }

//# reject: the parentheses are closed
//# error: 1: expected ')'
__attribute__((aligned(8)) int x;
kernel void test(global uint *out) { }
