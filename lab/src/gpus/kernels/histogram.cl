kernel __attribute__((reqd_work_group_size(256, 1, 1))) void k(global const uint *restrict a,
                                                               global uint *restrict h, uint n) {
    local uint t[256];
    uint l = get_local_id(0);
    t[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        uint v = a[i];
        atomic_inc(&t[v & 255]);
        atomic_inc(&t[v >> 8 & 255]);
        atomic_inc(&t[v >> 16 & 255]);
        atomic_inc(&t[v >> 24]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&h[l], t[l]);
}
