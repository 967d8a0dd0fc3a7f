"""What images say of themselves, in kernels and to the host; and what is refused."""

import numpy as np
import pyopencl as cl
import pytest
from image_formats import RGBA_BYTES, RGBA_FLOAT, RGBA_UINT, Format
from imaging import BUFFER, KINDS, MF, OBJECT, status

D1, D2, D3 = KINDS["1d"], KINDS["2d"], KINDS["3d"]
CODE = cl.status_code
EVERY_KIND = pytest.mark.parametrize("kind", [*KINDS.values(), BUFFER], ids=repr)
ACCESSES = pytest.mark.parametrize("access", ["read_only", "write_only", "read_write"])


def make(images, kind, form, flags=MF.READ_WRITE, shape=None):
    shape = shape or kind.shape
    buffer = images.m.empty(int(np.prod(shape)) * form.texel_size) if kind is BUFFER else None
    return images.create(kind, form, shape, flags=flags, buffer=buffer)


@EVERY_KIND
@ACCESSES
def test_sizes_in_a_kernel(images, m, kind, access):
    """get_image_width and its like, of arguments of every access, through a function."""
    if access == "read_write" and not images.formats(D2, MF.KERNEL_READ_AND_WRITE):
        pytest.skip("no read_write images")
    if access != "read_only" and kind.axes == 3:
        images.need_3d_writes()
    queries = ["get_image_width(im)", "get_image_channel_data_type(im)", "get_image_channel_order(im)"]
    expected = [kind.shape[2]]
    if kind.axes > 1:
        queries += ["get_image_height(im)", "get_image_dim(im).x", "get_image_dim(im).y"]
    if kind.axes > 2:
        queries += ["get_image_depth(im)", "get_image_dim(im).z", "get_image_dim(im).w"]
    if kind.layered:
        queries += ["(int)get_image_array_size(im)"]
    pragma = "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n" if kind.axes == 3 else ""
    stores = " ".join(f"out[{i}] = {query};" for i, query in enumerate(queries))
    options = ("-cl-std=CL3.0",) if access == "read_write" else ()
    kernel = cl.Kernel(images.program(f"""{pragma}
        void ask({access} {kind.c_type} im, global int *out) {{ {stores} }}
        kernel void k({access} {kind.c_type} im, global int *out) {{ ask(im, out); }}""", options), "k")
    for form in (RGBA_BYTES, RGBA_FLOAT, Format("R", "UNSIGNED_INT16"), Format("RG", "HALF_FLOAT")):
        needed = MF.KERNEL_READ_AND_WRITE if access == "read_write" else MF.READ_WRITE
        if repr(form) not in [repr(f) for f in images.formats(kind, needed)]:
            continue
        depth, height, width = kind.shape
        expected = [width, form.cl.channel_data_type, form.cl.channel_order]
        expected += [height, width, height] if kind.axes > 1 else []
        expected += [depth, depth, 0] if kind.axes > 2 else []
        expected += [kind.layers()] if kind.layered else []
        out = m.empty(4 * len(queries))
        kernel(m.queue, (1,), None, make(images, kind, form), out)
        np.testing.assert_array_equal(m.read(out, np.int32, len(queries)), expected)


def test_constants_of_formats(images, m):
    """CLK_ orders and types are the numbers of the host."""
    names = [("CLK_" + n, getattr(cl.channel_order, n)) for n in ("R", "A", "RG", "RA", "RGB", "RGBA", "BGRA",
                                                                  "INTENSITY", "LUMINANCE")]
    names += [("CLK_" + n, getattr(cl.channel_type, n)) for n in (
        "SNORM_INT8", "SNORM_INT16", "UNORM_INT8", "UNORM_INT16", "UNORM_SHORT_565", "UNORM_SHORT_555",
        "UNORM_INT_101010", "SIGNED_INT8", "SIGNED_INT16", "SIGNED_INT32", "UNSIGNED_INT8", "UNSIGNED_INT16",
        "UNSIGNED_INT32", "HALF_FLOAT", "FLOAT")]
    out = m.empty(4 * len(names))
    images.program("kernel void k(global int *out) { " + " ".join(
        f"out[{i}] = {name};" for i, (name, _) in enumerate(names)) + " }").k(m.queue, (1,), None, out)
    np.testing.assert_array_equal(m.read(out, np.int32, len(names)), [value for _, value in names])


@EVERY_KIND
def test_what_an_image_says_of_itself(images, kind):
    images.need(kind, RGBA_BYTES)
    image, info = make(images, kind, RGBA_BYTES), cl.image_info
    if images.m.is_hekla:
        # What a descriptor says of axes that the kind has not got counts for nothing.
        buffer = images.m.empty(4 * kind.shape[2]) if kind is BUFFER else None
        desc = images.descriptor(kind, kind.shape, buffer=buffer, unused=3)
        image = cl.Image(images.m.context, MF.READ_WRITE, RGBA_BYTES.cl, desc=desc)
    depth, height, width = kind.shape
    assert image.get_image_info(info.WIDTH) == width
    assert image.get_image_info(info.HEIGHT) == (height if kind.axes > 1 else 0)
    assert image.get_image_info(info.DEPTH) == (depth if kind.axes > 2 else 0)
    assert image.get_image_info(info.ARRAY_SIZE) == (kind.layers() if kind.layered else 0)
    assert image.get_image_info(info.ELEMENT_SIZE) == 4
    form = image.get_image_info(info.FORMAT)
    assert (form.channel_order, form.channel_data_type) == (cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    assert image.get_image_info(info.NUM_MIP_LEVELS) == image.get_image_info(info.NUM_SAMPLES) == 0
    row, slice_pitch = image.get_image_info(info.ROW_PITCH), image.get_image_info(info.SLICE_PITCH)
    assert row >= width * 4
    if kind.axes == 3 or kind.layered:
        assert slice_pitch >= row * (height if kind.axes > 1 else 1)
    else:
        assert slice_pitch == 0
    mem = cl.mem_info
    assert image.get_info(mem.TYPE) == kind.cl_type and image.get_info(mem.FLAGS) == MF.READ_WRITE
    assert image.get_info(mem.SIZE) >= 4 * int(np.prod(kind.shape))
    assert image.get_info(mem.CONTEXT) == images.m.context and image.get_info(mem.REFERENCE_COUNT) == 1
    assert image.get_info(mem.MAP_COUNT) == 0
    parent = image.get_info(mem.ASSOCIATED_MEMOBJECT)
    assert (parent is None) == (kind is not BUFFER)


def test_element_sizes(images):
    for kind in KINDS.values():
        for form in images.formats(kind, MF.READ_ONLY):
            image = make(images, kind, form, MF.READ_ONLY)
            assert image.get_image_info(cl.image_info.ELEMENT_SIZE) == form.texel_size, f"{form}"


def test_limits_of_the_device(images, m):
    """At least what the full profile asks for."""
    device = m.device
    assert device.max_read_image_args >= 128 and device.max_write_image_args >= 64 and device.max_samplers >= 16
    assert device.image2d_max_width >= 16384 and device.image2d_max_height >= 16384
    assert min(device.image3d_max_width, device.image3d_max_height, device.image3d_max_depth) >= 2048
    assert device.image_max_buffer_size >= 65536 and device.image_max_array_size >= 2048
    if images.formats(D2, MF.KERNEL_READ_AND_WRITE):
        assert device.max_read_write_image_args >= 64


MINIMUM = ["UNORM_INT8", "UNORM_INT16", "SIGNED_INT8", "SIGNED_INT16", "SIGNED_INT32", "UNSIGNED_INT8",
           "UNSIGNED_INT16", "UNSIGNED_INT32", "HALF_FLOAT", "FLOAT"]


@EVERY_KIND
def test_the_least_list_of_formats(images, kind):
    """RGBA of ten types, read and written (minimum list for 1D, 2D, 3D images and arrays)."""
    writes = kind.axes < 3 or "cl_khr_3d_image_writes" in images.extensions
    for flags in [MF.READ_ONLY] + [MF.WRITE_ONLY, MF.READ_WRITE] * writes:
        listed = [repr(f) for f in images.formats(kind, flags)]
        missing = [t for t in MINIMUM if f"RGBA {t}" not in listed]
        assert not missing, f"{kind}, flags {flags:x}"
    if kind.name in ("2d", "2d_array", "1d", "3d", "1d_array"):
        assert "BGRA UNORM_INT8" in [repr(f) for f in images.formats(kind, MF.READ_ONLY)]


@EVERY_KIND
def test_every_listed_format_can_be_made(images, kind):
    for flags in (MF.READ_ONLY, MF.WRITE_ONLY, MF.READ_WRITE):
        for form in images.formats(kind, flags):
            make(images, kind, form, flags)


def test_an_argument_says_what_it_is(images):
    """clGetKernelArgInfo."""
    program = images.program("""kernel void k(read_only image2d_t a, write_only image3d_t b, image1d_buffer_t c,
                                             sampler_t s, read_only image2d_array_t d) { }""".replace(
        "write_only image3d_t", "write_only image1d_array_t"), ("-cl-kernel-arg-info",))
    kernel, info = cl.Kernel(program, "k"), cl.kernel_arg_info
    access, place = cl.kernel_arg_access_qualifier, cl.kernel_arg_address_qualifier
    names = [kernel.get_arg_info(i, info.TYPE_NAME).replace(" ", "") for i in range(5)]
    assert names == ["image2d_t", "image1d_array_t", "image1d_buffer_t", "sampler_t", "image2d_array_t"]
    accesses = [kernel.get_arg_info(i, info.ACCESS_QUALIFIER) for i in range(5)]
    assert accesses == [access.READ_ONLY, access.WRITE_ONLY, access.READ_ONLY, access.NONE, access.READ_ONLY]
    places = [kernel.get_arg_info(i, info.ADDRESS_QUALIFIER) for i in range(5)]
    assert places == [place.GLOBAL] * 3 + [place.PRIVATE] + [place.GLOBAL]


def test_formats_that_are_none(images, m):
    """Orders and types that do not go together, and numbers that mean nothing."""
    desc = images.descriptor(D2, (1, 4, 4))

    def give(order, kind):
        return status(cl.Image, m.context, MF.READ_ONLY, cl.ImageFormat(order, kind), desc=desc)
    orders, kinds = cl.channel_order, cl.channel_type
    invalid = CODE.INVALID_IMAGE_FORMAT_DESCRIPTOR
    either = (invalid, CODE.IMAGE_FORMAT_NOT_SUPPORTED)
    assert give(0x1234, kinds.FLOAT) == invalid and give(orders.RGBA, 0x1234) == invalid
    assert give(orders.RGBA, kinds.UNORM_SHORT_565) in either and give(orders.RGB, kinds.FLOAT) in either
    assert give(orders.INTENSITY, kinds.SIGNED_INT8) in either
    assert give(orders.BGRA, kinds.FLOAT) in either


def test_sizes_that_are_none(images, m):
    images.need(D2, RGBA_BYTES)
    device = m.device

    def give(kind, shape):
        return status(cl.Image, m.context, MF.READ_ONLY, RGBA_BYTES.cl, desc=images.descriptor(kind, shape))
    bad = (CODE.INVALID_IMAGE_SIZE, CODE.INVALID_IMAGE_DESCRIPTOR)
    assert give(D2, (1, 4, 0)) in bad and give(D2, (1, 0, 4)) in bad and give(D3, (0, 4, 4)) in bad
    assert give(D2, (1, 4, device.image2d_max_width + 1)) == CODE.INVALID_IMAGE_SIZE
    assert give(D2, (1, device.image2d_max_height + 1, 4)) == CODE.INVALID_IMAGE_SIZE
    assert give(D3, (device.image3d_max_depth + 1, 1, 1)) == CODE.INVALID_IMAGE_SIZE
    assert give(KINDS["2d_array"], (device.image_max_array_size + 1, 1, 1)) in bad


def test_descriptors_that_are_none(images, m):
    host = np.zeros(4096, np.uint8)

    def give(flags, pitches=(0, 0), hostbuf=None, kind=D2, **fields):
        desc = images.descriptor(kind, (1, 4, 4) if kind is not D3 else (4, 4, 4), pitches)
        for name, value in fields.items():
            setattr(desc, name, value)
        return status(cl.Image, m.context, flags, RGBA_BYTES.cl, desc=desc, hostbuf=hostbuf)
    bad = CODE.INVALID_IMAGE_DESCRIPTOR
    copy = MF.READ_ONLY | MF.COPY_HOST_PTR
    assert give(MF.READ_ONLY) == 0 and give(copy, hostbuf=host) == 0
    assert give(MF.READ_ONLY, (16, 0)) == bad, "a pitch without host memory"
    assert give(copy, (15, 0), host) == bad, "a row pitch below a row"
    assert give(copy, (18, 0), host) == bad, "a row pitch that is no multiple of an element"
    assert give(copy, (16, 63), host, D3) == bad, "a slice pitch below a slice"
    assert give(copy, (16, 72), host, D3) == bad, "a slice pitch that is no multiple of a row"
    assert give(MF.READ_ONLY, num_samples=4) != 0
    assert give(MF.READ_ONLY, image_type=OBJECT.BUFFER) == bad
    assert give(MF.READ_ONLY | MF.COPY_HOST_PTR) == CODE.INVALID_HOST_PTR
    assert give(MF.READ_ONLY | MF.WRITE_ONLY) == CODE.INVALID_VALUE


def test_views_that_are_none(images, m):
    """Longer than the buffer, or with more access than it has."""
    images.need(BUFFER, RGBA_UINT)

    def give(count, buffer_flags, flags):
        buffer = cl.Buffer(m.context, buffer_flags, 16 * 64)
        desc = images.descriptor(BUFFER, (1, 1, count), buffer=buffer)
        return status(cl.Image, m.context, flags, RGBA_UINT.cl, desc=desc)
    assert give(64, MF.READ_WRITE, MF.READ_WRITE) == 0
    assert give(65, MF.READ_WRITE, MF.READ_WRITE) in (CODE.INVALID_IMAGE_SIZE, CODE.INVALID_IMAGE_DESCRIPTOR)
    assert give(64, MF.READ_ONLY, MF.READ_WRITE) == CODE.INVALID_VALUE
    assert give(64, MF.WRITE_ONLY, MF.READ_ONLY) == CODE.INVALID_VALUE


def test_arguments_that_are_none(images, m):
    """Buffers for images, images for buffers, and images that the access forbids."""
    images.need(D2, RGBA_UINT)
    kernel = cl.Kernel(images.program("""
        kernel void k(read_only image2d_t a, write_only image2d_t b, global uint4 *out)
        { uint4 v = read_imageui(a, (int2)(0, 0)); write_imageui(b, (int2)(0, 0), v); *out = v; }"""), "k")
    buffer, image = m.empty(64), images.create(D2, RGBA_UINT)
    reader = images.create(D2, RGBA_UINT, flags=MF.READ_ONLY)
    writer = images.create(D2, RGBA_UINT, flags=MF.WRITE_ONLY)
    assert status(kernel.set_arg, 0, buffer) == CODE.INVALID_MEM_OBJECT
    assert status(kernel.set_arg, 2, image) == CODE.INVALID_MEM_OBJECT
    assert status(kernel.set_arg, 0, writer) == CODE.INVALID_ARG_VALUE
    assert status(kernel.set_arg, 1, reader) == CODE.INVALID_ARG_VALUE
    assert status(kernel.set_arg, 0, np.int32(1)) in (CODE.INVALID_ARG_SIZE, CODE.INVALID_MEM_OBJECT)
    assert status(kernel.set_arg, 0, None) == CODE.INVALID_MEM_OBJECT
    # An image of another kind is no valid object for the argument.
    for kind in (D1, D3, KINDS["2d_array"]):
        assert status(kernel.set_arg, 0, images.create(kind, RGBA_UINT)) in (
            CODE.INVALID_MEM_OBJECT, CODE.INVALID_ARG_VALUE)
    # The kernel still runs.
    kernel(m.queue, (1,), None, images.create(D2, RGBA_UINT, texels=np.full((1, 1, 1, 4), 7, np.uint32)),
           writer, buffer)
    np.testing.assert_array_equal(m.read(buffer, np.uint32, 4), [7] * 4)


def test_commands_that_are_none(images, m):
    """Regions beyond the image, empty ones, pitches below a row, objects of the wrong kind."""
    images.need(D2, RGBA_BYTES)
    image, other = images.create(D2, RGBA_BYTES), images.create(D2, RGBA_UINT)
    host, bad = np.zeros(1 << 14, np.uint8), CODE.INVALID_VALUE

    def read(origin, region, row=0, slice_pitch=0):
        return status(images.read, image, host, origin, region, row, slice_pitch)
    assert read((0, 0, 0), (17, 11, 1)) == 0
    assert read((1, 0, 0), (17, 11, 1)) == bad and read((0, 0, 0), (17, 12, 1)) == bad
    assert read((0, 0, 1), (17, 11, 1)) == bad and read((0, 0, 0), (17, 11, 2)) == bad
    assert read((0, 0, 0), (17, 0, 1)) == bad and read((0, 0, 0), (17, 11, 1), 67) == bad
    assert read((0, 0, 0), (17, 11, 1), 0, 1000) == bad
    region = (4, 4, 1)
    assert status(images.copy, image, other, (0, 0, 0), (0, 0, 0), region) == CODE.IMAGE_FORMAT_MISMATCH
    assert status(images.copy, image, image, (0, 0, 0), (14, 0, 0), region) == bad
    buffer = m.empty(63)
    assert status(cl._cl._enqueue_copy_image_to_buffer, m.queue, image, buffer, (0, 0, 0), region, 0) == bad
    assert status(cl._cl._enqueue_copy_buffer_to_image, m.queue, buffer, image, 0, (0, 0, 0), region) == bad
    assert status(cl.enqueue_fill_image, m.queue, image, np.zeros(4, np.float32), (15, 0, 0), region) == bad
    assert status(cl.enqueue_map_image, m.queue, image, cl.map_flags.READ, (15, 0, 0), region, (1,), np.uint8) == bad


def test_host_access_that_was_given_up(images):
    images.need(D2, RGBA_BYTES)
    host, region = np.zeros(4 * 17 * 11, np.uint8), (17, 11, 1)
    wrong = CODE.INVALID_OPERATION
    for flags, reads, writes in [(MF.HOST_NO_ACCESS, wrong, wrong), (MF.HOST_READ_ONLY, 0, wrong),
                                 (MF.HOST_WRITE_ONLY, wrong, 0)]:
        image = images.create(D2, RGBA_BYTES, flags=MF.READ_WRITE | flags)
        assert status(images.write, image, host, (0, 0, 0), region) == writes
        assert status(images.read, image, host, (0, 0, 0), region) == reads
