"""Samplers: every mode against the specification's formulas, borders, far coordinates, where they come from."""

import itertools
import os
import subprocess
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
from conftest import DRIVER, PYTHON
from image_formats import RGBA_BYTES, RGBA_FLOAT, RGBA_INT, RGBA_UINT, Format
from image_sampling import CLAMP, EDGE, MIRRORED, NONE, REPEAT, sample
from imaging import EXACT_FILTERS, KINDS, MF, status

D2 = KINDS["2d"]
# Linear sampling of floats: what the formulas in single precision come to. Samplers of devices may do worse.
TOLERANCE = 1e-4
HARDWARE_TOLERANCE = 1 / 64
MODES = [(EDGE, False), (CLAMP, False), (EDGE, True), (CLAMP, True), (REPEAT, True), (MIRRORED, True)]
CONSTANTS = {NONE: "CLK_ADDRESS_NONE", EDGE: "CLK_ADDRESS_CLAMP_TO_EDGE", CLAMP: "CLK_ADDRESS_CLAMP",
             REPEAT: "CLK_ADDRESS_REPEAT", MIRRORED: "CLK_ADDRESS_MIRRORED_REPEAT"}


def literal(mode, linear, normalized):
    return (f"CLK_NORMALIZED_COORDS_{'TRUE' if normalized else 'FALSE'} | {CONSTANTS[mode]} | "
            f"CLK_FILTER_{'LINEAR' if linear else 'NEAREST'}")


def coordinates(rng, kind, shape, count, normalized, low=-2.0, high=3.0):
    """Coordinates within and around an image, off the seams between texels by an eighth or more.

    There, nearest sampling finds the same texel for whatever single precision makes of a product.
    """
    sizes = np.array([shape[2], shape[1], shape[0], 1], np.float64)
    at = np.floor(rng.uniform(low, high, (count, 4)) * sizes) + rng.uniform(0.125, 0.875, (count, 4))
    axes = np.arange(4) < kind.axes
    if normalized:
        at = np.where(axes, at / sizes, at)
    if kind.layered:
        # Layers off the halves, where rint is not in question.
        at[:, kind.axes] = rng.integers(-3, sizes[kind.axes] + 3, count) + rng.uniform(-0.4, 0.4, count)
    used = np.arange(4) < kind.axes + kind.layered
    return np.where(used, at, 0).astype(np.float32)


def expected_of(kind, form, texels, coords, mode, linear, normalized):
    return sample(form.decode(texels), coords, mode, linear, normalized, form.border, kind.axes, kind.layered)


def sample_around(images, rng, kind, form, mode, linear, normalized):
    """An image, coordinates within and around it, what a sampler gives there, and what it should give."""
    images.need(kind, form, MF.READ_ONLY)
    texels = form.random(rng, kind.shape)
    image = images.create(kind, form, texels=texels, flags=MF.READ_ONLY)
    coords = coordinates(rng, kind, kind.shape, 500, normalized)
    got = images.sample(image, kind, form, coords, images.sampler(mode, linear, normalized))
    return image, coords, got, expected_of(kind, form, texels, coords, mode, linear, normalized)


def check(images, form, got, expected, linear):
    if not linear:
        np.testing.assert_allclose(got, expected, rtol=2e-7 if form.scale else 0, atol=0)
        return
    scale = max(1, np.abs(expected).max())
    tolerance = TOLERANCE if EXACT_FILTERS or form.type.startswith("SNORM") else HARDWARE_TOLERANCE
    if form.is_srgb:
        # What devices make of an encoded byte: half a step (8.3.1.1), where the curve is steepest.
        tolerance = 0.5 / 255 * 2.4 / 1.055
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("linear", [False, True], ids=["nearest", "linear"])
@pytest.mark.parametrize("mode, normalized", MODES)
@pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
def test_every_mode(images, rng, kind, mode, normalized, linear):
    """Within and around floats of every kind of image."""
    _, _, got, expected = sample_around(images, rng, kind, RGBA_FLOAT, mode, linear, normalized)
    check(images, RGBA_FLOAT, got, expected, linear)


@pytest.mark.parametrize("linear", [False, True], ids=["nearest", "linear"])
@pytest.mark.parametrize("normalized", [False, True], ids=["texels", "normalized"])
@pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
def test_no_addressing_within_the_image(images, rng, kind, normalized, linear):
    images.need(kind, RGBA_FLOAT, MF.READ_ONLY)
    texels = RGBA_FLOAT.random(rng, kind.shape)
    image = images.create(kind, RGBA_FLOAT, texels=texels, flags=MF.READ_ONLY)
    coords = coordinates(rng, kind, kind.shape, 300, normalized, 0, 1)
    # Where both texels of every axis are within.
    u = coords * np.where(np.arange(4) < kind.axes, [*reversed(kind.shape), 1], 1) if normalized else coords
    safe = [(u[:, a] > 0.5) & (u[:, a] < kind.shape[2 - a] - 0.5) for a in range(kind.axes)]
    coords = coords[np.all(safe, axis=0)]
    got = images.sample(image, kind, RGBA_FLOAT, coords, images.sampler(NONE, linear, normalized))
    expected = expected_of(kind, RGBA_FLOAT, texels, coords, NONE, linear, normalized)
    check(images, RGBA_FLOAT, got, expected, linear)


@pytest.mark.parametrize("mode, normalized", MODES)
@pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
def test_bytes_are_not_filtered_in_bytes(images, m, rng, kind, mode, normalized):
    """lavapipe's own samplers filter them in 8 bits, off by a step of the channel, where images have an edge or repeat."""
    image, coords, got, expected = sample_around(images, rng, kind, RGBA_BYTES, mode, True, normalized)
    tolerance = 1e-4 if DRIVER.startswith("lavapipe") else HARDWARE_TOLERANCE
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance)
    program = images.program(f"""
        #define C(c) {kind.coordinate}
        kernel void k(read_only {kind.c_type} im, global const float4 *at, global float4 *out) {{
            const sampler_t s = {literal(mode, True, normalized)};
            size_t i = get_global_id(0);
            out[i] = read_imagef(im, s, C(at[i]));
        }}""")
    out = m.empty(16 * len(coords))
    program.k(m.queue, (len(coords),), None, image, m.buffer(coords), out)
    np.testing.assert_allclose(m.read(out, np.float32, (len(coords), 4)), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("form", [RGBA_FLOAT, Format("RGBA", "HALF_FLOAT")], ids=repr)
@pytest.mark.parametrize("mode", [EDGE, REPEAT, MIRRORED])
def test_errors_of_three_weights_do_not_add_up(images, rng, mode, form):
    """Neighbours of both signs, where weights of 8 bits are off in the same direction on each axis."""
    kind, shape = KINDS["3d"], (6, 6, 6)
    images.need(kind, form, MF.READ_ONLY)
    signs = 1 - np.indices(shape).sum(axis=0)[..., None] % 2 * 2
    texels = (signs * rng.uniform(0.75, 1, (*shape, 4))).astype(form.dtype)
    image = images.create(kind, form, texels=texels, flags=MF.READ_ONLY)
    at = rng.integers(0, 5, (500, 4)) + 0.5 + (rng.integers(0, 8, (500, 4)) + 0.45) / 256
    coords = np.where(np.arange(4) < 3, at / 6, 0).astype(np.float32)
    got = images.sample(image, kind, form, coords, images.sampler(mode, True, True))
    expected = expected_of(kind, form, texels, coords, mode, True, True)
    # What the conformance tests allow of the largest texel, and the rounding of the coordinates.
    np.testing.assert_allclose(got, expected, rtol=0, atol=1 / 128 + 1e-4)


@pytest.mark.parametrize("mode, normalized", MODES)
def test_every_mode_of_bytes(images, rng, mode, normalized):
    """Normalized integers are filtered as what they stand for."""
    images.need(D2, RGBA_BYTES, MF.READ_ONLY)
    texels = RGBA_BYTES.random(rng, D2.shape)
    image = images.create(D2, RGBA_BYTES, texels=texels, flags=MF.READ_ONLY)
    coords = coordinates(rng, D2, D2.shape, 500, normalized)
    for linear in (False, True):
        got = images.sample(image, D2, RGBA_BYTES, coords, images.sampler(mode, linear, normalized))
        expected = expected_of(D2, RGBA_BYTES, texels, coords, mode, linear, normalized)
        check(images, RGBA_BYTES, got, expected, linear)


@pytest.mark.parametrize("form", [RGBA_INT, RGBA_UINT], ids=repr)
@pytest.mark.parametrize("mode, normalized", MODES)
@pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
def test_every_mode_of_integers(images, rng, kind, form, mode, normalized):
    images.need(kind, form, MF.READ_ONLY)
    texels = form.random(rng, kind.shape)
    image = images.create(kind, form, texels=texels, flags=MF.READ_ONLY)
    coords = coordinates(rng, kind, kind.shape, 300, normalized)
    got = images.sample(image, kind, form, coords, images.sampler(mode, False, normalized))
    np.testing.assert_array_equal(
        got.astype(np.float64), expected_of(kind, form, texels, coords, mode, False, normalized))


@pytest.mark.parametrize("mode", [EDGE, CLAMP])
@pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
def test_integer_coordinates_outside(images, rng, kind, mode):
    """Far ones and the extremes of int as well."""
    images.need(kind, RGBA_INT, MF.READ_ONLY)
    texels = RGBA_INT.random(rng, kind.shape)
    image = images.create(kind, RGBA_INT, texels=texels, flags=MF.READ_ONLY)
    some = [-2 ** 31, -2 ** 31 + 1, -70000, -2, -1, 0, 1, 3, 4, 5, 6, 7, 9, 11, 37, 38, 65536, 2 ** 31 - 1]
    coords = np.array(list(itertools.product(some, repeat=kind.axes)), np.int64)
    if len(coords) > 2000:
        coords = rng.permutation(coords)[:2000]
    padded = np.zeros((len(coords), 4), np.int64)
    padded[:, :kind.axes] = coords
    if kind.layered:
        padded[:, kind.axes] = rng.integers(0, kind.shape[2 - kind.axes], len(coords))
    got = images.sample(image, kind, RGBA_INT, padded.astype(np.int32), images.sampler(mode))
    expected = expected_of(kind, RGBA_INT, texels, padded, mode, False, False)
    np.testing.assert_array_equal(got.astype(np.float64), expected)


@pytest.mark.parametrize("mode", [EDGE, CLAMP])
@pytest.mark.parametrize("linear", [False, True], ids=["nearest", "linear"])
@pytest.mark.parametrize("normalized", [False, True], ids=["texels", "normalized"])
@pytest.mark.parametrize("form", [RGBA_FLOAT, RGBA_BYTES], ids=repr)
def test_far_coordinates(images, rng, form, mode, linear, normalized):
    images.need(D2, form, MF.READ_ONLY)
    texels = form.random(rng, D2.shape)
    image = images.create(D2, form, texels=texels, flags=MF.READ_ONLY)
    far = [-1e8, -1e6, 1e6, 1e8]
    if images.m.is_hekla:
        # Beyond what an int holds the specification's formulas say nothing; the edge is what one expects.
        far += [-1e36, -1e20, -3e9, -2.2e9, 2.2e9, 3e9, 1e20, 1e36]
    pairs = [(f, 0.4) for f in far] + [(0.4, f) for f in far] + list(itertools.product(far, far))
    coords = np.array([(x, y, 0, 0) for x, y in pairs], np.float32)
    got = images.sample(image, D2, form, coords, images.sampler(mode, linear, normalized))
    nearby = np.clip(coords, -100, 100)
    expected = expected_of(D2, form, texels, nearby, mode, linear, normalized)
    check(images, form, got, expected, linear)


@pytest.mark.parametrize("mode", [REPEAT, MIRRORED])
def test_repetition_a_thousand_images_away(images, rng, mode):
    """Sizes that are powers of two, and coordinates that are exact in single precision."""
    images.need(D2, RGBA_FLOAT, MF.READ_ONLY)
    texels = RGBA_FLOAT.random(rng, (1, 8, 16))
    image = images.create(D2, RGBA_FLOAT, texels=texels, flags=MF.READ_ONLY)
    whole = rng.integers(-1000, 1000, (400, 4))
    coords = (whole + (rng.integers(0, 64, (400, 4)) + 0.5) / 64).astype(np.float32) * np.float32([1, 1, 0, 0])
    for linear in (False, True):
        got = images.sample(image, D2, RGBA_FLOAT, coords, images.sampler(mode, linear, True))
        check(images, RGBA_FLOAT, got, expected_of(D2, RGBA_FLOAT, texels, coords, mode, linear, True), linear)


@pytest.mark.parametrize("mode, normalized", [*MODES, (NONE, False), (NONE, True)])
@pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
def test_no_coordinate_is_fatal(images, rng, kind, mode, normalized):
    """NaN, infinities and the far outside give some texel or other, and the device goes on."""
    images.need(kind, RGBA_UINT, MF.READ_ONLY)
    texels = RGBA_UINT.random(rng, kind.shape)
    image = images.create(kind, RGBA_UINT, texels=texels, flags=MF.READ_ONLY)
    bad = [np.nan, np.inf, -np.inf, 3e38, -3e38, 2.0 ** 31, -2.0 ** 31, 1e-45, -0.0, -1.0, 0.5]
    if mode == NONE and not images.m.is_hekla:
        pytest.skip("nothing is promised of this")
    coords = np.array(list(itertools.product(bad, repeat=3)), np.float32)
    coords = np.concatenate([coords, np.zeros((len(coords), 1), np.float32)], 1)
    # Bytes are filtered in ways of their own.
    filtered = (RGBA_FLOAT, RGBA_BYTES) if kind.name == "2d" else ()
    for form in (RGBA_UINT, *filtered):
        linear = form is not RGBA_UINT
        if linear:
            image = images.create(kind, form, texels=form.random(rng, kind.shape), flags=MF.READ_ONLY)
        images.sample(image, kind, form, coords, images.sampler(mode, linear, normalized))
    # What is defined is right afterwards.
    image = images.create(kind, RGBA_UINT, texels=texels, flags=MF.READ_ONLY)
    np.testing.assert_array_equal(images.fetch_all(image, kind, RGBA_UINT), texels)


@pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
def test_border_of_every_format(images, rng, kind):
    """Alpha one of R, RG, RGB and luminance, else transparent; nearest, and half way by linear."""
    at = np.array([[-1, 0, 0, 0]], np.float32) - np.float32(0.5)
    at[:, kind.axes:] = 0
    for form in images.formats(kind, MF.READ_ONLY):
        texels = form.random(rng, (1, 1, 1) if not kind.layered else kind.shape)
        image = images.create(kind, form, texels=texels, flags=MF.READ_ONLY)
        if form.is_depth:
            continue
        got = images.sample(image, kind, form, at, images.sampler(CLAMP))
        np.testing.assert_array_equal(got[0].astype(np.float64), form.border, err_msg=str(form))
        got = images.sample(image, kind, form, np.floor(at).astype(np.int32), images.sampler(CLAMP))
        np.testing.assert_array_equal(got[0].astype(np.float64), form.border, err_msg=str(form))
        if form.suffix == "f" and not form.is_srgb:
            edge = np.array([[0, 0.5, 0.5, 0]], np.float32) * np.float32(np.arange(4) < kind.axes)
            got = images.sample(image, kind, form, edge, images.sampler(CLAMP, linear=True))
            expected = expected_of(kind, form, texels, edge, CLAMP, True, False)
            np.testing.assert_allclose(got, expected, atol=HARDWARE_TOLERANCE * 4, err_msg=str(form))


@pytest.mark.parametrize("linear", [False, True], ids=["nearest", "linear"])
@pytest.mark.parametrize("mode, normalized", MODES)
@pytest.mark.parametrize("place", ["local", "program", "expression"])
def test_samplers_in_the_program(images, m, rng, place, mode, normalized, linear):
    """A variable in the function, one at program scope, and the constant as the argument itself."""
    images.need(D2, RGBA_FLOAT, MF.READ_ONLY)
    value = literal(mode, linear, normalized)
    top = f"constant sampler_t s = {value};" if place == "program" else ""
    inner = f"const sampler_t s = {value};" if place == "local" else ""
    used = value if place == "expression" else "s"
    if place == "expression":
        # What compilers take by clang's rule: an integer constant where a sampler is a parameter.
        top = "float4 get(read_only image2d_t im, sampler_t s, float2 p) { return read_imagef(im, s, p); }"
    call = "get" if place == "expression" else "read_imagef"
    program = images.program(f"""
        {top}
        kernel void k(read_only image2d_t im, global const float4 *at, global float4 *out)
        {{ {inner} size_t i = get_global_id(0); out[i] = {call}(im, {used}, at[i].xy); }}""")
    texels = RGBA_FLOAT.random(rng, D2.shape)
    coords = coordinates(rng, D2, D2.shape, 200, normalized)
    out = m.empty(16 * len(coords))
    program.k(m.queue, (len(coords),), None, images.create(D2, RGBA_FLOAT, texels=texels), m.buffer(coords), out)
    expected = expected_of(D2, RGBA_FLOAT, texels, coords, mode, linear, normalized)
    check(images, RGBA_FLOAT, m.read(out, np.float32, (len(coords), 4)), expected, linear)


def test_sixteen_samplers_in_one_kernel(images, m, rng):
    """As many as the full profile asks for, one read each, in one loop over the same image."""
    images.need(D2, RGBA_FLOAT, MF.READ_ONLY)
    modes = list(itertools.product([EDGE, CLAMP, REPEAT, MIRRORED], [False, True], [True])) + \
        list(itertools.product([EDGE, CLAMP], [False, True], [False]))
    modes = (modes + modes)[:16]
    arguments = ", ".join(f"sampler_t s{i}" for i in range(16))
    reads = " ".join(f"out[n * {i} + i] = read_imagef(im, s{i}, at[n * {i} + i].xy);" for i in range(16))
    program = images.program(f"""
        kernel void k(read_only image2d_t im, {arguments}, global const float4 *at, global float4 *out)
        {{ size_t i = get_global_id(0), n = get_global_size(0); {reads} }}""")
    texels, n = RGBA_FLOAT.random(rng, D2.shape), 60
    coords = np.concatenate([coordinates(rng, D2, D2.shape, n, mode[2]) for mode in modes])
    out = m.empty(16 * len(coords))
    program.k(m.queue, (n,), None, images.create(D2, RGBA_FLOAT, texels=texels),
              *[images.sampler(*mode) for mode in modes], m.buffer(coords), out)
    got = m.read(out, np.float32, (16, n, 4))
    for i, mode in enumerate(modes):
        expected = expected_of(D2, RGBA_FLOAT, texels, coords[n * i:n * i + n], *mode)
        check(images, RGBA_FLOAT, got[i], expected, mode[1])


def test_a_kernel_takes_another_sampler_each_launch(images, rng):
    images.need(D2, RGBA_FLOAT, MF.READ_ONLY)
    texels = RGBA_FLOAT.random(rng, D2.shape)
    image = images.create(D2, RGBA_FLOAT, texels=texels, flags=MF.READ_ONLY)
    for mode, normalized in MODES:
        for linear in (False, True):
            coords = coordinates(rng, D2, D2.shape, 50, normalized)
            sampler = images.sampler(mode, linear, normalized)
            got = images.sample(image, D2, RGBA_FLOAT, coords, sampler)
            check(images, RGBA_FLOAT, got, expected_of(D2, RGBA_FLOAT, texels, coords, mode, linear, normalized),
                  linear)


def test_a_sampler_chosen_by_a_function(images, m, rng):
    """A sampler goes through functions with an image, and a function reads with one of its own as well."""
    images.need(D2, RGBA_INT, MF.READ_ONLY)
    program = images.program("""
        constant sampler_t clamped = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST | CLK_NORMALIZED_COORDS_FALSE;
        int4 at(read_only image2d_t im, sampler_t s, int2 p) { return read_imagei(im, s, p); }
        int4 difference(read_only image2d_t im, sampler_t s, int2 p)
        { return at(im, s, p) - at(im, clamped, p); }
        kernel void k(read_only image2d_t im, sampler_t s, global int4 *out)
        {
            const sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
            int2 p = (int2)(get_global_id(0), get_global_id(1)) - 3;
            out[get_global_id(1) * get_global_size(0) + get_global_id(0)] =
                difference(im, s, p) * 3 + difference(im, edge, p);
        }""")
    texels = rng.integers(-1000, 1000, (1, 11, 17, 4), np.int32)
    out = m.empty(16 * 23 * 17)
    program.k(m.queue, (23, 17), None, images.create(D2, RGBA_INT, texels=texels), images.sampler(EDGE), out)
    edge = np.pad(texels[0], ((3, 3), (3, 3), (0, 0)), "edge")
    zero = np.pad(texels[0], ((3, 3), (3, 3), (0, 0)))
    np.testing.assert_array_equal(m.read(out, np.int32, (17, 23, 4)), 4 * (edge - zero))


@pytest.mark.parametrize("form", [Format("R", "UNORM_INT8"), Format("RG", "HALF_FLOAT"),
                                  Format("RGBA", "SNORM_INT8"), Format("R", "FLOAT"),
                                  Format("BGRA", "UNORM_INT8"), Format("RGBA", "UNORM_INT16"),
                                  Format("R", "SNORM_INT16"), Format("sRGBA", "UNORM_INT8")], ids=repr)
def test_linear_of_other_formats(images, rng, form):
    """Signed normalized and sRGB ones by arithmetic alone."""
    images.need(D2, form, MF.READ_ONLY)
    texels = form.random(rng, D2.shape)
    image = images.create(D2, form, texels=texels, flags=MF.READ_ONLY)
    for mode, normalized in MODES:
        coords = coordinates(rng, D2, D2.shape, 200, normalized)
        got = images.sample(image, D2, form, coords, images.sampler(mode, True, normalized))
        check(images, form, got, expected_of(D2, form, texels, coords, mode, True, normalized), True)


def test_linear_at_the_centres_is_exact(images, rng):
    """The weights are zero and one there."""
    images.need(D2, RGBA_FLOAT, MF.READ_ONLY)
    texels = RGBA_FLOAT.random(rng, (1, 8, 16))
    image = images.create(D2, RGBA_FLOAT, texels=texels, flags=MF.READ_ONLY)
    y, x = np.indices((8, 16))
    coords = np.stack([x + 0.5, y + 0.5, 0 * x, 0 * x], -1).reshape(-1, 4)
    for normalized in (False, True):
        scaled = coords / [16, 8, 1, 1] if normalized else coords
        got = images.sample(image, D2, RGBA_FLOAT, scaled, images.sampler(EDGE, True, normalized))
        np.testing.assert_array_equal(got, texels.reshape(-1, 4))


def test_linear_is_arithmetic_on_request(images, m):
    """The tests with linear filters again, where no sampler of the device filters."""
    if EXACT_FILTERS or not m.is_hekla:
        pytest.skip("it is already, or there is no such thing")
    environment = {**os.environ, "HEKLA_LINEAR": "exact"}
    files = [Path(__file__).parent / f"test_images_{name}.py" for name in ("samplers", "depth", "programs")]
    options = ["-q", "-x", "-p", "no:cacheprovider", "-k", "mode or linear or far"]
    command = [*PYTHON, "-m", "pytest", *options, *files]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_what_a_sampler_says_of_itself(images, m):
    for mode, normalized in MODES:
        for linear in (False, True):
            sampler = images.sampler(mode, linear, normalized)
            assert sampler.context == m.context and sampler.reference_count == 1
            assert sampler.addressing_mode == getattr(cl.addressing_mode, mode)
            assert sampler.filter_mode == (cl.filter_mode.LINEAR if linear else cl.filter_mode.NEAREST)
            assert bool(sampler.normalized_coords) == normalized


def test_errors_of_samplers(images, m):
    wrong, nearest = cl.status_code.INVALID_VALUE, cl.filter_mode.NEAREST
    assert status(cl.Sampler, m.context, True, 0x9999, nearest) == wrong
    assert status(cl.Sampler, m.context, True, cl.addressing_mode.CLAMP, 0x9999) == wrong
    kernel = cl.Kernel(images.program("""
        kernel void k(read_only image2d_t im, sampler_t s, global float4 *out)
        { *out = read_imagef(im, s, (int2)(0, 0)); }"""), "k")
    assert status(kernel.set_arg, 1, m.empty(16)) == cl.status_code.INVALID_SAMPLER
    assert status(kernel.set_arg, 1, np.int32(1)) in (
        cl.status_code.INVALID_ARG_SIZE, cl.status_code.INVALID_SAMPLER)


def test_a_released_sampler_serves_the_launches_that_have_it(images, m, rng):
    images.need(D2, RGBA_INT, MF.READ_ONLY)
    kernel = cl.Kernel(images.program("""
        kernel void k(read_only image2d_t im, sampler_t s, global int4 *out)
        { int i = get_global_id(0); out[i] = read_imagei(im, s, (int2)(i - 2, 0)); }"""), "k")
    texels = rng.integers(-99, 99, (1, 1, 4, 4), np.int32)
    outs = []
    for i in range(200):
        sampler, out = images.sampler(EDGE if i & 1 else CLAMP), m.empty(128)
        kernel(m.queue, (8,), None, images.create(D2, RGBA_INT, texels=texels), sampler, out)
        outs.append(out)
        del sampler
    for i, out in enumerate(outs):
        expected = np.pad(texels[0, 0], ((2, 2), (0, 0)), "edge" if i & 1 else "constant")
        np.testing.assert_array_equal(m.read(out, np.int32, (8, 4)), expected)
