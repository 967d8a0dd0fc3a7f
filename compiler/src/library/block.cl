// Blocks of images (cl_intel_subgroups): the bytes of texels as they lie in memory, by what image functions give of them
// and take. Texels have one, two or four bytes. Channel data types are counted from CL_SNORM_INT8, orders from CL_R.

int block_type(int type) { return type - 0x10D0; }
int block_order(int order) { return order - 0x10B0; }

int block_channels(int order) {
    bool is_one = order < 2 || order == 8 || order == 9;
    return is_one ? 1 : order < 4 ? 2 : 4;
}

// Bytes of a channel; of CL_UNORM_INT_101010 all three are four.
int block_channel_size(int type) {
    if (type == 0 || type == 2 || type == 7 || type == 10) return 1;
    return type == 1 || type == 3 || type == 8 || type == 11 || type == 13 ? 2 : 4;
}

// Two's logarithm of the bytes of a texel.
int block_shift(int type, int order) {
    int size = type == 6 ? 4 : block_channels(order) * block_channel_size(type);
    return size >= 4 ? 2 : size - 1;
}

bool block_is_srgb(int order) { return order == 0x11 || order == 0x12; }

// The channels in their order in memory, and back.
uint4 block_in_memory(uint4 c, int order) {
    switch (order) {
        case 1: case 7: return c.wxyz;
        case 3: return c.xwyz;
        case 6: case 0x12: return c.zyxw;
        case 0x13: return c.wzyx;
        default: return c;
    }
}

uint4 block_as_color(uint4 c, int order) {
    switch (order) {
        case 1: case 7: return c.yzwx;
        case 3: return c.xzwy;
        case 6: case 0x12: return c.zyxw;
        case 0x13: return c.wzyx;
        default: return c;
    }
}

// What numbers from -1 to 1 are multiplied by.
float block_scale(int type) {
    return type == 0 ? 127.0f : type == 1 ? 32767.0f : type == 2 ? 255.0f : type == 3 ? 65535.0f : 1023.0f;
}

uint4 block_float_bits(float4 c, int type) {
    if (type == 14) return as_uint4(c);
    if (type != 13) return as_uint4(convert_int4_rte(c * block_scale(type)));
    ushort bits[4];
    vstore_half4(c, 0, (private half *)bits);
    return (uint4)(bits[0], bits[1], bits[2], bits[3]);
}

float4 block_float(uint4 c, int type) {
    if (type == 14) return as_float4(c);
    if (type == 0) return fmax(convert_float4(as_int4(c << 24) >> 24) / 127.0f, -1.0f);
    if (type == 1) return fmax(convert_float4(as_int4(c << 16) >> 16) / 32767.0f, -1.0f);
    if (type != 13) return convert_float4(c) / block_scale(type);
    ushort bits[4] = {c.x, c.y, c.z, c.w};
    return vload_half4(0, (private const half *)bits);
}

// The bits of a texel; above those, others.
uint block_texel(read_only image2d_t image, int2 at, int type, int order) {
    uint4 c;
    if (type >= 10 && type <= 12) {
        c = read_imageui(image, at);
    } else if (type >= 7 && type <= 9) {
        c = as_uint4(read_imagei(image, at));
    } else {
        float4 color = read_imagef(image, at);
        if (block_is_srgb(order)) color.xyz = __to_srgb(color.xyz);
        c = block_float_bits(color, type);
    }
    if (type == 6) return c.x << 20 | c.y << 10 | c.z;
    c = block_in_memory(c, order);
    switch (block_channel_size(type)) {
        case 1: return (c.x & 255) | (c.y & 255) << 8 | (c.z & 255) << 16 | c.w << 24;
        case 2: return (c.x & 65535) | c.y << 16;
        default: return c.x;
    }
}

void block_write_texel(write_only image2d_t image, int2 at, uint bits, int type, int order) {
    if (at.x < 0 || at.y < 0 || at.x >= get_image_width(image) || at.y >= get_image_height(image)) return;
    uint4 c;
    switch (block_channel_size(type)) {
        case 1: c = (uint4)(bits & 255, bits >> 8 & 255, bits >> 16 & 255, bits >> 24); break;
        case 2: c = (uint4)(bits & 65535, bits >> 16, 0, 0); break;
        default: c = (uint4)(bits, 0, 0, 0); break;
    }
    if (type == 6) c = (uint4)(bits >> 20 & 1023, bits >> 10 & 1023, bits & 1023, 0);
    c = block_as_color(c, order);
    if (type >= 10 && type <= 12) {
        write_imageui(image, at, c);
    } else if (type >= 7 && type <= 9) {
        int unused = type == 7 ? 24 : type == 8 ? 16 : 0;
        write_imagei(image, at, as_int4(c << unused) >> unused);
    } else {
        float4 color = block_float(c, type);
        if (block_is_srgb(order)) color.xyz = __from_srgb(color.xyz);
        write_imagef(image, at, color);
    }
}

// `count` bytes, at most four, from byte `x` of row `y` on; those beyond the image are of the texel at its edge.
uint __block_of_image(read_only image2d_t image, int x, int y, int count) {
    int type = block_type(get_image_channel_data_type(image));
    int order = block_order(get_image_channel_order(image));
    int shift = block_shift(type, order), last = get_image_width(image) - 1;
    int row = clamp(y, 0, get_image_height(image) - 1);
    uint bits = 0, mask = 0xffffffffU >> (32 - (8 << shift));
    for (int i = 0; i < count;) {
        int skipped = (x + i) & ((1 << shift) - 1);
        int2 at = (int2)(clamp((x + i) >> shift, 0, last), row);
        bits |= (block_texel(image, at, type, order) & mask) >> 8 * skipped << 8 * i;
        i += (1 << shift) - skipped;
    }
    return bits;
}

// Writes `own`, `count` bytes from byte `x` on. A texel that is wider is written by the first of its work-items, from
// `word`, the four bytes around; the others of a row do nothing.
void __block_to_image(write_only image2d_t image, int x, int y, uint own, uint word, int count) {
    int type = block_type(get_image_channel_data_type(image));
    int order = block_order(get_image_channel_order(image));
    int shift = block_shift(type, order), size = 1 << shift;
    if (size <= count) {
        for (int i = 0; i < count; i += size)
            block_write_texel(image, (int2)((x + i) >> shift, y), own >> 8 * i, type, order);
    } else if (!(x & (size - 1))) {
        block_write_texel(image, (int2)(x >> shift, y), word >> 8 * (x & 3), type, order);
    }
}
