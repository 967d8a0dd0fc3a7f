"""Images that are views of buffers: image1d_buffer_t, and 2D images where the device has them."""

import numpy as np
import pyopencl as cl
import pytest
from image_formats import RGBA_BYTES, RGBA_FLOAT, RGBA_UINT, Format
from imaging import ALL_TYPES, BUFFER, KINDS, MF, all_coordinates

D2 = KINDS["2d"]


def view_of(images, form, texels, flags=MF.READ_WRITE):
    buffer = images.m.buffer(texels)
    return buffer, images.create(BUFFER, form, texels.shape[:3], buffer=buffer, flags=flags)


@pytest.mark.parametrize("channel_type", ALL_TYPES)
def test_every_format_is_read(images, rng, channel_type):
    for form in images.formats_of(BUFFER, channel_type, MF.READ_ONLY):
        texels = form.random(rng, BUFFER.shape)
        _, view = view_of(images, form, texels, MF.READ_ONLY)
        form.check_read(images.fetch_all(view, BUFFER, form), texels)


@pytest.mark.parametrize("channel_type", ALL_TYPES)
def test_every_format_is_written(images, m, rng, channel_type):
    """What a kernel writes to the view is in the buffer."""
    at = rng.permutation(all_coordinates(BUFFER.shape))[:40]
    for form in images.formats_of(BUFFER, channel_type, MF.WRITE_ONLY):
        texels = form.random(rng, BUFFER.shape)
        buffer, view = view_of(images, form, texels, MF.WRITE_ONLY)
        if form.suffix == "f":
            colours = rng.uniform(-1.5, 1.5, (len(at), 4)).astype(np.float32)
        else:
            colours = rng.integers(-300 if form.suffix == "i" else 0, 300, (len(at), 4)).astype(form.value)
        images.store(view, BUFFER, form, at, colours)
        got = m.read(buffer, form.dtype, texels.shape)
        form.check_store(got[0, 0, at[:, 0]], colours)
        rest = np.setdiff1d(np.arange(BUFFER.shape[2]), at[:, 0])
        np.testing.assert_array_equal(got[0, 0, rest], texels[0, 0, rest])


def test_launches_use_buffer_and_view_by_turns(images, m):
    """One kernel writes the buffer, another reads the view and writes it, and so on."""
    images.need(BUFFER, RGBA_UINT)
    program = images.program("""
        kernel void by_pointer(global uint4 *a) { size_t i = get_global_id(0); a[i] = a[i] * 3 + (uint4)(i, 1, 2, 3); }
        kernel void by_view(read_only image1d_buffer_t from, write_only image1d_buffer_t to)
        { int i = get_global_id(0), n = get_global_size(0); write_imageui(to, i, read_imageui(from, n - 1 - i) + 5); }
        kernel void back(read_only image1d_buffer_t from, global uint4 *a)
        { int i = get_global_id(0); a[i] = read_imageui(from, i); }""")
    n = 1000
    a = np.arange(4 * n, dtype=np.uint32).reshape(n, 4)
    both = [m.buffer(a), m.empty(a.nbytes)]
    views = [images.create(BUFFER, RGBA_UINT, (1, 1, n), buffer=b) for b in both]
    by_pointer, by_view, back = (cl.Kernel(program, name) for name in ("by_pointer", "by_view", "back"))
    for _ in range(10):
        by_pointer(m.queue, (n,), None, both[0])
        by_view(m.queue, (n,), None, views[0], views[1])
        back(m.queue, (n,), None, views[1], both[0])
        a = a * np.uint32(3) + np.stack([np.arange(n), *(np.full(n, k) for k in (1, 2, 3))], -1).astype(np.uint32)
        a = a[::-1] + np.uint32(5)
    np.testing.assert_array_equal(m.read(both[0], np.uint32, (n, 4)), a)


def test_a_view_and_its_buffer_in_one_launch(images, m, rng):
    """Read through both; each sees the other's memory."""
    images.need(BUFFER, RGBA_UINT)
    program = images.program("""
        kernel void k(read_only image1d_buffer_t im, global const uint4 *a, global uint4 *out)
        { int i = get_global_id(0); out[i] = read_imageui(im, i) - a[i ^ 1]; }""")
    a = rng.integers(0, 2 ** 32, (64, 4)).astype(np.uint32)
    buffer, out = m.buffer(a), m.empty(a.nbytes)
    program.k(m.queue, (64,), None, images.create(BUFFER, RGBA_UINT, (1, 1, 64), buffer=buffer), buffer, out)
    np.testing.assert_array_equal(m.read(out, np.uint32, a.shape), a - a[np.arange(64) ^ 1])


def test_a_view_of_a_sub_buffer(images, m, rng):
    images.need(BUFFER, RGBA_FLOAT)
    align = max(m.device.mem_base_addr_align // 8, 256)
    a = rng.standard_normal((2 * align + 1024) // 4).astype(np.float32)
    parent = m.buffer(a)
    part = parent.get_sub_region(align, 1024)
    view = images.create(BUFFER, RGBA_FLOAT, (1, 1, 64), buffer=part)
    expected = a[align // 4:align // 4 + 256].reshape(64, 4)
    np.testing.assert_array_equal(images.fetch_all(view, BUFFER, RGBA_FLOAT, (1, 1, 64))[0, 0], expected)
    images.store(view, BUFFER, RGBA_FLOAT, [[3, 0, 0, 0]], np.array([[1, 2, 3, 4]], np.float32))
    a[align // 4 + 12:align // 4 + 16] = [1, 2, 3, 4]
    np.testing.assert_array_equal(m.read(parent, np.float32, a.shape), a)


def test_a_view_may_be_shorter_than_its_buffer(images, m, rng):
    images.need(BUFFER, RGBA_BYTES)
    data = rng.integers(0, 256, (50, 4), np.uint8)
    view = images.create(BUFFER, RGBA_BYTES, (1, 1, 20), buffer=m.buffer(data))
    assert view.get_image_info(cl.image_info.WIDTH) == 20
    RGBA_BYTES.check_read(images.fetch_all(view, BUFFER, RGBA_BYTES, (1, 1, 20))[0, 0], data[:20])


def test_a_long_view(images, m):
    """65,536 texels, the least that a full profile offers, and more where there is more."""
    form = Format("R", "UNSIGNED_INT32")
    images.need(BUFFER, form)
    n = min(m.device.image_max_buffer_size, 1 << 20)
    assert n >= 65536
    program = images.program("""
        kernel void k(read_only image1d_buffer_t im, global uint *out)
        { int i = get_global_id(0); out[i] = read_imageui(im, get_image_width(im) - 1 - i).x; }""")
    a = np.arange(n, dtype=np.uint32) * np.uint32(2654435761)
    out = m.empty(4 * n)
    program.k(m.queue, (n,), None, images.create(BUFFER, form, (1, 1, n), buffer=m.buffer(a)), out)
    np.testing.assert_array_equal(m.read(out, np.uint32, n), a[::-1])


def test_the_host_reads_and_writes_a_view(images, m, rng):
    images.need(BUFFER, RGBA_BYTES)
    data = rng.integers(0, 256, (61, 4), np.uint8)
    buffer, view = view_of(images, RGBA_BYTES, data.reshape(1, 1, 61, 4))
    np.testing.assert_array_equal(images.get(view, RGBA_BYTES, (1, 1, 20), (5, 0, 0))[0, 0], data[5:25])
    images.put(view, data[:10].reshape(1, 1, 10, 4), (40, 0, 0))
    data[40:50] = data[:10]
    np.testing.assert_array_equal(m.read(buffer, np.uint8, data.shape), data)
    whole = np.zeros((1, 1, 61, 4), np.uint8)
    cl._cl._enqueue_copy_image_to_buffer(m.queue, view, buffer, (0, 0, 0), (10, 1, 1), 4 * 20)
    images.read(view, whole, (0, 0, 0), (61, 1, 1))
    data[20:30] = data[:10].copy()
    np.testing.assert_array_equal(whole[0, 0], data)


def test_a_view_outlives_the_handle_of_its_buffer(images, m, rng):
    images.need(BUFFER, RGBA_UINT)
    texels = RGBA_UINT.random(rng, BUFFER.shape)
    buffer, view = view_of(images, RGBA_UINT, texels)
    buffer.release()
    other = m.buffer(np.zeros_like(texels))
    np.testing.assert_array_equal(images.fetch_all(view, BUFFER, RGBA_UINT), texels)
    other.release()


@pytest.mark.parametrize("form", [RGBA_BYTES, RGBA_FLOAT, Format("R", "UNSIGNED_INT16")], ids=repr)
def test_2d_images_of_buffers(images, m, rng, form):
    """cl_khr_image2d_from_buffer: rows a pitch apart, read, written and changed behind the image."""
    if "cl_khr_image2d_from_buffer" not in images.extensions:
        pytest.skip("no 2D images of buffers")
    images.need(D2, form)
    # A multiple of every alignment of pitches that drivers ask for.
    width = 256
    data = form.random(rng, (20, width))
    buffer = m.buffer(data)
    row = width * form.texel_size
    image = images.create(D2, form, (1, 20, 33), pitches=(row, 0), buffer=buffer)
    np.testing.assert_array_equal(images.get(image, form, (1, 20, 33))[0], data[:, :33])
    form.check_read(images.fetch_all(image, D2, form, (1, 20, 33))[0], data[:, :33])
    new = form.random(rng, (20, width))
    cl.enqueue_copy(m.queue, buffer, new)
    form.check_read(images.fetch_all(image, D2, form, (1, 20, 33))[0], new[:, :33])
    images.store(image, D2, form, [[32, 19, 0, 0]], np.ones((1, 4), form.value))
    got = m.read(buffer, form.dtype, new.shape)
    new[19, 32] = form.expected_store(np.ones((1, 4)))[0]
    np.testing.assert_array_equal(got, new)
