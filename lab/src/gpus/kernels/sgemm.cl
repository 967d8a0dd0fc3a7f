#define TS 16
#define W 4
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void k(global const float *restrict A,
                                                               global const float *restrict B,
                                                               global float *restrict C, int M, int N,
                                                               int K) {
    local float As[TS][TS * W], Bs[TS][TS * W];
    int lx = get_local_id(0), ly = get_local_id(1);
    int gx = get_group_id(0) * TS * W, gy = get_group_id(1) * TS * W;
    float acc[W][W];
    for (int i = 0; i < W; i++)
        for (int j = 0; j < W; j++) acc[i][j] = 0;
    for (int t = 0; t < K; t += TS) {
        for (int i = 0; i < W; i++) {
            As[lx][ly + i * TS] = A[(gy + ly + i * TS) * K + t + lx];
            Bs[ly][lx + i * TS] = B[(t + ly) * N + gx + lx + i * TS];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < TS; p++) {
            float a[W], b[W];
            for (int i = 0; i < W; i++) {
                a[i] = As[p][ly + i * TS];
                b[i] = Bs[p][lx + i * TS];
            }
            for (int i = 0; i < W; i++)
                for (int j = 0; j < W; j++) acc[i][j] = fma(a[i], b[j], acc[i][j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < W; i++)
        for (int j = 0; j < W; j++) C[(gy + ly + i * TS) * N + gx + lx + j * TS] = acc[i][j];
}
