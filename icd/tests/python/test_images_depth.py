"""Depth images: one number for a texel (cl_khr_depth_images)."""

import numpy as np
import pyopencl as cl
import pytest
from image_formats import Format
from image_sampling import CLAMP, EDGE, sample
from imaging import EXACT_FILTERS, KINDS, MF, all_coordinates

DEPTHS = [Format("DEPTH", "FLOAT"), Format("DEPTH", "UNORM_INT16")]
EVERY = pytest.mark.parametrize("kind, form", [(KINDS[k], f) for k in ("2d", "2d_array") for f in DEPTHS], ids=repr)


def texels_of(form, rng, shape):
    """Depths between zero and one."""
    if form.is_float:
        return rng.uniform(0, 1, (*shape, 1)).astype(np.float32)
    return form.random(rng, shape)


@pytest.fixture
def depths(images):
    if "cl_khr_depth_images" not in images.extensions:
        pytest.skip("no depth images")
    return images


@EVERY
def test_reads(depths, rng, kind, form):
    """Without a sampler, with integers and floats; the border is zero."""
    images = depths
    images.need(kind, form, MF.READ_ONLY)
    texels, at = texels_of(form, rng, kind.shape), all_coordinates(kind.shape)
    image = images.create(kind, form, texels=texels, flags=MF.READ_ONLY)
    form.check_read(images.fetch_all(image, kind, form), texels)
    form.check_read(images.sample(image, kind, form, at, images.sampler(EDGE)), texels.reshape(-1, 1))
    outside = (at[:50] - [1, 0, 0, 0]).astype(np.int32)
    got = images.sample(image, kind, form, outside, images.sampler(CLAMP))
    expected = sample(form.decode(texels), outside, CLAMP, axes=2, layered=kind.layered)[:, 0]
    np.testing.assert_allclose(got, expected, rtol=2e-7)


@EVERY
def test_linear(depths, rng, kind, form):
    images = depths
    images.need(kind, form, MF.READ_ONLY)
    texels = texels_of(form, rng, kind.shape)
    image = images.create(kind, form, texels=texels, flags=MF.READ_ONLY)
    coords = rng.uniform(-2, 18, (200, 4)).astype(np.float32)
    coords[:, 2] = rng.integers(0, 4, 200) if kind.layered else 0
    got = images.sample(image, kind, form, coords, images.sampler(EDGE, linear=True))
    expected = sample(form.decode(texels), coords, EDGE, True, axes=2, layered=kind.layered)[:, 0]
    np.testing.assert_allclose(got, expected, atol=1e-4 if EXACT_FILTERS else 1 / 64)


@EVERY
def test_writes(depths, rng, kind, form):
    """Saturated where depths are normalized integers."""
    images = depths
    images.need(kind, form, MF.WRITE_ONLY)
    at = rng.permutation(all_coordinates(kind.shape))
    colours = np.zeros((len(at), 4), np.float32)
    colours[:, 0] = rng.uniform(*((0, 1) if form.is_float else (-0.5, 1.5)), len(at))
    image = images.create(kind, form)
    images.store(image, kind, form, at, colours)
    texels = images.get(image, form, kind.shape)
    form.check_store(texels[at[:, 2], at[:, 1], at[:, 0]], colours)


@EVERY
def test_transfers(depths, m, rng, kind, form):
    """Read, written, copied, filled and mapped like images of one component."""
    images = depths
    images.need(kind, form)
    texels = texels_of(form, rng, kind.shape)
    first, second = images.create(kind, form, texels=texels), images.create(kind, form)
    region = tuple(reversed(kind.shape))
    images.copy(first, second, (0, 0, 0), (0, 0, 0), region)
    np.testing.assert_array_equal(images.get(second, form, kind.shape), texels)
    cl.enqueue_fill_image(m.queue, second, np.float32([0.25]), (1, 2, 0), (3, 4, 1))
    got = images.get(second, form, kind.shape)
    form.check_store(got[:1, 2:6, 1:4].reshape(-1, 1), np.full((12, 4), 0.25))
    got[:1, 2:6, 1:4] = texels[:1, 2:6, 1:4]
    np.testing.assert_array_equal(got, texels)
    with images.mapped(first, kind, form, cl.map_flags.READ, (1, 1, 0), (1, 3, 4)) as (view, _, _):
        np.testing.assert_array_equal(view, texels[:1, 1:4, 1:5])


def test_through_functions(depths, m, rng):
    """Percentage-closer filtering, as shadow maps are read."""
    images, form, kind = depths, DEPTHS[0], KINDS["2d"]
    images.need(kind, form, MF.READ_ONLY)
    program = images.program("""
        #ifdef cl_khr_depth_images
        #pragma OPENCL EXTENSION cl_khr_depth_images : enable
        #endif
        float depth(read_only image2d_depth_t im, sampler_t s, int2 p) { return read_imagef(im, s, p); }
        kernel void k(read_only image2d_depth_t im, sampler_t s, float limit, global float *out)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            float lit = 0;
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++) lit += depth(im, s, p + (int2)(x, y)) < limit ? 1 : 0;
            out[p.y * get_image_width(im) + p.x] = lit;
        }""", ("-cl-std=CL3.0",))
    texels = texels_of(form, rng, kind.shape)
    out = m.empty(4 * 17 * 11)
    program.k(m.queue, (17, 11), None, images.create(kind, form, texels=texels), images.sampler(EDGE),
              np.float32(0.5), out)
    padded = np.pad(texels[0, ..., 0], 1, "edge") < 0.5
    expected = sum(padded[y:y + 11, x:x + 17].astype(int) for y in range(3) for x in range(3))
    np.testing.assert_array_equal(m.read(out, np.float32, (11, 17)), expected)


def test_order_and_type_in_a_kernel(depths, m):
    images, kind = depths, KINDS["2d"]
    program = images.program("""
        #ifdef cl_khr_depth_images
        #pragma OPENCL EXTENSION cl_khr_depth_images : enable
        #endif
        kernel void k(read_only image2d_depth_t im, global int *out)
        {
            out[0] = get_image_width(im); out[1] = get_image_height(im);
            out[2] = get_image_channel_order(im) == CLK_DEPTH; out[3] = get_image_channel_data_type(im);
            out[4] = get_image_dim(im).y;
        }""", ("-cl-std=CL3.0",))
    for form in DEPTHS:
        images.need(kind, form, MF.READ_ONLY)
        out = m.empty(20)
        program.k(m.queue, (1,), None, images.create(kind, form), out)
        np.testing.assert_array_equal(m.read(out, np.int32, 5), [17, 11, 1, form.cl.channel_data_type, 11])
