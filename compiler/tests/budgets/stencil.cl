// A 3 x 3 convolution of the inner pixels.
kernel void stencil(global const float *in, global float *out, constant float *weights, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += weights[(dy + 1) * 3 + dx + 1] * in[(y + dy) * width + x + dx];
    out[y * width + x] = sum;
}
