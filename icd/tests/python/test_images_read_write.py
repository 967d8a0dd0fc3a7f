"""Images that one kernel reads and writes (OpenCL C 3.0, __opencl_c_read_write_images)."""

import numpy as np
import pyopencl as cl
import pytest
from image_formats import RGBA_FLOAT, RGBA_INT, RGBA_UINT, Format
from imaging import ALL_TYPES, BUFFER, KINDS, MF, all_coordinates

D2 = KINDS["2d"]
V3 = ("-cl-std=CL3.0",)
EVERY_KIND = pytest.mark.parametrize("kind", [*KINDS.values(), BUFFER], ids=repr)


@pytest.fixture
def both(images):
    """Skips the test where no image is read and written by one kernel."""
    if not images.formats(D2, MF.KERNEL_READ_AND_WRITE) or not images.m.device.max_read_write_image_args:
        pytest.skip("no read_write images")
    return images


@EVERY_KIND
@pytest.mark.parametrize("channel_type", ALL_TYPES)
def test_every_format(both, rng, kind, channel_type):
    """Read and written as read_write arguments."""
    images = both
    if kind.axes == 3:
        images.need_3d_writes()
    at = all_coordinates(kind.shape)
    for form in images.formats_of(kind, channel_type, MF.KERNEL_READ_AND_WRITE):
        texels = form.random(rng, kind.shape)
        buffer = images.m.buffer(texels) if kind is BUFFER else None
        image = images.create(kind, form, kind.shape, texels=None if buffer else texels, buffer=buffer)
        form.check_read(images.fetch_all(image, kind, form, access="read_write"), texels)
        new = form.random(rng, (len(at),))
        colours = form.decode(new).astype(form.value)
        images.store(image, kind, form, at, colours, access="read_write")
        form.check_store(images.get(image, form, kind.shape).reshape(-1, form.channels), colours)


@EVERY_KIND
def test_in_place(both, rng, kind):
    images, form = both, RGBA_INT
    images.need(kind, form, MF.KERNEL_READ_AND_WRITE)
    pragma = "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n" if kind.axes == 3 else ""
    program = images.program(f"""{pragma}
        int4 square(read_write {kind.c_type} im, int4 c)
        {{ int4 v = read_imagei(im, {kind.coordinate}); return v * v - c; }}
        kernel void k(read_write {kind.c_type} im, global const int4 *at)
        {{ int4 c = at[get_global_id(0)]; write_imagei(im, {kind.coordinate}, square(im, c)); }}""", V3)
    texels, at = rng.integers(-1000, 1000, (*kind.shape, 4), np.int32), all_coordinates(kind.shape)
    buffer = images.m.buffer(texels) if kind is BUFFER else None
    image = images.create(kind, form, kind.shape, texels=None if buffer else texels, buffer=buffer)
    program.k(images.m.queue, (len(at),), None, image, images.m.buffer(at))
    expected = texels * texels - at.reshape(texels.shape)
    np.testing.assert_array_equal(images.get(image, form, kind.shape), expected)


def test_a_work_item_reads_what_it_wrote(both):
    """Behind a fence, by the memory model of images."""
    images = both
    images.need(D2, RGBA_INT, MF.KERNEL_READ_AND_WRITE)
    program = images.program("""
        kernel void k(read_write image2d_t im, int n)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            write_imagei(im, p, (int4)(0, 1, p.x, p.y));
            for (int i = 0; i < n; i++) {
                atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
                int4 v = read_imagei(im, p);
                write_imagei(im, p, (int4)(v.y, v.x + v.y, v.zw));
            }
        }""", V3)
    image = images.create(D2, RGBA_INT)
    program.k(images.m.queue, (17, 11), None, image, np.int32(20))
    y, x = np.indices((11, 17))
    expected = np.stack([0 * x + 6765, 0 * x + 10946, x, y], -1)
    np.testing.assert_array_equal(images.get(image, RGBA_INT, D2.shape)[0], expected)


def test_a_work_group_shares_an_image(both, rng):
    """A scan of every row by a group, with a barrier for images between the steps."""
    images, form = both, Format("R", "UNSIGNED_INT32")
    images.need(D2, form, MF.KERNEL_READ_AND_WRITE)
    program = images.program("""
        kernel void k(read_write image2d_t im)
        {
            int x = get_local_id(0), y = get_group_id(0), n = get_local_size(0);
            for (int step = 1; step < n; step *= 2) {
                uint add = x >= step ? read_imageui(im, (int2)(x - step, y)).x : 0;
                uint here = read_imageui(im, (int2)(x, y)).x;
                work_group_barrier(CLK_IMAGE_MEM_FENCE);
                write_imageui(im, (int2)(x, y), (uint4)(here + add, 0, 0, 0));
                work_group_barrier(CLK_IMAGE_MEM_FENCE);
            }
        }""", V3)
    texels = rng.integers(0, 1000, (1, 30, 64, 1)).astype(np.uint32)
    image = images.create(D2, form, texels=texels)
    program.k(images.m.queue, (64 * 30,), (64,), image)
    np.testing.assert_array_equal(images.get(image, form, texels.shape), texels.cumsum(2, dtype=np.uint32))


def test_beside_images_of_one_direction(both, rng):
    images = both
    images.need(D2, RGBA_UINT, MF.KERNEL_READ_AND_WRITE)
    program = images.program("""
        kernel void k(read_only image2d_t a, read_write image2d_t b, write_only image2d_t c, sampler_t s)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            uint4 v = read_imageui(b, p);
            write_imageui(c, p, v);
            write_imageui(b, p, v + read_imageui(a, s, p + 1));
        }""", V3)
    a, b = (RGBA_UINT.random(rng, D2.shape) for _ in range(2))
    first, second = (images.create(D2, RGBA_UINT, texels=t) for t in (a, b))
    third = images.create(D2, RGBA_UINT)
    program.k(images.m.queue, (17, 11), None, first, second, third, images.sampler("CLAMP"))
    padded = np.pad(a, ((0, 0), (0, 1), (0, 1), (0, 0)))[:, 1:, 1:]
    np.testing.assert_array_equal(images.get(third, RGBA_UINT, D2.shape), b)
    np.testing.assert_array_equal(images.get(second, RGBA_UINT, D2.shape), b + padded)


def test_many_launches_in_place(both):
    """Each sees what the one before it wrote."""
    images = both
    images.need(D2, RGBA_FLOAT, MF.KERNEL_READ_AND_WRITE)
    kernel = cl.Kernel(images.program("""
        kernel void k(read_write image2d_t im)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            float4 v = read_imagef(im, p);
            write_imagef(im, p, (float4)(v.x + 1, v.y + v.x, v.z, v.w));
        }""", V3), "k")
    image = images.create(D2, RGBA_FLOAT, texels=np.zeros((*D2.shape, 4), np.float32))
    for _ in range(100):
        kernel(images.m.queue, (17, 11), None, image)
    expected = np.broadcast_to(np.float32([100, 4950, 0, 0]), (*D2.shape, 4))
    np.testing.assert_array_equal(images.get(image, RGBA_FLOAT, D2.shape), expected)
