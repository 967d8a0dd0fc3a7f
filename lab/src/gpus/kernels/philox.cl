typedef struct { uint4 ctr; uint2 key; } philox_t;
uint4 round1(uint4 c, uint2 k) {
    uint hi0 = mul_hi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
    uint hi1 = mul_hi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
    return (uint4)(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
}
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
k(global float4 *out, uint seed, ulong n) {
    size_t i = get_global_id(0);
    if (i >= n) return;
    philox_t s;
    s.ctr = (uint4)((uint)i, (uint)(i >> 32), 0, 0);
    s.key = (uint2)(seed, 0xdeadbeef);
    for (int r = 0; r < 10; r++) {
        s.ctr = round1(s.ctr, s.key);
        s.key += (uint2)(0x9E3779B9u, 0xBB67AE85u);
    }
    out[i] = convert_float4(s.ctr) * 2.3283064e-10f;
}
