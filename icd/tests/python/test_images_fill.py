"""clEnqueueFillImage: every format, parts of every kind, what lies around them."""

import numpy as np
import pyopencl as cl
import pytest
from image_formats import RGBA_BYTES, RGBA_UINT
from imaging import ALL_TYPES, BUFFER, KINDS, MF, region_of

EVERY_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=repr)


def fill(images, image, form, colour, origin, shape):
    """The colour is one float of depth images, else four numbers."""
    words = np.array(colour, form.value)[:1 if form.is_depth else 4]
    cl.enqueue_fill_image(images.m.queue, image, np.ascontiguousarray(words), origin, region_of(shape))


@EVERY_KIND
@pytest.mark.parametrize("channel_type", ALL_TYPES)
def test_every_format(images, rng, kind, channel_type):
    """Converted as a kernel's writes are, saturation included."""
    colours = {"f": [(0.25, 0.5, 0.75, 1), (-2, -0.4, 0.1, 3)], "i": [(1, -2, 3, -4), (300, -300, 70000, -70000)],
               "ui": [(1, 2, 3, 4), (300, 70000, 2 ** 32 - 1, 0)]}
    for form in images.formats_of(kind, channel_type, MF.READ_WRITE):
        if form.is_srgb and "cl_khr_srgb_image_writes" not in images.extensions:
            continue
        image = images.create(kind, form)
        for colour in colours[form.suffix]:
            fill(images, image, form, colour, (0, 0, 0), kind.shape)
            got = images.get(image, form, kind.shape).reshape(-1, form.channels)
            form.check_store(got, np.broadcast_to(np.array(colour, form.value), (len(got), 4)))


@EVERY_KIND
def test_parts(images, rng, kind):
    images.need(kind, RGBA_UINT)
    texels = RGBA_UINT.random(rng, kind.shape)
    image = images.create(kind, RGBA_UINT, texels=texels)
    for turn in range(10):
        low = [int(rng.integers(0, n)) for n in kind.shape]
        size = [int(rng.integers(1, n - a + 1)) for n, a in zip(kind.shape, low)]
        colour = rng.integers(0, 2 ** 32, 4).astype(np.uint32)
        fill(images, image, RGBA_UINT, colour, tuple(reversed(low)), size)
        texels[tuple(slice(a, a + n) for a, n in zip(low, size))] = colour
    np.testing.assert_array_equal(images.get(image, RGBA_UINT, kind.shape), texels)


def test_a_view_of_a_buffer(images, m, rng):
    images.need(BUFFER, RGBA_BYTES)
    data = rng.integers(0, 256, (61, 4), np.uint8)
    buffer = m.buffer(data)
    view = images.create(BUFFER, RGBA_BYTES, buffer=buffer)
    fill(images, view, RGBA_BYTES, (1, 0, 0.2, 0.4), (7, 0, 0), (1, 1, 20))
    data[7:27] = [255, 0, 51, 102]
    np.testing.assert_array_equal(m.read(buffer, np.uint8, data.shape), data)


def test_between_launches(images, m):
    """The order of a queue holds between fills, launches and reads."""
    kind = KINDS["2d"]
    images.need(kind, RGBA_UINT)
    program = images.program("""
        kernel void k(read_only image2d_t im, global uint *sum)
        { int i = get_global_id(0); sum[i] += read_imageui(im, (int2)(i, 1)).y; }""")
    image, sums = images.create(kind, RGBA_UINT), m.buffer(np.zeros(17, np.uint32))
    kernel = cl.Kernel(program, "k")
    for value in range(50):
        fill(images, image, RGBA_UINT, (0, value, 0, 0), (0, 0, 0), (1, 11, 5 + value % 13))
        kernel(m.queue, (17,), None, image, sums)
    row, expected = np.zeros(17, int), np.zeros(17, int)
    for value in range(50):
        row[:5 + value % 13] = value
        expected += row
    # What no fill has reached yet is undefined; all of it has been by the thirteenth.
    np.testing.assert_array_equal(m.read(sums, np.uint32, 5), expected[:5])
