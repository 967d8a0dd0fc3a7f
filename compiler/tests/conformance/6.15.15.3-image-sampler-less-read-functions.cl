//! 6.15.15.3 Built-in Image Sampler-less Read Functions

//# reject: they require image support
//# requires: !images
//# error: 2: use of 'read_imagef' requires image support which this device does not offer
kernel void test(global uint *out) {
    float4 f = read_imagef(out, (int2)(0));
}

//# accept: without it a program may have its own
//# requires: !images
//# expect: 7
uint read_imagei(global uint *image, int2 at) {
    return image[at.x] + 7;
}
kernel void test(global uint *out) {
    out[0] = read_imagei(out, (int2)(0));
}
