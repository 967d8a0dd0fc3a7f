"""Kernels read images: every kind, order and type; values, functions, many images, whole programs."""

import numpy as np
import pyopencl as cl
import pytest
from image_formats import RGBA_BYTES, RGBA_FLOAT, RGBA_INT, RGBA_UINT, Format, to_srgb
from imaging import ALL_TYPES, KINDS, MF, all_coordinates

D2 = KINDS["2d"]
NEAREST = "const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"


@pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
@pytest.mark.parametrize("channel_type", ALL_TYPES)
def test_every_format_of_every_kind(images, rng, kind, channel_type):
    """Without a sampler, with integer and with float coordinates, all read what the host wrote."""
    sampler = images.sampler("CLAMP_TO_EDGE")
    at = all_coordinates(kind.shape)
    for form in images.formats_of(kind, channel_type, MF.READ_ONLY):
        texels = form.random(rng, kind.shape)
        image = images.create(kind, form, texels=texels, flags=MF.READ_ONLY)
        form.check_read(images.fetch_all(image, kind, form), texels)
        flat = texels.reshape(-1, form.channels)
        form.check_read(images.sample(image, kind, form, at, sampler), flat)
        inside = at + [[0.25, 0.75, 0.5, 0]] * (np.arange(4) < kind.axes)
        form.check_read(images.sample(image, kind, form, inside, sampler), flat)
        np.testing.assert_array_equal(images.get(image, form, kind.shape), texels)


@pytest.mark.parametrize("channel_type", ["UNORM_INT8", "SNORM_INT8", "UNORM_INT16", "SNORM_INT16"])
def test_all_values_of_normalized_integers(images, channel_type):
    form = Format("RGBA", channel_type)
    images.need(D2, form, MF.READ_ONLY)
    limits = np.iinfo(form.dtype)
    values = np.arange(limits.min, limits.max + 1, dtype=np.int64).astype(form.dtype)
    texels = values.reshape(1, -1, 64, 4)
    image = images.create(D2, form, texels=texels, flags=MF.READ_ONLY)
    got = images.fetch_all(image, D2, form, texels.shape)
    form.check_read(got, texels)
    assert got.max() == 1 and got.min() == (0 if limits.min == 0 else -1)
    if limits.min < 0:
        # The two smallest are both -1.
        assert (got.ravel()[:2] == -1).all()


def test_all_values_of_srgb(images):
    tried = 0
    for form in images.formats(D2, MF.READ_ONLY):
        if not form.is_srgb:
            continue
        tried += 1
        values = np.arange(256, dtype=np.uint8)
        texels = np.repeat(values, form.channels).reshape(1, 16, 16, form.channels)
        image = images.create(D2, form, texels=texels, flags=MF.READ_ONLY)
        got = images.fetch_all(image, D2, form, texels.shape)
        form.check_read(got, texels)
        assert got[0, 0, 0, 0] == 0 and got[0, 15, 15, 0] == 1
        back = 255 * to_srgb(got[..., 0].ravel().astype(np.float64))
        np.testing.assert_array_equal(np.rint(back), values)
    if not tried:
        pytest.skip("no sRGB")


def test_srgb_is_linear_before_the_filter(images):
    """Half way between black and white is one half, not what the middle's byte stands for."""
    form = Format("sRGBA", "UNORM_INT8")
    images.need(D2, form, MF.READ_ONLY)
    texels = np.zeros((1, 1, 2, 4), np.uint8)
    texels[0, 0, 1] = 255
    image = images.create(D2, form, texels=texels, flags=MF.READ_ONLY)
    got = images.sample(image, D2, form, np.array([[1, 0.5, 0, 0]], np.float32),
                        images.sampler("CLAMP_TO_EDGE", linear=True))
    np.testing.assert_allclose(got, [[0.5] * 4], atol=1 / 250)


def test_floats_of_any_bits(images, rng):
    """Numbers, infinities and zeros of both signs come through; NaNs stay NaNs."""
    images.need(D2, RGBA_FLOAT, MF.READ_ONLY)
    bits = rng.integers(0, 1 << 32, (1, 16, 16, 4), np.uint64).astype(np.uint32)
    texels = bits.view(np.float32)
    texels[0, 0, 0] = [np.inf, -np.inf, np.nan, -0.0]
    texels = np.where(np.abs(texels) < 1e-37, np.float32(0), texels)
    image = images.create(D2, RGBA_FLOAT, texels=texels, flags=MF.READ_ONLY)
    np.testing.assert_array_equal(images.fetch_all(image, D2, RGBA_FLOAT, texels.shape), texels)


def test_halves_of_any_bits(images):
    form = Format("RGBA", "HALF_FLOAT")
    images.need(D2, form, MF.READ_ONLY)
    texels = np.arange(1 << 16, dtype=np.uint16).view(np.float16).reshape(1, -1, 128, 4)
    image = images.create(D2, form, texels=texels, flags=MF.READ_ONLY)
    got, expected = images.fetch_all(image, D2, form, texels.shape), texels.astype(np.float32)
    tiny = np.abs(expected) < 2.0 ** -14
    np.testing.assert_array_equal(np.where(tiny, 0, got), np.where(tiny, 0, expected))
    assert (np.abs(got[tiny] - expected[tiny]) <= np.abs(expected[tiny])).all()


def test_read_imageh(images, m, rng):
    if "cl_khr_fp16" not in images.extensions:
        pytest.skip("no half")
    form = Format("RGBA", "HALF_FLOAT")
    images.need(D2, form, MF.READ_ONLY)
    program = images.program("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + NEAREST + """
        kernel void k(read_only image2d_t im, global half4 *out)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            out[p.y * 17 + p.x] = read_imageh(im, nearest, p);
        }""")
    texels = form.random(rng, D2.shape)
    out = m.empty(texels.nbytes)
    program.k(m.queue, (17, 11), None, images.create(D2, form, texels=texels), out)
    np.testing.assert_array_equal(m.read(out, np.float16, texels.shape), texels)


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (257, 1), (3, 5), (64, 64), (1000, 7)])
def test_sizes(images, rng, size):
    images.need(D2, RGBA_BYTES, MF.READ_ONLY)
    texels = RGBA_BYTES.random(rng, (1, size[1], size[0]))
    image = images.create(D2, RGBA_BYTES, texels=texels, flags=MF.READ_ONLY)
    RGBA_BYTES.check_read(images.fetch_all(image, D2, RGBA_BYTES, texels.shape), texels)


def test_images_pass_through_functions(images, m, rng):
    """Two images and a sampler go down three levels, in either order."""
    images.need(D2, RGBA_INT, MF.READ_ONLY)
    program = images.program("""
        int4 texel(read_only image2d_t im, sampler_t s, int2 p) { return read_imagei(im, s, p); }
        int4 both(read_only image2d_t a, read_only image2d_t b, sampler_t s, int2 p)
        { return texel(a, s, p) - 2 * texel(b, s, p); }
        int4 either(read_only image2d_t a, read_only image2d_t b, sampler_t s, int2 p)
        { return (p.x ^ p.y) & 1 ? both(b, a, s, p) : both(a, b, s, p); }
        kernel void k(read_only image2d_t a, read_only image2d_t b, sampler_t s, global int4 *out)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            out[p.y * get_image_width(a) + p.x] = either(a, b, s, p);
        }""")
    a, b = (rng.integers(-1000, 1000, (1, 11, 17, 4), np.int32) for _ in range(2))
    out = m.empty(a.nbytes)
    program.k(m.queue, (17, 11), None, images.create(D2, RGBA_INT, texels=a),
              images.create(D2, RGBA_INT, texels=b), images.sampler("NONE"), out)
    y, x = np.indices((11, 17))
    odd = ((x ^ y) & 1 == 1)[None, ..., None]
    np.testing.assert_array_equal(m.read(out, np.int32, a.shape), np.where(odd, b - 2 * a, a - 2 * b))


def test_one_image_as_two_arguments(images, m, rng):
    images.need(D2, RGBA_INT, MF.READ_ONLY)
    program = images.program("""
        kernel void k(read_only image2d_t a, read_only image2d_t b, global int4 *out)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            out[p.y * 17 + p.x] = read_imagei(a, p) + read_imagei(b, (int2)(16, 10) - p);
        }""")
    texels = rng.integers(-1000, 1000, (1, 11, 17, 4), np.int32)
    image, out = images.create(D2, RGBA_INT, texels=texels), m.empty(texels.nbytes)
    program.k(m.queue, (17, 11), None, image, image, out)
    np.testing.assert_array_equal(m.read(out, np.int32, texels.shape), texels + texels[:, ::-1, ::-1])


def test_one_kernel_reads_128_images(images, m, rng):
    """As many as the full profile asks for."""
    images.need(D2, RGBA_INT, MF.READ_ONLY)
    count = min(m.device.max_read_image_args, 128)
    assert count == 128 or not m.is_hekla
    arguments = ", ".join(f"read_only image2d_t i{i}" for i in range(count))
    reads = " ".join(f"sum = sum * 3 + read_imagei(i{i}, (int2)(x, 0));" for i in range(count))
    program = images.program(f"kernel void k({arguments}, global int4 *out)\n"
                             f"{{ int x = get_global_id(0); int4 sum = 0; {reads} out[x] = sum; }}")
    texels = rng.integers(-99, 99, (count, 1, 1, 4, 4), np.int32)
    out = m.empty(64)
    program.k(m.queue, (4,), None, *[images.create(D2, RGBA_INT, texels=t) for t in texels], out)
    expected = np.zeros((4, 4), np.int32)
    for t in texels:
        expected = expected * np.int32(3) + t[0, 0]
    np.testing.assert_array_equal(m.read(out, np.int32, (4, 4)), expected)


def test_all_kinds_in_one_kernel(images, m, rng):
    for kind in KINDS.values():
        images.need(kind, RGBA_UINT, MF.READ_ONLY)
    names = "abcde"
    arguments = ", ".join(f"read_only {kind.c_type} {n}" for n, kind in zip(names, KINDS.values()))
    reads = " ^ ".join(f"read_imageui({n}, {kind.coordinate})"
                       for n, kind in zip(names, KINDS.values()))
    program = images.program(f"""
        kernel void k({arguments}, global uint4 *out)
        {{ int4 at = (int4)(get_global_id(0), 2, 3, 0); out[at.x] = {reads.replace("(c)", "at")}; }}""")
    texels = [RGBA_UINT.random(rng, kind.shape) for kind in KINDS.values()]
    out = m.empty(16 * 7)
    program.k(m.queue, (7,), None, *[images.create(kind, RGBA_UINT, texels=t)
                                     for kind, t in zip(KINDS.values(), texels)], out)
    a, b, c, d, e = texels
    expected = a[0, 0, :7] ^ b[0, 2, :7] ^ c[0, 2, :7] ^ d[3, 2, :7] ^ e[3, 2, :7]
    np.testing.assert_array_equal(m.read(out, np.uint32, (7, 4)), expected)


def test_an_argument_may_be_another_image_each_time(images, m, rng):
    """Launches keep the image that was set when they were enqueued."""
    images.need(D2, RGBA_INT, MF.READ_ONLY)
    kernel = cl.Kernel(images.program("""
        kernel void k(read_only image2d_t im, global int4 *out, int at)
        { int x = get_global_id(0); out[at * 4 + x] = read_imagei(im, (int2)(x, 0)); }"""), "k")
    texels = rng.integers(-99, 99, (20, 1, 1, 4, 4), np.int32)
    some, out = [images.create(D2, RGBA_INT, texels=t) for t in texels], m.empty(texels.nbytes)
    for i, image in enumerate(some):
        kernel(m.queue, (4,), None, image, out, np.int32(i))
    np.testing.assert_array_equal(m.read(out, np.int32, texels.shape), texels)


def test_reads_in_divergent_control_flow(images, m, rng):
    images.need(D2, RGBA_INT, MF.READ_ONLY)
    program = images.program(NEAREST + """
        kernel void k(read_only image2d_t im, global int *out)
        {
            int i = get_global_id(0), sum = 0;
            for (int step = 0; step < i % 7; step++) {
                if ((i + step) % 3 == 0) continue;
                int4 t = read_imagei(im, nearest, (int2)((i + step * step) % 17, step));
                if (t.x < 0) { sum += t.y; break; }
                switch (t.z & 3) { case 0: sum += t.x; break; case 1: sum ^= t.w; break;
                                   default: sum -= read_imagei(im, (int2)(step, step)).x; }
            }
            out[i] = sum;
        }""")
    texels = rng.integers(-30, 1000, (1, 11, 17, 4), np.int32)
    out = m.empty(4 * 200)
    program.k(m.queue, (200,), None, images.create(D2, RGBA_INT, texels=texels), out)
    expected = []
    for i in range(200):
        total = 0
        for step in range(i % 7):
            if (i + step) % 3 == 0:
                continue
            x, y, z, w = map(int, texels[0, step, (i + step * step) % 17])
            if x < 0:
                total += y
                break
            total = total + x if z & 3 == 0 else total ^ w if z & 3 == 1 else \
                total - int(texels[0, step, step, 0])
        expected.append(total)
    np.testing.assert_array_equal(m.read(out, np.int32, 200), expected)


def test_blur_with_a_tile_in_local_memory(images, m, rng):
    """A separable filter with clamped edges, as image processing libraries write it."""
    images.need(D2, RGBA_FLOAT, MF.READ_ONLY)
    program = images.program("""
        constant float weights[5] = { 1.0f, 4.0f, 6.0f, 4.0f, 1.0f };
        kernel void blur(read_only image2d_t im, sampler_t s, global float4 *out)
        {
            local float4 tile[12][12];
            int2 l = (int2)(get_local_id(0), get_local_id(1));
            int2 corner = (int2)(get_group_id(0), get_group_id(1)) * 8 - 2;
            for (int y = l.y; y < 12; y += 8)
                for (int x = l.x; x < 12; x += 8)
                    tile[y][x] = read_imagef(im, s, corner + (int2)(x, y));
            barrier(CLK_LOCAL_MEM_FENCE);
            float4 sum = 0;
            for (int y = 0; y < 5; y++)
                for (int x = 0; x < 5; x++) sum += weights[y] * weights[x] * tile[l.y + y][l.x + x];
            out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum / 256.0f;
        }""")
    texels = rng.integers(0, 256, (1, 24, 32, 4)).astype(np.float32)
    out = m.empty(texels.nbytes)
    program.blur(m.queue, (32, 24), (8, 8), images.create(D2, RGBA_FLOAT, texels=texels),
                 images.sampler("CLAMP_TO_EDGE"), out)
    padded = np.pad(texels[0].astype(np.float64), ((2, 2), (2, 2), (0, 0)), "edge")
    weights, expected = [1, 4, 6, 4, 1], 0
    for y in range(5):
        for x in range(5):
            expected = expected + weights[y] * weights[x] * padded[y:y + 24, x:x + 32]
    np.testing.assert_allclose(m.read(out, np.float32, (24, 32, 4)), expected / 256, rtol=1e-6)


def test_transposition_without_a_buffer(images, m, rng):
    """From image to image, through OpenCL C's vectors."""
    images.need(D2, RGBA_BYTES, MF.READ_ONLY)
    images.need(D2, RGBA_BYTES, MF.WRITE_ONLY)
    program = images.program("""
        kernel void turn(read_only image2d_t from, write_only image2d_t to)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            write_imagef(to, p.yx, read_imagef(from, p).zyxw);
        }""")
    texels = RGBA_BYTES.random(rng, (1, 13, 40))
    target = images.create(D2, RGBA_BYTES, (1, 40, 13))
    program.turn(m.queue, (40, 13), None, images.create(D2, RGBA_BYTES, texels=texels), target)
    got = images.get(target, RGBA_BYTES, (1, 40, 13))
    np.testing.assert_array_equal(got[0], texels[0].transpose(1, 0, 2)[..., [2, 1, 0, 3]])
