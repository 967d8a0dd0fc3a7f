//! 6.15.12.7.7 The atomic_flag_test_and_set Functions

//# accept: one work-item finds the flag clear
//# options: -cl-std=CL3.0
//# global: 8
//# local: 8
//# expect: 1
kernel void test(global uint *out) {
    local atomic_flag f;
    if (get_local_id(0) == 0)
        atomic_flag_clear_explicit(&f, memory_order_relaxed, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (!atomic_flag_test_and_set_explicit(&f, memory_order_relaxed, memory_scope_work_group))
        atomic_add(out, 1);
}

//# accept: in global memory, without order and scope
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# global: 8
//# local: 2
//# expect: 1 1
kernel void test(global uint *out) {
    if (!atomic_flag_test_and_set((global atomic_flag *)out + 1))
        atomic_add(out, 1);
    // What a set flag holds is not said.
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[1] = 1;
}

//# reject: they take a pointer to a flag
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# error: 3: no matching function for call to 'atomic_flag_test_and_set'
//# error: 4: no matching function for call to 'atomic_flag_test_and_set'
kernel void test(global uint *out) {
    atomic_flag f;
    atomic_flag_test_and_set(f);
    atomic_flag_test_and_set((global atomic_float *)out);
}
