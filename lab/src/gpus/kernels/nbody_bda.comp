#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer A { vec4 p_[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) restrict buffer B { vec4 v_[]; };
layout(push_constant) uniform P {
    A q0;
    B q1;
    int n;
    float dt;
};
shared vec4 t[64];
#define p q0.p_
#define v q1.v_
void main() {
    int i = int(gl_GlobalInvocationID.x), l = int(gl_LocalInvocationID.x);
    vec4 me = p[i];
    vec3 a = vec3(0);
    for (int j = 0; j < n; j += 64) {
        t[l] = p[j + l];
        barrier();
        for (int q = 0; q < 64; q++) {
            vec4 o = t[q];
            vec3 d = o.xyz - me.xyz;
            float r = dot(d, d) + 0.01;
            float s = inversesqrt(r);
            a += d * (o.w * s * s * s);
        }
        barrier();
    }
    vec4 u = v[i];
    u.xyz += a * dt;
    v[i] = u;
}
