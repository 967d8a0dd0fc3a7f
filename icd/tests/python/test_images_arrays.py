"""Arrays of images: which layer is read, written and copied."""

import numpy as np
import pytest
from image_formats import RGBA_BYTES, RGBA_FLOAT, RGBA_INT, RGBA_UINT
from imaging import KINDS, MF, all_coordinates

ARRAYS = [KINDS["1d_array"], KINDS["2d_array"]]
EVERY_ARRAY = pytest.mark.parametrize("kind", ARRAYS, ids=repr)


@EVERY_ARRAY
@pytest.mark.parametrize("normalized", [False, True], ids=["texels", "normalized"])
def test_float_layers_are_rounded_and_clamped(images, kind, normalized):
    """layer = clamp(rint(w), 0, layers - 1), halves to even, and never normalized."""
    images.need(kind, RGBA_INT, MF.READ_ONLY)
    layers = kind.layers()
    texels = np.zeros((*kind.shape, 4), np.int32)
    axis = 2 - kind.axes
    texels[...] = np.arange(layers).reshape([-1 if a == axis else 1 for a in range(4)])
    image = images.create(kind, RGBA_INT, texels=texels, flags=MF.READ_ONLY)
    some = [-1e6, -3, -0.6, -0.5, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2.5, 2.75, 3, 3.5, layers - 1, layers, 1e6]
    coords = np.zeros((len(some), 4), np.float32)
    coords[:, kind.axes] = some
    for mode in ("CLAMP_TO_EDGE", "CLAMP"):
        got = images.sample(image, kind, RGBA_INT, coords, images.sampler(mode, normalized=normalized))
        np.testing.assert_array_equal(got[:, 0], np.clip(np.rint(some), 0, layers - 1))


@EVERY_ARRAY
def test_layers_are_not_filtered(images, rng, kind):
    """Linear within a layer only, and the border is beside a layer only."""
    images.need(kind, RGBA_FLOAT, MF.READ_ONLY)
    texels = RGBA_FLOAT.random(rng, kind.shape)
    image = images.create(kind, RGBA_FLOAT, texels=texels, flags=MF.READ_ONLY)
    layers = kind.layers()
    coords = np.zeros((2 * layers, 4), np.float32)
    coords[:, :kind.axes] = 2.5
    coords[:, kind.axes] = np.repeat(np.arange(layers), 2) + np.tile([-0.4, 0.4], layers)
    got = images.sample(image, kind, RGBA_FLOAT, coords, images.sampler("CLAMP", linear=True))
    rows = texels[0, :, 2] if kind.axes == 1 else texels[:, 2, 2]
    np.testing.assert_array_equal(got, np.repeat(rows, 2, 0))


@EVERY_ARRAY
def test_every_layer_is_written_alone(images, rng, kind):
    images.need(kind, RGBA_UINT)
    texels = RGBA_UINT.random(rng, kind.shape)
    image = images.create(kind, RGBA_UINT, texels=texels)
    at = all_coordinates(kind.shape)
    for layer in range(kind.layers()):
        chosen = at[at[:, kind.axes] == layer]
        colours = RGBA_UINT.random(rng, (len(chosen),))
        images.store(image, kind, RGBA_UINT, chosen, colours)
        texels[chosen[:, 2], chosen[:, 1], chosen[:, 0]] = colours
        np.testing.assert_array_equal(images.get(image, RGBA_UINT, kind.shape), texels)


@pytest.mark.parametrize("kind, shape", [(ARRAYS[0], (1, 2048, 3)), (ARRAYS[1], (2048, 2, 3)),
                                         (ARRAYS[0], (1, 1, 5)), (ARRAYS[1], (1, 3, 5))])
def test_one_layer_and_2048(images, rng, kind, shape):
    """As many as the full profile asks for."""
    images.need(kind, RGBA_BYTES)
    assert images.m.device.image_max_array_size >= 2048
    texels = RGBA_BYTES.random(rng, shape)
    image = images.create(kind, RGBA_BYTES, texels=texels)
    RGBA_BYTES.check_read(images.fetch_all(image, kind, RGBA_BYTES, shape), texels)
    np.testing.assert_array_equal(images.get(image, RGBA_BYTES, shape), texels)


@EVERY_ARRAY
def test_layers_are_copied(images, rng, kind):
    """Layers to other layers, several at once."""
    images.need(kind, RGBA_UINT)
    texels = RGBA_UINT.random(rng, kind.shape)
    source, target = images.create(kind, RGBA_UINT, texels=texels), images.create(kind, RGBA_UINT, texels=texels)
    width = kind.shape[2]
    if kind.axes == 1:
        images.copy(source, target, (0, 0, 0), (0, 2, 0), (width, 3, 1))
        expected = np.concatenate([texels[:, :2], texels[:, :3]], 1)
    else:
        images.copy(source, target, (0, 0, 0), (0, 0, 1), (width, kind.shape[1], 3))
        expected = np.concatenate([texels[:1], texels[:3]])
    np.testing.assert_array_equal(images.get(target, RGBA_UINT, kind.shape), expected)


def test_sum_over_layers_in_a_loop(images, m, rng):
    kind = ARRAYS[1]
    images.need(kind, RGBA_INT, MF.READ_ONLY)
    program = images.program("""
        constant sampler_t s = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST | CLK_NORMALIZED_COORDS_FALSE;
        kernel void k(read_only image2d_array_t im, global int4 *out)
        {
            int x = get_global_id(0), y = get_global_id(1), n = get_image_array_size(im);
            int4 sum = 0;
            for (int layer = 0; layer < n; layer++)
                sum = sum * 2 + read_imagei(im, s, (int4)(x, y, layer, 0))
                    + read_imagei(im, s, (float4)(x + 0.5f, y + 0.5f, (float)layer, 0));
            out[y * get_image_width(im) + x] = sum;
        }""")
    texels = rng.integers(-1000, 1000, (*kind.shape, 4), np.int32)
    out = m.empty(16 * 7 * 9)
    program.k(m.queue, (9, 7), None, images.create(kind, RGBA_INT, texels=texels), out)
    expected = 0
    for layer in texels:
        expected = expected * 2 + 2 * layer
    np.testing.assert_array_equal(m.read(out, np.int32, (7, 9, 4)), expected)
