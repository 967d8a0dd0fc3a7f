#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(binding = 0, scalar) readonly restrict buffer B0 { float feature[]; };
layout(binding = 1, scalar) readonly restrict buffer B1 { float clusters[]; };
layout(binding = 2, scalar) writeonly restrict buffer B2 { int member[]; };
layout(push_constant, scalar) uniform P { int npoints, nclusters, nfeatures; };
void main() {
    uint pid = gl_GlobalInvocationID.x;
    if (pid < npoints) {
        int index = 0;
        float mind = 3.402823466e+38;
        for (int i = 0; i < nclusters; i++) {
            float ans = 0;
            for (int l = 0; l < nfeatures; l++) {
                float d = feature[l * npoints + pid] - clusters[i * nfeatures + l];
                ans += d * d;
            }
            if (ans < mind) { mind = ans; index = i; }
        }
        member[pid] = index;
    }
}
