// Accelerations of all bodies by all, a tile of bodies at a time in local memory; w is the mass.
kernel void nbody(global const float4 *bodies, global float4 *accelerations, local float4 *tile, int n, float soft) {
    float4 me = bodies[get_global_id(0)];
    float3 sum = 0;
    int size = get_local_size(0), id = get_local_id(0);
    for (int start = 0; start < n; start += size) {
        tile[id] = bodies[start + id];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < size; k++) {
            float3 d = tile[k].xyz - me.xyz;
            float r = native_rsqrt(dot(d, d) + soft);
            sum += d * (tile[k].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accelerations[get_global_id(0)] = (float4)(sum, 0);
}
