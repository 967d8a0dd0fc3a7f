#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, std430) readonly restrict buffer A { float a[]; };
layout(binding = 1, std430) writeonly restrict buffer B { float b[]; };
layout(push_constant) uniform P { int w, h; };
void main() {
    int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    float s = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) s += a[(y + j) * w + x + i] * (i == 0 && j == 0 ? 0.5 : 0.0625);
    b[y * w + x] = s;
}
