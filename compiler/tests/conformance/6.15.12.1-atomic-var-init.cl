//! 6.15.12.1 The ATOMIC_VAR_INIT Macro

//# accept: it initializes atomic objects of program scope in global memory
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables, atomic_order_seq_cst, atomic_scope_device
//# expect: 42 -7
global atomic_int guide = ATOMIC_VAR_INIT(42);
global atomic_int other = ATOMIC_VAR_INIT(-7);
kernel void test(global uint *out) {
    out[0] = atomic_load(&guide);
    out[1] = atomic_load(&other);
}

//# accept: without it an object of static storage is zero
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables, atomic_order_seq_cst, atomic_scope_device
//# expect: 0
global atomic_uint zero;
kernel void test(global uint *out) {
    out[0] = atomic_load(&zero);
}

//# accept: of float
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables, atomic_order_seq_cst, atomic_scope_device
//# expect: 1.5f
global atomic_float x = ATOMIC_VAR_INIT(1.5f);
kernel void test(global uint *out) {
    ((global float *)out)[0] = atomic_load(&x);
}

//# reject: it is no value to assign
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables
//# error: 3: atomic
global atomic_int guide;
kernel void test(global uint *out) {
    guide = ATOMIC_VAR_INIT(42);
}

//# reject: it requires OpenCL C 2.0
//# options: -cl-std=CL1.2
//# error: 2: implicit declaration of function 'ATOMIC_VAR_INIT' is invalid
kernel void test(global uint *out) {
    out[0] = ATOMIC_VAR_INIT(42);
}
