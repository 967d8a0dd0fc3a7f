//! 6.15.12.7.4 The atomic_compare_exchange Functions

//# accept: where the value is the expected one it is replaced and the result is true
//# options: -cl-std=CL3.0
//# expect: 6 1 5
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    out[0] = 5;
    uint expected = 5;
    out[1] = atomic_compare_exchange_strong_explicit(a, &expected, 6u, memory_order_relaxed, memory_order_relaxed,
                                                     memory_scope_work_group);
    out[2] = expected;
}

//# accept: else it is stored as the expected one and the result is false
//# options: -cl-std=CL3.0
//# expect: 5 0 5
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    out[0] = 5;
    uint expected = 4;
    out[1] = atomic_compare_exchange_strong_explicit(a, &expected, 6u, memory_order_relaxed, memory_order_relaxed,
                                                     memory_scope_work_group);
    out[2] = expected;
}

//# accept: the weak form may fail spuriously, so that it is tried again
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# global: 8
//# local: 4
//# expect: 40
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    uint expected = atomic_load(a);
    while (!atomic_compare_exchange_weak(a, &expected, expected + 5))
        ;
}

//# accept: what is expected lies in global, local or private memory
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# expect: 3 0 2
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    local uint l;
    l = 0;
    uint p = 1;
    atomic_compare_exchange_strong(a, out + 1, 1u);
    atomic_compare_exchange_strong(a, &l, 9u);
    atomic_compare_exchange_strong(a, &p, 2u);
    p = 2;
    out[2] = l + atomic_compare_exchange_strong(a, &p, 3u);
}

//# accept: comparison is by bits: of floats a zero is not its negative
//# options: -cl-std=CL3.0
//# expect: 0x80000000 0
kernel void test(global uint *out) {
    global atomic_float *a = (global atomic_float *)out;
    out[0] = 0x80000000;
    float expected = 0;
    out[1] = atomic_compare_exchange_strong_explicit(a, &expected, 1.0f, memory_order_relaxed, memory_order_relaxed,
                                                     memory_scope_work_group);
}

//# accept: an order for failure that is not one: a warning
//# options: -cl-std=CL3.0
//# requires: atomic_order_acq_rel
//# expect: 1
//# warn: 4: memory order argument to atomic operation is invalid
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    uint e = 0;
    atomic_compare_exchange_strong_explicit(a, &e, 1u, memory_order_acq_rel, memory_order_release, memory_scope_work_group);
}

//# reject: what is expected is a pointer to the object's regular type
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# error: 4: no matching function for call to 'atomic_compare_exchange_strong'
//# error: 5: no matching function for call to 'atomic_compare_exchange_strong'
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    int e = 0;
    atomic_compare_exchange_strong(a, &e, 1u);
    atomic_compare_exchange_strong(a, 0, 1u);
}

//# reject: that is not const
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# error: 4: no matching function for call to 'atomic_compare_exchange_weak'
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    const uint e = 0;
    atomic_compare_exchange_weak(a, &e, 1u);
}

//# reject: both orders are arguments
//# options: -cl-std=CL3.0
//# error: 4: no matching function for call to 'atomic_compare_exchange_strong_explicit'
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    uint e = 0;
    atomic_compare_exchange_strong_explicit(a, &e, 1u, memory_order_relaxed);
}
