//! 6.15.15.2 Built-in Image Read Functions

//# reject: they require image support
//# requires: !images
//# error: 2: use of 'read_imagef' requires image support which this device does not offer
//# error: 3: use of 'read_imagei' requires image support
//# error: 4: use of 'read_imageui' requires image support
kernel void test(global uint *out) {
    float4 f = read_imagef(out, 0, (int2)(0));
    int4 i = read_imagei(out, 0, (int2)(0));
    uint4 u = read_imageui(out, 0, (int2)(0));
}

//# accept: without it their names are free
//# requires: !images
//# expect: 5
uint read_imageui(global uint *image, uint at) {
    return image[at] + 5;
}
kernel void test(global uint *out) {
    out[0] = read_imageui(out, 0);
}
