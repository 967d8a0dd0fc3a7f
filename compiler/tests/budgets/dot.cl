// A sum over as many elements as an argument says: eight loads between two tests, then the rest one by one.
kernel void dot_product(global const float *a, global const float *b, global float *sums, int n) {
    int row = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[row * n + i] * b[i];
    sums[row] = sum;
}
