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

//# accept: images that are read, and such that are read and written
//# options: -cl-std=CL3.0
//# requires: images, read_write_images
//# expect: 3
kernel void f(image1d_t a, image1d_buffer_t b, image1d_array_t c, read_write image2d_t d,
              read_write image2d_array_t e, image3d_t g, read_write image2d_depth_t h, global float4 *out) {
    out[0] = read_imagef(a, 1) + read_imagef(b, 1) + read_imagef(c, (int2)(1)) + read_imagef(d, (int2)(1)) +
             read_imagef(e, (int4)(1)) + read_imagef(g, (int4)(1)) + read_imagef(h, (int2)(1));
    write_imagef(d, (int2)(1), out[0]);
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    out[1] = read_imagef(d, (int2)(1));
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
}
kernel void test(global uint *out) {
    out[0] = 3;
}

//# reject: what is read and written has no sampler
//# options: -cl-std=CL3.0
//# requires: images, read_write_images
//# error: 2: no matching function for call to 'read_imagef'
kernel void f(read_write image2d_t a, sampler_t s) {
    read_imagef(a, s, (int2)(1));
}
kernel void test(global uint *out) {}
