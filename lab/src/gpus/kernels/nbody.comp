#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly restrict buffer A { vec4 p[]; };
layout(binding = 1, std430) restrict buffer B { vec4 v[]; };
layout(push_constant) uniform P {
    int n;
    float dt;
};
shared vec4 t[64];
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
