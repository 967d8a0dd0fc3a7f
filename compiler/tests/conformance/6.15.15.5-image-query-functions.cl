//! 6.15.15.5 Built-in Image Query Functions

//# reject: they require image support
//# requires: !images
//# error: 2: use of 'get_image_width' requires image support which this device does not offer
//# error: 3: use of 'get_image_height' requires image support
//# error: 4: use of 'get_image_depth' requires image support
//# error: 5: use of 'get_image_dim' requires image support
//# error: 6: use of 'get_image_array_size' requires image support
//# error: 7: use of 'get_image_channel_data_type' requires image support
//# error: 8: use of 'get_image_channel_order' requires image support
kernel void test(global uint *out) {
    get_image_width(out);
    get_image_height(out);
    get_image_depth(out);
    get_image_dim(out);
    get_image_array_size(out);
    get_image_channel_data_type(out);
    get_image_channel_order(out);
}

//# accept: the constants of channel types and orders are distinct numbers
//# expect: 1
kernel void test(global uint *out) {
    uint types[] = {CLK_SNORM_INT8, CLK_SNORM_INT16, CLK_UNORM_INT8, CLK_UNORM_INT16, CLK_UNORM_SHORT_565,
                    CLK_UNORM_SHORT_555, CLK_UNORM_INT_101010, CLK_SIGNED_INT8, CLK_SIGNED_INT16,
                    CLK_SIGNED_INT32, CLK_UNSIGNED_INT8, CLK_UNSIGNED_INT16, CLK_UNSIGNED_INT32,
                    CLK_HALF_FLOAT, CLK_FLOAT, CLK_A, CLK_R, CLK_Rx, CLK_RG, CLK_RGx, CLK_RA, CLK_RGB,
                    CLK_RGBx, CLK_RGBA, CLK_ARGB, CLK_BGRA, CLK_INTENSITY, CLK_LUMINANCE};
    uint distinct = 1;
    for (int i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        for (int j = 0; j < i; j++)
            distinct &= types[i] != types[j];
    out[0] = distinct;
}

//# accept: sizes and formats of every type of image
//# options: -cl-std=CL3.0
//# requires: images, read_write_images
//# expect: 8
kernel void f(image1d_t a, write_only image1d_buffer_t b, image1d_array_t c, read_write image2d_t d,
              write_only image2d_array_t e, image3d_t g, image2d_depth_t h, global int *out) {
    out[0] = get_image_width(a) + get_image_width(b) + get_image_width(c) + get_image_width(d);
    out[1] = get_image_height(d) + get_image_height(e) + get_image_height(g) + get_image_height(h);
    out[2] = get_image_depth(g);
    int2 flat = get_image_dim(d) + get_image_dim(e);
    int4 volume = get_image_dim(g);
    size_t layers = get_image_array_size(c) + get_image_array_size(e);
    out[3] = flat.x + flat.y + volume.w + (int)layers;
    out[4] = get_image_channel_order(h) + get_image_channel_data_type(b);
}
kernel void test(global uint *out) {
    out[0] = 8;
}

//# reject: an image has a height or layers only where its type does
//# requires: images
//# error: 2: no matching function for call to 'get_image_height'
//# error: 3: no matching function for call to 'get_image_depth'
//# error: 4: no matching function for call to 'get_image_array_size'
kernel void f(image1d_t a, image2d_t b) {
    get_image_height(a);
    get_image_depth(b);
    get_image_array_size(b);
}
kernel void test(global uint *out) {}
