__constant float kern[9] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f};
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
k(global const uchar4 *src, global uchar4 *dst, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    float4 s = (float4)(0.0f);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int xx = clamp(x + dx, 0, w - 1), yy = clamp(y + dy, 0, h - 1);
            s += convert_float4(src[yy * w + xx]) * kern[(dy + 1) * 3 + dx + 1];
        }
    dst[y * w + x] = convert_uchar4_sat(s + 0.5f);
}
