#version 450
layout(local_size_x = 256) in;
layout(binding = 0, std430) readonly restrict buffer A { uint a[]; };
layout(binding = 1, std430) restrict buffer B { uint h[]; };
layout(push_constant) uniform P { uint n; };
shared uint t[256];
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
