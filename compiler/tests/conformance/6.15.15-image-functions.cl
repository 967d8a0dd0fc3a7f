//! 6.15.15 Image Read and Write Functions

//# reject: image types require image support
//# requires: !images
//# error: 1: use of type 'image2d_t' requires image support which this device does not offer
//# error: 1: use of type 'image3d_t' requires image support which this device does not offer
kernel void f(read_only image2d_t a, write_only image3d_t b) {}
kernel void test(global uint *out) {}

//# reject: all of them: one-dimensional, buffers, arrays
//# requires: !images
//# error: 1: use of type 'image1d_t' requires image support
//# error: 2: use of type 'image1d_buffer_t' requires image support
//# error: 3: use of type 'image1d_array_t' requires image support
//# error: 4: use of type 'image2d_array_t' requires image support
void f(image1d_t a);
void g(image1d_buffer_t a);
void h(image1d_array_t a);
void i(image2d_array_t a);
kernel void test(global uint *out) {}

//# reject: depth and multi-sampled ones
//# requires: !images
//# error: 1: use of type 'image2d_depth_t' requires image support
//# error: 2: use of type 'image2d_array_depth_t' requires image support
//# error: 3: use of type 'image2d_msaa_t' requires image support
void f(image2d_depth_t a);
void g(image2d_array_depth_t a);
void h(image2d_msaa_t a);
kernel void test(global uint *out) {}

//# accept: without image support __IMAGE_SUPPORT__ is not defined, nor are the features
//# options: -cl-std=CL3.0
//# requires: !images
//# expect: 1
kernel void test(global uint *out) {
#if !defined(__IMAGE_SUPPORT__) && !defined(__opencl_c_images)
    out[0] = 1;
#endif
}
