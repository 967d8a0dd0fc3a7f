//! 6.7.1 to 6.7.4 global, local, constant and private

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

//# accept: local memory is shared by the work-items of a work-group
//# global: 4
//# local: 2
//# expect: 1 0 3 2
kernel void test(global uint *out) {
    local uint b[2];
    b[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = b[1 - get_local_id(0)];
}

//# accept: constant variables of program scope, of kernels and static ones of functions
//# expect: 3 4 5
constant int a = 3;
uint f(void) { static constant uint x = 5; return x; }
kernel void test(global uint *out) {
    constant uint b = 4;
    out[0] = a;
    out[1] = b;
    out[2] = f();
}

//# accept: variables of functions are private by default
//# global: 3
//# expect: 0 10 20
kernel void test(global uint *out) {
    uint i = get_global_id(0) * 10;
    out[get_global_id(0)] = i;
}

//# reject: a constant variable is not written
//# error: 3: cannot assign to variable 'a'
constant int a = 3;
kernel void test(global uint *out) {
    a = 42;
}

//# reject: nor is what a pointer to constant points to
//# error: 2: read-only
kernel void other(constant int *p) {
    *p = 42;
}
kernel void test(global uint *out) { }

//# reject: a variable of a function is not in global memory
//# error: 2: function scope variable cannot be declared in global address space
kernel void test(global uint *out) {
    global int x;
}
