"""Kernels write images: every kind, order and type; conversions, saturation, many images."""

import numpy as np
import pyopencl as cl
import pytest
from conftest import DRIVER
from image_formats import RGBA_BYTES, RGBA_FLOAT, RGBA_INT, RGBA_UINT, Format
from imaging import ALL_TYPES, KINDS, MF, all_coordinates

D2 = KINDS["2d"]


def colours_for(form, rng, count):
    """Colours that reach beyond what the format holds, and a few of its seams."""
    if form.suffix == "f":
        values = rng.uniform(-1.5, 1.5, (count, 4)).astype(np.float32)
        seams = [0, 1, -1, 0.5, -0.5, 2, -2, 1e30, -1e30, -0.0, 1 / 255, 0.5 / 255, 1 / 65535]
    elif form.suffix == "i":
        values = rng.integers(-2 ** 31, 2 ** 31, (count, 4)).astype(np.int32)
        values[::2] >>= 20
        seams = [0, -1, 127, 128, -128, -129, 32767, 32768, -32768, -32769, 2 ** 31 - 1, -2 ** 31]
    else:
        values = rng.integers(0, 2 ** 32, (count, 4)).astype(np.uint32)
        values[::2] >>= np.uint32(20)
        seams = [0, 1, 127, 128, 255, 256, 65535, 65536, 2 ** 31, 2 ** 32 - 1]
    if form.type == "HALF_FLOAT":
        seams = [s for s in seams if abs(s) < 60000]
    flat = values.reshape(-1)
    seams = np.array(seams).astype(form.value)[:flat.size]
    flat[:seams.size] = seams
    return values


def need_writes(images, kind):
    if kind.axes == 3:
        images.need_3d_writes()


@pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
@pytest.mark.parametrize("channel_type", ALL_TYPES)
def test_every_format_of_every_kind(images, rng, kind, channel_type):
    """All texels in a random order; then the host and a kernel read them."""
    need_writes(images, kind)
    at = rng.permutation(all_coordinates(kind.shape))
    readable = {repr(f) for f in images.formats(kind, MF.READ_WRITE)}
    for form in images.formats_of(kind, channel_type, MF.WRITE_ONLY):
        colours = colours_for(form, rng, len(at))
        flags = MF.READ_WRITE if repr(form) in readable else MF.WRITE_ONLY
        image = images.create(kind, form, flags=flags)
        images.store(image, kind, form, at, colours)
        texels = images.get(image, form, kind.shape)
        form.check_store(texels[at[:, 2], at[:, 1], at[:, 0]], colours)
        if repr(form) in readable:
            form.check_read(images.fetch_all(image, kind, form), texels)


@pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
def test_what_is_not_written_stays(images, rng, kind):
    need_writes(images, kind)
    images.need(kind, RGBA_UINT)
    texels = RGBA_UINT.random(rng, kind.shape)
    image = images.create(kind, RGBA_UINT, texels=texels)
    at = rng.permutation(all_coordinates(kind.shape))[::3]
    colours = RGBA_UINT.random(rng, (len(at),))
    images.store(image, kind, RGBA_UINT, at, colours)
    texels[at[:, 2], at[:, 1], at[:, 0]] = colours
    np.testing.assert_array_equal(images.get(image, RGBA_UINT, kind.shape), texels)


@pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
def test_writes_outside_touch_nothing(images, rng, kind):
    """Undefined by the specification; no neighbour may suffer all the same."""
    if not images.m.is_hekla:
        pytest.skip("nothing is promised of this")
    need_writes(images, kind)
    images.need(kind, RGBA_UINT)
    texels = RGBA_UINT.random(rng, kind.shape)
    some = [images.create(kind, RGBA_UINT, texels=texels) for _ in range(3)]
    far = [-2 ** 31, -65536, -5, -1, 64, 65536, 2 ** 31 - 1]
    at = np.array([(x, y, z, 0) for x in far for y in [*far, 0] for z in [*far, 0]], np.int64)
    used = np.arange(4) < kind.axes + kind.layered
    images.store(some[1], kind, RGBA_UINT, (at * used).astype(np.int32), np.ones((len(at), 4), np.uint32))
    for image in some:
        np.testing.assert_array_equal(images.get(image, RGBA_UINT, kind.shape), texels)


@pytest.mark.parametrize("channel_type", ["UNORM_INT8", "UNORM_INT16", "SNORM_INT8", "SNORM_INT16"])
def test_every_value_of_normalized_integers_comes_back(images, channel_type):
    """Each value's float, and the floats a third of a step on both sides of it."""
    form = Format("RGBA", channel_type)
    images.need(D2, form, MF.WRITE_ONLY)
    limits = np.iinfo(form.dtype)
    values = np.arange(max(limits.min, -limits.max), limits.max + 1)
    values = np.concatenate([values, [0] * (-len(values) % 64)])
    shape = (1, len(values) // 64, 16)
    for step in (-1 / 3, 0, 1 / 3):
        colours = ((values + step) / form.scale).astype(np.float32).reshape(-1, 4)
        image = images.create(D2, form, shape)
        images.store(image, D2, form, all_coordinates(shape), colours)
        got = images.get(image, form, shape).reshape(-1)
        np.testing.assert_array_equal(got, np.clip(values, limits.min, limits.max))


@pytest.mark.parametrize("channel_type", ["UNORM_INT8", "UNORM_INT16", "SNORM_INT8", "SNORM_INT16"])
def test_no_number_and_infinity_in_normalized_integers(images, channel_type):
    form = Format("RGBA", channel_type)
    images.need(D2, form, MF.WRITE_ONLY)
    image = images.create(D2, form, (1, 1, 1))
    colour = np.array([[np.nan, np.inf, -np.inf, -np.nan]], np.float32)
    images.store(image, D2, form, [[0, 0, 0, 0]], colour)
    got = images.get(image, form, (1, 1, 1)).ravel()
    assert got[1] == form.scale
    # Both of the smallest numbers of a signed type stand for -1.
    assert got[2] in ((0,) if form.type[0] == "U" else (-form.scale, -form.scale - 1))
    if images.m.is_hekla:
        # "NaN should be converted to 0" of conversions with saturation.
        assert got[0] == got[3] == 0


def test_halves(images, rng):
    """Rounding, what is too large or too small, infinities and NaNs."""
    form = Format("RGBA", "HALF_FLOAT")
    images.need(D2, form, MF.WRITE_ONLY)
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
    halves = halves[np.isfinite(halves) & (np.abs(halves) >= 2.0 ** -14)]
    between = (halves * rng.uniform(1 - 2.0 ** -10, 1 + 2.0 ** -10, halves.size)).astype(np.float32)
    between = np.where((np.abs(between) < 2.0 ** -14) | (np.abs(between) > 65504), halves, between)
    special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 65504, -65504, 1], np.float32)
    if DRIVER == "swiftshader":
        # SwiftShader stores infinities as NaN, and carries of NaN reach into the component beside it.
        special = special[np.isfinite(special)]
    values = np.concatenate([special, between, halves])
    values = np.concatenate([values, np.zeros(-len(values) % 64, np.float32)]).reshape(-1, 4)
    shape = (1, len(values) // 16, 16)
    image = images.create(D2, form, shape)
    images.store(image, D2, form, all_coordinates(shape), values)
    got = images.get(image, form, shape).reshape(-1, 4)
    form.check_store(got, values)
    np.testing.assert_array_equal(got.ravel()[-halves.size:][:100], values.ravel()[-halves.size:][:100])


def test_write_imageh(images, m, rng):
    if "cl_khr_fp16" not in images.extensions:
        pytest.skip("no half")
    form = Format("RGBA", "HALF_FLOAT")
    images.need(D2, form)
    program = images.program("""
        #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void k(write_only image2d_t im, global const half4 *in)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            write_imageh(im, p, in[p.y * 17 + p.x]);
        }""")
    texels, image = form.random(rng, D2.shape), images.create(D2, form)
    program.k(m.queue, (17, 11), None, image, m.buffer(texels))
    np.testing.assert_array_equal(images.get(image, form, D2.shape), texels)


def test_floats_of_any_bits(images, rng):
    images.need(D2, RGBA_FLOAT, MF.WRITE_ONLY)
    values = rng.integers(0, 1 << 32, (256, 4), np.uint64).astype(np.uint32).view(np.float32)
    values[0] = [np.inf, -np.inf, np.nan, -0.0]
    values = np.where(np.abs(values) < 1e-37, np.float32(0), values)
    image = images.create(D2, RGBA_FLOAT, (1, 16, 16))
    images.store(image, D2, RGBA_FLOAT, all_coordinates((1, 16, 16)), values)
    np.testing.assert_array_equal(images.get(image, RGBA_FLOAT, (1, 16, 16)).reshape(-1, 4), values)


def test_srgb_writes(images, rng):
    if "cl_khr_srgb_image_writes" not in images.extensions:
        pytest.skip("no writes of sRGB")
    for form in images.formats(D2, MF.WRITE_ONLY):
        if form.is_srgb:
            at = all_coordinates((1, 32, 32))
            colours = np.concatenate([rng.uniform(-0.1, 1.1, (512, 4)), rng.uniform(0, 0.01, (512, 4))])
            # Alpha halfway between bytes, too: its even neighbour is stored.
            colours[:255, 3] = (np.arange(255) + 0.5) / 255
            colours = colours.astype(np.float32)
            image = images.create(D2, form, (1, 32, 32), flags=MF.WRITE_ONLY)
            images.store(image, D2, form, at, colours)
            got = images.get(image, form, (1, 32, 32)).reshape(-1, form.channels)
            form.check_store(got, colours)
            alpha = np.rint(np.clip(colours[:, 3], 0, 1) * np.float32(255))
            np.testing.assert_array_equal(got[:, 3], alpha)


@pytest.mark.parametrize("order", ["RGBA", "BGRA", "ARGB", "ABGR", "A", "R", "RG", "RA", "LUMINANCE", "INTENSITY"])
def test_where_each_order_puts_its_components(images, order):
    form = Format(order, "UNORM_INT8")
    images.need(D2, form)
    image = images.create(D2, form, (1, 1, 1))
    images.store(image, D2, form, [[0, 0, 0, 0]], np.array([[10, 20, 30, 40]], np.float32) / 255)
    value = {"R": 10, "G": 20, "B": 30, "A": 40}
    np.testing.assert_array_equal(images.get(image, form, (1, 1, 1)).ravel(), [value[c] for c in form.stored])
    got = images.fetch_all(image, D2, form, (1, 1, 1)).ravel() * 255
    constant = {"0": 0, "1": 255}
    np.testing.assert_allclose(got, [{**value, **constant}[c] for c in form.read], rtol=1e-6)


@pytest.mark.parametrize("count", [8, 64])
def test_one_kernel_writes_many_images(images, m, count):
    """As many as the full profile asks for, and what drivers of desktops have."""
    images.need(D2, RGBA_INT)
    assert m.device.max_write_image_args >= 8
    if count > m.device.max_write_image_args:
        pytest.skip("no more than 8")
    arguments = ", ".join(f"write_only image2d_t i{i}" for i in range(count))
    writes = " ".join(f"write_imagei(i{i}, (int2)(x, 0), (int4)(x, {i}, x * {i}, -1));" for i in range(count))
    program = images.program(f"kernel void k({arguments}) {{ int x = get_global_id(0); {writes} }}")
    some = [images.create(D2, RGBA_INT, (1, 1, 8)) for _ in range(count)]
    program.k(m.queue, (8,), None, *some)
    x = np.arange(8)
    for i, image in enumerate(some):
        expected = np.stack([x, 0 * x + i, x * i, 0 * x - 1], -1)
        np.testing.assert_array_equal(images.get(image, RGBA_INT, (1, 1, 8))[0, 0], expected)


def test_launches_write_and_read_by_turns(images, m, rng):
    """A game of life in two images, each of them written in every other step."""
    form = Format("R", "UNSIGNED_INT8")
    images.need(D2, form)
    kernel = cl.Kernel(images.program("""
        constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
        kernel void live(read_only image2d_t from, write_only image2d_t to)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            uint n = 0, here = read_imageui(from, s, p).x;
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++) n += read_imageui(from, s, p + (int2)(x, y)).x;
            n -= here;
            write_imageui(to, p, (uint4)(n == 3 || (n == 2 && here), 0, 0, 0));
        }"""), "live")
    cells = rng.integers(0, 2, (40, 50), np.uint8)
    images_of_both = [images.create(D2, form, texels=cells[None, ..., None]), images.create(D2, form, (1, 40, 50))]
    for step in range(30):
        kernel(m.queue, (50, 40), None, images_of_both[step & 1], images_of_both[step & 1 ^ 1])
        padded = np.pad(cells.astype(int), 1)
        n = sum(padded[y:y + 40, x:x + 50] for y in range(3) for x in range(3)) - cells
        cells = ((n == 3) | ((n == 2) & (cells == 1))).astype(np.uint8)
    np.testing.assert_array_equal(images.get(images_of_both[0], form, (1, 40, 50))[0, ..., 0], cells)


def test_writes_in_divergent_control_flow(images, m):
    images.need(D2, RGBA_INT)
    program = images.program("""
        void mark(write_only image2d_t im, int2 p, int v) { write_imagei(im, p, (int4)(v, v + 1, v + 2, v + 3)); }
        kernel void k(write_only image2d_t a, write_only image2d_t b, int n)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            for (int i = 0; i < n; i++) {
                if ((p.x + p.y + i) % 5 == 0) { mark(p.x & 1 ? a : b, p, 10 * i); return; }
                if (p.x == 3 && i == 1) break;
            }
            mark(a, p, -1);
        }""".replace("mark(p.x & 1 ? a : b, p, 10 * i);",
                     "if (p.x & 1) mark(a, p, 10 * i); else mark(b, p, 10 * i);"))
    a, b = (images.create(D2, RGBA_INT, texels=np.zeros((1, 11, 17, 4), np.int32)) for _ in range(2))
    program.k(m.queue, (17, 11), None, a, b, np.int32(4))
    expected = np.zeros((2, 11, 17), np.int32)
    written = np.zeros((2, 11, 17), bool)
    for y in range(11):
        for x in range(17):
            target, value = 0, -1
            for i in range(4):
                if (x + y + i) % 5 == 0:
                    target, value = 0 if x & 1 else 1, 10 * i
                    break
                if x == 3 and i == 1:
                    break
            expected[target, y, x], written[target, y, x] = value, True
    full = (expected[..., None] + np.arange(4)) * written[..., None]
    for image, right in zip((a, b), full):
        np.testing.assert_array_equal(images.get(image, RGBA_INT, (1, 11, 17))[0], right)


def test_a_picture_by_every_group(images, m):
    """Work-groups of many shapes, and more items than texels."""
    images.need(D2, RGBA_BYTES)
    kernel = cl.Kernel(images.program("""
        kernel void k(write_only image2d_t im)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1)), n = get_image_dim(im);
            if (any(p >= n)) return;
            write_imagef(im, p, (float4)(p.x, p.y, get_local_id(0), 255.0f) / 255.0f);
        }"""), "k")
    for local in [(1, 1), (8, 8), (64, 1), (2, 32)]:
        size = [-(-n // l) * l for n, l in zip((50, 33), local)]
        image = images.create(D2, RGBA_BYTES, (1, 33, 50))
        kernel(m.queue, size, local, image)
        y, x = np.indices((33, 50))
        expected = np.stack([x, y, x % local[0], 0 * x + 255], -1)
        np.testing.assert_array_equal(images.get(image, RGBA_BYTES, (1, 33, 50))[0], expected)
