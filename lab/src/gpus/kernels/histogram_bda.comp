#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer A { uint a_[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) restrict buffer B { uint h_[]; };
layout(push_constant) uniform P {
    A q0;
    B q1;
    uint n;
};
shared uint t[256];
#define a q0.a_
#define h q1.h_
void main() {
    uint l = gl_LocalInvocationID.x;
    t[l] = 0;
    barrier();
    uint st = gl_NumWorkGroups.x * 256;
    for (uint i = gl_GlobalInvocationID.x; i < n; i += st) {
        uint v = a[i];
        atomicAdd(t[v & 255], 1);
        atomicAdd(t[v >> 8 & 255], 1);
        atomicAdd(t[v >> 16 & 255], 1);
        atomicAdd(t[v >> 24], 1);
    }
    barrier();
    atomicAdd(h[l], t[l]);
}
