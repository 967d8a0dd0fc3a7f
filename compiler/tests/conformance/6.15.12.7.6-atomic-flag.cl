//! 6.15.12.7.6 Atomic Flag Type and Operations

//# accept: ATOMIC_FLAG_INIT clears a flag of program scope
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables, atomic_order_seq_cst, atomic_scope_device
//# expect: 0 1
global atomic_flag guard = ATOMIC_FLAG_INIT;
kernel void test(global uint *out) {
    out[0] = atomic_flag_test_and_set(&guard);
    out[1] = atomic_flag_test_and_set(&guard);
}

//# reject: flags have no operators
//# options: -cl-std=CL3.0
//# error: 3: invalid
kernel void test(global uint *out) {
    global atomic_flag *f = (global atomic_flag *)out;
    out[1] = *f + 1;
}

//# reject: flags require OpenCL C 2.0
//# options: -cl-std=CL1.2
//# error: 2: 'atomic_flag'
kernel void test(global uint *out) {
    global atomic_flag *f;
}
