constant int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
constant int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constant float wt[9] = {4.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/36, 1.f/36, 1.f/36, 1.f/36};
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
k(global const float *fin, global float *fout, int nx, int ny, float omega) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= nx || y >= ny) return;
    float f[9];
    float rho = 0, ux = 0, uy = 0;
    for (int i = 0; i < 9; i++) {
        int xs = (x - cx[i] + nx) % nx, ys = (y - cy[i] + ny) % ny;
        f[i] = fin[(i * ny + ys) * nx + xs];
        rho += f[i]; ux += f[i] * cx[i]; uy += f[i] * cy[i];
    }
    ux = native_divide(ux, rho); uy = native_divide(uy, rho);
    float u2 = 1.5f * (ux * ux + uy * uy);
    for (int i = 0; i < 9; i++) {
        float cu = 3.0f * (cx[i] * ux + cy[i] * uy);
        float feq = wt[i] * rho * (1.0f + cu + 0.5f * cu * cu - u2);
        fout[(i * ny + y) * nx + x] = f[i] + omega * (feq - f[i]);
    }
}
