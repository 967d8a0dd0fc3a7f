//! 6.15.12.3 Order and Consistency

//# accept: memory_order is a type, whose enumerators are distinct
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) {
    memory_order a = memory_order_relaxed, b = memory_order_acquire;
    memory_order c = memory_order_release, d = memory_order_acq_rel;
    out[0] = a != b && a != c && a != d && b != c && b != d && c != d;
}

//# accept: release and acquire make what was written before seen after
//# options: -cl-std=CL3.0
//# requires: atomic_order_acq_rel, atomic_scope_device
//# global: 2
//# local: 1
//# expect: 1 1 5 1
kernel void test(global uint *out) {
    global atomic_uint *ready = (global atomic_uint *)(out + 3);
    size_t i = get_global_id(0);
    if (i == 0) {
        out[2] = 5;
        atomic_store_explicit(ready, 1u, memory_order_release, memory_scope_device);
        out[0] = 1;
    } else {
        uint r = atomic_load_explicit(ready, memory_order_acquire, memory_scope_device);
        out[1] = r == 0 || out[2] == 5;
    }
}

//# accept: memory_order_seq_cst
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# expect: 7
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_store_explicit(a, 7u, memory_order_seq_cst, memory_scope_device);
}

//# reject: acquire, release and both require __opencl_c_atomic_order_acq_rel
//# options: -cl-std=CL3.0
//# requires: !atomic_order_acq_rel
//# error: 3: requires __opencl_c_atomic_order_acq_rel
//# error: 4: requires __opencl_c_atomic_order_acq_rel
//# error: 5: requires __opencl_c_atomic_order_acq_rel
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group);
    atomic_store_explicit(a, 1u, memory_order_release, memory_scope_work_group);
    atomic_fetch_add_explicit(a, 1u, memory_order_acq_rel, memory_scope_work_group);
}

//# reject: memory_order_seq_cst requires __opencl_c_atomic_order_seq_cst
//# options: -cl-std=CL3.0
//# requires: !atomic_order_seq_cst
//# error: 2: use of undeclared identifier 'memory_order_seq_cst'
kernel void test(global uint *out) {
    out[0] = memory_order_seq_cst;
}

//# reject: orders require OpenCL C 2.0
//# options: -cl-std=CL1.2
//# error: 2: use of undeclared identifier 'memory_order_relaxed'
kernel void test(global uint *out) {
    out[0] = memory_order_relaxed;
}

//# reject: C11's memory_order_consume is not among them
//# options: -cl-std=CL3.0
//# error: 2: use of undeclared identifier 'memory_order_consume'
kernel void test(global uint *out) {
    out[0] = memory_order_consume;
}
