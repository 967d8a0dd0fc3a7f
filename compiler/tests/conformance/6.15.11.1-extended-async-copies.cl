//! 6.15.11.1 Extended Async Copy Functions

//# accept: lines are copied with strides of their own on both sides; offsets and strides count elements
//# local: 4
//# global: 4
//# expect: 0 12 13 14 0 22 23 24 0 0
constant uint table[] = {0, 1, 2, 3, 4, 5, 6, 7};
kernel void test(global uint *out) {
    local uint l[32];
    for (uint i = get_local_id(0); i < 32; i += 4)
        l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy_2D2D(out, 1, l, 12, sizeof(uint), 3, 2, 10, 4, 0);
    wait_group_events(1, &e);
}

//# accept: and from global to local memory, bytes at any address
//# local: 4
//# global: 4
//# expect: 0x00030201 0x00070605 0 0x00030201 0x00070605
kernel void test(global uint *out) {
    local uchar l[8];
    if (get_local_id(0) == 0) {
        out[0] = 0x00030201;
        out[1] = 0x00070605;
    }
    for (int i = 0; i < 8; i++)
        l[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    volatile uint size = 1;
    event_t e = async_work_group_copy_2D2D(l, 0, (global char *)out, 0, size, 3, 2, 4, 4, 0);
    wait_group_events(1, &e);
    if (get_local_id(0) < 2)
        out[3 + get_local_id(0)] = l[4 * get_local_id(0)] | l[4 * get_local_id(0) + 1] << 8 |
            l[4 * get_local_id(0) + 2] << 16 | l[4 * get_local_id(0) + 3] << 24;
}

//# accept: planes are lines of lines
//# local: 3
//# global: 3
//# expect: 0 1 4 5 16 17 20 21
kernel void test(global uint *out) {
    local uint l[32];
    for (uint i = get_local_id(0); i < 32; i += 3)
        l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e =
        async_work_group_copy_3D3D(out, 0, l, 0, sizeof(uint), 2, 2, 2, 4, 16, 2, 4, 0);
    e = async_work_group_copy_3D3D(out, 0, l, 0, sizeof(uint), 2, 0, 2, 4, 16, 2, 4, e);
    wait_group_events(1, &e);
}

//# accept: a fence orders copies
//# local: 3
//# global: 3
//# expect: 2 0 1 2
kernel void test(global uint *out) {
    local uint l[4];
    if (get_local_id(0) == 0)
        for (int i = 0; i < 4; i++)
            l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + 1, (local uint *)l, 3, 0);
    async_work_group_copy_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy((local uint *)l, (const global uint *)out + 3, 1, e);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out, (local uint *)l, 1, e);
    wait_group_events(1, &e);
}

//# reject: one side is global, the other local
//# error: 3: no matching function for call to 'async_work_group_copy_2D2D'
kernel void test(global uint *out) {
    event_t e =
        async_work_group_copy_2D2D(out, 0, out, 0, 4, 2, 2, 2, 2, 0);
}

//# accept: the macros are defined
//# expect: 1 1
kernel void test(global uint *out) {
    out[0] = cl_khr_extended_async_copies;
    out[1] = cl_khr_async_work_group_copy_fence;
}
