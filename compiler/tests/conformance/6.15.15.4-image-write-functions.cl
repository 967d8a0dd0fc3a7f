//! 6.15.15.4 Built-in Image Write Functions

//# reject: they require image support
//# requires: !images
//# error: 2: use of 'write_imagef' requires image support which this device does not offer
//# error: 3: use of 'write_imagei' requires image support
//# error: 4: use of 'write_imageui' requires image support
kernel void test(global uint *out) {
    write_imagef(out, (int2)(0), (float4)(1));
    write_imagei(out, (int2)(0), (int4)(1));
    write_imageui(out, (int2)(0), (uint4)(1));
}

//# accept: without it a program may have its own
//# requires: !images
//# expect: 0 9
void write_imageui(global uint *image, int at, uint value) {
    image[at] = value;
}
kernel void test(global uint *out) {
    write_imageui(out, 1, 9);
}

//# accept: every type of image
//# requires: images, 3d_image_writes
//# expect: 6
kernel void f(write_only image1d_t a, write_only image1d_buffer_t b, write_only image1d_array_t c,
              write_only image2d_t d, write_only image2d_array_t e, write_only image3d_t g,
              write_only image2d_depth_t h, write_only image2d_array_depth_t i) {
    write_imagef(a, 1, (float4)(1));
    write_imagei(b, 1, (int4)(1));
    write_imageui(c, (int2)(1), (uint4)(1));
    write_imagef(d, (int2)(1), (float4)(1));
    write_imagei(e, (int4)(1), (int4)(1));
    write_imagef(g, (int4)(1), (float4)(1));
    write_imagef(h, (int2)(1), 0.5f);
    write_imagef(i, (int4)(1), 0.5f);
}
kernel void test(global uint *out) {
    out[0] = 6;
}

//# reject: what is read only is not written
//# requires: images
//# error: 2: no matching function for call to 'write_imagef'
//# error: 3: no matching function for call to 'write_imagei'
kernel void f(read_only image2d_t a, image2d_t b) {
    write_imagef(a, (int2)(1), (float4)(1));
    write_imagei(b, (int2)(1), (int4)(1));
}
kernel void test(global uint *out) {}
