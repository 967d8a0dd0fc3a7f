"""Mipmaps (cl_khr_mipmap_image, cl_khr_mipmap_image_writes): levels that the host reads, writes, copies, fills and maps,
kernels read by a level of detail or by gradients, and write by number."""

import ctypes

import numpy as np
import pyopencl as cl
import pytest
import spirv_text
from image_formats import RGBA_BYTES, RGBA_FLOAT, RGBA_UINT, Format
from imaging import KINDS, MF, status

D1, LINES, D2, FLATS, D3 = (KINDS[name] for name in ("1d", "1d_array", "2d", "2d_array", "3d"))
SHAPES = {D1: (1, 1, 37), LINES: (1, 5, 19), D2: (1, 11, 17), FLATS: (4, 7, 9), D3: (5, 6, 7)}
EVERY_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
# The gradients' vectors, and what is read at.
COORDINATES = {D1: ("float", "float"), LINES: ("float2", "float"), D2: ("float2", "float2"),
               FLATS: ("float4", "float2"), D3: ("float4", "float4")}
MIP_FILTER, LOD_MIN, LOD_MAX = 0x1155, 0x1156, 0x1157
FUNCTIONS = ctypes.CDLL("libOpenCL.so.1")
# pyopencl may bring a loader of its own; this one is ready after its first call.
FUNCTIONS.clGetPlatformIDs(0, None, ctypes.byref(ctypes.c_uint()))


@pytest.fixture(autouse=True)
def offered(images):
    if "cl_khr_mipmap_image" not in images.extensions:
        pytest.skip("no mipmaps")


def level_shape(kind, shape, level):
    """The shape of a level: layers are as many everywhere."""
    z, y, x = shape
    x, y_part, z_part = (max(n >> level, 1) for n in (x, y, z))
    return (z if kind is FLATS else z_part, y if kind is LINES else y_part, x)


def most_levels(kind, shape):
    spatial = shape[3 - kind.axes:]
    return max(spatial).bit_length()


def at_level(kind, level, origin=(0, 0, 0)):
    """An origin with the level in its place."""
    return (*origin[:3 if kind in (FLATS, D3) else 1 if kind is D1 else 2], level)


def sizes(*values):
    return (ctypes.c_size_t * 4)(*values)


def transfer(images, function, image, kind, level, texels, origin=(0, 0, 0)):
    """Reads or writes a box of a level: pyopencl knows no origins of four numbers."""
    region = tuple(reversed(texels.shape[:3]))
    handles = [ctypes.c_void_p(o.int_ptr) for o in (images.m.queue, image)]
    zero = ctypes.c_size_t(0)
    return getattr(FUNCTIONS, function)(
        *handles, 1, sizes(*at_level(kind, level, origin)), sizes(*region), zero, zero,
        ctypes.c_void_p(texels.ctypes.data), 0, None, None)


class Mipmap:
    """An image with random texels in each level."""

    def __init__(self, images, rng, kind, form, levels=None):
        self.images, self.kind, self.form, shape = images, kind, form, SHAPES[kind]
        self.levels = levels or most_levels(kind, shape)
        desc = images.descriptor(kind, shape)
        desc.num_mip_levels = self.levels
        self.image = cl.Image(images.m.context, MF.READ_WRITE, form.cl, desc=desc)
        self.texels = [form.random(rng, level_shape(kind, shape, n)) for n in range(self.levels)]
        for level, texels in enumerate(self.texels):
            self.put(level, texels)

    def put(self, level, texels, origin=(0, 0, 0)):
        texels = np.ascontiguousarray(texels)
        assert transfer(self.images, "clEnqueueWriteImage", self.image, self.kind, level, texels, origin) == 0

    def get(self, level):
        texels = np.zeros_like(self.texels[level])
        assert transfer(self.images, "clEnqueueReadImage", self.image, self.kind, level, texels) == 0
        return texels

    def check(self):
        for level, texels in enumerate(self.texels):
            np.testing.assert_array_equal(self.get(level), texels, err_msg=f"level {level}")

    def coordinates(self, level):
        """Normalized coordinates of the middles of a level's texels; layers by number."""
        z, y, x = np.indices(self.texels[level].shape[:3])
        depth, height, width = self.texels[level].shape[:3]
        x = (x + 0.5) / width
        y = y if self.kind is LINES else (y + 0.5) / height
        z = z if self.kind is FLATS else (z + 0.5) / depth
        return np.stack([x, y, z, 0 * x], -1).reshape(-1, 4).astype(np.float32)

    def read(self, coords, lods, sampler):
        """What a kernel reads at coordinates and levels of detail."""
        source = (f"#define IMAGE {self.kind.c_type}\n#define C(c) {self.kind.coordinate}\n"
                  f"#define VALUE {self.form.vector}\n#define READ read_image{self.form.suffix}\n" + READ)
        m = self.images.m
        out = m.empty(16 * len(coords))
        kernel = cl.Kernel(self.images.program(source), "by_lod")
        lods = np.broadcast_to(np.float32(lods), len(coords)).astype(np.float32)
        kernel(m.queue, (len(coords),), None, self.image, sampler, m.buffer(coords), m.buffer(lods), out)
        return m.read(out, self.form.value, (len(coords), 4))


READ = """
kernel void by_lod(read_only IMAGE im, sampler_t s, global const float4 *at, global const float *lod, global VALUE *out)
{ size_t i = get_global_id(0); out[i] = READ(im, s, C(at[i]), lod[i]); }
"""


def sampler_of(images, linear=False, mip_linear=False, lods=None):
    """A sampler of normalized coordinates that clamps to the edge."""
    filters = {False: 0x1140, True: 0x1141}
    properties = [0x1152, 1, 0x1153, 0x1131, 0x1154, filters[linear], MIP_FILTER, filters[mip_linear]]
    if lods:
        for name, lod in zip((LOD_MIN, LOD_MAX), lods):
            properties += [name, int(np.float32(lod).view(np.uint32))]
    return cl.Sampler(images.m.context, [*properties, 0])


@EVERY_KIND
@pytest.mark.parametrize("form", [RGBA_FLOAT, RGBA_UINT, RGBA_BYTES, Format("R", "SIGNED_INT16")], ids=repr)
def test_levels_are_read(images, rng, kind, form):
    """By the host and by kernels, each level by its number."""
    images.need(kind, form)
    mipmap = Mipmap(images, rng, kind, form)
    mipmap.check()
    sampler = sampler_of(images)
    for level, texels in enumerate(mipmap.texels):
        for lod in (level, level + 0.25, level - 0.25):
            form.check_read(mipmap.read(mipmap.coordinates(level), lod, sampler), texels.reshape(-1, form.channels))
    last = mipmap.texels[-1].reshape(-1, form.channels)
    form.check_read(mipmap.read(mipmap.coordinates(mipmap.levels - 1), 100, sampler), last)


@EVERY_KIND
def test_boxes_of_levels(images, m, rng, kind):
    """Writes, copies to other levels, and fills of parts leave all else as it is."""
    images.need(kind, RGBA_UINT)
    mipmap = Mipmap(images, rng, kind, RGBA_UINT)
    first, second = mipmap.texels[:2]
    half = second.shape[2] // 2
    new = RGBA_UINT.random(rng, (*second.shape[:2], half))
    mipmap.put(1, new, (1, 0, 0))
    second[:, :, 1:1 + half] = new
    mipmap.check()
    region = sizes(half, *second.shape[1::-1])
    handles = [ctypes.c_void_p(o.int_ptr) for o in (m.queue, mipmap.image, mipmap.image)]
    done = FUNCTIONS.clEnqueueCopyImage(*handles, sizes(*at_level(kind, 1, (1, 0, 0))), sizes(*at_level(kind, 0)), region,
                                        0, None, None)
    assert done == 0
    first[:second.shape[0], :second.shape[1], :half] = new
    mipmap.check()
    colour = np.array([1, 2, 3, 4], np.uint32)
    done = FUNCTIONS.clEnqueueFillImage(*handles[:2], colour.ctypes.data_as(ctypes.c_void_p),
                                        sizes(*at_level(kind, 1)), region, 0, None, None)
    assert done == 0
    second[:, :, :half] = colour
    mipmap.check()
    linear = np.zeros(second.size, np.uint32)
    buffer, origin = m.buffer(linear), sizes(*at_level(kind, 1))
    whole = sizes(*second.shape[2::-1])
    place = ctypes.c_void_p(buffer.int_ptr)
    zero = ctypes.c_size_t(0)
    assert FUNCTIONS.clEnqueueCopyImageToBuffer(*handles[:2], place, origin, whole, zero, 0, None, None) == 0
    np.testing.assert_array_equal(m.read(buffer, np.uint32, second.shape), second)
    second[...] = RGBA_UINT.random(rng, second.shape[:3])
    cl.enqueue_copy(m.queue, buffer, np.ascontiguousarray(second))
    assert FUNCTIONS.clEnqueueCopyBufferToImage(handles[0], place, handles[1], zero, origin, whole, 0, None, None) == 0
    mipmap.check()


@pytest.mark.parametrize("kind", [D1, LINES, D2], ids=repr)
def test_maps(images, rng, kind):
    images.need(kind, RGBA_UINT)
    mipmap = Mipmap(images, rng, kind, RGBA_UINT)
    flags = cl.map_flags.READ | cl.map_flags.WRITE
    for level, texels in enumerate(mipmap.texels):
        with images.mapped(mipmap.image, kind, RGBA_UINT, flags, at_level(kind, level), texels.shape) as (view, _, _):
            np.testing.assert_array_equal(view, texels)
            view[...] = texels[...] = RGBA_UINT.random(rng, texels.shape[:3])
    mipmap.check()


@pytest.mark.parametrize("kind", [D2, D3], ids=repr)
@pytest.mark.parametrize("linear", [False, True])
def test_between_levels(images, rng, kind, linear):
    """The linear filter between levels weighs what each level gives; the sampler bounds the level of detail."""
    images.need(kind, RGBA_FLOAT)
    mipmap = Mipmap(images, rng, kind, RGBA_FLOAT)
    coords = rng.random((60, 4)).astype(np.float32)
    each = [mipmap.read(coords, n, sampler_of(images, linear)).astype(np.float64) for n in range(mipmap.levels)]
    between = sampler_of(images, linear, mip_linear=True)
    for lod in (0, 0.25, 0.5, 1.75, mipmap.levels - 1.5, 50, -3):
        place = min(max(lod, 0), mipmap.levels - 1)
        low = min(int(place), mipmap.levels - 2)
        expected = each[low] * (low + 1 - place) + each[low + 1] * (place - low)
        np.testing.assert_allclose(mipmap.read(coords, lod, between), expected, rtol=1e-5, atol=1e-5)
    bounded = sampler_of(images, linear, True, (0.5, 1.25))
    for lod, place in ((0, 0.5), (0.75, 0.75), (2, 1.25)):
        low = int(place)
        expected = each[low] * (low + 1 - place) + each[low + 1] * (place - low)
        np.testing.assert_allclose(mipmap.read(coords, lod, bounded), expected, rtol=1e-5, atol=1e-5)


@EVERY_KIND
def test_gradients(images, m, rng, kind):
    """The longer of both gradients, in texels of the first level, gives the level of detail."""
    images.need(kind, RGBA_UINT)
    mipmap = Mipmap(images, rng, kind, RGBA_UINT)
    coordinate, gradient = COORDINATES[kind]
    lanes = {"float": "x", "float2": "xy", "float4": "xyzw"}[gradient]
    program = images.program(f"""
        kernel void k(read_only {kind.c_type} im, sampler_t s, float4 at, float4 dx, float4 dy, global uint4 *out)
        {{ out[0] = read_imageui(im, s, ({coordinate})({kind.coordinate.replace("(c)", "at")}), dx.{lanes}, dy.{lanes});
           out[1] = (uint4)(get_image_num_mip_levels(im)); }}""")
    kernel, out, sampler = cl.Kernel(program, "k"), m.empty(32), sampler_of(images)
    size = [float(n) for n in reversed(SHAPES[kind])]
    axes = {D1: 1, LINES: 1, D2: 2, FLATS: 2, D3: 3}[kind]
    for level, texels in enumerate(mipmap.texels):
        for axis in range(axes):
            for step, other in ((1.1, 0.3), (-1.1, 0.3), (0.3, 1.1)):
                vectors = np.zeros((2, 4), np.float32)
                vectors[:, axis] = np.array([step, other]) * 2 ** level / size[axis]
                at = mipmap.coordinates(level)[0]
                kernel(m.queue, (1,), None, mipmap.image, sampler, at, *vectors, out)
                got = m.read(out, np.uint32, (2, 4))
                np.testing.assert_array_equal(got[0], texels[0, 0, 0], err_msg=f"{level} {axis}")
                assert got[1, 0] == mipmap.levels


def test_reads_without_a_level(images, rng):
    """They read the first level, as images of one level do whatever the level of detail is."""
    images.need(D2, RGBA_UINT)
    mipmap = Mipmap(images, rng, D2, RGBA_UINT)
    np.testing.assert_array_equal(images.fetch_all(mipmap.image, D2, RGBA_UINT, SHAPES[D2]), mipmap.texels[0])
    single = Mipmap(images, rng, D2, RGBA_UINT, levels=1)
    got = single.read(single.coordinates(0), 3, sampler_of(images))
    np.testing.assert_array_equal(got, single.texels[0].reshape(-1, 4))


@EVERY_KIND
@pytest.mark.parametrize("linear", [False, True], ids=["nearest", "linear"])
@pytest.mark.parametrize("normalized", [False, True], ids=["texels", "normalized"])
def test_samplers_without_a_level(images, rng, kind, linear, normalized):
    """At the centers of the first level's texels."""
    images.need(kind, RGBA_FLOAT)
    mipmap = Mipmap(images, rng, kind, RGBA_FLOAT)
    coords = np.zeros((mipmap.texels[0].size // 4, 4), np.float32)
    z, y, x = np.meshgrid(*(np.arange(n) for n in SHAPES[kind]), indexing="ij")
    for axis, (at, size) in enumerate(zip((x, y, z), reversed(SHAPES[kind]))):
        if axis < kind.axes:
            coords[:, axis] = (at.ravel() + 0.5) / (size if normalized else 1)
        elif axis == kind.axes and kind.layered:
            coords[:, axis] = at.ravel()
    got = images.sample(mipmap.image, kind, RGBA_FLOAT, coords, images.sampler("CLAMP_TO_EDGE", linear, normalized))
    np.testing.assert_allclose(got, mipmap.texels[0].reshape(-1, 4), rtol=0, atol=2e-4 if linear else 0)


@EVERY_KIND
@pytest.mark.parametrize("form", [RGBA_FLOAT, RGBA_UINT, RGBA_BYTES, Format("RGBA", "SIGNED_INT16")], ids=repr)
@pytest.mark.parametrize("access", ["write_only", "read_write"])
def test_levels_are_written(images, m, rng, kind, form, access):
    """By kernels, each level by its number; what lies beyond a level is not written, nor is any other level."""
    images.need(kind, form, MF.KERNEL_READ_AND_WRITE if access == "read_write" else MF.WRITE_ONLY)
    if access == "read_write" and not m.device.max_read_write_image_args:
        pytest.skip("no read_write images")
    mipmap = Mipmap(images, rng, kind, form)
    program = images.program(f"""
        kernel void k({access} {kind.c_type} im, global const int4 *at, int level, global const {form.vector} *color)
        {{ size_t i = get_global_id(0);
           write_image{form.suffix}(im, {kind.coordinate.replace("(c)", "at[i]")}, level, color[i]); }}""", ("-cl-std=CL3.0",))
    kernel = cl.Kernel(program, "k")
    for level in reversed(range(mipmap.levels)):
        depth, height, width = mipmap.texels[level].shape[:3]
        z, y, x = np.indices((depth, height, width + 1))
        at = np.stack([x, y, z, 0 * x], -1).reshape(-1, 4).astype(np.int32)
        new = form.random(rng, (depth, height, width + 1))
        mipmap.texels[level] = np.ascontiguousarray(new[:, :, :width])
        colors = form.decode(new).reshape(-1, 4).astype(form.value)
        kernel(m.queue, (len(at),), None, mipmap.image, m.buffer(at), np.int32(level), m.buffer(colors))
        mipmap.check()


@pytest.mark.parametrize("form", [RGBA_FLOAT, RGBA_UINT], ids=repr)
def test_levels_in_spirv(images, m, rng, form):
    """Texels that kernels in SPIR-V write and read by their level's number."""
    images.need(D2, form, MF.WRITE_ONLY)
    text = (spirv_text.FOLDER / "image_levels.spvasm").read_text()
    if form is RGBA_FLOAT:
        text = text.replace("OpTypeVector %uint 4", "OpTypeVector %float 4").replace("OpTypeVoid", "OpTypeVoid\n%float = OpTypeFloat 32")
    program = cl.Program(m.context, spirv_text.assemble(text)).build()
    mipmap = Mipmap(images, rng, D2, form)
    for level in reversed(range(mipmap.levels)):
        _, height, width = mipmap.texels[level].shape[:3]
        out = m.empty(16 * width * height)
        program.get(m.queue, (width, height), None, mipmap.image, np.uint32(level), np.uint64(width), out)
        np.testing.assert_array_equal(m.read(out, form.value, mipmap.texels[level].shape), mipmap.texels[level])
        mipmap.texels[level] = form.random(rng, mipmap.texels[level].shape[:3])
        texels = m.buffer(mipmap.texels[level])
        program.put(m.queue, (width, height), None, mipmap.image, np.uint32(level), np.uint64(width), texels)
        mipmap.check()


def test_the_one_level_of_an_image_is_written_whatever_the_level(images, m, rng):
    images.need(D2, RGBA_UINT, MF.WRITE_ONLY)
    single = Mipmap(images, rng, D2, RGBA_UINT, levels=1)
    program = images.program("""
        kernel void k(write_only image2d_t im, int level) { write_imageui(im, (int2)(1, 2), level, (uint4)(5, 6, 7, 8)); }""")
    program.k(m.queue, (1,), None, single.image, np.int32(3))
    single.texels[0][0, 2, 1] = (5, 6, 7, 8)
    single.check()


def test_mistakes(images, m, rng):
    code = cl.status_code

    def made(levels, kind=D2, form=RGBA_BYTES, **more):
        desc = images.descriptor(kind, SHAPES[kind], buffer=more.pop("buffer", None))
        desc.num_mip_levels = levels
        return status(cl.Image, m.context, more.pop("flags", MF.READ_WRITE), form.cl, desc=desc, **more)

    assert made(5) == 0
    assert made(6) == code.INVALID_IMAGE_DESCRIPTOR
    host = np.zeros((11, 17, 4), np.uint8)
    assert made(5, flags=MF.COPY_HOST_PTR, hostbuf=host) == code.INVALID_HOST_PTR
    assert made(2, form=Format("DEPTH", "FLOAT")) == code.INVALID_IMAGE_DESCRIPTOR
    assert made(2, buffer=m.empty(4096)) == code.INVALID_IMAGE_DESCRIPTOR
    mipmap = Mipmap(images, rng, D2, RGBA_BYTES)
    assert mipmap.image.get_image_info(cl.image_info.NUM_MIP_LEVELS) == 5
    assert transfer(images, "clEnqueueReadImage", mipmap.image, D2, 5, mipmap.get(4)) == -62
    assert transfer(images, "clEnqueueReadImage", mipmap.image, D2, 1, mipmap.get(0)) == code.INVALID_VALUE
