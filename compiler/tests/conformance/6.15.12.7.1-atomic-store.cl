//! 6.15.12.7.1 The atomic_store Functions

//# accept: they replace the value
//# options: -cl-std=CL3.0
//# expect: -5 6 1.5f
kernel void test(global uint *out) {
    atomic_store_explicit((global atomic_int *)out, -5, memory_order_relaxed, memory_scope_work_group);
    atomic_store_explicit((global atomic_uint *)out + 1, 6u, memory_order_relaxed, memory_scope_work_group);
    atomic_store_explicit((global atomic_float *)out + 2, 1.5f, memory_order_relaxed, memory_scope_work_group);
}

//# accept: in local memory, by generic pointers, without order and scope
//# options: -cl-std=CL3.0
//# requires: generic, atomic_order_seq_cst, atomic_scope_device
//# expect: 7 8
void store(volatile atomic_uint *a, uint value) {
    atomic_store(a, value);
}
kernel void test(global uint *out) {
    local atomic_uint l;
    store(&l, 7);
    out[0] = atomic_load(&l);
    store((global atomic_uint *)out + 1, 8);
}

//# accept: the order is not memory_order_acquire, nor memory_order_acq_rel: a warning
//# options: -cl-std=CL3.0
//# requires: atomic_order_acq_rel
//# expect: 1
//# warn: 3: memory order argument to atomic operation is invalid
//# warn: 4: memory order argument to atomic operation is invalid
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_store_explicit(a, 1u, memory_order_acquire, memory_scope_work_group);
    atomic_store_explicit(a, 1u, memory_order_acq_rel, memory_scope_work_group);
}

//# reject: the value is of the object's type
//# options: -cl-std=CL3.0
//# error: 3: no matching function for call to 'atomic_store_explicit'
//# error: 4: no matching function for call to 'atomic_store_explicit'
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_store_explicit(a, out, memory_order_relaxed, memory_scope_work_group);
    atomic_store_explicit(a, (uint2)(1), memory_order_relaxed, memory_scope_work_group);
}

//# reject: the number of arguments is that of the forms
//# options: -cl-std=CL3.0
//# error: 3: no matching function for call to 'atomic_store'
//# error: 4: no matching function for call to 'atomic_store_explicit'
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_store(a);
    atomic_store_explicit(a, 1u);
}

//# reject: the short form requires two features
//# options: -cl-std=CL3.0
//# requires: !atomic_order_seq_cst
//# error: 2: requires __opencl_c_atomic_order_seq_cst which this device does not offer
kernel void test(global uint *out) {
    atomic_store((global atomic_uint *)out, 1u);
}

//# reject: they have no value
//# options: -cl-std=CL3.0
//# error: 2: 'void'
kernel void test(global uint *out) {
    out[0] = atomic_store_explicit((global atomic_uint *)out, 1u, memory_order_relaxed, memory_scope_work_group);
}
