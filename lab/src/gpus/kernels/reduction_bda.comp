#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer A { float a_[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly restrict buffer B { float o_[]; };
layout(push_constant) uniform P {
    A q0;
    B q1;
    uint n;
};
shared float t[256];
#define a q0.a_
#define o q1.o_
void main() {
    uint l = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x, st = gl_NumWorkGroups.x * 256;
    float s = 0;
    for (uint i = g; i < n; i += st) s += a[i];
    t[l] = s;
    barrier();
    for (uint d = 128; d > 0; d >>= 1) {
        if (l < d) t[l] += t[l + d];
        barrier();
    }
    if (l == 0) o[gl_WorkGroupID.x] = t[0];
}
