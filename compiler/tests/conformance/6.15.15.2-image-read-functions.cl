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

//# accept: every type of image, with int and with float coordinates
//# requires: images
//# expect: 1
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void f(image1d_t a, image1d_array_t b, image2d_t c, image2d_array_t d, image3d_t e, image2d_depth_t g,
              image2d_array_depth_t h, global float4 *out) {
    out[0] = read_imagef(a, s, 1) + read_imagef(b, s, (int2)(1)) + read_imagef(c, s, (int2)(1)) +
             read_imagef(d, s, (int4)(1)) + read_imagef(e, s, (int4)(1));
    out[1] = read_imagef(a, s, 1.5f) + read_imagef(b, s, (float2)(1)) + read_imagef(c, s, (float2)(1)) +
             read_imagef(d, s, (float4)(1)) + read_imagef(e, s, (float4)(1));
    float x = read_imagef(g, s, (float2)(1)), y = read_imagef(h, s, (int4)(1));
    out[2] = (float4)(x, y, 0, 0);
    out[3] = as_float4(read_imagei(e, s, (float4)(1))) + as_float4(read_imageui(d, s, (float4)(1)));
}
kernel void test(global uint *out) {
    out[0] = 1;
}

//# reject: what is written only is not read, and coordinates have the image's dimensions
//# requires: images
//# error: 3: no matching function for call to 'read_imagef'
//# error: 4: no matching function for call to 'read_imagef'
//# error: 5: no matching function for call to 'read_imagei'
//# error: 6: no matching function for call to 'read_imageui'
constant sampler_t s = 0;
kernel void f(write_only image2d_t a, image2d_t b, image2d_depth_t c, image1d_buffer_t d) {
    read_imagef(a, s, (int2)(0));
    read_imagef(b, s, (int4)(0));
    read_imagei(c, s, (int2)(0));
    read_imageui(d, s, 0);
}
kernel void test(global uint *out) {}
