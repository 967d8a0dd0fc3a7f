//! 6.15.12.5 Fences

//# accept: fences of every order, with each flag and both; one work-item may execute one alone
//# options: -cl-std=CL3.0
//# global: 2
//# local: 2
//# expect: 4 9
kernel void test(global uint *out) {
    local uint l;
    if (get_local_id(0) == 1) {
        l = 4;
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
        out[0] = l;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acq_rel,
                               memory_scope_work_group);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_relaxed, memory_scope_work_group);
        out[1] = 9;
    }
}

//# accept: orders of fences need no feature, scopes do
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# global: 2
//# local: 1
//# expect: 1 1 5 1
kernel void test(global uint *out) {
    global atomic_uint *ready = (global atomic_uint *)(out + 3);
    if (get_global_id(0) == 0) {
        out[2] = 5;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(ready, 1u, memory_order_relaxed, memory_scope_device);
        out[0] = 1;
    } else {
        uint r = atomic_load_explicit(ready, memory_order_relaxed, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
        out[1] = r == 0 || out[2] == 5;
    }
}

//# accept: the older fences are still there
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) {
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    read_mem_fence(CLK_GLOBAL_MEM_FENCE);
    write_mem_fence(CLK_LOCAL_MEM_FENCE);
    out[0] = 1;
}

//# reject: flags, order and scope are arguments
//# options: -cl-std=CL3.0
//# error: 2: no matching function for call to 'atomic_work_item_fence'
//# error: 3: no matching function for call to 'atomic_work_item_fence'
kernel void test(global uint *out) {
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_relaxed);
}

//# reject: fences require OpenCL C 2.0
//# options: -cl-std=CL1.2
//# error: 2: implicit declaration of function 'atomic_work_item_fence' is invalid
kernel void test(global uint *out) {
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, 0, 1);
}
