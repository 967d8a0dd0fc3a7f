"""2D images whose texels are a buffer's bytes (cl_khr_image2d_from_buffer) or another image's: each sees what is written
through the other."""

import numpy as np
import pyopencl as cl
import pytest
from image_formats import RGBA_BYTES, RGBA_FLOAT, RGBA_UINT, Format
from imaging import ALL_TYPES, KINDS, MF, all_coordinates, status
from test_images_fill import fill

D2, D3, LINES = KINDS["2d"], KINDS["3d"], KINDS["1d_array"]
BYTES = Format("R", "UNSIGNED_INT8")
MAP = cl.map_flags
FORMS = pytest.mark.parametrize("form", [BYTES, Format("RG", "SIGNED_INT16"), RGBA_BYTES, RGBA_FLOAT], ids=repr)
KERNELS = """
kernel void by_pointer(global uint *a) { size_t i = get_global_id(0); a[i] = a[i] * 3 + i; }
kernel void by_image(read_only image2d_t from, write_only image2d_t to)
{ int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(to, at, read_imageui(from, get_image_dim(from) - 1 - at) + 5); }
"""


@pytest.fixture(autouse=True)
def offered(images):
    if "cl_khr_image2d_from_buffer" not in images.extensions:
        pytest.skip("no 2D images of buffers")


class Shared:
    """A buffer with rows of texels a pitch apart, and an image of them that begins at an offset."""

    def __init__(self, images, rng, form, shape=(1, 9, 13), pitch=20, offset=0, flags=MF.READ_WRITE):
        self.images, self.form, self.shape, self.flags = images, form, shape, flags
        height = shape[1]
        self.data = form.random(rng, (height, pitch))
        self.row = pitch * form.texel_size
        before = np.zeros(offset, np.uint8)
        self.whole = images.m.buffer(np.concatenate([before, self.data.view(np.uint8).reshape(-1)]))
        self.buffer = self.whole.get_sub_region(offset, self.row * height) if offset else self.whole
        self.image = images.create(D2, form, shape, pitches=(self.row, 0), buffer=self.buffer, flags=flags)

    @property
    def texels(self):
        """The image's part of the data, as it is expected."""
        return self.data[:, :self.shape[2]]

    def check(self):
        """The buffer, the image as the host reads it, and as a kernel does, hold what is expected."""
        images, form = self.images, self.form
        got = images.m.read(self.buffer, form.dtype, self.data.shape)
        np.testing.assert_array_equal(got, self.data)
        np.testing.assert_array_equal(images.get(self.image, form, self.shape)[0], self.texels)
        form.check_read(images.fetch_all(self.image, D2, form, self.shape)[0], self.texels)


@FORMS
@pytest.mark.parametrize("offset", [0, 4096])
def test_the_host_and_kernels_read_and_write(images, m, rng, form, offset):
    images.need(D2, form)
    shared = Shared(images, rng, form, offset=offset)
    shared.check()
    shared.data[...] = form.random(rng, shared.data.shape[:2])
    cl.enqueue_copy(m.queue, shared.buffer, shared.data)
    shared.check()
    new = form.random(rng, (1, 4, 5))
    images.put(shared.image, new, (3, 2, 0))
    shared.texels[2:6, 3:8] = new[0]
    shared.check()
    at = rng.permutation(all_coordinates(shared.shape))[:30]
    colours = form.decode(form.random(rng, (30,))).astype(form.value)
    images.store(shared.image, D2, form, at, colours)
    got = images.get(shared.image, form, shared.shape)[0]
    form.check_store(got[at[:, 1], at[:, 0]], colours)
    shared.texels[at[:, 1], at[:, 0]] = got[at[:, 1], at[:, 0]]
    shared.check()


@pytest.mark.parametrize("channel_type", ALL_TYPES)
def test_every_format(images, m, rng, channel_type):
    """What kernels write through the image is in the buffer, and the bytes between the rows stay."""
    for form in images.formats_of(D2, channel_type, MF.READ_ONLY):
        shared = Shared(images, rng, form, flags=MF.READ_ONLY)
        shared.check()
    for form in images.formats_of(D2, channel_type, MF.WRITE_ONLY):
        shared = Shared(images, rng, form, flags=MF.WRITE_ONLY)
        at = rng.permutation(all_coordinates(shared.shape))[:20]
        colours = form.decode(form.random(rng, (20,))).astype(form.value)
        images.store(shared.image, D2, form, at, colours)
        got = m.read(shared.buffer, form.dtype, shared.data.shape)
        form.check_store(got[at[:, 1], at[:, 0]], colours)
        got[at[:, 1], at[:, 0]] = shared.data[at[:, 1], at[:, 0]]
        np.testing.assert_array_equal(got, shared.data)


def launches(images, queue, turns=10):
    """Launches use two buffers and the images of their bytes by turns. Returns what is there, and what should be."""
    m, (height, width) = images.m, (8, 12)
    program = images.program(KERNELS)
    a = np.arange(height * width * 4, dtype=np.uint32).reshape(height, width, 4)
    both = [m.buffer(a), m.empty(a.nbytes)]
    views = [images.create(D2, RGBA_UINT, (1, height, width), buffer=b) for b in both]
    by_pointer, by_image = (cl.Kernel(program, name) for name in ("by_pointer", "by_image"))
    done = None
    for turn in range(turns):
        waits = [done] if done else None
        done = by_pointer(queue, (a.size,), None, both[turn % 2], wait_for=waits)
        done = by_image(queue, (width, height), None, views[turn % 2], views[1 - turn % 2], wait_for=[done])
        a = a * np.uint32(3) + np.arange(a.size, dtype=np.uint32).reshape(a.shape)
        a = a[::-1, ::-1] + np.uint32(5)
    queue.finish()
    return m.read(both[turns % 2], np.uint32, a.shape), a


@pytest.mark.parametrize("properties", [0, cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE],
                         ids=["in order", "out of order"])
def test_launches_use_buffer_and_image_by_turns(images, m, properties):
    images.need(D2, RGBA_UINT)
    got, expected = launches(images, cl.CommandQueue(m.context, properties=properties))
    np.testing.assert_array_equal(got, expected)


def test_two_queues_use_one_image(images, m, rng):
    """Each launch waits for the one before it, in the other queue."""
    images.need(D2, RGBA_UINT)
    program = images.program("""
        kernel void add(read_only image2d_t from, global uint4 *out, write_only image2d_t to)
        { int2 at = (int2)(get_global_id(0), get_global_id(1)); uint4 v = read_imageui(from, at) * 3 + 1;
          out[at.y * get_global_size(0) + at.x] = v; write_imageui(to, at, v); }""")
    queues = [cl.CommandQueue(m.context) for _ in range(2)]
    add, a = program.add, rng.integers(0, 2 ** 32, (16, 16, 4)).astype(np.uint32)
    buffers = [m.buffer(a), m.buffer(a)]
    views = [images.create(D2, RGBA_UINT, (1, 16, 16), buffer=b) for b in buffers]
    out, done = m.empty(a.nbytes), []
    for turn in range(20):
        done = [add(queues[turn % 2], (16, 16), None, views[turn % 2], out, views[1 - turn % 2], wait_for=done)]
        queues[turn % 2].flush()
        a = a * np.uint32(3) + np.uint32(1)
    done[0].wait()
    np.testing.assert_array_equal(m.read(out, np.uint32, a.shape), a)
    np.testing.assert_array_equal(m.read(buffers[0], np.uint32, a.shape), a)


def test_one_kernel_reads_and_writes(images, m, rng):
    if m.device.max_read_write_image_args == 0:
        pytest.skip("no read_write images")
    images.need(D2, RGBA_UINT)
    shared = Shared(images, rng, RGBA_UINT)
    program = images.program("""
        kernel void k(read_write image2d_t im)
        { int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imageui(im, at, read_imageui(im, at) * 2 + 1); }
        """, ("-cl-std=CL3.0",))
    program.k(m.queue, shared.shape[:0:-1], None, shared.image)
    shared.texels[...] = shared.texels * np.uint32(2) + np.uint32(1)
    shared.check()


@FORMS
def test_fills(images, m, rng, form):
    images.need(D2, form)
    shared = Shared(images, rng, form)
    for origin, (width, height) in [((0, 0, 0), (13, 9)), ((3, 2, 0), (5, 4)), ((1, 8, 0), (1, 1)), ((1, 0, 0), (2, 9))]:
        colour = form.decode(form.random(rng, (1,)))[0].astype(form.value)
        fill(images, shared.image, form, colour, origin, (1, height, width))
        x, y, _ = origin
        got = images.get(shared.image, form, shared.shape)[0]
        form.check_store(got[y:y + height, x:x + width].reshape(-1, form.channels), np.tile(colour, (width * height, 1)))
        shared.texels[y:y + height, x:x + width] = got[y:y + height, x:x + width]
        shared.check()


@FORMS
def test_copies(images, m, rng, form):
    """From and to images with texels of their own, lines of arrays, buffers and images of buffers, at odd places."""
    images.need(D2, form)
    shared, other = (Shared(images, rng, form, pitch=pitch) for pitch in (20, 17))
    shape = shared.shape
    for kind in (D2, LINES):
        texels = form.random(rng, shape)
        own = images.create(kind, form, (1, 9, 13), texels=texels)
        images.copy(own, shared.image, (1, 2, 0), (3, 1, 0), (7, 5, 1))
        shared.texels[1:6, 3:10] = texels[0, 2:7, 1:8]
        shared.check()
        images.copy(shared.image, own, (3, 4, 0), (1, 0, 0), (5, 5, 1))
        texels[0, :5, 1:6] = shared.texels[4:9, 3:8]
        np.testing.assert_array_equal(images.get(own, form, shape), texels)
    solid_texels = form.random(rng, (3, 9, 13))
    solid = images.create(D3, form, texels=solid_texels)
    images.copy(shared.image, solid, (1, 2, 0), (3, 1, 2), (7, 5, 1))
    solid_texels[2, 1:6, 3:10] = shared.texels[2:7, 1:8]
    np.testing.assert_array_equal(images.get(solid, form, solid_texels.shape), solid_texels)
    images.copy(shared.image, other.image, (1, 2, 0), (3, 1, 0), (7, 5, 1))
    other.texels[1:6, 3:10] = shared.texels[2:7, 1:8]
    other.check()
    size, row = form.texel_size, 7 * form.texel_size
    linear = rng.integers(0, 256, 5 * row + 3 * size, np.uint8)
    buffer = m.buffer(linear)
    cl._cl._enqueue_copy_image_to_buffer(m.queue, shared.image, buffer, (1, 2, 0), (7, 5, 1), size)
    part = np.ascontiguousarray(shared.texels[2:7, 1:8])
    linear[size:size + 5 * row] = part.view(np.uint8).reshape(-1)
    np.testing.assert_array_equal(m.read(buffer, np.uint8, linear.shape), linear)
    cl._cl._enqueue_copy_buffer_to_image(m.queue, buffer, other.image, size, (2, 3, 0), (7, 5, 1))
    other.texels[3:8, 2:9] = part
    other.check()


def test_a_copy_within_one_buffer(images, m, rng):
    shared = Shared(images, rng, RGBA_UINT)
    upper = images.create(D2, RGBA_UINT, (1, 4, 13), pitches=(shared.row, 0), buffer=shared.buffer)
    images.copy(shared.image, upper, (0, 5, 0), (0, 0, 0), (13, 4, 1))
    shared.texels[:4] = shared.texels[5:9].copy()
    shared.check()
    overlap = status(images.copy, shared.image, upper, (0, 1, 0), (0, 0, 0), (13, 3, 1))
    assert overlap == cl.status_code.MEM_COPY_OVERLAP


@FORMS
def test_maps(images, m, rng, form):
    images.need(D2, form)
    shared = Shared(images, rng, form)
    with images.mapped(shared.image, D2, form, MAP.READ, (2, 1, 0), (1, 5, 6)) as (view, row, slice_pitch):
        np.testing.assert_array_equal(view[0], shared.texels[1:6, 2:8])
        assert slice_pitch == 0 and row >= 6 * form.texel_size
    with images.mapped(shared.image, D2, form, MAP.WRITE, (0, 0, 0), (1, 9, 6)) as (left, _, _), \
            images.mapped(shared.image, D2, form, MAP.WRITE, (6, 0, 0), (1, 9, 7)) as (right, _, _):
        for at, view in ((slice(0, 6), left), (slice(6, 13), right)):
            new = form.random(rng, view.shape[:3])
            view[...] = new
            shared.texels[:, at] = new[0]
    shared.check()
    bytes_of, _ = cl.enqueue_map_buffer(m.queue, shared.buffer, MAP.WRITE, 0, shared.data.shape, form.dtype)
    shared.data[...] = bytes_of[...] = form.random(rng, shared.data.shape[:2])
    bytes_of.base.release(m.queue)
    shared.check()


def test_host_memory_in_use(images, m, rng):
    """Maps of the image give addresses in the memory that the buffer was made with."""
    memory = np.zeros(9 * 20 * 16 + 4096, np.uint8)
    start = -memory.ctypes.data % 4096
    host = memory[start:start + 9 * 20 * 16].view(np.uint32).reshape(9, 20, 4)
    host[...] = rng.integers(0, 2 ** 32, host.shape)
    buffer = cl.Buffer(m.context, MF.USE_HOST_PTR, hostbuf=host)
    image = images.create(D2, RGBA_UINT, (1, 9, 13), pitches=(320, 0), buffer=buffer)
    expected = host.copy()
    images.store(image, D2, RGBA_UINT, [[2, 3, 0, 0]], np.full((1, 4), 7, np.uint32))
    expected[3, 2] = 7
    with images.mapped(image, D2, RGBA_UINT, MAP.READ | MAP.WRITE, (1, 2, 0), (1, 4, 5)) as (view, row, _):
        assert view.ctypes.data == host.ctypes.data + 2 * 320 + 16 and row == 320
        np.testing.assert_array_equal(view[0], expected[2:6, 1:6])
        view[0, 0, 0] = expected[2, 1] = 9
    np.testing.assert_array_equal(images.get(image, RGBA_UINT, (1, 9, 13))[0], expected[:, :13])
    np.testing.assert_array_equal(m.read(buffer, np.uint32, expected.shape), expected)


def test_queries(images, m, rng):
    shared = Shared(images, rng, RGBA_BYTES)
    info = cl.image_info
    assert shared.image.get_image_info(info.ROW_PITCH) == shared.row
    assert shared.image.get_image_info(info.BUFFER) == shared.buffer
    assert shared.image.associated_memobject == shared.buffer
    assert shared.image.get_info(cl.mem_info.SIZE) == shared.row * 9
    packed = images.create(D2, RGBA_BYTES, (1, 9, 13), buffer=shared.buffer)
    assert packed.get_image_info(info.ROW_PITCH) == 13 * 4


def test_mistakes(images, m):
    buffer, code = m.empty(1024), cl.status_code

    def made(shape, pitch, form=RGBA_BYTES, of=buffer, flags=MF.READ_WRITE):
        return status(images.create, D2, form, shape, pitches=(pitch, 0), buffer=of, flags=flags)

    assert made((1, 16, 16), 64) == 0
    assert made((1, 16, 16), 68) == code.INVALID_IMAGE_SIZE
    assert made((1, 17, 16), 0) == code.INVALID_IMAGE_SIZE
    for pitch in (60, 66):
        assert made((1, 4, 16), pitch) == code.INVALID_IMAGE_FORMAT_DESCRIPTOR
    assert made((1, 4, 16), 64, flags=MF.READ_WRITE | MF.ALLOC_HOST_PTR) == code.INVALID_VALUE


# The pairs of channel orders that images may see the same texels in.
PAIRS = [("RGBA", "sRGBA"), ("BGRA", "sBGRA")]


def view_of_image(images, form, image, shape):
    return images.create(D2, form, shape, buffer=image)


@pytest.mark.parametrize("orders", [pair[::step] for pair in PAIRS for step in (1, -1)], ids=lambda pair: "-".join(pair))
@pytest.mark.parametrize("in_buffer", [False, True])
def test_images_of_images(images, m, rng, orders, in_buffer):
    """sRGB and linear colours of the same texels, for kernels that read and that write; also of texels in a buffer."""
    first, second = (Format(order, "UNORM_INT8") for order in orders)
    images.need(D2, first)
    images.need(D2, second)
    texels = first.random(rng, D2.shape)
    buffer = m.buffer(texels) if in_buffer else None
    image = images.create(D2, first, texels.shape[:3], buffer=buffer, texels=None if in_buffer else texels)
    view = view_of_image(images, second, image, D2.shape)
    if not in_buffer:
        assert view.associated_memobject == image
    for seen, form in ((image, first), (view, second)):
        np.testing.assert_array_equal(images.get(seen, form, D2.shape), texels)
        form.check_read(images.fetch_all(seen, D2, form), texels)
    at = rng.permutation(all_coordinates(D2.shape))[:40]
    for seen, form in ((view, second), (image, first)):
        colours = rng.uniform(-0.5, 1.5, (40, 4)).astype(np.float32)
        images.store(seen, D2, form, at, colours)
        got = images.get(image, first, D2.shape)
        form.check_store(got[0, at[:, 1], at[:, 0]], colours)
        second.check_read(images.fetch_all(view, D2, second), got)
    image.release()
    np.testing.assert_array_equal(images.get(view, second, D2.shape), got)


@pytest.mark.parametrize("kind", ["FLOAT", "UNORM_INT16"])
def test_depth_of_one_channel(images, m, rng, kind):
    red, depth = Format("R", kind), Format("DEPTH", kind)
    images.need(D2, red)
    images.need(D2, depth)
    texels = red.random(rng, D2.shape)
    view = view_of_image(images, depth, images.create(D2, red, texels=texels), D2.shape)
    depth.check_read(images.fetch_all(view, D2, depth), texels)


def test_mistakes_with_images_of_images(images, m):
    code, srgb = cl.status_code, Format("sRGBA", "UNORM_INT8")
    images.need(D2, srgb)
    image = images.create(D2, RGBA_BYTES)

    def made(form, shape=D2.shape, **more):
        return status(images.create, D2, form, shape, buffer=image, **more)

    assert made(srgb) == 0
    for form in (RGBA_BYTES, RGBA_UINT, Format("BGRA", "UNORM_INT8")):
        assert made(form) == code.INVALID_IMAGE_FORMAT_DESCRIPTOR
    assert made(srgb, (1, 11, 16)) == code.INVALID_IMAGE_DESCRIPTOR
    assert made(srgb, pitches=(128, 0)) == code.INVALID_IMAGE_DESCRIPTOR
    assert made(srgb, flags=MF.READ_WRITE | MF.ALLOC_HOST_PTR) == code.INVALID_VALUE
