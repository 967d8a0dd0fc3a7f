#version 450
#define TS 16
#define W 4
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, std430) readonly restrict buffer A_ { float A[]; };
layout(binding = 1, std430) readonly restrict buffer B_ { float B[]; };
layout(binding = 2, std430) writeonly restrict buffer C_ { float C[]; };
layout(push_constant) uniform P { int M, N, K; };
shared float As[TS][TS * W], Bs[TS][TS * W];
void main() {
    int lx = int(gl_LocalInvocationID.x), ly = int(gl_LocalInvocationID.y);
    int gx = int(gl_WorkGroupID.x) * TS * W, gy = int(gl_WorkGroupID.y) * TS * W;
    float acc[W][W];
    for (int i = 0; i < W; i++)
        for (int j = 0; j < W; j++) acc[i][j] = 0;
    for (int t = 0; t < K; t += TS) {
        for (int i = 0; i < W; i++) {
            As[lx][ly + i * TS] = A[(gy + ly + i * TS) * K + t + lx];
            Bs[ly][lx + i * TS] = B[(t + ly) * N + gx + lx + i * TS];
        }
        barrier();
        for (int p = 0; p < TS; p++) {
            float a[W], b[W];
            for (int i = 0; i < W; i++) {
                a[i] = As[p][ly + i * TS];
                b[i] = Bs[p][lx + i * TS];
            }
            for (int i = 0; i < W; i++)
                for (int j = 0; j < W; j++) acc[i][j] = fma(a[i], b[j], acc[i][j]);
        }
        barrier();
    }
    for (int i = 0; i < W; i++)
        for (int j = 0; j < W; j++) C[(gy + ly + i * TS) * N + gx + lx + j * TS] = acc[i][j];
}
