#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly restrict buffer B0 { vec4 o_[]; };
layout(push_constant, scalar) uniform P { B0 q0; uint seed, n; };
uvec4 round1(uvec4 c, uvec2 k) {
    uint hi0, lo0, hi1, lo1;
    umulExtended(0xD2511F53u, c.x, hi0, lo0);
    umulExtended(0xCD9E8D57u, c.z, hi1, lo1);
    return uvec4(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
}
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) return;
    uvec4 c = uvec4(i, 0, 0, 0);
    uvec2 key = uvec2(seed, 0xdeadbeef);
    for (int r = 0; r < 10; r++) {
        c = round1(c, key);
        key += uvec2(0x9E3779B9u, 0xBB67AE85u);
    }
    q0.o_[i] = vec4(c) * 2.3283064e-10f;
}
