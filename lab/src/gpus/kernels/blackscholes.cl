float cnd(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float c = 0.3989422804f * exp(-0.5f * d * d) *
              (k * (0.31938153f +
                    k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
k(global float *restrict call, global float *restrict put, global const float *restrict S,
  global const float *restrict X, global const float *restrict T, float r, float v, uint n) {
    uint i = get_global_id(0);
    if (i >= n) return;
    float q = sqrt(T[i]);
    float d1 = (log(S[i] / X[i]) + (r + 0.5f * v * v) * T[i]) / (v * q);
    float d2 = d1 - v * q;
    float c1 = cnd(d1), c2 = cnd(d2);
    float e = exp(-r * T[i]);
    call[i] = S[i] * c1 - X[i] * e * c2;
    put[i] = X[i] * e * (1.0f - c2) - S[i] * (1.0f - c1);
}
