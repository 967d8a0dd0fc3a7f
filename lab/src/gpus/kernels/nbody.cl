kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(global const float4 *restrict p,
                                                              global float4 *restrict v, int n, float dt) {
    local float4 t[64];
    int i = get_global_id(0), l = get_local_id(0);
    float4 me = p[i];
    float3 a = 0;
    for (int j = 0; j < n; j += 64) {
        t[l] = p[j + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int q = 0; q < 64; q++) {
            float4 o = t[q];
            float3 d = o.xyz - me.xyz;
            float r = dot(d, d) + 0.01f;
            float s = native_rsqrt(r);
            a += d * (o.w * s * s * s);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 u = v[i];
    u.xyz += a * dt;
    v[i] = u;
}
