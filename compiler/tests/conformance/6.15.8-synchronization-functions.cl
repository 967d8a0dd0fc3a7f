//! 6.15.8 Synchronization Functions

//# accept: what is written to local memory before a barrier is seen by all after it
//# global: 8
//# local: 8
//# expect: 7 6 5 4 3 2 1 0
kernel void test(global uint *out) {
    local uint l[8];
    size_t i = get_local_id(0);
    l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = l[7 - i];
}

//# accept: so is what is written to global memory
//# global: 8
//# local: 8
//# expect: 107 106 105 104 103 102 101 100 7 6 5 4 3 2 1 0
kernel void test(global uint *out) {
    size_t i = get_local_id(0);
    out[8 + i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    uint other = out[15 - i];
    out[i] = 100 + other;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[8 + i] = other;
}

//# accept: flags are combined by or; 0 orders no memory
//# global: 4
//# local: 4
//# expect: 3 2 1 0
kernel void test(global uint *out) {
    local uint l[4];
    size_t i = get_local_id(0);
    barrier(0);
    l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[i] = l[3 - i];
}

//# accept: a barrier in a conditional statement that all work-items enter
//# global: 4
//# local: 4
//# expect: 6 6 6 6
kernel void test(global uint *out) {
    local uint l[4];
    size_t i = get_local_id(0);
    l[i] = i;
    if (get_local_size(0) == 4) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = l[0] + l[1] + l[2] + l[3];
    }
}

//# accept: a barrier in a loop is executed on each iteration
//# global: 8
//# local: 8
//# expect: 28 28 28 28 28 28 28 28
kernel void test(global uint *out) {
    local uint l[8];
    size_t i = get_local_id(0);
    l[i] = i;
    for (uint step = 1; step < 8; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint other = l[i ^ step];
        barrier(CLK_LOCAL_MEM_FENCE);
        l[i] += other;
    }
    out[i] = l[i];
}

//# accept: a barrier in a function that is called
//# global: 4
//# local: 4
//# expect: 3 2 1 0
uint swap(local uint *l, uint i, uint n) {
    l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    return l[n - 1 - i];
}
kernel void test(global uint *out) {
    local uint l[4];
    out[get_local_id(0)] = swap(l, get_local_id(0), 4);
}

//# accept: after the barrier work-items may go different ways
//# global: 4
//# local: 4
//# expect: 1 0 3 0
kernel void test(global uint *out) {
    local uint l[4];
    size_t i = get_local_id(0);
    l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i % 2 == 0)
        out[i] = l[i + 1];
}

//# accept: work_group_barrier is another name since OpenCL C 2.0, and takes a scope
//# options: -cl-std=CL3.0
//# global: 4
//# local: 4
//# expect: 3 2 1 0
kernel void test(global uint *out) {
    local uint l[4];
    size_t i = get_local_id(0);
    l[i] = i;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    uint other = l[3 - i];
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    l[i] = other;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    out[i] = l[i];
}

//# accept: the scope may be the device
//# options: -cl-std=CL3.0
//# requires: atomic_scope_device
//# global: 4
//# local: 4
//# expect: 1 2 3 0 1 1 1 1
kernel void test(global uint *out) {
    size_t i = get_local_id(0);
    out[i] = i;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    uint other = out[(i + 1) % 4];
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    out[i] = other;
    out[4 + i] = 1;
}

//# accept: the flags are distinct bits of a 32-bit type
//# expect: 1 4
kernel void test(global uint *out) {
    cl_mem_fence_flags flags = CLK_LOCAL_MEM_FENCE;
    out[0] = (flags & CLK_GLOBAL_MEM_FENCE) == 0 && CLK_LOCAL_MEM_FENCE != 0 && CLK_GLOBAL_MEM_FENCE != 0;
    out[1] = sizeof flags;
}

//# reject: flags are an argument
//# error: 2: no matching function for call to 'barrier'
//# error: 3: no matching function for call to 'barrier'
kernel void test(global uint *out) {
    barrier();
    barrier(CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE);
}

//# reject: they are a number
//# error: 2: no matching function for call to 'barrier'
kernel void test(global uint *out) {
    barrier(out);
}

//# reject: a barrier has no value
//# error: 2: 'void'
kernel void test(global uint *out) {
    out[0] = barrier(CLK_LOCAL_MEM_FENCE);
}

//# reject: work_group_barrier requires OpenCL C 2.0
//# options: -cl-std=CL1.2
//# error: 2: implicit declaration of function 'work_group_barrier' is invalid
kernel void test(global uint *out) {
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
}

//# reject: scopes require it too
//# options: -cl-std=CL1.2
//# error: 2: use of undeclared identifier 'memory_scope_work_group'
kernel void test(global uint *out) {
    out[0] = memory_scope_work_group;
}

//# reject: work_group_barrier takes flags and a scope
//# options: -cl-std=CL3.0
//# error: 2: no matching function for call to 'work_group_barrier'
//# error: 3: no matching function for call to 'work_group_barrier'
kernel void test(global uint *out) {
    work_group_barrier();
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_order_relaxed, memory_scope_work_group);
}

//# reject: barriers of sub-groups require __opencl_c_subgroups
//# options: -cl-std=CL3.0
//# requires: !subgroups
//# error: 2: use of 'sub_group_barrier' requires __opencl_c_subgroups which this device does not offer
kernel void test(global uint *out) {
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
}
