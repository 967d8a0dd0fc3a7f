#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(binding = 0, scalar) writeonly restrict buffer B0 { uint o[]; };
layout(binding = 1, scalar) readonly restrict buffer B1 { uint state[]; };
layout(push_constant, scalar) uniform P { uint ctr; };
#define rotate(x, n) ((x << n) | (x >> (32 - n)))
#define QR(a, b, c, d) \
    a += b; d ^= a; d = rotate(d, 16u); \
    c += d; b ^= c; b = rotate(b, 12u); \
    a += b; d ^= a; d = rotate(d, 8u); \
    c += d; b ^= c; b = rotate(b, 7u);
void main() {
    uint gid = gl_GlobalInvocationID.x;
    uint x[16], s[16];
    for (int i = 0; i < 16; i++) s[i] = state[i];
    s[12] = ctr + gid;
    for (int i = 0; i < 16; i++) x[i] = s[i];
    for (int i = 0; i < 10; i++) {
        QR(x[0], x[4], x[8], x[12]) QR(x[1], x[5], x[9], x[13]) QR(x[2], x[6], x[10], x[14]) QR(x[3], x[7], x[11], x[15])
        QR(x[0], x[5], x[10], x[15]) QR(x[1], x[6], x[11], x[12]) QR(x[2], x[7], x[8], x[13]) QR(x[3], x[4], x[9], x[14])
    }
    for (int i = 0; i < 16; i++) o[gid * 16 + i] = x[i] + s[i];
}
