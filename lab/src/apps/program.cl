// What ffmpeg's program_opencl is given.

const sampler_t nearest =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
const sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
const sampler_t repeated = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;

// Moves rows apart and swaps colours: every value is one of the picture's.
kernel void shift(write_only image2d_t out, uint index, read_only image2d_t in)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const int by = (at.y * 3 + (int)index) % 17;
    write_imagef(out, at, read_imagef(in, nearest, at + (int2)(by, -by)).zyxw);
}

// Turns and shrinks with linear filtering, at coordinates that are exact in eighths.
kernel void turn(write_only image2d_t out, uint index, read_only image2d_t in)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float x = at.x * 0.75f + at.y * 0.5f - 30.0f;
    const float y = at.y * 0.75f - at.x * 0.25f + 20.0f + index;
    write_imagef(out, at, read_imagef(in, linear, (float2)(x, y)));
}

// Mirrors the picture into nine, at the middles of texels.
kernel void mirror(write_only image2d_t out, uint index, read_only image2d_t in)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float2 size = convert_float2(get_image_dim(in));
    const float2 from = (convert_float2(at * 3) + 0.5f) / size - 1.0f;
    write_imagef(out, at, read_imagef(in, repeated, from));
}

// Mixes two pictures by columns.
kernel void comb(write_only image2d_t out, uint index, read_only image2d_t a, read_only image2d_t b)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, at, (at.x / 8 + index) % 2 ? read_imagef(a, nearest, at) : read_imagef(b, nearest, at));
}
