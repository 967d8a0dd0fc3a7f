#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer A { vec4 a_[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly restrict buffer B { vec4 b_[]; };
layout(push_constant) uniform P {
    A q0;
    B q1;
    uint n;
};
#define a q0.a_
#define b q1.b_
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < n) b[i] = a[i];
}
