#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 16, local_size_y = 16) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer A { float a_[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly restrict buffer B { float b_[]; };
layout(push_constant) uniform P {
    A q0;
    B q1;
    int w, h;
};
#define a q0.a_
#define b q1.b_
void main() {
    int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    float s = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) s += a[(y + j) * w + x + i] * (i == 0 && j == 0 ? 0.5 : 0.0625);
    b[y * w + x] = s;
}
