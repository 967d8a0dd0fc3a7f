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
