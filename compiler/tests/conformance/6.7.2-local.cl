//! 6.7.2 local

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

//# accept: scalars, arrays and structs of a work-group
//# global: 4
//# local: 2
//# expect: 1 1 1 1
struct pair { uint a, b; };
kernel void test(global uint *out) {
    local uint a;
    local uint b[2];
    local struct pair c;
    size_t i = get_local_id(0);
    b[i] = i;
    if (i == 0) {
        a = 5;
        c.a = get_group_id(0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a == 5 && b[1 - i] == 1 - i && c.a == get_group_id(0);
}

//# reject: variables in local memory have no initializers
//# error: 2: '__local' variable cannot have an initializer
kernel void test(global uint *out) {
    local uint a = 1;
}

//# reject: they are declared at the outermost scope of a kernel
//# error: 2: local
void f(void) {
    local uint a;
}
kernel void test(global uint *out) {}

//# reject: there are none of program scope
//# error: 1: program scope variable must reside in constant address space
local uint a;
kernel void test(global uint *out) {}
