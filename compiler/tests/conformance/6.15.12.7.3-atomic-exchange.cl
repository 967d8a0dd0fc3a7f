//! 6.15.12.7.3 The atomic_exchange Functions

//# accept: they replace the value and return the one before
//# options: -cl-std=CL3.0
//# expect: 5 2 0f 7 2.5f
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    out[0] = 2;
    uint before = atomic_exchange_explicit(a, 5u, memory_order_relaxed, memory_scope_work_group);
    out[1] = before;
    ((global float *)out)[2] =
        atomic_exchange_explicit((global atomic_float *)out + 4, 2.5f, memory_order_relaxed, memory_scope_work_group);
    atomic_exchange_explicit((global atomic_int *)out + 3, 7, memory_order_relaxed, memory_scope_work_group);
}

//# accept: each value is got by one work-item
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# global: 4
//# local: 2
//# expect: 10 0
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    uint before = atomic_exchange(a + 1, (uint)get_global_id(0) + 1);
    atomic_fetch_add(a, before);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    // What is left behind by the last is taken out by whoever comes first.
    atomic_fetch_add(a, atomic_exchange(a + 1, 0u));
}

//# reject: the value is of the object's type
//# options: -cl-std=CL3.0
//# error: 3: no matching function for call to 'atomic_exchange_explicit'
//# error: 4: no matching function for call to 'atomic_exchange_explicit'
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_exchange_explicit(a, &a, memory_order_relaxed, memory_scope_work_group);
    atomic_exchange_explicit(out, 1u, memory_order_relaxed, memory_scope_work_group);
}
