"""Images of all kinds whose texels are a buffer's bytes (cl_ext_image_from_buffer), and what they require of it
(cl_ext_image_requirements_info)."""

import ctypes

import numpy as np
import pyopencl as cl
import pytest
import raw
from image_formats import RGBA_BYTES, RGBA_FLOAT, Format
from imaging import BUFFER, KINDS, MF, all_coordinates, status
from test_images_fill import fill

FORMS = pytest.mark.parametrize("form", [Format("R", "UNSIGNED_INT8"), RGBA_BYTES, RGBA_FLOAT], ids=repr)
KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
ROW_ALIGNMENT, SLICE_ALIGNMENT, BASE_ALIGNMENT, SIZE = 0x1290, 0x1291, 0x1292, 0x12B2
MAX_WIDTH, MAX_HEIGHT, MAX_DEPTH, MAX_LAYERS = range(0x12B3, 0x12B7)
# Of the device, in texels.
PITCH_ALIGNMENT, BASE_ADDRESS_ALIGNMENT = 0x104A, 0x104B


class Descriptor(ctypes.Structure):
    """cl_image_desc."""
    _fields_ = [("type", ctypes.c_uint), *((name, ctypes.c_size_t) for name in (
        "width", "height", "depth", "layers", "row_pitch", "slice_pitch")), ("levels", ctypes.c_uint),
        ("samples", ctypes.c_uint), ("object", ctypes.c_void_p)]


@pytest.fixture(autouse=True)
def offered(images):
    if "cl_ext_image_from_buffer" not in images.extensions:
        pytest.skip("no images of buffers")
    assert "cl_ext_image_requirements_info" in images.extensions


def layout(kind, form, gaps):
    """The shape of the whole memory in texels, with gaps behind rows and slices, and the pitches in bytes."""
    depth, height, width = kind.shape
    if not gaps:
        return kind.shape, (0, 0)
    width += 5
    if kind.name == "1d_array":
        # A line of the array is a slice, some rows after the one before.
        return (1, height, 2 * width), (width * form.texel_size, 2 * width * form.texel_size)
    if kind.name in ("1d", "2d"):
        return (1, height, width), (width * form.texel_size, 0)
    row = width * form.texel_size
    return (depth, height + 2, width), (row, (height + 2) * row)


class Shared:
    """A buffer, and an image of its bytes."""

    def __init__(self, images, rng, kind, form, gaps, offset=0):
        self.images, self.kind, self.form = images, kind, form
        shape, pitches = layout(kind, form, gaps)
        self.data = form.random(rng, shape)
        self.whole = images.m.buffer(np.concatenate([np.zeros(offset, np.uint8), self.data.view(np.uint8).reshape(-1)]))
        nbytes = self.data.nbytes
        self.buffer = self.whole.get_sub_region(offset, nbytes) if offset else self.whole
        self.image = images.create(kind, form, kind.shape, pitches=pitches, buffer=self.buffer)

    @property
    def texels(self):
        depth, height, width = self.kind.shape
        return self.data[:depth, :height, :width]

    def check(self):
        images, kind, form = self.images, self.kind, self.form
        np.testing.assert_array_equal(images.m.read(self.buffer, form.dtype, self.data.shape), self.data)
        np.testing.assert_array_equal(images.get(self.image, form, kind.shape), self.texels)
        form.check_read(images.fetch_all(self.image, kind, form), self.texels)


@KIND
@FORMS
@pytest.mark.parametrize("gaps,offset", [(False, 0), (True, 0), (True, 4096)])
def test_each_sees_what_is_written_through_the_other(images, m, rng, kind, form, gaps, offset):
    images.need(kind, form)
    shared = Shared(images, rng, kind, form, gaps, offset)
    assert shared.image.get_info(cl.mem_info.ASSOCIATED_MEMOBJECT) == shared.buffer
    shared.check()
    shared.data[...] = form.random(rng, shared.data.shape[:3])
    cl.enqueue_copy(m.queue, shared.buffer, shared.data)
    shared.check()
    # By the host: a box from the second texel of each axis on.
    origin = [min(1, size - 1) for size in reversed(kind.shape)]
    x, y, z = origin
    box = tuple(size - start for size, start in zip(kind.shape, (z, y, x)))
    new = form.random(rng, box)
    images.put(shared.image, new, tuple(origin))
    shared.texels[z:, y:, x:] = new
    shared.check()
    # By a kernel.
    if kind.axes == 3 and "cl_khr_3d_image_writes" not in images.extensions:
        return
    at = rng.permutation(all_coordinates(kind.shape))[:30]
    colours = form.decode(form.random(rng, (len(at),))).astype(form.value)
    images.store(shared.image, kind, form, at, colours)
    got = images.get(shared.image, form, kind.shape)
    places = at[:, 2], at[:, 1], at[:, 0]
    form.check_store(got[places], colours)
    shared.texels[places] = got[places]
    shared.check()


@KIND
@FORMS
def test_fills_and_copies(images, m, rng, kind, form):
    images.need(kind, form)
    shared, other = (Shared(images, rng, kind, form, gaps) for gaps in (True, False))
    colour = form.decode(form.random(rng, (1,)))[0].astype(form.value)
    fill(images, shared.image, form, colour, (2, 0, 0), (*kind.shape[:2], 3))
    got = images.get(shared.image, form, kind.shape)[:, :, 2:5]
    form.check_store(got.reshape(-1, form.channels), np.tile(colour, (got[..., 0].size, 1)))
    shared.texels[:, :, 2:5] = got
    shared.check()
    depth, height, width = kind.shape
    images.copy(shared.image, other.image, (1, 0, 0), (3, 0, 0), (width - 3, height, depth))
    other.texels[:, :, 3:] = shared.texels[:, :, 1:width - 2]
    other.check()
    own = images.create(kind, form, texels=form.random(rng, kind.shape))
    images.copy(shared.image, own, (0, 0, 0), (0, 0, 0), (width, height, depth))
    np.testing.assert_array_equal(images.get(own, form, kind.shape), shared.texels)
    packed = m.empty(shared.texels.nbytes)
    cl._cl._enqueue_copy_image_to_buffer(m.queue, shared.image, packed, (0, 0, 0), (width, height, depth), 0)
    np.testing.assert_array_equal(m.read(packed, form.dtype, shared.texels.shape), shared.texels)


@KIND
def test_mapping(images, m, rng, kind):
    images.need(kind, RGBA_BYTES)
    shared = Shared(images, rng, kind, RGBA_BYTES, True)
    flags = cl.map_flags.READ | cl.map_flags.WRITE
    with images.mapped(shared.image, kind, RGBA_BYTES, flags, (0, 0, 0), kind.shape) as (texels, _, _):
        np.testing.assert_array_equal(texels, shared.texels)
        texels += np.uint8(3)
    shared.texels[...] += np.uint8(3)
    shared.check()


def requirement(m, name, form=None, desc=None, flags=0, ctype=ctypes.c_size_t):
    """A value, or the status that the query fails with, negative."""
    platform = m.platform.int_ptr
    find = ctypes.CDLL("libOpenCL.so.1").clGetExtensionFunctionAddressForPlatform
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
    types = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint,
             ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
    call = ctypes.CFUNCTYPE(ctypes.c_int, *types)(find(platform, b"clGetImageRequirementsInfoEXT"))
    value, size = ctype(), ctypes.c_size_t()
    given = form and (ctypes.c_uint * 2)(form.cl.channel_order, form.cl.channel_data_type)
    code = call(m.context.int_ptr, None, flags, given, desc and ctypes.addressof(desc), name, 8, ctypes.byref(value),
                ctypes.byref(size))
    assert code != 0 or size.value == ctypes.sizeof(ctype)
    return code or value.value


def described(kind, gaps=(0, 0), **others):
    depth, height, width = kind.shape
    of = {"width": width, "height": height if kind.axes > 1 else 0, "depth": depth if kind.axes > 2 else 0,
          "layers": kind.layers() if kind.layered else 0, "row_pitch": gaps[0], "slice_pitch": gaps[1]}
    return Descriptor(type=kind.cl_type, **{**of, **others})


@pytest.mark.parametrize("kind", [*KINDS.values(), BUFFER], ids=repr)
@FORMS
@pytest.mark.parametrize("gaps", [False, True])
def test_a_buffer_of_the_required_size_is_large_enough(images, m, kind, form, gaps):
    images.need(kind, form)
    pitches = layout(kind, form, gaps and kind is not BUFFER)[1]
    size = requirement(m, SIZE, form, described(kind, pitches))
    image = images.create(kind, form, kind.shape, pitches=pitches, buffer=m.empty(size))
    assert image.size == size
    too_small = m.empty(size - 1)
    assert status(images.create, kind, form, kind.shape, pitches=pitches,
                  buffer=too_small) == cl.status_code.INVALID_IMAGE_SIZE


def number(m, name):
    return int.from_bytes(raw.device_info(m.device.int_ptr, name), "little")


@KIND
def test_alignments(images, m, kind):
    alignments = {}
    for form in (Format("R", "UNSIGNED_INT8"), RGBA_BYTES, RGBA_FLOAT):
        row, slices, base = (requirement(m, name, form, described(kind)) for name in
                             (ROW_ALIGNMENT, SLICE_ALIGNMENT, BASE_ALIGNMENT))
        assert all(value & (value - 1) == 0 for value in (row, slices, base))
        assert row <= number(m, PITCH_ALIGNMENT) * 16
        assert base <= number(m, BASE_ADDRESS_ALIGNMENT) * 16
        alignments[form.texel_size] = row, slices, base
        parent = m.empty(65536 + 4096)
        if kind.cl_type == cl.mem_object_type.IMAGE2D or kind.layered or kind.axes == 3:
            depth, height, width = kind.shape
            bad = (width * form.texel_size + row // 2, 0) if row > 1 else None
            if bad:
                code = status(images.create, kind, form, kind.shape, pitches=bad, buffer=parent)
                assert code == cl.status_code.INVALID_IMAGE_FORMAT_DESCRIPTOR
    for name, place in ((ROW_ALIGNMENT, 0), (SLICE_ALIGNMENT, 1), (BASE_ALIGNMENT, 2)):
        assert requirement(m, name, None, described(kind)) == max(it[place] for it in alignments.values())
        assert requirement(m, name) >= requirement(m, name, RGBA_BYTES)


def test_greatest_dimensions(m):
    device, uint = m.device, ctypes.c_uint
    flat, solid = KINDS["2d"], KINDS["3d"]
    none = {"width": 0, "height": 0, "depth": 0, "layers": 0}

    def most(name, kind=None, **others):
        desc = None if kind is None else described(kind, **{**none, **others})
        return requirement(m, name, RGBA_BYTES, desc, ctype=uint)

    assert most(MAX_WIDTH, flat) == device.image2d_max_width
    assert most(MAX_HEIGHT, flat) == device.image2d_max_height
    assert [most(name, solid) for name in (MAX_WIDTH, MAX_HEIGHT, MAX_DEPTH)] == [
        device.image3d_max_width, device.image3d_max_height, device.image3d_max_depth]
    assert most(MAX_WIDTH, BUFFER) <= device.image_max_buffer_size
    for kind in (KINDS["1d_array"], KINDS["2d_array"]):
        assert most(MAX_LAYERS, kind) == device.image_max_array_size
    assert most(MAX_WIDTH) == min(device.image2d_max_width, device.image3d_max_width, device.image_max_buffer_size)
    # As many layers of the largest size as fit.
    width, height = device.image2d_max_width, device.image2d_max_height
    layers = most(MAX_LAYERS, KINDS["2d_array"], width=width, height=height)
    assert layers == min(device.image_max_array_size, device.max_mem_alloc_size // (4 * width * height))


@pytest.mark.parametrize("kind", [*KINDS.values(), BUFFER], ids=repr)
def test_no_image_has_no_texels(m, kind):
    """Alignments and sizes of images without a size are CL_INVALID_IMAGE_DESCRIPTOR; 0 is any for the greatest sizes alone."""
    sizes = [name for name in ("width", "height", "depth", "layers") if getattr(described(kind), name)]
    for name in (ROW_ALIGNMENT, SLICE_ALIGNMENT, BASE_ALIGNMENT, SIZE):
        assert requirement(m, name, RGBA_BYTES, described(kind)) > 0
        for size in sizes:
            assert requirement(m, name, RGBA_BYTES, described(kind, **{size: 0})) == -65, (name, size)


@pytest.mark.parametrize("kind", [KINDS["2d"], KINDS["3d"], BUFFER], ids=repr)
def test_misaligned_memory_of_the_application(images, m, kind):
    """CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, whatever the image is."""
    base = requirement(m, BASE_ALIGNMENT, RGBA_BYTES, described(kind))
    if base == 1:
        pytest.skip("texels may begin anywhere")
    memory = np.zeros(4 * int(np.prod(kind.shape)) + 2 * base, np.uint8)
    start = -memory.ctypes.data % base + 1
    flags = cl.mem_flags.USE_HOST_PTR | cl.mem_flags.READ_WRITE
    buffer = cl.Buffer(m.context, flags, hostbuf=memory[start:start + memory.size - base])
    with pytest.raises(cl.Error) as error:
        images.create(kind, RGBA_BYTES, kind.shape, buffer=buffer)
    assert error.value.code == -39
