#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;
struct body { vec4 pos, vel; float mass; int id; int p0, p1; };
layout(binding = 0, scalar) restrict buffer B0 { body b[]; };
layout(push_constant, scalar) uniform P { float dt; int n; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) return;
    vec3 p = b[i].pos.xyz, v = b[i].vel.xyz;
    v += vec3(0, -9.81f, 0) * dt * b[i].mass;
    p += v * dt;
    if (p.y < 0) { p.y = -p.y; v.y *= -0.5f; }
    b[i].pos.xyz = p; b[i].vel.xyz = v;
}
