// C = A B for square matrices, a 16 x 16 tile of C for each work-group.
#define TILE 16
kernel void sgemm(int n, global const float *a, global const float *b, global float *c) {
    local float as[TILE][TILE], bs[TILE][TILE];
    int col = get_local_id(0), row = get_local_id(1);
    int x = get_group_id(0) * TILE + col, y = get_group_id(1) * TILE + row;
    float sum = 0;
    for (int t = 0; t < n / TILE; t++) {
        as[row][col] = a[y * n + t * TILE + col];
        bs[row][col] = b[(t * TILE + row) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) sum += as[row][k] * bs[k][col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}
