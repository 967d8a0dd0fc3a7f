// Images: addressing modes on one coordinate (OpenCL C 8.2), components as storage images have them.
//
// s is a coordinate, normalized or not as the sampler says, u one that is not; size is the number of texels. An index
// beyond the image, -1 or size at the least, is that of the border. NaN and infinities give some index.

typedef uint sampler_word;

float __mirrored(float s) { return fabs(s - 2.0f * rint(0.5f * s)); }

// The layer of an array.
int __layer(float at, int layers) {
    return (int)fmin(fmax(rint(at), 0.0f), (float)(layers - 1));
}

// The index of the texel that is nearest.
int __nearest_edge(float u, int size) {
    return (int)fmin(fmax(floor(u), 0.0f), (float)(size - 1));
}

int __nearest_clamp(float u, int size) { return (int)fmin(fmax(floor(u), -1.0f), (float)size); }

int __nearest_repeat(float s, int size) {
    int i = (int)fmin(fmax(floor((s - floor(s)) * (float)size), 0.0f), (float)size);
    return i >= size ? 0 : i;
}

int __nearest_mirror(float s, int size) { return __nearest_edge(__mirrored(s) * (float)size, size); }

int __nearest(float s, int size, sampler_word sampler) {
    uint mode = sampler >> 1 & 7;
    if (mode == 3) return __nearest_repeat(s, size);
    if (mode == 4) return __nearest_mirror(s, size);
    float u = sampler & 1 ? s * (float)size : s;
    return mode == 2 ? __nearest_clamp(u, size) : __nearest_edge(u, size);
}

// The place of the nearest texel, in texels, for a sampler that takes the edge for what lies beyond the image. Places far
// to the right, which samplers may lose, are moved to one beyond every image; so is NaN.
float __near(float u) { return u < 1048576.0f ? u : 1048576.0f; }

float __place_edge(float u, int size) { return __near(u); }

float __place_clamp(float u, int size) { return __near(u); }

float __place_repeat(float s, int size) {
    float i = floor((s - floor(s)) * (float)size);
    return i < (float)size ? i + 0.5f : 0.5f;
}

float __place_mirror(float s, int size) { return __near(__mirrored(s) * (float)size); }

float __place(float s, int size, sampler_word sampler) {
    uint mode = sampler >> 1 & 7;
    if (mode == 3) return __place_repeat(s, size);
    if (mode == 4) return __place_mirror(s, size);
    return __near(sampler & 1 ? s * (float)size : s);
}

float __place_layer(float at, int layers) {
    float layer = rint(at), last = (float)(layers - 1);
    layer = layer > 0.0f ? layer : 0.0f;
    return layer < last ? layer : last;
}

// The indices of the two texels around a place, and the bits of the second's weight.
int4 __linear_edge(float u, int size) {
    float t = u - 0.5f, f = floor(t);
    int i = (int)fmin(fmax(f, -1.0f), (float)size);
    return (int4)(clamp(i, 0, size - 1), clamp(i + 1, 0, size - 1), as_int(t - f), 0);
}

int4 __linear_clamp(float u, int size) {
    float t = u - 0.5f, f = floor(t);
    int i = (int)fmin(fmax(f, -2.0f), (float)size);
    return (int4)(i, i + 1, as_int(t - f), 0);
}

int4 __linear_repeat(float s, int size) {
    float t = (s - floor(s)) * (float)size - 0.5f, f = floor(t);
    int i = (int)fmin(fmax(f, -1.0f), (float)(size - 1));
    return (int4)(i < 0 ? size - 1 : i, i + 1 < size ? i + 1 : 0, as_int(t - f), 0);
}

int4 __linear_mirror(float s, int size) { return __linear_edge(__mirrored(s) * (float)size, size); }

int4 __linear(float s, int size, sampler_word sampler) {
    uint mode = sampler >> 1 & 7;
    if (mode == 3) return __linear_repeat(s, size);
    if (mode == 4) return __linear_mirror(s, size);
    float u = sampler & 1 ? s * (float)size : s;
    return mode == 2 ? __linear_clamp(u, size) : __linear_edge(u, size);
}

// Stands for a look at the coordinates of a texel: the indices and the sizes, 0 where there is none, the image, and 1 for writes.
void __texel_mark(int4 at, int4 size, uint image, uint writes) {}

// Reads with a sampler that is known at run time only.
#define READS(dim, coordinates) \
    float4 __read_float_##dim(read_only image##dim##_t image, sampler_t sampler, coordinates at) { \
        return read_imagef(image, sampler, at); \
    } \
    int4 __read_int_##dim(read_only image##dim##_t image, sampler_t sampler, coordinates at) { \
        return read_imagei(image, sampler, at); \
    } \
    uint4 __read_uint_##dim(read_only image##dim##_t image, sampler_t sampler, coordinates at) { \
        return read_imageui(image, sampler, at); \
    }

READS(1d, float)
READS(1d_array, float2)
READS(2d, float2)
READS(2d_array, float4)
READS(3d, float4)

// Reads of mipmaps. Bit 5 of a sampler word says that the filter between levels is linear. Bits 6 to 17 are the least
// level of detail in 256ths, bits 18 to 29 how far the greatest is below 16. (read_image with a level reads that level.)
float __lod(float4 dx, float4 dy) { return native_log2(sqrt(fmax(dot(dx, dx), dot(dy, dy)))); }

float __clamped_lod(float lod, int levels, sampler_word word) {
    float least = (float)(word >> 6 & 4095) / 256.0f, most = (float)(4095 - (word >> 18 & 4095)) / 256.0f;
    return fmin(fmin(fmax(lod, least), most), (float)(levels - 1));
}

float __nearest_level(float lod) { return ceil(lod + 0.5f) - 1.0f; }

#define MIPMAPPED(dim, coordinates) \
    float4 __level_float_##dim(read_only image##dim##_t image, sampler_t sampler, coordinates at, float level) { \
        return read_imagef(image, sampler, at, level); \
    } \
    float4 __mipmapped_float_##dim(read_only image##dim##_t image, sampler_t sampler, coordinates at, float lod, sampler_word word) { \
        lod = __clamped_lod(lod, get_image_num_mip_levels(image), word); \
        if (!(word & 32)) return __level_float_##dim(image, sampler, at, __nearest_level(lod)); \
        float low = floor(lod), second = lod - low; \
        float4 texel = __level_float_##dim(image, sampler, at, low); \
        if (second == 0.0f) return texel; \
        return (1.0f - second) * texel + second * __level_float_##dim(image, sampler, at, low + 1.0f); \
    } \
    int4 __mipmapped_int_##dim(read_only image##dim##_t image, sampler_t sampler, coordinates at, float lod, sampler_word word) { \
        lod = __clamped_lod(lod, get_image_num_mip_levels(image), word); \
        return read_imagei(image, sampler, at, __nearest_level(lod)); \
    } \
    uint4 __mipmapped_uint_##dim(read_only image##dim##_t image, sampler_t sampler, coordinates at, float lod, sampler_word word) { \
        lod = __clamped_lod(lod, get_image_num_mip_levels(image), word); \
        return read_imageui(image, sampler, at, __nearest_level(lod)); \
    }

MIPMAPPED(1d, float)
MIPMAPPED(1d_array, float2)
MIPMAPPED(2d, float2)
MIPMAPPED(2d_array, float4)
MIPMAPPED(3d, float4)

float3 __to_srgb(float3 c) {
    float3 curve = 1.055f * native_exp2(native_log2(fmax(c, 0.0031308f)) * (1.0f / 2.4f)) - 0.055f;
    return select(curve, 12.92f * c, c <= 0.0031308f);
}

float3 __from_srgb(float3 c) {
    float3 curve = native_exp2(native_log2(fmax((c + 0.055f) / 1.055f, 0.04f)) * 2.4f);
    return select(curve, c / 12.92f, c <= 0.04045f);
}

// Numbers that normalized 8-bit integers hold: the conformance tests want alpha rounded to even, and devices need not.
float4 __bytes(float4 c) {
    return rint(clamp(c, 0.0f, 1.0f) * 255.0f) / 255.0f;
}

// A color without NaN where there is none: it is 0 in normalized integers (8.3.1), the first four types, CL_SNORM_INT8 to
// CL_UNORM_INT16.
float __number(float s) { return isnan(s) ? 0.0f : s; }

float4 __stored_float(float4 c, uint image) {
    if ((image >> 21 & 31) >= 4) return c;
    return (float4)(__number(c.x), __number(c.y), __number(c.z), __number(c.w));
}

// A color as a storage image has it, by the store order of an image word, and the color of a texel.
float4 __ordered_float(float4 c, uint image) {
    switch (image >> 26 & 7) {
        case 1: return c.zyxw;
        case 2: return c.wxyz;
        case 3: return c.wzyx;
        case 4: return c.wxyz;
        case 5: return __bytes((float4)(__to_srgb(c.xyz), c.w));
        case 6: return __bytes((float4)(__to_srgb(c.zyx), c.w));
        case 7: return c.xwyz;
        default: return c;
    }
}

// CL_INTENSITY and CL_LUMINANCE, 8 and 9 behind CL_R, have one channel that several components are.
float4 __loaded_float(float4 c, uint image) {
    uint channels = image >> 16 & 31;
    if (channels == 8) return c.xxxx;
    if (channels == 9) return (float4)(c.xxx, 1.0f);
    switch (image >> 26 & 7) {
        case 1: return c.zyxw;
        case 2: return c.yzwx;
        case 3: return c.wzyx;
        case 4: return (float4)(0.0f, 0.0f, 0.0f, c.x);
        case 5: return (float4)(__from_srgb(c.xyz), c.w);
        case 6: return (float4)(__from_srgb(c.zyx), c.w);
        case 7: return (float4)(c.x, 0.0f, 0.0f, c.y);
        default: return c;
    }
}

int4 __ordered_bits(int4 c, uint image) {
    switch (image >> 26 & 7) {
        case 1: return c.zyxw;
        case 2: return c.wxyz;
        case 3: return c.wzyx;
        case 4: return c.wxyz;
        case 7: return c.xwyz;
        default: return c;
    }
}

int4 __loaded_bits(int4 c, uint image) {
    switch (image >> 26 & 7) {
        case 1: return c.zyxw;
        case 2: return c.yzwx;
        case 3: return c.wzyx;
        case 4: return (int4)(0, 0, 0, c.x);
        case 7: return (int4)(c.x, 0, 0, c.y);
        default: return c;
    }
}

// What is written saturates to the width of the channels: CL_SIGNED_INT8 is 7 behind CL_SNORM_INT8.
int4 __stored_int(int4 c, uint image) {
    uint type = image >> 21 & 31;
    int high = 0x7fffffff >> (type == 7 ? 24 : type == 8 ? 16 : 0);
    return clamp(c, (int4)~high, (int4)high);
}

int4 __stored_uint(int4 c, uint image) {
    uint type = image >> 21 & 31;
    uint high = 0xffffffffU >> (type == 10 ? 24 : type == 11 ? 16 : 0);
    return as_int4(min(as_uint4(c), (uint4)high));
}
