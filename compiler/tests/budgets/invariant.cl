// A loop that stores, and reads the same element in each iteration: loaded once, in front of it.
kernel void invariant(global float *restrict a, global const float *restrict scale, int n) {
    int row = get_global_id(0);
    for (int i = 0; i < n; i++) a[row * n + i] *= *scale;
}
