#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly restrict buffer B0 { float feature_[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly restrict buffer B1 { float clusters_[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly restrict buffer B2 { int member_[]; };
layout(push_constant, scalar) uniform P { B0 q0; B1 q1; B2 q2; int npoints, nclusters, nfeatures; };
void main() {
    uint pid = gl_GlobalInvocationID.x;
    if (pid < npoints) {
        int index = 0;
        float mind = 3.402823466e+38;
        for (int i = 0; i < nclusters; i++) {
            float ans = 0;
            for (int l = 0; l < nfeatures; l++) {
                float d = q0.feature_[l * npoints + pid] - q1.clusters_[i * nfeatures + l];
                ans += d * d;
            }
            if (ans < mind) { mind = ans; index = i; }
        }
        q2.member_[pid] = index;
    }
}
