kernel __attribute__((reqd_work_group_size(256, 1, 1))) void k(global const float *restrict a,
                                                               global float *restrict o, uint n) {
    local float t[256];
    uint l = get_local_id(0), g = get_global_id(0), st = get_global_size(0);
    float s = 0;
    for (uint i = g; i < n; i += st) s += a[i];
    t[l] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 128; d > 0; d >>= 1) {
        if (l < d) t[l] += t[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) o[get_group_id(0)] = t[0];
}
