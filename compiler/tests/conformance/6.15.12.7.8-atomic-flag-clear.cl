//! 6.15.12.7.8 The atomic_flag_clear Functions

//# accept: a flag that is cleared can be set again
//# options: -cl-std=CL3.0
//# expect: 0 1 0 0
kernel void test(global uint *out) {
    global atomic_flag *f = (global atomic_flag *)out + 3;
    out[0] = atomic_flag_test_and_set_explicit(f, memory_order_relaxed, memory_scope_work_group);
    out[1] = atomic_flag_test_and_set_explicit(f, memory_order_relaxed, memory_scope_work_group);
    atomic_flag_clear_explicit(f, memory_order_relaxed, memory_scope_work_group);
    out[2] = atomic_flag_test_and_set_explicit(f, memory_order_relaxed, memory_scope_work_group);
    atomic_flag_clear_explicit(f, memory_order_relaxed, memory_scope_work_group);
}

//# accept: a lock: set with acquire, cleared with release
//# options: -cl-std=CL3.0
//# requires: atomic_order_acq_rel, atomic_scope_device
//# global: 8
//# local: 1
//# expect: 8 0
kernel void test(global uint *out) {
    global atomic_flag *f = (global atomic_flag *)out + 1;
    while (atomic_flag_test_and_set_explicit(f, memory_order_acquire, memory_scope_device))
        ;
    out[0] += 1;
    atomic_flag_clear_explicit(f, memory_order_release, memory_scope_device);
}

//# accept: the order is not memory_order_acquire, nor memory_order_acq_rel: a warning
//# options: -cl-std=CL3.0
//# requires: atomic_order_acq_rel
//# expect: 0
//# warn: 2: memory order argument to atomic operation is invalid
kernel void test(global uint *out) {
    atomic_flag_clear_explicit((global atomic_flag *)out, memory_order_acquire, memory_scope_work_group);
}

//# reject: they have no value
//# options: -cl-std=CL3.0
//# error: 3: 'void'
kernel void test(global uint *out) {
    global atomic_flag *f = (global atomic_flag *)out;
    out[0] = atomic_flag_clear_explicit(f, memory_order_relaxed, memory_scope_work_group);
}
