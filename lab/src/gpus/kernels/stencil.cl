kernel __attribute__((reqd_work_group_size(16, 16, 1))) void k(global const float *restrict a,
                                                               global float *restrict b, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    float s = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) s += a[(y + j) * w + x + i] * (i == 0 && j == 0 ? 0.5f : 0.0625f);
    b[y * w + x] = s;
}
