//! 6.15.12 Atomic Functions

//# accept: functions without order and scope are those of sequential consistency and the device
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# global: 8
//# local: 4
//# expect: 8 1
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_fetch_add(a, 1u);
    atomic_fetch_or_explicit(a + 1, 1u, memory_order_seq_cst, memory_scope_device);
}

//# accept: functions with an order and without scope are those of the device
//# options: -cl-std=CL3.0
//# requires: atomic_scope_device
//# global: 8
//# local: 4
//# expect: 28
kernel void test(global uint *out) {
    atomic_fetch_add_explicit((global atomic_uint *)out, (uint)get_global_id(0), memory_order_relaxed);
}

//# reject: C11 atomics require OpenCL C 2.0
//# options: -cl-std=CL1.2
//# error: 2: 'atomic_uint'
kernel void test(global uint *out) {
    global atomic_uint *a;
}

//# reject: so do their functions
//# options: -cl-std=CL1.2
//# error: 2: implicit declaration of function 'atomic_fetch_add' is invalid
//# error: 3: implicit declaration of function 'atomic_load_explicit' is invalid
//# error: 4: implicit declaration of function 'atomic_work_item_fence' is invalid
kernel void test(global uint *out) {
    atomic_fetch_add(out, 1u);
    atomic_load_explicit(out, 0);
    atomic_work_item_fence(1, 0, 0);
}

//# reject: they work on atomic types alone
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# error: 2: no matching function for call to 'atomic_load'
//# error: 3: no matching function for call to 'atomic_fetch_add'
kernel void test(global uint *out) {
    out[0] = atomic_load(out);
    atomic_fetch_add(out, 1u);
}
