//! 6.13.3 Specifying Attributes of Variables

//# accept: aligned on a variable of program scope
//# expect: 0 5
constant char before = 1;
constant int x __attribute__((aligned(64))) = 5;
kernel void test(global uint *out) {
    out[0] = (uint)(size_t)&x % 64;
    out[1] = x;
}

//# accept: aligned on variables of a function
//# expect: 0 0
kernel void test(global uint *out) {
    local char l[3];
    local int m __attribute__((aligned(32)));
    char c = 1;
    short array[3] __attribute__((aligned(32)));
    array[0] = c;
    l[0] = array[0];
    m = 1;
    out[0] = (uint)(size_t)&m % 32;
    out[1] = (uint)(size_t)array % 32;
}

//# accept: aligned on a member
//# expect: 8 8 8
struct foo { int x[2] __attribute__((aligned(8))); };
struct bar { char c; char x __attribute__((aligned(8))); };
kernel void test(global uint *out) {
    out[0] = sizeof(struct foo);
    out[1] = __alignof__(struct foo);
    out[2] = (uint)(size_t)&((global struct bar *)0)->x;
}

//# accept: aligned without a factor is the largest alignment of any type
//# expect: 0 128
struct bar { char c; char x __attribute__((aligned)); };
kernel void test(global uint *out) {
    local short array[3] __attribute__((aligned));
    array[0] = 1;
    out[0] = (uint)(size_t)array % 128;
    out[1] = (uint)(size_t)&((global struct bar *)0)->x;
}

//# accept: on a member aligned only increases
//# expect: 4
struct foo { char c; int x __attribute__((aligned(2))); };
kernel void test(global uint *out) {
    out[0] = (uint)(size_t)&((global struct foo *)0)->x;
}

//# accept: with packed it decreases
//# expect: 2
struct foo { char c; int x __attribute__((packed, aligned(2))); };
kernel void test(global uint *out) {
    out[0] = (uint)(size_t)&((global struct foo *)0)->x;
}

//# accept: on a typedef aligned decreases too
//# expect: 2 2 6
typedef int loose __attribute__((aligned(2)));
struct foo { char c; loose x; };
kernel void test(global uint *out) {
    out[0] = __alignof__(loose);
    out[1] = (uint)(size_t)&((global struct foo *)0)->x;
    out[2] = sizeof(struct foo);
}

//# accept: a loosely aligned member is read and written where it is
//# expect: 0x22110000 0x00004433 0x44332211
typedef uint loose __attribute__((aligned(2)));
struct foo { ushort s; loose x; };
kernel void test(global uint *out) {
    global struct foo *p = (global struct foo *)out;
    p->x = 0x44332211;
    out[2] = p->x;
}

//# accept: packed gives a member the smallest alignment
//# expect: 1 9 1
struct foo { char a; int x[2] __attribute__((packed)); };
kernel void test(global uint *out) {
    out[0] = (uint)(size_t)&((global struct foo *)0)->x;
    out[1] = sizeof(struct foo);
    out[2] = __alignof__(struct foo);
}

//# accept: packed changes the one member
//# expect: 1 8 12
struct foo { char a; int x __attribute__((packed)); int y; };
kernel void test(global uint *out) {
    out[0] = (uint)(size_t)&((global struct foo *)0)->x;
    out[1] = (uint)(size_t)&((global struct foo *)0)->y;
    out[2] = sizeof(struct foo);
}

//# accept: attributes before a struct are the variable's, those behind its body the type's
//# expect: 4 32 0 0
__attribute__((aligned(128))) constant struct A { int i; } a = {1};
__attribute__((aligned(16))) constant struct B { long d; } __attribute__((aligned(32))) b = {2};
kernel void test(global uint *out) {
    out[0] = __alignof__(struct A);
    out[1] = __alignof__(struct B);
    out[2] = (uint)(size_t)&a % 128;
    out[3] = (uint)(size_t)&b % 16;
}

//# accept: endian(host) and endian(device) on pointers to global and constant memory
//# expect: 3
kernel void test(global uint *out) {
    global uint *p __attribute__((endian(host))) = out;
    global uint *q __attribute__((endian(device))) = out + 1;
    constant uint *r __attribute__((endian(host))) = 0;
    *p = 3;
}

//# accept: endian on an argument
//# expect: 4
kernel void test(global uint *out __attribute__((endian(host)))) {
    *out = 4;
}

//# accept: nosvm on a pointer may be ignored
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) {
    global uint *p __attribute__((nosvm)) = out;
    *p = 1;
}

//# accept: nosvm on an argument
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(__attribute__((nosvm)) global uint *out) {
    *out = 1;
}

//# reject: an alignment is a power of two
//# error: 2: requested alignment is not a power of 2
kernel void test(global uint *out) {
    int x __attribute__((aligned(12))) = 0;
}

//# reject: endian is host or device
//# error: 2: invalid argument of attribute 'endian'; expected 'host' or 'device'
kernel void test(global uint *out) {
    global uint *p __attribute__((endian(middle))) = out;
}

//# reject: endian needs its argument
//# error: 2: 'endian' attribute takes one argument
kernel void test(global uint *out) {
    global uint *p __attribute__((endian)) = out;
}

//# reject: endian is for pointers
//# error: 2: 'endian' attribute only applies to pointers to the global and constant address spaces
kernel void test(global uint *out) {
    int x __attribute__((endian(host))) = 1;
}

//# reject: endian is for pointers to global and constant memory
//# error: 2: 'endian' attribute only applies to pointers to the global and constant address spaces
kernel void test(global uint *out) {
    local int *x __attribute__((endian(host))) = 0;
}

//# reject: nosvm is for pointers
//# options: -cl-std=CL3.0
//# error: 2: 'nosvm' attribute only applies to pointers
kernel void test(global uint *out) {
    int x __attribute__((nosvm)) = 1;
}

//# reject: nosvm requires OpenCL C 2.0
//# options: -cl-std=CL1.2
//# error: 2: 'nosvm' attribute requires OpenCL C version 2.0
kernel void test(global uint *out) {
    global uint *p __attribute__((nosvm)) = out;
}
