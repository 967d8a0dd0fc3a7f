kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(global const float4 *restrict a,
                                                              global float4 *restrict b, uint n) {
    uint i = get_global_id(0);
    if (i < n) b[i] = a[i];
}
