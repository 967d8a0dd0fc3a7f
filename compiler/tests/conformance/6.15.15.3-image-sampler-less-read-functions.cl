//! 6.15.15.3 Built-in Image Sampler-less Read Functions

//# reject: they require image support
//# requires: !images
//# error: 2: use of 'read_imagef' requires image support which this device does not offer
kernel void test(global uint *out) {
    float4 f = read_imagef(out, (int2)(0));
}
