#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 16, local_size_y = 16, local_size_z = 1) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly restrict buffer B0 { uint src_[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly restrict buffer B1 { uint dst_[]; };
layout(push_constant, scalar) uniform P { B0 q0; B1 q1; int w, h; };
const float kern[9] = float[](0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f);
vec4 un(uint p) { return vec4(p & 255, (p >> 8) & 255, (p >> 16) & 255, p >> 24); }
void main() {
    int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
    if (x >= w || y >= h) return;
    vec4 s = vec4(0);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int xx = clamp(x + dx, 0, w - 1), yy = clamp(y + dy, 0, h - 1);
            s += un(q0.src_[yy * w + xx]) * kern[(dy + 1) * 3 + dx + 1];
        }
    uvec4 u = uvec4(clamp(s + 0.5, vec4(0), vec4(255)));
    q1.dst_[y * w + x] = u.x | (u.y << 8) | (u.z << 16) | (u.w << 24);
}
