#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(binding = 0, scalar) readonly restrict buffer B0 { float fin[]; };
layout(binding = 1, scalar) writeonly restrict buffer B1 { float fout[]; };
layout(push_constant, scalar) uniform P { int nx, ny; float omega; };
const int cx[9] = int[](0, 1, 0, -1, 0, 1, -1, -1, 1);
const int cy[9] = int[](0, 0, 1, 0, -1, 1, 1, -1, -1);
const float wt[9] = float[](4.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/36, 1.f/36, 1.f/36, 1.f/36);
void main() {
    int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
    if (x >= nx || y >= ny) return;
    float f[9];
    float rho = 0, ux = 0, uy = 0;
    for (int i = 0; i < 9; i++) {
        int xs = (x - cx[i] + nx) % nx, ys = (y - cy[i] + ny) % ny;
        f[i] = fin[(i * ny + ys) * nx + xs];
        rho += f[i]; ux += f[i] * cx[i]; uy += f[i] * cy[i];
    }
    ux = ux / rho; uy = uy / rho;
    float u2 = 1.5f * (ux * ux + uy * uy);
    for (int i = 0; i < 9; i++) {
        float cu = 3.0f * (cx[i] * ux + cy[i] * uy);
        float feq = wt[i] * rho * (1.0f + cu + 0.5f * cu * cu - u2);
        fout[(i * ny + y) * nx + x] = f[i] + omega * (feq - f[i]);
    }
}
