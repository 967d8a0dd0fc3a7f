#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly restrict buffer A { float call_[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly restrict buffer B { float put_[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer C { float S_[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer D { float X_[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer E { float T_[]; };
layout(push_constant) uniform P {
    A q0;
    B q1;
    C q2;
    D q3;
    E q4;
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
#define call q0.call_
#define put q1.put_
#define S q2.S_
#define X q3.X_
#define T q4.T_
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
