#version 450
layout(local_size_x = 256) in;
layout(binding = 0, std430) readonly restrict buffer A { float a[]; };
layout(binding = 1, std430) writeonly restrict buffer B { float o[]; };
layout(push_constant) uniform P { uint n; };
shared float t[256];
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
