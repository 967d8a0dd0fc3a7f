// y = a x + y, four numbers a work-item.
kernel void axpy(float a, global const float *restrict x, global float *restrict y, int n) {
    int i = get_global_id(0) * 4;
    if (i + 3 >= n) return;
    y[i] = a * x[i] + y[i];
    y[i + 1] = a * x[i + 1] + y[i + 1];
    y[i + 2] = a * x[i + 2] + y[i + 2];
    y[i + 3] = a * x[i + 3] + y[i + 3];
}
