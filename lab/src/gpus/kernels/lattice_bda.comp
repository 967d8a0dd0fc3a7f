#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly restrict buffer B0 { float fin_[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly restrict buffer B1 { float fout_[]; };
layout(push_constant, scalar) uniform P { B0 q0; B1 q1; int nx, ny; float omega; };
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
        f[i] = q0.fin_[(i * ny + ys) * nx + xs];
        rho += f[i]; ux += f[i] * cx[i]; uy += f[i] * cy[i];
    }
    ux = ux / rho; uy = uy / rho;
    float u2 = 1.5f * (ux * ux + uy * uy);
    for (int i = 0; i < 9; i++) {
        float cu = 3.0f * (cx[i] * ux + cy[i] * uy);
        float feq = wt[i] * rho * (1.0f + cu + 0.5f * cu * cu - u2);
        q1.fout_[(i * ny + y) * nx + x] = f[i] + omega * (feq - f[i]);
    }
}
