#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std430) writeonly restrict buffer A { float call[]; };
layout(binding = 1, std430) writeonly restrict buffer B { float put[]; };
layout(binding = 2, std430) readonly restrict buffer C { float S[]; };
layout(binding = 3, std430) readonly restrict buffer D { float X[]; };
layout(binding = 4, std430) readonly restrict buffer E { float T[]; };
layout(push_constant) uniform P {
    float r, v;
    uint n;
};
float cnd(float d) {
    float k = 1.0 / (1.0 + 0.2316419 * abs(d));
    float c =
        0.3989422804 * exp(-0.5 * d * d) *
        (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))));
    return d > 0 ? 1.0 - c : c;
}
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) return;
    float q = sqrt(T[i]);
    float d1 = (log(S[i] / X[i]) + (r + 0.5 * v * v) * T[i]) / (v * q);
    float d2 = d1 - v * q;
    float c1 = cnd(d1), c2 = cnd(d2);
    float e = exp(-r * T[i]);
    call[i] = S[i] * c1 - X[i] * e * c2;
    put[i] = X[i] * e * (1.0 - c2) - S[i] * (1.0 - c1);
}
