#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly restrict buffer A { vec4 a[]; };
layout(binding = 1, std430) writeonly restrict buffer B { vec4 b[]; };
layout(push_constant) uniform P { uint n; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < n) b[i] = a[i];
}
