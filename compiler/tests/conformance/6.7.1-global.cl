//! 6.7.1 global

//# accept: pointers to global memory, of scalars, vectors and structs
//# expect: 1 2 3 4 9
typedef struct { uint a[3]; uint b[2]; } foo_t;
kernel void test(global uint *out) {
    global foo_t *my_info = (global foo_t *)out;
    for (int i = 0; i < 3; i++) my_info->a[i] = i + 1;
    my_info->b[0] = my_info->a[2] + 1;
    my_info[0].b[1] = 9;
}

//# accept: variables of program scope in global memory keep their values
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables
//# expect: 3 7
global uint count = 2;
uint zero;
kernel void test(global uint *out) {
    out[0] = ++count;
    out[1] = zero + 7;
}

//# reject: a variable of a function is not in global memory
//# error: 2: function scope variable cannot be declared in global address space
kernel void test(global uint *out) {
    global int x;
}

//# reject: without the feature, program scope has no global variables
//# options: -cl-std=CL1.2
//# error: 1: program scope variable must reside in constant address space
global int x;
kernel void test(global uint *out) {}
