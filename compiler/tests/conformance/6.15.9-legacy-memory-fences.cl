//! 6.15.9 Legacy Explicit Memory Fence Functions

//# accept: mem_fence orders loads and stores of a work-item
//# global: 2
//# local: 2
//# expect: 1 1
kernel void test(global uint *out) {
    local volatile uint data, ready;
    size_t i = get_local_id(0);
    if (i == 0)
        data = ready = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        data = 5;
        mem_fence(CLK_LOCAL_MEM_FENCE);
        ready = 1;
    }
    uint r = ready;
    mem_fence(CLK_LOCAL_MEM_FENCE);
    uint d = data;
    out[i] = r == 0 || d == 5;
}

//# accept: read_mem_fence orders loads, write_mem_fence stores; flags may be combined
//# global: 2
//# local: 2
//# expect: 1 1 5 1
kernel void test(global uint *out) {
    volatile global uint *data = out + 2, *ready = out + 3;
    size_t i = get_local_id(0);
    if (i == 0) {
        *data = 5;
        write_mem_fence(CLK_GLOBAL_MEM_FENCE);
        *ready = 1;
    }
    uint r = *ready;
    read_mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    uint d = *data;
    out[i] = r == 0 || d == 5;
}

//# accept: one work-item may execute a fence without the others
//# global: 4
//# local: 4
//# expect: 0 0 2 0
kernel void test(global uint *out) {
    if (get_local_id(0) == 2) {
        out[2] = 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        out[2] += 1;
    }
}

//# reject: flags are an argument
//# error: 2: no matching function for call to 'mem_fence'
//# error: 3: no matching function for call to 'read_mem_fence'
//# error: 4: no matching function for call to 'write_mem_fence'
kernel void test(global uint *out) {
    mem_fence();
    read_mem_fence(1, 2);
    write_mem_fence(out);
}

//# reject: fences have no value
//# error: 2: 'void'
kernel void test(global uint *out) {
    out[0] = mem_fence(CLK_GLOBAL_MEM_FENCE);
}
