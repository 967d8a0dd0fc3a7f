// The sum of a work-group's numbers, in local memory.
kernel void reduction(global const float *in, global float *out, local float *sums, uint n) {
    uint id = get_local_id(0);
    float sum = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
    sums[id] = sum;
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < half_size) sums[id] += sums[id + half_size];
    }
    if (id == 0) out[get_group_id(0)] = sums[0];
}
