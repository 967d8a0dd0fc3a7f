// Four adjacent floats, whose address is a multiple of 16 by the argument's type and the stride.
kernel void adjacent(global const float4 *vectors, global float *sums) {
    global const float *x = (global const float *)vectors;
    int i = 4 * (int)get_global_id(0);
    sums[get_global_id(0)] = x[i] + x[i + 1] + x[i + 2] + x[i + 3];
}
