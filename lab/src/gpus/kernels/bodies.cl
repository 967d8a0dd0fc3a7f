typedef struct { float4 pos; float4 vel; float mass; int id; } body;
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
k(global body *b, float dt, int n) {
    size_t i = get_global_id(0);
    if (i >= (size_t)n) return;
    body me = b[i];
    me.vel.xyz += (float3)(0, -9.81f, 0) * dt * me.mass;
    me.pos.xyz += me.vel.xyz * dt;
    if (me.pos.y < 0) { me.pos.y = -me.pos.y; me.vel.y *= -0.5f; }
    b[i] = me;
}
