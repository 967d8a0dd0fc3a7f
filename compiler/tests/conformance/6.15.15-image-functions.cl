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

//# reject: images are parameters of functions and nothing else
//# options: -cl-std=CL3.0
//# requires: images
//# error: 2: type '__read_only image2d_t' can only be used as a function parameter in OpenCL
//# error: 3: pointer to type '__read_only image2d_t' is invalid in OpenCL
//# error: 4: array of '__read_only image2d_t' type is invalid in OpenCL
//# error: 5: the '__read_only image2d_t' type cannot be used to declare a structure or union field
kernel void f(read_only image2d_t a) {
    image2d_t b;
    image2d_t *c;
    image2d_t d[2];
    struct s { image2d_t e; };
}
kernel void test(global uint *out) {}

//# reject: nor are they results or program-scope variables
//# requires: images
//# error: 1: declaring function return value of type '__read_only image2d_t' is not allowed
//# error: 2: the '__read_only image3d_t' type cannot be used to declare a program scope variable
//# error: 3: declaring function return value of type 'sampler_t' is not allowed
image2d_t f(image2d_t a) { return a; }
constant image3d_t b;
sampler_t g(void);
kernel void test(global uint *out) {}

//# reject: they are not assigned, chosen between, or pointed to
//# requires: images
//# error: 2: invalid operands to binary expression ('__read_only image2d_t' and '__read_only image2d_t')
//# error: 3: operand of type '__read_only image2d_t' cannot be used in a ternary expression
//# error: 4: invalid argument type '__read_only image2d_t' to unary expression
kernel void f(image2d_t a, image2d_t b) {
    a = b;
    get_image_width(get_image_width(a) > 3 ? a : b);
    &a;
}
kernel void test(global uint *out) {}

//# reject: multi-sampled images have an extension of their own
//# requires: images
//# error: 1: use of type 'image2d_msaa_t' requires cl_khr_gl_msaa_sharing
//# error: 2: use of type 'image2d_array_msaa_depth_t' requires cl_khr_gl_msaa_sharing
void f(image2d_msaa_t a);
void g(image2d_array_msaa_depth_t a);
kernel void test(global uint *out) {}

//# accept: with image support the macros say so
//# options: -cl-std=CL3.0
//# requires: images
//# expect: 1
kernel void test(global uint *out) {
#if defined(__IMAGE_SUPPORT__) && defined(__opencl_c_images) && defined(cl_khr_depth_images)
    out[0] = 1;
#endif
}

//# accept: images go from function to function
//# requires: images
//# expect: 2
float4 read(read_only image2d_t image, sampler_t sampler, float2 at) {
    return read_imagef(image, sampler, at);
}
void write(write_only image2d_t image, int2 at, float4 color) {
    write_imagef(image, at, color);
}
kernel void f(image2d_t a, write_only image2d_t b, sampler_t s) {
    write(b, (int2)(1, 2), read(a, s, (float2)(0.5f)));
}
kernel void test(global uint *out) {
    out[0] = 2;
}
