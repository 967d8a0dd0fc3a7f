#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;
struct body { vec4 pos, vel; float mass; int id; int p0, p1; };
layout(buffer_reference, scalar, buffer_reference_align = 16) restrict buffer B0 { body b_[]; };
layout(push_constant, scalar) uniform P { B0 q0; float dt; int n; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) return;
    vec3 p = q0.b_[i].pos.xyz, v = q0.b_[i].vel.xyz;
    v += vec3(0, -9.81f, 0) * dt * q0.b_[i].mass;
    p += v * dt;
    if (p.y < 0) { p.y = -p.y; v.y *= -0.5f; }
    q0.b_[i].pos.xyz = p; q0.b_[i].vel.xyz = v;
}
